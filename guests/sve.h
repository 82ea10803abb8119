/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of sve_code.S, and what the files of the guest sve share.
 */
#ifndef GUEST_SVE_H
#define GUEST_SVE_H

/* struct sve_state, for sve_code.S. */
#define STATE_P0 16
#define STATE_P1 48
#define STATE_P2 80
#define STATE_Z1 128

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#define ZCR_EL1	  S3_0_C1_C2_0
#define ZCR_EL2	  S3_4_C1_C2_0
#define CPACR_EL1 S3_0_C1_C0_2
#define ID_ZFR0	  S3_0_C0_C4_4

#define CPACR_ZEN(n)  ((uint64_t)(n) << 16)
#define CPACR_FPEN(n) ((uint64_t)(n) << 20)
#define CPACR_OPEN    (CPACR_ZEN(3) | CPACR_FPEN(3))

#define LENGTH_MAX 256 /* bytes */

/*
 * What the loops at EL0 begin with: X2 and X3, P0 to P2 and Z1. Z0, Z2 and Z3 are zero. In user
 * memory.
 */
struct sve_state {
	uint64_t x2, x3;
	uint8_t p[3][LENGTH_MAX / 8];
	uint8_t pad[STATE_Z1 - STATE_P2 - LENGTH_MAX / 8];
	uint8_t z1[LENGTH_MAX];
};

_Static_assert(__builtin_offsetof(struct sve_state, p[2]) == STATE_P2, "STATE_P2");
_Static_assert(__builtin_offsetof(struct sve_state, z1) == STATE_Z1, "STATE_Z1");

/* A loop of (turns, struct sve_state *) at EL0, and the instruction in it: sve_code.S. */
struct sve_loop {
	const char *name;
	uintptr_t run, at;
};

#define SVE_LOOP(insn)                                                            \
	{                                                                         \
#insn, user_address(user_##insn), user_address(user_##insn##_at), \
	}

/* Loops of several instructions. predicates: three that P0, P1 and P2 govern, SUBS and B.NE. */
#define PREDICATES_COUNT 5
/* mixed: LD1D, ST1D, a gather, a scatter, ADD, FADD, SUBS and B.NE */
enum { MIXED_LD, MIXED_ST, MIXED_GATHER, MIXED_SCATTER, MIXED_ADD, MIXED_FADD, MIXED_COUNT = 8 };

/* RDVL of one, and ZCR_EL1: at main's level, and at EL0. */
uint64_t sve_length(void);
uint64_t sve_zcr(void);
extern const char user_length[], user_zcr[];

/*
 * Skip functions: NULL, or why there is no SVE; no SVE that main shares with EL0; ... no SPE, or
 * hardly a sample as most of them collide; ... no SVE2.
 */
const char *needs_sve(void);
const char *needs_sve_el0(void);
const char *needs_sve_spe(void);
const char *needs_sve2_spe(void);

/* The lengths that there are, in bytes, ascending; 0 after the last. And use one, by ZCR_EL1. */
extern unsigned int sve_lengths[17];
void sve_use_length(unsigned int bytes);

/* CPACR_EL1, or CPTR_EL2 of a host at EL2. */
void sve_allow(uint64_t cpacr);

/* sve_samples.c, sve_addresses.c */
void sve_samples_init(void);
void test_types(void);
void test_sve2_types(void);
void test_predicate_events(void);
void test_events_set(void);
void test_events_clear(void);
void test_contiguous(void);
void test_gathers(void);
void test_sve2_gathers(void);
void test_first_fault(void);
void test_trapped(void);
void test_loads_and_stores(void);
void test_fp_and_simd(void);
const char *needs_events_shown(void);
const char *needs_predicate_fe(void);
const char *needs_predicate_fne(void);
const char *needs_sve_ft(void);
const char *needs_sve_eft(void);
#endif
#endif

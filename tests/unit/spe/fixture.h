/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of the profiling unit share: a PE with one unit, a buffer in host memory and a
 * count of every PMU event.
 */
#ifndef VSPE_TESTS_SPE_FIXTURE_H
#define VSPE_TESTS_SPE_FIXTURE_H

#include <string.h>
#include <vspe/spe.h>

#include "../compare.h"

#define BUFFER_VA   UINT64_C(0xffff000000100000)
#define BUFFER_SIZE 0x4000u

/* PMSCR_ELx */
#define E0SPE 0x1u
#define E1SPE 0x2u /* E2SPE in PMSCR_EL2 */
#define CX    0x8u
#define PA    0x10u
#define TS    0x20u
#define PCT   0x40u
#define PCT_1 0x80u
#define EE(n) ((uint64_t)(n) << 8)
#define KE    0x400u
#define ENVM  0x800u
/* PMCR_EL0, PMBLIMITR_EL1 and PMBSR_EL1 */
#define PMCR_FZS      (UINT64_C(1) << 32)
#define LIMIT_E	      0x1u
#define LIMIT_DISCARD 0x4u
#define LIMIT_PMFZ    0x20u
#define LIMIT_NVM     0x80u
#define SR_COLL	      0x10000u
#define SR_S	      0x20000u
#define SR_EA	      0x40000u
#define SR_DL	      0x80000u
#define SR_EC(n)      ((uint64_t)(n) << 26)
#define SR_MSS2(n)    ((uint64_t)(n) << 32)

/* Controls, and features of a PE with everything. */
#define TGE	 (UINT64_C(1) << 27)
#define E2H	 (UINT64_C(1) << 34)
#define E2PB_EL1 UINT64_C(0x3000) /* MDCR_EL2.E2PB: EL1 owns the buffer */
#define NSPB_NS	 UINT64_C(0x3000) /* MDCR_EL3: Non-secure state owns it */
#define PMSEE(n) ((uint64_t)(n) << 51)
#define SCR_NS	 UINT64_C(1)
#define HIGHER	 (SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_VHE | SYSREG_FEAT_SEL2)

struct fixture {
	struct spe_unit unit;
	struct spe_config config;
	struct spe_host host;
	struct sysreg_controls controls;
	uint8_t buffer[BUFFER_SIZE];
	unsigned int writes;
	uint64_t last_va;
	uint8_t last_el;
	struct spe_write_result fail; /* given back by the next write, which then writes less */
	unsigned int serrors;
	uint64_t base_events[4]; /* 0x4000 to 0x4003 */
	uint64_t feed_events[6]; /* 0x812a to 0x812f */
	uint64_t new_events[4];	 /* 0x8122, 0x8123, 0x8348, 0x8349 */
	struct spe_untranslated last_untranslated;
	unsigned int untranslated;
	uint64_t other_events;
};

/* A PE at EL1 with EL0 and EL1 only, everything enabled, a buffer of BUFFER_SIZE bytes. */
void fixture_init(struct fixture *f, enum spe_version version);
/* The same, but f->config and f->controls as they stand; resets the unit. */
void fixture_start(struct fixture *f);
/* Take the unit to its next selection and say what came of it. */
enum spe_selection fixture_select(struct fixture *f);
/* Select an operation and sample op. */
void fixture_sample(struct fixture *f, const struct spe_op *op);
/* One record is in the buffer, and these are its bytes. */
void fixture_holds(struct fixture *f, const uint8_t *expected, size_t size);
/* A load at EL1, Non-secure, with all its fields set. */
struct spe_op fixture_load(void);

/*
 * A unit with something in every section: v1p5, three operations in flight of which one was
 * sampled, in the middle of an interval with a random tail, a previous branch target, an event of
 * EL1 that waits in PMBSR_EL1 and then was cleared.
 */
void fixture_scene(struct fixture *f);

/* A failed write: an MMU fault, or an external abort. */
static inline struct spe_write_result fixture_fault(size_t written, uint8_t fsc, bool stage2)
{
	return (struct spe_write_result){
		.status = SPE_WRITE_FAULT, .written = written, .fsc = fsc, .stage2 = stage2};
}

static inline struct spe_write_result fixture_abort(size_t written, bool stage2)
{
	return (struct spe_write_result){
		.status = SPE_WRITE_EXTERNAL_ABORT, .written = written, .stage2 = stage2};
}

static inline struct spe_stats stats_of(const struct spe_unit *unit)
{
	struct spe_stats stats;

	spe_stats(unit, &stats);
	return stats;
}

static inline uint64_t fixture_read(struct fixture *f, enum sysreg_id reg)
{
	return spe_read(&f->unit, reg);
}

#define eq(actual, expected)                                                         \
	COMPARE_NUMBERS(cr_assert, #actual " == " #expected, (uint64_t)(actual), ==, \
			(uint64_t)(expected), )

#define HOLDS(f, ...)                                         \
	do {                                                  \
		static const uint8_t bytes[] = {__VA_ARGS__}; \
		fixture_holds(f, bytes, sizeof(bytes));       \
	} while (0)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has to become of an access to one of SPE's system registers: access.def as a function of the
 * controls that the architecture looks at (the "Accessing" sections of the register pages, Arm ARM
 * D24). Guests compare it with what the machine does.
 */
#ifndef GUEST_ACCESS_H
#define GUEST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lower.h" /* fields of HCR_EL2 and SCR_EL3 */

enum access_reg {
#define ACCESS(name, ...) A_##name,
#include "access.def"
#undef ACCESS
	A_COUNT
};

enum access_exists { EXISTS_SPE, EXISTS_FNE, EXISTS_FDS, EXISTS_NVM, EXISTS_EXC };
enum access_whose { WHOSE_EL1, WHOSE_EL2, WHOSE_EL3, WHOSE_EL12 };
enum access_word { WORD_HDFG, WORD_HDFG2, WORD_COUNT };
enum access_coarse { COARSE_NONE, COARSE_TPMS, COARSE_E2PB };
enum access_guard { GUARD_NONE, GUARD_EnPMSN, GUARD_EnPMS3, GUARD_EnPMS4, GUARD_PMSEE, GUARD_FREE };
enum access_redirect { REDIRECT_NONE, REDIRECT_1x1, REDIRECT_111, REDIRECT_101, REDIRECT_EE };

struct access_fact {
	const char *name;
	uint32_t iss; /* of a trapped MSR with Rt 0: ESR_ELx.ISS for EC 0x18 */
	enum access_exists exists;
	bool writable;
	enum access_whose whose;
	enum access_word word;
	int fgt_bit[2]; /* [write]; negative: none */
	unsigned int fgt_traps;
	enum access_coarse coarse;
	enum access_guard guard;
	uint16_t offset;
	enum access_redirect redirect;
	uint64_t values[2];
};

extern const struct access_fact access_facts[A_COUNT];

/* What the PE has; a guest below EL3 takes it as absent. */
struct access_machine {
	bool el2, el3, sel2, rme, vhe, nv, nv2, fgt, fgt2;
	bool spe, fne, fds, nvm, exc;
};

/* From the ID registers, as they read where the guest runs. */
struct access_machine access_probe(void);

/* The control registers, with what can be read back. */
struct access_controls {
	uint64_t scr_el3, mdcr_el3;
	uint64_t hcr_el2, mdcr_el2;
	uint64_t fgt[WORD_COUNT][2]; /* HDFGRTR_EL2, HDFGWTR_EL2, HDFGRTR2_EL2, HDFGWTR2_EL2 */
	uint64_t pmscr_el1, pmscr_el2;
};

#define MDCR3_NSPBE	(UINT64_C(1) << 11)
#define MDCR3_NSPB(n)	((uint64_t)(n) << 12)
#define MDCR3_ENPMSN	(UINT64_C(1) << 36)
#define MDCR3_ENPMS3	(UINT64_C(1) << 42)
#define MDCR3_PMSEE(n)	((uint64_t)(n) << 51)
#define MDCR3_ENPMS4	(UINT64_C(1) << 55)
#define MDCR2_E2PB(n)	((uint64_t)(n) << 12)
#define MDCR2_TPMS	(UINT64_C(1) << 14)
#define HFGITR_PSBCSYNC (UINT64_C(1) << 63)

/* Of HDFGxTR_EL2 and HDFGxTR2_EL2: nothing of SPE is trapped. */
#define FGT_OPEN  (UINT64_C(1) << 62)
#define FGT2_OPEN (UINT64_C(1) << 24 | UINT64_C(1) << 19)

enum access_outcome {
	OUTCOME_REGISTER,
	OUTCOME_UNDEFINED,
	OUTCOME_TRAP_EL2,
	OUTCOME_TRAP_EL3,
	OUTCOME_MEMORY,
};

struct access_expectation {
	enum access_outcome outcome;
	enum access_reg reg; /* the register that OUTCOME_REGISTER reaches */
};

bool access_exists(const struct access_machine *m, enum access_reg reg);
/* Is EL2 enabled in the Security state of EL2, EL1 and EL0? */
bool access_el2_enabled(const struct access_machine *m, const struct access_controls *c);
/* MDCR_EL3.{NSPBE,NSPB} hold a reserved value: what traps is CONSTRAINED UNPREDICTABLE. */
bool access_reserved(const struct access_machine *m, const struct access_controls *c);
/* An access at el, 0 to 3. */
struct access_expectation access_expect(const struct access_machine *m,
					const struct access_controls *c, unsigned int el,
					enum access_reg reg, bool write);
/* HDFGxTR(2)_EL2 with which all of SPE's registers are trapped. */
uint64_t access_fgt_closed(enum access_word word, bool write);
const char *access_outcome_name(enum access_outcome outcome);

#endif

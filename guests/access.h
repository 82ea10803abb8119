/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has to become of an access to one of SPE's system registers, by the statement that the whole
 * conformance kit shares (vmm/conform/statement.def), as a function of the controls that the
 * architecture looks at. Guests compare it with what the machine does. Before spe.h, which has
 * names of registers as macros.
 */
#ifndef GUEST_ACCESS_H
#define GUEST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "conform/statement.h"
#include "lower.h" /* fields of HCR_EL2 and SCR_EL3 */

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

#define MDCR3_NSPBE	(UINT64_C(1) << WORLD_MDCR_EL3_NSPBE_LSB)
#define MDCR3_NSPB(n)	((uint64_t)(n) << WORLD_MDCR_EL3_NSPB_LSB)
#define MDCR3_ENPMSN	(UINT64_C(1) << WORLD_MDCR_EL3_EnPMSN_LSB)
#define MDCR3_ENPMS3	(UINT64_C(1) << WORLD_MDCR_EL3_EnPMS3_LSB)
#define MDCR3_PMSEE(n)	((uint64_t)(n) << WORLD_MDCR_EL3_PMSEE_LSB)
#define MDCR3_ENPMS4	(UINT64_C(1) << WORLD_MDCR_EL3_EnPMS4_LSB)
#define MDCR2_E2PB(n)	((uint64_t)(n) << WORLD_MDCR_EL2_E2PB_LSB)
#define MDCR2_TPMS	(UINT64_C(1) << WORLD_MDCR_EL2_TPMS_LSB)
#define HFGITR_PSBCSYNC (UINT64_C(1) << 63)

enum access_outcome {
	OUTCOME_REGISTER,
	OUTCOME_UNDEFINED,
	OUTCOME_TRAP_EL2,
	OUTCOME_TRAP_EL3,
	OUTCOME_MEMORY,
};

struct access_expectation {
	enum access_outcome outcome;
	enum sysreg_id reg; /* the register that OUTCOME_REGISTER reaches */
};

bool access_exists(const struct access_machine *m, enum sysreg_id reg);
/* Is EL2 enabled in the Security state of EL2, EL1 and EL0? */
bool access_el2_enabled(const struct access_machine *m, const struct access_controls *c);
/* MDCR_EL3.{NSPBE,NSPB} hold a reserved value: what traps is CONSTRAINED UNPREDICTABLE. */
bool access_reserved(const struct access_machine *m, const struct access_controls *c);
/* An access at el, 0 to 3. */
struct access_expectation access_expect(const struct access_machine *m,
					const struct access_controls *c, unsigned int el,
					enum sysreg_id reg, bool write);
/* HDFGxTR(2)_EL2 with which all of SPE's registers are trapped, and with which none is. */
uint64_t access_fgt_closed(enum statement_word word, bool write);
uint64_t access_fgt_open(enum statement_word word, bool write);
const char *access_outcome_name(enum access_outcome outcome);

#endif

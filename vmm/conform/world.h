/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PE as the accessor pseudocode of the register pages sees it: one bit for each feature, each bit
 * of a control field, and Debug state. A bit may be unknown. A query for it then returns 0 and is
 * noted, so that a caller can try both values and evaluate again. That is how the conformance suite
 * finds out which bits an accessor depends on.
 *
 * The named functions of the architecture (EL2Enabled() and so on) are here once, for the second
 * statement of the rules and for the evaluator of Arm's pages. Written from the Arm ARM.
 * Freestanding, as the guests include it too; world_names.h has what else is known of the bits.
 */
#ifndef VSPE_CONFORM_WORLD_H
#define VSPE_CONFORM_WORLD_H

#include <vspe/sysreg.h>

/* Every bit. A field of several bits has as many, from the lowest on. */
enum world_bit {
#define FEATURE(name, usual) WORLD_FEAT_##name,
#include "conform/world.def"
	WORLD_HALTED,
	WORLD_SDD,	/* EDSCR.SDD */
	WORLD_PRIORITY, /* IMPLEMENTATION DEFINED: EL3 traps win when EDSCR.SDD is 1 */
	WORLD_FIELDS,	/* what follows are fields of registers */
	WORLD_FIELDS_BEFORE = WORLD_FIELDS - 1,
#define FIELD(reg, member, field, lsb, width) \
	WORLD_##reg##_##field, WORLD_##reg##_##field##_LAST = WORLD_##reg##_##field + (width)-1,
#include "conform/world.def"
	WORLD_BITS, /* what the software CPU's accesses depend on besides: */
	WORLD_BITS_BEFORE = WORLD_BITS - 1,
#define CPU_FEATURE(name) WORLD_CPU_FEAT_##name,
#include "conform/world.def"
	WORLD_CPU_FIELDS,
	WORLD_CPU_FIELDS_BEFORE = WORLD_CPU_FIELDS - 1,
#define CPU_FIELD(reg, field, lsb, host, width) \
	WORLD_CPU_##reg##_##field,              \
		WORLD_CPU_##reg##_##field##_LAST = WORLD_CPU_##reg##_##field + (width)-1,
#include "conform/world.def"
	WORLD_ALL,
};

/* Positions of the fields of control registers: WORLD_<register>_<field>_LSB. */
enum {
#define FIELD(reg, member, field, lsb, width) WORLD_##reg##_##field##_LSB = (lsb),
#include "conform/world.def"
};

struct world {
	uint8_t el;    /* PSTATE.EL: always known */
	uint8_t m;     /* of PMEVCNTR<m>_EL0 and the like: the accessed one */
	int16_t asked; /* the first unknown bit that was queried, or -1 */
	/* The first name that was queried of what no row of world.def has, or NULL. */
	const char *lacks;
	bool known[WORLD_ALL];
	bool value[WORLD_ALL]; /* 0 where unknown */
};

static inline bool world_is(struct world *w, unsigned int bit)
{
	if (!w->known[bit] && w->asked < 0)
		w->asked = (int16_t)bit;
	return w->value[bit];
}

/* width bits from first on, right-aligned. */
unsigned int world_field(struct world *w, unsigned int first, unsigned int width);

/* The architecture's functions. */
bool world_el2_enabled(struct world *w);
bool world_el_is_in_host_el2(struct world *w);
bool world_nspb_trap(struct world *w);		  /* with HaveEL(EL3) */
bool world_sdd_undef(struct world *w);		  /* EL3SDDUndef() */
bool world_sdd_undef_priority(struct world *w);	  /* EL3SDDUndefPriority() */
unsigned int world_nvx(struct world *w);	  /* EffectiveHCR_EL2_NVx() */
unsigned int world_pmscr_el2_ee(struct world *w); /* EffectivePMSCR_EL2_EE() */

/* Can such a PE exist? False for a missing or disabled EL, or Root state below EL3. */
bool world_possible(struct world *w);

#endif

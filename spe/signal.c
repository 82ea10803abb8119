/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unit's signals to the rest of the PE: the buffer interrupt, the Profiling exception of
 * FEAT_SPE_EXC (Arm ARM D17.7; J1.49, J1.50, J1.56), the freeze of the PMU's counters (J1.88), and
 * the trap of PSB CSYNC (HFGITR_EL2).
 */
#include "internal.h"

#define HCR_TGE	     BIT(27)
#define HCR_E2H	     BIT(34)
#define SCR_FGTEN    BIT(27)
#define MDCR_HPMFZS  BIT(36)
#define PMCR_DP	     BIT(5)
#define PMCR_FZS     BIT(32)
#define HFGITR_PSB   BIT(63)
#define EC_OTHER     0x0a /* an exception from an instruction without a specific class */
#define ISS_PSB	     3
#define EC_PROFILING 0x3d
#define ISS_SPE	     (1u << 1) /* FSC 0b00001: SPE; asynchronous */

bool spe_irq_level(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return unit->pmbsr & PMBSR_S && unit->ee1 == 0;
}

/* Has PMSCR_ELx of the current Exception level x unmasked exceptions to that same level? */
static bool unmasked_here(uint64_t pmscr, bool pm)
{
	return pmscr & PMSCR_KE && !pm;
}

unsigned int spe_exception_level(const struct spe_unit *opaque, bool pm,
				 struct spe_syndrome *syndrome)
{
	const struct unit *unit = unit_in(opaque);
	const struct sysreg_controls *c = &unit->controls;

	if (c->halted)
		return 0;
	*syndrome = (struct spe_syndrome){.ec = EC_PROFILING, .iss = ISS_SPE};
	if (unit->pmsee & 2 && unit->pmbsr_el3 & PMBSR_S && c->el != 3)
		return 3;
	if (!unit->owner_current || c->el == 3)
		return 0;
	if (unit->ee2 & 2 && unit->pmbsr_el2 & PMBSR_S &&
	    (c->el < 2 || (unit->ee2 == 3 && unmasked_here(unit->pmscr_el2, pm))))
		return 2;
	if (unit->ee1 == 3 && unit->pmbsr & PMBSR_S &&
	    (c->el == 0 || (c->el == 1 && unmasked_here(unit->pmscr_el1, pm))))
		return unit->tge ? 2 : 1;
	return 0;
}

bool spe_psb_csync_trapped(const struct spe_unit *opaque, uint64_t hfgitr_el2,
			   struct spe_syndrome *syndrome)
{
	const struct unit *unit = unit_in(opaque);
	const struct sysreg_controls *c = &unit->controls;
	bool el3 = c->features & SYSREG_FEAT_EL3;

	if (unit->config.version < SPE_V1P5 || !(c->features & SYSREG_FEAT_FGT) || c->el > 1 ||
	    c->aarch32 || !unit->el2_enabled || !(hfgitr_el2 & HFGITR_PSB) ||
	    (el3 && !(c->scr_el3 & SCR_FGTEN)) ||
	    (unit->tge && c->features & SYSREG_FEAT_VHE && c->hcr_el2 & HCR_E2H))
		return false;
	*syndrome = (struct spe_syndrome){.ec = EC_OTHER, .iss = ISS_PSB};
	return true;
}

/* Do the counters that the PMU's controls select freeze? */
static bool freezes_now(const struct unit *unit)
{
	uint64_t both = PMBLIMITR_E | PMBLIMITR_PMFZ;

	return (unit->pmblimitr & both) == both && unit->stopped;
}

uint32_t spe_pmu_frozen(const struct spe_unit *opaque, uint64_t pmcr_el0)
{
	const struct unit *unit = unit_in(opaque);
	const struct sysreg_controls *c = &unit->controls;
	bool first = pmcr_el0 & PMCR_FZS;
	bool second = c->features & SYSREG_FEAT_EL2 && c->mdcr_el2 & MDCR_HPMFZS;
	bool cycles = first && pmcr_el0 & PMCR_DP && unit->config.dpfzs;

	if (!freezes_now(unit))
		return 0;
	return (first ? SPE_FROZEN_FIRST : 0) | (second ? SPE_FROZEN_SECOND : 0) |
	       (cycles ? SPE_FROZEN_CYCLES : 0);
}

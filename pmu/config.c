// SPDX-License-Identifier: BSD-2-Clause
/* What PE a unit belongs to, and the bits of registers and the events that it then has: see unit.h.
 */
#include "internal.h"

static bool has_freezing_by_spe(const struct pmu_config *config)
{
	return config->version >= PMU_V3P7 && config->spe && config->spe->version >= SPE_V1P2;
}

uint64_t pmu_mdcr_el2_bits(const struct pmu_config *config)
{
	return MDCR_EL2_HPMN | MDCR_ELx_TPMCR | MDCR_ELx_TPM | MDCR_EL2_HPME | MDCR_EL2_HPMD |
	       (config->version >= PMU_V3P5 ? MDCR_EL2_HCCD | MDCR_EL2_HLP : 0) |
	       (config->version >= PMU_V3P7 ? MDCR_EL2_HPMFZO : 0) |
	       (has_freezing_by_spe(config) ? MDCR_EL2_HPMFZS : 0);
}

uint64_t pmu_mdcr_el3_bits(const struct pmu_config *config)
{
	return MDCR_ELx_TPM | MDCR_EL3_SPME | (config->version >= PMU_V3P5 ? MDCR_EL3_SCCD : 0) |
	       (config->version >= PMU_V3P7 ? MDCR_EL3_MCCD | MDCR_EL3_MPMX : 0) |
	       (config->version >= PMU_V3P9 ? MDCR_EL3_EnPM2 : 0);
}

uint64_t pmu_pmcr_bits(const struct pmu_config *config)
{
	return PMU_PMCR_E | PMU_PMCR_DP | (config->version >= PMU_V3P5 ? PMU_PMCR_LP : 0) |
	       (config->version >= PMU_V3P7 ? PMU_PMCR_FZO : 0) |
	       (has_freezing_by_spe(config) ? PMU_PMCR_FZS : 0);
}

uint64_t pmu_type_bits(const struct pmu_config *config)
{
	return EVENT_BITS | PMU_TYPE_P | PMU_TYPE_U | (config->el2 ? PMU_TYPE_NSH : 0) |
	       (config->el3 ? PMU_TYPE_NSK | PMU_TYPE_NSU | PMU_TYPE_M : 0) |
	       (config->sel2 ? PMU_TYPE_SH : 0) |
	       (config->rme ? PMU_TYPE_RLK | PMU_TYPE_RLU | PMU_TYPE_RLH : 0);
}

uint64_t pmu_user_bits(const struct pmu_config *config)
{
	return PMU_PMUSERENR_EN | PMU_PMUSERENR_SW | PMU_PMUSERENR_CR | PMU_PMUSERENR_ER |
	       (config->version >= PMU_V3P9 ? PMU_PMUSERENR_UEN | PMU_PMUSERENR_TID : 0) |
	       (pmu_has_instruction_counter(config) ? PMU_PMUSERENR_IR : 0);
}

uint64_t pmu_counter_bits(const struct pmu_config *config)
{
	return (BIT(PMU_COUNTERS) - 1) | BIT(PMU_CYCLE) |
	       (pmu_has_instruction_counter(config) ? BIT(PMU_INSTRUCTION) : 0);
}

enum pmu_source pmu_source_of(const struct pmu_config *config, unsigned int event)
{
	return pmu_source((uint16_t)event, config->spe, config->model);
}

bool pmu_counts(const struct pmu_config *config, unsigned int event)
{
	return pmu_source_of(config, event) != PMU_SOURCES;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The register bits and the events of a configuration: see unit.h. */
#include "internal.h"

static bool has_freezing_by_spe(const struct pmu *pmu)
{
	return pmu->config.version >= PMU_V3P7 && pmu->spe && pmu->spe->version >= SPE_V1P2;
}

uint64_t pmu_mdcr_el2_bits(const struct pmu *pmu)
{
	const struct pmu_config *config = &pmu->config;

	return MDCR_EL2_HPMN | MDCR_ELx_TPMCR | MDCR_ELx_TPM | MDCR_EL2_HPME | MDCR_EL2_HPMD |
	       (config->version >= PMU_V3P5 ? MDCR_EL2_HCCD | MDCR_EL2_HLP : 0) |
	       (config->version >= PMU_V3P7 ? MDCR_EL2_HPMFZO : 0) |
	       (has_freezing_by_spe(pmu) ? MDCR_EL2_HPMFZS : 0);
}

uint64_t pmu_mdcr_el3_bits(const struct pmu_config *config)
{
	return MDCR_ELx_TPM | MDCR_EL3_SPME | (config->version >= PMU_V3P5 ? MDCR_EL3_SCCD : 0) |
	       (config->version >= PMU_V3P7 ? MDCR_EL3_MCCD | MDCR_EL3_MPMX : 0) |
	       (config->version >= PMU_V3P9 ? MDCR_EL3_EnPM2 : 0);
}

uint64_t pmu_pmcr_bits(const struct pmu *pmu)
{
	const struct pmu_config *config = &pmu->config;

	return PMU_PMCR_E | PMU_PMCR_DP | (config->version >= PMU_V3P5 ? PMU_PMCR_LP : 0) |
	       (config->version >= PMU_V3P7 ? PMU_PMCR_FZO : 0) |
	       (has_freezing_by_spe(pmu) ? PMU_PMCR_FZS : 0);
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

/* Does the embedder report it? */
static bool is_told(const struct pmu_config *config, unsigned int event)
{
	bool told = event < 64 && config->events >> event & 1;

	for (unsigned int i = 0; i < PMU_MORE_EVENTS; i++)
		told |= event != 0 && config->more[i] == event;
	return told;
}

enum pmu_source pmu_source_of(const struct pmu *pmu, unsigned int event)
{
	const struct pmu_config *config = &pmu->config;
	const enum pmu_sample sample = pmu_sample_find((uint16_t)event);

	if (sample != PMU_SAMPLES)
		return pmu->spe && pmu_sample_exists(sample, pmu->spe) ? PMU_TOLD : PMU_SOURCES;
	switch (event) {
	case PMU_SW_INCR:
	case PMU_CHAIN: return PMU_TOLD;
	case PMU_INST_RETIRED: return PMU_RETIRED;
	case PMU_CPU_CYCLES: return config->cycles ? PMU_MODEL : PMU_CYCLES;
	case PMU_OP_RETIRED: /* Operations that are no instructions are not counted. */
		return pmu->spe && !pmu->spe->arch_inst ? PMU_SOURCES : PMU_RETIRED;
	default: return is_told(config, event) ? pmu_event_source((uint16_t)event) : PMU_SOURCES;
	}
}

bool pmu_counts(const struct pmu *pmu, unsigned int event)
{
	return pmu_source_of(pmu, event) != PMU_SOURCES;
}

bool pmu_may_be_told(const struct pmu_config *config, unsigned int event)
{
	return event == PMU_CPU_CYCLES ? config->cycles : is_told(config, event);
}

void pmu_config_of_engine(struct pmu_config *config, bool model)
{
	static const uint16_t engine[] = {
#define EVENT(name, source) PMU_##name,
#include "event.def"
	};
	static const uint16_t modelled[] = {
#define MODEL_EVENT(name) PMU_##name,
#include "event.def"
	};
	unsigned int more = 0;

	config->cycles = model;
	for (size_t i = 0; i < sizeof(engine) / sizeof(engine[0]); i++)
		config->events |= BIT(engine[i]);
	for (size_t i = 0; model && i < sizeof(modelled) / sizeof(modelled[0]); i++) {
		if (modelled[i] < 64)
			config->events |= BIT(modelled[i]);
		else
			config->more[more++] = modelled[i];
	}
}

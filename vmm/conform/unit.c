// SPDX-License-Identifier: BSD-2-Clause
/* The unit that the models are compared with. */
#include "conform/unit.h"

#include <string.h>

#include "conform/model.h"

#define BUFFER_START UINT64_C(0x100000)
#define BUFFER_END   UINT64_C(0x40000000)
#define LIMIT_E	     UINT64_C(1)
#define PMSCR_E1SPE  UINT64_C(2)

const uint16_t unit_pmu_events[UNIT_PMU_EVENTS] = {
	0x4002, /* SAMPLE_FILTRATE */
	0x812a, /* SAMPLE_FEED_BR, then _LD, _ST, _OP, _EVENT and _LAT */
	0x812b, 0x812c, 0x812d, 0x812e, 0x812f, 0x8122, /* SAMPLE_FEED_DS */
	0x8348,						/* SAMPLE_FEED_FP, then _SIMD */
	0x8349,
};

uint8_t unit_random(uint64_t *state)
{
	return (uint8_t)(model_random(state) >> 40);
}

static struct spe_write_result take_record(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size)
{
	struct unit_bench *bench = ctx;

	(void)owning_el;
	(void)va;
	bench->record_size = size < UNIT_RECORD_MAX ? size : UNIT_RECORD_MAX;
	memcpy(bench->record, bytes, bench->record_size);
	bench->writes++;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

/* No model uses physical buffers: this is never called, but has to be there. */
static struct spe_write_result take_untranslated(void *ctx, const struct spe_untranslated *to,
						 const uint8_t *bytes, size_t size)
{
	(void)to;
	return take_record(ctx, 1, 0, bytes, size);
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct unit_bench *bench = ctx;

	for (unsigned int i = 0; i < UNIT_PMU_EVENTS; i++)
		if (event == unit_pmu_events[i])
			bench->pmu[i] += count;
}

void unit_prepare(struct unit_bench *bench, enum spe_version version)
{
	memset(bench, 0, sizeof(*bench));
	spe_config_defaults(&bench->config, version);
	bench->host = (struct spe_host){.ctx = bench,
					.write = take_record,
					.write_untranslated = take_untranslated,
					.pmu_event = count_event};
	bench->controls.el = 1;
}

int unit_start(struct unit_bench *bench, uint64_t pmsirr)
{
	const int error = spe_init(&bench->unit, sizeof(bench->unit), &bench->config, &bench->host);

	if (error)
		return error;
	bench->controls.features = spe_config_features(&bench->config);
	spe_update(&bench->unit, &bench->controls);
	spe_write(&bench->unit, SYSREG_PMSIRR_EL1, pmsirr);
	spe_write(&bench->unit, SYSREG_PMSCR_EL1, PMSCR_E1SPE);
	spe_write(&bench->unit, SYSREG_PMBPTR_EL1, BUFFER_START);
	spe_write(&bench->unit, SYSREG_PMBLIMITR_EL1, BUFFER_END | LIMIT_E);
	return 0;
}

bool unit_select(struct unit_bench *bench)
{
	/* The buffer never fills. */
	if (spe_read(&bench->unit, SYSREG_PMBPTR_EL1) > BUFFER_END / 2)
		spe_write(&bench->unit, SYSREG_PMBPTR_EL1, BUFFER_START);
	return spe_advance(&bench->unit, spe_budget(&bench->unit)) == SPE_SELECTED;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the software CPU can do for a profiling unit: which features it honours, and records written
 * to physical and intermediate physical addresses (FEAT_SPE_nVM).
 */
#include "soft/mem/profile.h"
#include "soft/mem/code.h"
#include "soft/mem/memory.h"
#include "soft/mem/regime.h"

#include <string.h>

/*
 * What is missing is of the PE, or needs its help. Nothing here may be advertised to a guest that
 * would then wait for it in vain.
 */
const char *soft_spe_lacks(const struct spe_config *config, const char **field)
{
	const struct {
		bool wanted;
		const char *field, *why;
	} rows[] = {
		{config->altclk, "altclk", "the software CPU has no second clock"},
		{config->dpfzs, "dpfzs", "the software CPU has no PMU"},
		{config->sme, "sme", "the software CPU has no FEAT_SME"},
		{config->sve, "sve", "the software CPU has no FEAT_SVE"},
		{config->tme, "tme", "the software CPU has no FEAT_TME"},
		{config->mte, "mte", "the software CPU has no FEAT_MTE2"},
		{config->gcs, "gcs", "the software CPU has no FEAT_GCS"},
		{config->ecv, "ecv", "the software CPU has FEAT_ECV with EL2, and only then"},
		{config->granule != SOFT_PAGE_SHIFT, "granule",
		 "the software CPU's smallest granule is 4k"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].wanted) {
			*field = rows[i].field;
			return rows[i].why;
		}
	}
	return NULL;
}

struct spe_write_result soft_profile_fault(const struct arm_translation *t)
{
	return (struct spe_write_result){
		.status = SPE_WRITE_FAULT,
		.fsc = t->fsc,
		.stage2 = t->stage2,
	};
}

/* The part of a record that lies in the page of at. */
static struct spe_write_result write_page(struct soft_cpu *cpu, const struct spe_untranslated *to,
					  uint64_t at, const uint8_t *bytes, size_t size)
{
	uint64_t pa = at;
	uint8_t *ram;

	if (to->kind == SPE_ADDRESS_INTERMEDIATE) {
		const struct arm_regime regime = soft_regime_kind(cpu, ARM_REGIME_EL10);
		struct arm_translation t;

		if (!arm_translate_ipa(&regime, at, to->ns, ARM_WRITE, &t))
			return soft_profile_fault(&t);
		pa = t.pa;
	}
	ram = soft_ram(cpu->vm, pa, size);
	if (pa >> SOFT_PA_BITS)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT,
						 .fsc = ARM_FSC_ADDRESS_SIZE};
	if (!ram)
		return (struct spe_write_result){.status = SPE_WRITE_EXTERNAL_ABORT,
						 .fsc = ARM_FSC_EXTERNAL};
	soft_code_written(cpu->vm, pa, size);
	memcpy(ram, bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

/* Memory attributes say nothing to a PE whose caches cannot be seen. */
struct spe_write_result soft_profile_write_untranslated(void *ctx,
							const struct spe_untranslated *to,
							const uint8_t *bytes, size_t size)
{
	struct soft_cpu *cpu = ctx;
	const struct engine_host *host = &cpu->vm->host;
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	while (result.written < size && result.status == SPE_WRITE_OK) {
		const uint64_t at = to->address + result.written;
		const size_t here = SOFT_PAGE_SIZE - at % SOFT_PAGE_SIZE;
		const size_t n = size - result.written < here ? size - result.written : here;
		struct spe_write_result part = write_page(cpu, to, at, bytes + result.written, n);

		part.written += result.written;
		result = part;
	}
	if (result.written && host->spe_data)
		host->spe_data(host->ctx, cpu->index, bytes, result.written);
	return result;
}

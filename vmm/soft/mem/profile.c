/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software CPU's part in a profiling unit: which features it honours, and records written to
 * the profiling buffer, at virtual, physical and intermediate physical addresses (FEAT_SPE_nVM).
 */
#include "soft/mem/profile.h"
#include "arm/record_write.h"
#include "soft/mem/monitor.h"
#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"
#include "soft/sys/isa.h"

#include <string.h>

/*
 * Missing features belong to the PE, or need its help. They must not be advertised to a guest,
 * which would then use them in vain.
 */
const char *soft_spe_lacks(const struct spe_config *config, const char **field)
{
	const struct {
		bool wanted;
		const char *field, *why;
	} rows[] = {
		{config->altclk, "altclk", "the software CPU has no second clock"},
		{config->sme, "sme", "the software CPU has no FEAT_SME"},
		{config->sve, "sve", "it comes with --isa +sve"},
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

struct untranslated {
	struct soft_cpu *cpu;
	const struct spe_untranslated *to;
};

static bool find_page(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
		      uint8_t **host)
{
	static const struct arm_walk_features no_features; /* FEAT_LPA2 is not without FEAT_LPA */
	const struct untranslated *space = ctx;
	struct soft_cpu *cpu = space->cpu;

	if (!arm_buffer_output(address, space->to->high_ignored, soft_pa_bits(cpu->sys.isa),
			       &no_features, &address, t))
		return false;
	t->pa = address;
	if (space->to->kind == SPE_ADDRESS_INTERMEDIATE) {
		struct arm_regime regime = soft_regime_kind(cpu, ARM_REGIME_EL10);

		if (!spe_unit_config(cpu->sys.spe)->flag_update)
			soft_regime_unmarked(&regime);
		if (!arm_translate_ipa(&regime, address, space->to->ns, ARM_WRITE, t))
			return false;
	}
	*host = soft_ram(cpu->vm, t->pa, size);
	if (*host)
		soft_memory_written(cpu, t->pa, size);
	return true;
}

/* Memory attributes mean nothing to a PE whose caches are invisible. */
struct spe_write_result soft_profile_write_untranslated(void *ctx,
							const struct spe_untranslated *to,
							const uint8_t *bytes, size_t size)
{
	struct soft_cpu *cpu = ctx;
	const struct engine_host *host = &cpu->vm->host;
	struct untranslated space = {cpu, to};
	const struct spe_write_result result = arm_write_record(
		&(struct arm_buffer_space){&space, find_page}, to->address, bytes, size);

	if (result.written && host->spe_data)
		host->spe_data(host->ctx, cpu->index, bytes, result.written);
	return result;
}

/* Records usually have 64 bytes, or a multiple: a constant size is much cheaper to copy. */
static void copy_record(uint8_t *to, const uint8_t *from, size_t size)
{
	if (SOFT_LIKELY(size == 64)) {
		memcpy(to, from, 64);
		return;
	}
	for (; size >= 64; size -= 64, to += 64, from += 64)
		memcpy(to, from, 64);
	if (size)
		memcpy(to, from, size);
}

static const struct soft_tlb_entry *profile_entry(const struct soft_tlb_entry *tlb, uint64_t va)
{
	return &tlb[(va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE];
}

static bool in_page(const struct soft_tlb_entry *entry, uint64_t va, uint64_t size)
{
	return entry->write == (va & SOFT_PAGE_MASK) &&
	       entry->write == ((va + size - 1) & SOFT_PAGE_MASK);
}

const struct soft_tlb_entry *soft_profile_entry(const struct soft_cpu *cpu, uint64_t va)
{
	return profile_entry(cpu->profile_tlb, va);
}

struct profile_space {
	struct soft_cpu *cpu;
	enum soft_view view;
};

static bool find_profile_page(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
			      uint8_t **host)
{
	const struct profile_space *space = ctx;
	struct soft_place place;

	/* What the TLB has is marked already. */
	if (!spe_unit_config(space->cpu->sys.spe)->flag_update &&
	    !soft_translate_unmarked(space->cpu, address, soft_view_level(space->view), t))
		return false;
	if (!soft_tlb_resolve(space->cpu, space->view, address, ARM_WRITE, false, &place)) {
		*t = place.failed;
		return false;
	}
	/* A model sees the guest's accesses, not this one: the page must not stay. */
	if (SOFT_UNLIKELY(space->cpu->warm.fills)) {
		space->cpu->warm.fills = 0;
		soft_tlb_drop(space->cpu, space->view, address & SOFT_PAGE_MASK);
	}
	*host = place.host;
	if (place.host && place.watched)
		soft_memory_written(space->cpu, place.pa, size);
	return true;
}

static struct spe_write_result record_written(struct soft_cpu *cpu, const uint8_t *bytes,
					      struct spe_write_result result)
{
	const struct engine_host *host = &cpu->vm->host;

	if (SOFT_UNLIKELY(host->spe_data) && result.written)
		host->spe_data(host->ctx, cpu->index, bytes, result.written);
	return result;
}

/*
 * A record that crosses a page, whose page is not in the TLB, or that faults. Not inlined into the
 * fast path, which it would cost registers.
 */
__attribute__((noinline)) static struct spe_write_result
write_parts(struct soft_cpu *cpu, enum soft_view view, uint64_t va, const uint8_t *bytes,
	    size_t size)
{
	struct profile_space space = {cpu, view};

	return record_written(
		cpu, bytes,
		arm_write_record(&(struct arm_buffer_space){&space, find_profile_page}, va, bytes,
				 size));
}

struct spe_write_result soft_profile_write(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size)
{
	struct soft_cpu *cpu = ctx;
	const enum soft_view view = soft_profile_view(owning_el);
	const struct soft_tlb_entry *entry = profile_entry(cpu->views.tlbs[view].entries, va);

	if (SOFT_UNLIKELY(!in_page(entry, va, size)))
		return write_parts(cpu, view, va, bytes, size);
	copy_record((uint8_t *)((uintptr_t)va + entry->add), bytes, size);
	return record_written(cpu, bytes,
			      (struct spe_write_result){.status = SPE_WRITE_OK, .written = size});
}

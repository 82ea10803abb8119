/* SPDX-License-Identifier: BSD-2-Clause */
/* See upkeep.h. */
#include "upkeep.h"

#include <stddef.h>

#include "../sysreg/encoding.h"
#include "memory.h"

/*
 * For more pages of 4 KiB than this the whole regime is dropped: dropping more is always allowed.
 */
#define RANGE_PAGES 64

static const struct {
	uint32_t encoding;
	struct model_upkeep upkeep;
} rows[] = {
	{SYSREG_ENCODING(1, 0, 7, 1, 0), {.kind = MODEL_UPKEEP_CODE_ALL, .all_cores = true}},
	{SYSREG_ENCODING(1, 0, 7, 5, 0), {.kind = MODEL_UPKEEP_CODE_ALL}},
	{SYSREG_ENCODING(1, 3, 7, 5, 1), {.kind = MODEL_UPKEEP_CODE, .all_cores = true}},
	{SYSREG_ENCODING(1, 3, 7, 4, 1), {.kind = MODEL_UPKEEP_ZERO}},
	{SYSREG_ENCODING(1, 0, 7, 6, 1), /* DC IVAC */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_INVALIDATE | MODEL_TO_MEMORY}},
	{SYSREG_ENCODING(1, 3, 7, 10, 1), /* DC CVAC */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{SYSREG_ENCODING(1, 3, 7, 11, 1), /* DC CVAU */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN}},
	{SYSREG_ENCODING(1, 3, 7, 12, 1), /* DC CVAP */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{SYSREG_ENCODING(1, 3, 7, 13, 1), /* DC CVADP */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_TO_MEMORY}},
	{SYSREG_ENCODING(1, 3, 7, 14, 1), /* DC CIVAC */
	 {.kind = MODEL_UPKEEP_DATA, .what = MODEL_CLEAN | MODEL_INVALIDATE | MODEL_TO_MEMORY}},
};

/* TLBI of EL1: CRm says which cores, and whether by range; op2 what is dropped. */
static struct model_upkeep find_tlbi(unsigned int crm, unsigned int op2)
{
	static const struct {
		bool there, all_cores, range;
	} by_crm[16] = {
		[1] = {true, true, false}, /* ...OS */
		[2] = {true, true, true},  /* R...IS */
		[3] = {true, true, false}, /* ...IS */
		[5] = {true, true, true},  /* R...OS */
		[6] = {true, false, true}, /* R... */
		[7] = {true, false, false},
	};
	static const struct {
		bool there, by_va, by_asid;
	} by_op2[8] = {
		[0] = {true, false, false}, /* VMALLE1 */
		[1] = {true, true, true},   /* VAE1 */
		[2] = {true, false, true},  /* ASIDE1 */
		[3] = {true, true, false},  /* VAAE1 */
		[5] = {true, true, true},   /* VALE1 */
		[7] = {true, true, false},  /* VAALE1 */
	};

	if (!by_crm[crm].there || !by_op2[op2].there || (by_crm[crm].range && !by_op2[op2].by_va))
		return (struct model_upkeep){0};
	return (struct model_upkeep){
		.kind = MODEL_UPKEEP_TLB,
		.all_cores = by_crm[crm].all_cores,
		.range = by_crm[crm].range,
		.by_va = by_op2[op2].by_va,
		.by_asid = by_op2[op2].by_asid,
	};
}

struct model_upkeep model_upkeep_find(uint32_t encoding)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].encoding == encoding)
			return rows[i].upkeep;
	if ((encoding & ~UINT32_C(0x7f)) == SYSREG_ENCODING(1, 0, 8, 0, 0))
		return find_tlbi(encoding >> 3 & 15, encoding & 7);
	return (struct model_upkeep){0};
}

unsigned int model_upkeep_range(uint64_t value, bool ds, uint64_t *va)
{
	static const uint8_t granules[4] = {0, 12, 14, 16};
	const unsigned int granule = granules[value >> 46 & 3], scale = value >> 44 & 3;
	const uint64_t number = value >> 39 & 0x1f;
	const uint64_t pages = (number + 1) << (5 * scale + 1) << (granule ? granule - 12 : 0);

	/* BaseADDR: bits [36:0], of which the highest is repeated above. */
	*va = (uint64_t)((int64_t)(value << 27) >> 27) << (ds ? 16 : granule);
	return granule && pages <= RANGE_PAGES ? (unsigned int)pages : 0;
}

unsigned int model_upkeep_tlbi(const struct model_upkeep *upkeep, uint64_t value, bool as, bool ds,
			       unsigned int security, struct model_tlbi *tlbi)
{
	const uint16_t asid = (uint16_t)(value >> 48 & (as ? 0xffff : 0xff));
	unsigned int pages;

	*tlbi = (struct model_tlbi){
		.regimes = 1u << MODEL_REGIME_EL10,
		.context = model_context(upkeep->by_asid ? asid : 0, 0, security),
		.by_asid = upkeep->by_asid,
		.by_va = upkeep->by_va,
		/* VA[55:12] is in bits [43:0]; the bits above repeat bit 55. */
		.va = upkeep->by_va ? (uint64_t)((int64_t)(value << 20) >> 8) : 0,
	};
	if (!upkeep->range)
		return 1;
	pages = model_upkeep_range(value, ds, &tlbi->va);
	if (pages > 0)
		return pages;
	/* Global entries too. */
	tlbi->by_va = tlbi->by_asid = false;
	return 1;
}

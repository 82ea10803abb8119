/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses in descriptors, and codes of faults: see walk_form.h. */
#include "arm/walk_form.h"

#include "arm/syndrome.h"

#define BIT(n) (UINT64_C(1) << (n))

enum { FORM_NARROW, FORM_LPA, FORM_LPA2 };

static const struct arm_form forms[] = {
	[FORM_NARROW] = {.in_place = BIT(48) - 1},
	[FORM_LPA] = {.in_place = BIT(48) - 1, .rest = 12, .more = 0xf, .above = 48, .wide = true},
	[FORM_LPA2] = {.in_place = BIT(50) - 1,
		       .rest = 8,
		       .more = 0x3,
		       .above = 50,
		       .wide = true,
		       .shareability = true},
};

const struct arm_form *arm_form_of(const struct arm_regime *regime, unsigned int granule, bool ds)
{
	if (granule == 16)
		return &forms[regime->pa_bits > 48 ? FORM_LPA : FORM_NARROW];
	if (granule == 12 ? regime->features.lpa2_4k : regime->features.lpa2_16k)
		return &forms[ds ? FORM_LPA2 : FORM_NARROW];
	return &forms[FORM_NARROW];
}

/* Codes that a table at level -1 can cause. */
uint8_t arm_status_code(unsigned int fsc, int level)
{
	if (level >= 0)
		return (uint8_t)(fsc | (unsigned int)level);
	switch (fsc) {
	case ARM_FSC_ADDRESS_SIZE: return ARM_FSC_ADDRESS_SIZE_LM1;
	case ARM_FSC_TRANSLATION: return ARM_FSC_TRANSLATION_LM1;
	default: return ARM_FSC_EXTERNAL_WALK_LM1;
	}
}

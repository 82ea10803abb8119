/* SPDX-License-Identifier: BSD-2-Clause */
/* The ID registers' features of translation (Arm ARM D24.2, ID_AA64MMFR0_EL1 to _MMFR2_EL1). */
#include "arm/registers.h"
#include "arm/walk.h"

uint8_t arm_pa_bits(uint64_t mmfr0)
{
	static const uint8_t bits[] = {32, 36, 40, 42, 44, 48};
	const unsigned int range = arm_field(mmfr0, ID_AA64MMFR0_EL1_PARange);

	return range < sizeof(bits) ? bits[range] : 52;
}

unsigned int arm_output_bits(unsigned int size, unsigned int pa_bits)
{
	static const uint8_t sizes[8] = {32, 36, 40, 42, 44, 48, 52, 52};

	return sizes[size & 7] < pa_bits ? sizes[size & 7] : pa_bits;
}

struct arm_walk_features arm_walk_features(uint64_t mmfr0, uint64_t mmfr1, uint64_t mmfr2)
{
	return (struct arm_walk_features){
		.access_flag = arm_field(mmfr1, ID_AA64MMFR1_EL1_HAFDBS) >= 1,
		.dirty = arm_field(mmfr1, ID_AA64MMFR1_EL1_HAFDBS) >= 2,
		.hpds = arm_field(mmfr1, ID_AA64MMFR1_EL1_HPDS) >= 1,
		.lva = arm_field(mmfr2, ID_AA64MMFR2_EL1_VARange) >= 1,
		.lpa2_4k = arm_field(mmfr0, ID_AA64MMFR0_EL1_TGran4) == 1,
		.lpa2_16k = arm_field(mmfr0, ID_AA64MMFR0_EL1_TGran16) >= 2,
		.ttst = arm_field(mmfr2, ID_AA64MMFR2_EL1_ST) >= 1,
		.e0pd = arm_field(mmfr2, ID_AA64MMFR2_EL1_E0PD) >= 1,
	};
}

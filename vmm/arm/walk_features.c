/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ID registers say of translation (Arm ARM D24.2, ID_AA64MMFR0_EL1 to ID_AA64MMFR2_EL1).
 */
#include "arm/walk.h"

static unsigned int field(uint64_t id, unsigned int low)
{
	return id >> low & 0xf;
}

uint8_t arm_pa_bits(uint64_t mmfr0)
{
	static const uint8_t bits[] = {32, 36, 40, 42, 44, 48};
	const unsigned int range = field(mmfr0, 0);

	return range < sizeof(bits) ? bits[range] : 52;
}

struct arm_walk_features arm_walk_features(uint64_t mmfr0, uint64_t mmfr1, uint64_t mmfr2)
{
	return (struct arm_walk_features){
		.access_flag = field(mmfr1, 0) >= 1,
		.dirty = field(mmfr1, 0) >= 2,
		.hpds = field(mmfr1, 12) >= 1,
		.lva = field(mmfr2, 16) >= 1,
		.lpa2_4k = field(mmfr0, 28) == 1,
		.lpa2_16k = field(mmfr0, 20) >= 2,
		.ttst = field(mmfr2, 28) >= 1,
		.e0pd = field(mmfr2, 60) >= 1,
	};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses in descriptors and registers, and codes of faults, for both stages of translation: for
 * the files of walk.h.
 */
#ifndef VSPE_ARM_WALK_FORM_H
#define VSPE_ARM_WALK_FORM_H

#include "arm/walk.h"

/*
 * The output address in a descriptor (Arm ARM D8.3): bits of in_place are at their own place, those
 * of more, from bit rest on, belong above them, from bit above on.
 */
struct arm_form {
	uint64_t in_place;
	uint8_t rest, more, above;
	bool wide;	   /* 52 bits, and blocks one level above where they otherwise begin */
	bool shareability; /* is in TCR_ELx.SHn, since the address has its place */
};

/*
 * The form for a granule, by its log2: DS of TCR_ELx or VTCR_EL2 counts only with 4K and 16K, and
 * with 64K every descriptor has FEAT_LPA's form.
 */
const struct arm_form *arm_form_of(const struct arm_regime *regime, unsigned int granule, bool ds);

static inline uint64_t arm_form_output(const struct arm_form *form, uint64_t descriptor)
{
	const uint64_t address = descriptor & form->in_place;

	if (!form->wide)
		return address;
	return address | (descriptor >> form->rest & form->more) << form->above;
}

/*
 * BADDR of TTBRn_ELx or VTTBR_EL2, for a table of so many bits' bytes, to which it is aligned. If
 * the table may be anywhere in 52 bits, bits [5:2] hold bits [51:48] of its address.
 */
static inline uint64_t arm_form_base(const struct arm_form *form, uint64_t ttbr,
				     unsigned int output_bits, unsigned int table_bits)
{
	const uint64_t base = ttbr & ((UINT64_C(1) << 48) - 1);

	if (!form->wide || (output_bits <= 48 && !form->shareability))
		return base & ~((UINT64_C(1) << table_bits) - 1);
	return (base | (ttbr >> 2 & 0xf) << 48) &
	       ~((UINT64_C(1) << (table_bits < 6 ? 6 : table_bits)) - 1);
}

/* The first level at which there may be blocks: 1 with 4K, else 2, or one above where wide. */
static inline int arm_form_blocks(const struct arm_form *form, unsigned int granule)
{
	return (granule == 12 ? 1 : 2) - (form->wide ? 1 : 0);
}

/* DFSC of a fault at a level, -1 to 3: level -1 has separate codes. */
uint8_t arm_status_code(unsigned int fsc, int level);

#endif

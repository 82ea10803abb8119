/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of fields and encodings: what rows that contradict each other would show. */
#include <string.h>

#include "../compare.h"
#include "arm/registers.h"

struct field {
	const char *reg, *name;
	unsigned int lsb, width;
	uint64_t mask;
};

static const struct field fields[] = {
#define LIBRARY(reg, field) \
	{#reg, #field, SYSREG_##reg##_##field##_LSB, SYSREG_##reg##_##field##_WIDTH, reg##_##field},
#define ENCODING(reg, op0, op1, crn, crm, op2)
#define FIELD(reg, field, lsb, width) {#reg, #field, lsb, width, reg##_##field},
#include "arm/registers.def"
#undef FIELD
#undef ENCODING
#undef LIBRARY
};

#define FIELDS ARRAY_SIZE(fields)

/* Fields that share bits: a whole and its parts, or what depends on another field. */
static const struct {
	const char *reg, *one, *other;
} shared[] = {
	{"SPSR_ELx", "DAIF", "F"}, {"SPSR_ELx", "DAIF", "I"}, {"SPSR_ELx", "DAIF", "A"},
	{"SPSR_ELx", "DAIF", "D"}, {"PAR_EL1", "S", "NS"},    {"ICH_LR_EL2", "pINTID", "EOI"},
};

static bool may_share(const struct field *a, const struct field *b)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(shared); i++)
		if (!strcmp(a->reg, shared[i].reg) && !strcmp(a->name, shared[i].one) &&
		    !strcmp(b->name, shared[i].other))
			return true;
	return false;
}

Test(registers, no_field_overlaps_another)
{
	for (unsigned int i = 0; i < FIELDS; i++) {
		for (unsigned int j = i + 1; j < FIELDS; j++) {
			const struct field *a = &fields[i], *b = &fields[j];

			if (strcmp(a->reg, b->reg) != 0 || may_share(a, b))
				continue;
			cr_expect_not(a->mask & b->mask, "%s: %s and %s", a->reg, a->name, b->name);
		}
	}
}

Test(registers, masks_are_where_the_rows_say)
{
	for (unsigned int i = 0; i < FIELDS; i++) {
		const struct field *f = &fields[i];

		cr_expect_geq(f->width, 1, "%s.%s", f->reg, f->name);
		cr_expect_leq(f->lsb + f->width, 64, "%s.%s", f->reg, f->name);
		cr_expect_eq(f->mask >> f->lsb, UINT64_MAX >> (64 - f->width), "%s.%s", f->reg,
			     f->name);
		cr_expect_eq(ARM_VALUE(f->mask, 1), UINT64_C(1) << f->lsb);
		cr_expect_eq(arm_field(UINT64_MAX, f->mask), UINT64_MAX >> (64 - f->width));
		cr_expect_eq(arm_field(ARM_VALUE(f->mask, 1), f->mask), 1);
		cr_expect_eq(arm_field(~f->mask, f->mask), 0);
	}
}

/* The software CPU's table has the same encodings for the same names. */
Test(registers, encodings_agree_with_the_software_cpu)
{
	static const struct {
		const char *name;
		uint32_t encoding;
	} mine[] =
		{
#define FIELD(reg, field, lsb, width)
#define LIBRARY(reg, field)
#define ENCODING(reg, op0, op1, crn, crm, op2) {#reg, ARM_##reg},
#include "arm/registers.def"
#undef ENCODING
#undef LIBRARY
#undef FIELD
		},
	  soft[] = {
#define REGISTER(name, op0, op1, crn, crm, op2, ...) \
	{#name, SYSREG_ENCODING(op0, op1, crn, crm, op2)},
#define HOST_NAME REGISTER
#include "soft/sys/sys_registers.def"
#undef HOST_NAME
#undef REGISTER
	  };
	unsigned int compared = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(mine); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(soft); j++) {
			if (strcmp(mine[i].name, soft[j].name) != 0)
				continue;
			cr_expect_eq(mine[i].encoding, soft[j].encoding, "%s", mine[i].name);
			compared++;
		}
	}
	cr_expect_gt(compared, 8);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control registers of struct sysreg_controls and their fields by name: for tools that take
 * REGISTER.FIELD=VALUE. fields.inc is made of controls.def and, for the fine-grained traps,
 * registers.def.
 */
#include <vspe/sysreg.h>

#include "fields.inc"

const struct sysreg_field *sysreg_fields(size_t *count)
{
	*count = sizeof(fields) / sizeof(fields[0]);
	return fields;
}

/* EDSCR is kept as a flag, and the others are 64-bit members. */
static uint64_t control_get(const struct sysreg_controls *controls, enum sysreg_control control)
{
	uint64_t value;

	if (control == SYSREG_CONTROL_EDSCR)
		return (uint64_t)controls->edscr_sdd << SYSREG_EDSCR_SDD_LSB;
	if ((unsigned int)control > SYSREG_CONTROL_EDSCR)
		return 0;
	__builtin_memcpy(&value, (const char *)controls + offsets[control], sizeof(value));
	return value;
}

static void control_set(struct sysreg_controls *controls, enum sysreg_control control,
			uint64_t value)
{
	if (control == SYSREG_CONTROL_EDSCR)
		controls->edscr_sdd = value >> SYSREG_EDSCR_SDD_LSB & 1;
	else if ((unsigned int)control < SYSREG_CONTROL_EDSCR)
		__builtin_memcpy((char *)controls + offsets[control], &value, sizeof(value));
}

static uint64_t field_mask(const struct sysreg_field *field)
{
	return UINT64_MAX >> (64 - field->width);
}

uint64_t sysreg_field_get(const struct sysreg_controls *controls, const struct sysreg_field *field)
{
	return control_get(controls, field->control) >> field->lsb & field_mask(field);
}

bool sysreg_field_set(struct sysreg_controls *controls, const struct sysreg_field *field,
		      uint64_t value)
{
	const uint64_t mask = field_mask(field);
	uint64_t rest;

	if (value & ~mask)
		return false;
	rest = control_get(controls, field->control) & ~(mask << field->lsb);
	control_set(controls, field->control, rest | value << field->lsb);
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control registers of struct sysreg_controls and their fields by name: for tools that take
 * REGISTER.FIELD=VALUE. Source: vspe/sysreg_fields.def and, for the fine-grained traps,
 * registers.def.
 */
#include <vspe/sysreg.h>

#define WHOLE(reg_, width_)		{#reg_, NULL, SYSREG_CONTROL_##reg_, 0, width_},
#define PART(reg_, name_, lsb_, width_) {#reg_, #name_, SYSREG_CONTROL_##reg_, lsb_, width_},

/* A register's fine-grained trap bits, by the columns fgt and access of registers.def. */
#define FGT_NONE_RW(field, r, w)
#define FGT_HDFG_RO(field, r, w)    PART(HDFGRTR_EL2, field, r, 1)
#define FGT_HDFG_RW(field, r, w)    PART(HDFGRTR_EL2, field, r, 1) PART(HDFGWTR_EL2, field, w, 1)
#define FGT_HDFG_N_RW(field, r, w)  FGT_HDFG_RW(field, r, w)
#define FGT_HDFG2_N_RW(field, r, w) PART(HDFGRTR2_EL2, field, r, 1) PART(HDFGWTR2_EL2, field, w, 1)

static const struct sysreg_field fields[] = {
#define CONTROL(reg, member)	      WHOLE(reg, 64)
#define FIELD(reg, field, lsb, width) PART(reg, field, lsb, width)
#include <vspe/sysreg_fields.def>
#undef CONTROL
#undef FIELD
#define REGISTER(name, op1, crm, op2, access, class, feats, fgt, field, fgt_r, fgt_w, ...) \
	FGT_##fgt##_##access(field, fgt_r, fgt_w)
#include "registers.def"
#undef REGISTER
	WHOLE(EDSCR, 32)};

const struct sysreg_field *sysreg_fields(size_t *count)
{
	*count = sizeof(fields) / sizeof(fields[0]);
	return fields;
}

static uint64_t control_get(const struct sysreg_controls *controls, enum sysreg_control control)
{
	switch (control) {
#define CONTROL(reg, member)       \
	case SYSREG_CONTROL_##reg: \
		return controls->member;
#define FIELD(reg, field, lsb, width)
#include <vspe/sysreg_fields.def>
#undef CONTROL
#undef FIELD
	case SYSREG_CONTROL_EDSCR: return (uint64_t)controls->edscr_sdd << SYSREG_EDSCR_SDD_LSB;
	default: return 0;
	}
}

static void control_set(struct sysreg_controls *controls, enum sysreg_control control,
			uint64_t value)
{
	switch (control) {
#define CONTROL(reg, member)              \
	case SYSREG_CONTROL_##reg:        \
		controls->member = value; \
		break;
#define FIELD(reg, field, lsb, width)
#include <vspe/sysreg_fields.def>
#undef CONTROL
#undef FIELD
	case SYSREG_CONTROL_EDSCR: controls->edscr_sdd = value >> SYSREG_EDSCR_SDD_LSB & 1; break;
	default: break;
	}
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of a unit (Arm ARM D24, the pages of PMS*_EL1 and PMB*_EL1). sysreg/registers.def
 * says where each is kept, which bits it has, and what a write causes; generate.py makes
 * registers.inc of it.
 *
 * Fields of missing features are RES0: they are not stored. Fields that are RES0 only under some
 * control (PMSCR_EL2.E2SPE with E2PB nonzero) are stored and have no effect. Every bit of a
 * reserved value of PMBLIMITR_EL1.FM is stored, and the unit then behaves as in Fill mode.
 */
#include "internal.h"

/* Features that registers and fields need: bits. EL2 and NV are the PE's, the others the unit's. */
enum {
	NEEDS_SPE = 1u << 0,
	NEEDS_SPE_FnE = 1u << 1,
	NEEDS_SPE_FDS = 1u << 2,
	NEEDS_SPE_nVM = 1u << 3,
	NEEDS_SPE_EXC = 1u << 4,
	NEEDS_SPE_EFT = 1u << 5,
	NEEDS_SPE_ERnd = 1u << 6,
	NEEDS_SPEv1p2 = 1u << 7,
	NEEDS_EL2 = 1u << 8,
	NEEDS_NV = 1u << 9,
};

/* Fields whose bits depend on the configuration. */
enum bits {
	BITS_ALL,
	BITS_PCT,
	BITS_EVENTS,
	BITS_COUNTER,
	BITS_GRANULE,
	BITS_POINTER,
	BITS_SOURCES
};

/* The effect of a write. */
enum effect { EFFECT_NOTHING, EFFECT_REFRESH, EFFECT_FILTER, EFFECT_LIMIT, EFFECT_RELOAD };

/*
 * registers.inc has, of each name that reaches a kept register,
 * KEPT(name, member of struct unit, effect, rule SFDXJJ?, bits that need EL2, bits that need
 * FEAT_NV) and KEPT_FIELD(name, mask, features, enum bits, known after reset?) of each of its
 * fields.
 */
static const struct field {
	uint64_t mask;
	uint8_t reg;	/* enum sysreg_id */
	uint8_t bits;	/* enum bits */
	uint16_t needs; /* all of them */
	bool known;	/* its value after a reset */
} fields[] = {
#define KEPT(...)
#define KEPT_FIELD(reg, mask, needs, bits, known) {mask, SYSREG_##reg, bits, needs, known},
#include "registers.inc"
#undef KEPT
#undef KEPT_FIELD
};

#define KEPT_FIELD(...)

/*
 * E[1], retired, exists as a filter only where speculative operations are sampled. Elsewhere it
 * reads UNKNOWN and is ignored. It keeps what was written, as software uses it to select retired
 * operations.
 */
static uint64_t configured_bits(const struct unit *unit, enum bits bits)
{
	const struct spe_config *config = &unit->config;

	switch (bits) {
	case BITS_ALL: break;
	case BITS_PCT: return PMSCR_PCT | (config->ecv ? PMSCR_PCT_1 : 0);
	case BITS_EVENTS: return unit->filter_events | EVENT_RETIRED;
	case BITS_COUNTER: return unit->format.count_max;
	case BITS_GRANULE: return UINT64_MAX << config->granule;
	case BITS_POINTER: return UINT64_MAX << config->pointer_res0;
	case BITS_SOURCES: return config->sources;
	}
	return UINT64_MAX;
}

/* Of the unit; the PE may have any. */
static uint32_t features_of(const struct spe_config *config)
{
	return NEEDS_SPE | NEEDS_EL2 | NEEDS_NV | (config->fne ? NEEDS_SPE_FnE : 0u) |
	       (config->fds ? NEEDS_SPE_FDS : 0u) | (config->nvm ? NEEDS_SPE_nVM : 0u) |
	       (config->exc ? NEEDS_SPE_EXC : 0u) | (config->eft ? NEEDS_SPE_EFT : 0u) |
	       (config->ernd ? NEEDS_SPE_ERnd : 0u) |
	       (config->version >= SPE_V1P2 ? NEEDS_SPEv1p2 : 0u);
}

void spe_registers_init(struct unit *unit)
{
	const uint32_t has = features_of(&unit->config);

	for (const struct field *f = fields; f < fields + sizeof(fields) / sizeof(fields[0]); f++)
		if (!(f->needs & ~has))
			unit->bits[f->reg] |= f->mask & configured_bits(unit, (enum bits)f->bits);
}

void spe_registers_reset(struct unit *unit)
{
#define KEPT(reg, member, effect, frozen, of_el2, of_nv) unit->member = 0;
#include "registers.inc"
#undef KEPT
}

/* PMSICR_EL1 is computed. An alias has no bits besides those of its register. */
uint64_t spe_unknown_bits(const struct spe_unit *opaque, enum sysreg_id reg)
{
	const struct unit *unit = unit_in(opaque);
	uint64_t bits;

	if (reg == SYSREG_PMSICR_EL1)
		return PMSICR_COUNT |
		       (unit->config.ernd ? UINT64_C(0xff) << PMSICR_ECOUNT_SHIFT : 0);
	if ((unsigned int)reg >= SYSREG_COUNT || reg == SYSREG_PMSCR_EL12 ||
	    reg == SYSREG_PMBSR_EL12)
		return 0;
	bits = unit->bits[reg];
	for (const struct field *f = fields; f < fields + sizeof(fields) / sizeof(fields[0]); f++)
		if (f->reg == reg && f->known)
			bits &= ~f->mask;
	return bits;
}

const char *spe_registers_check(const struct unit *unit)
{
#define KEPT(reg, member, effect, frozen, of_el2, of_nv) \
	if (unit->member & ~unit->bits[SYSREG_##reg])    \
		return #reg;
#include "registers.inc"
#undef KEPT
	return NULL;
}

/* Without EL2 PMSCR_EL1.PCT offers no choice: it reads as 0b01, physical time. */
static uint64_t fixed_bits(const struct unit *unit, uint64_t of_el2)
{
	return of_el2 && !(unit->controls.features & SYSREG_FEAT_EL2) ? PMSCR_PCT : 0;
}

uint64_t spe_read(struct spe_unit *opaque, enum sysreg_id reg)
{
	struct unit *unit = unit_of(opaque);

	switch (reg) {
#define KEPT(name, member, effect, frozen, of_el2, of_nv) \
	case SYSREG_##name:                               \
		return unit->member | fixed_bits(unit, of_el2);
#include "registers.inc"
#undef KEPT
	case SYSREG_PMSICR_EL1: return spe_interval_read(unit);
	case SYSREG_PMSIDR_EL1: return spe_read_pmsidr(&unit->config);
	case SYSREG_PMBIDR_EL1: return spe_read_pmbidr(unit);
	default: return 0;
	}
}

void spe_limit_changed(struct unit *unit)
{
	unit->discard = unit->config.version >= SPE_V1P2 &&
			(unit->pmblimitr & PMBLIMITR_FM) == PMBLIMITR_FM_DISCARD;
}

static inline void write_kept(struct unit *unit, uint64_t *member, uint64_t value,
			      enum effect effect)
{
	if (effect == EFFECT_RELOAD)
		spe_interval_sync(unit);
	*member = value;
	switch (effect) {
	case EFFECT_NOTHING: break;
	case EFFECT_FILTER: spe_filter_changed(unit); break;
	case EFFECT_RELOAD: spe_interval_reload_changed(unit); break;
	case EFFECT_LIMIT: spe_limit_changed(unit); /* fall through */
	case EFFECT_REFRESH: spe_refresh(unit); break;
	}
}

/* Bits that are missing for want of a feature of the PE. */
static inline uint64_t absent_bits(const struct unit *unit, uint64_t of_el2, uint64_t of_nv)
{
	const uint32_t pe = unit->controls.features;

	return (pe & SYSREG_FEAT_EL2 ? 0 : of_el2) | (pe & SYSREG_FEAT_NV ? 0 : of_nv);
}

/* Rule SFDXJJ, if the unit uses it: only PMBLIMITR_EL1.E itself may be changed. */
static bool ignores_write(const struct unit *unit, enum sysreg_id reg, uint64_t *value)
{
	if (!unit->config.ignore_writes || !(unit->pmblimitr & PMBLIMITR_E))
		return false;
	if (reg != SYSREG_PMBLIMITR_EL1 || *value & PMBLIMITR_E)
		return true;
	*value = unit->pmblimitr & ~PMBLIMITR_E;
	return false;
}

void spe_write(struct spe_unit *opaque, enum sysreg_id reg, uint64_t value)
{
	struct unit *unit = unit_of(opaque);
	uint64_t bits;

	if ((unsigned int)reg >= SYSREG_COUNT)
		return;
	bits = unit->bits[reg];
	if (!bits) {
		if (reg == SYSREG_PMSICR_EL1)
			spe_interval_write(unit, value);
		return;
	}
	switch (reg) {
#define KEPT(name, member, effect, frozen, of_el2, of_nv)                                        \
	case SYSREG_##name:                                                                      \
		if ((frozen) && ignores_write(unit, reg, &value))                                \
			return;                                                                  \
		write_kept(unit, &unit->member, value &bits & ~absent_bits(unit, of_el2, of_nv), \
			   EFFECT_##effect);                                                     \
		return;
#include "registers.inc"
#undef KEPT
	default: return;
	}
}

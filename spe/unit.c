/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profiling unit's life and its registers (Arm ARM D24, the pages of PMS*_EL1 and PMB*_EL1).
 *
 * Fields of features that are not there are RES0: they are not stored. Fields that are RES0 only
 * under some control (PMSCR_EL2.E2SPE with E2PB nonzero) are stored and have no effect. Every bit
 * of a reserved value of PMBLIMITR_EL1.FM is stored, and the unit then behaves as in Fill mode.
 */
#include "internal.h"

/* Without EL2 there is nothing to choose between: PCT reads as 0b01, physical time. */
static uint64_t read_pmscr_el1(const struct unit *unit)
{
	if (unit->controls.features & SYSREG_FEAT_EL2)
		return unit->pmscr_el1;
	return unit->pmscr_el1 | PMSCR_PCT;
}

uint64_t spe_read(struct spe_unit *opaque, enum sysreg_id reg)
{
	struct unit *unit = unit_of(opaque);

	switch (reg) {
	case SYSREG_PMSCR_EL1:
	case SYSREG_PMSCR_EL12: return read_pmscr_el1(unit);
	case SYSREG_PMSCR_EL2: return unit->pmscr_el2;
	case SYSREG_PMSICR_EL1: return spe_interval_read(unit);
	case SYSREG_PMSIRR_EL1: return unit->pmsirr;
	case SYSREG_PMSFCR_EL1: return unit->pmsfcr;
	case SYSREG_PMSEVFR_EL1: return unit->pmsevfr;
	case SYSREG_PMSNEVFR_EL1: return unit->pmsnevfr;
	case SYSREG_PMSLATFR_EL1: return unit->pmslatfr;
	case SYSREG_PMSDSFR_EL1: return unit->pmsdsfr;
	case SYSREG_PMSIDR_EL1: return spe_read_pmsidr(&unit->config);
	case SYSREG_PMBLIMITR_EL1: return unit->pmblimitr;
	case SYSREG_PMBPTR_EL1: return unit->pmbptr;
	case SYSREG_PMBSR_EL1:
	case SYSREG_PMBSR_EL12: return unit->pmbsr;
	case SYSREG_PMBSR_EL2: return unit->pmbsr_el2;
	case SYSREG_PMBSR_EL3: return unit->pmbsr_el3;
	case SYSREG_PMBMAR_EL1: return unit->pmbmar;
	case SYSREG_PMBIDR_EL1: return spe_read_pmbidr(unit);
	default: return 0;
	}
}

/* EnVM of PMSCR_EL1 is for software only, which FEAT_NV gives a use. */
static uint64_t pmscr_mask(const struct spe_config *config, uint32_t features, bool el1)
{
	uint64_t mask = PMSCR_E0SPE | PMSCR_E1SPE | PMSCR_CX | PMSCR_PA | PMSCR_TS;

	if (!el1 || features & SYSREG_FEAT_EL2)
		mask |= PMSCR_PCT | (config->ecv ? PMSCR_PCT_1 : 0);
	if (config->exc)
		mask |= PMSCR_EE | PMSCR_KE;
	if (config->nvm && (!el1 || features & SYSREG_FEAT_NV))
		mask |= PMSCR_ENVM;
	return mask;
}

/*
 * E[1], retired, exists as a filter only where speculative operations are sampled. Elsewhere it
 * reads UNKNOWN and is ignored: it keeps what was written, as software asks for retired operations
 * by it.
 */
static uint64_t event_filter_mask(const struct unit *unit)
{
	return unit->filter_events | EVENT_RETIRED;
}

static uint64_t pmblimitr_mask(const struct unit *unit)
{
	uint64_t limit = PMBLIMITR_LIMIT & (UINT64_MAX << unit->config.granule);

	return limit | PMBLIMITR_FM | PMBLIMITR_E |
	       (unit->config.version >= SPE_V1P2 ? PMBLIMITR_PMFZ : 0) |
	       (unit->config.nvm ? PMBLIMITR_NVM : 0);
}

#define PMBSR_MASK (PMBSR_MSS2 | PMBSR_EC | PMBSR_DL | PMBSR_EA | PMBSR_S | PMBSR_COLL | PMBSR_MSS)

static uint64_t pmsfcr_mask(const struct spe_config *config)
{
	return PMSFCR_FE | PMSFCR_FT | PMSFCR_FL | PMSFCR_TYPE | (config->fne ? PMSFCR_FNE : 0) |
	       (config->fds ? PMSFCR_FDS : 0) | (config->eft ? PMSFCR_TYPE_EFT | PMSFCR_MASK : 0);
}

/* ... each; none of a register that is not there. PMSICR_EL1 is not kept as one. */
uint64_t spe_register_bits(const struct unit *unit, enum sysreg_id reg)
{
	const struct spe_config *config = &unit->config;

	switch (reg) {
	case SYSREG_PMSCR_EL1: return pmscr_mask(config, UINT32_MAX, true);
	case SYSREG_PMSCR_EL2: return pmscr_mask(config, UINT32_MAX, false);
	case SYSREG_PMSIRR_EL1: return PMSIRR_INTERVAL | PMSIRR_RND;
	case SYSREG_PMSFCR_EL1: return pmsfcr_mask(config);
	case SYSREG_PMSEVFR_EL1: return event_filter_mask(unit);
	case SYSREG_PMSNEVFR_EL1: return config->fne ? event_filter_mask(unit) : 0;
	case SYSREG_PMSLATFR_EL1: return unit->format.count_max;
	case SYSREG_PMSDSFR_EL1: return config->fds ? config->sources : 0;
	case SYSREG_PMBLIMITR_EL1: return pmblimitr_mask(unit);
	case SYSREG_PMBPTR_EL1: return UINT64_MAX << config->pointer_res0;
	case SYSREG_PMBMAR_EL1: return config->nvm ? PMBMAR_ATTR | PMBMAR_SH : 0;
	case SYSREG_PMBSR_EL1: return PMBSR_MASK;
	case SYSREG_PMBSR_EL2:
	case SYSREG_PMBSR_EL3: return config->exc ? PMBSR_MASK : 0;
	default: return 0;
	}
}

void spe_limit_changed(struct unit *unit)
{
	unit->discard = unit->config.version >= SPE_V1P2 &&
			(unit->pmblimitr & PMBLIMITR_FM) == PMBLIMITR_FM_DISCARD;
}

static void write_pmblimitr(struct unit *unit, uint64_t value)
{
	unit->pmblimitr = value & pmblimitr_mask(unit);
	spe_limit_changed(unit);
	spe_refresh(unit);
}

/* The registers of filters, and PMSIRR_EL1. */
static void write_sampling(struct unit *unit, enum sysreg_id reg, uint64_t value)
{
	const struct spe_config *config = &unit->config;

	switch (reg) {
	case SYSREG_PMSIRR_EL1:
		spe_interval_sync(unit);
		unit->pmsirr = value & (PMSIRR_INTERVAL | PMSIRR_RND);
		spe_interval_reload_changed(unit);
		return;
	case SYSREG_PMSFCR_EL1: unit->pmsfcr = value & pmsfcr_mask(config); break;
	case SYSREG_PMSEVFR_EL1: unit->pmsevfr = value & event_filter_mask(unit); break;
	case SYSREG_PMSNEVFR_EL1:
		unit->pmsnevfr = config->fne ? value & event_filter_mask(unit) : 0;
		break;
	case SYSREG_PMSLATFR_EL1: unit->pmslatfr = value & unit->format.count_max; break;
	case SYSREG_PMSDSFR_EL1: unit->pmsdsfr = config->fds ? value & config->sources : 0; break;
	default: return;
	}
	spe_filter_changed(unit);
}

static void write_status(struct unit *unit, unsigned int el, uint64_t value)
{
	*spe_status(unit, el) = value & PMBSR_MASK;
	spe_refresh(unit);
}

/* The registers that rule SFDXJJ is about. */
static void write_buffer(struct unit *unit, enum sysreg_id reg, uint64_t value)
{
	if (unit->config.ignore_writes && unit->pmblimitr & PMBLIMITR_E) {
		if (reg == SYSREG_PMBLIMITR_EL1 && !(value & PMBLIMITR_E))
			write_pmblimitr(unit, unit->pmblimitr & ~PMBLIMITR_E);
		return;
	}
	switch (reg) {
	case SYSREG_PMBLIMITR_EL1: write_pmblimitr(unit, value); break;
	case SYSREG_PMBPTR_EL1:
		unit->pmbptr = value & (UINT64_MAX << unit->config.pointer_res0);
		break;
	case SYSREG_PMBMAR_EL1: unit->pmbmar = value & (PMBMAR_ATTR | PMBMAR_SH); break;
	case SYSREG_PMBSR_EL2: write_status(unit, 2, value); break;
	case SYSREG_PMBSR_EL3: write_status(unit, 3, value); break;
	default: write_status(unit, 1, value);
	}
}

void spe_write(struct spe_unit *opaque, enum sysreg_id reg, uint64_t value)
{
	struct unit *unit = unit_of(opaque);

	switch (reg) {
	case SYSREG_PMSCR_EL1:
	case SYSREG_PMSCR_EL12:
		unit->pmscr_el1 = value & pmscr_mask(&unit->config, unit->controls.features, true);
		spe_refresh(unit);
		break;
	case SYSREG_PMSCR_EL2:
		unit->pmscr_el2 = value & pmscr_mask(&unit->config, unit->controls.features, false);
		spe_refresh(unit);
		break;
	case SYSREG_PMSICR_EL1: spe_interval_write(unit, value); break;
	case SYSREG_PMBLIMITR_EL1:
	case SYSREG_PMBPTR_EL1:
	case SYSREG_PMBSR_EL1:
	case SYSREG_PMBSR_EL12: write_buffer(unit, reg, value); break;
	case SYSREG_PMBMAR_EL1:
		if (unit->config.nvm)
			write_buffer(unit, reg, value);
		break;
	case SYSREG_PMBSR_EL2:
	case SYSREG_PMBSR_EL3:
		if (unit->config.exc)
			write_buffer(unit, reg, value);
		break;
	default: write_sampling(unit, reg, value);
	}
}

/* Everything that the configuration alone decides. */
static void configure(struct unit *unit)
{
	const struct spe_config *config = &unit->config;
	const struct {
		struct spe_population population;
		uint32_t flag;
	} kinds[] = {
		{config->misspeculated, SPE_OP_MISSPECULATED},
		{config->no_instruction, SPE_OP_NO_INSTRUCTION},
		{config->non_arch_exception, SPE_OP_NON_ARCH_EXCEPTION},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].population.member)
			unit->not_member |= kinds[i].flag;
		if (!kinds[i].population.captured)
			unit->not_captured |= kinds[i].flag;
	}
	unit->filter_events = spe_filter_events(config);
	unit->all_events = spe_reported_events(config);
	if (config->misspeculated.captured)
		unit->filter_events |= EVENT_RETIRED;
	else
		unit->forced_events = EVENT_RETIRED;
	spe_format_init(&unit->format, config);
}

size_t spe_unit_size(void)
{
	return SPE_UNIT_SIZE;
}

int spe_init(struct spe_unit *opaque, size_t size, const struct spe_config *config,
	     const struct spe_host *host)
{
	struct unit *unit = unit_of(opaque);
	int error;

	if (size < SPE_UNIT_SIZE)
		return -SPE_ESIZE;
	error = spe_config_check(config, NULL);
	if (error)
		return error;
	if (!host->write || (config->nvm && !host->write_untranslated) ||
	    (config->external_abort == SPE_ABORT_SERROR && !host->serror))
		return -SPE_EHOST;
	__builtin_memset(unit, 0, sizeof(*unit));
	unit->config = *config;
	unit->host = *host;
	configure(unit);
	spe_reset(opaque);
	return 0;
}

const struct spe_config *spe_unit_config(const struct spe_unit *opaque)
{
	return &unit_in(opaque)->config;
}

const struct sysreg_controls *spe_unit_controls(const struct spe_unit *opaque)
{
	return &unit_in(opaque)->controls;
}

void spe_stats(const struct spe_unit *opaque, struct spe_stats *stats)
{
	*stats = unit_in(opaque)->stats;
}

void spe_reset(struct spe_unit *opaque)
{
	struct unit *unit = unit_of(opaque);

	unit->pmscr_el1 = 0;
	unit->pmscr_el2 = 0;
	unit->pmsirr = 0;
	unit->pmsfcr = 0;
	unit->pmsevfr = 0;
	unit->pmsnevfr = 0;
	unit->pmslatfr = 0;
	unit->pmblimitr = 0;
	unit->pmbptr = 0;
	unit->pmbsr = 0;
	unit->pmbsr_el2 = 0;
	unit->pmbsr_el3 = 0;
	unit->pmbmar = 0;
	unit->pmsdsfr = 0;
	unit->previous_valid = false;
	unit->discard = false;
	unit->flight_first = 0;
	unit->flight_count = 0;
	unit->flight_sampled = 0;
	spe_filter_changed(unit);
	spe_refresh(unit);
	spe_interval_reset(unit);
}

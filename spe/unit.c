/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profiling unit's life and its registers (Arm ARM D24, the pages of PMS*_EL1 and PMB*_EL1).
 *
 * Fields of features that are not there are RES0: they are not stored. Fields that are RES0 only
 * under some control (PMSCR_EL2.E2SPE with E2PB nonzero) are stored and have no effect. Every bit
 * of a reserved value of PMBLIMITR_EL1.FM is stored, and the unit then behaves as in Fill mode.
 */
#include "internal.h"

#define PMSIDR_FE	       BIT(0)
#define PMSIDR_FT	       BIT(1)
#define PMSIDR_FL	       BIT(2)
#define PMSIDR_ARCHINST	       BIT(3)
#define PMSIDR_LDS	       BIT(4)
#define PMSIDR_ERND	       BIT(5)
#define PMSIDR_FNE	       BIT(6)
#define PMSIDR_INTERVAL_SHIFT  8
#define PMSIDR_MAXSIZE_SHIFT   12
#define PMSIDR_COUNTSIZE_SHIFT 16

#define PMBIDR_P	BIT(4)
#define PMBIDR_F	BIT(5)
#define PMBIDR_EA_SHIFT 8

static uint64_t read_pmsidr(const struct spe_config *config)
{
	uint64_t count_size = config->count_size == 16 ? 3 : 2;

	return PMSIDR_FE | PMSIDR_FT | PMSIDR_FL | (config->arch_inst ? PMSIDR_ARCHINST : 0) |
	       (config->lds ? PMSIDR_LDS : 0) | (config->ernd ? PMSIDR_ERND : 0) |
	       (config->fne ? PMSIDR_FNE : 0) |
	       (uint64_t)config->interval << PMSIDR_INTERVAL_SHIFT |
	       (uint64_t)config->max_size << PMSIDR_MAXSIZE_SHIFT |
	       count_size << PMSIDR_COUNTSIZE_SHIFT;
}

static uint64_t read_pmbidr(const struct spe_unit *unit)
{
	uint64_t ea = 0;

	if (unit->config.external_abort == SPE_ABORT_IGNORE)
		ea = 1;
	else if (unit->config.external_abort == SPE_ABORT_SERROR)
		ea = 2;
	return unit->config.align | (unit->programmable ? 0 : PMBIDR_P) |
	       (unit->config.flag_update ? PMBIDR_F : 0) | ea << PMBIDR_EA_SHIFT;
}

/* Without EL2 there is nothing to choose between: PCT reads as 0b01, physical time. */
static uint64_t read_pmscr_el1(const struct spe_unit *unit)
{
	if (unit->controls.features & SYSREG_FEAT_EL2)
		return unit->pmscr_el1;
	return unit->pmscr_el1 | PMSCR_PCT;
}

unsigned int spe_pmsver(const struct spe_unit *unit)
{
	return unit->config.version;
}

uint64_t spe_read(struct spe_unit *unit, enum sysreg_id reg)
{
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
	case SYSREG_PMSIDR_EL1: return read_pmsidr(&unit->config);
	case SYSREG_PMBLIMITR_EL1: return unit->pmblimitr;
	case SYSREG_PMBPTR_EL1: return unit->pmbptr;
	case SYSREG_PMBSR_EL1:
	case SYSREG_PMBSR_EL12: return unit->pmbsr;
	case SYSREG_PMBIDR_EL1: return read_pmbidr(unit);
	default: return 0; /* FEAT_SPE_FDS, _nVM, _EXC: not there */
	}
}

static uint64_t pmscr_mask(const struct spe_unit *unit, bool el1)
{
	uint64_t mask = PMSCR_E0SPE | PMSCR_E1SPE | PMSCR_CX | PMSCR_PA | PMSCR_TS;

	if (!el1 || (unit->controls.features & SYSREG_FEAT_EL2))
		mask |= PMSCR_PCT;
	return mask;
}

/*
 * E[1], retired, exists as a filter only where speculative operations are sampled. Elsewhere it
 * reads UNKNOWN and is ignored: it keeps what was written, as software asks for retired operations
 * by it.
 */
static uint64_t event_filter_mask(const struct spe_unit *unit)
{
	return unit->filter_events | EVENT_RETIRED;
}

static uint64_t pmblimitr_mask(const struct spe_unit *unit)
{
	uint64_t limit = PMBLIMITR_LIMIT & (UINT64_MAX << unit->config.granule);

	return limit | PMBLIMITR_FM | PMBLIMITR_E |
	       (unit->config.version >= SPE_V1P2 ? PMBLIMITR_PMFZ : 0);
}

static void write_pmblimitr(struct spe_unit *unit, uint64_t value)
{
	unit->pmblimitr = value & pmblimitr_mask(unit);
	unit->discard = unit->config.version >= SPE_V1P2 &&
			(unit->pmblimitr & PMBLIMITR_FM) == PMBLIMITR_FM_DISCARD;
	spe_refresh(unit);
}

/* The registers of filters, and PMSIRR_EL1. */
static void write_sampling(struct spe_unit *unit, enum sysreg_id reg, uint64_t value)
{
	const struct spe_config *config = &unit->config;

	switch (reg) {
	case SYSREG_PMSIRR_EL1:
		spe_interval_sync(unit);
		unit->pmsirr = value & (PMSIRR_INTERVAL | PMSIRR_RND);
		spe_interval_reload_changed(unit);
		return;
	case SYSREG_PMSFCR_EL1:
		unit->pmsfcr = value & (PMSFCR_FE | PMSFCR_FT | PMSFCR_FL | PMSFCR_TYPE |
					(config->fne ? PMSFCR_FNE : 0));
		break;
	case SYSREG_PMSEVFR_EL1: unit->pmsevfr = value & event_filter_mask(unit); break;
	case SYSREG_PMSNEVFR_EL1:
		unit->pmsnevfr = config->fne ? value & event_filter_mask(unit) : 0;
		break;
	case SYSREG_PMSLATFR_EL1: unit->pmslatfr = value & unit->format.count_max; break;
	default: return;
	}
	spe_filter_changed(unit);
}

void spe_write(struct spe_unit *unit, enum sysreg_id reg, uint64_t value)
{
	switch (reg) {
	case SYSREG_PMSCR_EL1:
	case SYSREG_PMSCR_EL12:
		unit->pmscr_el1 = value & pmscr_mask(unit, true);
		spe_refresh(unit);
		break;
	case SYSREG_PMSCR_EL2:
		unit->pmscr_el2 = value & pmscr_mask(unit, false);
		spe_refresh(unit);
		break;
	case SYSREG_PMSICR_EL1: spe_interval_write(unit, value); break;
	case SYSREG_PMBLIMITR_EL1: write_pmblimitr(unit, value); break;
	case SYSREG_PMBPTR_EL1: unit->pmbptr = value; break;
	case SYSREG_PMBSR_EL1:
	case SYSREG_PMBSR_EL12:
		unit->pmbsr = value & (PMBSR_MSS2 | PMBSR_EC | PMBSR_DL | PMBSR_EA | PMBSR_S |
				       PMBSR_COLL | PMBSR_MSS);
		spe_refresh(unit);
		break;
	default: write_sampling(unit, reg, value);
	}
}

/* Everything that the configuration alone decides. */
static void configure(struct spe_unit *unit)
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
	unit->filter_events = spe_version_filter_events(config->version) | config->events;
	unit->all_events = spe_version_events(config->version) | config->events;
	if (config->misspeculated.captured)
		unit->filter_events |= EVENT_RETIRED;
	else
		unit->forced_events = EVENT_RETIRED;
	unit->format = (struct spe_format){
		.align_mask = (uint16_t)((1u << config->align) - 1),
		.count_max = (uint16_t)((1u << config->count_size) - 1),
		.events_size = config->events_size,
		.source_size = config->lds ? config->source_size : 0,
		.unspecified = config->version >= SPE_V1P1,
	};
}

int spe_init(struct spe_unit *unit, const struct spe_config *config, const struct spe_host *host)
{
	int error = spe_config_check(config, NULL);

	if (error)
		return error;
	if (!host->write || (config->external_abort == SPE_ABORT_SERROR && !host->serror))
		return -SPE_EHOST;
	__builtin_memset(unit, 0, sizeof(*unit));
	unit->config = *config;
	unit->host = *host;
	configure(unit);
	spe_reset(unit);
	return 0;
}

void spe_reset(struct spe_unit *unit)
{
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
	unit->discard = false;
	unit->flight_first = 0;
	unit->flight_count = 0;
	unit->flight_sampled = 0;
	spe_filter_changed(unit);
	spe_refresh(unit);
	spe_interval_reset(unit);
}

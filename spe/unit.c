/* SPDX-License-Identifier: BSD-2-Clause */
/* A profiling unit's life. */
#include "connect.h"
#include "internal.h"

/* Find out who watches each sampled operation. */
static void watch(struct unit *unit)
{
	unit->watched = (unit->host.pmu_event || unit->tell ? WATCHED_PMU : 0) |
			(unit->config.check ? WATCHED_CHECK : 0);
}

void spe_connect(struct spe_unit *opaque, void (*tell)(void *pmu, uint16_t event, uint64_t count),
		 void *pmu)
{
	struct unit *unit = unit_of(opaque);

	unit->tell = tell;
	unit->pmu = pmu;
	watch(unit);
}

/* Everything that the configuration alone decides. */
static void configure_unit(struct unit *unit)
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
	watch(unit);
	unit->flight_room = config->check ? 0 : config->in_flight;
	unit->direct = config->check ? UINT32_MAX : SYSREG_DIRECT;
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
	configure_unit(unit);
	spe_registers_init(unit);
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

	spe_registers_reset(unit);
	unit->previous_valid = false;
	unit->discard = false;
	unit->late = (struct spe_late){0};
	unit->flight_first = 0;
	unit->flight_count = 0;
	unit->flight_sampled = 0;
	spe_filter_changed(unit);
	spe_refresh(unit);
	spe_interval_reset(unit);
}

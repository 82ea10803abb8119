/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configurations of a profiling unit: defaults, and what goes together. The rules are those of the
 * Arm ARM's feature list (A2) and of PMSIDR_EL1 and PMBIDR_EL1.
 */
#include "internal.h"

static const char *const messages[] = {
	[0] = "no error",
	[SPE_EVERSION] = "no such version of FEAT_SPE here (v1p0 to v1p3)",
	[SPE_EFNE] = "FEAT_SPE_FnE is there exactly from v1p2 on",
	[SPE_ECOUNTSIZE] = "counters have 12 or 16 bits",
	[SPE_EMAXSIZE] = "records are 64 to 2048 bytes, and the largest must fit",
	[SPE_EALIGN] = "the alignment cannot exceed the size of the largest record",
	[SPE_EINTERVAL] = "no such recommended interval",
	[SPE_EEVENTS] = "an event that this version does not leave open",
	[SPE_EEVENTSSIZE] = "an Events packet has 1, 2, 4 or 8 bytes",
	[SPE_ESOURCESIZE] = "a Data Source packet has 1 or 2 bytes",
	[SPE_EINFLIGHT] = "from 1 to 8 operations can be in flight",
	[SPE_ECHOICE] = "no such choice",
	[SPE_ECAPTURE] = "operations outside the population cannot be captured",
	[SPE_EGRANULE] = "the smallest granule is 4K, 16K or 64K",
	[SPE_EHOST] = "a callback is missing",
	[SPE_EARCHINST] = "with FEAT_SPE_ArchInst every operation is an instruction",
};

_Static_assert(sizeof(messages) / sizeof(messages[0]) == SPE_ERROR_MAX + 1, "a message an error");

const char *spe_strerror(int error)
{
	if (error > 0)
		error = -error;
	if (error < -SPE_ERROR_MAX)
		return "unknown error";
	return messages[-error];
}

/* The events of PMSEVFR_EL1 that a version has for everyone; the optional ones are config.events.
 */
uint64_t spe_version_filter_events(enum spe_version version)
{
	uint64_t events = BIT(3) | BIT(5) | BIT(7);

	if (version >= SPE_V1P1)
		events |= EVENT_MISALIGNED;
	if (version >= SPE_V1P2)
		events |= EVENT_NOT_TAKEN;
	return events;
}

/* In the packet, an exception and "not taken" are reported whether or not they can be filtered on.
 */
uint64_t spe_version_events(enum spe_version version)
{
	return spe_version_filter_events(version) | EVENT_EXCEPTION | EVENT_RETIRED |
	       EVENT_NOT_TAKEN;
}

/* The events that versions up to v1p3 leave to the implementation. */
#define OPTIONAL_EVENTS \
	(BIT(2) | BIT(4) | FIELD(10, 8) | FIELD(15, 12) | FIELD(31, 24) | FIELD(63, 48))

void spe_config_defaults(struct spe_config *config, enum spe_version version)
{
	*config = (struct spe_config){
		.version = version,
		.arch_inst = true,
		.lds = true,
		.ernd = true,
		.fne = version >= SPE_V1P2,
		.flag_update = true,
		.count_size = 12,
		.max_size = 6,
		.align = 6,
		.interval = 0,
		.events_size = 4,
		.source_size = 1,
		.granule = 12,
		.events = BIT(2) | BIT(4),
		.misspeculated = {.member = false, .captured = false},
		.no_instruction = {.member = false, .captured = false},
		.non_arch_exception = {.member = true, .captured = true},
		.in_flight = 1,
		.lifetime = 0,
		.reload = SPE_RELOAD_BEFORE_TAIL,
		.interval_zero = SPE_INTERVAL_ZERO_RECOMMENDED,
		.external_abort = SPE_ABORT_SYNC,
		.seed = 0,
	};
}

static int wrong(const char **field, const char *name, int error)
{
	if (field)
		*field = name;
	return -error;
}

static int check_choices(const struct spe_config *config, const char **field)
{
	if (config->misspeculated.captured && !config->misspeculated.member)
		return wrong(field, "misspeculated", SPE_ECAPTURE);
	if (config->no_instruction.captured && !config->no_instruction.member)
		return wrong(field, "no_instruction", SPE_ECAPTURE);
	if (config->no_instruction.member && config->arch_inst)
		return wrong(field, "no_instruction", SPE_EARCHINST);
	if (config->non_arch_exception.captured && !config->non_arch_exception.member)
		return wrong(field, "non_arch_exception", SPE_ECAPTURE);
	if (config->in_flight < 1 || config->in_flight > SPE_IN_FLIGHT_MAX)
		return wrong(field, "in_flight", SPE_EINFLIGHT);
	if ((unsigned int)config->reload > SPE_RELOAD_AFTER_TAIL)
		return wrong(field, "reload", SPE_ECHOICE);
	if ((unsigned int)config->interval_zero > SPE_INTERVAL_ZERO_LONGEST)
		return wrong(field, "interval_zero", SPE_ECHOICE);
	if ((unsigned int)config->external_abort > SPE_ABORT_SERROR)
		return wrong(field, "external_abort", SPE_ECHOICE);
	return 0;
}

static int check_records(const struct spe_config *config, const char **field)
{
	if (config->count_size != 12 && config->count_size != 16)
		return wrong(field, "count_size", SPE_ECOUNTSIZE);
	if (config->events_size != 1 && config->events_size != 2 && config->events_size != 4 &&
	    config->events_size != 8)
		return wrong(field, "events_size", SPE_EEVENTSSIZE);
	if (config->source_size != 1 && config->source_size != 2)
		return wrong(field, "source_size", SPE_ESOURCESIZE);
	if (config->max_size < 6 || config->max_size > 11 ||
	    spe_record_max(config) > (size_t)1 << config->max_size)
		return wrong(field, "max_size", SPE_EMAXSIZE);
	if (config->align > config->max_size)
		return wrong(field, "align", SPE_EALIGN);
	return 0;
}

int spe_config_check(const struct spe_config *config, const char **field)
{
	int error;

	if (config->version < SPE_V1P0 || config->version > SPE_V1P3)
		return wrong(field, "version", SPE_EVERSION);
	if (config->fne != (config->version >= SPE_V1P2))
		return wrong(field, "fne", SPE_EFNE);
	error = check_records(config, field);
	if (error)
		return error;
	if (config->interval > 8 || config->interval == 1)
		return wrong(field, "interval", SPE_EINTERVAL);
	if (config->granule != 12 && config->granule != 14 && config->granule != 16)
		return wrong(field, "granule", SPE_EGRANULE);
	if (config->events & ~OPTIONAL_EVENTS)
		return wrong(field, "events", SPE_EEVENTS);
	return check_choices(config, field);
}

uint32_t spe_config_features(const struct spe_config *config)
{
	return SYSREG_FEAT_SPE | (config->fne ? SYSREG_FEAT_SPE_FNE : 0);
}

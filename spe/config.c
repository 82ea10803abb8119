/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configurations of a profiling unit: defaults, and what goes together. The rules are those of the
 * Arm ARM's feature list (A2) and of PMSIDR_EL1 and PMBIDR_EL1.
 */
#include "internal.h"

static const char *const messages[] = {
	[0] = "no error",
	[SPE_EVERSION] = "no such version of FEAT_SPE (v1p0 to v1p5)",
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
	[SPE_EFDS] = "FEAT_SPE_FDS needs FEAT_SPEv1p4",
	[SPE_EPBT] = "FEAT_SPE_PBT needs FEAT_SPEv1p2",
	[SPE_ECRR] = "FEAT_SPE_CRR needs FEAT_SPEv1p4",
	[SPE_ENEEDCRR] = "FEAT_SPEv1p5 needs FEAT_SPE_CRR",
	[SPE_EGCS] = "FEAT_GCS with FEAT_SPEv1p4 needs FEAT_SPE_CRR",
	[SPE_EEFT] = "FEAT_SPE_FPF needs FEAT_SPE_EFT",
	[SPE_EFPF] = "FEAT_SPE_EFT needs FEAT_SPE_FPF",
	[SPE_ESME] = "FEAT_SPE_SME needs FEAT_SPEv1p1",
	[SPE_EEXC] = "FEAT_SPE_EXC needs FEAT_SPEv1p5",
	[SPE_ENEEDEXC] = "FEAT_SPEv1p5 needs FEAT_SPE_EXC, unless it is to be incomplete",
	[SPE_ENEEDNVM] = "FEAT_SPEv1p5 needs FEAT_SPE_nVM, unless it is to be incomplete",
	[SPE_EDPFZS] = "FEAT_SPE_DPFZS needs FEAT_SPEv1p2",
	[SPE_EALTCLK] = "the alternate clock is 0 (none), 1 or 15",
	[SPE_EMAXBUFFER] = "not a size that PMBIDR_EL1.MaxBuffSize can say, or less than a record",
	[SPE_EPOINTER] = "the RES0 bits of PMBPTR_EL1 cannot exceed the alignment",
	[SPE_EEXTRA] = "a record has at most 8 extra packets",
	[SPE_EIMAGE] = "not the image of a profiling unit, or not all of it",
	[SPE_EIMAGEVERSION] = "an image of a version that this library does not know",
	[SPE_EIMAGESUM] = "the image is damaged: its checksum is wrong",
	[SPE_EIMAGEVALUE] = "the image has a value that no such unit can come to",
	[SPE_EIMAGECONFIG] = "the image is of a unit with another configuration",
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

/* The events of PMSEVFR_EL1 that software can filter on; E[1] is the caller's. */
uint64_t spe_filter_events(const struct spe_config *config)
{
	uint64_t events = BIT(3) | BIT(5) | BIT(7) | config->events;

	if (config->version >= SPE_V1P1)
		events |= EVENT_MISALIGNED;
	if (config->version >= SPE_V1P1 && (config->sve || config->sme))
		events |= EVENT_PARTIAL_PREDICATE | EVENT_EMPTY_PREDICATE;
	if (config->version >= SPE_V1P2)
		events |= EVENT_NOT_TAKEN;
	if (config->version >= SPE_V1P4)
		events |= BIT(2) | BIT(4);
	if (config->tme)
		events |= EVENT_TRANSACTIONAL;
	if (config->sme)
		events |= EVENT_STREAMING | EVENT_SMCU;
	return events;
}

/* In the packet, an exception and "not taken" are reported whether or not they can be filtered on.
 */
uint64_t spe_reported_events(const struct spe_config *config)
{
	return spe_filter_events(config) | EVENT_EXCEPTION | EVENT_RETIRED | EVENT_NOT_TAKEN;
}

/* The events that are left to the implementation. */
static uint64_t optional_events(const struct spe_config *config)
{
	uint64_t events = BIT(2) | BIT(4) | FIELD(10, 8) | FIELD(15, 12) | FIELD(63, 48);

	if (config->version >= SPE_V1P4)
		return events | FIELD(23, 19);
	return events | (config->sme ? FIELD(31, 26) : FIELD(31, 24));
}

void spe_config_defaults(struct spe_config *config, enum spe_version version)
{
	const bool v1p4 = version >= SPE_V1P4, v1p5 = version >= SPE_V1P5;

	*config = (struct spe_config){
		.version = version,
		.arch_inst = true,
		.lds = true,
		.ernd = true,
		.fne = version >= SPE_V1P2,
		.fds = v1p4,
		.crr = v1p4,
		.pbt = v1p5,
		.eft = v1p5,
		.fpf = v1p5,
		.nvm = v1p5,
		.exc = v1p5,
		.flag_update = true,
		.count_size = 12,
		.max_size = 6,
		.align = 6,
		.interval = 0,
		.events_size = 4,
		.source_size = 1,
		.granule = 12,
		.events = BIT(2) | BIT(4),
		.sources = UINT64_MAX,
		.misspeculated = {.member = false, .captured = false},
		.no_instruction = {.member = false, .captured = false},
		.non_arch_exception = {.member = true, .captured = true},
		.in_flight = 1,
		.pbt_return = true,
	};
}

static int wrong(const char **field, const char *name, int error)
{
	if (field)
		*field = name;
	return -error;
}

/* Which feature needs which (A2): the field is the one to change, the error names what is missing.
 */
static int check_features(const struct spe_config *config, const char **field)
{
	const bool v1p2 = config->version >= SPE_V1P2, v1p4 = config->version >= SPE_V1P4;
	const bool v1p5 = config->version >= SPE_V1P5;
	const struct {
		bool broken;
		uint8_t error;
		const char *field;
	} rules[] = {
		{config->fne != v1p2, SPE_EFNE, "fne"},
		{config->fds && !v1p4, SPE_EFDS, "fds"},
		{config->pbt && !v1p2, SPE_EPBT, "pbt"},
		{config->crr && !v1p4, SPE_ECRR, "crr"},
		{v1p5 && !config->crr, SPE_ENEEDCRR, "crr"},
		{config->gcs && v1p4 && !config->crr, SPE_EGCS, "crr"},
		{config->fpf && !config->eft, SPE_EEFT, "eft"},
		{config->eft && !config->fpf, SPE_EFPF, "fpf"},
		{config->sme && config->version < SPE_V1P1, SPE_ESME, "sme"},
		{config->exc && !v1p5, SPE_EEXC, "exc"},
		{v1p5 && !config->exc && !config->incomplete, SPE_ENEEDEXC, "exc"},
		{v1p5 && !config->nvm && !config->incomplete, SPE_ENEEDNVM, "nvm"},
		{config->dpfzs && !v1p2, SPE_EDPFZS, "dpfzs"},
		{config->altclk > 1 && config->altclk != 15, SPE_EALTCLK, "altclk"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].broken)
			return wrong(field, rules[i].field, rules[i].error);
	return 0;
}

static int check_enums(const struct spe_config *config, const char **field)
{
	const struct {
		unsigned int value, last;
		const char *field;
	} enums[] = {
		{(unsigned int)config->reload, SPE_RELOAD_AFTER_TAIL, "reload"},
		{(unsigned int)config->interval_zero, SPE_INTERVAL_ZERO_LONGEST, "interval_zero"},
		{(unsigned int)config->external_abort, SPE_ABORT_SERROR, "external_abort"},
		{(unsigned int)config->empty_filter, SPE_EMPTY_FILTER_NO_SAMPLES, "empty_filter"},
		{(unsigned int)config->partial, SPE_PARTIAL_REWOUND, "partial"},
		{(unsigned int)config->pointer, SPE_POINTER_DISCARD, "pointer"},
		{(unsigned int)config->oversize, SPE_OVERSIZE_EVENT, "oversize"},
		{(unsigned int)config->reserved_nspb, SPE_RESERVED_NSPB_EVENT, "reserved_nspb"},
	};

	for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
		if (enums[i].value > enums[i].last)
			return wrong(field, enums[i].field, SPE_ECHOICE);
	return 0;
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
	if (config->pointer_res0 > config->align)
		return wrong(field, "pointer_res0", SPE_EPOINTER);
	if (config->max_buffer != 0 && (spe_max_buffer_field(config->max_buffer) == 0 ||
					config->max_buffer < UINT64_C(1) << config->max_size))
		return wrong(field, "max_buffer", SPE_EMAXBUFFER);
	return check_enums(config, field);
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
	if (config->extra_packets > SPE_EXTRA_MAX)
		return wrong(field, "extra_packets", SPE_EEXTRA);
	if (config->max_size < 6 || config->max_size > 11)
		return wrong(field, "max_size", SPE_EMAXSIZE);
	if (config->oversize == SPE_OVERSIZE_REFUSED &&
	    spe_record_max(config) > (size_t)1 << config->max_size)
		return wrong(field, "max_size", SPE_EMAXSIZE);
	if (config->align > config->max_size)
		return wrong(field, "align", SPE_EALIGN);
	return 0;
}

int spe_config_check(const struct spe_config *config, const char **field)
{
	int error;

	if (config->version < SPE_V1P0 || config->version > SPE_V1P5)
		return wrong(field, "version", SPE_EVERSION);
	error = check_features(config, field);
	if (error)
		return error;
	error = check_records(config, field);
	if (error)
		return error;
	if (config->interval > 8 || config->interval == 1)
		return wrong(field, "interval", SPE_EINTERVAL);
	if (config->granule != 12 && config->granule != 14 && config->granule != 16)
		return wrong(field, "granule", SPE_EGRANULE);
	if (config->events & ~optional_events(config))
		return wrong(field, "events", SPE_EEVENTS);
	return check_choices(config, field);
}

uint32_t spe_config_features(const struct spe_config *config)
{
	return SYSREG_FEAT_SPE | (config->fne ? SYSREG_FEAT_SPE_FNE : 0) |
	       (config->fds ? SYSREG_FEAT_SPE_FDS : 0) | (config->nvm ? SYSREG_FEAT_SPE_NVM : 0) |
	       (config->exc ? SYSREG_FEAT_SPE_EXC : 0);
}

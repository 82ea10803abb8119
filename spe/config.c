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
	[SPE_EABORT] = "from FEAT_SPEv1p3 on external aborts are ignored, or SErrors",
	[SPE_EFLAGUPDATE] = "FEAT_SPEv1p3 needs it",
	[SPE_EFAULTLAG] = "faults are reported later from FEAT_SPEv1p5 on",
	[SPE_ELAYOUT] = "records in this layout have no place for it",
	[SPE_ELAYOUTSIZE] = "records in this layout have 64 bytes",
	[SPE_ESIZE] = "a struct has another size: library and headers are of other versions",
	[SPE_EDECODER] = "a decoder that was not set up",
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

/* The packet reports an exception and "not taken" whether or not they can be filtered on. */
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

/* The presets of the table, which say these of a population. */
#define MEMBERS(is_member, is_captured)                      \
	(struct spe_population)                              \
	{                                                    \
		.member = is_member, .captured = is_captured \
	}

void spe_config_defaults(struct spe_config *config, enum spe_version version)
{
	*config = (struct spe_config){
#define SPE_CHOICE(type, name, preset, image, option, help) .name = (preset),
#include <vspe/spe_choices.def>
	};
}

static bool laid_out(const struct spe_config *config)
{
	return config->layout != SPE_LAYOUT_GENERIC;
}

/* Is a member one of the values that it is limited to? */
#define IS_VALUE(member, word, value) || (member) == (value)
#define AMONG(values, member)	      (false values(IS_VALUE, config->member))

int spe_config_check(const struct spe_config *config, const char **field)
{
	const enum spe_version version = config->version;
	const char *name;

	if (!field)
		field = &name;
#define SPE_RULE(name, error, broken) \
	if (broken) {                 \
		*field = #name;       \
		return -(error);      \
	}
#include <vspe/spe_choices.def>
	return 0;
}

uint32_t spe_config_features(const struct spe_config *config)
{
	return SYSREG_FEAT_SPE | (config->fne ? SYSREG_FEAT_SPE_FNE : 0) |
	       (config->fds ? SYSREG_FEAT_SPE_FDS : 0) | (config->nvm ? SYSREG_FEAT_SPE_NVM : 0) |
	       (config->exc ? SYSREG_FEAT_SPE_EXC : 0);
}

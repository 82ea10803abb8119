/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a configuration, its fields in ID registers, and the errors in words. */
#include "whole.h"

static const char *const messages[] = {
	[0] = "no error",
	[PMU_ESIZE] = "the unit has fewer bytes than pmu_unit_size()",
	[PMU_EVERSION] = "no unit is of this version",
	[PMU_ELEVELS] = "these Exception levels and Security states do not go together",
	[PMU_EEVENTS] = "an event that the unit or SPE counts, or that is there twice",
	[PMU_EIMAGE] = "these bytes are no image of a unit, or a part of one",
	[PMU_EIMAGEVERSION] = "an image of a version that this library does not know",
	[PMU_EIMAGESUM] = "the checksum of the image is wrong",
	[PMU_EIMAGEVALUE] = "the image has a value that no unit has",
	[PMU_EIMAGECONFIG] = "the image is of a unit with another configuration",
};

#define MESSAGES (sizeof(messages) / sizeof(messages[0]))

const char *pmu_strerror(int error)
{
	const unsigned int number = error < 0 ? 0u - (unsigned int)error : (unsigned int)error;

	return number < MESSAGES ? messages[number] : "unknown error";
}

/* The events below 64 that the unit counts itself. */
#define OWN_EVENTS                                                                         \
	(BIT(PMU_SW_INCR) | BIT(PMU_INST_RETIRED) | BIT(PMU_CPU_CYCLES) | BIT(PMU_CHAIN) | \
	 BIT(PMU_OP_RETIRED))

/* 0, or above 63 and none of SPE's, and no number twice. */
static bool more_possible(const uint16_t more[PMU_MORE_EVENTS])
{
	for (unsigned int i = 0; i < PMU_MORE_EVENTS; i++) {
		if (more[i] == 0)
			continue;
		if (more[i] < 64 || pmu_sample_find(more[i]) != PMU_SAMPLES)
			return false;
		for (unsigned int j = 0; j < i; j++)
			if (more[j] == more[i])
				return false;
	}
	return true;
}

static int complain(const char **field, const char *name, enum pmu_error error)
{
	if (field)
		*field = name;
	return -(int)error;
}

int pmu_config_check(const struct pmu_config *config, const char **field)
{
	if (config->version != PMU_V3P1 &&
	    (config->version < PMU_V3P4 || config->version > PMU_V3P9))
		return complain(field, "version", PMU_EVERSION);
	if (config->sel2 && !(config->el2 && config->el3))
		return complain(field, "sel2", PMU_ELEVELS);
	if (config->rme && !config->el3)
		return complain(field, "rme", PMU_ELEVELS);
	if (config->events & OWN_EVENTS)
		return complain(field, "events", PMU_EEVENTS);
	if (!more_possible(config->more))
		return complain(field, "more", PMU_EEVENTS);
	return 0;
}

uint64_t pmu_config_id_aa64dfr0(const struct pmu_config *config)
{
	return (uint64_t)config->version << 8; /* PMUVer */
}

uint64_t pmu_config_id_aa64dfr1(const struct pmu_config *config)
{
	return config->version >= PMU_V3P9 ? UINT64_C(1) << 36 : 0; /* PMICNTR */
}

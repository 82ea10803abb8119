/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of --pmu: see pmu_words.h. */
#include "arm/pmu_words.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *word;
	enum pmu_version version;
} versions[] = {
	{"v3p1", PMU_V3P1}, {"v3p4", PMU_V3P4}, {"v3p5", PMU_V3P5},    {"v3p7", PMU_V3P7},
	{"v3p8", PMU_V3P8}, {"v3p9", PMU_V3P9}, {"kvm", ARM_PMU_HOST},
};

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

enum pmu_version arm_pmu_version(const char *word)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (strcmp(versions[i].word, word) == 0)
			return versions[i].version;
	return PMU_NONE;
}

const char *arm_pmu_word(enum pmu_version version)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (versions[i].version == version)
			return versions[i].word;
	return "off";
}

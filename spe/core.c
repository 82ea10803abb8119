/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores by name, a row each. docs/cores.md has the source of each number; what is not known of a
 * core is as in spe_config_defaults().
 */
#include "internal.h"

/* PMSIDR_EL1.Interval: 256 and 1024 operations. */
#define INTERVAL_256  0
#define INTERVAL_1024 4

static const struct spe_core cores[] = {
	{.name = "generic",
	 .what = "no real core: the defaults of the version",
	 .version = SPE_VERSION_DEFAULT,
	 .layout = SPE_LAYOUT_GENERIC,
	 .arch_inst = true,
	 .lds = true,
	 .ernd = true,
	 .max_size = 6,
	 .align = 6,
	 .interval = INTERVAL_256,
	 .events_size = 4},
	{.name = "neoverse-n1",
	 .what = "Arm Neoverse N1 r4p1",
	 .midr = 0x414fd0c1,
	 .version = SPE_V1P0,
	 .layout = SPE_LAYOUT_NEOVERSE,
	 .lds = true,
	 .max_size = 6,
	 .align = 6,
	 .interval = INTERVAL_1024,
	 .events_size = 2},
	{.name = "neoverse-v1",
	 .what = "Arm Neoverse V1 r1p2",
	 .midr = 0x411fd402,
	 .version = SPE_V1P1,
	 .layout = SPE_LAYOUT_NEOVERSE,
	 .lds = true,
	 .max_size = 6,
	 .align = 6,
	 .interval = INTERVAL_1024,
	 .events_size = 4},
	{.name = "neoverse-n2",
	 .what = "Arm Neoverse N2 r0p3",
	 .midr = 0x410fd493,
	 .version = SPE_V1P1,
	 .layout = SPE_LAYOUT_NEOVERSE,
	 .lds = true,
	 .max_size = 6,
	 .align = 6,
	 .interval = INTERVAL_1024,
	 .events_size = 4},
	{.name = "neoverse-v2",
	 .what = "Arm Neoverse V2 r0p0",
	 .midr = 0x410fd4f0,
	 .version = SPE_V1P1,
	 .layout = SPE_LAYOUT_NEOVERSE,
	 .lds = true,
	 .max_size = 6,
	 .align = 6,
	 .interval = INTERVAL_1024,
	 .events_size = 4},
	{.name = "kunpeng920",
	 .what = "HiSilicon Kunpeng 920 r1p0",
	 .midr = 0x481fd010,
	 .version = SPE_V1P0,
	 .layout = SPE_LAYOUT_KUNPENG920,
	 .max_size = 7,
	 .align = 2,
	 .interval = INTERVAL_256,
	 .events_size = 2},
	{.name = "fvp",
	 .what = "Arm Base FVP (AEM)",
	 .midr = 0x410fd0f0,
	 .version = SPE_V1P0,
	 .layout = SPE_LAYOUT_FVP,
	 .arch_inst = true,
	 .max_size = 6,
	 .align = 0,
	 .interval = INTERVAL_256,
	 .events_size = 1},
};

#define CORES (sizeof(cores) / sizeof(cores[0]))

const struct spe_core *spe_core(unsigned int number)
{
	return number < CORES ? &cores[number] : NULL;
}

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const struct spe_core *spe_core_find(const char *name)
{
	for (size_t i = 0; i < CORES; i++)
		if (same_name(cores[i].name, name))
			return &cores[i];
	return NULL;
}

void spe_config_core(struct spe_config *config, const struct spe_core *core,
		     enum spe_version version)
{
	spe_config_defaults(config, version);
	config->layout = core->layout;
	config->arch_inst = core->arch_inst;
	config->lds = core->lds;
	config->ernd = core->ernd;
	config->max_size = core->max_size;
	config->align = core->align;
	config->interval = core->interval;
	config->events_size = core->events_size;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores by name, of cores.def.
 */
#include "internal.h"

/* PMSIDR_EL1.Interval: 256 and 1024 operations. */
#define INTERVAL_256  0
#define INTERVAL_1024 4

static const struct spe_core cores[] = {
#define CORE(core_name, core_midr, sources, isa, ...) \
	{.name = core_name, .midr = core_midr, __VA_ARGS__},
#include "cores.def"
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores by name: sets of choices that make a unit's ID registers and records those of a real core.
 * docs/cores.md says where each number comes from. Part of vspe/spe.h.
 */
#ifndef VSPE_SPE_CORE_H
#define VSPE_SPE_CORE_H

#include <vspe/spe_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * What is known of a core. The choices are members of struct spe_config, by their names. C++ needs
 * the keyword too: spe_core() is a function.
 */
struct spe_core {
	const char *name;	  /* "neoverse-n1" */
	const char *what;	  /* a line about it, for people */
	uint32_t midr;		  /* MIDR_EL1; 0: of no core, the embedder has its own */
	enum spe_version version; /* that the core has */
	enum spe_layout layout;
	bool arch_inst, lds, ernd;
	uint8_t max_size, align, interval, events_size;
};

/*
 * The cores by number, from 0 on; the first is "generic", which is spe_config_defaults(). NULL:
 * there are no more. Static storage.
 */
const struct spe_core *spe_core(unsigned int number);

/* A core by its name. NULL: there is none of that name. Static storage. */
const struct spe_core *spe_core_find(const char *name);

/*
 * spe_config_defaults() of a version, with the choices of a core; core->version makes it that core.
 * With a version that brings what the core's layout has no place for, spe_config_check() says so.
 */
void spe_config_core(struct spe_config *config, const struct spe_core *core,
		     enum spe_version version);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

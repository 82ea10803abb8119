/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options of the software CPU choose. */
#ifndef VSPE_SOFT_TUNING_H
#define VSPE_SOFT_TUNING_H

#include "arm/model_mode.h"
#include "engine.h"
#include "soft/sys/unknown.h"

enum soft_jit_wish {
	SOFT_JIT_AUTO, /* if soft_code_memory_reserve() has found memory */
	SOFT_JIT_ON,
	SOFT_JIT_OFF,
};

struct engine_tuning {
	bool single_step; /* execute one operation at a time (for tests) */
	enum soft_jit_wish jit;
	bool jit_at_once; /* a block is translated before it is executed (for tests) */
	bool isa_given;
	uint64_t isa_kept, isa_added; /* of what the core has, and besides */
	uint64_t isa;		      /* sys/isa.h */
	unsigned int sve_vl_given;    /* --sve-vl in bytes; 0: the core's */
	uint16_t sve_vl;	      /* bytes of the longest vector of SVE; 0 without it */
	bool model_given;
	bool model_begins; /* what is restored had none: this one has seen nothing */
	struct model_wish model;
	struct model_config machine; /* with a model */
	bool unknown_given;
	struct soft_unknown unknown;
};

extern const struct engine_tuning soft_tuning_default;
extern const struct engine_option soft_options[];

/* Of struct engine. */
void soft_tuning_reserve(const struct engine_tuning *tuning);
const char *soft_tuning_endless(void);
int soft_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size);
bool soft_tuning_seed(const struct engine_tuning *tuning, uint64_t *seed);
int soft_check_wish(const struct engine_wish *wish, char *why, size_t size);
void soft_tuning_state(struct engine_tuning *tuning, struct state *state);
bool soft_tuning_models(const struct engine_tuning *tuning);
int soft_tuning_adopt(struct engine_tuning *tuning, const struct engine_tuning *saved, char *given,
		      char *has, size_t size);

#endif

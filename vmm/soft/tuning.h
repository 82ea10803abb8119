/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options of the software CPU choose. */
#ifndef VSPE_SOFT_TUNING_H
#define VSPE_SOFT_TUNING_H

#include "arm/model_mode.h"
#include "engine.h"

struct engine_tuning {
	bool single_step; /* execute one operation at a time (for tests) */
	bool isa_given;
	uint64_t isa_kept, isa_added; /* of what the core has, and besides */
	uint64_t isa;		      /* sys/isa.h */
	bool model_given;
	bool model_begins;	 /* what is restored had none: this one has seen nothing */
	uint32_t model_mode;	 /* enum soft_model_mode */
	uint32_t model_window;	 /* 0 but with SOFT_MODEL_SAMPLED */
	const char *model_value; /* of the option; the caller's */
	struct model_file file;	 /* what its file says */
	struct model_config model;
};

extern const struct engine_tuning soft_tuning_default;
extern const struct engine_option soft_options[];

/* Of struct engine. */
int soft_tuning_core(struct engine_tuning *tuning, const char *core, char *why, size_t size);
int soft_check_wish(const struct engine_wish *wish, char *why, size_t size);
void soft_tuning_state(struct engine_tuning *tuning, struct state *state);
int soft_tuning_adopt(struct engine_tuning *tuning, const struct engine_tuning *saved, char *given,
		      char *has, size_t size);

#endif

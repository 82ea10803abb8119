/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operations, for a unit and for functions of the pseudocode. */
#ifndef VSPE_CONFORM_FUNCTIONS_OP_H
#define VSPE_CONFORM_FUNCTIONS_OP_H

#include "conform/functions_machine.h"

struct functions_op {
	struct spe_op op;
	unsigned int kind; /* a row of the table */
	uint64_t choice;   /* of what the kind leaves open */
};

/* An operation of a PE with these features. */
struct functions_op functions_op(const struct spe_config *c, uint64_t random);
/*
 * Tell the functions of it: what happened between SPEStartSample() and SPECompleteSample(). What
 * the functions choose, such as which half of a copy is sampled, is taken over into o->op. False:
 * m->failed.
 */
bool functions_op_tell(struct functions_machine *m, struct functions_op *o);
/* A word for reports; static storage. */
const char *functions_op_name(const struct functions_op *o);

#endif

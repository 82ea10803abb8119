/* SPDX-License-Identifier: BSD-2-Clause */
/* Random configurations and operations for the models of filters and records. */
#ifndef VSPE_CONFORM_MODEL_OP_H
#define VSPE_CONFORM_MODEL_OP_H

#include "conform/model.h"
#include "conform/unit.h"
#include "trace/record.h"

/* A version and features that go together; what can be wrong about sizes is left at its default. */
void model_config(struct spe_config *config, uint64_t *random);
/* An operation, branch, load or store, atomic, or another, as a PE with these features has it. */
/* The payload of its Operation Type packet. */
uint64_t model_op_type(const struct spe_config *c, const struct spe_op *op);
struct spe_op model_op(const struct spe_config *config, uint64_t *random);

/*
 * Events that a record can show (Arm ARM D18.2), and those that filters can ask for; bit n is
 * event n. Event 1 is no question for a filter where every operation is retired.
 */
uint64_t model_events(const struct spe_config *config);
uint64_t model_filter_events(const struct spe_config *config);
/* The Events of the operation's record. */
uint64_t model_op_events(const struct spe_config *config, const struct spe_op *op);

/*
 * A record in the layout of a core, of the packets that it has, the last one being its end. Returns
 * how many bytes it has.
 */
#define MODEL_LAYOUT_MAX 256
size_t model_layout(const struct spe_config *config, const struct spe_packet *packets, size_t count,
		    uint8_t bytes[MODEL_LAYOUT_MAX]);

#endif

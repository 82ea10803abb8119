/* SPDX-License-Identifier: BSD-2-Clause */
/* Random configurations and operations for the models of filters and records. */
#ifndef VSPE_CONFORM_MODEL_OP_H
#define VSPE_CONFORM_MODEL_OP_H

#include "conform/model.h"
#include "conform/unit.h"
#include "trace/record.h"

/* A valid combination of version and features. Sizes that could be wrong keep their default. */
void model_config(struct spe_config *config, uint64_t *random);
/* An operation (branch, load or store, atomic, or another) of a PE with these features. */
/* The payload of its Operation Type packet. */
uint64_t model_op_type(const struct spe_config *c, const struct spe_op *op);
struct spe_op model_op(const struct spe_config *config, uint64_t *random);

/*
 * Events that a record can have (Arm ARM D18.2), and those that filters can test; bit n is event n.
 * Event 1 is no test for a filter where every operation is retired.
 */
uint64_t model_events(const struct spe_config *config);
uint64_t model_filter_events(const struct spe_config *config);
/* The Events of the operation's record. */
uint64_t model_op_events(const struct spe_config *config, const struct spe_op *op);

/*
 * Write a record in the layout of a core, with the given packets, of which the last is its end.
 * Returns its size in bytes.
 */
#define MODEL_LAYOUT_MAX 256
size_t model_layout(const struct spe_config *config, const struct spe_packet *packets, size_t count,
		    uint8_t bytes[MODEL_LAYOUT_MAX]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A data access of a core of the machine model: its page, its lines, and what a record shows. */
#ifndef VSPE_MODEL_ACCESS_H
#define VSPE_MODEL_ACCESS_H

#include "core.h"

/* What a data access takes, and where its data comes from. */
struct model_data {
	uint32_t translation, access; /* cycles */
	bool walked;
	bool waits;		  /* following operations wait for its data */
	bool forwarded;		  /* from a store in the store buffer */
	bool late;		  /* the prefetcher asked for it, but not in time */
	enum model_source source; /* of RAM */
	bool remote;		  /* ... which is another chip's */
};

/*
 * Make an access of an operation: events and data source of *op are set, as its flags say whether
 * it is a load. model_way.now: the cycle of its issue, or 0 if it is alone.
 */
struct model_data model_access_data(struct model *model, uint32_t core,
				    const struct model_facts *facts,
				    const struct model_piece *piece, struct spe_op *op);

/* Its effects on TLBs and caches alone. Returns the farther source of two lines. */
enum model_source model_access_only(struct model *model, uint32_t core,
				    const struct model_facts *facts,
				    const struct model_piece *piece);

#endif

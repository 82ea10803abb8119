/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of an access, stated a second time: the ordered conditions of every accessor as
 * the Arm ARM has them, written without a look at sysreg/. The conformance suite compares
 * sysreg_route() with it wherever no page of Arm's is at hand.
 */
#ifndef VSPE_CONFORM_STATEMENT_H
#define VSPE_CONFORM_STATEMENT_H

#include "conform/world.h"

/* What a statement or a page says of one access. */
struct outcome {
	enum sysreg_route_kind kind;
	enum sysreg_id reg; /* SYSREG_DIRECT: the register reached */
	uint8_t target_el;  /* SYSREG_TRAP */
	uint16_t offset;    /* SYSREG_NVMEM */
};

/* Evaluated on a world with unknown bits, the result counts only if world.asked stays -1. */
struct outcome statement(struct world *w, enum sysreg_id reg, bool write);

/* ESR_ELx.ISS of a trap of the access, with Rt: from the encodings of the register pages. */
uint32_t statement_iss(enum sysreg_id reg, bool write, uint8_t rt);
/* op0:op1:CRn:CRm:op2, from the same. */
uint32_t statement_encoding(enum sysreg_id reg);
bool statement_writable(enum sysreg_id reg);

/* The route that an outcome means. */
struct sysreg_route outcome_route(struct outcome outcome, enum sysreg_id reg, bool write,
				  uint8_t rt);
/* In the words of vspe explain. */
void route_print(struct sysreg_route route, FILE *out);

#endif

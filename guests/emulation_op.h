/* SPDX-License-Identifier: BSD-2-Clause */
/* What libvspe has to know of an instruction that is about to execute. */
#ifndef EMULATION_OP_H
#define EMULATION_OP_H

#include <vspe/spe.h>

/*
 * Fill the operation type and, if there is a data access, its address; x is X0 to X30 and SP,
 * version the unit's.
 */
void emulation_describe(struct spe_op *op, uint32_t word, const uint64_t x[32],
			enum spe_version version);

#endif

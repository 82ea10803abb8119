/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of what computes with vectors. */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

bool t_put_vector_inline(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	(void)t, (void)op, (void)width, (void)arg;
	return false;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an assembler writes. If something does not fit it is not written, and jit_full() says so.
 */
#ifndef VSPE_SOFT_RUN_JIT_CODE_H
#define VSPE_SOFT_RUN_JIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jit_code {
	uint8_t *at, *end; /* where the next byte goes */
	uint8_t *from;	   /* the first one */
};

static inline bool jit_full(const struct jit_code *code)
{
	return code->at >= code->end;
}

#endif

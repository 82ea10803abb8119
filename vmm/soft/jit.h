/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of a VM to the translator (run/jit): to enter, drop and account for its code. */
#ifndef VSPE_SOFT_JIT_CODE_H
#define VSPE_SOFT_JIT_CODE_H

#include "soft/op.h"

struct soft_code_memory;

/* Bytes of host code. */
#define SOFT_JIT_CODE ((size_t)32 << 20)

struct soft_jit {
	/* Enters the fast loop at op, with the registers that generated code needs. */
	void (*enter)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	struct soft_code_memory *memory;
	uint8_t *writable, *executable; /* the same memory, which no address both writes and runs */
	size_t first, used;		/* bytes; blocks have theirs from first on */
	const uint8_t *by_run;		/* soft_block.found of blocks without code */
	const uint8_t *unaligned[2];	/* what code calls for an access, a read or a write */
	bool lzcnt, bmi, lahf;		/* the host has that; bmi: BMI1 and BMI2 */
	bool sse4, fma;			/* ... SSE4.2, FMA3 */
	bool rounds;			/* it rounds to nearest, and flushes nothing */
	bool scalable;			/* vectors of SVE may have more than 128 bits */
	uint8_t vl;		/* their bytes in templates: 16 or 32, or 0: none has them */
	bool warm;		/* code tells a model: --model warm */
	uint64_t ram_base;	/* ... which counts lines from there */
	bool flat;		/* soft_tlb_is_flat(), as it was not long ago */
	uint8_t hot;		/* executions of a block after which it is translated */
	unsigned int expecting; /* loads that have a place in soft_cpu.adds */
	bool told;		/* at the end: */
	uint64_t blocks, operations, bytes, nanoseconds;
	uint64_t sampled; /* blocks, translated once more: soft_jit_sampled() */
};

#endif

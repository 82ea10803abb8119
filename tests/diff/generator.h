/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the generator share: generate.c makes cases of groups, generate_memory.c the
 * groups that access memory, generate_words.c random words and values.
 */
#ifndef VSPE_TESTS_DIFF_GENERATOR_H
#define VSPE_TESTS_DIFF_GENERATOR_H

#include "generate.h"

#define XZR	    31
#define SP	    31
#define NO_REGISTER 32			 /* equal to no register */
#define SF	    UINT32_C(0x80000000) /* 64 bits */
#define KEEP(n)	    (UINT32_C(1) << (n)) /* a set of registers */

struct generator {
	uint64_t random;
	uint32_t *code;
	unsigned int count; /* words emitted */
	enum case_cpu cpu;
};

/* The fixed bits of a row */
static inline uint32_t gen_fixed(enum a64_id id)
{
	return a64_table[id].value;
}

/* A field; value may have more bits than width, as a negative one has. */
static inline uint32_t gen_field(uint64_t value, unsigned int lsb, unsigned int width)
{
	return (uint32_t)(value & ((UINT64_C(1) << width) - 1)) << lsb;
}

uint64_t gen_random64(struct generator *g);
/* 0 to n - 1 */
unsigned int gen_below(struct generator *g, unsigned int n);
/* A register value: every second one is at or next to the end of a range. */
uint64_t gen_value(struct generator *g);
/* Floating-point numbers of one size, every second one of a special kind or of a size near 1. */
uint64_t gen_float(struct generator *g);
/* A register other than 31, a and b */
unsigned int gen_other_register(struct generator *g, unsigned int a, unsigned int b);
/* A word of a row with random fields: all bits random, few set, many set, or equal registers. */
uint32_t gen_word(struct generator *g, enum a64_id id);
/* An instruction of the data processing sections that changes no register of the set keep. */
uint32_t gen_computation(struct generator *g, uint32_t keep);

void gen_emit(struct generator *g, uint32_t word);
void gen_emit_computation(struct generator *g, uint32_t keep);
/* Xd = value by MOVZ or MOVN, and MOVK for the rest; d is not 31 */
void gen_emit_constant(struct generator *g, unsigned int d, uint64_t value);

/* Base register n (31: SP) = value. May change another register than keep for it. */
void gen_emit_base(struct generator *g, unsigned int n, uint64_t value, unsigned int keep);
/* An address in scratch memory for an access of size bytes, aligned to align. */
uint64_t gen_address(struct generator *g, unsigned int size, unsigned int align);
/* A load, a store, an atomic or a prefetch of row id in scratch memory, and what prepares its
 * address. */
void gen_emit_access(struct generator *g, enum a64_id id);
/* A load or a prefetch of row id from this case's code */
void gen_emit_literal(struct generator *g, enum a64_id id);
/* A load exclusive and a store exclusive, one of them of row id */
void gen_emit_exclusive(struct generator *g, enum a64_id id);
/* A group of pointer authentication; false: row id is none of it */
bool gen_emit_pauth(struct generator *g, enum a64_id id);
/* SVE: random vectors and predicates; a row of it; a group of an access in scratch memory */
void gen_sve_state(struct generator *g, struct case_input *input);
enum a64_id gen_sve_row(struct generator *g);
bool gen_sve_keeps_upper(enum a64_id id);
void gen_emit_sve_access(struct generator *g, enum a64_id id);
/* An access that ends the case with an abort; returns with which */
enum case_end gen_emit_abort(struct generator *g);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function executes an instruction of SVE, with which operands. */
#include "soft/run/translate.h"
#include "soft/sve/memory.h"
#include "soft/sve/sve.h"

/* The registers at the usual places: rd, rn and rm, and ra for Pg of 3 bits. */
static void set_operands(struct translation *t)
{
	t->op->rd = t->word & 31;
	t->op->rn = t->word >> 5 & 31;
	t->op->rm = t->word >> 16 & 31;
	t->op->ra = t->word >> 10 & 7;
}

/* kind is a function of functions.def; other the row of lanes.def that it uses, if any. */
enum flow translate_sve(struct translation *t)
{
#define FUNCTION(name) soft_sve_##name,
	static soft_vector_function *const functions[] = {
#include "soft/sve/functions.def"
	};

	set_operands(t);
	t->op->aux = SOFT_AUX_LANES(t->other, t->word >> 22 & 3);
	t->op->imm = (uintptr_t)functions[t->kind];
	return set_kind(t, SOFT_sve);
}

/* 1 << size bytes */
static unsigned int size_of(struct a64_bytes bytes, uint32_t word)
{
	return (unsigned int)__builtin_ctz(a64_bytes_of(bytes, word));
}

/* kind is a function of memory.def. */
enum flow translate_sve_memory(struct translation *t)
{
#define FUNCTION(name) soft_sve_##name,
	static soft_function *const functions[] = {
#include "soft/sve/memory.def"
	};

	const struct soft_sve_access access = {
		.memory = size_of(t->insn->bytes, t->word),
		.element = size_of(t->insn->lane, t->word),
		.count = t->insn->count,
		.address = t->insn->address,
	};

	set_operands(t);
	t->op->aux = SOFT_AUX_ACCESS(access);
	return by_function(t, functions[t->kind]);
}

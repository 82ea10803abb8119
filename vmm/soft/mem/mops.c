/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory copy and memory set: see mops.h. Of the architecture's two options this PE implements A:
 * going up, Xd and Xs are the ends, and Xn is minus the bytes left; going down, Xd and Xs are the
 * starts, and Xn is the bytes left. The prologue moves bytes until the destination is aligned to a
 * unit, the main instruction whole units, the epilogue the rest of a unit.
 */
#include "soft/mem/mops.h"

#include "a64/a64.h"
#include "soft/flags.h"
#include "soft/mem/memory.h"
#include "soft/mem/touched.h"

#include <string.h>

#define UNIT	 64   /* bytes that are moved together */
#define MOST	 4096 /* bytes of one operation */
#define SET_MAX	 ((uint64_t)INT64_MAX)
#define COPY_MAX UINT64_C(0x007fffffffffffff)
#define TAGGED	 8 /* bits of an address that do not say what overlaps */

/* Of ESR_ELx.ISS of class ARM_EC_MOPS */
#define ISS_SET		 (1u << 24)
#define ISS_OPTIONS	 19
#define ISS_EPILOGUE	 (1u << 18)
#define ISS_WRONG_OPTION (1u << 17)
#define ISS_OPTION_A	 (1u << 16)

enum stage { PROLOGUE, MAIN, EPILOGUE };

/* The part that is left: to and from are its beginning or, going down, its end. */
struct mops {
	unsigned int rd, rs, rn, options;
	enum stage stage;
	bool set, down;
	bool ill; /* Xn is none that this option has */
	uint64_t left, to, from;
	uint8_t data[UNIT]; /* what is being moved */
};

static void decode(uint32_t word, struct mops *m)
{
	const struct a64_memory_copy copy = a64_get_memory_copy(word);
	const struct a64_memory_set set = a64_get_memory_set(word);

	*m = (struct mops){
		.rd = copy.rd,
		.rs = copy.rs,
		.rn = copy.rn,
		.set = a64_decode(word)->operation == A64_OP_MEMORY_SET,
	};
	m->stage = (enum stage)(m->set ? set.stage : copy.stage);
	m->options = m->set ? set.options : copy.options;
}

/*
 * Choose the prologue's size, and the direction that preserves a source that overlaps the
 * destination.
 */
static void begin(const struct soft_cpu *cpu, bool any, struct mops *m)
{
	const uint64_t size = cpu->x[m->rn], most = any ? COPY_MAX : SET_MAX;
	const uint64_t to = cpu->x[m->rd] << TAGGED >> TAGGED;
	const uint64_t from = cpu->x[m->rs] << TAGGED >> TAGGED;

	m->left = size < most ? size : most;
	m->down = any && from < to && to < ((from + m->left) << TAGGED >> TAGGED);
	m->to = cpu->x[m->rd] + (m->down ? m->left : 0);
	m->from = cpu->x[m->rs] + (m->down ? m->left : 0);
}

/* Continue where the previous instruction ended. */
static void resume(const struct soft_cpu *cpu, bool any, struct mops *m)
{
	const uint64_t n = cpu->x[m->rn];
	const bool positive = (int64_t)n > 0;

	m->down = any && positive;
	m->ill = !any && positive;
	m->left = m->down ? n : 0 - n;
	m->to = cpu->x[m->rd] + n;
	m->from = cpu->x[m->rs] + n;
}

static void understand(const struct soft_cpu *cpu, uint32_t word, struct mops *m)
{
	bool any;

	decode(word, m);
	any = !m->set && a64_get_memory_copy(word).any;
	if (m->stage == PROLOGUE)
		begin(cpu, any, m);
	else
		resume(cpu, any, m);
}

/* The bytes that one execution moves. */
static uint64_t amount(const struct mops *m)
{
	const uint64_t unaligned = (m->down ? m->to : 0 - m->to) % UNIT;

	switch (m->stage) {
	case PROLOGUE: return m->left < unaligned ? m->left : unaligned;
	case MAIN: return m->left < MOST ? m->left / UNIT * UNIT : MOST;
	default: return m->left;
	}
}

/* The prologue used the other option, or ran on a PE that splits the work differently. */
static bool mismatched(const struct soft_cpu *cpu, const struct mops *m, bool *wrong_option)
{
	*wrong_option = m->stage != PROLOGUE && soft_flags(cpu) & 2;
	return *wrong_option || m->ill || (m->stage == EPILOGUE && m->left >= UNIT);
}

static bool startable(struct soft_cpu *cpu, const struct mops *m)
{
	bool wrong_option;

	if (!soft_mops_enabled(&cpu->sys)) {
		cpu->fault = (struct soft_exception){.ec = ARM_EC_UNKNOWN};
		return false;
	}
	if (!mismatched(cpu, m, &wrong_option))
		return true;
	cpu->fault = (struct soft_exception){
		.ec = ARM_EC_MOPS,
		.target_el = (uint8_t)soft_mops_target(&cpu->sys),
		.iss = (m->set ? ISS_SET : 0) | m->options << ISS_OPTIONS |
		       (m->stage == EPILOGUE ? ISS_EPILOGUE : 0) |
		       (wrong_option ? ISS_WRONG_OPTION : 0) | ISS_OPTION_A | m->rd << 10 |
		       m->rs << 5 | m->rn,
	};
	return false;
}

/* A bit of the options: 0 stores as EL0 would, 1 loads so. */
static bool unprivileged(const struct mops *m, bool write)
{
	return m->options >> (write ? 0 : 1) & 1;
}

static bool move_shown(struct soft_cpu *cpu, const struct soft_bytes *bytes)
{
	if (!soft_move_bytes(cpu, bytes))
		return false;
	if (SOFT_UNLIKELY(cpu->vm->model))
		soft_touched_note(cpu, bytes, false);
	return true;
}

/* Move at most size bytes of a unit. A fault leaves everything unchanged. */
static bool move(struct soft_cpu *cpu, struct mops *m, unsigned int size)
{
	const uint64_t step = m->down ? 0 - (uint64_t)size : size;
	struct soft_bytes bytes = {
		.va = m->from - (m->down ? size : 0),
		.size = size,
		.element = 1,
		.unprivileged = unprivileged(m, false),
		.data = m->data,
	};

	if (!m->set && !move_shown(cpu, &bytes))
		return false;
	bytes.va = m->to - (m->down ? size : 0);
	bytes.write = true;
	bytes.unprivileged = unprivileged(m, true);
	if (!move_shown(cpu, &bytes))
		return false;
	m->to += step;
	m->from += step;
	m->left -= size;
	return true;
}

/* Set the registers for the next execution, of this instruction or of the following one. */
static void leave(struct soft_cpu *cpu, const struct mops *m)
{
	const uint64_t n = m->down ? m->left : 0 - m->left;

	cpu->x[m->rd] = m->to - n;
	if (!m->set)
		cpu->x[m->rs] = m->from - n;
	cpu->x[m->rn] = n;
}

static bool execute(struct soft_cpu *cpu, struct mops *m)
{
	uint64_t more;

	soft_touched_begin(cpu);
	if (!startable(cpu, m))
		return false;
	for (more = amount(m); more > 0;) {
		const unsigned int size = more < UNIT ? (unsigned int)more : UNIT;

		if (!move(cpu, m, size))
			break;
		more -= size;
	}
	/* A prologue moves less than a unit: if it faults, it has done nothing. */
	if (m->stage == PROLOGUE && more > 0)
		return false;
	leave(cpu, m);
	if (m->stage == PROLOGUE)
		soft_set_flags(cpu, 0);
	if (more > 0)
		return false;
	cpu->unfinished = m->stage == MAIN && m->left >= UNIT;
	return !cpu->unfinished;
}

bool soft_op_memory_copy(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct mops m;

	understand(cpu, op->word, &m);
	return execute(cpu, &m);
}

bool soft_op_memory_set(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct mops m;

	understand(cpu, op->word, &m);
	memset(m.data, (uint8_t)cpu->x[m.rs], sizeof(m.data));
	return execute(cpu, &m);
}

bool soft_mops_access(const struct soft_cpu *cpu, uint32_t word, bool write, uint64_t *va,
		      unsigned int *size, unsigned int *el)
{
	struct mops m;
	bool unused;

	understand(cpu, word, &m);
	if (mismatched(cpu, &m, &unused))
		return false;
	*size = (unsigned int)amount(&m);
	*va = (write ? m.to : m.from) - (m.down ? *size : 0);
	*el = unprivileged(&m, write) ? soft_unprivileged_el(&cpu->sys) : cpu->sys.pstate.el;
	return *size > 0;
}

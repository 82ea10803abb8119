/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which host register has the value of which slot of soft_cpu.x while a block is translated, and
 * which of them is newer than the slot.
 */
#include "soft/run/jit/translator.h"
#include "base/assertion.h"

#include <string.h>

#if SOFT_JIT

#define BIT(reg) (UINT32_C(1) << (reg))

static void give_up(struct translator *t, unsigned int reg)
{
	const unsigned int slot = t->slot[reg];

	if (slot == NO_SLOT)
		return;
	if (t->dirty & BIT(reg))
		host_store(&t->code, reg, slot);
	t->dirty &= ~BIT(reg);
	t->reg[slot] = NO_REG;
	t->slot[reg] = NO_SLOT;
}

/*
 * How many operations later a slot may be needed. This is a guess: a field may be another kind of
 * operand.
 */
static unsigned int next_use(const struct translator *t, unsigned int slot)
{
	const struct soft_op *op = t->at, *end = t->block->ops + t->block->count;

	while (++op < end && op->rn != slot && op->rm != slot && op->ra != slot && op->rd != slot)
		;
	return (unsigned int)(op - t->at);
}

/* Give up the register whose slot is needed last; of several, one that need not be stored. */
static unsigned int find_free(struct translator *t)
{
	unsigned int best = 0, furthest = 0;

	for (size_t n = 0; n < host_pool_size; n++) {
		const unsigned int reg = host_pool[n];
		unsigned int use;

		if (t->pinned & BIT(reg))
			continue;
		if (t->slot[reg] == NO_SLOT)
			return reg;
		use = 2 * next_use(t, t->slot[reg]) + !(t->dirty & BIT(reg));
		if (use > furthest) {
			furthest = use;
			best = reg;
		}
	}
	vspe_assert_of(furthest, t->pinned, t->dirty);
	give_up(t, best);
	return best;
}

static unsigned int take(struct translator *t, unsigned int slot, bool load)
{
	unsigned int reg = t->reg[slot];

	vspe_assert_of(slot < SOFT_X_COUNT && (reg == NO_REG || t->slot[reg] == slot), slot, reg);
	t->used |= UINT64_C(1) << slot;
	if (reg == NO_REG) {
		reg = find_free(t);
		t->reg[slot] = (uint8_t)reg;
		t->slot[reg] = (uint8_t)slot;
		if (load)
			host_load(&t->code, reg, slot);
	}
	t->pinned |= BIT(reg);
	return reg;
}

unsigned int t_use(struct translator *t, unsigned int slot)
{
	return take(t, slot, true);
}

/* SP changes by a multiple of 16: by write-back, or when a frame is made. */
static bool keeps_sp_aligned(const struct soft_op *op)
{
	if (op->imm % 16)
		return false;
	return op->kind >= SOFT_MEMORY_FIRST ||
	       ((op->kind == SOFT_add_imm_64 || op->kind == SOFT_sub_imm_64) &&
		op->rn == SOFT_X_SP);
}

unsigned int t_define(struct translator *t, unsigned int slot)
{
	const unsigned int reg = take(t, slot, false);

	if (slot == SOFT_X_SP && !keeps_sp_aligned(t->at))
		t->sp_aligned = false;
	for (unsigned int n = 0; n < 2; n++)
		t->flag_slot[n] = t->flag_slot[n] == slot ? NO_SLOT : t->flag_slot[n];
	if (slot != SOFT_X_SINK) {
		t->dirty |= BIT(reg);
		t->defined |= UINT64_C(1) << slot;
	}
	return reg;
}

void t_store(struct translator *t, uint32_t dirty, const uint8_t *slot)
{
	for (; dirty; dirty &= dirty - 1) {
		const unsigned int reg = (unsigned int)__builtin_ctz(dirty);

		host_store(&t->code, reg, slot[reg]);
	}
}

void t_flush(struct translator *t)
{
	t_store(t, t->dirty, t->slot);
	t->dirty = 0;
}

void t_forget(struct translator *t)
{
	memset(t->reg, NO_REG, sizeof(t->reg));
	memset(t->slot, NO_SLOT, sizeof(t->slot));
	t->dirty = 0;
	t->forgot = true;
}

unsigned int t_flag_reg(const struct translator *t, unsigned int operand)
{
	const unsigned int slot = t->flag_slot[operand];

	return slot == NO_SLOT ? NO_REG : t->reg[slot];
}

void t_set_flag_slots(struct translator *t, unsigned int first, unsigned int second)
{
	t->flag_slot[0] = (uint8_t)first;
	t->flag_slot[1] = (uint8_t)second;
}

bool t_fits(uint64_t used)
{
	return (size_t)__builtin_popcountll(used) <= host_pool_size;
}

void t_begin_loop(struct translator *t, uint64_t used, uint64_t defined)
{
	for (; used; used &= used - 1) {
		const unsigned int slot = (unsigned int)__builtin_ctzll(used);

		if (defined >> slot & 1)
			t->dirty |= BIT(t_use(t, slot));
		else
			(void)t_use(t, slot);
	}
	t->head = t->code.at;
}

#endif

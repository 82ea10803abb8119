/* SPDX-License-Identifier: BSD-2-Clause */
/* What all templates share: registers, ways out, and the ends of a block. */
#include "soft/run/jit/translator.h"

#include <string.h>

#if SOFT_JIT

/* Registers that slots may be in. Functions that are called keep the first five. */
static const uint8_t pool[] = {RBX, R12, R13, R14, R15, R8, R9, R10};
#define POOL (sizeof(pool) / sizeof(pool[0]))

#define BIT(reg) ((uint16_t)(1u << (reg)))

static struct x86_operand slot_at(unsigned int slot)
{
	return x86_at(RDI, (int32_t)(offsetof(struct soft_cpu, x) + 8 * slot));
}

static void give_up(struct translator *t, unsigned int reg)
{
	const unsigned int slot = t->slot[reg];

	if (slot == NO_SLOT)
		return;
	if (t->dirty & BIT(reg))
		x86_emit(&t->code, X86_mov_to, 64, reg, slot_at(slot), 0);
	t->dirty &= (uint16_t)~BIT(reg);
	t->reg[slot] = NO_REG;
	t->slot[reg] = NO_SLOT;
}

/* How many operations behind the present one a slot is wanted, perhaps: a field may be another
 * operand. */
static unsigned int next_use(const struct translator *t, unsigned int slot)
{
	const struct soft_op *op = t->at, *end = t->block->ops + t->block->count;

	while (++op < end && op->rn != slot && op->rm != slot && op->ra != slot && op->rd != slot)
		;
	return (unsigned int)(op - t->at);
}

/* The one whose slot is wanted last is given up, one that need not be stored if several are. */
static unsigned int find_free(struct translator *t)
{
	unsigned int best = 0, furthest = 0;

	for (size_t n = 0; n < POOL; n++) {
		const unsigned int reg = pool[n];
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
	give_up(t, best);
	return best;
}

static unsigned int take(struct translator *t, unsigned int slot, bool load)
{
	unsigned int reg = t->reg[slot];

	t->used |= UINT64_C(1) << slot;
	if (reg == NO_REG) {
		reg = find_free(t);
		t->reg[slot] = (uint8_t)reg;
		t->slot[reg] = (uint8_t)slot;
		if (load)
			x86_emit(&t->code, X86_mov, 64, reg, slot_at(slot), 0);
	}
	t->pinned |= BIT(reg);
	return reg;
}

unsigned int t_use(struct translator *t, unsigned int slot)
{
	return take(t, slot, true);
}

unsigned int t_define(struct translator *t, unsigned int slot)
{
	const unsigned int reg = take(t, slot, false);

	if (slot != SOFT_X_SINK) {
		t->dirty |= BIT(reg);
		t->defined |= UINT64_C(1) << slot;
	}
	return reg;
}

static void store_dirty(struct translator *t, uint16_t dirty, const uint8_t *slot)
{
	for (; dirty; dirty &= (uint16_t)(dirty - 1)) {
		const unsigned int reg = (unsigned int)__builtin_ctz(dirty);

		x86_emit(&t->code, X86_mov_to, 64, reg, slot_at(slot[reg]), 0);
	}
}

void t_flush(struct translator *t)
{
	store_dirty(t, t->dirty, t->slot);
	t->dirty = 0;
}

void t_forget(struct translator *t)
{
	memset(t->reg, NO_REG, sizeof(t->reg));
	memset(t->slot, NO_SLOT, sizeof(t->slot));
	t->dirty = 0;
	t->forgot = true;
}

bool t_fits(uint64_t used)
{
	return (size_t)__builtin_popcountll(used) <= POOL;
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

bool t_is_loop(const struct soft_block *block, unsigned int side)
{
	return block->links && block->links->target[side] == block->va;
}

static int32_t distance(const struct translator *t, const struct soft_op *op)
{
	return (int32_t)((op - t->block->ops) * (ptrdiff_t)sizeof(*op));
}

struct x86_operand t_field(const struct translator *t, const struct soft_op *op, size_t offset)
{
	return x86_at(RSI, distance(t, op) + (int32_t)offset);
}

bool t_small(const struct soft_op *op, unsigned int width, int32_t *imm)
{
	const int64_t value = width == 64 ? (int64_t)op->imm : (int64_t)(int32_t)op->imm;

	*imm = (int32_t)value;
	return value == (int16_t)value;
}

static struct stub *add_stub(struct translator *t, uint8_t *jump)
{
	struct stub *stub = &t->stubs[t->stub_count++];

	*stub = (struct stub){.dirty = t->dirty};
	stub->jump = jump;
	memcpy(stub->slot, t->slot, sizeof(t->slot));
	return stub;
}

void t_leave_to(struct translator *t, uint8_t *jump, const struct soft_op *op, soft_handler *run)
{
	struct stub *stub = add_stub(t, jump);

	stub->op = op;
	stub->run = run;
}

static void go_to(struct translator *t, soft_handler *run)
{
	x86_move(&t->code, RAX, (uintptr_t)run);
	x86_emit(&t->code, X86_jmp, 64, 0, x86_reg(RAX), 0);
}

/* RSI is the operation's place, of a block's where that is known. */
static void point_to(struct translator *t, const struct soft_op *op)
{
	if (op != t->block->ops)
		x86_emit(&t->code, X86_add_imm32, 64, 0, x86_reg(RSI), distance(t, op));
}

/* Enter the block of which RSI is the first operation. */
static void enter_block(struct translator *t)
{
	x86_emit(&t->code, X86_movzx8, 32, RCX, x86_at(RSI, offsetof(struct soft_op, rest)), 0);
	x86_emit(&t->code, X86_sub_to, 64, RCX, x86_reg(RDX), 0);
	add_stub(t, x86_jump_if(&t->code, X86_L))->with_rsi = soft_ends.block;
	x86_emit(&t->code, X86_jmp, 64, 0, x86_at(RSI, offsetof(struct soft_op, run)), 0);
}

/*
 * Once more from the head on, if the block's entry still is this code: neither does another handler
 * count blocks there, nor is the block dropped, nor has it a stop.
 */
static void put_loop(struct translator *t)
{
	uint8_t *other;

	x86_move(&t->code, RCX, (uintptr_t)t->entries[0].run);
	x86_emit(&t->code, X86_cmp_to, 64, RCX,
		 t_field(t, t->block->ops, offsetof(struct soft_op, run)), 0);
	other = x86_jump_if(&t->code, X86_NE);
	x86_emit(&t->code, X86_sub_imm8, 64, 0, x86_reg(RDX), t->block->count);
	add_stub(t, x86_jump_if(&t->code, X86_L))->with_rsi = soft_ends.block;
	x86_jump_back(&t->code, t->head);
	x86_here(&t->code, other);
}

void t_begin_chained(struct translator *t)
{
	t->chained = t->code.at;
	x86_move(&t->code, RSI, (uintptr_t)t->block->ops);
	x86_emit(&t->code, X86_sub_imm8, 64, 0, x86_reg(RDX), t->block->count);
	add_stub(t, x86_jump_if(&t->code, X86_L))->with_rsi = soft_ends.block;
}

_Static_assert(SOFT_BLOCK_OPS < 128, "an immediate of a byte");

/*
 * To the block that a link leads to, by a jump. Both were decoded from a page, and are dropped
 * together; and what has a stop is left before it is come to again. Until that block has code the
 * jump leads to what is behind it, and is changed as a whole then: four bytes of a line of the
 * cache. False: something else is to be generated.
 */
static bool put_chain(struct translator *t, const struct soft_op *links, unsigned int side)
{
	const struct soft_op *next = ((const struct soft_links *)links)->next[side];
	const struct soft_block *to;
	uint8_t *behind;
	uintptr_t place;

	if (!t->chains || !next)
		return false;
	to = soft_block_of(next);
	if ((to->pa ^ t->block->pa) & SOFT_PAGE_MASK)
		return false;
	if (to == t->block && t->chained && !t->head) {
		x86_jump_back(&t->code, t->chained);
		return true;
	}
	if (to->chained) {
		x86_jump_back(&t->code, to->chained - t->jit->executable + t->jit->writable);
		return true;
	}
	place = ((uintptr_t)t->code.at + 1) % 64; /* of the jump's last four bytes */
	if (place > 60)
		x86_nop(&t->code, (unsigned int)(64 - place));
	behind = x86_jump(&t->code);
	if (to != t->block) {
		t->sites[t->site_count].behind = behind;
		t->sites[t->site_count++].to = to;
	}
	return false;
}

void t_link(struct translator *t, const struct soft_op *links, unsigned int side)
{
	const uint16_t dirty = t->dirty;

	if (t->head && t_is_loop(t->block, side))
		put_loop(t);
	t_flush(t);
	if (put_chain(t, links, side)) {
		t->dirty = dirty;
		return;
	}
	x86_emit(&t->code, X86_mov, 64, RAX,
		 t_field(t, links, offsetof(struct soft_links, next) + 8 * side), 0);
	x86_emit(&t->code, X86_test_to, 64, RAX, x86_reg(RAX), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_E), links, soft_ends.follow[side]);
	x86_emit(&t->code, X86_mov_to, 64, RAX, x86_reg(RSI), 0);
	enter_block(t);
	t->dirty = dirty; /* for the other side */
}

_Static_assert(sizeof(struct soft_jump) == 16, "an index is shifted by four");

void t_jump(struct translator *t, const struct soft_op *op)
{
	struct stub *stub;

	x86_emit(&t->code, X86_mov_to, 32, RAX, x86_reg(RCX), 0);
	x86_emit(&t->code, X86_shl_imm8, 32, 0, x86_reg(RCX), 2);
	x86_emit(&t->code, X86_and_imm32, 32, 0, x86_reg(RCX), (SOFT_JUMPS - 1) << 4);
	x86_emit(&t->code, X86_add, 64, RCX, x86_at(RDI, offsetof(struct soft_cpu, jumps)), 0);
	x86_emit(&t->code, X86_cmp, 64, RAX, x86_at(RCX, offsetof(struct soft_jump, pc)), 0);
	stub = add_stub(t, x86_jump_if(&t->code, X86_NE));
	stub->op = op;
	stub->run = soft_ends.jump;
	stub->sets_pc = true;
	x86_emit(&t->code, X86_mov, 64, RSI, x86_at(RCX, offsetof(struct soft_jump, op)), 0);
	enter_block(t);
}

static void put_stub(struct translator *t, const struct stub *stub)
{
	x86_here(&t->code, stub->jump);
	store_dirty(t, stub->dirty, stub->slot);
	if (stub->sets_pc)
		x86_emit(&t->code, X86_mov_to, 64, RAX, x86_at(RDI, offsetof(struct soft_cpu, pc)),
			 0);
	if (stub->run)
		point_to(t, stub->op);
	go_to(t, stub->run ? stub->run : stub->with_rsi);
}

void t_put_stubs(struct translator *t)
{
	for (unsigned int n = 0; n < t->stub_count; n++)
		put_stub(t, &t->stubs[n]);
}

void t_leave(struct translator *t, const struct soft_op *op, soft_handler *run)
{
	t_flush(t);
	point_to(t, op);
	go_to(t, run);
}

void t_begin_entry(struct translator *t, const struct soft_op *op)
{
	t->entries[t->entry_count++] = (struct soft_entry){
		.run = (soft_handler *)(uintptr_t)(t->code.at - t->jit->writable +
						   t->jit->executable),
		.index = op->index,
	};
	t_forget(t);
	t->flags = t->guess = NO_FLAGS;
	t->fp_allowed = false;
	if (op != t->block->ops)
		x86_emit(&t->code, X86_sub_imm32, 64, 0, x86_reg(RSI), distance(t, op));
}

#endif

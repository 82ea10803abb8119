/* SPDX-License-Identifier: BSD-2-Clause */
/* What all templates share: ways out, and the ends of a block. */
#include "soft/run/jit/translator.h"
#include "base/assertion.h"
#include "soft/mem/memory.h"

#include <string.h>

#if SOFT_JIT

static int32_t distance_in(const struct soft_block *block, const struct soft_op *op)
{
	return (int32_t)((op - block->ops) * (ptrdiff_t)sizeof(*op));
}

int32_t t_distance(struct translator *t, const struct soft_op *op)
{
	if (t->op_of != t->block)
		host_set_op(&t->code, t->block->ops);
	t->op_of = t->block;
	return distance_in(t->block, op);
}

/* op is in block, or directly after it. */
static void point_to(struct translator *t, const struct soft_block *op_of,
		     const struct soft_block *block, const struct soft_op *op)
{
	if (op_of != block)
		host_set_op(&t->code, op);
	else if (op != block->ops)
		host_move_op(&t->code, distance_in(block, op));
}

void t_point_to(struct translator *t, const struct soft_op *op)
{
	point_to(t, t->op_of, t->block, op);
	t->op_of = op == t->block->ops ? t->block : NULL;
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

	vspe_assert_of(t->stub_count <= sizeof(t->stubs) / sizeof(t->stubs[0]), t->stub_count,
		       t->trace_ops);
	*stub = (struct stub){.block = t->block, .op_of = t->op_of, .dirty = t->dirty};
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

soft_handler *t_slow(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST ? soft_slow_memory : soft_lone_handler(op);
}

void t_leave_unaligned(struct translator *t, uint8_t *jump, const struct soft_op *op, bool write,
		       unsigned int address, unsigned int last)
{
	struct stub *stub;

	if (t->warm) {
		t_tell_access(t, jump, op);
		return;
	}
	stub = add_stub(t, jump);
	stub->op = op;
	stub->run = t_slow(op);
	if (last == 0 || op->kind < SOFT_MEMORY_FIRST || op->aux & SOFT_AUX_ORDERED)
		return;
	stub->back = t->code.at;
	stub->side = write;
	stub->address = (uint8_t)address;
	stub->last = (uint8_t)last;
}

void t_tell_access(struct translator *t, uint8_t *jump, const struct soft_op *op)
{
	struct stub *stub = add_stub(t, jump);

	stub->op = op;
	stub->tell = soft_warm_access;
	stub->tells = t->start;
	stub->start_op_of = t->start_op_of;
	memcpy(stub->start_slot, t->start_slot, sizeof(t->start_slot));
}

/* Accesses that are aligned cross no line; those of more bytes than MODEL_ALIGNED may. */
void t_put_line(struct translator *t, const struct soft_op *op, bool write, unsigned int address,
		unsigned int bytes)
{
	if (!t->warm)
		return;
	if (bytes > 0)
		t_tell_access(t, host_if_crosses(&t->code, address, bytes), op);
	t_tell_access(t, host_unless_line(&t->code, address, write), op);
}

static void tell_fetch(struct translator *t, uint8_t *jump, const struct soft_op *op)
{
	struct stub *stub = add_stub(t, jump);

	stub->op = op;
	stub->tell = soft_warm_fetched;
	stub->start_op_of = t->op_of;
	memcpy(stub->start_slot, t->slot, sizeof(t->slot));
}

void t_put_fetch(struct translator *t, const struct soft_op *op)
{
	const uint64_t pa = t->block->pa + 4 * (uint64_t)op->index;
	const unsigned int first = t->stub_count;

	tell_fetch(t, host_unless_fetched(&t->code, (pa - t->jit->ram_base) / MODEL_LINE), op);
	if (op->index == 0)
		tell_fetch(t, host_unless_seen(&t->code, &t->block->warm), op);
	for (unsigned int n = first; n < t->stub_count; n++)
		t->stubs[n].tells = t->code.at;
}

unsigned int t_place(struct translator *t)
{
	return (t->jit->expecting + t->expecting++) % SOFT_ADDS;
}

void t_learn(struct translator *t, uint8_t *jump, unsigned int place)
{
	struct stub *stub = add_stub(t, jump);

	stub->learnt = t->code.at;
	stub->place = (uint16_t)place;
}

void t_call_instead(struct translator *t, uint8_t *jump, uint8_t *other, const struct soft_op *op)
{
	struct stub *stub = add_stub(t, jump);

	stub->other = other;
	stub->op = op;
	stub->behind = t->code.at;
}

/* At a jump that is taken if the budget is not enough for a block. */
static struct stub *leave_block(struct translator *t, uint8_t *jump, const struct soft_block *block)
{
	struct stub *stub = add_stub(t, jump);

	stub->block = block;
	stub->op = block->ops;
	stub->run = soft_ends.block;
	return stub;
}

/* Enter the block whose first operation was looked up. */
static void enter_block(struct translator *t)
{
	if (t->chains) {
		host_go_to_found(&t->code, offsetof(struct soft_block, ops) -
						   offsetof(struct soft_block, found));
		return;
	}
	add_stub(t, host_spend_rest(&t->code))->with_op = soft_ends.block;
	host_run(&t->code);
}

/*
 * Repeat from the head on. If blocks are not chained, only if the block's entry is still this code:
 * no other handler counts blocks there, and the block neither was dropped nor has a stop.
 */
static void put_loop(struct translator *t)
{
	uint8_t *other = NULL, *again;

	if (!t->chains)
		other = host_unless_run(&t->code, t->entries[0].run, t_distance(t, t->root->ops));
	again = host_spend(&t->code, t->root->count);
	if (!jit_full(&t->code)) {
		host_invert(again);
		host_set_link(again, t->head);
	}
	(void)leave_block(t, host_link(&t->code), t->root);
	if (other)
		host_here(&t->code, other);
}

void t_begin_chained(struct translator *t)
{
	t->chained = t->code.at;
	(void)leave_block(t, host_spend(&t->code, t->block->count), t->block);
}

/* Samples are taken inside a trace as often as at its root: it continues after them. */
void t_begin_next(struct translator *t)
{
	struct stub *stub;

	t->block = t->next;
	t->next = NULL;
	vspe_assert_of(t->trace_count < t->trace_max && t->trace_max <= TRACE_BLOCKS,
		       t->trace_count, t->trace_max);
	t->trace[t->trace_count++] = t->block;
	t->trace_ops += t->block->count;
	stub = leave_block(t, host_spend(&t->code, t->block->count), t->block);
	stub->again = t->code.at;
}

_Static_assert(SOFT_BLOCK_OPS < 128, "an immediate of a byte");

/*
 * Jump to the block that a link leads to. Both blocks are from one page, and are dropped together.
 * A block with a stop is left before it is entered again. Until that block has code, the jump leads
 * to what follows it; then all of it is changed at once. False: other code has to be generated.
 */
static bool put_chain(struct translator *t, const struct soft_op *links, unsigned int side)
{
	const struct soft_op *next = ((const struct soft_links *)links)->next[side];
	const struct soft_block *to;
	uint8_t *jump;

	if (!t->chains || !next)
		return false;
	to = soft_block_of(next);
	if ((to->pa ^ t->block->pa) & SOFT_PAGE_MASK)
		return false;
	if (to == t->root && t->chained) {
		host_jump_back(&t->code, t->chained);
		return true;
	}
	if (to->chained) {
		host_jump_back(&t->code, to->chained - t->jit->executable + t->jit->writable);
		return true;
	}
	jump = host_link(&t->code);
	host_here(&t->code, jump);
	if (to != t->root) {
		vspe_assert_of(t->site_count < sizeof(t->sites) / sizeof(t->sites[0]),
			       t->site_count, t->trace_count);
		t->sites[t->site_count].jump = jump;
		t->sites[t->site_count++].to = to;
	}
	return false;
}

static bool leads_back(const struct translator *t, unsigned int side)
{
	return t->block->links->target[side] == t->root->va;
}

/*
 * The operation becomes the one that side of the links leads to. Returns a jump, taken before it
 * changes if there is none. Only targets in the page can be in the links; all others are in the
 * jump cache.
 */
static uint8_t *put_follow(struct translator *t, const struct soft_op *links, unsigned int side)
{
	const uint64_t target = ((const struct soft_links *)links)->target[side];
	const int32_t distance = t_distance(t, links);
	const int32_t next = (int32_t)(offsetof(struct soft_links, next) + 8 * (size_t)side);
	const int32_t field = (int32_t)(offsetof(struct soft_links, target) + 8 * (size_t)side);

	if (!((target ^ t->block->va) & SOFT_PAGE_MASK))
		return host_follow(&t->code, distance + next);
	return host_look_up_at(&t->code, distance + field, soft_jump_index(target));
}

/* Continue the block at side of the links, which are at the place of op. */
static void put_link(struct translator *t, const struct soft_op *links, unsigned int side)
{
	const struct soft_block *op_of = t->op_of;
	const uint32_t dirty = t->dirty;
	uint8_t *follow;

	if (t->head && leads_back(t, side)) {
		put_loop(t);
		if (t->chains)
			return;
	}
	t_flush(t);
	if (put_chain(t, links, side)) {
		t->dirty = dirty;
		return;
	}
	follow = put_follow(t, links, side);
	t_leave_to(t, follow, links, soft_ends.follow[side]);
	enter_block(t);
	t->dirty = dirty; /* for the other side */
	t->op_of = op_of;
}

static bool in_trace(const struct translator *t, const struct soft_block *block)
{
	for (unsigned int n = 0; n < t->trace_count; n++) {
		if (t->trace[n] == block)
			return true;
	}
	return false;
}

/*
 * How often the block that a side leads to was executed, if it is worth continuing the trace there;
 * or 0. A block that has code is chained, not copied. The conditions of put_chain() hold for it.
 */
static unsigned int worth_of(const struct translator *t, unsigned int side)
{
	const struct soft_op *next = t->block->links->next[side];
	const struct soft_block *to;

	if (!t->chains || t->is_sampled)
		return 0;
	if (leads_back(t, side))
		return t->jit->hot + 2;
	if (!next || t->trace_count == t->trace_max)
		return 0;
	to = soft_block_of(next);
	if (to->stale || to->entry_count > 0 || (to->pa ^ t->block->pa) & SOFT_PAGE_MASK ||
	    in_trace(t, to) || t->trace_ops + t->root->count + to->count > TRACE_OPS ||
	    2u * to->heat < t->jit->hot || (to->links && to->links->target[1] == to->va) ||
	    !t->has_templates(to))
		return 0;
	return to->heat + 1u;
}

/* Continue the trace at side of the block's links: back at its root, or in another block. */
static void go_on(struct translator *t, const struct soft_op *links, unsigned int side)
{
	if (leads_back(t, side))
		put_link(t, links, side);
	else
		t->next = soft_block_of(t->block->links->next[side]);
}

void t_begin_end(struct translator *t)
{
	const unsigned int worth = worth_of(t, 0), taken = worth_of(t, 1);

	t->looped = t->looped || leads_back(t, 0) || leads_back(t, 1);
	t->goes_on = worth != 0 || taken != 0;
	t->goes_to = taken > worth;
	if (!t->head && !t->goes_on)
		t_flush(t);
}

/* The conditional branch before the links is taken or not. */
static void train(struct translator *t, const struct soft_op *links, unsigned int side)
{
	if (t->warm)
		host_train(&t->code, soft_op_pc(links - 1), side);
}

void t_end_if(struct translator *t, const struct soft_op *links, uint8_t *taken)
{
	struct stub *stub;

	if (!t->goes_on) {
		train(t, links, 0);
		put_link(t, links, 0);
		host_here(&t->code, taken);
		train(t, links, 1);
		put_link(t, links, 1);
		return;
	}
	if (t->goes_to && !jit_full(&t->code))
		host_invert(taken);
	stub = add_stub(t, taken);
	stub->op = links;
	stub->links = true;
	stub->side = !t->goes_to;
	train(t, links, t->goes_to);
	go_on(t, links, t->goes_to);
}

void t_end(struct translator *t, const struct soft_op *links)
{
	t->looped = t->looped || leads_back(t, 0);
	if (worth_of(t, 0))
		go_on(t, links, 0);
	else
		put_link(t, links, 0);
}

void t_jump(struct translator *t, const struct soft_op *op)
{
	struct stub *stub = add_stub(t, host_look_up(&t->code));

	stub->op = op;
	stub->run = soft_ends.jump;
	stub->sets_pc = true;
	enter_block(t);
}

/* Load the registers again that the code after a call expects to be unchanged. */
static void load_again(struct translator *t, const struct stub *stub)
{
	for (size_t n = 0; n < host_pool_size; n++) {
		if (stub->slot[host_pool[n]] != NO_SLOT)
			host_load(&t->code, host_pool[n], stub->slot[host_pool[n]]);
	}
}

static void put_function(struct translator *t, const struct stub *stub)
{
	const struct soft_op *first = stub->op_of ? stub->op_of->ops : stub->op;

	point_to(t, stub->op_of, stub->block, stub->op);
	host_call_vector(&t->code, soft_run_vector, first);
	load_again(t, stub);
	host_jump_back(&t->code, stub->behind);
}

static void put_tell(struct translator *t, const struct stub *stub)
{
	const struct soft_op *first = stub->start_op_of ? stub->start_op_of->ops : stub->op;
	uint8_t *left;

	point_to(t, stub->op_of, stub->block, stub->op);
	left = host_call_stop(&t->code, stub->tell, first);
	for (size_t n = 0; n < host_pool_size; n++) {
		if (stub->start_slot[host_pool[n]] != NO_SLOT)
			host_load(&t->code, host_pool[n], stub->start_slot[host_pool[n]]);
	}
	host_jump_back(&t->code, stub->tells);
	host_here(&t->code, left);
	if (first != stub->op)
		host_set_op(&t->code, stub->op);
	host_go_to(&t->code, soft_ends.told);
}

static void put_pass(struct translator *t, const struct stub *stub)
{
	const struct soft_op *first = stub->op_of ? stub->op_of->ops : stub->op;
	uint8_t *left;

	point_to(t, stub->op_of, stub->block, stub->op);
	left = host_call_stop(&t->code, soft_ends.pass, first);
	load_again(t, stub);
	host_jump_back(&t->code, stub->again);
	host_here(&t->code, left);
	if (first != stub->op)
		host_set_op(&t->code, stub->op);
	host_go_to(&t->code, soft_ends.passed);
}

static void put_stub(struct translator *t, const struct stub *stub)
{
	host_here(&t->code, stub->jump);
	if (stub->other)
		host_here(&t->code, stub->other);
	if (stub->learnt) {
		host_learn(&t->code, stub->place);
		host_jump_back(&t->code, stub->learnt);
		return;
	}
	if (stub->back) {
		uint8_t *slow = host_unless_unaligned(&t->code, t->jit, stub->side, stub->address,
						      stub->last);

		host_jump_back(&t->code, stub->back);
		host_here(&t->code, slow);
	}
	if (stub->links) {
		t->block = stub->block;
		t->op_of = stub->op_of;
		t->dirty = stub->dirty;
		memcpy(t->slot, stub->slot, sizeof(t->slot));
		train(t, stub->op, stub->side);
		put_link(t, stub->op, stub->side);
		return;
	}
	t_store(t, stub->dirty, stub->slot);
	if (stub->tell) {
		put_tell(t, stub);
		return;
	}
	if (stub->again) {
		put_pass(t, stub);
		return;
	}
	if (stub->behind) {
		put_function(t, stub);
		return;
	}
	if (stub->sets_pc)
		host_set_pc(&t->code);
	if (stub->run)
		point_to(t, stub->op_of, stub->block, stub->op);
	host_go_to(&t->code, stub->run ? stub->run : stub->with_op);
}

/* Where the next byte is executed. */
static soft_handler *handler_here(const struct translator *t)
{
	return (soft_handler *)(uintptr_t)(t->code.at - t->jit->writable + t->jit->executable);
}

void t_put_stubs(struct translator *t)
{
	for (unsigned int n = 0; n < t->stub_count; n++)
		put_stub(t, &t->stubs[n]);
	if (!t->body)
		return;
	t->entries[0].run = handler_here(t);
	host_enter(&t->code);
	host_jump_back(&t->code, t->body);
}

void t_leave(struct translator *t, const struct soft_op *op, soft_handler *run)
{
	t_flush(t);
	t_point_to(t, op);
	host_go_to(&t->code, run);
}

void t_begin_entry(struct translator *t, const struct soft_op *op)
{
	vspe_assert_of(t->entry_count < sizeof(t->entries) / sizeof(t->entries[0]), t->entry_count,
		       op->index);
	t->entries[t->entry_count++] = (struct soft_entry){
		.run = handler_here(t),
		.index = op->index,
	};
	if (t->chained && t->entry_count == 1)
		t->body = t->code.at;
	else
		host_enter(&t->code);
	t_forget(t);
	t->flags = t->guess = NO_FLAGS;
	t_set_flag_slots(t, NO_SLOT, NO_SLOT);
	t->fp_allowed = t->sve_allowed = t->sve_length = t->sp_aligned = false;
	t->op_of = op == t->block->ops && !t->chained ? t->block : NULL;
}

#endif

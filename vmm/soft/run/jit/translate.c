/* SPDX-License-Identifier: BSD-2-Clause */
/* A block from its first operation to its last. */
#include <string.h>

#include "soft/jitdump.h"
#include "base/assertion.h"
#include "soft/jitgdb.h"
#include "soft/run/jit/translator.h"

#if SOFT_JIT

/* What the second generation of a block's code knows from the first. */
struct lesson {
	uint64_t used, defined;
	bool loops;
	unsigned int blocks; /* that it may go through besides */
};

static void put_sample(struct translator *t, const struct soft_op *op)
{
	t_flush(t);
	t_forget(t);
	t_point_to(t, op);
	t_leave_to(t, host_call_stop(&t->code, t->pass_stop, t->block->ops), op, soft_ends.left);
	t->op_of = t->block;
}

/* The lines of op, and of a branch that is fused with it. */
static void put_fetches(struct translator *t, const struct soft_op *op)
{
	if (op->fetches)
		t_put_fetch(t, op);
	if (op->kind >= SOFT_cmp_imm_b_eq_32 && op->kind <= SOFT_ands_reg_b_ne_64 && op[1].fetches)
		t_put_fetch(t, op + 1);
	t->start = t->code.at;
	t->start_op_of = t->op_of;
	memcpy(t->start_slot, t->slot, sizeof(t->slot));
}

/*
 * Generate all operations. One without a template is left to its handler, after which the code has
 * another entry.
 */
static void put_operations(struct translator *t)
{
	const struct soft_op *op = t->block->ops, *end = op + t->block->count;

	while (op < end) {
		const struct template_row *row = soft_template_of(op);

		t->pinned = 0;
		t->at = op;
		if (t->warm)
			put_fetches(t, op);
		if (op == t->sampled) {
			put_sample(t, op);
			t->sampled = NULL;
		}
		if (row && row->emit(t, op, row->width, row->arg)) {
			if (row->ends)
				return;
			op++;
			continue;
		}
		t_leave(t, op, soft_lone_handler(op));
		t->failed = t->block != t->root;
		if (t->is_sampled || t->failed)
			return; /* the handler goes on in the block's own code */
		if (++op < end)
			t_begin_entry(t, op);
		else
			return;
	}
	t_end(t, op + 1); /* after SOFT_fall */
}

static bool has_templates(const struct soft_block *block)
{
	for (const struct soft_op *op = block->ops; op < block->ops + block->count; op++) {
		if (!soft_template_of(op))
			return false;
	}
	return true;
}

static void put_blocks(struct translator *t, int guess, const struct lesson *lesson)
{
	const struct soft_op *op = t->root->ops;

	t->has_templates = has_templates;
	if (t->chains && !t->is_sampled)
		t_begin_chained(t);
	t_begin_entry(t, op);
	t->guess = guess;
	t->at = op;
	t->forgot = false;
	if (lesson->loops)
		t_begin_loop(t, lesson->used, lesson->defined);
	put_operations(t);
	while (t->next) {
		t_begin_next(t);
		put_operations(t);
	}
}

/* Does the trace lead back to its root, and keep its registers until then? */
static bool keeps_registers(const struct translator *t)
{
	return t->looped && !t->forgot && t->entry_count == 1 && t_fits(t->used);
}

static void put_again(struct translator *t, int guess, const struct lesson *lesson)
{
	t_begin(t, t->jit, t->root, t->chains, lesson->blocks, t->code.from);
	put_blocks(t, guess, lesson);
}

static void put_code(struct translator *t, int guess)
{
	struct lesson lesson = {.blocks = t->trace_max};

	put_blocks(t, guess, &lesson);
	while (t->failed) {
		lesson.blocks = t->trace_count - 1;
		put_again(t, guess, &lesson);
	}
	if (keeps_registers(t)) {
		lesson = (struct lesson){t->used, t->defined, true, lesson.blocks};
		put_again(t, guess, &lesson);
	}
	t_put_stubs(t);
}

/* The address to execute what is written at an address. */
static const uint8_t *executable(const struct soft_jit *jit, const uint8_t *writable)
{
	vspe_assert_of(writable >= jit->writable && writable < jit->writable + SOFT_JIT_CODE,
		       (uintptr_t)writable, (uintptr_t)jit->writable);
	return writable - jit->writable + jit->executable;
}

/* Where classes of instructions are counted, that happens when a block is entered. */
static bool may_chain(const struct soft_vm *vm)
{
	for (unsigned int n = 0; n < vm->count; n++) {
		if (vm->cpus[n] && vm->cpus[n]->sys.pmu)
			return false;
	}
	return true;
}

/* Room in the arena, which there is. */
static void *take_room(struct soft_vm *vm, size_t size)
{
	void *room = vm->arena + vm->arena_used;

	vm->arena_used += (size + 63) & ~UINT64_C(63);
	vspe_assert_of(vm->arena_used <= SOFT_ARENA, vm->arena_used, size);
	return room;
}

/* The jumps of code that was generated and is complete. */
static void add_sites(struct soft_vm *vm, const struct translator *t)
{
	struct soft_site *sites;

	if (t->site_count == 0)
		return;
	sites = take_room(vm, t->site_count * sizeof(*sites));
	for (unsigned int n = 0; n < t->site_count; n++) {
		struct soft_block *to = (struct soft_block *)(uintptr_t)t->sites[n].to;

		sites[n] = (struct soft_site){to->sites, t->sites[n].jump};
		to->sites = &sites[n];
	}
}

/*
 * The generated code is in a free part of the code's memory, and is entered at operations of the
 * block.
 */
static void code_holds(const struct soft_jit *jit, const struct translator *t,
		       const struct soft_block *block)
{
	uintptr_t from;

	if (!VSPE_ASSERT)
		return;
	from = (uintptr_t)executable(jit, t->code.from);
	vspe_assert_of(t->code.from == jit->writable + jit->used && jit->used >= jit->first,
		       jit->used, jit->first);
	for (unsigned int n = 0; n < t->entry_count; n++) {
		const struct soft_entry *entry = &t->entries[n];

		vspe_assert_of((uintptr_t)entry->run - from <
				       (uintptr_t)(t->code.at - t->code.from),
			       (uintptr_t)entry->run, from);
		vspe_assert_of(entry->index < block->count, entry->index, block->count);
	}
}

/* Register size bytes of code at an executable address with tools on the host. */
static void tell_tools(const void *code, size_t size, uint64_t va)
{
	soft_jitdump_add(code, size, va);
	soft_jitgdb_add(code, size, va);
}

/* The block has code: make the jumps of those that lead to it go there. */
static void chain_sites(struct soft_block *block, uint8_t *chained, const struct soft_jit *jit)
{
	if (!chained)
		return;
	block->chained = block->found = executable(jit, chained);
	for (struct soft_site *site = block->sites; site; site = site->next) {
		host_set_link(site->jump, chained);
		host_written(executable(jit, site->jump), 4);
	}
	block->sites = NULL;
}

soft_handler *soft_jit_sampled(struct soft_vm *vm, const struct soft_op *op, uint32_t flag_kind)
{
	const struct soft_block *block = soft_block_of(op);
	const struct lesson lesson = {0};
	struct soft_jit *jit = vm->jit;
	struct translator t;
	size_t size;

	t_begin(&t, jit, block, may_chain(vm), 0, jit->writable + jit->used);
	t.sampled = op;
	t.pass_stop = vm->passing->stop;
	t.is_sampled = true;
	put_blocks(&t, (int)flag_kind, &lesson);
	if (t.sampled)
		return NULL;
	t_put_stubs(&t);
	if (jit_full(&t.code) || vm->arena_used + sizeof(t.sites) > SOFT_ARENA)
		return NULL;
	add_sites(vm, &t);
	size = (size_t)(t.code.at - t.code.from);
	host_written(executable(jit, t.code.from), size);
	jit->used += (size + 15) & ~(size_t)15;
	jit->bytes += size;
	jit->sampled++;
	tell_tools((const void *)(uintptr_t)t.entries[0].run, size, block->va);
	return t.entries[0].run;
}

bool soft_jit_translate(struct soft_vm *vm, struct soft_block *block, uint32_t flag_kind)
{
	struct soft_jit *jit = vm->jit;
	struct translator t;
	size_t size;
	soft_handler **run = block->counted ? &block->counted : &block->ops[0].run;

	t_begin(&t, jit, block, may_chain(vm), TRACE_BLOCKS, jit->writable + jit->used);
	put_code(&t, (int)flag_kind);
	if (jit_full(&t.code) ||
	    vm->arena_used + sizeof(t.entries) + sizeof(t.sites) + 2 * 64 > SOFT_ARENA)
		return false;
	size = (size_t)(t.code.at - t.code.from);
	host_written(executable(jit, t.code.from), size);
	add_sites(vm, &t);
	chain_sites(block, t.chained, jit);
	block->entries = take_room(vm, t.entry_count * sizeof(t.entries[0]));
	block->entry_count = (uint8_t)t.entry_count;
	memcpy(block->entries, t.entries, t.entry_count * sizeof(t.entries[0]));
	code_holds(jit, &t, block);
	*run = t.entries[0].run;
	for (unsigned int n = 1; n < t.entry_count; n++)
		block->ops[t.entries[n].index].run = t.entries[n].run;
	jit->used = ((size_t)(t.code.at - jit->writable) + 15) & ~(size_t)15;
	jit->expecting += t.expecting;
	jit->blocks++;
	jit->operations += block->count;
	jit->bytes += size;
	tell_tools(executable(jit, t.code.from), size, block->va);
	return true;
}

#endif

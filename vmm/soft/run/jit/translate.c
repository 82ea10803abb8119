/* SPDX-License-Identifier: BSD-2-Clause */
/* A block from its first operation to its last. */
#include <string.h>

#include "soft/jitdump.h"
#include "soft/run/jit/translator.h"

#if SOFT_JIT

/* What a block that is generated for the second time has learnt from the first. */
struct lesson {
	uint64_t used, defined;
	bool loops;
};

/* All operations, those without a template by their handlers, behind which other code begins. */
static void put_block(struct translator *t, int guess, const struct lesson *lesson)
{
	const struct soft_op *op = t->block->ops, *end = op + t->block->count;

	t_begin_entry(t, op);
	t->guess = guess;
	t->forgot = false;
	if (lesson->loops)
		t_begin_loop(t, lesson->used, lesson->defined);
	while (op < end) {
		const struct template_row *row = soft_template_of(op);

		t->pinned = 0;
		if (row && row->emit(t, op, row->width, row->arg)) {
			if (row->ends)
				return;
			op++;
			continue;
		}
		t_leave(t, op, soft_lone_handler(op));
		if (++op < end)
			t_begin_entry(t, op);
		else
			return;
	}
	t_link(t, op + 1, 0); /* behind SOFT_fall */
}

/* A block that branches to itself, and keeps its registers until then. */
static bool keeps_registers(const struct translator *t)
{
	return (t_is_loop(t->block, 0) || t_is_loop(t->block, 1)) && !t->forgot &&
	       t->entry_count == 1 && t_fits(t->used);
}

static void put_code(struct translator *t, int guess)
{
	struct lesson lesson = {0};

	put_block(t, guess, &lesson);
	if (keeps_registers(t)) {
		lesson = (struct lesson){t->used, t->defined, true};
		*t = (struct translator){
			.jit = t->jit,
			.block = t->block,
			.code = {t->code.from, t->code.end, t->code.from},
		};
		put_block(t, guess, &lesson);
	}
	t_put_stubs(t);
}

bool soft_jit_translate(struct soft_vm *vm, struct soft_block *block, uint32_t flag_kind)
{
	struct soft_jit *jit = vm->jit;
	struct translator t = {.jit = jit, .block = block};
	soft_handler **run = block->counted ? &block->counted : &block->ops[0].run;

	t.code.from = t.code.at = jit->writable + jit->used;
	t.code.end = jit->writable + SOFT_JIT_CODE;
	put_code(&t, (int)flag_kind);
	if (x86_full(&t.code) ||
	    vm->arena_used + t.entry_count * sizeof(struct soft_entry) > SOFT_ARENA) {
		return false;
	}
	block->entries = (struct soft_entry *)(vm->arena + vm->arena_used);
	block->entry_count = (uint8_t)t.entry_count;
	memcpy(block->entries, t.entries, t.entry_count * sizeof(t.entries[0]));
	vm->arena_used += (t.entry_count * sizeof(t.entries[0]) + 63) & ~UINT64_C(63);
	*run = t.entries[0].run;
	for (unsigned int n = 1; n < t.entry_count; n++)
		block->ops[t.entries[n].index].run = t.entries[n].run;
	jit->used = ((size_t)(t.code.at - jit->writable) + 15) & ~(size_t)15;
	jit->blocks++;
	jit->operations += block->count;
	jit->bytes += (size_t)(t.code.at - t.code.from);
	soft_jitdump_add((const void *)(uintptr_t)t.entries[0].run,
			 (size_t)(t.code.at - t.code.from), block->va);
	return true;
}

#endif

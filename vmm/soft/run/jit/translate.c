/* SPDX-License-Identifier: BSD-2-Clause */
/* A block from its first operation to its last. */
#include <string.h>

#include "soft/run/jit/translator.h"

#if SOFT_JIT

/* All operations, those without a template by their handlers, behind which other code begins. */
static void put_block(struct translator *t, int guess)
{
	const struct soft_op *op = t->block->ops, *end = op + t->block->count;

	t_begin_entry(t, op);
	t->guess = guess;
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
	t_flush(t);
	t_link(t, op + 1, 0); /* behind SOFT_fall */
}

bool soft_jit_translate(struct soft_vm *vm, struct soft_block *block, uint32_t flag_kind)
{
	struct soft_jit *jit = vm->jit;
	struct translator t = {.jit = jit, .block = block};
	soft_handler **run = block->counted ? &block->counted : &block->ops[0].run;

	t.code.from = t.code.at = jit->writable + jit->used;
	t.code.end = jit->writable + SOFT_JIT_CODE;
	put_block(&t, (int)flag_kind);
	t_put_stubs(&t);
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
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bytecode interpreter with a computed jump after every operation: indirect branches, byte loads,
 * a stack in memory. One iteration runs the program once.
 */
#include "bench.h"

enum { PUSH, POP_ADD, MIX, TRIPLE, SKIP_IF_EVEN, XOR_TOP, LOW_BYTE, SWAP, END };

static const uint8_t program[] = {
	PUSH,	 MIX,  TRIPLE,	     SKIP_IF_EVEN, LOW_BYTE, PUSH,    XOR_TOP, MIX,    SWAP, TRIPLE,
	POP_ADD, PUSH, SKIP_IF_EVEN, MIX,	   SWAP,     XOR_TOP, POP_ADD, TRIPLE, MIX,  END,
};

static uint64_t run_bytecode(void *data, uint64_t iterations)
{
	static const void *const labels[] = {
		&&push,	   &&pop_add,  &&mix,  &&triple, &&skip_if_even,
		&&xor_top, &&low_byte, &&swap, &&end,
	};
	uint8_t *code = data;
	uint64_t *const stack = (uint64_t *)data + 64, *top = stack;
	uint64_t accumulator = 1, done = 0, other;

	for (size_t i = 0; i < sizeof(program); i++)
		code[i] = program[i];
	*top = 0;
#define NEXT goto *labels[*code++]
	NEXT;
push:
	*++top = accumulator;
	NEXT;
pop_add:
	accumulator += *top--;
	NEXT;
mix:
	accumulator ^= accumulator >> 11;
	NEXT;
triple:
	accumulator = accumulator * 3 + done;
	NEXT;
skip_if_even:
	code += !(accumulator & 1);
	NEXT;
xor_top:
	accumulator ^= *top << 1;
	NEXT;
low_byte:
	accumulator = (accumulator & 0xff) | accumulator << 9;
	NEXT;
swap:
	other = *top;
	*top = accumulator;
	accumulator = other + 5;
	NEXT;
end:
	if (++done < iterations) {
		code = data;
		top = stack + (done & 3);
		NEXT;
	}
#undef NEXT
	return accumulator;
}

const struct bench bench = {.pages = 1, .iterations = 5000000, .run = run_bytecode};

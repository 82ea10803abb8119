/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that cannot be written: it is executed, read and translated as RAM is, and a write goes to
 * the machine, which has nothing there.
 */
#include <string.h>

#include "../compare.h"
#include "core_support.h"

#define WORD (ROM_BASE + 0x2000)
#define HAS  UINT64_C(0x1122334455667788)

#define LOAD  0xf9400022 /* ldr x2, [x1] */
#define STORE 0xf9000023 /* str x3, [x1] */

/* Executed in ROM, with x1 at a word there, x4 at RAM, and the vectors in RAM. */
static struct core_machine *run_in_rom(const uint32_t *words, size_t count, bool renew)
{
	static const uint32_t self = 0x14000000;
	struct core_machine *m = core_new((struct core_options){.rom = true});
	const uint64_t has = HAS;

	memcpy(m->ram - ROM_SIZE, words, 4 * count);
	memcpy(m->ram - ROM_SIZE + (WORD - ROM_BASE), &has, sizeof(has));
	core_load(m, VECTORS + VECTOR_SYNC, &self, 1);
	core_set(m, PC, ROM_BASE);
	core_set(m, 1, WORD);
	core_set(m, 3, 5);
	core_set(m, 4, DATA);
	core_set(m, 8, VECTORS);
	core_run(m, 2);
	if (renew)
		core_renew(m);
	core_run(m, count - 2);
	return m;
}

static uint64_t word(const struct core_machine *m)
{
	uint64_t value;

	memcpy(&value, m->ram - ROM_SIZE + (WORD - ROM_BASE), sizeof(value));
	return value;
}

Test(core_rom, it_is_executed_and_read)
{
	static const uint32_t words[] = {
		0xd518c008, /* msr vbar_el1, x8 */
		LOAD,
		0xf9000082, /* str x2, [x4] */
		LOAD,
	};

	for (int renew = 0; renew < 2; renew++) {
		struct core_machine *m = run_in_rom(words, 4, renew);

		cr_assert_eq(core_get(m, 2), HAS);
		cr_assert_eq(core_get(m, PC), ROM_BASE + 16);
		cr_assert_eq(core_read(m, DATA), HAS);
		core_free(m);
	}
}

/* Whether the page was read before or not. */
Test(core_rom, a_write_is_an_external_abort)
{
	static const uint32_t writes[] = {
		STORE,	    0xf8230022, /* ldadd x3, x2, [x1] */
		0xc8027c23,		/* stxr w2, x3, [x1] */
		0xa9001023,		/* stp x3, x4, [x1] */
		0xd50b7421,		/* dc zva, x1 */
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(writes); i++) {
		const uint32_t words[] = {
			0xd518c008, /* msr vbar_el1, x8 */
			i % 2 ? LOAD : 0xc85f7c22 /* ldxr x2, [x1] */,
			writes[i / 2],
			0xd503201f /* nop */,
		};
		struct core_machine *m = run_in_rom(words, 4, i % 2);

		cr_assert_eq(word(m), HAS, "%zu", i);
		cr_assert_eq(core_get(m, PC), VECTORS + VECTOR_SYNC, "%zu", i);
		core_free(m);
	}
}

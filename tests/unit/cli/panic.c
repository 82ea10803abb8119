/* SPDX-License-Identifier: BSD-2-Clause */
/* A panic of the guest's kernel, in what its console prints. */
#include <string.h>

#include "../compare.h"
#include "cli/panic.h"

/* How often it finds a panic in text. */
static unsigned int told(struct panic *panic, const char *text)
{
	unsigned int count = 0;

	for (; *text; text++)
		count += panic_byte(panic, (uint8_t)*text);
	return count;
}

Test(panic, is_told_once_with_its_reason)
{
	struct panic panic = {0};

	cr_assert_eq(
		told(&panic, "[    0.7] ok\n[    0.752945] Kernel panic - not syncing: VFS: no"),
		0);
	cr_assert_eq(told(&panic, " root\r\nmore\n"), 1);
	cr_assert(panic.seen);
	cr_assert_str_eq(panic.line, "VFS: no root");
	cr_assert_eq(told(&panic, "Kernel panic - not syncing: again\n"), 0);
}

Test(panic, has_a_line_of_its_own)
{
	static const struct {
		const char *text;
		unsigned int told;
	} rows[] = {
		{"Kernel panic - not syncing: a\n", 1},
		{"[    1.5][    T1] Kernel panic - not syncing: a\n", 1},
		{"echo Kernel panic - not syncing: a\n", 0},
		{"[Kernel panic - not syncing: a\n", 0},
		{"---[ end Kernel panic - not syncing: a ]---\n", 0},
		{"Kernel panic - not synci\n", 0},
		{"\n\n", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct panic panic = {0};

		cr_assert_eq(told(&panic, rows[i].text), rows[i].told, "%s", rows[i].text);
	}
}

Test(panic, lines_may_be_of_any_length)
{
	struct panic panic = {0};

	for (unsigned int i = 0; i < 3000; i++)
		cr_assert_not(panic_byte(&panic, '['));
	cr_assert_eq(told(&panic, "\nKernel panic - not syncing: x\n"), 1);
}

Test(panic, is_saved_in_the_middle_of_its_line)
{
	struct panic first = {0}, second = {0};
	struct state state;

	told(&first, "Kernel panic - not ");
	state_save(&state, "panic");
	panic_state(&first, &state);
	cr_assert(state_end(&state));
	{
		struct state from;

		state_load(&from, "panic", state.bytes, state.at);
		panic_state(&second, &from);
		cr_assert(state_end(&from), "%s", from.why);
	}
	cr_assert_eq(told(&second, "syncing: y\n"), 1);
	cr_assert_str_eq(second.line, "y");
	state_free(&state);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State to bytes and back: one description for both, and nothing that is not possible comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compare.h"
#include "../described.h"
#include "base/state.h"
#include "base/tap.h"

struct every {
	bool yes;
	uint8_t byte;
	uint16_t half;
	uint32_t word;
	uint64_t whole;
	uint8_t few[3];
	uint8_t raw[2];
	enum { ONE, TWO, THREE } choice;
};

static void every_state(struct every *every, struct state *state)
{
	STATE_FIELD(state, every->yes);
	STATE_FIELD(state, every->byte);
	STATE_FIELD(state, every->half);
	STATE_FIELD(state, every->word);
	STATE_FIELD(state, every->whole);
	STATE_ARRAY(state, every->few);
	state_bytes(state, every->raw, sizeof(every->raw));
	STATE_UP_TO(state, every->choice, THREE);
}

static const struct every example = {
	.yes = true,
	.byte = 0x12,
	.half = 0x1234,
	.word = 0x12345678,
	.whole = UINT64_C(0x123456789abcdef0),
	.few = {1, 2, 3},
	.raw = {0xfe, 0xff},
	.choice = TWO,
};

static const uint8_t example_bytes[] = {
	1,    0x12, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 0xf0, 0xde, 0xbc, 0x9a, 0x78,
	0x56, 0x34, 0x12, 1,	2,    3,    0xfe, 0xff, 1,    0,    0,	  0,
};

Test(state, bytes_are_little_endian_and_packed)
{
	struct every every = example;
	struct state state;

	state_save(&state, "test");
	every_state(&every, &state);
	cr_assert(state_end(&state));
	cr_assert_eq(state.at, sizeof(example_bytes));
	cr_assert_arr_eq(state.bytes, example_bytes, sizeof(example_bytes));
	state_free(&state);
}

Test(state, what_was_saved_comes_back)
{
	struct every every;
	struct state state;

	memset(&every, 0, sizeof(every));
	state_load(&state, "test", example_bytes, sizeof(example_bytes));
	every_state(&every, &state);
	cr_assert(state_end(&state), "%s", state.why);
	cr_assert(every.yes);
	cr_assert_eq(every.byte, 0x12);
	cr_assert_eq(every.half, 0x1234);
	cr_assert_eq(every.word, 0x12345678);
	cr_assert_eq(every.whole, example.whole);
	cr_assert_eq(every.choice, TWO);
	cr_assert_arr_eq(every.few, example.few, 3);
	cr_assert_arr_eq(every.raw, example.raw, 2);
}

static void refused(const uint8_t *bytes, size_t size, const char *why)
{
	struct every every = {0};
	struct state state;

	state_load(&state, "test", bytes, size);
	every_state(&every, &state);
	cr_assert_not(state_end(&state));
	cr_assert_str_eq(state.why, why);
}

Test(state, a_value_that_is_too_large_is_named)
{
	uint8_t bytes[sizeof(example_bytes)];

	memcpy(bytes, example_bytes, sizeof(bytes));
	bytes[21] = 3;
	refused(bytes, sizeof(bytes), "test: every->choice is 0x3, at most 0x2");
	/* The first reason counts. */
	bytes[0] = 2;
	refused(bytes, sizeof(bytes), "test: every->yes is 0x2, at most 0x1");
}

Test(state, a_failure_leaves_the_fields_behind_it_alone)
{
	uint8_t bytes[sizeof(example_bytes)];
	struct every every = {.byte = 7};
	struct state state;

	memcpy(bytes, example_bytes, sizeof(bytes));
	bytes[0] = 0xff;
	state_load(&state, "test", bytes, sizeof(bytes));
	every_state(&every, &state);
	cr_assert_not(every.yes);
	cr_assert_eq(every.byte, 7);
	cr_assert_eq(every.whole, 0);
}

Test(state, every_other_length_is_refused)
{
	uint8_t bytes[sizeof(example_bytes) + 1] = {0};
	char why[64];

	memcpy(bytes, example_bytes, sizeof(example_bytes));
	for (size_t size = 0; size < sizeof(example_bytes); size++) {
		snprintf(why, sizeof(why), "test: ends after %zu bytes", size);
		refused(bytes, size, why);
	}
	refused(bytes, sizeof(bytes), "test: 1 bytes are left over");
}

static void tap(void *object, struct state *state)
{
	tap_state(object, state);
}

Test(state, no_field_of_tap_is_forgotten)
{
	struct tap object = {.used = TAP_LINE - 2};

	cr_assert_eq(described(&object, 0, offsetof(struct tap, used), tap), 3 + 5 * 8);
	cr_assert_eq(described(&object, offsetof(struct tap, line), sizeof(object), tap),
		     TAP_LINE - 2);
}

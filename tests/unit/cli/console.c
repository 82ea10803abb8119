/* SPDX-License-Identifier: BSD-2-Clause */
/* The host side of the console: pipes, the end of input, the escape sequence. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "cli/console.h"

Test(console, output_arrives_in_order_and_whole)
{
	struct console console;
	int out[2];
	char text[16] = "";

	cr_assert_eq(pipe(out), 0);
	cr_assert_eq(console_open(&console, open("/dev/null", O_RDONLY), out[1], false, 0), 0);
	for (const char *p = "one\ntwo"; *p; p++)
		console_put(&console, (uint8_t)*p);
	console_close(&console);
	cr_assert_eq(read(out[0], text, sizeof(text)), 7);
	cr_assert_str_eq(text, "one\ntwo");
}

Test(console, input_ends)
{
	struct console console;
	int in[2];
	uint8_t bytes[4];
	size_t got;

	cr_assert_eq(pipe(in), 0);
	cr_assert_eq(console_open(&console, in[0], open("/dev/null", O_WRONLY), false, 0), 0);
	cr_assert_eq(write(in[1], "hello", 5), 5);
	close(in[1]);
	cr_assert_eq(console_poll(&console, -1, bytes, 4, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 4, "no more than there is room");
	cr_assert_arr_eq(bytes, "hell", 4);
	cr_assert_eq(console_poll(&console, -1, bytes, 4, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 1);
	cr_assert(console_input_open(&console));
	cr_assert_eq(console_poll(&console, -1, bytes, 4, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 0);
	cr_assert_not(console_input_open(&console));
	console_close(&console);
}

Test(console, a_reader_that_left_is_noticed)
{
	struct console console;
	int out[2];
	uint8_t byte;
	size_t got;

	cr_assert_eq(pipe(out), 0);
	close(out[0]);
	cr_assert_eq(console_open(&console, open("/dev/null", O_RDONLY), out[1], false, 0), 0);
	console_put(&console, '\n');
	cr_assert_eq(console_poll(&console, 0, &byte, 1, &got), MACHINE_CONSOLE_BROKEN);
	console_close(&console);
}

Test(console, signals_are_taken_in_order)
{
	struct console console;
	uint8_t byte;
	size_t got;

	cr_assert_eq(console_open(&console, open("/dev/null", O_RDONLY),
				  open("/dev/null", O_WRONLY), false, 0),
		     0);
	cr_assert_eq(raise(SIGTERM), 0);
	cr_assert_eq(console_poll(&console, -1, &byte, 1, &got), MACHINE_CONSOLE_SIGNAL);
	cr_assert_eq(console.signal, SIGTERM);
	console_close(&console);
}

static size_t typed(struct console_keys *keys, const char *text, uint8_t *bytes)
{
	size_t count = 0;

	while (text[count]) {
		bytes[count] = (uint8_t)text[count];
		count++;
	}
	return console_keys_take(keys, bytes, count);
}

Test(console, keys_of_a_terminal)
{
	struct console_keys keys = {0};
	uint8_t bytes[16];

	cr_assert_eq(typed(&keys, "a\001\001b\001cd", bytes), 4, "Ctrl-A twice is one");
	cr_assert_arr_eq(bytes, "a\001bd", 4);
	cr_assert(console_keys_typed(&keys, CONSOLE_KEY_COUNTS));
	cr_assert_not(console_keys_typed(&keys, CONSOLE_KEY_COUNTS), "it is taken");
	cr_assert_eq(keys.typed, 0);
	cr_assert_eq(typed(&keys, "\001", bytes), 0);
	cr_assert_eq(typed(&keys, "x", bytes), 0, "also when they come apart");
	cr_assert(console_keys_typed(&keys, CONSOLE_KEY_QUIT));
	cr_assert_eq(typed(&keys, "\001S\001h\001zs", bytes), 1, "of either case; z is none");
	cr_assert(console_keys_typed(&keys, CONSOLE_KEY_SAVE));
	cr_assert(console_keys_typed(&keys, CONSOLE_KEY_HELP));
	cr_assert_eq(keys.typed, 0);
}

Test(console, break_has_its_place)
{
	struct console_keys keys = {0};
	uint8_t bytes[16];

	cr_assert_eq(typed(&keys, "ab\001bc", bytes), 3);
	cr_assert(keys.breaks);
	cr_assert_eq(keys.break_at, 2);
	cr_assert_eq(typed(&keys, "d", bytes), 1);
	cr_assert_not(keys.breaks);
}

static unsigned int told;

static void tell(void *ctx, enum console_key key)
{
	(void)ctx;
	told |= 1u << key;
}

/* As from a terminal: bytes after a break wait for it, and it waits for a guest with room. */
Test(console, break_comes_between_bytes)
{
	struct console console;
	uint8_t bytes[8];
	size_t got;
	int in[2];

	cr_assert_eq(pipe(in), 0);
	cr_assert_eq(console_open(&console, in[0], open("/dev/null", O_WRONLY), false, 0), 0);
	console.terminal = true;
	console.key = tell;
	cr_assert_eq(write(in[1], "ab\001bc\001s", 7), 7);
	cr_assert_eq(console_poll(&console, -1, bytes, 8, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 2);
	cr_assert_eq(told, 1u << CONSOLE_KEY_SAVE, "it cannot be saved, which is told");
	cr_assert_eq(console_poll(&console, 0, bytes, 0, &got), MACHINE_CONSOLE_NONE);
	cr_assert(console_input_open(&console));
	cr_assert_eq(console_poll(&console, 0, bytes, 8, &got), MACHINE_CONSOLE_BREAK);
	cr_assert_eq(got, 0);
	cr_assert_eq(console_poll(&console, 0, bytes, 8, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 1);
	cr_assert_eq(bytes[0], 'c');
	console.can_save = true;
	cr_assert_eq(write(in[1], "\001s", 2), 2);
	cr_assert_eq(console_poll(&console, -1, bytes, 8, &got), MACHINE_CONSOLE_SAVE);
	console_close(&console);
}

/* Without a terminal a Ctrl-A is a byte like any other. */
Test(console, keys_are_of_a_terminal_alone)
{
	struct console console;
	uint8_t bytes[8];
	size_t got;
	int in[2];

	cr_assert_eq(pipe(in), 0);
	cr_assert_eq(console_open(&console, in[0], open("/dev/null", O_WRONLY), true, 0), 0);
	cr_assert_eq(write(in[1], "\001x", 2), 2);
	cr_assert_eq(console_poll(&console, -1, bytes, 8, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 2);
	console_close(&console);
}

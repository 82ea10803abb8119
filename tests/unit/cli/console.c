// SPDX-License-Identifier: BSD-2-Clause
/* The host side of the console: pipes, the end of input, the escape sequence. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"

Test(console, output_arrives_in_order_and_whole)
{
	struct console console;
	int out[2];
	char text[16] = "";

	cr_assert_eq(pipe(out), 0);
	cr_assert_eq(console_open(&console, open("/dev/null", O_RDONLY), out[1], 0), 0);
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
	cr_assert_eq(console_open(&console, in[0], open("/dev/null", O_WRONLY), 0), 0);
	cr_assert_eq(write(in[1], "hello", 5), 5);
	close(in[1]);
	cr_assert_eq(console_poll(&console, -1, bytes, 4, &got), MACHINE_CONSOLE_NONE);
	cr_assert_eq(got, 4, "no more than there is room");
	cr_assert_eq(memcmp(bytes, "hell", 4), 0);
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
	cr_assert_eq(console_open(&console, open("/dev/null", O_RDONLY), out[1], 0), 0);
	console_put(&console, '\n');
	cr_assert_eq(console_poll(&console, 0, &byte, 1, &got), MACHINE_CONSOLE_BROKEN);
	console_close(&console);
}

Test(console, signals_are_taken_in_order)
{
	struct console console;
	uint8_t byte;
	size_t got;

	cr_assert_eq(
		console_open(&console, open("/dev/null", O_RDONLY), open("/dev/null", O_WRONLY), 0),
		0);
	cr_assert_eq(raise(SIGTERM), 0);
	cr_assert_eq(console_poll(&console, -1, &byte, 1, &got), MACHINE_CONSOLE_SIGNAL);
	cr_assert_eq(console.signal, SIGTERM);
	console_close(&console);
}

static size_t typed(struct console *console, const char *text, uint8_t *bytes, bool *quit)
{
	size_t count = 0;

	while (text[count]) {
		bytes[count] = (uint8_t)text[count];
		count++;
	}
	return console_filter(console, bytes, count, quit);
}

Test(console, escape_sequence_of_a_terminal)
{
	struct console console = {.terminal = true};
	uint8_t bytes[8];
	bool quit = false;

	cr_assert_eq(typed(&console, "a\001\001b\001c", bytes, &quit), 3, "Ctrl-A twice is one");
	cr_assert_eq(memcmp(bytes, "a\001b", 3), 0);
	cr_assert_not(quit);
	cr_assert_eq(typed(&console, "\001", bytes, &quit), 0);
	cr_assert_eq(typed(&console, "x", bytes, &quit), 0, "also when they come apart");
	cr_assert(quit);
	console.terminal = false;
	quit = false;
	cr_assert_eq(typed(&console, "\001x", bytes, &quit), 2, "a file is passed as it is");
	cr_assert_not(quit);
}

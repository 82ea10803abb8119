// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first and only process of a Linux kernel on vspe: what the machine's clock and seeds come to.
 * It prints what getrandom() says, which waits until the kernel has entropy, where the kernel is,
 * and the date; sleeps five seconds if it is asked to, and then powers off, resets the machine or,
 * by ending, has the kernel panic.
 */
#include <linux/reboot.h>

#include "user.h"

#define CLOCK_REALTIME 0

static void print_hex(uint64_t value)
{
	char digits[17] = "";

	for (int i = 0; i < 16; i++)
		digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
	print(digits);
}

static void print_random(void)
{
	uint64_t random[4] = {0};
	const long got = call(__NR_getrandom, (long)random, sizeof(random), 0, 0, 0, 0);

	print("random ");
	for (int i = 0; i < 4; i++)
		print_hex(random[i]);
	print(got == sizeof(random) ? "\n" : " failed\n");
}

/* The kernel's own place, which kaslr-seed chooses: that of its first symbol. */
static void print_kernel(void)
{
	char text[64] = "";

	(void)read_text("/proc/kallsyms", text, sizeof(text));
	text[16] = '\0';
	print("kernel ");
	print(text);
	print("\n");
}

static void print_date(void)
{
	int64_t time[2] = {0};

	call(__NR_clock_gettime, CLOCK_REALTIME, (long)time, 0, 0, 0, 0);
	print("date ");
	print_number((uint64_t)time[0]);
	print("\n");
}

static void sleep_seconds(int64_t seconds)
{
	const int64_t time[2] = {seconds, 0};

	call(__NR_nanosleep, (long)time, 0, 0, 0, 0, 0);
}

void init(const uint64_t *stack)
{
	const char *const word = stack[0] > 1 ? (const char *)stack[2] : "";

	mount_all();
	print_random();
	print_kernel();
	print_date();
	if (same(word, "sleep")) {
		sleep_seconds(5);
		print_date();
	}
	if (same(word, "panic"))
		call(__NR_exit, 0, 0, 0, 0, 0, 0);
	if (same(word, "reset"))
		call(__NR_reboot, (long)LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		     LINUX_REBOOT_CMD_RESTART, 0, 0, 0);
	power_off();
}

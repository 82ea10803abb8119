/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and only process of a Linux kernel on vspe: what the machine's clock, seeds and CPU
 * come to. It prints what getrandom() says, which waits until the kernel has entropy, where the
 * kernel is, the date, what /proc/cpuinfo calls features, and the ID registers, which the kernel
 * shows programs; and then powers off, resets the machine or, by ending, has the kernel panic.
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

/* The first line of /proc/cpuinfo that tells of features. */
static void print_features(void)
{
	static const char key[] = "Features\t: ";
	char text[2048] = "";
	const char *at = text;

	(void)read_text("/proc/cpuinfo", text, sizeof(text));
	for (size_t i = 0; *at && key[i]; at++)
		i = *at == key[i] ? i + 1 : 0;
	print("features ");
	for (char letter[2] = ""; *at && *at != '\n'; at++) {
		letter[0] = *at;
		print(letter);
	}
	print("\n");
}

#define PRINT_ID(name)                                            \
	do {                                                      \
		uint64_t value;                                   \
                                                                  \
		__asm__ volatile("mrs %0, " #name : "=r"(value)); \
		print(#name " ");                                 \
		print_hex(value);                                 \
		print("\n");                                      \
	} while (0)

static void print_ids(void)
{
	PRINT_ID(ID_AA64PFR0_EL1);
	PRINT_ID(ID_AA64PFR1_EL1);
	PRINT_ID(ID_AA64ISAR0_EL1);
	PRINT_ID(ID_AA64ISAR1_EL1);
	PRINT_ID(ID_AA64MMFR0_EL1);
	PRINT_ID(ID_AA64MMFR1_EL1);
	PRINT_ID(ID_AA64MMFR2_EL1);
}

void init(const uint64_t *stack)
{
	const char *const word = stack[0] > 1 ? (const char *)stack[2] : "";

	mount_all();
	print_random();
	print_kernel();
	print_date();
	print_features();
	print_ids();
	if (same(word, "panic"))
		call(__NR_exit, 0, 0, 0, 0, 0, 0);
	if (same(word, "reset"))
		call(__NR_reboot, (long)LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		     LINUX_REBOOT_CMD_RESTART, 0, 0, 0);
	power_off();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See user.h.
 */
#include "user.h"

#include <linux/reboot.h>

static unsigned int points;

long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

long control(long fd, unsigned long request, const void *argument)
{
	return call(__NR_ioctl, fd, (long)request, (long)argument, 0, 0, 0);
}

/* What gcc makes of assignments and initialisers. */
void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)value;
	return to;
}

void print(const char *text)
{
	size_t size = 0;

	while (text[size])
		size++;
	call(__NR_write, 1, (long)text, (long)size, 0, 0, 0);
}

static void print_hex(uint64_t value)
{
	char text[19] = "0x";

	for (unsigned int i = 0; i < 16; i++)
		text[2 + i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
	print(text);
}

void print_number(uint64_t value)
{
	char text[2] = {(char)('0' + value % 10)};

	if (value >= 10)
		print_number(value / 10);
	print(text);
}

bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

uint64_t parse_number(const char **text)
{
	uint64_t value = 0;

	while (**text == ' ')
		++*text;
	while (**text >= '0' && **text <= '9')
		value = 10 * value + (uint64_t)(*(*text)++ - '0');
	return value;
}

bool near(uint64_t value, uint64_t expected, uint64_t part)
{
	uint64_t margin = expected / part + 1;

	return value + margin >= expected && value <= expected + margin;
}

void point_skipped(const char *what, const char *why)
{
	print("ok ");
	print_number(++points);
	print(" - ");
	print(what);
	print(" # SKIP ");
	print(why);
	print("\n");
}

void point(bool ok, const char *what, uint64_t value)
{
	print(ok ? "ok " : "not ok ");
	print_number(++points);
	print(" - ");
	print(what);
	print("\n");
	if (ok)
		return;
	print("# ");
	print_hex(value);
	print("\n");
}

long open_file(const char *name, int flags)
{
	return call(__NR_openat, AT_FDCWD, (long)name, flags, 0, 0, 0);
}

long read_text(const char *name, char *text, size_t size)
{
	long file = open_file(name, O_RDONLY), count = 0;
	size_t at = 0;

	if (file < 0)
		return file;
	while (at < size - 1) {
		count = call(__NR_read, file, (long)(text + at), (long)(size - 1 - at), 0, 0, 0);
		if (count <= 0)
			break;
		at += (size_t)count;
	}
	call(__NR_close, file, 0, 0, 0, 0, 0);
	text[at] = 0;
	return count < 0 ? count : (long)at;
}

void mount_all(void)
{
	call(__NR_mount, (long)"dev", (long)"/dev", (long)"devtmpfs", 0, 0, 0);
	call(__NR_mount, (long)"proc", (long)"/proc", (long)"proc", 0, 0, 0);
	call(__NR_mount, (long)"sys", (long)"/sys", (long)"sysfs", 0, 0, 0);
	open_file("/dev/console", O_RDWR);
	call(__NR_dup3, 0, 1, 0, 0, 0, 0);
}

void power_off(void)
{
	call(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, 0,
	     0, 0);
}

__asm__(".globl _start\n"
	"_start:	mov x0, sp\n"
	"	bl init\n"
	"	brk #0\n");

// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first and only process of a Linux kernel on vspe. It prints TAP: that the kernel runs
 * programs, with floating point if it says so; that it has KVM where it was started at EL2; and
 * that perf events of SPE work. What to expect is on the kernel's command line behind "--": "el2",
 * "spe".
 *
 * Neither a libc nor floating point is needed.
 */
#include <asm/hwcap.h>
#include <linux/auxvec.h>
#include <linux/reboot.h>
#include <linux/signal.h>

#include "init.h"

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

static void print(const char *text)
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

static void print_number(unsigned int value)
{
	char text[2] = {(char)('0' + value % 10)};

	if (value >= 10)
		print_number(value / 10);
	print(text);
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

/* A child that uses a register of floating point: its wait status. */
static int run_fp(void)
{
	int status = -1;
	long child = call(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0);

	if (child == 0) {
		__asm__ volatile(".arch_extension fp\n\tfmov d0, #1.0");
		call(__NR_exit, 0, 0, 0, 0, 0, 0);
	}
	call(__NR_wait4, child, (long)&status, 0, 0, 0, 0);
	return status;
}

static void test_fp(const uint64_t *auxv)
{
	uint64_t hwcap = 0;
	int status = run_fp();

	for (; auxv[0] != AT_NULL; auxv += 2)
		if (auxv[0] == AT_HWCAP)
			hwcap = auxv[1];
	point(hwcap != 0, "the kernel tells a program what the CPU has", hwcap);
	if (hwcap & HWCAP_FP)
		point(status == 0, "a program uses floating point", (uint64_t)status);
	else
		point(status == SIGILL, "without floating point a program that uses it gets SIGILL",
		      (uint64_t)status);
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static bool expected(const uint64_t *stack, const char *word)
{
	for (uint64_t i = 1; i < stack[0]; i++)
		if (same((const char *)stack[1 + i], word))
			return true;
	return false;
}

/* stack: argc, argv, NULL, environment, NULL, auxiliary vector. */
__attribute__((used)) static void init(const uint64_t *stack)
{
	bool el2 = expected(stack, "el2"), spe = expected(stack, "spe");
	const uint64_t *auxv = stack + stack[0] + 2;
	long kvm;

	call(__NR_mkdirat, AT_FDCWD, (long)"/dev", 0755, 0, 0, 0);
	call(__NR_mount, (long)"dev", (long)"/dev", (long)"devtmpfs", 0, 0, 0);
	call(__NR_openat, AT_FDCWD, (long)"/dev/console", O_RDWR, 0, 0, 0);
	call(__NR_dup3, 0, 1, 0, 0, 0, 0);
	print("1..");
	print_number(3 + (el2 ? KVM_POINTS : 0) + (spe ? SPE_POINTS : 0));
	print("\n");
	while (*auxv++)
		;
	test_fp(auxv);
	kvm = call(__NR_openat, AT_FDCWD, (long)"/dev/kvm", O_RDWR, 0, 0, 0);
	point((kvm >= 0) == el2, el2 ? "there is KVM at EL2" : "there is no KVM at EL1",
	      (uint64_t)kvm);
	if (kvm >= 0)
		test_kvm(kvm);
	if (spe)
		test_spe();
	call(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, 0,
	     0, 0);
}

__asm__(".globl _start\n"
	"_start:	mov x0, sp\n"
	"	bl init\n"
	"	brk #0\n");

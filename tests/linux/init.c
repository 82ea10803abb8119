/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and only process of a Linux kernel on vspe. It prints TAP: that the kernel runs
 * programs, with floating point if it reports that, and that it has KVM if it was started at EL2
 * (its command line then has "el2" after "--"). A virtual machine by KVM uses most of EL2: stage 2,
 * traps, the virtual CPU interface of the GIC, the virtual timer and its offset.
 */
#include <asm/hwcap.h>
#include <linux/auxvec.h>
#include <linux/signal.h>

#include "kvm.h"
#include "user.h"

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

void init(const uint64_t *stack)
{
	bool el2 = stack[0] > 1 && same((const char *)stack[2], "el2");
	const uint64_t *auxv = stack + stack[0] + 2;
	long kvm;

	mount_all();
	print("1..");
	print_number(3 + (el2 ? KVM_POINTS : 0));
	print("\n");
	while (*auxv++)
		;
	test_fp(auxv);
	kvm = open_file("/dev/kvm", O_RDWR);
	point((kvm >= 0) == el2, el2 ? "there is KVM at EL2" : "there is no KVM at EL1",
	      (uint64_t)kvm);
	if (kvm >= 0)
		test_kvm(kvm);
	power_off();
}

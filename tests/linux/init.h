/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the init share: system calls, and test points on the console. */
#ifndef VSPE_TESTS_LINUX_INIT_H
#define VSPE_TESTS_LINUX_INIT_H

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROT_RW	   3
#define MAP_SHARED 1

/* A system call of the kernel's: what it returns, which is a negative number for an error. */
long call(long number, long a, long b, long c, long d, long e, long f);
long control(long fd, unsigned long request, const void *argument);

/* A test point; value is shown when it fails. */
void point(bool ok, const char *what, uint64_t value);

/* kvm.c: a virtual machine by /dev/kvm, open as kvm. KVM_POINTS points. */
#define KVM_POINTS 8
void test_kvm(long kvm);

/* spe.c: a profile of a loop by perf events and SPE. SPE_POINTS points. */
#define SPE_POINTS 6
void test_spe(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a guest may run and still be known to be where it is expected: a run of instructions of
 * which none leads elsewhere but the last, and breakpoints where that may lead to. It is as exact
 * as one step after the other, and many times faster. Looks at instructions alone.
 */
#ifndef VSPE_KVM_PLAN_H
#define VSPE_KVM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVM_PLAN_ENDS 2

struct kvm_plan {
	unsigned int length;	     /* instructions; 0: there is nothing to plan */
	unsigned int ends;	     /* how many of end[] there are */
	uint64_t end[KVM_PLAN_ENDS]; /* where the guest is when all are executed */
};

/*
 * The run that starts at pc with words, of which there are count; at most most instructions, and
 * ends ends (1 or 2). keep_out[n] are addresses that already have breakpoints: it meets none.
 */
struct kvm_plan kvm_plan(uint64_t pc, const uint32_t *words, size_t count, uint64_t most,
			 unsigned int ends, const uint64_t *keep_out, size_t keep_outs);

/* Where an exception that left off at pc has interrupted it: instructions executed, or length + 1.
 */
unsigned int kvm_plan_executed(const struct kvm_plan *plan, uint64_t start, uint64_t pc);

#endif

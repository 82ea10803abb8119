/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a guest may run and still be known to be where it is expected: a path of instructions
 * each of which leads to the next, with breakpoints where the path ends and where a branch may
 * leave it. It is as exact as single steps, and many times faster. Looks only at instructions.
 */
#ifndef VSPE_KVM_PLAN_H
#define VSPE_KVM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVM_PLAN_ENDS	  8
#define KVM_PLAN_SEGMENTS 16
#define KVM_PLAN_MOST	  256u /* instructions */

/* Consecutive instructions; the number of the first is how many come before it on the path. */
struct kvm_plan_segment {
	uint64_t start;
	unsigned int first, count;
};

/* A breakpoint, and how many instructions have been executed when the guest gets there. */
struct kvm_plan_end {
	uint64_t va;
	unsigned int executed;
};

struct kvm_plan {
	unsigned int length; /* instructions of the path; 0: there is nothing to plan */
	unsigned int ends, segments;
	struct kvm_plan_end end[KVM_PLAN_ENDS]; /* the path's own end is the last */
	struct kvm_plan_segment segment[KVM_PLAN_SEGMENTS];
};

/* The guest that a plan is for. */
struct kvm_plan_guest {
	void *ctx;
	/* The instruction at va. false: it is not available. */
	bool (*fetch)(void *ctx, uint64_t va, uint32_t *word);
	/* X30, as it is at the start of the path. */
	uint64_t (*link)(void *ctx);
	const uint64_t *keep_out; /* addresses that have breakpoints: the path meets none */
	size_t keep_outs;
};

/*
 * The path that starts at pc, of at most most instructions and with at most ends ends (1 to
 * KVM_PLAN_ENDS). At a conditional branch it follows the likely way: taken if it is backward.
 */
void kvm_plan(struct kvm_plan *plan, uint64_t pc, uint64_t most, unsigned int ends,
	      const struct kvm_plan_guest *guest);

bool kvm_plan_is_end(const struct kvm_plan *plan, uint64_t pc);

/*
 * How many instructions have been executed when pc is next, at an end or because an exception has
 * interrupted the path there; length + 1 if it does not get there.
 */
unsigned int kvm_plan_executed(const struct kvm_plan *plan, uint64_t pc);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a guest may run and still be known to be where it is expected: a path of instructions of
 * which each leads to the next, and breakpoints where the path ends and where a branch may leave
 * it. It is as exact as one step after the other, and many times faster. Looks at instructions
 * alone.
 */
#ifndef VSPE_KVM_PLAN_H
#define VSPE_KVM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVM_PLAN_ENDS	  8
#define KVM_PLAN_SEGMENTS 16
#define KVM_PLAN_MOST	  256u /* instructions */

/* Instructions in a row; the number of the first is how many come before it on the path. */
struct kvm_plan_segment {
	uint64_t start;
	unsigned int first, count;
};

/* A breakpoint, and how many instructions are executed when the guest is there. */
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
	/* The instruction at va. false: there is none to be had. */
	bool (*fetch)(void *ctx, uint64_t va, uint32_t *word);
	/* X30, as it is at the start of the path. */
	uint64_t (*link)(void *ctx);
	const uint64_t *keep_out; /* addresses that have breakpoints: the path meets none */
	size_t keep_outs;
};

/*
 * The path that starts at pc, of at most most instructions and with at most ends ends (1 to
 * KVM_PLAN_ENDS). Of a conditional branch it follows the way that is likely: backward, or not.
 */
void kvm_plan(struct kvm_plan *plan, uint64_t pc, uint64_t most, unsigned int ends,
	      const struct kvm_plan_guest *guest);

bool kvm_plan_is_end(const struct kvm_plan *plan, uint64_t pc);

/*
 * How many instructions are executed when pc is next, at an end or because an exception has
 * interrupted the path there; length + 1 if it does not come there.
 */
unsigned int kvm_plan_executed(const struct kvm_plan *plan, uint64_t pc);

#endif

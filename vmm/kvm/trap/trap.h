/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses that KVM would answer: found, caught, answered; and the guest's own debugging. */
#ifndef VSPE_KVM_TRAP_H
#define VSPE_KVM_TRAP_H

#include "kvm/kvm.h"

/* trap.c: KVM_EXIT_DEBUG. */
void kvm_trap(struct vspe_kvm_vcpu *vcpu);

/*
 * answer.c. The answer to an access at el, and how it counts for the unit. The guest does not move:
 * kvm_answered() must follow. false: it is UNDEFINED.
 */
bool kvm_answer(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access, unsigned int el,
		bool *selected);
void kvm_answered(struct vspe_kvm_vcpu *vcpu, bool done, bool selected);
/* Answer an access of access.h that the guest is at. */
void kvm_emulate(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access);

/*
 * debug.c: KVM reports that a breakpoint or watchpoint has matched. Is it the guest's, and enabled?
 * Then a step is over, and the guest takes the exception.
 */
bool kvm_own_debug_matches(struct vspe_kvm_vcpu *vcpu);
void kvm_own_debug_take(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss);
void kvm_debug_init(struct vspe_kvm_vcpu *vcpu);
/* The guest writes the register that debug of access.h stands for. */
void kvm_debug_write(struct vspe_kvm_vcpu *vcpu, unsigned int debug, uint64_t value);

/*
 * Before a step, and after it: excepted or interrupted, or executed. true: the guest has taken a
 * Software Step exception instead.
 */
bool kvm_own_step_before(struct vspe_kvm_vcpu *vcpu);
void kvm_own_step_at(struct vspe_kvm_vcpu *vcpu, uint32_t word);
void kvm_own_step_after(struct vspe_kvm_vcpu *vcpu, uint32_t word, bool excepted);
/* It may have written one without us. */
void kvm_debug_look(struct vspe_kvm_vcpu *vcpu);
/* Combine the guest's breakpoints with count of vspe's at at[], whose control is bcr. */
void kvm_debug_fill(struct vspe_kvm_vcpu *vcpu, struct kvm_guest_debug *debug, const uint64_t *at,
		    unsigned int count, uint64_t bcr);

/* site.c: word at pa was an access, or compressed data, and this became of it. */
void kvm_site_found(struct vspe_kvm *vm, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind what);
/* patch.c. Does imm belong to a BRK that stands for an access? */
bool kvm_own_brk(const struct vspe_kvm *vm, uint16_t imm, struct kvm_access *access);
/* The guest has executed word, an access at the host's address at: make it a BRK. */
void kvm_patch_met(struct vspe_kvm_vcpu *vcpu, uint8_t *at, uint32_t word,
		   const struct kvm_access *access);

/*
 * Patch the accesses in the code at the vectors, before the guest executes one. Handlers need
 * ELR_EL1, SPSR_EL1 and ESR_EL1, which the guest loses to KVM if a breakpoint catches an access.
 */
void kvm_patch_vectors(struct vspe_kvm_vcpu *vcpu, uint64_t vbar);
/* Replace the BRK for a write of VBAR_EL1 with the write again. */
void kvm_patch_undo(struct vspe_kvm_vcpu *vcpu, uint8_t *at, const struct kvm_access *access);

/*
 * vectors.c. Can the host have breakpoints at the vectors? If not, *breakpoints: how many it has.
 */
bool kvm_vectors_can(const struct vspe_kvm *vm, unsigned int *breakpoints);
bool kvm_vectors_can_count(const struct vspe_kvm *vm);
/* How many there should be, and whether for the counter's sake. */
unsigned int kvm_vectors_wanted(struct vspe_kvm_vcpu *vcpu);
bool kvm_vectors_counting(const struct vspe_kvm_vcpu *vcpu);
/* Will there ever be some? */
bool kvm_vectors_may(const struct vspe_kvm *vm);
/* The guest is at its vector, and the code that put it there has taken care of the breakpoint. */
void kvm_vectors_entered(struct vspe_kvm_vcpu *vcpu);
/* Is this exit the hit of one? And the reaction to it. */
bool kvm_vectors_exit(struct vspe_kvm_vcpu *vcpu);
void kvm_vectors_hit(struct vspe_kvm_vcpu *vcpu);
/* vbar.c. After the guest ran: check VBAR_EL1 if it is time. */
void kvm_vectors_follow(struct vspe_kvm_vcpu *vcpu);
/* The guest writes to it. */
void kvm_vectors_set(struct vspe_kvm_vcpu *vcpu, uint64_t vbar);

#endif

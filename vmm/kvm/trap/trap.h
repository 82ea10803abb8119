/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses that KVM would answer: found, caught, answered; and debugging of the guest's own. */
#ifndef VSPE_KVM_TRAP_H
#define VSPE_KVM_TRAP_H

#include "kvm/kvm.h"

/* trap.c: KVM_EXIT_DEBUG. */
void kvm_trap(struct vspe_kvm_vcpu *vcpu);

/*
 * answer.c. The answer to an access at el, with its part in the counts of the unit; the guest stays
 * where it is, so that kvm_answered() has to follow. false: it is UNDEFINED.
 */
bool kvm_answer(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access, unsigned int el,
		bool *selected);
void kvm_answered(struct vspe_kvm_vcpu *vcpu, bool done, bool selected);
/* Answer an access of access.h that the guest is at. */
void kvm_emulate(struct vspe_kvm_vcpu *vcpu, const struct kvm_access *access);

/*
 * debug.c: a breakpoint or watchpoint has matched, as KVM tells of it. Is it the guest's own, and
 * enabled? Then a step is at its end, and the guest takes the exception.
 */
bool kvm_own_debug_matches(struct vspe_kvm_vcpu *vcpu);
void kvm_own_debug_take(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss);
void kvm_debug_init(struct vspe_kvm_vcpu *vcpu);
/* The guest writes the register that is access.h's debug. */
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
/* Put the guest's own beside count breakpoints of ours at at[], whose control is bcr. */
void kvm_debug_fill(struct vspe_kvm_vcpu *vcpu, struct kvm_guest_debug *debug, const uint64_t *at,
		    unsigned int count, uint64_t bcr);

/* site.c: word at pa was an access, or what is compressed, and this became of it. */
void kvm_site_found(struct vspe_kvm *vm, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind what);
/* patch.c. Is imm of a BRK that stands for an access? */
bool kvm_own_brk(const struct vspe_kvm *vm, uint16_t imm, struct kvm_access *access);
/* The guest has executed word, an access that is at the host's address at: a BRK from now on. */
void kvm_patch_met(struct vspe_kvm_vcpu *vcpu, uint8_t *at, uint32_t word,
		   const struct kvm_access *access);

/*
 * Patch the accesses in the code at the vectors, before the guest executes one: where handlers are,
 * ELR_EL1, SPSR_EL1 and ESR_EL1 matter, which the guest loses to KVM where a breakpoint catches it.
 */
void kvm_patch_vectors(struct vspe_kvm_vcpu *vcpu, uint64_t vbar);
/* What stands for a write of VBAR_EL1 becomes that again. */
void kvm_patch_undo(struct vspe_kvm_vcpu *vcpu, uint8_t *at, const struct kvm_access *access);

/* vectors.c. Can the host have breakpoints at the vectors? How many there are, otherwise. */
bool kvm_vectors_can(const struct vspe_kvm *vm, unsigned int *breakpoints);
bool kvm_vectors_can_count(const struct vspe_kvm *vm);
/* How many there are to be, and whether for the counter's sake. */
unsigned int kvm_vectors_wanted(struct vspe_kvm_vcpu *vcpu);
bool kvm_vectors_counting(const struct vspe_kvm_vcpu *vcpu);
/* Will there ever be some? */
bool kvm_vectors_may(const struct vspe_kvm *vm);
/* The guest is at its vector, and whoever has put it there has seen to that. */
void kvm_vectors_entered(struct vspe_kvm_vcpu *vcpu);
/* Is this exit the hit of one? And what is to be done then. */
bool kvm_vectors_exit(struct vspe_kvm_vcpu *vcpu);
void kvm_vectors_hit(struct vspe_kvm_vcpu *vcpu);
/* vbar.c. After the guest ran: does VBAR_EL1 have to be looked at? */
void kvm_vectors_follow(struct vspe_kvm_vcpu *vcpu);
/* The guest writes to it. */
void kvm_vectors_set(struct vspe_kvm_vcpu *vcpu, uint64_t vbar);

#endif

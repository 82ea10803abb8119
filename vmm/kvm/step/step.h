/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions executed one at a time, or over a path of them at once. */
#ifndef VSPE_KVM_STEP_H
#define VSPE_KVM_STEP_H

#include "kvm/kvm.h"

/* step.c: before a single step. false: the instruction was emulated, and nothing has to run. */
bool kvm_step_before(struct vspe_kvm_vcpu *vcpu);
/* After it: the guest is at the next instruction. */
void kvm_step_after(struct vspe_kvm_vcpu *vcpu);
/* The step has not been completed, and will not be: the guest is where it was. */
void kvm_step_break(struct vspe_kvm_vcpu *vcpu);

/*
 * block.c. Before the instruction at code, where the guest is and which is not the selected one:
 * true if a path from there is to be run at once.
 */
bool kvm_block_before(struct vspe_kvm_vcpu *vcpu, const uint8_t *code);
void kvm_block_arm(const struct vspe_kvm_vcpu *vcpu, struct kvm_guest_debug *debug);
/* At one of its breakpoints; or it ended earlier. */
void kvm_block_after(struct vspe_kvm_vcpu *vcpu);
void kvm_block_stop(struct vspe_kvm_vcpu *vcpu);

/* exclusive.c: a load or store exclusive, done at once. false: let the hardware do it. */
bool kvm_exclusive(struct vspe_kvm_vcpu *vcpu, uint32_t word);

#endif

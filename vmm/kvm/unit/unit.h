/* SPDX-License-Identifier: BSD-2-Clause */
/* The unit's view of a vCPU: operations, samples, and what KVM's statistics add. */
#ifndef VSPE_KVM_UNIT_H
#define VSPE_KVM_UNIT_H

#include "kvm/kvm.h"

/* Must be called after every change of the unit: updates its interrupt, and whether to step. */
void kvm_spe_changed(struct vspe_kvm_vcpu *vcpu);

/*
 * answered.c. Find the statistics, once for all vCPUs of the host; read one, 0 if it does not
 * exist; and how many of the instructions that must be added KVM has answered since the last time.
 */
void kvm_answered_find(struct vspe_kvm_vcpu *vcpu, struct kvm_costs *costs);
uint64_t kvm_answered_read(struct vspe_kvm_vcpu *vcpu, uint64_t at);
uint64_t kvm_answered_since(struct vspe_kvm_vcpu *vcpu);
void kvm_answered_close(struct vspe_kvm_vcpu *vcpu);

/*
 * sample.c: see spe_sample(). selected: it is selected; otherwise only the watcher sees it, and
 * kvm_sample_after() may be called only if there is one.
 */
void kvm_sample_before(struct vspe_kvm_vcpu *vcpu, uint32_t word, bool fetched, bool selected);
void kvm_sample_after(struct vspe_kvm_vcpu *vcpu, bool excepted, bool selected);
/* The operation that kvm_sample_before() has seen is a member of the population. */
void kvm_operation(struct vspe_kvm_vcpu *vcpu, bool excepted);

#endif

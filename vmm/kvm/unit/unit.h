/* SPDX-License-Identifier: BSD-2-Clause */
/* What the unit of a vCPU sees: operations, samples, and what KVM's statistics add. */
#ifndef VSPE_KVM_UNIT_H
#define VSPE_KVM_UNIT_H

#include "kvm/kvm.h"

/* Told after every change of the unit: its interrupt, and whether to step. */
void kvm_spe_changed(struct vspe_kvm_vcpu *vcpu);

/*
 * answered.c. Find the statistics, once for all vCPUs of the host; read one, 0 for one that is not
 * there; and how many instructions KVM has answered since the last time, of those to be added.
 */
void kvm_answered_find(struct vspe_kvm_vcpu *vcpu, struct kvm_costs *costs);
uint64_t kvm_answered_read(struct vspe_kvm_vcpu *vcpu, uint64_t at);
uint64_t kvm_answered_since(struct vspe_kvm_vcpu *vcpu);
void kvm_answered_close(struct vspe_kvm_vcpu *vcpu);

/*
 * sample.c: see spe_sample(). selected: it is; otherwise the watcher alone is to see it, and
 * kvm_sample_after() may be called only if that was shown it.
 */
void kvm_sample_before(struct vspe_kvm_vcpu *vcpu, uint32_t word, bool fetched, bool selected);
void kvm_sample_after(struct vspe_kvm_vcpu *vcpu, bool excepted, bool selected);
/* The operation that kvm_sample_before() has seen is a member of the population. */
void kvm_operation(struct vspe_kvm_vcpu *vcpu, bool excepted);

#endif

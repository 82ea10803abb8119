/* SPDX-License-Identifier: BSD-2-Clause */
/* What the unit of a vCPU sees: operations, samples, and what KVM's statistics add. */
#ifndef VSPE_KVM_UNIT_H
#define VSPE_KVM_UNIT_H

#include "kvm/kvm.h"

/* Told after every change of the unit: its interrupt, and whether to step. */
void kvm_spe_changed(struct engine_vcpu *vcpu);

/*
 * answered.c. Find the statistics, once for all vCPUs of the host; read one, 0 for one that is not
 * there; and how many instructions KVM has answered since the last time, of those to be added.
 */
void kvm_answered_find(struct engine_vcpu *vcpu, struct kvm_costs *costs);
uint64_t kvm_answered_read(struct engine_vcpu *vcpu, uint64_t at);
uint64_t kvm_answered_since(struct engine_vcpu *vcpu);
void kvm_answered_close(struct engine_vcpu *vcpu);

/*
 * sample.c: see spe_sample(). selected: it is; otherwise a machine model alone is to see it, and
 * kvm_sample_after() may be called only if that was shown it.
 */
void kvm_sample_before(struct engine_vcpu *vcpu, uint32_t word, bool fetched, bool selected);
void kvm_sample_after(struct engine_vcpu *vcpu, bool excepted, bool selected);
/* The operation that kvm_sample_before() has seen is a member of the population. */
void kvm_operation(struct engine_vcpu *vcpu, bool excepted);

/*
 * model.c: the machine model, with --model. Make it, unless there is one or none is asked for. 0,
 * or -1: no memory.
 */
int kvm_model_create(struct engine_vm *vm, const struct engine_tuning *tuning);
void kvm_model_destroy(struct engine_vm *vm);
/* The operation at code, which kvm_sample_before() has seen, is fetched. */
void kvm_model_before(struct engine_vcpu *vcpu, const uint8_t *code);
/* It was executed, and vcpu->selected.op is complete but for what the model adds. */
void kvm_model_after(struct engine_vcpu *vcpu, bool excepted);
/* It is selected: does it collide? If not, it is in flight from here on. */
bool kvm_model_collides(struct engine_vcpu *vcpu);
/* A reset of the vCPU: its TLBs are empty. */
void kvm_model_reset(struct engine_vcpu *vcpu);
/* Add what it has counted: model_counts_add(). */
void kvm_model_account(struct kvm_model *model, uint64_t *counts);

#endif

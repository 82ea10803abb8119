/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine model of --model, which watches stepped operations (kvm_watcher). It belongs to vspe,
 * and is not part of libvspe-kvm.
 */
#ifndef VSPE_KVM_MODEL_H
#define VSPE_KVM_MODEL_H

#include <stdint.h>

struct vspe_kvm;
struct model_config;
struct model_ram;
struct kvm_model;

/* Make one that watches the vCPUs of the VM, before they run; NULL: no memory. */
struct kvm_model *kvm_model_create(struct vspe_kvm *vm, const struct model_config *config,
				   const struct model_ram *ram);
/* To be called after the VM is gone; NULL is ignored. */
void kvm_model_destroy(struct kvm_model *model);
/* Add what it has counted: model_counts_add(). */
void kvm_model_account(struct kvm_model *model, uint64_t *counts);

#endif

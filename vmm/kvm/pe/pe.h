/* SPDX-License-Identifier: BSD-2-Clause */
/* The vCPU as KVM has it: its registers, memory, exceptions and resets. */
#ifndef VSPE_KVM_PE_H
#define VSPE_KVM_PE_H

#include "kvm/host/host.h"
#include "kvm/kvm.h"

/* registers.c. A failed access is remembered in vcpu->calls, and ends the run; it reads as 0. */
/* X0 to X30, or the stack pointer of the current Exception level for 31. */
uint64_t kvm_x(struct vspe_kvm_vcpu *vcpu, unsigned int n);
/* The same for functions of a64.h; ctx: the vCPU. */
uint64_t kvm_read_register(const void *ctx, unsigned int n);
void kvm_set_x(struct vspe_kvm_vcpu *vcpu, unsigned int n, uint64_t value); /* 31: XZR */
uint64_t kvm_get(struct vspe_kvm_vcpu *vcpu, uint64_t id);
void kvm_set(struct vspe_kvm_vcpu *vcpu, uint64_t id, uint64_t value);
bool kvm_has(struct vspe_kvm_vcpu *vcpu, uint64_t id);
/* false: KVM refuses it, which is not an error. */
bool kvm_try_set(struct vspe_kvm_vcpu *vcpu, uint64_t id, uint64_t value);
/* 0 if KVM does not know it, as old kernels do not know some ID registers. */
uint64_t kvm_get_if_there(struct vspe_kvm_vcpu *vcpu, uint64_t id);
/* PC and PSTATE, read once. */
void kvm_place(struct vspe_kvm_vcpu *vcpu);
/* The same, but NZCV and BTYPE in known.pstate may be out of date. */
void kvm_rough_place(struct vspe_kvm_vcpu *vcpu);
void kvm_go(struct vspe_kvm_vcpu *vcpu, uint64_t pc, uint64_t pstate);
/* The guest is about to run: forget all that is known, with regime also the translation regime. */
void kvm_forget(struct vspe_kvm_vcpu *vcpu, bool regime);
#define PSTATE_EL(pstate) arm_field(pstate, SPSR_ELx_EL)

/* exception.c: synchronous exceptions to EL1 that KVM did not take. */
void kvm_take_exception(struct vspe_kvm_vcpu *vcpu, uint32_t ec, uint32_t iss);

/* power.c. Can a reset of this vCPU be noticed? Must be called after every change of the unit. */
bool kvm_power_can(struct vspe_kvm_vcpu *vcpu);
void kvm_power_watch(struct vspe_kvm_vcpu *vcpu);
/* After the guest ran: were it and its unit reset? Then kvm_spe_changed() must follow. */
bool kvm_power_look(struct vspe_kvm_vcpu *vcpu);
/* It and its unit have been reset: drop all that was under way. */
void kvm_power_reset(struct vspe_kvm_vcpu *vcpu);

/*
 * The place of the code at va in RAM, by the registers of the regime as last read, or read now.
 * NULL: el cannot execute there.
 */
uint8_t *kvm_code(struct vspe_kvm_vcpu *vcpu, uint64_t va, unsigned int el);
void kvm_know_code(struct vspe_kvm_vcpu *vcpu, uint64_t va);

/* Was the exception that was just taken caused by a fetch? That is not an operation. */
bool kvm_fetch_aborted(struct vspe_kvm_vcpu *vcpu);

/* translate.c: through the guest's tables. */
bool kvm_translate(struct vspe_kvm_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t);
/* The same without an effect on the tables; noted: which descriptors were read. */
struct model_walk; /* model/core.h */
bool kvm_note_walk(struct vspe_kvm_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t, struct model_walk *noted);
/* Read the registers of the regime of EL1&0 into vcpu->known, if they are not there. */
void kvm_know_regime(struct vspe_kvm_vcpu *vcpu);
/* memory.c: size bytes of RAM at pa, or NULL; and the guest physical address of a place in RAM. */
uint8_t *kvm_ram_beyond(const struct vspe_kvm *vm, uint64_t pa, size_t size);
static inline uint8_t *kvm_ram(const struct vspe_kvm *vm, uint64_t pa, size_t size)
{
	/* Most or all of RAM is in the first region. */
	const uint64_t offset = pa - vm->first.base;

	if (pa >= vm->first.base && offset <= vm->first.size && size <= vm->first.size - offset)
		return (uint8_t *)vm->first.host + offset;
	return kvm_ram_beyond(vm, pa, size);
}
uint64_t kvm_ram_address(const struct vspe_kvm *vm, const void *host);
/* The code there, up to the end of its page; or NULL. */
const uint8_t *kvm_fetch(struct vspe_kvm_vcpu *vcpu, uint64_t pc, unsigned int el, uint32_t *word);
struct spe_write_result kvm_spe_write(void *ctx, uint8_t owning_el, uint64_t va,
				      const uint8_t *bytes, size_t size);
/* FEAT_SPE_nVM: write at an address that is physical for the guest, and intermediate for KVM. */
struct spe_write_result kvm_spe_write_untranslated(void *ctx, const struct spe_untranslated *to,
						   const uint8_t *bytes, size_t size);

#endif

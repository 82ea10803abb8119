/* SPDX-License-Identifier: BSD-2-Clause */
/* The vCPU as KVM has it: its registers, memory, exceptions and resets; and its loop. */
#ifndef VSPE_KVM_PE_H
#define VSPE_KVM_PE_H

#include "kvm/kvm.h"

/* vm.c */
int kvm_vm_open(struct engine_vm *vm, char *why, size_t size);
int kvm_vm_finish(struct engine_vm *vm, char *why, size_t size); /* when all vCPUs are there */
int kvm_vcpu_open(struct engine_vcpu *vcpu, char *why, size_t size);

/*
 * pmu.c: the PMU that KVM gives a vCPU with KVM_ARM_VCPU_PMU_V3. vm: in which a vCPU may be made to
 * see which that is; 0, or -EINVAL and why.
 */
int kvm_grant_pmu(int vm, enum arm_pmu_version wish, char *why, size_t size);
/* Before anything reads the vCPU's ID registers. 0, or -1 and why. */
int kvm_pmu_choose(struct engine_vcpu *vcpu, char *why, size_t size);
/* With all vCPUs and the GIC there. 0, or -1 and why. */
int kvm_pmu_finish(struct engine_vm *vm, char *why, size_t size);

/* probe.c: 0, or -1 and why. */
int kvm_probe(char *why, size_t size);
int kvm_open(char *why, size_t size);				 /* engine.h */
int kvm_grant(struct engine_wish *wish, char *why, size_t size); /* engine.h */
/* For KVM_CREATE_VM: the default, or the fewer bits of guest physical addresses that there are. */
unsigned long kvm_vm_type(int kvm);

/* registers.c. A failed access is remembered in vcpu->error, and ends the run; it reads as 0. */
/* The register that arm/registers.def has an encoding of, by its name. */
#define KVM_SYSREG(name) \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM64_SYSREG | (uint64_t)ARM_##name)
#define KVM_CORE(member)                                       \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 (__builtin_offsetof(struct kvm_regs, member) / sizeof(__u32)))
/* X0 to X30, or the stack pointer of the current Exception level for 31. */
uint64_t kvm_x(struct engine_vcpu *vcpu, unsigned int n);
/* The same for functions of a64.h; ctx: the vCPU. */
uint64_t kvm_read_register(const void *ctx, unsigned int n);
void kvm_set_x(struct engine_vcpu *vcpu, unsigned int n, uint64_t value); /* 31: XZR */
uint64_t kvm_get(struct engine_vcpu *vcpu, uint64_t id);
void kvm_set(struct engine_vcpu *vcpu, uint64_t id, uint64_t value);
bool kvm_has(struct engine_vcpu *vcpu, uint64_t id);
/* false: KVM does not take it, and nothing has failed. */
bool kvm_try_set(struct engine_vcpu *vcpu, uint64_t id, uint64_t value);
/* 0 if KVM does not know it, as an old kernel some ID registers. */
uint64_t kvm_get_if_there(struct engine_vcpu *vcpu, uint64_t id);
void kvm_fail(struct engine_vcpu *vcpu, const char *what);
/* PC and PSTATE, read once. */
void kvm_place(struct engine_vcpu *vcpu);
/* The same, but NZCV and BTYPE in known.pstate may be old. */
void kvm_rough_place(struct engine_vcpu *vcpu);
void kvm_go(struct engine_vcpu *vcpu, uint64_t pc, uint64_t pstate);
/* The guest is about to run: nothing is known any more, but perhaps the translation regime. */
void kvm_forget(struct engine_vcpu *vcpu, bool regime);
#define PSTATE_EL(pstate) arm_field(pstate, SPSR_ELx_EL)
/* KVM_SET_DEVICE_ATTR of a vCPU or a device. 0, or -1 and errno. */
int kvm_set_attribute(int fd, uint32_t group, uint64_t attribute, const void *value);

/* exception.c: synchronous exceptions to EL1 that KVM did not take. */
void kvm_take_exception(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss);

/* run.c */
void kvm_vcpu_run(struct engine_vcpu *vcpu, struct engine_exit *exit);
void kvm_request_exit(struct engine_vcpu *vcpu);
/* Once, in the thread of the vCPU: kicks are for KVM_RUN alone. And take those that are waiting. */
void kvm_prepare(struct engine_vcpu *vcpu);
void kvm_drain_kicks(struct engine_vcpu *vcpu);
/* Single-step or not, as vcpu->stepping says; software breakpoints come to us with SPE. */
void kvm_set_debug(struct engine_vcpu *vcpu);
/* From any thread. */
void kvm_look(struct engine_vcpu *vcpu);

/* power.c. Can a reset of this vCPU be noticed? To be called after every change of the unit. */
bool kvm_power_can(struct engine_vcpu *vcpu);
void kvm_power_watch(struct engine_vcpu *vcpu);
/* After the guest ran: were it and its unit reset? Then kvm_spe_changed() is due. */
bool kvm_power_look(struct engine_vcpu *vcpu);
/* Will it never execute an instruction again? With a line for engine_exit.why. */
bool kvm_is_lost(struct engine_vcpu *vcpu, char *why, size_t size);

/*
 * Where code at va is in RAM, by the registers of the regime as they were last read, or read now.
 * NULL: el cannot execute there.
 */
uint8_t *kvm_code(struct engine_vcpu *vcpu, uint64_t va, unsigned int el);
void kvm_know_code(struct engine_vcpu *vcpu, uint64_t va);

/*
 * alarm.c: kicks of this thread, every so many milliseconds or none, for a vCPU that has no thread
 * of its own. false: see vcpu->error, and there is nothing to close.
 */
struct kvm_alarm {
	timer_t timer;
	sigset_t before;
};
bool kvm_alarm_open(struct engine_vcpu *vcpu, struct kvm_alarm *alarm);
void kvm_alarm_every(const struct kvm_alarm *alarm, unsigned int milliseconds);
void kvm_alarm_close(struct engine_vcpu *vcpu, struct kvm_alarm *alarm);

/* Is the exception that was just taken of a fetch? That is no operation. */
bool kvm_fetch_aborted(struct engine_vcpu *vcpu);

/* translate.c: through the guest's own tables. */
bool kvm_translate(struct engine_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t);
/* The same without an effect on the tables; noted: which descriptors were read. */
bool kvm_note_walk(struct engine_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t, struct model_walk *noted);
/* Read the registers of the regime of EL1&0 into vcpu->known, if they are not there. */
void kvm_know_regime(struct engine_vcpu *vcpu);
/* size bytes of RAM at pa, or NULL. */
uint8_t *kvm_ram(const struct engine_vcpu *vcpu, uint64_t pa, size_t size);
/* What is there, up to the end of its page; or NULL. */
const uint8_t *kvm_fetch(struct engine_vcpu *vcpu, uint64_t pc, unsigned int el, uint32_t *word);
struct spe_write_result kvm_spe_write(void *ctx, uint8_t owning_el, uint64_t va,
				      const uint8_t *bytes, size_t size);
/* FEAT_SPE_nVM: at an address that is the guest's physical one, and that KVM calls intermediate. */
struct spe_write_result kvm_spe_write_untranslated(void *ctx, const struct spe_untranslated *to,
						   const uint8_t *bytes, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guest memory through the guest's stage 1 tables, which vmm/arm walks: instructions, data
 * addresses and the profiling buffer. A guest at EL1 does not know stage 2.
 */
#include "model/core.h"
#include "arm/record_write.h"
#include "kvm/pe/pe.h"

#include <string.h>

#define PAGE 4096u /* nothing translates smaller pieces */

/* An update must not undo what another vCPU did since the descriptor was read. */
struct walk {
	const struct vspe_kvm_vcpu *vcpu;
	uint64_t descriptor;	  /* the last one read, as it is in memory */
	bool big_endian;	  /* SCTLR_EL1.EE */
	bool late;		  /* it has become another one */
	struct model_walk *noted; /* where the addresses of descriptors are noted, or NULL */
};

/* Walks until one is not outdated; after so many, the last is as good as any. */
#define WALKS 16

static uint64_t in_order(const struct walk *walk, uint64_t descriptor)
{
	return walk->big_endian ? __builtin_bswap64(descriptor) : descriptor;
}

static bool read_descriptor(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	struct walk *walk = ctx;
	const uint64_t *at = (const uint64_t *)kvm_ram(walk->vcpu->vm, pa, sizeof(*at));

	if (!at)
		return false;
	if (walk->noted && walk->noted->count < MODEL_WALK_MAX)
		walk->noted->descriptors[walk->noted->count++] = pa;
	walk->descriptor = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	*descriptor = in_order(walk, walk->descriptor);
	return true;
}

static void write_descriptor(void *ctx, uint64_t pa, uint64_t descriptor)
{
	struct walk *walk = ctx;
	uint64_t *at = (uint64_t *)kvm_ram(walk->vcpu->vm, pa, sizeof(*at));
	uint64_t expected = walk->descriptor;

	descriptor = in_order(walk, descriptor);
	if (at && !__atomic_compare_exchange_n(at, &expected, descriptor, false, __ATOMIC_ACQ_REL,
					       __ATOMIC_ACQUIRE))
		walk->late = true;
}

void kvm_know_regime(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_known *known = &vcpu->known;

	if (known->regime)
		return;
	known->sctlr = kvm_get(vcpu, KVM_SYSREG(SCTLR_EL1));
	known->tcr = kvm_get(vcpu, KVM_SYSREG(TCR_EL1));
	known->ttbr0 = kvm_get(vcpu, KVM_SYSREG(TTBR0_EL1));
	known->ttbr1 = kvm_get(vcpu, KVM_SYSREG(TTBR1_EL1));
	known->mair = kvm_get(vcpu, KVM_SYSREG(MAIR_EL1));
	known->vbar = kvm_get(vcpu, KVM_SYSREG(VBAR_EL1));
	known->mdscr = kvm_get(vcpu, KVM_SYSREG(MDSCR_EL1));
	known->regime = true;
}

/* The regime EL1&0, in a PE with these features. keep: the walk changes no descriptor. */
static struct arm_regime regime_of(struct vspe_kvm_vcpu *vcpu, struct arm_walk_features features,
				   bool keep, struct walk *walk)
{
	const struct kvm_known *known = &vcpu->known;

	kvm_know_regime(vcpu);
	walk->vcpu = vcpu;
	walk->big_endian = known->sctlr & SCTLR_ELx_EE;
	return (struct arm_regime){
		.kind = ARM_REGIME_EL10,
		.pa_bits = vcpu->pa_bits,
		.features = features,
		.security = ARM_NON_SECURE,
		.keep = keep,
		.ctx = walk,
		.read = read_descriptor,
		.write = write_descriptor,
		.sctlr = known->sctlr,
		.tcr = known->tcr,
		.ttbr0 = known->ttbr0,
		.ttbr1 = known->ttbr1,
		.mair = known->mair,
	};
}

static bool translate(struct vspe_kvm_vcpu *vcpu, struct arm_walk_features features, uint64_t va,
		      enum arm_access access, unsigned int el, struct arm_translation *t)
{
	struct walk walk = {0};
	const struct arm_regime regime = regime_of(vcpu, features, access != ARM_WRITE, &walk);
	bool found = false;

	for (unsigned int i = 0; i < WALKS; i++) {
		walk.late = false;
		found = arm_translate(&regime, va, access, el, t);
		if (!walk.late)
			break;
	}
	return found;
}

bool kvm_translate(struct vspe_kvm_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t)
{
	return translate(vcpu, vcpu->walk, va, access, el, t);
}

bool kvm_note_walk(struct vspe_kvm_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t, struct model_walk *noted)
{
	struct walk walk = {.noted = noted};
	const struct arm_regime regime = regime_of(vcpu, vcpu->walk, true, &walk);

	return arm_translate(&regime, va, access, el, t);
}

const uint8_t *kvm_fetch(struct vspe_kvm_vcpu *vcpu, uint64_t pc, unsigned int el, uint32_t *word)
{
	struct arm_translation t;
	const uint8_t *at;

	if (pc & 3 || !kvm_translate(vcpu, pc, ARM_EXECUTE, el, &t))
		return NULL;
	at = kvm_ram(vcpu->vm, t.pa, PAGE - pc % PAGE);
	if (at)
		memcpy(word, at, sizeof(*word));
	return at;
}

static bool find_virtual(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
			 uint8_t **host)
{
	struct vspe_kvm_vcpu *vcpu = ctx;
	struct arm_walk_features features = vcpu->walk;

	if (!spe_unit_config(vcpu->spe)->flag_update)
		features.access_flag = features.dirty = false;
	if (!translate(vcpu, features, address, ARM_WRITE, 1, t))
		return false;
	*host = kvm_ram(vcpu->vm, t->pa, size);
	return true;
}

struct untranslated {
	struct vspe_kvm_vcpu *vcpu;
	const struct spe_untranslated *to;
};

static bool find_physical(void *ctx, uint64_t address, size_t size, struct arm_translation *t,
			  uint8_t **host)
{
	const struct untranslated *space = ctx;
	struct vspe_kvm_vcpu *vcpu = space->vcpu;

	if (!arm_buffer_output(address, space->to->high_ignored, vcpu->pa_bits, &vcpu->walk, &t->pa,
			       t))
		return false;
	*host = kvm_ram(vcpu->vm, t->pa, size);
	return true;
}

static struct spe_write_result write_record(struct vspe_kvm_vcpu *vcpu,
					    const struct arm_buffer_space *space, uint64_t address,
					    const uint8_t *bytes, size_t size)
{
	const struct vspe_kvm *vm = vcpu->vm;
	const struct spe_write_result result = arm_write_record(space, address, bytes, size);

	if (result.written && vm->callbacks.data)
		vm->callbacks.data(vm->ctx, vcpu->index, bytes, result.written);
	return result;
}

struct spe_write_result kvm_spe_write(void *ctx, uint8_t owning_el, uint64_t va,
				      const uint8_t *bytes, size_t size)
{
	const struct arm_buffer_space space = {ctx, find_virtual};

	(void)owning_el; /* 1: there is no other */
	return write_record(ctx, &space, va, bytes, size);
}

struct spe_write_result kvm_spe_write_untranslated(void *ctx, const struct spe_untranslated *to,
						   const uint8_t *bytes, size_t size)
{
	struct untranslated physical = {ctx, to};
	const struct arm_buffer_space space = {&physical, find_physical};

	return write_record(ctx, &space, to->address, bytes, size);
}

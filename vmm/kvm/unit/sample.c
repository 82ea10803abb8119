/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled operations: the instruction and its registers before it executes, and where it has led
 * afterwards. The host reports nothing of caches and latencies: events and latencies are those of
 * arm/model.h, or a watcher's. Arm ARM D17.4, D18.2.
 */
#include "a64/a64.h"
#include "arm/model.h"
#include "kvm/pe/pe.h"
#include "kvm/unit/unit.h"

static bool condition_holds(struct vspe_kvm_vcpu *vcpu, const struct a64_insn *insn, uint32_t word)
{
	return a64_holds(insn, word, vcpu->known.pstate >> 28 & 0xf, kvm_read_register, vcpu);
}

static void data_access(struct vspe_kvm_vcpu *vcpu, struct kvm_selected *s)
{
	struct spe_op *op = &s->op;

	if (!(op->flags & (SPE_OP_LOAD | SPE_OP_STORE)) ||
	    !a64_data_address(s->insn, s->word, op->pc, kvm_read_register, vcpu, &op->data_va,
			      &s->size))
		return;
	s->data_el = s->insn->address == A64_ADDR_UNPRIVILEGED ? 0 : op->el;
	arm_model_address(op, a64_element_size(s->insn, s->word));
}

/* The host's virtual count is the physical one: its own offset is 0. */
static uint64_t physical_count(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

static uint64_t read_timestamp(struct vspe_kvm_vcpu *vcpu)
{
	const enum spe_timestamp kind = spe_timestamp_kind(vcpu->spe);
	const struct vspe_kvm *vm = vcpu->vm;

	if (vm->callbacks.counter)
		return vm->callbacks.counter(vm->ctx, vcpu->index, kind);
	switch (kind) {
	case SPE_TIMESTAMP_NONE: return 0;
	case SPE_TIMESTAMP_VIRTUAL: return kvm_get(vcpu, KVM_REG_ARM_TIMER_CNT);
	default: return physical_count();
	}
}

void kvm_sample_before(struct vspe_kvm_vcpu *vcpu, uint32_t word, bool fetched, bool selected)
{
	const struct spe_config *config = spe_unit_config(vcpu->spe);
	const unsigned int have = a64_types(config);
	struct kvm_selected *s = &vcpu->selected;
	struct a64_operation type;

	kvm_place(vcpu);
	s->word = word;
	s->insn = fetched ? a64_decode(word) : NULL;
	s->collected = true;
	s->failed = s->ram = false;
	s->size = 0;
	type = a64_operation_type(s->insn, word, have);
	s->op = (struct spe_op){
		.pc = vcpu->known.pc,
		.flags = type.flags,
		.type_header = type.header,
		.type_payload = type.payload,
		.el = (uint8_t)PSTATE_EL(vcpu->known.pstate),
		.ns = true,
		.target_ns = true,
	};
	if (selected) {
		s->op.timestamp = read_timestamp(vcpu);
		s->op.contextidr_el1 = (uint32_t)kvm_get(vcpu, KVM_SYSREG(CONTEXTIDR_EL1));
	}
	arm_model_begin(&s->op);
	/* An operation that will take an Illegal Execution state exception makes no access. */
	if (!s->insn || vcpu->known.pstate & SPSR_ELx_IL)
		return;
	if (s->op.flags & SPE_OP_BRANCH)
		s->op.flags |=
			condition_holds(vcpu, s->insn, word) ? SPE_OP_TAKEN : SPE_OP_NOT_TAKEN;
	else if (s->insn->when == A64_WHEN_HOLDS)
		s->op.flags |= condition_holds(vcpu, s->insn, word) ? 0 : SPE_OP_NOT_TAKEN;
	else
		data_access(vcpu, s);
}

/* Has a store-exclusive failed? Its status register says so; one to XZR is unknown. */
static bool exclusive_failed(struct vspe_kvm_vcpu *vcpu, const struct kvm_selected *s)
{
	const unsigned int rs = a64_get_exclusive(s->word).rs;

	return s->insn->operation == A64_OP_STORE_EXCLUSIVE && rs != 31 && kvm_x(vcpu, rs) != 0;
}

/* The place of the data, for an access that was made, or that a store-exclusive failed to make. */
static void add_physical_address(struct vspe_kvm_vcpu *vcpu, struct kvm_selected *s)
{
	struct spe_op *op = &s->op;
	struct arm_translation t;

	/* Not as a write, which would mark the page: the write has already been made. */
	if (!kvm_translate(vcpu, op->data_va, ARM_READ, s->data_el, &t))
		return;
	s->failed = exclusive_failed(vcpu, s);
	s->ram = !s->failed && kvm_ram(vcpu->vm, t.pa, 1) != NULL;
	if (s->failed)
		arm_model_not_accessed(op, t.pa);
	else
		arm_model_accessed(op, t.pa, s->ram);
}

void kvm_sample_after(struct vspe_kvm_vcpu *vcpu, bool excepted, bool selected)
{
	struct kvm_selected *s = &vcpu->selected;
	struct spe_op *op = &s->op;

	if (!s->collected) {
		spe_abandon(vcpu->spe);
		return;
	}
	kvm_place(vcpu);
	if (op->flags & SPE_OP_VA_VALID)
		arm_model_translated(op, false);
	if (excepted) {
		arm_model_excepted(op);
	} else if (op->flags & SPE_OP_VA_VALID) {
		add_physical_address(vcpu, s);
	} else if (op->flags & SPE_OP_TAKEN) {
		op->target = vcpu->known.pc;
		op->target_el = (uint8_t)PSTATE_EL(vcpu->known.pstate);
	}
	if (s->shown)
		vcpu->vm->watcher->after(vcpu, excepted);
	if (selected && s->shown && vcpu->vm->watcher->collides(vcpu))
		spe_collide(vcpu->spe);
	else if (selected)
		spe_sample(vcpu->spe, op);
	s->collected = s->shown = false;
}

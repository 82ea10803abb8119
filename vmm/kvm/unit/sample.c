/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled operations: the instruction and its registers as they are before it executes, and where
 * it has led when it has. The host tells nothing of caches and latencies: events and latencies are
 * those of the model of vmm/soft (docs/decisions.md). Arm ARM D17.4, D18.2.
 */
#include "a64/a64.h"
#include "a64/simd.h"
#include "kvm/kvm.h"

#define CONTEXTIDR_EL1 ARM64_SYS_REG(3, 0, 13, 0, 1)

/* Bits of the Events packet. */
#define EVENT_EXCEPTION	 (UINT64_C(1) << 0)
#define EVENT_RETIRED	 (UINT64_C(1) << 1)
#define EVENT_L1D_ACCESS (UINT64_C(1) << 2)
#define EVENT_TLB_ACCESS (UINT64_C(1) << 4)
#define EVENT_MISALIGNED (UINT64_C(1) << 11)

/* Latencies of the model, in cycles, and its data sources. */
#define LATENCY_ISSUE	  1
#define LATENCY_SIMPLE	  1
#define LATENCY_LOAD	  4
#define LATENCY_DEVICE	  64
#define LATENCY_TRANSLATE 1

#define SOURCE_L1D  0x0
#define SOURCE_DRAM 0xe

static uint64_t read_register(const void *ctx, unsigned int n)
{
	return kvm_x((struct engine_vcpu *)(uintptr_t)ctx, n);
}

static bool holds(struct engine_vcpu *vcpu, const struct a64_insn *insn, uint32_t word)
{
	const unsigned int nzcv = vcpu->known.pstate >> 28 & 0xf;
	const bool compares = insn->id == A64_CBZ || insn->id == A64_CBNZ || insn->id == A64_TBZ ||
			      insn->id == A64_TBNZ;
	const uint64_t t = !compares || a64_rt(word) == 31 ? 0 : kvm_x(vcpu, a64_rt(word));
	const uint64_t value = word >> 31 ? t : (uint32_t)t;
	const unsigned int bit = word >> 31 << 5 | a64_field(word, 19, 5);

	switch (insn->id) {
	case A64_B_COND: return a64_condition_holds(a64_field(word, 0, 4), nzcv);
	case A64_CBZ: return value == 0;
	case A64_CBNZ: return value != 0;
	case A64_TBZ: return !(t >> bit & 1);
	case A64_TBNZ: return t >> bit & 1;
	default:
		return insn->operation != A64_OP_CONDITIONAL ||
		       a64_condition_holds(a64_field(word, 12, 4), nzcv);
	}
}

/* LDTR and STTR access as EL0. */
static bool unprivileged(const struct a64_insn *insn, uint32_t word)
{
	return insn && insn->address == A64_ADDR_IMM9 && a64_field(word, 10, 2) == 2;
}

static void data_access(struct engine_vcpu *vcpu, struct kvm_selected *s)
{
	struct spe_op *op = &s->op;
	unsigned int element;
	bool found;

	if (!(op->flags & (SPE_OP_LOAD | SPE_OP_STORE)))
		return;
	if (s->insn) {
		found = a64_data_address(s->insn, s->word, op->pc, read_register, vcpu,
					 &op->data_va, &element);
		element = found ? a64_transfer_size(s->insn, s->word) : 1;
	} else {
		found = a64_simd_address(s->word, op->pc, read_register, vcpu, &op->data_va,
					 &element);
	}
	if (!found)
		return;
	op->flags |= SPE_OP_VA_VALID;
	if (op->data_va % element != 0)
		op->events |= EVENT_MISALIGNED;
}

/* The host's virtual count is the physical one: its own offset is 0. */
static uint64_t physical_count(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

static uint64_t timestamp(struct engine_vcpu *vcpu)
{
	switch (spe_timestamp_kind(vcpu->spe)) {
	case SPE_TIMESTAMP_NONE: return 0;
	case SPE_TIMESTAMP_VIRTUAL: return kvm_get(vcpu, KVM_REG_ARM_TIMER_CNT);
	default: return physical_count();
	}
}

void kvm_sample_before(struct engine_vcpu *vcpu, uint32_t word, bool fetched)
{
	const struct spe_config *config = spe_unit_config(vcpu->spe);
	const unsigned int have = (config->version >= SPE_V1P1 ? A64_TYPE_UNSPECIFIED : 0) |
				  (config->crr ? A64_TYPE_CRR : 0);
	struct kvm_selected *s = &vcpu->selected;
	struct a64_operation type;
	unsigned int condition;

	kvm_place(vcpu);
	s->word = word;
	s->insn = fetched ? a64_decode(word) : NULL;
	s->collected = true;
	type = a64_operation_type(s->insn, word, have);
	if (!s->insn && fetched)
		(void)a64_simd_type(word, &type);
	s->op = (struct spe_op){
		.pc = vcpu->known.pc,
		.timestamp = timestamp(vcpu),
		.contextidr_el1 = (uint32_t)kvm_get(vcpu, CONTEXTIDR_EL1),
		.flags = type.flags,
		.events = EVENT_RETIRED,
		.issue_latency = LATENCY_ISSUE,
		.total_latency = LATENCY_ISSUE + LATENCY_SIMPLE,
		.type_header = type.header,
		.type_payload = type.payload,
		.el = (uint8_t)PSTATE_EL(vcpu->known.pstate),
		.ns = true,
		.target_ns = true,
	};
	/* It makes no access that is to have an Illegal Execution state exception. */
	if (!fetched || vcpu->known.pstate & PSTATE_IL)
		return;
	if (!s->insn && a64_simd_condition(word, &condition))
		s->op.flags |= a64_condition_holds(condition, vcpu->known.pstate >> 28 & 0xf)
				       ? 0
				       : SPE_OP_NOT_TAKEN;
	else if (!s->insn)
		data_access(vcpu, s);
	else if (s->op.flags & SPE_OP_BRANCH)
		s->op.flags |= holds(vcpu, s->insn, word) ? SPE_OP_TAKEN : SPE_OP_NOT_TAKEN;
	else if (s->insn->operation == A64_OP_CONDITIONAL)
		s->op.flags |= holds(vcpu, s->insn, word) ? 0 : SPE_OP_NOT_TAKEN;
	else
		data_access(vcpu, s);
}

/* Where the data was, of an access that was made. */
static void translated(struct engine_vcpu *vcpu, struct kvm_selected *s)
{
	struct spe_op *op = &s->op;
	struct arm_translation t;
	bool ram;

	/* Not as a write, which would mark the page: it has been written. */
	if (!kvm_translate(vcpu, op->data_va, ARM_READ, unprivileged(s->insn, s->word) ? 0 : op->el,
			   &t))
		return;
	ram = kvm_ram(vcpu, t.pa, 1) != NULL;
	op->data_pa = t.pa;
	op->flags |= SPE_OP_PA_VALID;
	op->events |= ram ? EVENT_L1D_ACCESS : 0;
	if (op->flags & SPE_OP_LOAD) {
		op->data_source = ram ? SOURCE_L1D : SOURCE_DRAM;
		op->total_latency += LATENCY_LOAD - LATENCY_SIMPLE;
	}
	if (!ram)
		op->total_latency += LATENCY_DEVICE;
}

void kvm_sample_after(struct engine_vcpu *vcpu, bool excepted)
{
	struct kvm_selected *s = &vcpu->selected;
	struct spe_op *op = &s->op;

	if (!s->collected) {
		spe_abandon(vcpu->spe);
		return;
	}
	kvm_place(vcpu);
	if (op->flags & SPE_OP_VA_VALID) {
		op->events |= EVENT_TLB_ACCESS;
		op->translation_latency = LATENCY_TRANSLATE;
		op->total_latency += LATENCY_TRANSLATE;
	}
	if (excepted) {
		op->events |= EVENT_EXCEPTION;
		op->flags &= ~(uint32_t)SPE_OP_TAKEN;
	} else if (op->flags & SPE_OP_VA_VALID) {
		translated(vcpu, s);
	} else if (op->flags & SPE_OP_TAKEN) {
		op->target = vcpu->known.pc;
		op->target_el = (uint8_t)PSTATE_EL(vcpu->known.pstate);
	}
	spe_sample(vcpu->spe, op);
	s->collected = false;
}

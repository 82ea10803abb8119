/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sample shows of an SVE instruction, by the registers that it is about to use (Arm ARM
 * D17.6.6): the effective vector length, whether its predicate is partial or empty, and the address
 * of its lowest active element, or of a random one if it is a gather or a scatter.
 *
 * An instruction that is trapped shows its length alone: software that traps SVE may have left the
 * vectors and predicates of another program in the registers.
 */
#include "arm/model.h"
#include "soft/sampling/sample.h"

static uint64_t read_vector(const void *ctx, unsigned int n, unsigned int index)
{
	const struct soft_cpu *cpu = ctx;

	return n < 32 ? cpu->z[index / 2][n].d[index % 2] : cpu->p[n - 32].d[index];
}

void soft_sample_length(const struct soft_cpu *cpu, struct spe_op *r)
{
	const struct a64_operation type = {r->type_header, r->type_payload, 0};

	r->type_payload = a64_with_length(type, cpu->vl).payload;
}

void soft_sample_vector(struct soft_cpu *cpu, const struct a64_insn *insn, uint32_t word,
			struct soft_sample *s)
{
	struct spe_op *r = &s->record;
	const struct a64_registers registers = {
		.read = soft_sample_register,
		.ctx = cpu,
		.vl = cpu->vl,
		.chosen = (uint32_t)soft_sample_random(cpu),
		.read_sve = read_vector,
	};
	unsigned int size;

	soft_sample_length(cpu, r);
	if (cpu->sve_trapped)
		return;
	r->events |= a64_predicate_events(insn, word, &registers);
	if (!(r->flags & (SPE_OP_LOAD | SPE_OP_STORE)) ||
	    !a64_vector_address(insn, word, &registers, &r->data_va, &size))
		return;
	s->element = (uint16_t)a64_element_size(insn, word);
	s->last = r->data_va + size - s->element;
	s->data_el = r->el;
	s->wrote = r->flags & SPE_OP_STORE;
	arm_model_address(r, s->element);
}

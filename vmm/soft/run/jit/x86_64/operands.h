/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of code on x86-64:
 *
 *	RBP	  the vCPU; called functions preserve it. Handlers have it in RDI
 *	RDI	  the entries of the software TLB
 *	RSI	  the first operation of the block
 *	RDX	  the budget, as handlers have it
 *	RAX	  the target; with RCX and R11, for one operation
 */
#ifndef VSPE_SOFT_RUN_JIT_X86_64_OPERANDS_H
#define VSPE_SOFT_RUN_JIT_X86_64_OPERANDS_H

#include "soft/run/jit/templates.h"
#include "soft/run/jit/x86_64/x86.h"

/* The operand in memory is op's field at offset. */
static inline struct x86_operand t_field(struct translator *t, const struct soft_op *op,
					 size_t offset)
{
	return x86_at(RSI, t_distance(t, op) + (int32_t)offset);
}
#define T_IMM(t, op) t_field(t, op, offsetof(struct soft_op, imm))

_Static_assert(sizeof(struct soft_tlb_entry) == 32, "an index is shifted by five");

/* A member of an access's entry of the software TLB; RCX is its offset from the first entry. */
static inline struct x86_operand entry_at(size_t member)
{
	return x86_indexed(RDI, RCX, (int32_t)member);
}

/*
 * Make the host's flags the guest's: *condition is the host's condition for asked. Changes RAX and
 * RCX. False: it is not known how the flags are held, or the host has no such condition.
 */
bool t_condition(struct translator *t, const struct soft_op *op, unsigned int asked,
		 enum x86_condition *condition);
/* The flags become those in reg, explicitly: N, Z, C and V in its bits 3 to 0. */
void t_explicit_flags(struct translator *t, unsigned int reg);

/* An element of soft_cpu.adds. */
static inline struct x86_operand last_add(unsigned int place)
{
	return x86_at(RBP, (int32_t)(offsetof(struct soft_cpu, adds) + 8 * (size_t)place));
}

/* Rm, shifted and inverted by arg: in RAX, or in a register that must not be changed. */
unsigned int t_second(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg);
/* reg = Rm as op's ra and aux extend it. */
void t_extend(struct translator *t, const struct soft_op *op, unsigned int reg);

#endif

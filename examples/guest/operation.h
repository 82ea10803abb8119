/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the examples know of an instruction: enough of A64 (Arm ARM C4.1) to fill in struct spe_op.
 * Branches are told apart, and of loads and stores those of one general register at an unsigned
 * offset; of all others a record says no more than where they are.
 */
#ifndef OPERATION_H
#define OPERATION_H

#include <vspe/spe.h>

/* LDR and STR of 8 to 64 bits: the address, with base the value of its register Rn. */
static inline void operation_memory(struct spe_op *op, uint32_t word, uint64_t base)
{
	const unsigned int size = word >> 30;
	const bool store = (word >> 22 & 3) == 0;

	op->type_header = SPE_TYPE_MEMORY;
	op->type_payload = store ? SPE_TYPE_STORE : 0;
	op->flags = SPE_OP_VA_VALID | (store ? SPE_OP_STORE : SPE_OP_LOAD);
	op->data_va = base + ((uint64_t)(word >> 10 & 0xfff) << size);
}

static inline unsigned int operation_base(uint32_t word)
{
	return word >> 5 & 31;
}

/* Is it one whose address operation_memory() knows? PRFM is none. */
static inline bool operation_is_memory(uint32_t word)
{
	return (word & 0x3f000000) == 0x39000000 && (word & 0xffc00000) != 0xf9800000;
}

/* An operation of EL1 that is selected and has yet to execute. */
static inline struct spe_op operation_begin(uint64_t pc, uint32_t word, uint64_t time)
{
	const bool conditional = (word & 0xff000010) == 0x54000000 || /* B.cond */
				 (word & 0x7c000000) == 0x34000000;   /* CBZ, CBNZ, TBZ, TBNZ */
	const bool direct = (word & 0x7c000000) == 0x14000000;	      /* B, BL */
	const bool indirect = (word & 0xfe000000) == 0xd6000000;      /* BR, BLR, RET, ERET */
	struct spe_op op = {
		.pc = pc,
		.el = 1,
		.ns = true,
		.type_header = SPE_TYPE_OTHER,
		.events = SPE_EVENT_RETIRED,
		.timestamp = time,
		.total_latency = 1,
	};

	if (conditional || direct || indirect) {
		op.type_header = SPE_TYPE_BRANCH;
		op.type_payload = (conditional ? SPE_TYPE_CONDITIONAL : 0) |
				  (indirect ? SPE_TYPE_INDIRECT : 0);
		op.flags = SPE_OP_BRANCH;
	}
	return op;
}

/* It has executed, and next is where the PC went. */
static inline void operation_end(struct spe_op *op, uint64_t next)
{
	if (!(op->flags & SPE_OP_BRANCH))
		return;
	op->flags |= next == op->pc + 4 ? SPE_OP_NOT_TAKEN : SPE_OP_TAKEN;
	op->target = next;
	op->target_el = 1;
	op->target_ns = true;
}

#endif

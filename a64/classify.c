/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an instruction is to the Statistical Profiling Extension: its Operation Type packet (Arm
 * ARM, D18.2.7), its data address and the target of a direct branch.
 */
#include "a64/a64.h"
#include <vspe/spe.h>

#define HEADER_OTHER	  0x48
#define HEADER_LOAD_STORE 0x49
#define HEADER_BRANCH	  0x4a

/* Payload of "other" */
#define OTHER_COND 0x01 /* conditional select or compare */

/* Payloads of loads, stores and atomics */
#define LDST_STORE	 0x01 /* store, or an atomic that returns nothing */
#define LDST_EXTENDED	 0x02
#define LDST_ATOMIC	 0x04
#define LDST_EXCLUSIVE	 0x08
#define LDST_ORDERED	 0x10 /* acquire or release */
#define LDST_UNSPECIFIED 0x10 /* without LDST_EXTENDED: unspecified registers */

/* Payload of branches */
#define BRANCH_COND	0x01
#define BRANCH_INDIRECT 0x02
#define BRANCH_LINK	0x08 /* CR, bits [4:3] */
#define BRANCH_RETURN	0x10
#define BRANCH_OTHER	0x18

#define LOAD_STORE (SPE_OP_LOAD | SPE_OP_STORE)

/* Static packet and flags of each class. The acquire and release bits are added from the word. */
static const struct a64_operation operations[] = {
	[A64_OP_OTHER] = {HEADER_OTHER, 0, 0},
	[A64_OP_CONDITIONAL] = {HEADER_OTHER, OTHER_COND, 0},
	[A64_OP_LOAD] = {HEADER_LOAD_STORE, 0, SPE_OP_LOAD},
	[A64_OP_STORE] = {HEADER_LOAD_STORE, LDST_STORE, SPE_OP_STORE},
	[A64_OP_LOAD_EXCLUSIVE] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_EXCLUSIVE, SPE_OP_LOAD},
	[A64_OP_STORE_EXCLUSIVE] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_EXCLUSIVE | LDST_STORE,
				    SPE_OP_STORE},
	[A64_OP_LOAD_ACQUIRE] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_ORDERED, SPE_OP_LOAD},
	[A64_OP_STORE_RELEASE] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_ORDERED | LDST_STORE,
				  SPE_OP_STORE},
	[A64_OP_ATOMIC_LD] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_ATOMIC, LOAD_STORE},
	[A64_OP_ATOMIC_SWP] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_ATOMIC, LOAD_STORE},
	[A64_OP_ATOMIC_CAS] = {HEADER_LOAD_STORE, LDST_EXTENDED | LDST_ATOMIC, LOAD_STORE},
	[A64_OP_BRANCH] = {HEADER_BRANCH, BRANCH_OTHER, SPE_OP_BRANCH},
	[A64_OP_BRANCH_LINK] = {HEADER_BRANCH, BRANCH_LINK, SPE_OP_BRANCH},
	[A64_OP_BRANCH_COND] = {HEADER_BRANCH, BRANCH_COND | BRANCH_OTHER, SPE_OP_BRANCH},
	[A64_OP_BRANCH_REG] = {HEADER_BRANCH, BRANCH_INDIRECT | BRANCH_OTHER, SPE_OP_BRANCH},
	[A64_OP_CALL_REG] = {HEADER_BRANCH, BRANCH_INDIRECT | BRANCH_LINK, SPE_OP_BRANCH},
	[A64_OP_RETURN] = {HEADER_BRANCH, BRANCH_INDIRECT | BRANCH_RETURN, SPE_OP_BRANCH},
	[A64_OP_ZERO_BLOCK] = {HEADER_LOAD_STORE, LDST_UNSPECIFIED | LDST_STORE, SPE_OP_STORE},
};

/* Acquire and release of one instruction: bits 22 and 15 in CAS and CASP, 23 and 22 in LD<op> and
 * SWP. */
static bool ordered(enum a64_operation_class operation, uint32_t word)
{
	switch (operation) {
	case A64_OP_LOAD_EXCLUSIVE:
	case A64_OP_STORE_EXCLUSIVE: return a64_field(word, 15, 1);
	case A64_OP_ATOMIC_LD:
	case A64_OP_ATOMIC_SWP: return a64_field(word, 22, 2);
	case A64_OP_ATOMIC_CAS: return a64_field(word, 22, 1) || a64_field(word, 15, 1);
	default: return false;
	}
}

struct a64_operation a64_operation_type(const struct a64_insn *insn, uint32_t word,
					unsigned int have)
{
	enum a64_operation_class operation = insn ? insn->operation : A64_OP_OTHER;
	struct a64_operation type = operations[operation];

	if (ordered(operation, word))
		type.payload |= LDST_ORDERED;

	/* ST<op>: an LD<op> to XZR without acquire */
	if (operation == A64_OP_ATOMIC_LD && a64_rt(word) == 31 && !a64_field(word, 23, 1)) {
		type.payload |= LDST_STORE;
		type.flags &= ~SPE_OP_LOAD;
	}
	if (operation == A64_OP_ZERO_BLOCK && !(have & A64_TYPE_UNSPECIFIED))
		type = operations[A64_OP_OTHER];
	if (type.header == HEADER_BRANCH && !(have & A64_TYPE_CRR))
		type.payload &= (uint8_t)~BRANCH_OTHER;
	return type;
}

unsigned int a64_transfer_size(const struct a64_insn *insn, uint32_t word)
{
	switch (insn->address) {
	case A64_ADDR_NONE: return 0;
	case A64_ADDR_LITERAL:
		/* opc 00 word, 01 doubleword, 10 LDRSW, 11 PRFM */
		return a64_field(word, 30, 2) == 1 ? 8 : 4;
	case A64_ADDR_BASE_PAIR:
	case A64_ADDR_BASE_CASP: return 4u << a64_field(word, 30, 1);
	case A64_ADDR_PAIR:
	case A64_ADDR_PAIR_POST: return 4u << a64_field(word, 31, 1);
	default: return 1u << a64_field(word, 30, 2);
	}
}

/* Rm as a register offset: option 010 UXTW, 011 LSL, 110 SXTW, 111 SXTX; bit 12 scales it. */
static uint64_t register_offset(uint32_t word, uint64_t rm)
{
	unsigned int shift = a64_field(word, 12, 1) ? a64_field(word, 30, 2) : 0;

	switch (a64_field(word, 13, 3)) {
	case 2: rm = (uint32_t)rm; break;
	case 6: rm = (uint64_t)(int64_t)(int32_t)(uint32_t)rm; break;
	default: break;
	}
	return rm << shift;
}

bool a64_data_address(const struct a64_insn *insn, uint32_t word, uint64_t pc,
		      uint64_t (*read_register)(const void *ctx, unsigned int n), const void *ctx,
		      uint64_t *va, unsigned int *size)
{
	unsigned int transfer = a64_transfer_size(insn, word);
	unsigned int rm = a64_rm(word);
	uint64_t offset = 0;
	bool pair = false;

	switch (insn->address) {
	case A64_ADDR_NONE: return false;
	case A64_ADDR_LITERAL:
		*va = pc + (uint64_t)a64_signed_field(word, 5, 19) * 4;
		*size = transfer;
		return true;
	case A64_ADDR_BASE_PAIR:
	case A64_ADDR_BASE_CASP:
	case A64_ADDR_PAIR_POST: pair = true; break;
	case A64_ADDR_PAIR:
		pair = true;
		offset = (uint64_t)a64_signed_field(word, 15, 7) * transfer;
		break;
	case A64_ADDR_IMM12: offset = (uint64_t)a64_field(word, 10, 12) * transfer; break;
	case A64_ADDR_IMM9: offset = (uint64_t)a64_signed_field(word, 12, 9); break;
	case A64_ADDR_REGISTER:
		offset = register_offset(word, rm == 31 ? 0 : read_register(ctx, rm));
		break;
	default: /* A64_ADDR_BASE, A64_ADDR_POST9: the base alone */ break;
	}
	*va = read_register(ctx, a64_rn(word)) + offset;
	*size = pair ? 2 * transfer : transfer;
	return true;
}

bool a64_branch_target(const struct a64_insn *insn, uint32_t word, uint64_t pc, uint64_t *target)
{
	int64_t words;

	switch (insn->id) {
	case A64_B:
	case A64_BL: words = a64_signed_field(word, 0, 26); break;
	case A64_B_COND:
	case A64_CBZ:
	case A64_CBNZ: words = a64_signed_field(word, 5, 19); break;
	case A64_TBZ:
	case A64_TBNZ: words = a64_signed_field(word, 5, 14); break;
	default: return false;
	}
	*target = pc + (uint64_t)words * 4;
	return true;
}

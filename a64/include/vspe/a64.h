/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A64 instructions, as the Statistical Profiling Extension sees them: from an instruction's word
 * and the registers before it executes to the fields of struct spe_op that follow from them. For an
 * embedder that does not decode instructions anyway.
 *
 * The table has the instructions of Armv9.5 with SVE2.1, and of later ones those of FEAT_LSFE,
 * FEAT_LSUI and FEAT_CMPBR. Of SME it has loads and stores; other words of SME's space are
 * described as "other", without an address. What depends on state that only the PE has (Allocation
 * Tag blocks, ZA) has no address either. Everything here is a pure function of its arguments, for
 * any thread. No memory is allocated, nothing is global, and nothing of libc is called but memcpy
 * and memset. Source: Arm ARM (DDI 0487), C4 (encodings), D17.6.6 (SVE) and D18.2.7 (Operation Type
 * packet).
 */
#ifndef VSPE_A64_H
#define VSPE_A64_H

#include <vspe/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/*
 * The registers of a PE, as they are before an instruction executes. What is zero is not there: an
 * embedder without SVE sets read, ctx and nzcv alone.
 */
struct a64_registers {
	/*
	 * The value of Xn, with n from 0 to 30, or the current stack pointer, with n of 31. Gets
	 * ctx, and is called at most twice, only by a64_describe() and only for what it needs.
	 */
	uint64_t (*read)(const void *ctx, unsigned int n);
	const void *ctx;
	uint8_t nzcv; /* PSTATE.{N,Z,C,V}: N is bit 3, V is bit 0 */
	/*
	 * SVE: bytes of a vector, as ZCR_ELx has it for the current Exception level: 16 to 256.
	 * With 0 an operation is described as one of vectors of 16 bytes, and has no address.
	 */
	uint16_t vl;
	/*
	 * A number that chooses an element of a gather or scatter: the one whose address is
	 * recorded (D17.6.6 asks for a random one). It counts modulo the elements of the operation.
	 */
	uint32_t chosen;
	/*
	 * 64 bits of a vector or a predicate, n being 0 to 31 for Zn and 32 to 47 for P0 to P15:
	 * its bits 64 * index and up, which are within its length. Called with any n of these and
	 * for what is needed only. NULL: predicates are taken as all true, and gathers have no
	 * address.
	 */
	uint64_t (*read_sve)(const void *ctx, unsigned int n, unsigned int index);
};

/* A data access, besides where it is. */
struct a64_access {
	uint16_t size;	 /* bytes of all registers together, 1 to 1024; 0: there is none */
	uint8_t element; /* bytes of one register or vector element: a power of two up to 16 */
	/* LDTR, STTR, FEAT_LSUI: with the permissions of EL0, if PSTATE.UAO is not set */
	bool unprivileged;
};

/*
 * What the instruction word at op->pc is about to do. Sets, and nothing else in *op:
 *
 *	type_header, type_payload	of the Operation Type packet, as *config has it
 *	flags		SPE_OP_BRANCH, _LOAD, _STORE, _FP and _SIMD by what it is; SPE_OP_TAKEN or
 *			_NOT_TAKEN of a branch, and _NOT_TAKEN of a conditional select or compare
 *			whose condition fails; SPE_OP_VA_VALID with data_va
 *	data_va		the lowest address of a load, store or atomic; data_va % access->element
 *			says whether it is aligned. Of SVE: that of the lowest active element, from
 *			which access->size goes up to the highest one; of a gather or scatter, that
 *			of the chosen element. None is valid if there is no active element, or the
 *			chosen one is inactive
 *	events		SPE_EVENT_PARTIAL_PREDICATE and _EMPTY_PREDICATE of a predicated SVE
 *			operation are set or cleared; the others stay
 *	target		of a taken branch, with target_el, target_ns and target_nse as op has el, ns
 *			and nse; those of an exception return and of a branch that authenticates
 *			its target (BRAA, RETAA ...) are left for the caller to see
 *
 * *access says more of the data access; NULL: not wanted. If the instruction generates an exception
 * the caller takes SPE_OP_TAKEN back. LDRAA and LDRAB have no address, as only the PE knows what
 * authentication makes of their base. A prefetch accesses nothing, DC ZVA has no address (D17.2),
 * and pointers to code and data keep their tags.
 *
 * false: the table has no such instruction, and it is described as "other", as an UNDEFINED one is.
 * Words of the floating-point and Advanced SIMD groups that are not allocated are described as what
 * is around them.
 */
bool a64_describe(struct spe_op *op, struct a64_access *access, uint32_t word,
		  const struct spe_config *config, const struct a64_registers *registers);

/* How an instruction may change the flow of a program, if it generates no exception. */
enum a64_flow {
	A64_FLOW_NONE,		   /* execution continues after it */
	A64_FLOW_CONDITIONAL,	   /* B.cond, CBZ, TBZ ... */
	A64_FLOW_DIRECT,	   /* B */
	A64_FLOW_CALL,		   /* BL */
	A64_FLOW_INDIRECT,	   /* BR */
	A64_FLOW_INDIRECT_CALL,	   /* BLR */
	A64_FLOW_RETURN,	   /* RET */
	A64_FLOW_EXCEPTION_RETURN, /* ERET */
};

/*
 * The registers that an instruction reads, and those that it writes results to: bit n is Xn, with n
 * from 0 to 30, bit 31 the stack pointer, bit 32 + n Vn. Neither system registers, PC, FPCR and
 * FPSR nor the part of its destination that an Advanced SIMD instruction keeps or adds to are in
 * them.
 */
struct a64_register_sets {
	uint64_t reads, writes;
	uint64_t base; /* of writes: the base of a data access, which is no result of it */
	bool reads_flags, writes_flags; /* PSTATE.{N,Z,C,V} */
};

/* What a model of a pipeline (vspe/model.h) needs of an instruction. */
struct a64_summary {
	struct a64_register_sets registers;
	enum a64_flow flow;
};

/* Those of a word, into *summary. false: the table has no such instruction; all is empty. */
bool a64_summarize(struct a64_summary *summary, uint32_t word);

/*
 * Is the word an MRS or an MSR (register)? Then it is the access *access; access->reg is
 * SYSREG_COUNT for a register that is not SPE's, and sysreg_encoding_of_word() says which it is.
 */
bool a64_system_access(uint32_t word, struct sysreg_access *access);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

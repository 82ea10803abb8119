/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 instructions: what a word is, how it is classified for SPE, the address it accesses and
 * where it branches to. Rows, fields and decision tree are made from a64.table. It follows the Arm
 * ARM, C4 (encodings), C6 and C7 (instructions) and D18.2.7 (Operation Type packet). Nothing here
 * executes an instruction.
 */
#ifndef VSPE_A64_INTERNAL_H
#define VSPE_A64_INTERNAL_H

#include "a64/table.h"

#include <stddef.h>
#include <vspe/a64.h>

/*
 * The words of a64.table.
 *
 * address: LITERAL is PC + imm19 * 4. The others have the base Xn: BASE and POST9 are at Xn, as is
 * PAIR_POST; IMM12 adds imm12 * bytes, OFFSET9, PRE9 and UNPRIVILEGED (LDTR, STTR) imm9, PAIR and
 * PAIR_PRE imm7 * bytes, REGISTER the extended or shifted Xm. TAG has multiples of 16 bytes, and
 * BEFORE subtracts what is transferred, AFTER writes back its sum with the base. AUTHENTICATED adds
 * imm10 * bytes to what authentication makes of Xn. PRE and POST write the base back. Those of SVE
 * are vector.c's.
 *
 * when: HOLDS is the condition of the field cond; ZERO and NONZERO are about Xt, CLEAR and SET
 * about one bit of it. COMPARES is CB<cc>'s comparison.
 */

/* Where a branch leads to. */
enum a64_target {
	A64_TARGET_NONE,
	A64_TARGET_OFFSET,	  /* PC + a field * 4 */
	A64_TARGET_REGISTER,	  /* Xn */
	A64_TARGET_AUTHENTICATED, /* what authentication makes of Xn */
	A64_TARGET_ERET,	  /* ELR_ELx */
};

/* A number of bytes: 1 << (shift + the field of width bits at lsb). */
struct a64_bytes {
	uint8_t shift, lsb, width;
};

static inline unsigned int a64_bytes_of(struct a64_bytes bytes, uint32_t word)
{
	return 1u << (bytes.shift + (word >> bytes.lsb & ((UINT32_C(1) << bytes.width) - 1)));
}

/* The lane of SVE's shifts: the highest bit of the fields tszh:tszl says it. */
#define A64_LANE_TSZ 0xff

/* A field of a word; of no width: it has none. */
struct a64_place {
	uint8_t lsb, width;
};

/* What a row of a64.table says. */
struct a64_insn {
	uint32_t mask;	/* the fixed bits ... */
	uint32_t value; /* ... and their values */
	uint32_t order; /* the bits, any of which makes it acquire or release */
	uint16_t name;	/* where its name is in a64_names */
	uint16_t id;	/* enum a64_id; a64_table[id] is this row */
	uint8_t group;
	uint8_t feature;
	uint8_t operation; /* enum a64_class */
	uint8_t address;
	uint8_t when;
	uint8_t cond_lsb; /* where cond is, with A64_WHEN_HOLDS */
	uint8_t target;	  /* enum a64_target ... */
	uint8_t target_lsb, target_width;
	struct a64_bytes element; /* what has to be aligned */
	struct a64_bytes bytes;	  /* of each register; of SVE: of each element in memory */
	struct a64_bytes lane;	  /* of SVE: an element in a register */
	struct a64_place
		governor; /* of SVE: the predicate that governs it; of no width: none does */
	uint8_t count;	  /* registers that a load or store transfers */
	bool executed;	  /* by the software CPU */
	bool sets_flags;
	bool reads_flags; /* without a condition */
	bool rest;	  /* takes what other rows have left */
	/*
	 * The registers whose numbers are in bits [4:0], [9:5], [20:16] and [14:10]: A64_READS and
	 * so on, four bits each.
	 */
	uint16_t registers;
	uint8_t second_bits; /* ... bits that the number at [20:16] has: 3, 4 or 5 */
};

/* What a64_insn.registers says of a place. */
enum { A64_READS = 1, A64_WRITES = 2, A64_SP = 4, A64_VECTOR = 8 };

extern const struct a64_insn a64_table[A64_COUNT];
extern const char a64_names[];

/* The row of a word; A64_COUNT if there is none: the decision tree. */
enum a64_id a64_find(uint32_t word);

/* Does no field of word have a reserved value? word has the fixed bits of the row. */
bool a64_allocated(const struct a64_insn *insn, uint32_t word);

/*
 * The row of an instruction word, or NULL if it is unallocated (the PE takes an Undefined
 * Instruction exception). Looks at the word alone: the Exception level, the existence of a system
 * register and the features of the PE are the caller's business.
 */
static inline const struct a64_insn *a64_decode(uint32_t word)
{
	const enum a64_id id = a64_find(word);

	return id == A64_COUNT ? NULL : &a64_table[id];
}

static inline const char *a64_name(const struct a64_insn *insn)
{
	return a64_names + insn->name;
}

/* Is it an instruction of SVE, SVE2 or what came with them? */
static inline bool a64_is_sve(const struct a64_insn *insn)
{
	return insn->group == A64_GROUP_SVE || insn->group == A64_GROUP_SVE2;
}

/*
 * The bit mask of a logical immediate (Arm ARM, DecodeBitMasks with immediate TRUE). n, immr and
 * imms are the fields of the instruction, sf chooses 64 bits. false and *value unchanged if the
 * combination is reserved. Without sf the upper half of *value is 0.
 */
bool a64_logical_immediate(bool sf, unsigned int n, unsigned int immr, unsigned int imms,
			   uint64_t *value);

/* Is there such a mask? */
bool a64_is_mask(bool sf, unsigned int n, unsigned int immr, unsigned int imms);

/* Payloads of the Operation Type packet that not every version of SPE has. */
#define A64_TYPE_UNSPECIFIED (1u << 0) /* "unspecified registers": from FEAT_SPEv1p1 on */
#define A64_TYPE_CRR	     (1u << 1) /* call and return recorded: FEAT_SPE_CRR */

#define A64_TYPE_COPY (1u << 2) /* memory copy and memory set: from FEAT_SPEv1p3 on */

/* The set of A64_TYPE_* of a unit. */
unsigned int a64_types(const struct spe_config *config);

/* The Operation Type packet and the static SPE_OP_* flags of an instruction. */
struct a64_operation {
	uint8_t header;	 /* SPE_TYPE_* */
	uint8_t payload; /* of one byte */
	uint32_t flags;	 /* SPE_OP_BRANCH, _LOAD, _STORE, _FP, _SIMD */
};

/*
 * Classify an instruction (Arm ARM, D18.2.7). insn may be NULL (an undefined word): then it is
 * "other". have is the set of A64_TYPE_* that the unit implements. A memory copy is both a load and
 * a store, but a record shows only one of them: this returns the load.
 */
struct a64_operation a64_operation_type(const struct a64_insn *insn, uint32_t word,
					unsigned int have);

/* The store of a memory copy that has this load. */
struct a64_operation a64_copy_store(struct a64_operation load);

/* FEAT_MOPS: is it a memory copy or a memory set? Their addresses are not in a64_data_address(). */
bool a64_moves_memory(const struct a64_insn *insn);

/* That of a row; insn may be NULL. */
enum a64_flow a64_flow(const struct a64_insn *insn);

/* Does the instruction itself say where it branches to? */
static inline bool a64_flow_immediate(enum a64_flow flow)
{
	return flow >= A64_FLOW_CONDITIONAL && flow <= A64_FLOW_CALL;
}

/*
 * Reads Xn for n 0 to 30 and the current stack pointer for n = 31, as they are before the
 * instruction executes.
 */
typedef uint64_t a64_read_register(const void *ctx, unsigned int n);

/*
 * The data access of an instruction at pc: *va is the (lowest) address and *size the bytes, those
 * of all registers together. false if it makes no data access, or at an address that only the PE
 * knows (AUTHENTICATED). PRFM has an address too, and accesses the size that its offset is scaled
 * by; DC ZVA has none, as D17.2 excludes it from the Data VA packet.
 */
bool a64_data_address(const struct a64_insn *insn, uint32_t word, uint64_t pc,
		      a64_read_register *read_register, const void *ctx, uint64_t *va,
		      unsigned int *size);

/* SVE: a64_data_address() says nothing of what depends on vectors, predicates and their length. */

/* Bytes of an element in a register, which a predicate has a bit of each; 1 of no SVE. */
unsigned int a64_lane_size(const struct a64_insn *insn, uint32_t word);

/* The elements that a governing predicate chooses. */
struct a64_active {
	unsigned int elements;	  /* that the instruction has */
	unsigned int count;	  /* that are active */
	unsigned int first, last; /* active ones, if any is */
};

/*
 * Those of an instruction that is predicated in the sense of D17.6.6 (SPE's PRED), with VL and
 * predicates as registers has them. false: it is not, or nobody reads predicates.
 */
bool a64_active_elements(const struct a64_insn *insn, uint32_t word,
			 const struct a64_registers *registers, struct a64_active *active);

/* Those of SPE_EVENT_PARTIAL_PREDICATE and _EMPTY_PREDICATE that its sample has. */
uint64_t a64_predicate_events(const struct a64_insn *insn, uint32_t word,
			      const struct a64_registers *registers);

/*
 * The data access of an SVE instruction, as a64_describe() has it: *va and *size bytes. false: it
 * makes none, or what says where is not read.
 */
bool a64_vector_address(const struct a64_insn *insn, uint32_t word,
			const struct a64_registers *registers, uint64_t *va, unsigned int *size);

/*
 * What an SVE access adds to its base, of the forms A64_ADDR_SVE_*; bytes: of an element in memory.
 * A contiguous one: all is what it transfers, and xm what it has in Xm, if its form has that.
 */
uint64_t a64_contiguous_offset(enum a64_address address, uint32_t word, unsigned int bytes,
			       unsigned int all, uint64_t xm);

/* A gather or scatter: by an element of its vector. The base of SVE_GATHER_IMM is 0,
 * that of SVE_GATHER_VECTOR Xm. */
uint64_t a64_gather_offset(enum a64_address address, uint32_t word, unsigned int bytes,
			   uint64_t element);

/*
 * The same operation with vectors of so many bytes: EVL, for the SVE formats of the Operation Type
 * packet. Others are as they were.
 */
struct a64_operation a64_with_length(struct a64_operation type, unsigned int bytes);

/*
 * Bytes of one register or vector element of a load, a store or an atomic, which its alignment is
 * checked against: a power of two from 1 to 16. 0 for others.
 */
unsigned int a64_element_size(const struct a64_insn *insn, uint32_t word);

/* Bits of sets of registers: Xn for n 0 to 30, the stack pointer, Vn. */
#define A64_SET_SP   (UINT64_C(1) << 31)
#define A64_SET_X(n) (UINT64_C(1) << (n))
#define A64_SET_V(n) (UINT64_C(1) << (32 + (n)))

/*
 * The sets of an instruction, empty if insn is NULL. They do not include system registers, PC, FPCR
 * and FPSR, nor the part of its destination that an Advanced SIMD instruction keeps or adds to.
 */
struct a64_register_sets a64_register_sets(const struct a64_insn *insn, uint32_t word);

/* What a micro-op of an instruction does. */
enum a64_micro_op_kind {
	A64_MICRO_OP_WHOLE,    /* all that the instruction does */
	A64_MICRO_OP_TRANSFER, /* the load or store of one register of a pair, or of the only one */
	A64_MICRO_OP_ADDRESS,  /* writes the address back to the base register */
};

struct a64_micro_op {
	uint8_t kind; /* enum a64_micro_op_kind */
	uint8_t part; /* of a pair's transfers: 0 for Rt, 1 for Rt2 */
};

#define A64_MICRO_OPS_MAX 3

/*
 * The micro-ops of an instruction if FEAT_SPE_ArchInst is absent, in the order in which they are
 * members of the population. The architecture leaves the cracking to the PE; this one is the
 * project's. insn may be NULL. Returns how many: 1 to A64_MICRO_OPS_MAX.
 */
unsigned int a64_micro_ops(const struct a64_insn *insn, struct a64_micro_op ops[A64_MICRO_OPS_MAX]);

/*
 * Target of a direct branch (B, BL, B.cond, CBZ, CBNZ, TBZ, TBNZ) at pc when it is taken. false for
 * every other instruction.
 */
bool a64_branch_target(const struct a64_insn *insn, uint32_t word, uint64_t pc, uint64_t *target);

/*
 * Is a conditional branch taken, or does the condition of a select or compare hold? true for every
 * other instruction. nzcv is PSTATE in bits [3:0] as N, Z, C, V, and matters with A64_WHEN_HOLDS
 * only; a register is read for CBZ, CBNZ, TBZ and TBNZ only.
 */
bool a64_holds(const struct a64_insn *insn, uint32_t word, unsigned int nzcv,
	       a64_read_register *read_register, const void *ctx);

/* ConditionHolds(): cond is the field of an instruction, nzcv as above. */
bool a64_condition_holds(unsigned int cond, unsigned int nzcv);

#endif

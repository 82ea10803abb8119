/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 instruction table: what a word is, how it is classified for SPE, and the address it
 * accesses. Both engines use it; a64.def holds the rows. It follows the Arm ARM, C4 (encodings), C6
 * (instructions) and D18.2.7 (Operation Type packet). Nothing here executes an instruction.
 */
#ifndef VSPE_A64_H
#define VSPE_A64_H

#include <stdbool.h>
#include <stdint.h>

enum a64_id {
#define A64(name, pattern, feature, check, operation, address) A64_##name,
#define A64_REST					       A64
#define A64_SECTION(name)
#include "a64/a64.def"
#undef A64_SECTION
#undef A64_REST
#undef A64
	A64_COUNT
};

/* The feature that makes an instruction exist. BASE: Armv8.0. */
enum a64_feature {
	A64_FEAT_BASE,
	A64_FEAT_CRC32,
	A64_FEAT_LSE,
	A64_FEAT_LOR,
	A64_FEAT_PAN,
	A64_FEAT_SPE_EXC, /* with FEAT_EBEP and FEAT_TRBE_EXC */
};

/* Field values that the Arm ARM reserves (the word is unallocated then). */
enum a64_check {
	A64_CHECK_NONE,
	A64_CHECK_LOGICAL_IMM, /* N:immr:imms must describe a bit mask */
	A64_CHECK_BITFIELD,    /* N == sf; without sf immr and imms below 32 */
	A64_CHECK_EXTRACT,     /* N == sf; without sf imms below 32 */
	A64_CHECK_WIDE,	       /* without sf hw below 2 */
	A64_CHECK_SHIFT,       /* without sf imm6 below 32 */
	A64_CHECK_ADD_SHIFT,   /* the same, and no rotation */
	A64_CHECK_EXTEND,      /* imm3 at most 4 */
	A64_CHECK_EVEN_PAIRS,  /* Rs and Rt even (CASP) */
};

/* Classes of the SPE Operation Type packet. */
enum a64_operation_class {
	A64_OP_OTHER,
	A64_OP_CONDITIONAL, /* conditional select and compare */
	A64_OP_LOAD,
	A64_OP_STORE,
	A64_OP_LOAD_EXCLUSIVE,
	A64_OP_STORE_EXCLUSIVE,
	A64_OP_LOAD_ACQUIRE,  /* LDAR, LDLAR */
	A64_OP_STORE_RELEASE, /* STLR, STLLR */
	A64_OP_ATOMIC_LD,     /* LD<op>, and ST<op> where the result is not wanted */
	A64_OP_ATOMIC_SWP,
	A64_OP_ATOMIC_CAS, /* CAS, CASP */
	A64_OP_BRANCH,
	A64_OP_BRANCH_LINK,
	A64_OP_BRANCH_COND,
	A64_OP_BRANCH_REG, /* BR, ERET */
	A64_OP_CALL_REG,
	A64_OP_RETURN,
	A64_OP_ZERO_BLOCK, /* DC ZVA */
};

/* How the data address is formed. */
enum a64_address_mode {
	A64_ADDR_NONE,
	A64_ADDR_LITERAL,   /* PC + imm19 * 4 */
	A64_ADDR_BASE,	    /* Xn */
	A64_ADDR_BASE_PAIR, /* Xn, two registers of 4 << bit 30 bytes: LDXP, STXP */
	A64_ADDR_BASE_CASP, /* Xn, two registers of 4 << bit 30 bytes: CASP (bit 31 is fixed) */
	A64_ADDR_IMM12,	    /* Xn + imm12 * size */
	A64_ADDR_IMM9,	    /* Xn + imm9: unscaled, unprivileged and pre-indexed */
	A64_ADDR_POST9,	    /* Xn: post-indexed by imm9 */
	A64_ADDR_REGISTER,  /* Xn + extended or shifted Rm */
	A64_ADDR_PAIR,	    /* Xn + imm7 * size: offset and pre-indexed */
	A64_ADDR_PAIR_POST, /* Xn: post-indexed by imm7 * size */
};

struct a64_insn {
	const char *name;  /* as in a64.def */
	uint32_t mask;	   /* the fixed bits ... */
	uint32_t value;	   /* ... and their values */
	uint16_t id;	   /* enum a64_id; a64_table[id] is this row */
	uint8_t feature;   /* enum a64_feature */
	uint8_t check;	   /* enum a64_check */
	uint8_t operation; /* enum a64_operation_class */
	uint8_t address;   /* enum a64_address_mode */
};

extern const struct a64_insn a64_table[A64_COUNT];

/*
 * The row of an instruction word, or NULL if it is unallocated in Armv8.1 or outside the integer
 * instructions (the PE takes an Undefined Instruction exception). Looks at the word alone: the
 * exception level, the existence of a system register and the features of the PE are the caller's
 * business.
 */
const struct a64_insn *a64_decode(uint32_t word);

/* Width bits of word from bit lsb; 1 <= width <= 31. */
static inline uint32_t a64_field(uint32_t word, unsigned int lsb, unsigned int width)
{
	return (word >> lsb) & ((UINT32_C(1) << width) - 1);
}

/* The same, sign-extended. */
static inline int64_t a64_signed_field(uint32_t word, unsigned int lsb, unsigned int width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return (int64_t)((a64_field(word, lsb, width) ^ sign) - sign);
}

/* Register fields. Whether 31 is the stack pointer or zero depends on the instruction. */
static inline unsigned int a64_rd(uint32_t word)
{
	return a64_field(word, 0, 5);
}

static inline unsigned int a64_rt(uint32_t word)
{
	return a64_field(word, 0, 5);
}

static inline unsigned int a64_rn(uint32_t word)
{
	return a64_field(word, 5, 5);
}

/* Ra of MADD and its kind, Rt2 of pairs. */
static inline unsigned int a64_ra(uint32_t word)
{
	return a64_field(word, 10, 5);
}

/* Rm; Rs of exclusives and atomics. */
static inline unsigned int a64_rm(uint32_t word)
{
	return a64_field(word, 16, 5);
}

/*
 * The bit mask of a logical immediate (Arm ARM, DecodeBitMasks with immediate TRUE). n, immr and
 * imms are the fields of the instruction, sf chooses 64 bits. false and *value unchanged if the
 * combination is reserved. Without sf the upper half of *value is 0.
 */
bool a64_logical_immediate(bool sf, unsigned int n, unsigned int immr, unsigned int imms,
			   uint64_t *value);

/* Payloads of the Operation Type packet that not every version of SPE has. */
#define A64_TYPE_UNSPECIFIED (1u << 0) /* "unspecified registers": from FEAT_SPEv1p1 on */
#define A64_TYPE_CRR	     (1u << 1) /* call and return recorded: FEAT_SPE_CRR */

/* The Operation Type packet and the static SPE_OP_* flags of an instruction. */
struct a64_operation {
	uint8_t header;	 /* 0x48 other, 0x49 load, store or atomic, 0x4A branch or exception return
			  */
	uint8_t payload; /* of one byte */
	uint32_t flags;	 /* SPE_OP_BRANCH, _LOAD, _STORE. The others depend on the execution. */
};

/*
 * Classify an instruction (Arm ARM, D18.2.7). insn may be NULL (an undefined word): then it is
 * "other". have is the set of A64_TYPE_* that the unit implements.
 */
struct a64_operation a64_operation_type(const struct a64_insn *insn, uint32_t word,
					unsigned int have);

/*
 * The data access of an instruction: *va is the (lowest) address and *size the bytes, both
 * registers of a pair together. read_register returns Xn for n 0 to 30 and the current stack
 * pointer for n = 31, as they are before the instruction executes; pc is its own address. false if
 * it makes no data access. PRFM has an address too, and accesses the size that its offset is scaled
 * by; DC ZVA has none, as D17.2 excludes it from the Data VA packet.
 */
bool a64_data_address(const struct a64_insn *insn, uint32_t word, uint64_t pc,
		      uint64_t (*read_register)(const void *ctx, unsigned int n), const void *ctx,
		      uint64_t *va, unsigned int *size);

/* Bytes that one register of a load, a store or an atomic transfers: 1, 2, 4 or 8. 0 for others. */
unsigned int a64_transfer_size(const struct a64_insn *insn, uint32_t word);

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
 * The micro-ops that an instruction is made of where FEAT_SPE_ArchInst is absent, in the order in
 * which they are members of the population; the architecture leaves the cracking to the PE, and
 * this one is the project's. insn may be NULL. Returns how many: 1 to A64_MICRO_OPS_MAX.
 */
unsigned int a64_micro_ops(const struct a64_insn *insn, uint32_t word,
			   struct a64_micro_op ops[A64_MICRO_OPS_MAX]);

/*
 * Target of a direct branch (B, BL, B.cond, CBZ, CBNZ, TBZ, TBNZ) at pc when it is taken. false for
 * every other instruction.
 */
bool a64_branch_target(const struct a64_insn *insn, uint32_t word, uint64_t pc, uint64_t *target);

/* ConditionHolds(): cond is the field of an instruction, nzcv PSTATE in bits [3:0] as N, Z, C, V.
 */
bool a64_condition_holds(unsigned int cond, unsigned int nzcv);

#endif

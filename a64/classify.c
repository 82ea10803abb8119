/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instruction as the Statistical Profiling Extension sees it: its Operation Type packet (Arm
 * ARM, D18.2.7), its data address, and where and whether it branches.
 */
#include "a64/a64.h"
#include <vspe/spe.h>

/* Payloads of "other" */
#define OTHER_FP   0x02
#define OTHER_SIMD 0x04

#define OTHER_SVE  0x08 /* SVE data processing */
#define OTHER_PRED 0x04 /* with OTHER_SVE: predicated */

/* Payloads of loads, stores and atomics */
#define LDST_STORE	 SPE_TYPE_STORE /* store, or an atomic that returns nothing */
#define LDST_EXTENDED	 0x02
#define LDST_ATOMIC	 0x04
#define LDST_EXCLUSIVE	 0x08
#define LDST_ORDERED	 0x10 /* acquire or release */
#define LDST_UNSPECIFIED 0x10 /* without LDST_EXTENDED: unspecified registers */
#define LDST_COPY	 0x20 /* without LDST_EXTENDED: memory copy */
#define LDST_SET	 0x24 /* without LDST_EXTENDED: memory set */
#define LDST_SIMD_FP	 0x04 /* without LDST_EXTENDED: SIMD and floating-point registers */
#define LDST_TAG	 0x14 /* without LDST_EXTENDED: Allocation Tags */
#define LDST_GCS	 0x44 /* without LDST_EXTENDED: Guarded Control Stack, by no branch */
#define LDST_SVE	 0x08 /* without LDST_EXTENDED: SVE */
#define LDST_PRED	 0x04 /* with LDST_SVE: predicated */
#define LDST_GATHER	 0x80 /* with LDST_SVE: gather or scatter */

/* Payloads of branches */
#define BRANCH_COND	SPE_TYPE_CONDITIONAL
#define BRANCH_INDIRECT SPE_TYPE_INDIRECT
#define BRANCH_LINK	0x08 /* CR, bits [4:3] */
#define BRANCH_RETURN	0x10
#define BRANCH_OTHER	0x18

#define TAG_GRANULE 16 /* bytes */

#define OTHER(payload, flags)                  \
	{                                      \
		SPE_TYPE_OTHER, payload, flags \
	}
#define LOAD(payload, flags)                                    \
	{                                                       \
		SPE_TYPE_MEMORY, payload, SPE_OP_LOAD | (flags) \
	}
#define STORE(payload, flags)                                                   \
	{                                                                       \
		SPE_TYPE_MEMORY, LDST_STORE | (payload), SPE_OP_STORE | (flags) \
	}
#define ATOMIC LOAD(LDST_EXTENDED | LDST_ATOMIC, SPE_OP_STORE)
/* SVE: the effective vector length is added for the PE that executes it. */
#define SVE(payload, flags) OTHER(OTHER_SVE | (payload), SPE_OP_SIMD | (flags))
#define BRANCH(payload)                                 \
	{                                               \
		SPE_TYPE_BRANCH, payload, SPE_OP_BRANCH \
	}

/* Packet and flags of each class. Acquire and release are added from the word. */
static const struct a64_operation operations[] = {
	[A64_OP_OTHER] = OTHER(0, 0),
	[A64_OP_CONDITIONAL] = OTHER(SPE_TYPE_CONDITIONAL, 0),
	[A64_OP_LOAD] = LOAD(0, 0),
	[A64_OP_STORE] = STORE(0, 0),
	[A64_OP_LOAD_EXCLUSIVE] = LOAD(LDST_EXTENDED | LDST_EXCLUSIVE, 0),
	[A64_OP_STORE_EXCLUSIVE] = STORE(LDST_EXTENDED | LDST_EXCLUSIVE, 0),
	[A64_OP_LOAD_ACQUIRE] = LOAD(LDST_EXTENDED | LDST_ORDERED, 0),
	[A64_OP_STORE_RELEASE] = STORE(LDST_EXTENDED | LDST_ORDERED, 0),
	[A64_OP_ATOMIC_LD] = ATOMIC,
	[A64_OP_ATOMIC_SWP] = ATOMIC,
	[A64_OP_ATOMIC_CAS] = ATOMIC,
	[A64_OP_ATOMIC_FP] = LOAD(LDST_EXTENDED | LDST_ATOMIC, SPE_OP_STORE | SPE_OP_FP),
	[A64_OP_BRANCH] = BRANCH(BRANCH_OTHER),
	[A64_OP_BRANCH_LINK] = BRANCH(BRANCH_LINK),
	[A64_OP_BRANCH_COND] = BRANCH(BRANCH_COND | BRANCH_OTHER),
	[A64_OP_BRANCH_REG] = BRANCH(BRANCH_INDIRECT | BRANCH_OTHER),
	[A64_OP_CALL_REG] = BRANCH(BRANCH_INDIRECT | BRANCH_LINK),
	[A64_OP_RETURN] = BRANCH(BRANCH_INDIRECT | BRANCH_RETURN),
	[A64_OP_ZERO_BLOCK] = STORE(LDST_UNSPECIFIED, 0),
	[A64_OP_FP] = OTHER(OTHER_FP, SPE_OP_FP),
	[A64_OP_FP_CONDITIONAL] = OTHER(OTHER_FP | SPE_TYPE_CONDITIONAL, SPE_OP_FP),
	[A64_OP_SIMD] = OTHER(OTHER_SIMD, SPE_OP_SIMD),
	[A64_OP_SIMD_FP] = OTHER(OTHER_SIMD | OTHER_FP, SPE_OP_SIMD | SPE_OP_FP),
	[A64_OP_LOAD_FP] = LOAD(LDST_SIMD_FP, SPE_OP_FP),
	[A64_OP_STORE_FP] = STORE(LDST_SIMD_FP, SPE_OP_FP),
	[A64_OP_LOAD_SIMD] = LOAD(LDST_SIMD_FP, SPE_OP_SIMD),
	[A64_OP_STORE_SIMD] = STORE(LDST_SIMD_FP, SPE_OP_SIMD),
	[A64_OP_MEMORY_COPY] = LOAD(LDST_COPY, 0),
	[A64_OP_MEMORY_SET] = STORE(LDST_SET, 0),
	[A64_OP_SVE] = SVE(0, 0),
	[A64_OP_SVE_PRED] = SVE(OTHER_PRED, 0),
	[A64_OP_SVE_FP] = SVE(OTHER_FP, SPE_OP_FP),
	[A64_OP_SVE_FP_PRED] = SVE(OTHER_PRED | OTHER_FP, SPE_OP_FP),
	[A64_OP_LOAD_SVE] = LOAD(LDST_SVE, SPE_OP_SIMD),
	[A64_OP_LOAD_SVE_PRED] = LOAD(LDST_SVE | LDST_PRED, SPE_OP_SIMD),
	[A64_OP_STORE_SVE] = STORE(LDST_SVE, SPE_OP_SIMD),
	[A64_OP_STORE_SVE_PRED] = STORE(LDST_SVE | LDST_PRED, SPE_OP_SIMD),
	[A64_OP_LOAD_SVE_COUNTED] = LOAD(LDST_SVE | LDST_PRED, SPE_OP_SIMD),
	[A64_OP_STORE_SVE_COUNTED] = STORE(LDST_SVE | LDST_PRED, SPE_OP_SIMD),
	[A64_OP_LOAD_TAG] = LOAD(LDST_TAG, 0),
	[A64_OP_STORE_TAG] = STORE(LDST_TAG, 0),
	[A64_OP_STORE_GCS] = STORE(LDST_GCS, 0),
	[A64_OP_SME] = OTHER(0, SPE_OP_SIMD),
	[A64_OP_GATHER_SVE] = LOAD(LDST_SVE | LDST_PRED | LDST_GATHER, SPE_OP_SIMD),
	[A64_OP_SCATTER_SVE] = STORE(LDST_SVE | LDST_PRED | LDST_GATHER, SPE_OP_SIMD),
};

/* ST<op>: an LD<op> to XZR without acquire. STF<op> has a bit for it. */
static bool returns_nothing(const struct a64_insn *insn, uint32_t word)
{
	if (insn->operation == A64_OP_ATOMIC_FP)
		return a64_get_fp_atomic(word).o3;
	return insn->operation == A64_OP_ATOMIC_LD && a64_rt(word) == 31 && !a64_get_atomic(word).a;
}

/*
 * Arm ARM, D17.5.1: a load or store of SIMD&FP registers one by one is FP, that of Q registers is
 * SIMD. Only these transfer 16 bytes to a register.
 */
static bool transfers_q(const struct a64_insn *insn, uint32_t word)
{
	return (insn->operation == A64_OP_LOAD_FP || insn->operation == A64_OP_STORE_FP) &&
	       a64_element_size(insn, word) == 16;
}

struct a64_operation a64_operation_type(const struct a64_insn *insn, uint32_t word,
					unsigned int have)
{
	struct a64_operation type = operations[insn ? insn->operation : A64_OP_OTHER];

	if (!insn)
		return type;
	if (word & insn->order)
		type.payload |= LDST_ORDERED;
	if (transfers_q(insn, word))
		type.flags ^= SPE_OP_FP | SPE_OP_SIMD;
	if (returns_nothing(insn, word)) {
		type.payload |= LDST_STORE;
		type.flags &= ~SPE_OP_LOAD;
	}
	if (a64_moves_memory(insn) && !(have & A64_TYPE_COPY))
		type.payload = LDST_UNSPECIFIED | (type.payload & LDST_STORE);
	if ((insn->operation == A64_OP_ZERO_BLOCK ||
	     (a64_moves_memory(insn) && !(have & A64_TYPE_COPY))) &&
	    !(have & A64_TYPE_UNSPECIFIED))
		type = operations[A64_OP_OTHER];
	if (type.header == SPE_TYPE_BRANCH && !(have & A64_TYPE_CRR))
		type.payload &= (uint8_t)~BRANCH_OTHER;
	return type;
}

bool a64_moves_memory(const struct a64_insn *insn)
{
	return insn->operation == A64_OP_MEMORY_COPY || insn->operation == A64_OP_MEMORY_SET;
}

struct a64_operation a64_copy_store(struct a64_operation load)
{
	if (load.header != SPE_TYPE_MEMORY)
		return load;
	load.payload |= LDST_STORE;
	load.flags = SPE_OP_STORE;
	return load;
}

unsigned int a64_types(const struct spe_config *config)
{
	return (config->version >= SPE_V1P1 ? A64_TYPE_UNSPECIFIED : 0) |
	       (config->crr ? A64_TYPE_CRR : 0) | (config->version >= SPE_V1P3 ? A64_TYPE_COPY : 0);
}

enum a64_flow a64_flow(const struct a64_insn *insn)
{
	switch (insn ? insn->operation : A64_OP_OTHER) {
	case A64_OP_BRANCH: return A64_FLOW_DIRECT;
	case A64_OP_BRANCH_LINK: return A64_FLOW_CALL;
	case A64_OP_BRANCH_COND: return A64_FLOW_CONDITIONAL;
	case A64_OP_BRANCH_REG:
		return insn->target == A64_TARGET_ERET ? A64_FLOW_EXCEPTION_RETURN
						       : A64_FLOW_INDIRECT;
	case A64_OP_CALL_REG: return A64_FLOW_INDIRECT_CALL;
	case A64_OP_RETURN: return A64_FLOW_RETURN;
	default: return A64_FLOW_NONE;
	}
}

static uint32_t field_at(uint32_t word, unsigned int lsb, unsigned int width)
{
	return word >> lsb & ((UINT32_C(1) << width) - 1);
}

unsigned int a64_element_size(const struct a64_insn *insn, uint32_t word)
{
	return insn->address == A64_ADDR_NONE ? 0 : a64_bytes_of(insn->element, word);
}

/* Xm as an offset: option 010 UXTW, 011 LSL, 110 SXTW, 111 SXTX; S scales it. */
static uint64_t register_offset(uint32_t word, unsigned int bytes, a64_read_register *read_register,
				const void *ctx)
{
	const struct a64_register_offset f = a64_get_register_offset(word);
	uint64_t m = f.rm == 31 ? 0 : read_register(ctx, f.rm);

	if (f.option == 2)
		m = (uint32_t)m;
	else if (f.option == 6)
		m = (uint64_t)(int64_t)(int32_t)(uint32_t)m;
	return f.s ? m * bytes : m;
}

bool a64_data_address(const struct a64_insn *insn, uint32_t word, uint64_t pc,
		      a64_read_register *read_register, const void *ctx, uint64_t *va,
		      unsigned int *size)
{
	const unsigned int bytes = a64_bytes_of(insn->bytes, word);
	uint64_t offset = 0;

	if (insn->address >= A64_ADDR_SVE_REGISTER)
		return false; /* a64_vector_address() */
	switch (insn->address) {
	case A64_ADDR_NONE:
	case A64_ADDR_AUTHENTICATED:
	case A64_ADDR_AUTHENTICATED_PRE: return false;
	case A64_ADDR_LITERAL:
		*va = pc + (uint64_t)(int64_t)a64_imm19(word) * 4;
		*size = bytes;
		return true;
	case A64_ADDR_IMM12: offset = (uint64_t)a64_imm12(word) * bytes; break;
	case A64_ADDR_OFFSET9:
	case A64_ADDR_PRE9:
	case A64_ADDR_UNPRIVILEGED: offset = (uint64_t)(int64_t)a64_imm9(word); break;
	case A64_ADDR_PAIR:
	case A64_ADDR_PAIR_PRE: offset = (uint64_t)(int64_t)a64_imm7(word) * bytes; break;
	case A64_ADDR_TAG9:
	case A64_ADDR_TAG_PRE9: offset = (uint64_t)(int64_t)a64_imm9(word) * TAG_GRANULE; break;
	case A64_ADDR_TAG_PAIR:
	case A64_ADDR_TAG_PAIR_PRE: offset = (uint64_t)(int64_t)a64_imm7(word) * TAG_GRANULE; break;
	case A64_ADDR_BEFORE: offset = -(uint64_t)(insn->count * bytes); break;
	case A64_ADDR_REGISTER: offset = register_offset(word, bytes, read_register, ctx); break;
	default: /* the base alone */ break;
	}
	*va = read_register(ctx, a64_rn(word)) + offset;
	*size = insn->count * bytes;
	return true;
}

bool a64_branch_target(const struct a64_insn *insn, uint32_t word, uint64_t pc, uint64_t *target)
{
	const unsigned int unused = 32u - insn->target_lsb - insn->target_width;
	int32_t words;

	if (insn->target != A64_TARGET_OFFSET)
		return false;
	words = (int32_t)(word << unused) >> (32u - insn->target_width);
	*target = pc + (uint64_t)(int64_t)words * 4;
	return true;
}

/* The operands of CB<cc>, as wide as they are, in the upper bits of their type. */
static bool compares(uint32_t word, a64_read_register *read_register, const void *ctx)
{
	const struct a64_compare_immediate f = a64_get_compare_immediate(word);
	const struct a64_compare_part part = a64_get_compare_part(word);
	const bool immediate = word >> 24 & 1, narrow = !immediate && word >> 15 & 1;
	const unsigned int shift = narrow ? (part.h ? 48 : 56) : f.sf ? 0 : 32;
	const uint64_t other = immediate ? f.imm6 : part.rm == 31 ? 0 : read_register(ctx, part.rm);
	const uint64_t n = (f.rt == 31 ? 0 : read_register(ctx, f.rt)) << shift, m = other << shift;

	/* Of immediates 1 and 3 are LT and LO, of registers GE and HS. */
	switch (f.cc) {
	case 0: return (int64_t)n > (int64_t)m;
	case 1: return immediate ? (int64_t)n < (int64_t)m : (int64_t)n >= (int64_t)m;
	case 2: return n > m;
	case 3: return immediate ? n < m : n >= m;
	case 6: return n == m;
	default: return n != m;
	}
}

bool a64_holds(const struct a64_insn *insn, uint32_t word, unsigned int nzcv,
	       a64_read_register *read_register, const void *ctx)
{
	const struct a64_test_branch test = a64_get_test_branch(word);
	uint64_t t;

	if (insn->when == A64_WHEN_ALWAYS)
		return true;
	if (insn->when == A64_WHEN_HOLDS)
		return a64_condition_holds(field_at(word, insn->cond_lsb, 4), nzcv);
	if (insn->when == A64_WHEN_COMPARES)
		return compares(word, read_register, ctx);
	t = test.rt == 31 ? 0 : read_register(ctx, test.rt);
	switch (insn->when) {
	case A64_WHEN_CLEAR: return !(t >> (test.b5 << 5 | test.b40) & 1);
	case A64_WHEN_SET: return t >> (test.b5 << 5 | test.b40) & 1;
	default: break;
	}
	if (!a64_get_compare_branch(word).sf)
		t = (uint32_t)t;
	return (t == 0) == (insn->when == A64_WHEN_ZERO);
}

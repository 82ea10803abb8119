/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator. A case is a row of groups. Each group exercises one row of the A64 table: it may
 * begin with instructions that prepare registers (so that an address falls into the scratch
 * memory), and it is entered only at its start, so that no branch separates the preparation from
 * the use.
 */
#include "generate.h"
#include <assert.h>
#include <stddef.h>

#define XZR	    31
#define SP	    31
#define NO_REGISTER 32 /* equal to no register */

/* The longest group, and the BRK at the end */
#define RESERVED_WORDS 32

struct generator {
	uint64_t random;
	uint32_t *code;
	unsigned int count;
};

/* splitmix64 */
static uint64_t random64(struct generator *g)
{
	uint64_t z = g->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 to n - 1 */
static unsigned int below(struct generator *g, unsigned int n)
{
	return (unsigned int)((random64(g) >> 32) % n);
}

/* A register value: every second one is at or next to the end of a range. */
static uint64_t random_value(struct generator *g)
{
	static const uint64_t ends[] = {
		0,
		UINT64_C(1) << 63,
		UINT64_C(0x80000000),
		UINT64_C(0xffffffff80000000),
		UINT64_C(0x100000000),
		0x8000,
		0x80,
	};

	switch (below(g, 8)) {
	case 0:
	case 1:
	case 2:
	case 3: /* an end, one less or one more */
		return ends[below(g, sizeof(ends) / sizeof(ends[0]))] + below(g, 3) - 1;
	case 4: /* small, either sign */ return (uint64_t)below(g, 130) - 65;
	case 5: /* one bit */ return UINT64_C(1) << below(g, 64);
	default: return random64(g);
	}
}

static void emit(struct generator *g, uint32_t word)
{
	assert(g->count < CASE_WORDS);
	g->code[g->count++] = word;
}

static uint32_t fixed(enum a64_id id)
{
	return a64_table[id].value;
}

/* A field; value may have more bits than width, as a negative one has. */
static uint32_t field(uint64_t value, unsigned int lsb, unsigned int width)
{
	return (uint32_t)(value & ((UINT64_C(1) << width) - 1)) << lsb;
}

#define SF UINT32_C(0x80000000)

/* A word of a row with random fields: all bits random, few set, many set, or equal registers. */
static uint32_t random_word(struct generator *g, enum a64_id id)
{
	const struct a64_insn *row = &a64_table[id];
	uint32_t word;

	do {
		uint32_t fields = (uint32_t)random64(g);

		switch (below(g, 10)) {
		case 0: fields &= (uint32_t)random64(g); break;
		case 1: fields |= (uint32_t)random64(g); break;
		case 2: fields = (fields & ~UINT32_C(0x1f0000)) | a64_rn(fields) << 16; break;
		case 3: fields = (fields & ~UINT32_C(0x1f)) | a64_rn(fields); break;
		default: break;
		}
		word = (fields & ~row->mask) | row->value;
	} while (a64_decode(word) != row);
	return word;
}

#define KEEP(n) (UINT32_C(1) << (n))

/* An instruction of the data processing sections that changes no register of the set keep. */
static uint32_t random_computation(struct generator *g, uint32_t keep)
{
	const unsigned int immediates = A64_B, registers = A64_COUNT - A64_AND;
	uint32_t word;

	do {
		unsigned int n = below(g, immediates + registers);

		word = random_word(g, n < immediates ? n : n - immediates + A64_AND);
	} while (KEEP(a64_rd(word)) & keep);
	return word;
}

static void emit_computation(struct generator *g, uint32_t keep)
{
	emit(g, random_computation(g, keep));
}

/* Xd = value by MOVZ or MOVN, and MOVK for the rest; d is not 31 */
static void emit_constant(struct generator *g, unsigned int d, uint64_t value)
{
	unsigned int zeros = 0, ones = 0;
	uint64_t most;
	bool first = true;

	for (unsigned int hw = 0; hw < 4; hw++) {
		zeros += (value >> 16 * hw & 0xffff) == 0;
		ones += (value >> 16 * hw & 0xffff) == 0xffff;
	}
	most = ones > zeros ? 0xffff : 0;
	for (unsigned int hw = 0; hw < 4; hw++) {
		uint64_t half = value >> 16 * hw & 0xffff;
		enum a64_id id = A64_MOVK;

		if (half == most && !(first && hw == 3))
			continue;
		if (first) {
			id = most ? A64_MOVN : A64_MOVZ;
			half ^= most;
		}
		emit(g, fixed(id) | SF | field(hw, 21, 2) | field(half, 5, 16) | d);
		first = false;
	}
}

/* A register other than 31, a and b */
static unsigned int other_register(struct generator *g, unsigned int a, unsigned int b)
{
	unsigned int n;

	do
		n = below(g, 31);
	while (n == a || n == b);
	return n;
}

/* Base register n (31: SP) = value. May change another register than keep for it. */
static void emit_base(struct generator *g, unsigned int n, uint64_t value, unsigned int keep)
{
	unsigned int temporary;

	if (n != SP) {
		emit_constant(g, n, value);
		return;
	}
	temporary = other_register(g, keep, keep);
	emit_constant(g, temporary, value);
	emit(g, fixed(A64_ADD_IMM) | SF | field(temporary, 5, 5) | SP);
}

static bool is_pair(const struct a64_insn *insn)
{
	return insn->address == A64_ADDR_PAIR || insn->address == A64_ADDR_PAIR_POST ||
	       insn->address == A64_ADDR_BASE_PAIR;
}

static bool is_store_pair(const struct a64_insn *insn)
{
	return is_pair(insn) && insn->operation == A64_OP_STORE;
}

static bool writes_back(const struct a64_insn *insn)
{
	switch (insn->id) {
	case A64_STR_PRE:
	case A64_LDR_PRE:
	case A64_LDRS_PRE:
	case A64_LDRSW_PRE:
	case A64_STP_PRE:
	case A64_LDP_PRE:
	case A64_LDPSW_PRE: return true;
	default: return insn->address == A64_ADDR_POST9 || insn->address == A64_ADDR_PAIR_POST;
	}
}

/* Register combinations that the Arm ARM leaves CONSTRAINED UNPREDICTABLE. */
static bool unpredictable(const struct a64_insn *insn, uint32_t word)
{
	unsigned int t = a64_rt(word), t2 = a64_ra(word), n = a64_rn(word), s = a64_rm(word);

	if (writes_back(insn) && n != SP && (t == n || (is_pair(insn) && t2 == n)))
		return true;
	if (insn->operation == A64_OP_STORE_EXCLUSIVE)
		return s == t || (is_pair(insn) && s == t2) || (s == n && n != SP);
	return is_pair(insn) && insn->operation != A64_OP_STORE && t == t2;
}

static uint64_t zero_registers(const void *ctx, unsigned int n)
{
	const uint64_t *index = ctx; /* [0]: which register, [1]: its value */

	return n == index[0] ? index[1] : 0;
}

/* Make the address of word fall at va; its offset must be known without reading memory. */
static void emit_address(struct generator *g, uint32_t word, uint64_t va)
{
	const struct a64_insn *insn = a64_decode(word);
	unsigned int n = a64_rn(word), m = a64_rm(word), size;
	uint64_t index[2] = {NO_REGISTER, 0};
	uint64_t offset;
	bool indexed = insn->address == A64_ADDR_REGISTER && m != XZR;

	if (indexed)
		index[0] = m;
	do {
		if (indexed)
			index[1] = random_value(g);
		a64_data_address(insn, word, 0, zero_registers, index, &offset, &size);
	} while (indexed && n == SP && offset % 16);
	emit_base(g, n, va - offset, n);
	if (indexed)
		emit_constant(g, m, index[1]);
}

/* An address in scratch memory for an access of size bytes, aligned to align. */
static uint64_t random_address(struct generator *g, unsigned int size, unsigned int align)
{
	uint64_t at = below(g, CASE_BYTES - size + 1);

	/* Often in the same few bytes, so that loads see stores; sometimes where the pages meet. */
	switch (below(g, 8)) {
	case 0:
	case 1:
	case 2: at %= 64; break;
	case 3: at = CASE_BYTES / 2 - 16 + at % 32; break;
	default: break;
	}
	return CASE_SCRATCH + (at & ~(uint64_t)(align - 1));
}

/* Whether an access must be aligned: exclusives, atomics and ordered accesses. */
static bool must_align(const struct a64_insn *insn)
{
	return insn->operation != A64_OP_LOAD && insn->operation != A64_OP_STORE &&
	       insn->operation != A64_OP_OTHER;
}

/*
 * The word and the address of a memory access: both are drawn until they fit. SP as a base is kept
 * a multiple of 16, as SCTLR_EL1.SA0 demands.
 */
static uint32_t random_access(struct generator *g, enum a64_id id, uint64_t *va)
{
	static const uint64_t none[2] = {NO_REGISTER, 0};
	const struct a64_insn *insn = &a64_table[id];
	unsigned int size;
	uint64_t offset;
	uint32_t word;

	do {
		word = random_word(g, id);
		a64_data_address(insn, word, 0, zero_registers, none, &offset, &size);
		*va = random_address(g, size, must_align(insn) ? size : 1);
		if (a64_rn(word) == SP)
			*va = ((*va - offset) & ~UINT64_C(15)) + offset;
	} while (unpredictable(insn, word) || *va < CASE_SCRATCH ||
		 *va + size > CASE_SCRATCH + CASE_BYTES || (must_align(insn) && *va % size) ||
		 (insn->address == A64_ADDR_REGISTER && a64_rm(word) == a64_rn(word)));
	return word;
}

/*
 * Compare and swap: half of them find what they compare with, because it is loaded first. The loads
 * use the base register of the instruction, which their target must not overwrite.
 */
static void emit_expected(struct generator *g, uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);
	unsigned int s = a64_rm(word), n = a64_rn(word);
	uint32_t base = field(n, 5, 5);

	if (insn->operation != A64_OP_ATOMIC_CAS || s == XZR || s == n || below(g, 2))
		return;
	if (insn->id == A64_CAS) {
		emit(g, fixed(A64_LDR_IMM) | (word & UINT32_C(0xc0000000)) | base | s);
	} else if (s + 1 != n) {
		/* bit 30 of CASP is bit 31 of LDP */
		emit(g, fixed(A64_LDP) | (word & UINT32_C(0x40000000)) << 1 | field(s + 1, 10, 5) |
				base | s);
	}
}

static void emit_access(struct generator *g, enum a64_id id)
{
	uint64_t va;
	uint32_t word = random_access(g, id, &va);

	emit_address(g, word, va);
	emit_expected(g, word);
	emit(g, word);
}

/* A literal is a word of this case's code; a doubleword may begin at any word. */
static void emit_literal(struct generator *g, enum a64_id id)
{
	uint32_t word = random_word(g, id);
	int64_t offset = (int64_t)below(g, CASE_WORDS - 1) - (int64_t)g->count;

	if (id != A64_PRFM_LIT)
		word = (word & ~field(~UINT64_C(0), 5, 19)) | field((uint64_t)offset, 5, 19);
	emit(g, word);
}

/*
 * Exclusives: a load, computations, and a store to the same address that succeeds, or one that
 * fails as CLREX came between. Either of the two is the row asked for. The monitor is open after
 * each group.
 */
static void emit_exclusive(struct generator *g, enum a64_id id)
{
	bool store = a64_table[id].operation == A64_OP_STORE_EXCLUSIVE;
	bool pair = a64_table[id].address == A64_ADDR_BASE_PAIR;
	enum a64_id load_id = pair ? A64_LDXP : A64_LDXR, store_id = pair ? A64_STXP : A64_STXR;
	uint32_t size_field = pair ? UINT32_C(0x40000000) : UINT32_C(0xc0000000);
	uint32_t load, word;
	uint64_t va;

	if (store && !below(g, 4)) { /* without a load */
		emit(g, fixed(A64_CLREX) | 0xf00);
		emit_access(g, id);
		return;
	}
	load = random_access(g, load_id, &va);
	emit_address(g, load, va);
	emit(g, load);
	for (unsigned int i = below(g, 3); i; i--)
		emit_computation(g, 0);
	if (!store && !below(g, 2)) {
		emit(g, fixed(A64_CLREX) | 0xf00);
		return;
	}
	do
		word = (random_word(g, store_id) & ~size_field) | (load & size_field);
	while (unpredictable(&a64_table[store_id], word));
	/* The address is the same; a base of SP needs it to be a multiple of 16. */
	if (a64_rn(word) == SP && va % 16)
		word = (word & ~UINT32_C(0x3e0)) | field(other_register(g, a64_rm(word), SP), 5, 5);
	emit_address(g, word, va);
	emit(g, word);
}

/* 1 to 3 instructions that a branch jumps over, or not */
static void emit_skipped(struct generator *g, uint32_t branch, unsigned int lsb, unsigned int width)
{
	unsigned int at = g->count;

	emit(g, 0);
	for (unsigned int i = 1 + below(g, 3); i; i--)
		emit_computation(g, 0);
	g->code[at] =
		(branch & ~field(~UINT64_C(0), lsb, width)) | field(g->count - at, lsb, width);
}

/* Count Xc down from 1 to 8; the branch of row id closes the loop. */
static void emit_loop(struct generator *g, enum a64_id id)
{
	unsigned int c = below(g, 31), rounds = 1 + below(g, 8), start;
	uint32_t sf = below(g, 2) ? SF : 0;
	uint32_t decrement = field(1, 10, 12) | field(c, 5, 5) | c | sf;
	uint32_t back;

	emit_constant(g, c, id == A64_TBZ ? rounds - 1 : rounds);
	start = g->count;
	for (unsigned int i = 1 + below(g, 4); i; i--)
		emit_computation(g, KEEP(c));
	emit(g, fixed(id == A64_B_COND ? A64_SUBS_IMM : A64_SUB_IMM) | decrement);
	if (id == A64_CBZ || id == A64_B) { /* leave by CBZ, go round by B */
		emit(g, fixed(A64_CBZ) | sf | field(2, 5, 19) | c);
		id = A64_B;
	}
	back = start - g->count;
	switch (id) {
	case A64_B: emit(g, fixed(id) | field(back, 0, 26)); break;
	case A64_B_COND: emit(g, fixed(id) | field(back, 5, 19) | 1 /* NE */); break;
	case A64_CBNZ: emit(g, fixed(id) | sf | field(back, 5, 19) | c); break;
	case A64_TBZ: /* while it is not negative; bit 31 is the sign if it counts in 32 bits */
		emit(g, fixed(id) | sf | field(31, 19, 5) | field(back, 5, 14) | c);
		break;
	default: /* TBNZ: while bit 0, 1, 2 or 3 is set, whichever: the count ends at 0 at the
		    latest */
		emit(g, fixed(A64_TBNZ) | field(below(g, 4), 19, 5) | field(back, 5, 14) | c);
		break;
	}
}

/* The address of the word that is words behind the next one, to Xd */
static void emit_adr(struct generator *g, unsigned int d, unsigned int words)
{
	emit(g, fixed(A64_ADR) | field(words, 5, 19) | d);
}

/*
 * A routine and its call: BL or BLR to it, a B that goes round it when it has come back, its body,
 * and RET or BR to the link register or a copy.
 */
static void emit_call(struct generator *g, enum a64_id id)
{
	const unsigned int link = 30;
	unsigned int back = link, body = 1 + below(g, 3), at;

	if (id == A64_BLR || (id != A64_BL && below(g, 2))) {
		unsigned int target = below(g, 31); /* BLR X30 reads X30 before it writes it */

		emit_adr(g, target, 3);
		emit(g, fixed(A64_BLR) | field(target, 5, 5));
	} else {
		emit(g, fixed(A64_BL) | field(2, 0, 26));
	}
	at = g->count;
	emit(g, 0);
	for (; body; body--)
		emit_computation(g, KEEP(link));
	if (below(g, 2)) {
		back = other_register(g, link, link);
		emit(g, fixed(A64_ORR) | SF | field(link, 16, 5) | field(XZR, 5, 5) | back);
	}
	emit(g, fixed(id == A64_BR ? A64_BR : A64_RET) | field(back, 5, 5));
	g->code[at] = fixed(A64_B) | field(g->count - at, 0, 26);
}

static uint32_t system_fields(unsigned int op1, unsigned int crn, unsigned int crm,
			      unsigned int op2)
{
	return field(op1, 16, 3) | field(crn, 12, 4) | field(crm, 8, 4) | field(op2, 5, 3);
}

/* Cache maintenance by address that EL0 may do */
static void emit_cache_operation(struct generator *g, enum a64_id id)
{
	static const uint8_t crm[] = {5, 10, 11, 14}; /* IC IVAU, DC CVAC, CVAU, CIVAC */
	unsigned int t = below(g, 31);

	emit_constant(g, t, random_address(g, 1, 1));
	emit(g, fixed(id) | t |
			(id == A64_SYS ? system_fields(3, 7, crm[below(g, sizeof(crm))], 1) : 0));
}

/* NZCV, TPIDR_EL0 and, to read, TPIDRRO_EL0 */
static void emit_register_access(struct generator *g, enum a64_id id)
{
	static const uint8_t registers[3][3] = {
		{4, 2, 0}, {13, 0, 2}, {13, 0, 3}}; /* CRn, CRm, op2 */
	const uint8_t *r = registers[below(g, id == A64_MRS ? 3 : 2)];

	emit(g, fixed(id) | 1u << 19 | system_fields(3, r[0], r[1], r[2]) | below(g, 32));
}

/*
 * Code that changes itself: the first time round the loop executes one word at its start and then
 * replaces it, the second time the other.
 */
static void emit_changing_code(struct generator *g)
{
	unsigned int c = below(g, 31), at = other_register(g, c, c),
		     word = other_register(g, c, at);
	uint32_t keep = KEEP(c) | KEEP(at) | KEEP(word);
	unsigned int start;

	emit_constant(g, word, random_computation(g, keep));
	emit_constant(g, c, 1);
	start = g->count;
	emit_computation(g, keep);
	emit(g, fixed(A64_ADR) | field(start - g->count, 5, 19) | at);
	emit(g, fixed(A64_STR_IMM) | UINT32_C(0x80000000) | field(at, 5, 5) | word); /* STR Wword */
	emit(g, fixed(A64_SYS) | system_fields(3, 7, 11, 1) | at);		     /* DC CVAU */
	emit(g, fixed(A64_DSB) | 0xf00);
	emit(g, fixed(A64_SYS) | system_fields(3, 7, 5, 1) | at); /* IC IVAU */
	emit(g, fixed(A64_DSB) | 0xf00);
	emit(g, fixed(A64_ISB) | 0xf00);
	emit(g, fixed(A64_SUB_IMM) | SF | field(1, 10, 12) | field(c, 5, 5) | c);
	emit(g, fixed(A64_TBZ) | SF | field(31, 19, 5) | field(start - g->count, 5, 14) | c);
}

/* Right before an instruction with a condition, as compilers do: set the flags, often without a
 * result. */
static void emit_flags(struct generator *g)
{
	static const uint16_t rows[] = {
		A64_ADDS_IMM, A64_SUBS_IMM, A64_SUBS_IMM, A64_ANDS_IMM, A64_ADDS,     A64_SUBS,
		A64_SUBS,     A64_ANDS,	    A64_BICS,	  A64_SUBS_EXT, A64_CCMP_REG, A64_SBCS,
	};
	enum a64_id id = rows[below(g, sizeof(rows) / sizeof(rows[0]))];
	uint32_t word = random_word(g, id);

	if (id != A64_CCMP_REG && below(g, 2))
		word |= XZR;
	/* The register forms are mostly used without a shift. */
	if (a64_table[id].check == A64_CHECK_SHIFT || a64_table[id].check == A64_CHECK_ADD_SHIFT)
		word &= below(g, 4) ? ~UINT32_C(0xc0fc00) : ~UINT32_C(0);
	emit(g, word);
}

static void emit_branch(struct generator *g, enum a64_id id)
{
	uint32_t word = random_word(g, id);

	switch (id) {
	case A64_B: emit_skipped(g, word, 0, 26); break;
	case A64_TBZ:
	case A64_TBNZ: emit_skipped(g, word, 5, 14); break;
	default: emit_skipped(g, word, 5, 19); break;
	}
}

/* A computation, every second one with chosen values in the registers of Rn and Rm. */
static void emit_operation(struct generator *g, enum a64_id id)
{
	uint32_t word = random_word(g, id);
	bool registers = id >= A64_AND && a64_rn(word) != XZR && a64_rm(word) != XZR;

	if (registers && below(g, 2)) {
		emit_constant(g, a64_rn(word), random_value(g));
		emit_constant(g, a64_rm(word), random_value(g));
	}
	emit(g, word);
}

static void emit_group(struct generator *g, enum a64_id id)
{
	const struct a64_insn *insn = &a64_table[id];

	switch (insn->operation) {
	case A64_OP_CONDITIONAL:
		if (below(g, 2))
			emit_flags(g);
		break;
	case A64_OP_LOAD_EXCLUSIVE:
	case A64_OP_STORE_EXCLUSIVE: emit_exclusive(g, id); return;
	case A64_OP_BRANCH:
	case A64_OP_BRANCH_COND:
		if (below(g, 2))
			emit_branch(g, id);
		else
			emit_loop(g, id);
		return;
	case A64_OP_BRANCH_LINK:
	case A64_OP_BRANCH_REG:
	case A64_OP_CALL_REG:
	case A64_OP_RETURN: emit_call(g, id); return;
	default: break;
	}
	if (insn->address == A64_ADDR_LITERAL) {
		emit_literal(g, id);
		return;
	}
	if (insn->address != A64_ADDR_NONE) {
		if (insn->operation == A64_OP_OTHER && below(g, 2))
			emit(g, random_word(g, id)); /* a prefetch from anywhere does not fault */
		else
			emit_access(g, id);
		return;
	}
	switch (id) {
	case A64_SYS:
		if (below(g, 2)) {
			emit_changing_code(g);
			break;
		}
		emit_cache_operation(g, id);
		break;
	case A64_DC_ZVA: emit_cache_operation(g, id); break;
	case A64_MRS:
	case A64_MSR: emit_register_access(g, id); break;
	case A64_WFE: /* with an event to consume */
		emit(g, fixed(A64_SEVL));
		emit(g, fixed(id));
		break;
	default: emit_operation(g, id); break;
	}
}

bool generate_covers(enum a64_id id)
{
	switch (id) {
	case A64_ERET:
	case A64_DRPS:
	case A64_SVC:
	case A64_HVC:
	case A64_SMC:
	case A64_BRK:
	case A64_HLT:
	case A64_DCPS1:
	case A64_DCPS2:
	case A64_DCPS3:
	case A64_WFI:
	case A64_MSR_SPSEL:
	case A64_MSR_DAIFSET:
	case A64_MSR_DAIFCLR:
	case A64_MSR_PAN:
	case A64_SYSL: return false;
	default: return true;
	}
}

/* An access that aborts: where nothing is mapped, at the end of what is, or without the alignment.
 */
static enum case_end emit_abort(struct generator *g)
{
	const struct a64_insn *insn;
	enum case_end end = CASE_END_ABORT;
	enum a64_id id;
	unsigned int size;
	uint32_t word;
	uint64_t va;

	/* A store exclusive fails without a look at the address; a prefetch does not abort. */
	do {
		id = below(g, A64_COUNT);
		insn = &a64_table[id];
	} while (insn->address == A64_ADDR_NONE || insn->address == A64_ADDR_LITERAL ||
		 insn->operation == A64_OP_OTHER || insn->operation == A64_OP_STORE_EXCLUSIVE);
	word = random_access(g, id, &va);
	size = a64_transfer_size(insn, word);
	/* Of a pair of stores that crosses the end the first may be done or not. */
	if (a64_rn(word) == SP || size == 1 || is_store_pair(insn) || below(g, 2)) {
		va += CASE_UNMAPPED - CASE_SCRATCH;
	} else if (must_align(insn)) {
		va |= 1 + below(g, size - 1);
		end = CASE_END_ALIGNMENT;
	} else {
		va = CASE_SCRATCH + CASE_BYTES - 1 - below(g, size - 1);
	}
	emit_address(g, word, va);
	emit(g, word);
	return end;
}

/*
 * A branch to where nothing is mapped, or to no multiple of 4 where something is. Not both: the Arm
 * ARM gives the PC alignment fault the higher priority, qemu-aarch64 reports the other one.
 */
static enum case_end emit_lost_branch(struct generator *g)
{
	static const uint16_t rows[] = {A64_BR, A64_BLR, A64_RET};
	unsigned int n = below(g, 31);
	bool aligned = below(g, 2);
	uint64_t target = 4 * (uint64_t)below(g, CASE_BYTES / 4);

	target += aligned ? CASE_UNMAPPED : CASE_CODE + 1 + below(g, 3);
	emit_constant(g, n, target);
	emit(g, fixed(rows[below(g, 3)]) | field(n, 5, 5));
	return aligned ? CASE_END_ABORT : CASE_END_ALIGNMENT;
}

/* The exception that ends a case */
static enum case_end emit_end(struct generator *g)
{
	switch (below(g, 8)) {
	case 0: emit(g, below(g, 65536)); return CASE_END_UNDEFINED; /* UDF */
	case 1: return emit_lost_branch(g);
	case 2:
	case 3:
	case 4: return emit_abort(g);
	default: emit(g, CASE_BRK); return CASE_END_BRK;
	}
}

void generate_case(uint64_t seed, struct case_input *input)
{
	struct generator g = {.random = seed, .code = input->code};
	unsigned int words;

	for (unsigned int n = 0; n < 31; n++)
		input->x[n] = random_value(&g);
	input->sp = random_value(&g) & ~UINT64_C(15);
	input->nzcv = (random64(&g) & 15) << 28;
	input->memory_seed = random64(&g);

	/* Most cases are long; the short ones end early in a block. */
	words = below(&g, 4) ? CASE_WORDS - RESERVED_WORDS : below(&g, CASE_WORDS - RESERVED_WORDS);
	while (g.count < words) {
		enum a64_id id = below(&g, A64_COUNT);

		switch (below(&g, 16)) { /* what real code is full of */
		case 0: emit_constant(&g, below(&g, 31), random_value(&g)); break;
		case 1:
			emit_flags(&g);
			emit_branch(&g, A64_B_COND);
			break;
		default: break;
		}
		if (generate_covers(id))
			emit_group(&g, id);
	}
	input->end = emit_end(&g);
	while (g.count < CASE_WORDS)
		emit(&g, CASE_BRK);
}

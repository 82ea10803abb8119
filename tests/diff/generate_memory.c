/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory accesses: registers are prepared so that an address falls into the scratch memory or, to
 * end a case, where it aborts. What the Arm ARM leaves CONSTRAINED UNPREDICTABLE is left out.
 */
#include "generator.h"

void gen_emit_base(struct generator *g, unsigned int n, uint64_t value, unsigned int keep)
{
	unsigned int temporary;

	if (n != SP) {
		gen_emit_constant(g, n, value);
		return;
	}
	temporary = gen_other_register(g, keep, keep);
	gen_emit_constant(g, temporary, value);
	gen_emit(g, gen_fixed(A64_ADD_IMM) | SF | gen_field(temporary, 5, 5) | SP);
}

/* Of vector registers */
static bool is_vector(const struct a64_insn *insn)
{
	return insn->group == A64_GROUP_VECTOR_LOAD_STORE;
}

static bool is_structure(const struct a64_insn *insn)
{
	return insn->operation == A64_OP_LOAD_SIMD || insn->operation == A64_OP_STORE_SIMD;
}

static bool is_pair(const struct a64_insn *insn)
{
	return insn->count == 2 && insn->operation != A64_OP_ATOMIC_CAS && !is_structure(insn);
}

static bool is_store_pair(const struct a64_insn *insn)
{
	return is_pair(insn) &&
	       (insn->operation == A64_OP_STORE || insn->operation == A64_OP_STORE_FP);
}

static bool writes_back(const struct a64_insn *insn)
{
	switch (insn->address) {
	case A64_ADDR_PRE9:
	case A64_ADDR_POST9:
	case A64_ADDR_PAIR_PRE:
	case A64_ADDR_PAIR_POST: return true;
	default: return false;
	}
}

/* Register combinations that the Arm ARM leaves CONSTRAINED UNPREDICTABLE. */
static bool unpredictable(const struct a64_insn *insn, uint32_t word)
{
	unsigned int t = a64_rt(word), t2 = a64_rt2(word), n = a64_rn(word), s = a64_rm(word);

	if (is_vector(insn))
		return is_pair(insn) && insn->operation == A64_OP_LOAD_FP && t == t2;
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
			index[1] = gen_value(g);
		a64_data_address(insn, word, 0, zero_registers, index, &offset, &size);
	} while (indexed && n == SP && offset % 16);
	gen_emit_base(g, n, va - offset, n);
	if (indexed)
		gen_emit_constant(g, m, index[1]);
}

uint64_t gen_address(struct generator *g, unsigned int size, unsigned int align)
{
	uint64_t at = gen_below(g, CASE_BYTES - size + 1);

	/* Often in the same few bytes, so that loads see stores; sometimes where the pages meet. */
	switch (gen_below(g, 8)) {
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
	return !is_vector(insn) && insn->operation != A64_OP_LOAD &&
	       insn->operation != A64_OP_STORE && insn->operation != A64_OP_OTHER;
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
		word = gen_word(g, id);
		a64_data_address(insn, word, 0, zero_registers, none, &offset, &size);
		*va = gen_address(g, size, must_align(insn) ? size : 1);
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
	uint32_t base = gen_field(n, 5, 5);

	if (insn->operation != A64_OP_ATOMIC_CAS || s == XZR || s == n || gen_below(g, 2))
		return;
	if (insn->id == A64_CAS) {
		gen_emit(g, gen_fixed(A64_LDR_IMM) | (word & UINT32_C(0xc0000000)) | base | s);
	} else if (s + 1 != n) {
		/* bit 30 of CASP is bit 31 of LDP */
		gen_emit(g, gen_fixed(A64_LDP) | (word & UINT32_C(0x40000000)) << 1 |
				    gen_field(s + 1, 10, 5) | base | s);
	}
}

void gen_emit_access(struct generator *g, enum a64_id id)
{
	uint64_t va;
	uint32_t word = random_access(g, id, &va);

	emit_address(g, word, va);
	emit_expected(g, word);
	gen_emit(g, word);
}

/* A literal is a word of this case's code; one of 16 bytes may begin at any word. */
void gen_emit_literal(struct generator *g, enum a64_id id)
{
	uint32_t word = gen_word(g, id);
	int64_t offset = (int64_t)gen_below(g, CASE_WORDS - 3) - (int64_t)g->count;

	if (id != A64_PRFM_LIT)
		word = (word & ~gen_field(~UINT64_C(0), 5, 19)) |
		       gen_field((uint64_t)offset, 5, 19);
	gen_emit(g, word);
}

/*
 * Exclusives: a load, computations, and a store to the same address that succeeds, or one that
 * fails as CLREX came between. Either of the two is the row asked for. The monitor is open after
 * each group.
 */
void gen_emit_exclusive(struct generator *g, enum a64_id id)
{
	bool store = a64_table[id].operation == A64_OP_STORE_EXCLUSIVE;
	bool pair = is_pair(&a64_table[id]);
	enum a64_id load_id = pair ? A64_LDXP : A64_LDXR, store_id = pair ? A64_STXP : A64_STXR;
	uint32_t size_field = pair ? UINT32_C(0x40000000) : UINT32_C(0xc0000000);
	uint32_t load, word;
	uint64_t va;

	if (store && !gen_below(g, 4)) { /* without a load */
		gen_emit(g, gen_fixed(A64_CLREX) | 0xf00);
		gen_emit_access(g, id);
		return;
	}
	load = random_access(g, load_id, &va);
	emit_address(g, load, va);
	gen_emit(g, load);
	for (unsigned int i = gen_below(g, 3); i; i--)
		gen_emit_computation(g, 0);
	if (!store && !gen_below(g, 2)) {
		gen_emit(g, gen_fixed(A64_CLREX) | 0xf00);
		return;
	}
	do
		word = (gen_word(g, store_id) & ~size_field) | (load & size_field);
	while (unpredictable(&a64_table[store_id], word));
	/* The address is the same; a base of SP needs it to be a multiple of 16. */
	if (a64_rn(word) == SP && va % 16)
		word = (word & ~UINT32_C(0x3e0)) |
		       gen_field(gen_other_register(g, a64_rm(word), SP), 5, 5);
	emit_address(g, word, va);
	gen_emit(g, word);
}

/* An access that aborts: where nothing is mapped, at the end of what is, or not aligned. */
enum case_end gen_emit_abort(struct generator *g)
{
	const struct a64_insn *insn;
	enum case_end end = CASE_END_ABORT;
	enum a64_id id;
	unsigned int size;
	uint32_t word;
	uint64_t va;

	/* A store exclusive fails without a look at the address; a prefetch does not abort. */
	do {
		id = gen_below(g, A64_COUNT);
		insn = &a64_table[id];
	} while (!generate_covers(id, g->cpu) || insn->address == A64_ADDR_NONE ||
		 insn->address >= A64_ADDR_SVE_REGISTER || insn->address == A64_ADDR_LITERAL ||
		 insn->operation == A64_OP_OTHER || insn->operation == A64_OP_STORE_EXCLUSIVE ||
		 insn->feature == A64_FEAT_PAUTH);
	word = random_access(g, id, &va);
	size = a64_element_size(insn, word);
	/*
	 * Of a pair of stores or a vector that crosses the end the first may be done or not.
	 * QEMU 7.2 lets LDAPR of what is not aligned pass, and max all ordered accesses, which is
	 * an Alignment fault without FEAT_LSE2 (Arm ARM B2.2.1.1).
	 */
	if (a64_rn(word) == SP || size == 1 || id == A64_LDAPR ||
	    (must_align(insn) && g->cpu != CASE_CPU_A76) || is_store_pair(insn) ||
	    is_vector(insn) || gen_below(g, 2)) {
		va += CASE_UNMAPPED - CASE_SCRATCH;
	} else if (must_align(insn)) {
		va |= 1 + gen_below(g, size - 1);
		end = CASE_END_ALIGNMENT;
	} else {
		va = CASE_SCRATCH + CASE_BYTES - 1 - gen_below(g, size - 1);
	}
	emit_address(g, word, va);
	gen_emit(g, word);
	return end;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator. A case is a row of groups. Each group exercises one row of the A64 table: it may
 * begin with instructions that prepare registers (so that an address falls into the scratch
 * memory), and it is entered only at its start, so that no branch separates the preparation from
 * the use.
 */
#include "../array.h"
#include "generator.h"
#include <string.h>

/* The longest group, and the end of the case */
#define RESERVED_WORDS 32

/* 1 to 3 instructions that a branch jumps over, or not */
static void emit_skipped(struct generator *g, uint32_t branch, unsigned int lsb, unsigned int width)
{
	unsigned int at = g->count;

	gen_emit(g, 0);
	for (unsigned int i = 1 + gen_below(g, 3); i; i--)
		gen_emit_computation(g, 0);
	g->code[at] = (branch & ~gen_field(~UINT64_C(0), lsb, width)) |
		      gen_field(g->count - at, lsb, width);
}

/* Count Xc down from 1 to 8; the branch of row id closes the loop. */
static void emit_loop(struct generator *g, enum a64_id id)
{
	unsigned int c = gen_below(g, 31), rounds = 1 + gen_below(g, 8), start;
	uint32_t sf = gen_below(g, 2) ? SF : 0;
	uint32_t decrement = gen_field(1, 10, 12) | gen_field(c, 5, 5) | c | sf;
	uint32_t back;

	gen_emit_constant(g, c, id == A64_TBZ ? rounds - 1 : rounds);
	start = g->count;
	for (unsigned int i = 1 + gen_below(g, 4); i; i--)
		gen_emit_computation(g, KEEP(c));
	gen_emit(g, gen_fixed(id == A64_B_COND ? A64_SUBS_IMM : A64_SUB_IMM) | decrement);
	if (id == A64_CBZ || id == A64_B) { /* leave by CBZ, go round by B */
		gen_emit(g, gen_fixed(A64_CBZ) | sf | gen_field(2, 5, 19) | c);
		id = A64_B;
	}
	back = start - g->count;
	switch (id) {
	case A64_B: gen_emit(g, gen_fixed(id) | gen_field(back, 0, 26)); break;
	case A64_B_COND: gen_emit(g, gen_fixed(id) | gen_field(back, 5, 19) | 1 /* NE */); break;
	case A64_CBNZ: gen_emit(g, gen_fixed(id) | sf | gen_field(back, 5, 19) | c); break;
	case A64_TBZ: /* while it is not negative; bit 31 is the sign if it counts in 32 bits */
		gen_emit(g, gen_fixed(id) | sf | gen_field(31, 19, 5) | gen_field(back, 5, 14) | c);
		break;
	default: /* TBNZ: while bit 0, 1, 2 or 3 is set, whichever: the count ends at 0 at the
		    latest */
		gen_emit(g, gen_fixed(A64_TBNZ) | gen_field(gen_below(g, 4), 19, 5) |
				    gen_field(back, 5, 14) | c);
		break;
	}
}

/* The address of the word that comes words after the next one, to Xd */
static void emit_adr(struct generator *g, unsigned int d, unsigned int words)
{
	gen_emit(g, gen_fixed(A64_ADR) | gen_field(words, 5, 19) | d);
}

/*
 * A routine and its call: BL or BLR to it, a B that goes round it once it has returned, its body,
 * and RET or BR to the link register or a copy.
 */
static void emit_call(struct generator *g, enum a64_id id)
{
	const unsigned int link = 30;
	unsigned int back = link, body = 1 + gen_below(g, 3), at;

	if (id == A64_BLR || (id != A64_BL && gen_below(g, 2))) {
		unsigned int target = gen_below(g, 31); /* BLR X30 reads X30 before it writes it */

		emit_adr(g, target, 3);
		gen_emit(g, gen_fixed(A64_BLR) | gen_field(target, 5, 5));
	} else {
		gen_emit(g, gen_fixed(A64_BL) | gen_field(2, 0, 26));
	}
	at = g->count;
	gen_emit(g, 0);
	for (; body; body--)
		gen_emit_computation(g, KEEP(link));
	if (gen_below(g, 2)) {
		back = gen_other_register(g, link, link);
		gen_emit(g, gen_fixed(A64_ORR) | SF | gen_field(link, 16, 5) |
				    gen_field(XZR, 5, 5) | back);
	}
	gen_emit(g, gen_fixed(id == A64_BR ? A64_BR : A64_RET) | gen_field(back, 5, 5));
	g->code[at] = gen_fixed(A64_B) | gen_field(g->count - at, 0, 26);
}

static uint32_t system_fields(unsigned int op1, unsigned int crn, unsigned int crm,
			      unsigned int op2)
{
	return gen_field(op1, 16, 3) | gen_field(crn, 12, 4) | gen_field(crm, 8, 4) |
	       gen_field(op2, 5, 3);
}

/* Cache maintenance by address that EL0 may do */
static void emit_cache_operation(struct generator *g, enum a64_id id)
{
	static const uint8_t crm[] = {5, 10, 11, 14}; /* IC IVAU, DC CVAC, CVAU, CIVAC */
	unsigned int t = gen_below(g, 31);

	gen_emit_constant(g, t, gen_address(g, 1, 1));
	gen_emit(g, gen_fixed(id) | t |
			    (id == A64_SYS ? system_fields(3, 7, crm[gen_below(g, sizeof(crm))], 1)
					   : 0));
}

/* NZCV, TPIDR_EL0 and, to read, TPIDRRO_EL0, FPCR and FPSR */
static void emit_register_access(struct generator *g, enum a64_id id)
{
	static const uint8_t registers[5][3] = {
		{4, 2, 0}, {13, 0, 2}, {13, 0, 3}, {4, 4, 0}, {4, 4, 1}}; /* CRn, CRm, op2 */
	const uint8_t *r = registers[gen_below(g, id == A64_MRS ? 5 : 2)];

	gen_emit(g,
		 gen_fixed(id) | 1u << 19 | system_fields(3, r[0], r[1], r[2]) | gen_below(g, 32));
}

/*
 * Code that changes itself: the loop executes one word at its start, then replaces it, and the
 * second time executes the other.
 */
static void emit_changing_code(struct generator *g)
{
	unsigned int c = gen_below(g, 31), at = gen_other_register(g, c, c),
		     word = gen_other_register(g, c, at);
	uint32_t keep = KEEP(c) | KEEP(at) | KEEP(word);
	unsigned int start;

	gen_emit_constant(g, word, gen_computation(g, keep));
	gen_emit_constant(g, c, 1);
	start = g->count;
	gen_emit_computation(g, keep);
	gen_emit(g, gen_fixed(A64_ADR) | gen_field(start - g->count, 5, 19) | at);
	gen_emit(g, gen_fixed(A64_STR_IMM) | UINT32_C(0x80000000) | gen_field(at, 5, 5) |
			    word);					   /* STR Wword */
	gen_emit(g, gen_fixed(A64_SYS) | system_fields(3, 7, 11, 1) | at); /* DC CVAU */
	gen_emit(g, gen_fixed(A64_DSB) | 0xf00);
	gen_emit(g, gen_fixed(A64_SYS) | system_fields(3, 7, 5, 1) | at); /* IC IVAU */
	gen_emit(g, gen_fixed(A64_DSB) | 0xf00);
	gen_emit(g, gen_fixed(A64_ISB) | 0xf00);
	gen_emit(g, gen_fixed(A64_SUB_IMM) | SF | gen_field(1, 10, 12) | gen_field(c, 5, 5) | c);
	gen_emit(g, gen_fixed(A64_TBZ) | SF | gen_field(31, 19, 5) |
			    gen_field(start - g->count, 5, 14) | c);
}

/* Right before an instruction with a condition, as compilers do: set the flags, often without a
 * result. */
static void emit_flags(struct generator *g)
{
	static const uint16_t rows[] = {
		A64_ADDS_IMM, A64_SUBS_IMM, A64_SUBS_IMM, A64_ANDS_IMM, A64_ADDS,     A64_SUBS,
		A64_SUBS,     A64_ANDS,	    A64_BICS,	  A64_SUBS_EXT, A64_CCMP_REG, A64_SBCS,
	};
	enum a64_id id = rows[gen_below(g, ARRAY_SIZE(rows))];
	uint32_t word = gen_word(g, id);

	if (id != A64_CCMP_REG && gen_below(g, 2))
		word |= XZR;
	/* The register forms are mostly used without a shift. */
	if (id >= A64_AND && id <= A64_SUBS && gen_below(g, 4))
		word &= ~(a64_put_shift(~0u) | a64_put_imm6(~0u));
	gen_emit(g, word);
}

static void emit_branch(struct generator *g, enum a64_id id)
{
	uint32_t word = gen_word(g, id);

	switch (id) {
	case A64_B: emit_skipped(g, word, 0, 26); break;
	case A64_TBZ:
	case A64_TBNZ: emit_skipped(g, word, 5, 14); break;
	default: emit_skipped(g, word, 5, 19); break;
	}
}

static void emit_value(struct generator *g, unsigned int d)
{
	gen_emit_constant(g, d, gen_value(g));
}

/* Vn and Vm from the beginning of scratch memory */
static void emit_vectors(struct generator *g, unsigned int n, unsigned int m)
{
	const unsigned int base = gen_below(g, 31);
	const uint32_t load = gen_fixed(A64_LDR_Q_IMM) | gen_field(base, 5, 5);

	gen_emit_constant(g, base, CASE_SCRATCH);
	gen_emit(g, load | gen_field(gen_below(g, CASE_BYTES / 16), 10, 12) | n);
	gen_emit(g, load | gen_field(gen_below(g, CASE_BYTES / 16), 10, 12) | m);
}

/*
 * Two addresses near each other. Arm's pseudocode divides their distance by the size of an element
 * and then asks if it is 0, QEMU 7.2 asks before: core_sve2 has results of such distances.
 */
static void emit_conflict(struct generator *g, uint32_t word)
{
	const uint64_t address = gen_value(g) & ~UINT64_C(7);
	const uint64_t distance = 8 * ((uint64_t)gen_below(g, 80) - 40);

	if (a64_rm(word) != XZR)
		gen_emit_constant(g, a64_rm(word), address);
	if (a64_rn(word) != XZR)
		gen_emit_constant(g, a64_rn(word), address + distance);
}

/* A computation, every second one with chosen values in the registers of Rn and Rm. */
static void emit_operation(struct generator *g, enum a64_id id)
{
	uint32_t word = gen_word(g, id);
	bool registers = a64_table[id].group != A64_GROUP_VECTOR && id >= A64_AND &&
			 a64_rn(word) != XZR && a64_rm(word) != XZR;

	if (registers && gen_below(g, 2)) {
		emit_value(g, a64_rn(word));
		emit_value(g, a64_rm(word));
	}
	if (a64_table[id].group == A64_GROUP_VECTOR && gen_below(g, 2))
		emit_vectors(g, a64_rn(word), a64_rm(word));
	if (id == A64_WHILEWR_P_RR || id == A64_WHILERW_P_RR)
		emit_conflict(g, word);
	/*
	 * With FPCR.FZ, a positive denormal is not an exact conversion (Arm ARM, FPToFixedJS); for
	 * QEMU 7.2 it is. A sum is never such a number.
	 */
	if (id == A64_FJCVTZS)
		gen_emit(g, gen_fixed(A64_FADD) | UINT32_C(1) << 22 |
				    gen_field(a64_rn(word), 16, 5) | gen_field(a64_rn(word), 5, 5) |
				    a64_rn(word));
	gen_emit(g, word);
}

static void emit_group(struct generator *g, enum a64_id id)
{
	const struct a64_insn *insn = &a64_table[id];

	if (gen_emit_pauth(g, id))
		return;
	switch (insn->operation) {
	case A64_OP_CONDITIONAL:
		if (gen_below(g, 2))
			emit_flags(g);
		break;
	case A64_OP_LOAD_EXCLUSIVE:
	case A64_OP_STORE_EXCLUSIVE: gen_emit_exclusive(g, id); return;
	case A64_OP_BRANCH:
	case A64_OP_BRANCH_COND:
		if (gen_below(g, 2))
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
		gen_emit_literal(g, id);
		return;
	}
	if (a64_is_sve(insn) && insn->address != A64_ADDR_NONE) {
		gen_emit_sve_access(g, id);
		return;
	}
	if (insn->address != A64_ADDR_NONE) {
		if (insn->operation == A64_OP_OTHER && gen_below(g, 2))
			gen_emit(g, gen_word(g, id)); /* a prefetch from anywhere does not fault */
		else
			gen_emit_access(g, id);
		return;
	}
	switch (id) {
	case A64_SYS:
		if (gen_below(g, 2)) {
			emit_changing_code(g);
			break;
		}
		emit_cache_operation(g, id);
		break;
	case A64_DC_ZVA: emit_cache_operation(g, id); break;
	case A64_MRS:
	case A64_MSR: emit_register_access(g, id); break;
	case A64_WFE: /* with an event to consume */
		gen_emit(g, gen_fixed(A64_SEVL));
		gen_emit(g, gen_fixed(id));
		break;
	default: emit_operation(g, id); break;
	}
}

/* What Cortex-A76 does not have. */
static bool is_newer(enum a64_feature feature)
{
	switch (feature) {
	case A64_FEAT_FLAGM:
	case A64_FEAT_FLAGM2:
	case A64_FEAT_FCMA:
	case A64_FEAT_JSCVT:
	case A64_FEAT_FRINTTS:
	case A64_FEAT_SHA512:
	case A64_FEAT_SHA3:
	case A64_FEAT_SM3:
	case A64_FEAT_SM4:
	case A64_FEAT_LRCPC2:
	case A64_FEAT_FHM:
	case A64_FEAT_I8MM:
	case A64_FEAT_BF16:
	case A64_FEAT_PAUTH:
	case A64_FEAT_SB: return true;
	default: return false;
	}
}

/* What QEMU 7.2 does not have. */
static bool is_later(enum a64_feature feature)
{
	switch (feature) {
	case A64_FEAT_MOPS: /* QEMU has it since 8.2 */
	case A64_FEAT_CSSC:
	case A64_FEAT_WFXT:
	case A64_FEAT_LSE128:
	case A64_FEAT_LRCPC3:
	case A64_FEAT_HBC: return true;
	default: return false;
	}
}

bool generate_covers(enum a64_id id, enum case_cpu cpu)
{
	if (is_later((enum a64_feature)a64_table[id].feature))
		return false;
	if (a64_is_sve(&a64_table[id]) && !case_vl(cpu))
		return false;
	if (a64_table[id].feature == A64_FEAT_F64MM && case_vl(cpu) < 32)
		return false; /* UNDEFINED */
	if (case_vl(cpu) > 16 && gen_sve_keeps_upper(id))
		return false;
	if (cpu == CASE_CPU_A76 && is_newer((enum a64_feature)a64_table[id].feature))
		return false;
	if (cpu != CASE_CPU_A76 && id == A64_DC_ZVA)
		return false;
	/* Hints, which do nothing without FEAT_PAuth. */
	if (cpu == CASE_CPU_A76 && (id == A64_PAC_LR || id == A64_PAC_1716 || id == A64_XPACLRI))
		return false;
	switch (id) {
	case A64_ERET:
	case A64_ERETAA:
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
	case A64_MSR_UAO:
	case A64_MSR_DIT:
	case A64_MSR_SSBS:
	case A64_MSR_PM:
	case A64_SYSL: return false;
	default: return a64_table[id].executed;
	}
}

/*
 * A branch to where nothing is mapped, or to an unaligned address where something is. Not both: the
 * Arm ARM gives the PC alignment fault the higher priority, qemu-aarch64 reports the other one.
 */
static enum case_end emit_lost_branch(struct generator *g)
{
	static const uint16_t rows[] = {A64_BR, A64_BLR, A64_RET};
	unsigned int n = gen_below(g, 31);
	bool aligned = gen_below(g, 2);
	uint64_t target = 4 * (uint64_t)gen_below(g, CASE_BYTES / 4);

	target += aligned ? CASE_UNMAPPED : CASE_CODE + 1 + gen_below(g, 3);
	gen_emit_constant(g, n, target);
	gen_emit(g, gen_fixed(rows[gen_below(g, 3)]) | gen_field(n, 5, 5));
	return aligned ? CASE_END_ABORT : CASE_END_ALIGNMENT;
}

/* The exception that ends a case */
static enum case_end emit_end(struct generator *g)
{
	switch (gen_below(g, 8)) {
	case 0: gen_emit(g, gen_below(g, 65536)); return CASE_END_UNDEFINED; /* UDF */
	case 1: return emit_lost_branch(g);
	case 2:
	case 3:
	case 4: return gen_emit_abort(g);
	default: gen_emit(g, CASE_BRK); return CASE_END_BRK;
	}
}

void generate_case(uint64_t seed, enum case_cpu cpu, struct case_input *input)
{
	struct generator g = {.random = seed, .code = input->code, .cpu = cpu};
	unsigned int words;

	for (unsigned int n = 0; n < 31; n++)
		input->x[n] = gen_value(&g);
	for (unsigned int n = 0; n < 64; n++)
		input->v[n / 2][n % 2] = gen_below(&g, 3) ? gen_float(&g) : gen_random64(&g);
	/* RMode, FZ, DN, AHP: each alone often enough */
	input->fpcr = gen_random64(&g) & gen_random64(&g) & UINT64_C(0x7c80000);
	input->fpsr = gen_random64(&g) & UINT64_C(0x800009f);
	input->sp = gen_value(&g) & ~UINT64_C(15);
	input->nzcv = (gen_random64(&g) & 15) << 28;
	memset(&input->sve, 0, sizeof(input->sve));
	if (case_vl(cpu))
		gen_sve_state(&g, input);
	input->memory_seed = gen_random64(&g);

	/* Most cases are long; the short ones end early in a block. */
	words = gen_below(&g, 4) ? CASE_WORDS - RESERVED_WORDS
				 : gen_below(&g, CASE_WORDS - RESERVED_WORDS);
	while (g.count < words) {
		enum a64_id id = gen_below(&g, A64_COUNT);

		/* Half of them of SVE, where there is that. */
		if (case_vl(cpu) && gen_below(&g, 4) == 0)
			id = gen_sve_row(&g);

		switch (gen_below(&g, 16)) { /* what real code is full of */
		case 0: emit_value(&g, gen_below(&g, 31)); break;
		case 1:
			emit_flags(&g);
			emit_branch(&g, A64_B_COND);
			break;
		default: break;
		}
		if (generate_covers(id, cpu))
			emit_group(&g, id);
	}
	input->end = emit_end(&g);
	while (g.count < CASE_WORDS)
		gen_emit(&g, CASE_BRK);
}

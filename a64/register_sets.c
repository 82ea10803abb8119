/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers that an instruction reads and writes, by its row (Arm ARM C6, C7). */
#include "a64/a64.h"

#define PLACES 4

/* Where a word has the numbers of registers. The first begins a list as long as the row says. */
static const uint8_t places[PLACES] = {0, 5, 16, 10};

/* The set of a register: number 31 is nothing unless it is the stack pointer. */
static uint64_t set_of(unsigned int role, unsigned int number)
{
	if (role & A64_VECTOR)
		return A64_SET_V(number % 32);
	if (number == 31)
		return role & A64_SP ? A64_SET_SP : 0;
	return A64_SET_X(number % 32);
}

/* Structures of vectors: the row does not say whether the base is incremented, and by what. */
static void add_post_index(uint32_t word, struct a64_register_sets *r)
{
	const struct a64_structures f = a64_get_structures(word);

	if (!f.post)
		return;
	r->base = set_of(A64_SP, f.rn);
	r->writes |= r->base;
	r->reads |= set_of(0, f.rm);
}

/* Registers that no field names: of FEAT_PAuth, and the second one of a pair of vectors. */
static void add_implicit(unsigned int id, uint32_t word, struct a64_register_sets *r)
{
	const uint64_t lr = A64_SET_X(30);

	switch (id) {
	case A64_RETAA:
	case A64_XPACLRI:
	case A64_PAC_LR: /* modifier: 0 or SP */
		r->reads |= lr | (id == A64_PAC_LR && word & 0x20 ? A64_SET_SP : 0);
		r->writes |= id == A64_RETAA ? 0 : lr;
		break;
	case A64_AUTIASPPC:
	case A64_AUTIBSPPC:
		r->reads |= lr | A64_SET_SP;
		r->writes |= lr;
		break;
	case A64_SME_REST: /* MOVT has a general register, others SVE's */
		r->writes = UINT64_MAX;
		break;
	case A64_EXT_Z_ZI_CON:
	case A64_SPLICE_Z_P_ZZ_CON:
	case A64_TBL_Z_ZZ_2: r->reads |= A64_SET_V((a64_zn(word) + 1) % 32); break;
	case A64_PACIA171615:
	case A64_PACIB171615:
	case A64_AUTIA171615:
	case A64_AUTIB171615:
		r->reads |= A64_SET_X(15) | A64_SET_X(16) | A64_SET_X(17);
		r->writes = (r->writes & ~lr) | A64_SET_X(17);
		break;
	case A64_PAC_1716:
		r->reads |= A64_SET_X(16) | A64_SET_X(17);
		r->writes |= A64_SET_X(17);
		break;
	default: break;
	}
}

struct a64_register_sets a64_register_sets(const struct a64_insn *insn, uint32_t word)
{
	struct a64_register_sets r = {0};
	unsigned int count;

	if (!insn)
		return r;
	/* Pairs with a field for the second register do not use the count. */
	count = insn->registers >> 12 ? 1 : insn->count;
	for (unsigned int place = 0; place < PLACES; place++) {
		const unsigned int role = insn->registers >> 4 * place & 15;
		const unsigned int bits = place == 2 ? insn->second_bits : 5;
		const unsigned int first = word >> places[place] & ((1u << bits) - 1);
		/* CASP has a second list. */
		const bool counted =
			place == 0 || (place == 2 && insn->operation == A64_OP_ATOMIC_CAS);
		const unsigned int most = counted ? count : 1;

		for (unsigned int n = 0; role && n < most; n++) {
			const uint64_t set = set_of(role, first + n);

			r.reads |= role & A64_READS ? set : 0;
			r.writes |= role & A64_WRITES ? set : 0;
			if (place == 1 && role & A64_WRITES)
				r.base = set;
		}
	}
	if (insn->operation == A64_OP_LOAD_SIMD || insn->operation == A64_OP_STORE_SIMD)
		add_post_index(word, &r);
	if (insn->operation == A64_OP_BRANCH_LINK || insn->operation == A64_OP_CALL_REG)
		r.writes |= A64_SET_X(30);
	add_implicit(insn->id, word, &r);
	r.reads_flags = insn->reads_flags || insn->when == A64_WHEN_HOLDS;
	r.writes_flags = insn->sets_flags;
	return r;
}

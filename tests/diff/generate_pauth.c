/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of pointer authentication. The two sides have other keys and other sizes of addresses, so
 * that nothing stays of a code: what is signed is an address, and is authenticated or stripped
 * before its group ends. The guest pauth compares the codes.
 */
#include "generator.h"

#define AUTHENTICATE (UINT32_C(1) << 12) /* AUT* of PAC* */
#define LINK	     30

/* PAC* or AUT* of Xd with a key and the modifier Xm, or 0 with m of XZR. */
static uint32_t pac(unsigned int d, unsigned int m, unsigned int key)
{
	const enum a64_id id = m == XZR ? A64_PAC_ZERO : A64_PAC;

	return gen_fixed(id) | gen_field(key, 10, 2) | gen_field(m, 5, 5) | d;
}

static uint32_t strip(unsigned int d, unsigned int key)
{
	return gen_fixed(A64_XPAC) | gen_field(key >> 1, 10, 1) | d;
}

/* Any value to an address, of either range, that both sides have. */
static void emit_address_of(struct generator *g, unsigned int d)
{
	gen_emit(g, gen_fixed(A64_SBFM) | SF | gen_field(1, 22, 1) | gen_field(38, 10, 6) |
			    gen_field(d, 5, 5) | d);
}

static void emit_signed(struct generator *g, enum a64_id id)
{
	const unsigned int d = gen_below(g, 31), key = gen_below(g, 4);
	const unsigned int m = id == A64_PAC_ZERO ? XZR : gen_other_register(g, d, d);

	emit_address_of(g, d);
	gen_emit(g, pac(d, m, key));
	gen_emit(g, id == A64_XPAC ? strip(d, key) : pac(d, m, key) | AUTHENTICATE);
}

/* The hints: op2 of the B key is 2 more, that of AUT* 4 more, that with SP 1 more. */
static void emit_hints(struct generator *g, enum a64_id id)
{
	const uint32_t key = gen_field(gen_below(g, 2), 6, 1);
	const uint32_t stack = id == A64_PAC_1716 ? 0 : gen_field(gen_below(g, 2), 5, 1);
	const uint32_t sign = id == A64_XPACLRI ? gen_fixed(A64_PAC_LR) : gen_fixed(id);

	emit_address_of(g, id == A64_PAC_1716 ? 17 : LINK);
	gen_emit(g, sign | key | stack);
	gen_emit(g, id == A64_XPACLRI ? gen_fixed(id) : sign | key | stack | gen_field(1, 7, 1));
}

/* The code is in the upper half of what it is made of, and the lower one is 0. */
static void emit_generic(struct generator *g)
{
	const unsigned int d = gen_below(g, 31);

	gen_emit(g, (gen_word(g, A64_PACGA) & ~UINT32_C(31)) | d);
	gen_emit(g, gen_fixed(A64_UBFM) | SF | gen_field(1, 22, 1) | gen_field(31, 10, 6) |
			    gen_field(d, 5, 5) | d);
}

/* A branch over up to three instructions */
static void emit_branch(struct generator *g, enum a64_id id)
{
	const unsigned int over = gen_below(g, 4), key = gen_below(g, 2);
	const bool zero = id == A64_BRAAZ || id == A64_BLRAAZ;
	const unsigned int t = id == A64_RETAA ? LINK : gen_below(g, 31);
	const unsigned int m = zero ? XZR : gen_other_register(g, t, t);
	uint32_t branch = gen_fixed(id) | gen_field(key, 10, 1);

	gen_emit(g, gen_fixed(A64_ADR) | gen_field(3 + over, 5, 19) | t);
	if (id == A64_RETAA) {
		gen_emit(g, gen_fixed(A64_PAC_LR) | gen_field(key, 6, 1) | gen_field(1, 5, 1));
	} else {
		gen_emit(g, pac(t, m, key));
		branch |= gen_field(t, 5, 5) | m;
	}
	gen_emit(g, branch);
	for (unsigned int n = 0; n < over; n++)
		gen_emit_computation(g, 0);
	gen_emit(g, strip(t, key));
}

static void emit_load(struct generator *g, enum a64_id id)
{
	const unsigned int n = gen_below(g, 31), t = gen_other_register(g, n, n);
	const unsigned int key = 2 + gen_below(g, 2), imm = gen_below(g, 1024);
	const uint64_t offset = ((uint64_t)imm - (imm & 512) * UINT64_C(2)) * 8;

	gen_emit_constant(g, n, gen_address(g, 8, 8) - offset);
	gen_emit(g, pac(n, XZR, key));
	gen_emit(g, gen_fixed(id) | gen_field(key, 23, 1) | gen_field(imm >> 9, 22, 1) |
			    gen_field(imm, 12, 9) | gen_field(n, 5, 5) | t);
	if (id == A64_LDRAA)
		gen_emit(g, strip(n, key));
}

bool gen_emit_pauth(struct generator *g, enum a64_id id)
{
	switch (id) {
	case A64_PAC:
	case A64_PAC_ZERO:
	case A64_XPAC: emit_signed(g, id); return true;
	case A64_PAC_1716:
	case A64_PAC_LR:
	case A64_XPACLRI: emit_hints(g, id); return true;
	case A64_PACGA: emit_generic(g); return true;
	case A64_BRAA:
	case A64_BRAAZ:
	case A64_BLRAA:
	case A64_BLRAAZ:
	case A64_RETAA: emit_branch(g, id); return true;
	case A64_LDRAA:
	case A64_LDRAA_PRE: emit_load(g, id); return true;
	default: return false;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIMD and floating-point instructions, and the loads and stores of FEAT_LRCPC, as far as the
 * Statistical Profiling Extension looks at them: Arm ARM C4.1 (encodings), D18.2.7 (Operation Type
 * packet). They are not in a64.def, since the software CPU does not have them.
 */
#include "a64/simd.h"
#include <vspe/spe.h>

#define HEADER_OTHER	  0x48
#define HEADER_LOAD_STORE 0x49

#define OTHER_CONDITIONAL 0x01
#define OTHER_FP	  0x02
#define OTHER_SIMD	  0x04

#define LDST_STORE   0x01
#define LDST_SIMD_FP 0x04
#define LDST_ORDERED 0x12 /* of the extended ones, with acquire or release */

/* Where the address is besides Xn. */
enum offset {
	OFFSET_NONE,
	OFFSET_LITERAL,
	OFFSET_IMM12,
	OFFSET_IMM9,
	OFFSET_IMM7,
	OFFSET_REGISTER
};

/* What a load or store is. */
struct access {
	enum offset offset;
	unsigned int element, size; /* bytes of one register or element, and of all */
	bool load, vector, ordered;
};

/* LD1 to LD4 and ST1 to ST4 of whole registers: how many there are, by opcode. */
static unsigned int structure_registers(uint32_t word)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};

	return registers[a64_field(word, 12, 4)];
}

static bool structures(uint32_t word, struct access *a)
{
	const bool single = a64_field(word, 24, 1), post = a64_field(word, 23, 1);
	const unsigned int registers = structure_registers(word);
	const unsigned int opcode = a64_field(word, 13, 3);
	const unsigned int scale = opcode >> 1;

	a->load = a64_field(word, 22, 1);
	a->vector = true;
	if (!post && a64_field(word, 16, 5) != 0)
		return false;
	if (!single) {
		a->element = 1u << a64_field(word, 10, 2);
		a->size = registers * (a64_field(word, 30, 1) ? 16 : 8);
		return !a64_field(word, 21, 1) && registers > 0;
	}
	/* Scale 3 replicates, and size says the width; scale 2 has doublewords with size 1. */
	a->element = scale == 3	 ? 1u << a64_field(word, 10, 2)
		     : scale < 2 ? 1u << scale
				 : 4u << a64_field(word, 10, 1);
	a->size = a->element * (1 + (opcode & 1) * 2 + a64_field(word, 21, 1));
	return true;
}

static bool simd_fp_access(uint32_t word, struct access *a)
{
	const unsigned int opc = a64_field(word, 30, 2);
	const unsigned int scale = opc | a64_field(word, 23, 1) << 2;

	if ((word & 0xbe000000) == 0x0c000000)
		return structures(word, a);
	if ((word & 0x3f000000) == 0x1c000000) {
		a->offset = OFFSET_LITERAL;
		a->load = true;
		a->element = a->size = 4u << opc;
		return opc < 3;
	}
	a->load = a64_field(word, 22, 1);
	if ((word & 0x3e000000) == 0x2c000000) {
		/* Post-indexed ones are at Xn. */
		a->offset = a64_field(word, 23, 2) == 1 ? OFFSET_NONE : OFFSET_IMM7;
		a->element = 4u << opc;
		a->size = 2 * a->element;
		return opc < 3;
	}
	if ((word & 0x3e000000) != 0x3c000000 || scale > 4)
		return false;
	a->element = a->size = 1u << scale;
	if (a64_field(word, 24, 1))
		a->offset = OFFSET_IMM12;
	else if (a64_field(word, 21, 1))
		a->offset = OFFSET_REGISTER;
	else
		a->offset = a64_field(word, 10, 2) == 1 ? OFFSET_NONE : OFFSET_IMM9;
	return a64_field(word, 24, 1) || a64_field(word, 10, 2) != 2 || a64_field(word, 21, 1);
}

/* LDAPR, LDAPUR and STLUR. */
static bool ordered_access(uint32_t word, struct access *a)
{
	a->element = a->size = 1u << a64_field(word, 30, 2);
	a->ordered = true;
	a->load = true;
	if ((word & 0x3ffffc00) == 0x38bfc000)
		return true;
	a->offset = OFFSET_IMM9;
	a->load = a64_field(word, 22, 2) != 0;
	/* LDAPUR to a signed register is narrower than that. */
	return (word & 0x3f200c00) == 0x19000000 &&
	       a64_field(word, 30, 2) + a64_field(word, 23, 1) <= 3;
}

static bool decode_access(uint32_t word, struct access *a)
{
	*a = (struct access){0};
	if (!a64_field(word, 27, 1) || a64_field(word, 25, 1))
		return false;
	return a64_field(word, 26, 1) ? simd_fp_access(word, a) : ordered_access(word, a);
}

/* Advanced SIMD data processing, scalar forms too: is it floating-point? */
static bool is_simd_fp(uint32_t word)
{
	const unsigned int three = a64_field(word, 11, 5), two = a64_field(word, 12, 5);
	const unsigned int indexed = a64_field(word, 12, 4);
	const bool u = a64_field(word, 29, 1);

	if ((word & 0x0f000000) == 0x0f000000) {
		/* By element; or, with bit 10 set, a shift or an immediate, and FMOV among those.
		 */
		if (!a64_field(word, 10, 1))
			return (indexed & 3) == 1 ||
			       (!u && a64_field(word, 23, 1) && (indexed & 3) == 0 && indexed < 8);
		if (a64_field(word, 19, 4) == 0 && !a64_field(word, 23, 1))
			return a64_field(word, 12, 4) == 15;
		return three == 0x1c || three == 0x1f;
	}
	if ((word & 0x0f200400) == 0x0e200400) /* three of the same kind */
		return three >= 0x18;
	if ((word & 0x0f60c400) == 0x0e400400) /* the same, half precision */
		return true;
	if ((word & 0x0f3e0c00) == 0x0e200800) /* two registers */
		return (two >= 0x0c && two <= 0x0f && a64_field(word, 23, 1)) || two == 0x16 ||
		       two == 0x17 || (two >= 0x18 && !(two == 0x1c && a64_field(word, 23, 1)));
	if ((word & 0x0f3e0c00) == 0x0e380800) /* two registers, half precision */
		return true;
	if ((word & 0x0f3e0c00) == 0x0e300800) /* across lanes, and pairs */
		return two == 0x0c || two == 0x0d || two == 0x0f;
	return false;
}

/* FCSEL, FCCMP and FCCMPE. */
static bool is_conditional(uint32_t word)
{
	return (word & 0xff200c00) == 0x1e200c00 || (word & 0xff200c00) == 0x1e200400;
}

static bool data_processing(uint32_t word, struct a64_operation *type)
{
	if (a64_field(word, 25, 3) != 7)
		return false;
	*type = (struct a64_operation){.header = HEADER_OTHER};
	/* Scalar floating-point. */
	if ((word & 0x5e000000) == 0x1e000000) {
		type->flags = SPE_OP_FP;
		type->payload = OTHER_FP | (is_conditional(word) ? OTHER_CONDITIONAL : 0);
		return true;
	}
	type->flags = SPE_OP_SIMD;
	type->payload = OTHER_SIMD;
	if (is_simd_fp(word)) {
		type->flags |= SPE_OP_FP;
		type->payload |= OTHER_FP;
	}
	return true;
}

bool a64_simd_type(uint32_t word, struct a64_operation *type)
{
	struct access a;

	if (!decode_access(word, &a))
		return data_processing(word, type);
	*type = (struct a64_operation){
		.header = HEADER_LOAD_STORE,
		.payload = a.ordered ? LDST_ORDERED : LDST_SIMD_FP,
		.flags = a.load ? SPE_OP_LOAD : SPE_OP_STORE,
	};
	if (!a.load)
		type->payload |= LDST_STORE;
	if (!a.ordered)
		type->flags |= a.vector ? SPE_OP_SIMD : SPE_OP_FP;
	return true;
}

bool a64_simd_condition(uint32_t word, unsigned int *condition)
{
	if (!is_conditional(word))
		return false;
	*condition = a64_field(word, 12, 4);
	return true;
}

/* Xm extended or shifted: option 010 UXTW, 011 LSL, 110 SXTW, 111 SXTX. */
static uint64_t register_offset(uint32_t word, uint64_t rm, unsigned int size)
{
	const uint64_t w = (uint32_t)rm;

	if (a64_field(word, 13, 3) == 2)
		rm = w;
	else if (a64_field(word, 13, 3) == 6)
		rm = (w ^ UINT64_C(0x80000000)) - UINT64_C(0x80000000);
	return a64_field(word, 12, 1) ? rm * size : rm;
}

bool a64_simd_address(uint32_t word, uint64_t pc,
		      uint64_t (*read_register)(const void *ctx, unsigned int n), const void *ctx,
		      uint64_t *va, unsigned int *element)
{
	const unsigned int m = a64_rm(word);
	struct access a;

	if (!decode_access(word, &a))
		return false;
	*element = a.element;
	*va = a.offset == OFFSET_LITERAL ? pc : read_register(ctx, a64_rn(word));
	switch (a.offset) {
	case OFFSET_NONE: break;
	case OFFSET_LITERAL: *va += (uint64_t)a64_signed_field(word, 5, 19) * 4; break;
	case OFFSET_IMM12: *va += (uint64_t)a64_field(word, 10, 12) * a.element; break;
	case OFFSET_IMM9: *va += (uint64_t)a64_signed_field(word, 12, 9); break;
	case OFFSET_IMM7: *va += (uint64_t)a64_signed_field(word, 15, 7) * a.element; break;
	case OFFSET_REGISTER:
		*va += register_offset(word, m == 31 ? 0 : read_register(ctx, m), a.element);
		break;
	}
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that execute floating-point and Advanced SIMD instructions: for SOFT_vector, in
 * soft_op.imm. None of them can fault, and none reads or writes memory.
 *
 * rd, rn and rm are numbers of registers; rm may be the amount of a shift. Functions that work on
 * elements are called shapes: they decide which elements of which registers meet. aux has the row
 * of lanes.def and the size of an element, ra how many bytes of Vd they write (those above become
 * 0).
 */
#ifndef VSPE_SOFT_VECTOR_H
#define VSPE_SOFT_VECTOR_H

#include "soft/fp/lanes.h"
#include "soft/kinds.h"

/* aux: enum soft_lane and the size of an element, 1 << size bytes. */
#define SOFT_AUX_LANES(lane, size) ((uint16_t)((lane) << 2 | (size)))

typedef void soft_vector_function(struct soft_cpu *cpu, const struct soft_op *op);

/* op's function, of SOFT_vector, and its effects on FPSR. */
soft_vector_function soft_run_vector;

/* With SVE, an instruction that writes Vn makes the rest of Zn 0. */
void soft_zero_upper(struct soft_cpu *cpu, unsigned int n);

static inline void soft_clear_upper(struct soft_cpu *cpu, unsigned int n)
{
	if (SOFT_UNLIKELY(cpu->upper[n]))
		soft_zero_upper(cpu, n);
}

/* The same of all that op, of SOFT_vector, writes: its rd may be another register's number. */
void soft_clear_written(struct soft_cpu *cpu, const struct soft_op *op);

/* Shapes. Size is that of the narrower elements, bytes those of Vd. */
soft_vector_function soft_shape_same;	      /* Vn, Vm and Vd of one size */
soft_vector_function soft_shape_element;      /* ... with one element of Vm */
soft_vector_function soft_shape_pair;	      /* neighbours in Vn and then Vm */
soft_vector_function soft_shape_pair_scalar;  /* the two elements of Vn */
soft_vector_function soft_shape_pair_long;    /* neighbours in Vn, widened */
soft_vector_function soft_shape_long;	      /* Vn and Vm are widened */
soft_vector_function soft_shape_long_element; /* ... with one element of Vm */
soft_vector_function soft_shape_wide;	      /* Vm is widened */
soft_vector_function soft_shape_narrow;	      /* Vn and Vm are wide, Vd is narrowed */
soft_vector_function soft_shape_across;	      /* all elements of Vn, one after the other */
soft_vector_function soft_shape_across_long;  /* ... widened */
soft_vector_function soft_shape_across_float; /* ... as a tree */

/* Those that are no shapes. */
#define FUNCTION(name) SOFT_function_##name,
enum soft_vector_functions {
#include "soft/fp/functions.def"
};
#define FUNCTION(name) soft_vector_function soft_vector_##name;
#include "soft/fp/functions.def"

/* SMMLA, UMMLA, USMMLA: 2 by 8 times 8 by 2 bytes added to *d; *m has its matrix in columns. */
void soft_multiply_matrices(union soft_vector *d, const union soft_vector *n,
			    const union soft_vector *m, bool n_unsigned, bool m_unsigned);

/* AESE and AESD with a key, AESMC and AESIMC of a state; inverse: the second of each. */
void soft_aes_round(union soft_vector *d, const union soft_vector *key, bool inverse);
void soft_aes_mix(union soft_vector *d, const union soft_vector *state, bool inverse);
/* SM4E: four rounds of from with keys; expands: SM4EKEY, the next four keys with constants. */
void soft_sm4(union soft_vector *d, const union soft_vector *from, const union soft_vector *with,
	      bool expands);
/* PMULL of doublewords. */
void soft_multiply_polynomials(union soft_vector *d, uint64_t n, uint64_t m);

/* The immediate of MOVI, MVNI, FMOV, ORR and BIC (AdvSIMDExpandImm). */
uint64_t soft_vector_immediate(uint32_t word);
/* That of FMOV of a scalar (VFPExpandImm). */
uint64_t soft_float_immediate(enum float_size size, unsigned int imm8);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What executes floating-point and Advanced SIMD instructions: functions for SOFT_vector, in
 * soft_op.imm. None of them can fault, or reads or writes memory.
 *
 * rd, rn and rm are numbers of registers, or rm the amount of a shift. Those that work on elements
 * find in aux which of lanes.def and of what size, in ra how many bytes of Vd they write (those
 * above become 0), and are called shapes: which elements of which registers meet.
 */
#ifndef VSPE_SOFT_VECTOR_H
#define VSPE_SOFT_VECTOR_H

#include "soft/fp/lanes.h"
#include "soft/kinds.h"

/* aux: enum soft_lane and the size of an element, 1 << size bytes. */
#define SOFT_AUX_LANES(lane, size) ((uint16_t)((lane) << 2 | (size)))

typedef void soft_vector_function(struct soft_cpu *cpu, const struct soft_op *op);

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

/* Those that are no shapes: they decode the word. row(name) */
#define SOFT_VECTOR_FUNCTIONS(row)                                                                \
	row(dup_element) row(dup) row(dup_scalar) row(smov) row(umov) row(ins) row(ins_element)   \
		row(tbl) row(ext) row(zip) row(uzp) row(trn) row(rev) row(orr_imm) row(bic_imm)   \
			row(float_multiply_add) row(float_compare) row(float_compare_conditional) \
				row(float_select) row(float_convert) row(float_to_x) row(         \
					float_from_x) row(float_move_to_x) row(float_move_from_x) \
					row(float_narrow) row(float_lengthen) row(aes)            \
						row(sha_three) row(sha_two) row(pmull_64) row(    \
							float_to_javascript) row(complex_add)     \
							row(complex_multiply_add)                 \
								row(complex_multiply_add_element)

#define SOFT_VECTOR_FUNCTION(name) SOFT_function_##name,
enum soft_vector_functions { SOFT_VECTOR_FUNCTIONS(SOFT_VECTOR_FUNCTION) };
#undef SOFT_VECTOR_FUNCTION
#define SOFT_VECTOR_FUNCTION(name) soft_vector_function soft_vector_##name;
SOFT_VECTOR_FUNCTIONS(SOFT_VECTOR_FUNCTION)
#undef SOFT_VECTOR_FUNCTION

/* The immediate of MOVI, MVNI, FMOV, ORR and BIC (AdvSIMDExpandImm). */
uint64_t soft_vector_immediate(uint32_t word);
/* That of FMOV of a scalar (VFPExpandImm). */
uint64_t soft_float_immediate(enum float_size size, unsigned int imm8);

#endif

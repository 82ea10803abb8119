/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point arithmetic as Arm defines it (Arm ARM, A1.5, and the instructions of C7): half,
 * single and double precision, all of FPCR's rounding modes, flushing of denormals, default NaNs
 * and the alternative half-precision format, the cumulative flags of FPSR. It uses only integers,
 * so that every host gives the same bits.
 *
 * A number is in the low bits of a uint64_t. Operands may have any bits above its format; results
 * have 0 there. Nothing here depends on a CPU.
 */
#ifndef VSPE_SOFT_FLOAT_H
#define VSPE_SOFT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#define FPCR_RMODE	 (3u << 22)
#define FPCR_RMODE_SHIFT 22
#define FPCR_FZ16	 (1u << 19)
#define FPCR_FZ		 (1u << 24)
#define FPCR_DN		 (1u << 25)
#define FPCR_AHP	 (1u << 26)
#define FPCR_ODD	 (1u << 31) /* of no FPCR: FLOAT_ODD_INFINITY instead of RMode */
#define FPCR_IMPLEMENTED (FPCR_RMODE | FPCR_FZ16 | FPCR_FZ | FPCR_DN | FPCR_AHP)

#define FPSR_IOC	 (1u << 0)
#define FPSR_DZC	 (1u << 1)
#define FPSR_OFC	 (1u << 2)
#define FPSR_UFC	 (1u << 3)
#define FPSR_IXC	 (1u << 4)
#define FPSR_IDC	 (1u << 7)
#define FPSR_QC		 (1u << 27)
#define FPSR_IMPLEMENTED (FPSR_IOC | FPSR_DZC | FPSR_OFC | FPSR_UFC | FPSR_IXC | FPSR_IDC | FPSR_QC)

/* The formats: 16, 32, 64 bits. */
enum float_size { FLOAT_HALF, FLOAT_SINGLE, FLOAT_DOUBLE };

/* The first four as FPCR.RMode. */
enum float_rounding {
	FLOAT_NEAREST, /* ties to even */
	FLOAT_UP,      /* to +Infinity */
	FLOAT_DOWN,    /* to -Infinity */
	FLOAT_TO_ZERO,
	FLOAT_NEAREST_AWAY, /* ties away from zero */
	FLOAT_ODD,	    /* inexact results become odd, so that they can be rounded again */
	FLOAT_ODD_INFINITY, /* the same, and what is too large an infinity, as BFDOT has it */
};

/* What an operation reads, and where it sets flags. */
struct float_state {
	uint32_t fpcr, fpsr;
};

static inline enum float_rounding float_rounding(const struct float_state *fp)
{
	if (fp->fpcr & FPCR_ODD)
		return FLOAT_ODD_INFINITY;
	return (enum float_rounding)((fp->fpcr & FPCR_RMODE) >> FPCR_RMODE_SHIFT);
}

/*
 * Are results rounded to nearest, is nothing flushed, and is the flag that most operations would
 * set already set? Then the host's arithmetic gives the same results, as long as they are normal
 * numbers: no other flag can change (decisions, SOFT-82).
 */
static inline bool float_is_usual(const struct float_state *fp)
{
	return !(fp->fpcr & (FPCR_RMODE | FPCR_FZ | FPCR_ODD)) && fp->fpsr & FPSR_IXC;
}

typedef uint64_t float_unary(struct float_state *fp, enum float_size size, uint64_t a);
typedef uint64_t float_binary(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b);

/* FADD, FSUB, FMUL, FNMUL, FMULX, FDIV, FABD; FMAX, FMIN, FMAXNM, FMINNM; FRECPS, FRSQRTS. */
float_binary float_add, float_subtract, float_multiply, float_multiply_negate,
	float_multiply_extended, float_divide, float_difference;
float_binary float_max, float_min, float_max_number, float_min_number;
float_binary float_reciprocal_step, float_root_step;

/* FABS, FNEG, FSQRT, FRECPE, FRSQRTE, FRECPX. */
float_unary float_abs, float_negate, float_root;
float_unary float_reciprocal_estimate, float_root_estimate, float_reciprocal_exponent;

/* addend + a * b with one rounding: FMADD, FMLA. */
uint64_t float_multiply_add(struct float_state *fp, enum float_size size, uint64_t addend,
			    uint64_t a, uint64_t b);

/* A half as a single of the same value, NaNs unchanged: only FPCR.FZ16 changes it. */
uint64_t float_widen_half(struct float_state *fp, uint64_t a);

/* BFloat16, the upper half of a single: from the low 16 bits of a; to it, rounding a by FPCR. */
static inline uint32_t float_from_bf16(uint32_t a)
{
	return a << 16;
}

uint16_t float_to_bf16(struct float_state *fp, uint32_t a);

/*
 * addend + (n[0] * m[0] + n[1] * m[1]), rounded to odd after each of the four. FPCR and FPSR have
 * no effect, denormals are zeros and NaNs the default one (Arm ARM, BFDotAdd()).
 */
uint32_t float_bf16_dot(uint32_t addend, const uint16_t n[2], const uint16_t m[2]);

/* FCMP and, if a quiet NaN is invalid too, FCMPE: N, Z, C, V as bits 3 to 0. */
unsigned int float_compare(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b,
			   bool quiet_invalid);

/* FCMEQ, FCMGE, FCMGT, FACGE, FACGT: all ones in size, or 0. */
float_binary float_equal, float_greater_equal, float_greater, float_abs_greater_equal,
	float_abs_greater;

/* To an integral value of the same format: FRINTx. exact: FRINTX, an inexact result sets IXC. */
uint64_t float_round_to_integral(struct float_state *fp, enum float_size size, uint64_t a,
				 enum float_rounding rounding, bool exact);

/*
 * FRINT32Z, FRINT64X and so on: the same if the result is a signed integer of bits bits, otherwise
 * the least of these, which is invalid.
 */
uint64_t float_round_to_width(struct float_state *fp, enum float_size size, uint64_t a,
			      enum float_rounding rounding, unsigned int bits);

/* From one format to another, rounding by FPCR or, FCVTXN, to odd. */
uint64_t float_convert(struct float_state *fp, enum float_size from, enum float_size to, uint64_t a,
		       enum float_rounding rounding);

/*
 * To an integer of bits (16, 32 or 64) bits, with fraction of them after the point; saturates. The
 * result is in the low bits, 0 above.
 */
uint64_t float_to_fixed(struct float_state *fp, enum float_size from, uint64_t a, unsigned int bits,
			unsigned int fraction, bool is_signed, enum float_rounding rounding);

/*
 * FJCVTZS: a double, rounded towards zero, to the lowest 32 bits of the integer. *exact: the result
 * has its value, and it is not a negative zero.
 */
uint32_t float_to_javascript(struct float_state *fp, uint64_t a, bool *exact);

/* From an integer: value has already been extended to 64 bits, by its sign or zeros. */
uint64_t float_from_fixed(struct float_state *fp, enum float_size to, uint64_t value,
			  unsigned int fraction, bool is_signed);

/*
 * SVE: FSCALE, a * 2^b, where b is a signed integer. FTSMUL, a * a, and FTSSEL, a or 1, with the
 * sign by b. FEXPA, by tables. FTMAD, which adds a coefficient of the sine or, if b is negative, of
 * the cosine to a * |b|; number is 0 to 7.
 */
float_binary float_scale, float_trig_square, float_trig_select;
uint64_t float_exponential(enum float_size size, uint64_t a);
uint64_t float_trig_multiply_add(struct float_state *fp, enum float_size size, uint64_t a,
				 uint64_t b, unsigned int number);

/*
 * FLOGB: the largest integer that is not above the logarithm of |a| to the base 2, as a signed
 * integer of size; the greatest of an infinity, the least of 0 or a NaN, which is invalid.
 */
float_unary float_logarithm;

/* URECPE, URSQRTE. */
uint32_t float_unsigned_reciprocal_estimate(uint32_t a);
uint32_t float_unsigned_root_estimate(uint32_t a);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of the software CPU and libmpfr: addition, subtraction, multiplication, division,
 * square root and fused multiply and add of half, single and double precision, in each rounding
 * mode, results and the flags of FPSR. What libmpfr does not have is here, as the Arm ARM has it:
 * which NaN becomes the result, and numbers that FPCR.FZ or FZ16 flush to zero.
 *
 * Usage: diff_mpfr [--seed N] [--rounds N]; N numbers for each operation, format and rounding mode.
 * Exit: 0 agreed, 1 differed.
 */
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/fp/float_number.h"
#include "tests/splitmix.h"

#define SHOWN 10
#define FLAGS (FPSR_IOC | FPSR_DZC | FPSR_OFC | FPSR_UFC | FPSR_IXC | FPSR_IDC)

enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, FUSED, OPERATIONS };

static const char *const operation_names[] = {"add",	"subtract", "multiply",
					      "divide", "root",	    "multiply_add"};
static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

static uint64_t random_state;

static uint64_t draw(void)
{
	return splitmix64(&random_state);
}

/* Zeros, denormals, infinities, NaNs, the largest ones, and exponents near 0 or anywhere. */
static uint64_t draw_number(enum float_size size)
{
	const uint64_t most = float_exponent_max(size);
	uint64_t fraction = draw() & float_fraction_mask(size), exponent = draw() & most;

	switch (draw() % 8) {
	case 0: exponent = draw() % 3; break;
	case 1: exponent = most - draw() % 3; break;
	case 2: fraction &= ~(float_fraction_mask(size) >> 4); break;
	case 3: break;
	default: exponent = most / 2 - 6 + draw() % 12; break;
	}
	if (exponent == most && draw() % 4)
		fraction = 0;
	return float_zero(size, draw() & 1) | exponent << float_fraction_bits(size) | fraction;
}

static bool is_nan(enum float_size size, uint64_t bits)
{
	return (bits & ~float_sign(size)) > float_infinity(size, false);
}

static bool is_signalling(enum float_size size, uint64_t bits)
{
	return is_nan(size, bits) && !(bits & float_quiet_bit(size));
}

static bool is_infinite(enum float_size size, uint64_t bits)
{
	return (bits & ~float_sign(size)) == float_infinity(size, false);
}

static bool is_zero(enum float_size size, uint64_t bits)
{
	return !(bits & ~float_sign(size));
}

/* FPUnpack(): a denormal number as zero, and Input Denormal but of half precision. */
static void flush(enum float_size size, uint64_t *bits, uint32_t *flags)
{
	const uint64_t magnitude = *bits & ~float_sign(size);

	if (!magnitude || magnitude > float_fraction_mask(size))
		return;
	*bits &= float_sign(size);
	*flags |= size == FLOAT_HALF ? 0 : FPSR_IDC;
}

/*
 * FPProcessNaN(), FPProcessNaNs() and FPProcessNaNs3(), and what FPMulAdd() does first for infinity
 * times zero with a quiet NaN as the addend. order has the operands in the order in which a NaN is
 * looked for. False: none is a NaN.
 */
static bool process_nans(enum operation operation, enum float_size size, bool dn,
			 const uint64_t bits[3], uint64_t *value, uint32_t *flags)
{
	static const uint8_t order[][3] = {{0, 1, 1}, {2, 0, 1}, {0, 0, 0}};
	const uint8_t *at = order[operation == FUSED ? 1 : operation == ROOT ? 2 : 0];
	const uint64_t *chosen = NULL;

	for (unsigned int i = 0; i < 3 && !chosen; i++)
		chosen = is_signalling(size, bits[at[i]]) ? &bits[at[i]] : NULL;
	*flags |= chosen ? FPSR_IOC : 0;
	if (!chosen && operation == FUSED && is_nan(size, bits[2]) &&
	    ((is_infinite(size, bits[0]) && is_zero(size, bits[1])) ||
	     (is_zero(size, bits[0]) && is_infinite(size, bits[1])))) {
		*flags |= FPSR_IOC;
		*value = float_default_nan(size);
		return true;
	}
	for (unsigned int i = 0; i < 3 && !chosen; i++)
		chosen = is_nan(size, bits[at[i]]) ? &bits[at[i]] : NULL;
	if (chosen)
		*value = dn ? float_default_nan(size) : *chosen | float_quiet_bit(size);
	return chosen;
}

/* The value of bits, exactly. */
static void set(mpfr_t value, enum float_size size, uint64_t bits)
{
	const uint64_t field = bits >> float_fraction_bits(size) & float_exponent_max(size);
	const uint64_t fraction = bits & float_fraction_mask(size);
	const bool negative = bits & float_sign(size);
	const int least = 1 - float_bias(size) - (int)float_fraction_bits(size);

	if (field == float_exponent_max(size))
		mpfr_set_inf(value, 1);
	else if (field)
		mpfr_set_ui_2exp(value, fraction | float_quiet_bit(size) << 1,
				 (int)field - 1 + least, MPFR_RNDN);
	else
		mpfr_set_ui_2exp(value, fraction, least, MPFR_RNDN);
	mpfr_setsign(value, value, negative, MPFR_RNDN);
}

/* The bits of a value that the format has. */
static uint64_t get(mpfr_t value, enum float_size size)
{
	const bool negative = mpfr_signbit(value);
	const int fraction = (int)float_fraction_bits(size), bias = float_bias(size);
	double magnitude;
	int exponent;

	if (mpfr_nan_p(value))
		return float_default_nan(size);
	if (mpfr_inf_p(value))
		return float_infinity(size, negative);
	magnitude = fabs(mpfr_get_d(value, MPFR_RNDN));
	(void)frexp(magnitude, &exponent);
	if (magnitude == 0 || exponent < 2 - bias) /* those of the least normal numbers */
		exponent = 2 - bias;
	/* The leading bit of a normal number counts in the field of the exponent. */
	return float_zero(size, negative) | ((uint64_t)ldexp(magnitude, fraction + 1 - exponent) +
					     ((uint64_t)(exponent - 2 + bias) << fraction));
}

static int compute(enum operation operation, mpfr_t r, mpfr_t operands[3], mpfr_rnd_t mode)
{
	switch (operation) {
	case ADD: return mpfr_add(r, operands[0], operands[1], mode);
	case SUBTRACT: return mpfr_sub(r, operands[0], operands[1], mode);
	case MULTIPLY: return mpfr_mul(r, operands[0], operands[1], mode);
	case DIVIDE: return mpfr_div(r, operands[0], operands[1], mode);
	case ROOT: return mpfr_sqrt(r, operands[0], mode);
	default: return mpfr_fma(r, operands[0], operands[1], operands[2], mode);
	}
}

static uint64_t ours(enum operation operation, struct float_state *fp, enum float_size size,
		     const uint64_t operands[3])
{
	switch (operation) {
	case ADD: return float_add(fp, size, operands[0], operands[1]);
	case SUBTRACT: return float_subtract(fp, size, operands[0], operands[1]);
	case MULTIPLY: return float_multiply(fp, size, operands[0], operands[1]);
	case DIVIDE: return float_divide(fp, size, operands[0], operands[1]);
	case ROOT: return float_root(fp, size, operands[0]);
	default: return float_multiply_add(fp, size, operands[2], operands[0], operands[1]);
	}
}

/* The largest exponent range that there is, or that of a format with its denormals. */
static void set_range(bool format, enum float_size size)
{
	if (format) {
		(void)mpfr_set_emin(2 - float_bias(size) - (int)float_fraction_bits(size));
		(void)mpfr_set_emax(float_bias(size) + 1);
	} else {
		(void)mpfr_set_emin(mpfr_get_emin_min());
		(void)mpfr_set_emax(mpfr_get_emax_max());
	}
}

/*
 * libmpfr's result of numbers, and *flags of FPSR. A result is tiny if it is so before it is
 * rounded: rounded towards zero and with an exponent as small as it takes, it is below the normal
 * numbers. flushes: such a one is zero, and Underflow alone.
 */
static uint64_t numbers(enum operation operation, enum float_size size, mpfr_rnd_t mode,
			bool flushes, const uint64_t bits[3], uint32_t *flags)
{
	mpfr_t operands[3], result;
	bool tiny, inexact, negative;
	uint64_t value;
	int ternary;

	set_range(false, size);
	mpfr_init2(result, (mpfr_prec_t)float_fraction_bits(size) + 1);
	for (unsigned int i = 0; i < 3; i++) {
		mpfr_init2(operands[i], 53);
		set(operands[i], size, bits[i]);
	}
	(void)compute(operation, result, operands, MPFR_RNDZ);
	tiny = mpfr_regular_p(result) && mpfr_get_exp(result) <= 1 - float_bias(size);
	negative = mpfr_signbit(result);
	set_range(true, size);
	mpfr_clear_flags();
	ternary = compute(operation, result, operands, mode);
	ternary = mpfr_subnormalize(result, ternary, mode);
	inexact = ternary != 0;
	if (tiny && flushes) {
		*flags |= FPSR_UFC;
		value = float_zero(size, negative);
	} else {
		*flags |= (mpfr_nanflag_p() ? FPSR_IOC : 0) | (mpfr_divby0_p() ? FPSR_DZC : 0) |
			  (mpfr_overflow_p() ? FPSR_OFC : 0) | (inexact ? FPSR_IXC : 0) |
			  (inexact && tiny ? FPSR_UFC : 0);
		value = get(result, size);
	}
	set_range(false, size);
	for (unsigned int i = 0; i < 3; i++)
		mpfr_clear(operands[i]);
	mpfr_clear(result);
	return value;
}

static uint64_t theirs(enum operation operation, enum float_size size, uint32_t fpcr,
		       const uint64_t operands[3], uint32_t *flags)
{
	const bool flushes = fpcr & (size == FLOAT_HALF ? FPCR_FZ16 : FPCR_FZ);
	const unsigned int count = operation == ROOT ? 1 : operation == FUSED ? 3 : 2;
	uint64_t bits[3] = {operands[0], operands[1], operands[2]}, value;

	*flags = 0;
	for (unsigned int i = 0; i < count && flushes; i++)
		flush(size, &bits[i], flags);
	if (process_nans(operation, size, fpcr & FPCR_DN, bits, &value, flags))
		return value;
	for (unsigned int i = count; i < 3; i++) /* not an operand */
		bits[i] = 0;
	return numbers(operation, size, modes[(fpcr & FPCR_RMODE) >> FPCR_RMODE_SHIFT], flushes,
		       bits, flags);
}

static bool agree(enum operation operation, enum float_size size, unsigned int mode)
{
	struct float_state fp = {.fpcr = mode << FPCR_RMODE_SHIFT |
					 (draw() % 4 ? 0 : FPCR_DN | FPCR_FZ) |
					 (draw() % 4 ? 0 : FPCR_FZ) | (draw() % 4 ? 0 : FPCR_FZ16)};
	const uint32_t fpcr = fp.fpcr;
	uint64_t operands[3] = {draw_number(size), draw_number(size), draw_number(size)};
	uint64_t have, want;
	uint32_t flags;

	if (operation == FUSED && draw() % 4 == 0) { /* what cancels, but for the rounding */
		struct float_state other = fp;

		have = float_multiply(&other, size, operands[0], operands[1]) ^ float_sign(size);
		if ((have & ~float_sign(size)) <= float_infinity(size, false))
			operands[2] = have;
	}
	want = theirs(operation, size, fpcr, operands, &flags);
	have = ours(operation, &fp, size, operands);
	if (have == want && (fp.fpsr & FLAGS) == flags)
		return true;
	printf("%s of %u bits, FPCR %" PRIx32 ": %" PRIx64 " %" PRIx64 " %" PRIx64 ": %" PRIx64
	       " with %02" PRIx32 ", libmpfr %" PRIx64 " with %02" PRIx32 "\n",
	       operation_names[operation], float_bits(size), fpcr, operands[0], operands[1],
	       operands[2], have, fp.fpsr, want, flags);
	return false;
}

int main(int argc, char **argv)
{
	uint64_t rounds = 10000, count = 0, seed = 1, wrong = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--rounds"))
			rounds = strtoull(argv[i + 1], NULL, 0);
	}
	random_state = seed;
	for (unsigned int operation = 0; operation < OPERATIONS; operation++)
		for (unsigned int size = FLOAT_HALF; size <= FLOAT_DOUBLE; size++)
			for (unsigned int mode = 0; mode < 4; mode++)
				for (uint64_t i = 0; i < rounds && wrong < SHOWN; i++, count++)
					wrong += !agree((enum operation)operation,
							(enum float_size)size, mode);
	mpfr_free_cache();
	printf("seed %" PRIu64 ": %" PRIu64 " operations, %" PRIu64 " differences\n", seed, count,
	       wrong);
	return wrong ? 1 : 0;
}

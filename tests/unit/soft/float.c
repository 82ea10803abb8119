/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floating-point arithmetic in integers, compared with the host's processor on the same numbers.
 * IEEE 754 leaves it no choice except for NaNs, and for when a result counts as tiny.
 */

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "../compare.h"
#include "soft/fp/float.h"
#include "tests/splitmix.h"

#define ROUNDS 200000

static uint64_t state;

static uint64_t draw(void)
{
	return splitmix64(&state);
}

/* A number of size: zeros, denormals, infinities, and exponents from the whole range or near 0. */
static uint64_t number(enum float_size size)
{
	const unsigned int fraction = size == FLOAT_DOUBLE ? 52 : 23, width = 16u << size;
	const uint64_t most = (UINT64_C(1) << (width - 1 - fraction)) - 1;
	uint64_t bits = draw() & ((UINT64_C(1) << fraction) - 1), exponent = draw() & most;

	switch (draw() % 8) {
	case 0: exponent = draw() % 3; break;
	case 1: exponent = most - draw() % 3; break;
	case 2: bits &= ~((UINT64_C(1) << (fraction - 4)) - 1); break;
	default: exponent = most / 2 - 30 + draw() % 60; break;
	}
	if (exponent == most)
		bits = 0;
	return (draw() & 1) << (width - 1) | exponent << fraction | bits;
}

static double as_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static float as_float(uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static uint64_t of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, MULTIPLY_ADD, OPERATIONS };

static const char *const names[] = {"add",    "subtract", "multiply",
				    "divide", "root",	  "multiply-add"};

static uint64_t host(enum operation how, enum float_size size, const uint64_t v[3])
{
	volatile double x = as_double(v[0]), y = as_double(v[1]), z = as_double(v[2]), r = 0;
	volatile float a = as_float(v[0]), b = as_float(v[1]), c = as_float(v[2]), s = 0;

	feclearexcept(FE_ALL_EXCEPT);
	switch (how) {
	case ADD: size == FLOAT_DOUBLE ? (void)(r = x + y) : (void)(s = a + b); break;
	case SUBTRACT: size == FLOAT_DOUBLE ? (void)(r = x - y) : (void)(s = a - b); break;
	case MULTIPLY: size == FLOAT_DOUBLE ? (void)(r = x * y) : (void)(s = a * b); break;
	case DIVIDE: size == FLOAT_DOUBLE ? (void)(r = x / y) : (void)(s = a / b); break;
	case ROOT: size == FLOAT_DOUBLE ? (void)(r = sqrt(x)) : (void)(s = sqrtf(a)); break;
	default: size == FLOAT_DOUBLE ? (void)(r = fma(x, y, z)) : (void)(s = fmaf(a, b, c)); break;
	}
	return size == FLOAT_DOUBLE ? of_double(r) : of_float(s);
}

static uint64_t ours(enum operation how, enum float_size size, const uint64_t v[3],
		     struct float_state *fp)
{
	switch (how) {
	case ADD: return float_add(fp, size, v[0], v[1]);
	case SUBTRACT: return float_subtract(fp, size, v[0], v[1]);
	case MULTIPLY: return float_multiply(fp, size, v[0], v[1]);
	case DIVIDE: return float_divide(fp, size, v[0], v[1]);
	case ROOT: return float_root(fp, size, v[0]);
	default: return float_multiply_add(fp, size, v[2], v[0], v[1]);
	}
}

static uint32_t host_flags(void)
{
	return (fetestexcept(FE_INVALID) ? FPSR_IOC : 0) |
	       (fetestexcept(FE_DIVBYZERO) ? FPSR_DZC : 0) |
	       (fetestexcept(FE_OVERFLOW) ? FPSR_OFC : 0) |
	       (fetestexcept(FE_INEXACT) ? FPSR_IXC : 0);
}

Test(float, arithmetic_is_the_hosts)
{
	static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

	state = 1;
	for (unsigned int n = 0; n < ROUNDS; n++) {
		const enum float_size size = draw() & 1 ? FLOAT_DOUBLE : FLOAT_SINGLE;
		const enum operation how = (enum operation)(draw() % OPERATIONS);
		const unsigned int mode = draw() % 4;
		const uint64_t v[3] = {number(size), number(size), number(size)};
		struct float_state fp = {.fpcr = mode << FPCR_RMODE_SHIFT};
		uint64_t want, got = ours(how, size, v, &fp);
		uint32_t flags;

		fesetround(modes[mode]);
		want = host(how, size, v);
		flags = host_flags();
		fesetround(FE_TONEAREST);
		if (flags & FPSR_IOC) /* a default NaN, whose sign depends on the processor */
			want = size == FLOAT_DOUBLE ? UINT64_C(0x7ff8000000000000) : 0x7fc00000;
		cr_assert_eq(got, want, "%s of %#lx, %#lx, %#lx, RMode %u: %#lx, not %#lx",
			     names[how], v[0], v[1], v[2], mode, got, want);
		cr_assert_eq(fp.fpsr & ~FPSR_UFC, flags,
			     "%s of %#lx, %#lx, %#lx: FPSR %#x, not %#x", names[how], v[0], v[1],
			     v[2], fp.fpsr, flags);
	}
}

/* Tininess is detected before rounding (Arm ARM, A1.5.5); the host may detect it after. */
Test(float, underflow_is_before_rounding)
{
	struct float_state fp = {0};

	/* The largest denormal and a half of its last bit: rounds to the least normal number. */
	cr_expect_eq(float_multiply(&fp, FLOAT_SINGLE, 0x3f7fffff, 0x00800000), 0x00800000);
	cr_expect_eq(fp.fpsr, FPSR_UFC | FPSR_IXC);
	fp = (struct float_state){.fpcr = FPCR_FZ};
	cr_expect_eq(float_multiply(&fp, FLOAT_SINGLE, 0x3f7fffff, 0x00800000), 0);
	cr_expect_eq(fp.fpsr, FPSR_UFC, "flushed: not inexact");
	fp.fpsr = 0;
	cr_expect_eq(float_add(&fp, FLOAT_SINGLE, 0x00000001, 0x3f800000), 0x3f800000);
	cr_expect_eq(fp.fpsr, FPSR_IDC, "a flushed operand");
}

/* FPProcessNaNs(): signalling first, then the first; FPCR.DN. */
Test(float, nans)
{
	const uint64_t quiet = 0x7fc00001, other = 0xffc00002, signalling = 0x7f800003;
	struct float_state fp = {0};

	cr_expect_eq(float_add(&fp, FLOAT_SINGLE, quiet, other), quiet);
	cr_expect_eq(float_add(&fp, FLOAT_SINGLE, other, quiet), other);
	cr_expect_eq(fp.fpsr, 0);
	cr_expect_eq(float_add(&fp, FLOAT_SINGLE, quiet, signalling), 0x7fc00003);
	cr_expect_eq(fp.fpsr, FPSR_IOC);
	cr_expect_eq(float_multiply_add(&fp, FLOAT_SINGLE, quiet, 0x7f800000, 0), 0x7fc00000,
		     "infinity times zero is invalid beside a quiet NaN too");
	cr_expect_eq(float_max_number(&fp, FLOAT_SINGLE, quiet, 0x3f800000), 0x3f800000);
	cr_expect_eq(float_max(&fp, FLOAT_SINGLE, quiet, 0x3f800000), quiet);
	fp.fpcr = FPCR_DN;
	cr_expect_eq(float_add(&fp, FLOAT_SINGLE, other, quiet), 0x7fc00000);
}

/* The alternative half-precision format has no infinities and no NaNs. */
Test(float, alternative_half_precision)
{
	struct float_state fp = {.fpcr = FPCR_AHP};

	cr_expect_eq(float_convert(&fp, FLOAT_HALF, FLOAT_SINGLE, 0x7c00, FLOAT_NEAREST),
		     0x47800000);
	cr_expect_eq(float_convert(&fp, FLOAT_SINGLE, FLOAT_HALF, 0x47800000, FLOAT_NEAREST),
		     0x7c00);
	cr_expect_eq(fp.fpsr, 0);
	cr_expect_eq(float_convert(&fp, FLOAT_SINGLE, FLOAT_HALF, 0xff800000, FLOAT_NEAREST),
		     0xffff);
	cr_expect_eq(fp.fpsr, FPSR_IOC);
}

Test(float, to_integers)
{
	struct float_state fp = {0};

	cr_expect_eq(float_to_fixed(&fp, FLOAT_DOUBLE, of_double(-2.5), 32, 0, true, FLOAT_NEAREST),
		     UINT32_C(0xfffffffe));
	cr_expect_eq(fp.fpsr, FPSR_IXC);
	fp.fpsr = 0;
	cr_expect_eq(float_to_fixed(&fp, FLOAT_DOUBLE, of_double(-1), 64, 0, false, FLOAT_TO_ZERO),
		     0);
	cr_expect_eq(
		float_to_fixed(&fp, FLOAT_DOUBLE, of_double(1e300), 32, 0, true, FLOAT_TO_ZERO),
		0x7fffffff);
	cr_expect_eq(fp.fpsr, FPSR_IOC);
	cr_expect_eq(float_from_fixed(&fp, FLOAT_SINGLE, 3, 1, true), of_float(1.5f));
}

static const struct {
	uint64_t bits;
	uint32_t fpcr, value, fpsr;
	bool exact;
} conversions[] = {
	{0x3ff0000000000000, 0, 1, 0, true},
	{0xbff0000000000000, 0, 0xffffffff, 0, true},
	{0, 0, 0, 0, true},
	{0x8000000000000000, 0, 0, 0, false},
	{0x3ff8000000000000, 0, 1, FPSR_IXC, false},	      /* 1.5 */
	{0xbfe0000000000000, 0, 0, FPSR_IXC, false},	      /* -0.5 */
	{0xc1e0000000000000, 0, 0x80000000, 0, true},	      /* -2^31 */
	{0x41e0000000000000, 0, 0x80000000, FPSR_IOC, false}, /* 2^31 */
	{0x41f0000000100000, 0, 1, FPSR_IOC, false},	      /* 2^32 + 1 */
	{0xc1f0000000100000, 0, 0xffffffff, FPSR_IOC, false},
	{0x4330000000000001, 0, 1, FPSR_IOC, false},	      /* 2^52 + 1 */
	{0x4520000000000001, 0, 0x80000000, FPSR_IOC, false}, /* 2^83 + 2^31 */
	{0x4530000000000001, 0, 0, FPSR_IOC, false},	      /* 2^84 + 2^32 */
	{0x7ff0000000000000, 0, 0, FPSR_IOC, false},
	{0x7ff8000000000000, 0, 0, FPSR_IOC, false},
	{1, 0, 0, FPSR_IXC, false},
	{1, FPCR_FZ, 0, FPSR_IDC, false},
};

Test(float, to_javascript)
{
	for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
		struct float_state fp = {.fpcr = conversions[i].fpcr};
		bool exact = !conversions[i].exact;

		cr_expect_eq(float_to_javascript(&fp, conversions[i].bits, &exact),
			     conversions[i].value, "%zu", i);
		cr_expect_eq(fp.fpsr, conversions[i].fpsr, "%zu: FPSR 0x%x", i, fp.fpsr);
		cr_expect_eq(exact, conversions[i].exact, "%zu", i);
	}
}

Test(float, to_integral_of_a_width)
{
	struct float_state fp = {0};

	cr_expect_eq(float_round_to_width(&fp, FLOAT_SINGLE, 0x3fc00000, FLOAT_NEAREST, 32),
		     0x40000000);
	cr_expect_eq(fp.fpsr, FPSR_IXC);
	fp.fpsr = 0;
	cr_expect_eq(float_round_to_width(&fp, FLOAT_SINGLE, 0xcf000000, FLOAT_TO_ZERO, 32),
		     0xcf000000);
	cr_expect_eq(fp.fpsr, 0, "-2^31 is one");
	cr_expect_eq(float_round_to_width(&fp, FLOAT_SINGLE, 0x4f000000, FLOAT_TO_ZERO, 32),
		     0xcf000000);
	cr_expect_eq(fp.fpsr, FPSR_IOC, "2^31 is none");
	fp.fpsr = 0;
	cr_expect_eq(float_round_to_width(&fp, FLOAT_DOUBLE, 0x41dfffffffe00000, FLOAT_NEAREST, 32),
		     0xc1e0000000000000);
	cr_expect_eq(fp.fpsr, FPSR_IOC, "nor is what rounds to it");
	cr_expect_eq(float_round_to_width(&fp, FLOAT_DOUBLE, 0x7ff8000000000000, FLOAT_NEAREST, 64),
		     0xc3e0000000000000);
}

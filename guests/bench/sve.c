/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE as programs use it: a times x plus y, a sum, a copy, and the length of a string by
 * first-fault loads. Vectors have 256 bits, or what the machine has less; the checksum is the same
 * for any length.
 */
#include <arm_sve.h>

#include "arch.h"
#include "bench.h"
#include "console.h"

#define FLOATS 1024
#define BYTES  (4 * FLOATS)

static void saxpy(float *y, const float *x, float a)
{
	for (uint64_t i = 0; i < FLOATS; i += svcntw()) {
		const svbool_t in = svwhilelt_b32(i, (uint64_t)FLOATS);

		svst1(in, y + i, svmla_x(in, svld1(in, y + i), svld1(in, x + i), a));
	}
}

static uint64_t sum(const uint32_t *words)
{
	svuint32_t sums = svdup_u32(0);

	for (uint64_t i = 0; i < FLOATS; i += svcntw()) {
		const svbool_t in = svwhilelt_b32(i, (uint64_t)FLOATS);

		sums = svadd_m(in, sums, svld1(in, words + i));
	}
	return (uint32_t)svaddv(svptrue_b32(), sums);
}

static void copy(uint8_t *to, const uint8_t *from)
{
	for (uint64_t i = 0; i < BYTES; i += svcntb()) {
		const svbool_t in = svwhilelt_b8(i, (uint64_t)BYTES);

		svst1(in, to + i, svld1(in, from + i));
	}
}

static uint64_t length(const uint8_t *string)
{
	for (uint64_t n = 0;;) {
		svsetffr();
		const svuint8_t bytes = svldff1(svptrue_b8(), string + n);
		const svbool_t read = svrdffr();
		const svbool_t end = svcmpeq(read, bytes, 0);

		if (svptest_any(read, end))
			return n + svcntp_b8(read, svbrkb_z(read, end));
		n += svcntp_b8(svptrue_b8(), read);
	}
}

static uint64_t run_sve(void *data, uint64_t iterations)
{
	float *x = data, *y = x + FLOATS;
	uint8_t *string = (uint8_t *)(y + FLOATS), *copied = string + BYTES;
	uint64_t checksum = 0;

	if (field(read_sysreg(id_aa64pfr0_el1), 35, 32) == 0)
		panic("bench/sve needs FEAT_SVE, and ID_AA64PFR0_EL1.SVE is 0");
	write_sysreg(cpacr_el1, UINT64_C(3) << 20 | UINT64_C(3) << 16);
	isb();
	write_sysreg(S3_0_C1_C2_0, 1); /* ZCR_EL1.LEN: 256 bits */
	isb();
	for (unsigned int i = 0; i < FLOATS; i++) {
		x[i] = (float)i / 3;
		y[i] = (float)i / 7;
	}
	for (unsigned int i = 0; i < BYTES - 1; i++)
		string[i] = (uint8_t)('a' + i % 26);
	string[BYTES - 1] = 0;
	for (uint64_t i = 0; i < iterations; i++) {
		saxpy(y, x, i & 1 ? -0.5f : 0.5f);
		copy(copied, string);
		checksum = checksum * 31 + sum((const uint32_t *)y) + length(copied);
	}
	return checksum;
}

const struct bench bench = {.pages = 4, .iterations = 50000, .run = run_sve};

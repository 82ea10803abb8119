/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernels MOST: each kernel gives the same result as plain C, in each vector length up to MOST
 * bits, with SVE's intrinsics and as the compiler vectorises it. Prints a line for each kernel; the
 * results are the same on every machine.
 */
#include <arm_sve.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "../../splitmix.h"
#include "kernels.h"

uint64_t sve_saxpy(struct data *data)
{
	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svfloat32_t y = svld1_f32(pg, &data->y[i]);

		svst1_f32(pg, &data->y[i], svmla_n_f32_x(pg, y, svld1_f32(pg, &data->x[i]), 1.7F));
	}
	return 0;
}

/* With loads that may reach over the end: FFR says what was read. */
uint64_t sve_length(struct data *data)
{
	const svbool_t all = svptrue_b8();
	uint64_t n = 0;

	for (;;) {
		svbool_t there, zero;
		svuint8_t text;

		svsetffr();
		text = svldff1_u8(all, (const uint8_t *)&data->text[n]);
		there = svrdffr();
		zero = svcmpeq_n_u8(there, text, 0);
		if (svptest_any(all, zero))
			return n + svcntp_b8(all, svbrkb_b_z(there, zero));
		n += svcntp_b8(all, there);
	}
}

uint64_t sve_total(struct data *data)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);

		sum += (uint64_t)svaddv_s32(pg, svld1_s32(pg, &data->a[i]));
	}
	return sum;
}

uint64_t sve_ordered(struct data *data)
{
	double sum = 0;
	uint64_t bits;

	for (uint64_t i = 0; i < COUNT; i += svcntd()) {
		const svbool_t pg = svwhilelt_b64_u64(i, COUNT);

		sum = svadda_f64(pg, sum, svld1_f64(pg, &data->d[i]));
	}
	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

uint64_t sve_largest(struct data *data)
{
	svint32_t most = svdup_n_s32(data->a[0]), least = most;

	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svint32_t a = svld1_s32(pg, &data->a[i]);

		most = svmax_s32_m(pg, most, a);
		least = svmin_s32_m(pg, least, a);
	}
	return (uint64_t)(uint32_t)svmaxv_s32(svptrue_b32(), most) << 32 |
	       (uint32_t)svminv_s32(svptrue_b32(), least);
}

uint64_t sve_gathered(struct data *data)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svuint32_t index = svld1_u32(pg, &data->index[i]);

		sum += svaddv_u32(pg, svld1_gather_u32index_u32(pg, (uint32_t *)data->a, index));
	}
	return sum;
}

uint64_t sve_scatter(struct data *data)
{
	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svuint32_t index = svld1_u32(pg, &data->index[i]);

		svst1_scatter_u32index_s32(pg, data->b, index, svld1_s32(pg, &data->a[i]));
	}
	return 0;
}

uint64_t sve_compact(struct data *data)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svint32_t a = svld1_s32(pg, &data->a[i]);
		const svbool_t more = svcmpgt_s32(pg, a, svld1_s32(pg, &data->b[i]));
		const uint64_t count = svcntp_b32(pg, more);

		svst1_u32(svwhilelt_b32_u64(0, count), &data->index[n],
			  svcompact_u32(more, svreinterpret_u32_s32(a)));
		n += count;
	}
	return n;
}

uint64_t sve_dot(struct data *data)
{
	svuint32_t sums = svdup_n_u32(0);

	for (uint64_t i = 0; i < sizeof(data->bytes); i += svcntb()) {
		const svbool_t pg = svwhilelt_b8_u64(i, sizeof(data->bytes));

		sums = svdot_u32(sums, svld1_u8(pg, &data->bytes[i]),
				 svld1_u8(pg, &data->others[i]));
	}
	return (uint32_t)svaddv_u32(svptrue_b32(), sums);
}

uint64_t sve_divide(struct data *data)
{
	for (uint64_t i = 0; i < COUNT; i += svcntd()) {
		const svbool_t pg = svwhilelt_b64_u64(i, COUNT);
		const svfloat32_t x =
			svreinterpret_f32_u64(svld1uw_u64(pg, (const uint32_t *)&data->x[i]));
		const svfloat64_t below = svadd_n_f64_x(pg, svcvt_f64_f32_x(pg, x), 1.0);
		const svfloat64_t above = svsqrt_f64_x(pg, svld1_f64(pg, &data->d[i]));

		svst1_f64(pg, &data->d[i], svdiv_f64_x(pg, above, below));
	}
	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svint32_t b = svld1_s32(pg, &data->b[i]);

		svst1_s32(pg, &data->a[i], svdiv_s32_x(pg, svld1_s32(pg, &data->a[i]), b));
	}
	return 0;
}

uint64_t sve_select(struct data *data)
{
	for (uint64_t i = 0; i < COUNT; i += svcntw()) {
		const svbool_t pg = svwhilelt_b32_u64(i, COUNT);
		const svfloat32_t x = svld1_f32(pg, &data->x[i]), y = svld1_f32(pg, &data->y[i]);

		svst1_f32(pg, &data->y[i], svsel_f32(svcmpgt_f32(pg, x, y), x, y));
	}
	return 0;
}

uint64_t sve_reverse(struct data *data)
{
	const svbool_t all = svptrue_b64();
	uint64_t low = 0, high = COUNT;

	for (; high - low >= 2 * svcntd(); low += svcntd(), high -= svcntd()) {
		uint64_t *const last = &data->wide[high - svcntd()];
		const svuint64_t a = svld1_u64(all, &data->wide[low]), b = svld1_u64(all, last);

		svst1_u64(all, &data->wide[low], svrev_u64(b));
		svst1_u64(all, last, svrev_u64(a));
	}
	for (; low + 1 < high; low++, high--) {
		const uint64_t kept = data->wide[low];

		data->wide[low] = data->wide[high - 1];
		data->wide[high - 1] = kept;
	}
	return 0;
}

uint64_t sve_widen(struct data *data)
{
	for (uint64_t i = 0; i < COUNT; i += svcntd()) {
		const svbool_t pg = svwhilelt_b64_u64(i, COUNT);
		const svuint64_t high = svld1ub_u64(pg, &data->bytes[i]),
				 low = svld1ub_u64(pg, &data->others[i]),
				 sum = svorr_u64_x(pg, svlsl_n_u64_x(pg, high, 8), low);

		svst1_u64(pg, &data->wide[i], svadd_u64_x(pg, svld1_u64(pg, &data->wide[i]), sum));
	}
	return 0;
}

uint64_t sve_bits(struct data *data)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < COUNT; i += svcntd()) {
		const svbool_t pg = svwhilelt_b64_u64(i, COUNT);
		const svuint64_t wide = svld1_u64(pg, &data->wide[i]);

		count += svaddv_u64(pg, svcnt_u64_x(pg, wide));
	}
	return count;
}

/* Floats are from 0 to 1, and all sums of doubles are rounded. */
static void fill(struct data *data, uint64_t seed)
{
	uint8_t *bytes = (uint8_t *)data;

	for (size_t i = 0; i < sizeof(*data); i++)
		bytes[i] = (uint8_t)splitmix64(&seed);
	for (size_t i = 0; i < COUNT; i++) {
		data->x[i] = (float)(splitmix64(&seed) >> 40) * 0x1p-24F;
		data->y[i] = (float)(splitmix64(&seed) >> 40) * 0x1p-24F;
		data->d[i] = (double)(splitmix64(&seed) >> 11) * 0x1p-40;
		data->index[i] = (uint32_t)i;
	}
	for (size_t i = COUNT - 1; i > 0; i--) {
		const size_t other = splitmix64(&seed) % (i + 1);
		const uint32_t kept = data->index[i];

		data->index[i] = data->index[other];
		data->index[other] = kept;
	}
	for (size_t i = 0; i < sizeof(data->text); i++)
		data->text[i] |= i % 64 ? 1 : 2;
	data->text[sizeof(data->text) - 1 - splitmix64(&seed) % 300] = 0;
}

static uint64_t hash(uint64_t result, const struct data *data)
{
	const uint8_t *bytes = (const uint8_t *)data;
	uint64_t sum = result;

	for (size_t i = 0; i < sizeof(*data); i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t result(kernel *run, uint64_t seed)
{
	static struct data data;

	fill(&data, seed);
	return hash(run(&data), &data);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		kernel *sve, *plain, *made;
	} kernels[] = {
#define KERNEL(name) {#name, sve_##name, plain_##name, made_##name},
		KERNELS
#undef KERNEL
	};
	const int most = argc == 2 ? atoi(argv[1]) : 128;
	bool failed = false;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		const uint64_t right = result(kernels[i].plain, i);

		printf("%s %016lx\n", kernels[i].name, right);
		for (int vl = 16; vl <= most / 8; vl *= 2) {
			bool same;

			if ((prctl(PR_SVE_SET_VL, vl) & PR_SVE_VL_LEN_MASK) != vl)
				return 2;
			same = result(kernels[i].sve, i) == right &&
			       result(kernels[i].made, i) == right;
			if (!same)
				printf("not ok - %s with %d bits\n", kernels[i].name, 8 * vl);
			failed |= !same;
		}
	}
	return failed;
}

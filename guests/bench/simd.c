/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advanced SIMD on integers: a search for a byte, sums of differences, and a mixer of words.
 */
#include <arm_neon.h>

#include "arch.h"
#include "bench.h"

#define BYTES 4096

static uint64_t count_bytes(const uint8_t *data, uint8_t wanted)
{
	const uint8x16_t pattern = vdupq_n_u8(wanted);
	uint64_t count = 0;

	for (unsigned int i = 0; i < BYTES; i += 16) {
		const uint8x16_t equal = vceqq_u8(vld1q_u8(data + i), pattern);

		count += vaddvq_u8(vandq_u8(equal, vdupq_n_u8(1)));
	}
	return count;
}

static uint64_t difference(const uint8_t *a, const uint8_t *b)
{
	uint32x4_t sum = vdupq_n_u32(0);

	for (unsigned int i = 0; i < BYTES; i += 16) {
		const uint8x16_t apart = vabdq_u8(vld1q_u8(a + i), vld1q_u8(b + i));

		sum = vpadalq_u16(sum, vpaddlq_u8(apart));
	}
	return vaddvq_u32(sum);
}

static void mix(uint32_t *data, uint32x4_t *state)
{
	uint32x4_t x = *state;

	for (unsigned int i = 0; i < BYTES / 4; i += 4) {
		x = veorq_u32(x, vshlq_n_u32(x, 13));
		x = veorq_u32(x, vshrq_n_u32(x, 17));
		x = veorq_u32(x, vshlq_n_u32(x, 5));
		vst1q_u32(data + i, vmlaq_u32(vld1q_u32(data + i), x, vextq_u32(x, x, 1)));
	}
	*state = x;
}

static uint64_t run_simd(void *data, uint64_t iterations)
{
	uint8_t *bytes = data;
	uint32x4_t state = {1, 2, 3, 4};
	uint64_t sum = 0;

	write_sysreg(cpacr_el1, UINT64_C(3) << 20);
	isb();
	for (uint64_t i = 0; i < iterations; i++) {
		mix((uint32_t *)data, &state);
		sum += count_bytes(bytes, (uint8_t)i);
		sum = sum * 31 + difference(bytes, bytes + BYTES);
	}
	return sum;
}

const struct bench bench = {.pages = 2, .iterations = 63000, .run = run_simd};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares and intervals: see report_share.h. */
#include "trace/report_share.h"

#define Z_SQUARED 38416u /* 1.96 x 1.96 in units of 1/10000 */

/* Scale both down so far that products fit in 64 bits: at 2^31 samples an interval has no width. */
static void scale(uint64_t *count, uint64_t *total)
{
	while (*total >> 31) {
		*count >>= 1;
		*total >>= 1;
	}
}

uint64_t report_share(uint64_t count, uint64_t total)
{
	scale(&count, &total);
	return total ? (count * REPORT_WHOLE + total / 2) / total : 0;
}

/* The largest number whose square does not exceed x. */
static uint64_t root(uint64_t x)
{
	uint64_t result = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((result + bit) * (result + bit) <= x)
			result += bit;
	return result;
}

/*
 * With z2 for z squared, the ends are (k + z2/2 -+ sqrt(z2 k (n-k) / n + z2 z2 / 4)) / (n + z2).
 * Numerator and denominator are 10000 times that.
 */
void report_interval(uint64_t count, uint64_t total, uint64_t *low, uint64_t *high)
{
	uint64_t middle, under, half, product;

	scale(&count, &total);
	*low = 0;
	*high = REPORT_WHOLE;
	if (!total)
		return;
	product = count * (total - count);
	under = UINT64_C(10000) * Z_SQUARED * (product / total) +
		UINT64_C(10000) * Z_SQUARED * (product % total) / total +
		(uint64_t)Z_SQUARED * Z_SQUARED / 4;
	half = root(under);
	half += half * half < under;
	middle = 10000 * count + Z_SQUARED / 2;
	total = 10000 * total + Z_SQUARED;
	if (middle > half)
		*low = (middle - half) * REPORT_WHOLE / total;
	*high = ((middle + half) * REPORT_WHOLE + total - 1) / total;
	if (*high > REPORT_WHOLE)
		*high = REPORT_WHOLE;
}

uint64_t report_mean(uint64_t sum, uint64_t count)
{
	return sum / count * 100 + (sum % count * 100 + count / 2) / count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels in plain C. Compiled twice: to FORM plain without SVE, and to FORM made with it. */
#include <math.h>
#include <string.h>
#include "kernels.h"

#define PASTE(a, b)    a##_##b
#define NAME(form, of) PASTE(form, of)
#define DEFINE(of)     uint64_t NAME(FORM, of)(struct data *restrict data)

DEFINE(saxpy)
{
	for (size_t i = 0; i < COUNT; i++)
		data->y[i] = fmaf(data->x[i], 1.7F, data->y[i]);
	return 0;
}

DEFINE(length)
{
	size_t n = 0;

	while (data->text[n])
		n++;
	return n;
}

DEFINE(total)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += (uint64_t)(int64_t)data->a[i];
	return sum;
}

DEFINE(ordered)
{
	double sum = 0;
	uint64_t bits;

	for (size_t i = 0; i < COUNT; i++)
		sum += data->d[i];
	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

DEFINE(largest)
{
	int32_t most = data->a[0], least = data->a[0];

	for (size_t i = 0; i < COUNT; i++) {
		most = data->a[i] > most ? data->a[i] : most;
		least = data->a[i] < least ? data->a[i] : least;
	}
	return (uint64_t)(uint32_t)most << 32 | (uint32_t)least;
}

DEFINE(gathered)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += (uint32_t)data->a[data->index[i]];
	return sum;
}

/* The index has no two equal ones. */
DEFINE(scatter)
{
	for (size_t i = 0; i < COUNT; i++)
		data->b[data->index[i]] = data->a[i];
	return 0;
}

DEFINE(compact)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++)
		if (data->a[i] > data->b[i])
			data->index[n++] = (uint32_t)data->a[i];
	return n;
}

DEFINE(dot)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < 4 * (size_t)COUNT; i++)
		sum += (uint32_t)data->bytes[i] * data->others[i];
	return sum;
}

DEFINE(divide)
{
	for (size_t i = 0; i < COUNT; i++) {
		data->d[i] = sqrt(data->d[i]) / (1.0 + data->x[i]);
		data->a[i] = data->b[i] ? (int32_t)((int64_t)data->a[i] / data->b[i]) : 0;
	}
	return 0;
}

DEFINE(select)
{
	for (size_t i = 0; i < COUNT; i++)
		if (data->x[i] > data->y[i])
			data->y[i] = data->x[i];
	return 0;
}

DEFINE(reverse)
{
	for (size_t i = 0; i < COUNT / 2; i++) {
		const uint64_t kept = data->wide[i];

		data->wide[i] = data->wide[COUNT - 1 - i];
		data->wide[COUNT - 1 - i] = kept;
	}
	return 0;
}

DEFINE(widen)
{
	for (size_t i = 0; i < COUNT; i++)
		data->wide[i] += (uint64_t)data->bytes[i] << 8 | data->others[i];
	return 0;
}

DEFINE(bits)
{
	uint64_t count = 0;

	for (size_t i = 0; i < COUNT; i++)
		count += (uint64_t)__builtin_popcountll(data->wide[i]);
	return count;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of the program kernels, each with SVE's instructions (kernels.c), in plain C, and in
 * plain C of which the compiler makes SVE (plain.c). Their results are the same in each length.
 */
#ifndef TESTS_LINUX_SVE_KERNELS_H
#define TESTS_LINUX_SVE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define COUNT 1003 /* no multiple of any vector */

struct data {
	float x[COUNT], y[COUNT];
	double d[COUNT];
	int32_t a[COUNT], b[COUNT];
	uint32_t index[COUNT]; /* each below COUNT */
	uint8_t bytes[4 * COUNT], others[4 * COUNT];
	char text[4 * COUNT];
	uint64_t wide[COUNT];
};

/* KERNEL(name): takes the data, changes it or not, and returns what it has found. */
#define KERNELS          \
	KERNEL(saxpy)    \
	KERNEL(length)   \
	KERNEL(total)    \
	KERNEL(ordered)  \
	KERNEL(largest)  \
	KERNEL(gathered) \
	KERNEL(scatter)  \
	KERNEL(compact)  \
	KERNEL(dot)      \
	KERNEL(divide)   \
	KERNEL(select)   \
	KERNEL(reverse)  \
	KERNEL(widen)    \
	KERNEL(bits)

typedef uint64_t kernel(struct data *data);

#define KERNEL(name) kernel sve_##name, plain_##name, made_##name;
KERNELS
#undef KERNEL

#endif

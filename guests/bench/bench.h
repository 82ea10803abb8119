/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a benchmark kernel gives to main.c.
 */
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

#include <stddef.h>
#include <stdint.h>

struct bench {
	size_t pages;	     /* of data, mapped with VA != PA */
	uint64_t iterations; /* by default: about 5 x 10^8 instructions */
	uint64_t (*run)(void *data, uint64_t iterations); /* its checksum */
};

extern const struct bench bench;

#endif

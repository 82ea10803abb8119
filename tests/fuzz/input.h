/* SPDX-License-Identifier: BSD-2-Clause */
/* What the targets share: the bytes of an input as numbers, and as a file. Header only. */
#ifndef VSPE_TESTS_FUZZ_INPUT_H
#define VSPE_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct input {
	const uint8_t *at, *end;
};

/* The next bytes, up to 8, the first of them at the top; after the end all are 0. */
static inline uint64_t input_number(struct input *in, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | (in->at < in->end ? *in->at++ : 0);
	return value;
}

static inline size_t input_left(const struct input *in)
{
	return (size_t)(in->end - in->at);
}

/* A target's condition, which must hold. */
#define require(condition)                                                              \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

#endif

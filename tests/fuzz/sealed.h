/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine of any bytes, from a file or a peer. Checksums are made right first, so the bytes after
 * them are reached.
 */
#ifndef VSPE_TEST_SEALED_H
#define VSPE_TEST_SEALED_H

#include "../state/seal.h"
#include "../state/try.h"

#define RAM_MOST (UINT64_C(16) << 20)

static inline void sealed_machine(const uint8_t *bytes, size_t size, bool moved)
{
	uint8_t *image = malloc(size + 1);

	try_require(image != NULL);
	memcpy(image, bytes, size);
	seal(image, size);
	(void)try_machine(image, size, RAM_MOST, moved);
	free(image);
}

#endif

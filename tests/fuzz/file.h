/* SPDX-License-Identifier: BSD-2-Clause */
/* For what reads files by their path: one in memory. Include it first, for memfd_create(). */
#ifndef VSPE_TESTS_FUZZ_FILE_H
#define VSPE_TESTS_FUZZ_FILE_H

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input.h"

/* The path of a file that has these bytes until the next call. */
static inline const char *file_of(const uint8_t *bytes, size_t size)
{
	static char path[32];
	static int file = -1;

	if (file < 0) {
		file = memfd_create("fuzz", MFD_CLOEXEC);
		require(file >= 0);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	require(ftruncate(file, (off_t)size) == 0);
	require(pwrite(file, bytes, size, 0) == (ssize_t)size);
	return path;
}

#endif

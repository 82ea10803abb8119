/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory for the guests' readers of firmware tables. Each mapping is a separate allocation
 * of the requested size, so a sanitizer sees reads after its end. Where there is no memory it has
 * zeros.
 */
#ifndef VSPE_TESTS_GUEST_MEMORY_H
#define VSPE_TESTS_GUEST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/platform.h"

extern const uint8_t *guest_memory;
extern uint64_t guest_memory_pa;
extern size_t guest_memory_size;

/* Free the present mappings. */
void guest_memory_free(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory for what the guests read of the firmware. Each mapping is memory of its own, of
 * the size that was asked for, so that a sanitizer sees what is read behind it; where there is no
 * memory it has zeros.
 */
#ifndef VSPE_TESTS_GUEST_MEMORY_H
#define VSPE_TESTS_GUEST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/platform.h"

extern const uint8_t *guest_memory;
extern uint64_t guest_memory_pa;
extern size_t guest_memory_size;

/* The mappings that there are. */
void guest_memory_free(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people write them. All numbers on the command line are read here. */
#ifndef VSPE_BASE_NUMBER_H
#define VSPE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Read a number from 0 to max, with nothing around it: 4096, 0x1000, 0b101; 3e6, which is 3000000.
 * A leading 0 has no meaning. False for anything else, with *value undefined.
 */
bool number_read(const char *text, uint64_t max, uint64_t *value);
/* The same for bytes and addresses, which may also be 4K, 4M or 4G: powers of 1024. */
bool number_read_bytes(const char *text, uint64_t max, uint64_t *value);

#endif

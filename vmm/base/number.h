/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people write them: the one reader of those on a command line. */
#ifndef VSPE_BASE_NUMBER_H
#define VSPE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number from 0 to max, and nothing around it: 4096, 0x1000, 0b101; 3e6, which is 3000000. A
 * leading 0 means nothing. false for anything else, and *value is undefined.
 */
bool number_read(const char *text, uint64_t max, uint64_t *value);
/* The same of bytes, and of addresses, which may be 4K, 4M or 4G too: of 1024 and its powers. */
bool number_read_bytes(const char *text, uint64_t max, uint64_t *value);

#endif

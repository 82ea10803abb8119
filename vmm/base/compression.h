/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed files, which users pass by mistake. */
#ifndef VSPE_BASE_COMPRESSION_H
#define VSPE_BASE_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

/* The compressor of a file that begins with these bytes: "gzip", static storage; or NULL. */
const char *compression_name(const uint8_t *bytes, size_t size);

#endif

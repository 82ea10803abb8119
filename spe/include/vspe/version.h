/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The version of libvspe, which is that of the project. Part of vspe/spe.h. Before 1.0 each minor
 * version has another binary interface; CHANGELOG.md says how to move.
 */
#ifndef VSPE_VERSION_H
#define VSPE_VERSION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSPE_VERSION_MAJOR 0
#define VSPE_VERSION_MINOR 9
#define VSPE_VERSION_PATCH 0

/* The three in one number, to be compared: 8 bits each, the patch lowest. */
#define VSPE_VERSION (VSPE_VERSION_MAJOR << 16 | VSPE_VERSION_MINOR << 8 | VSPE_VERSION_PATCH)

#pragma GCC visibility push(default)

/* VSPE_VERSION of the library that is there when the program runs. */
uint32_t vspe_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

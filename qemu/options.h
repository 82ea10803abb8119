/* SPDX-License-Identifier: BSD-2-Clause */
/* The words after -plugin libvspe-qemu.so. */
#ifndef VSPE_QEMU_OPTIONS_H
#define VSPE_QEMU_OPTIONS_H

#include <stddef.h>

/*
 * Read the words, as QEMU gives them, into plugin. 0; or -1 and a line in why that begins with the
 * word that is wrong.
 */
int options_read(int count, char **words, char *why, size_t size);

#endif

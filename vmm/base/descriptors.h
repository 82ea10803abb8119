/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that the process was started with: what nobody named is closed. */
#ifndef VSPE_BASE_DESCRIPTORS_H
#define VSPE_BASE_DESCRIPTORS_H

/*
 * Before any file is opened: close all but 0 to 2 and those that a word names as /dev/fd/N,
 * /proc/self/fd/N or the like, 32 at most. The kernel's refusal is kept for descriptors_error().
 */
void descriptors_close(int count, char *const *words);

/* When all files are open: close those too, as what was opened by their names is another one. */
void descriptors_close_named(void);

/* What descriptors_close() failed with, a negative errno, or 0. */
int descriptors_error(void);

#endif

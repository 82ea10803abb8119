/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that the process inherited. Those that no word names are closed. */
#ifndef VSPE_BASE_DESCRIPTORS_H
#define VSPE_BASE_DESCRIPTORS_H

/*
 * Call this before any file is opened. Closes all but 0 to 2 and those that a word names as
 * /dev/fd/N, /proc/self/fd/N or the like, 32 at most. If the kernel refuses, descriptors_error()
 * says so.
 */
void descriptors_close(int count, char *const *words);

/*
 * Call this when all files are open. Closes the named ones too, because opening a name has made
 * another descriptor.
 */
void descriptors_close_named(void);

/* The error of descriptors_close(), a negative errno, or 0. */
int descriptors_error(void);

#endif

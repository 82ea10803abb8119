/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files that a user names, by libelf: nothing that they say is trusted. */
#ifndef VSPE_TRACE_ELF_FILE_H
#define VSPE_TRACE_ELF_FILE_H

#include <libelf.h>
#include <stdint.h>

/*
 * Is it a 64-bit AArch64 file whose headers, segments and sections are all inside its size bytes?
 * 0, -ENOEXEC for a damaged file or one for another machine, -ENODATA for one that is cut off.
 */
int elf_file_check(Elf *elf, uint64_t size);

/* What is wrong, for users: an error of elf_file_check(), or of a call; static storage, or
 * strerror()'s. */
const char *elf_file_strerror(int error);

#endif

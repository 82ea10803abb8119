/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files that a user names, read with libelf. Nothing in them is trusted. */
#ifndef VSPE_TRACE_ELF_FILE_H
#define VSPE_TRACE_ELF_FILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ELF_FILE_BUILD_ID   20u /* bytes, at most */
#define ELF_FILE_DEBUG_ROOT "/usr/lib/debug"
#define ELF_FILE_SEGMENTS   16u

/*
 * Is it a 64-bit AArch64 file whose headers, segments and sections are all inside its size bytes?
 * 0, -ENOEXEC for a damaged file or one for another machine, -ENODATA for a truncated one.
 */
int elf_file_check(Elf *elf, uint64_t size);

/*
 * Open a path as if the folder root were "/", also for links; -1 is the root of this machine.
 * Returns the descriptor, or a negative errno: of openat2(2), or -ENOENT for anything but a regular
 * file.
 */
int elf_file_open_any(int root, const char *path, struct stat *status);
/*
 * The same for an ELF file, in *elf, with the checks and errors of elf_file_check() too. A
 * compressed file is unpacked, with the errors of elf_unpack().
 */
int elf_file_open(int root, const char *path, Elf **elf);

/* The note that ld --build-id makes. Returns its size, or 0. */
size_t elf_file_build_id(Elf *elf, uint8_t id[ELF_FILE_BUILD_ID]);
/* The path of the debug file for a build id. False: no such id, or no room. */
bool elf_file_debug_path(const uint8_t *id, size_t id_size, char *path, size_t size);
/* The section of this name, if it has bytes in the file, or NULL. header may be NULL. */
Elf_Scn *elf_file_section(Elf *elf, const char *name, GElf_Shdr *header);
/*
 * The file that dwz put shared debug information in: its path and its build id. False: none. elf
 * owns name.
 */
bool elf_file_alt_link(Elf *elf, const char **name, uint8_t id[ELF_FILE_BUILD_ID], size_t *size);

/* The name and the checksum in .gnu_debuglink; "" if there is none. */
void elf_file_debug_link(Elf *elf, char *name, size_t size, uint32_t *crc);
/* The checksum of a whole file as .gnu_debuglink has it: CRC-32. */
uint32_t elf_file_crc(int fd);

/* Where bytes of the file are in memory. */
struct elf_file_segment {
	uint64_t offset, size, address;
	bool code;
};
/* The first ELF_FILE_SEGMENTS loaded segments. Returns how many there are. */
unsigned int elf_file_segments(Elf *elf, struct elf_file_segment segments[ELF_FILE_SEGMENTS]);

/* Read bytes of the file by their address: 0, -ENOENT if it does not have it, -EIO. */
int elf_file_bytes(Elf *elf, int fd, uint64_t address, void *bytes, size_t size);

/*
 * A message for users about an error of elf_file_check(), or of a call; static storage, or
 * strerror()'s.
 */
const char *elf_file_strerror(int error);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* What every reader of ELF files asks first: see elf_file.h. */
#include "trace/elf_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* Do size bytes at offset end behind the file? */
static bool is_cut(uint64_t offset, uint64_t size, uint64_t file)
{
	return offset > file || size > file - offset;
}

/*
 * Headers, segments and sections that the file ends before. A segment of .bss alone has no bytes in
 * it, and may be said to begin anywhere.
 */
static bool is_truncated(Elf *elf, const GElf_Ehdr *header, uint64_t file)
{
	Elf_Scn *section = NULL;
	GElf_Phdr segment;
	GElf_Shdr about;
	size_t count = 0;

	if (is_cut(header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize, file) ||
	    is_cut(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize, file))
		return true;
	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    (segment.p_filesz && is_cut(segment.p_offset, segment.p_filesz, file)))
			return true;
	while ((section = elf_nextscn(elf, section)))
		if (!gelf_getshdr(section, &about) ||
		    (about.sh_type != SHT_NOBITS && is_cut(about.sh_offset, about.sh_size, file)))
			return true;
	return false;
}

int elf_file_check(Elf *elf, uint64_t size)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return size < sizeof(Elf64_Ehdr) ? -ENODATA : -ENOEXEC;
	if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_AARCH64)
		return -ENOEXEC;
	return is_truncated(elf, &header, size) ? -ENODATA : 0;
}

const char *elf_file_strerror(int error)
{
	switch (error) {
	case -ENOEXEC: return "not an AArch64 ELF file";
	case -ENODATA: return "truncated ELF: it ends before what its headers say";
	default: return strerror(-error);
	}
}

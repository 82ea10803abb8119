/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF64 guests, by libelf: every PT_LOAD segment goes to its physical address, as in a boot loader.
 * The entry point is a virtual address, and is translated through the segment that contains it.
 */
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "machine/loader.h"

static const char *elf_machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_386: return "x86";
	case EM_X86_64: return "x86-64";
	case EM_ARM: return "32-bit Arm";
	case EM_RISCV: return "RISC-V";
	case EM_PPC64: return "PowerPC";
	case EM_S390: return "S/390";
	default: return "another architecture";
	}
}

static int elf_check_header(const struct loader_file *file, const GElf_Ehdr *header, char *why,
			    size_t size)
{
	if (header->e_machine != EM_AARCH64) {
		(void)snprintf(why, size,
			       "%s: ELF for %s (e_machine %u), not for AArch64; "
			       "aarch64-linux-gnu-gcc makes such",
			       file->name, elf_machine_name(header->e_machine), header->e_machine);
		return -1;
	}
	if (header->e_ident[EI_CLASS] != ELFCLASS64) {
		(void)snprintf(why, size, "%s: ELF of 32 bits, not ELF64", file->name);
		return -1;
	}
	if (header->e_ident[EI_DATA] != ELFDATA2LSB) {
		(void)snprintf(why, size, "%s: big-endian ELF; this machine is little-endian",
			       file->name);
		return -1;
	}
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN) {
		(void)snprintf(why, size, "%s: ELF of type %u, not an executable", file->name,
			       header->e_type);
		return -1;
	}
	return 0;
}

static int elf_place_segment(const struct engine_ram *ram, const struct loader_file *file,
			     const GElf_Phdr *segment, char *why, size_t size)
{
	uint8_t *host;

	if (segment->p_filesz > segment->p_memsz) {
		(void)snprintf(why, size,
			       "%s: damaged ELF: a segment has 0x%" PRIx64
			       " bytes in the file, 0x%" PRIx64 " in memory",
			       file->name, segment->p_filesz, segment->p_memsz);
		return -1;
	}
	if (segment->p_offset > file->size || segment->p_filesz > file->size - segment->p_offset) {
		(void)snprintf(why, size,
			       "%s: truncated ELF: %zu bytes, a segment ends at 0x%" PRIx64,
			       file->name, file->size, segment->p_offset + segment->p_filesz);
		return -1;
	}
	if (segment->p_paddr < ram->base) {
		(void)snprintf(why, size,
			       "%s: a segment of 0x%" PRIx64 " bytes at physical address 0x%" PRIx64
			       " begins below RAM, at 0x%" PRIx64 "%s",
			       file->name, segment->p_memsz, segment->p_paddr, ram->base,
			       segment->p_offset == 0 ? ": it has the ELF header in it, which the "
							"linker leaves out with -Wl,-n; a "
							"Linux program runs in vspe linux --add"
						      : "");
		return -1;
	}
	if (!loader_in_ram(ram, segment->p_paddr, segment->p_memsz)) {
		(void)snprintf(why, size,
			       "%s: does not fit: a segment of 0x%" PRIx64
			       " bytes at physical address 0x%" PRIx64 ", RAM is 0x%" PRIx64
			       " to 0x%" PRIx64 " (--mem gives more)",
			       file->name, segment->p_memsz, segment->p_paddr, ram->base,
			       ram->base + ram->size - 1);
		return -1;
	}
	host = ram->host + (segment->p_paddr - ram->base);
	memcpy(host, file->bytes + segment->p_offset, segment->p_filesz);
	memset(host + segment->p_filesz, 0, segment->p_memsz - segment->p_filesz);
	return 0;
}

static int elf_place_all(const struct engine_ram *ram, const struct loader_file *file, Elf *elf,
			 struct loader_kernel *kernel, char *why, size_t size)
{
	GElf_Ehdr header;
	size_t count = 0;
	bool entry_found = false;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count) < 0) {
		(void)snprintf(why, size, "%s: truncated or damaged ELF: %s", file->name,
			       elf_errmsg(-1));
		return -1;
	}
	if (elf_check_header(file, &header, why, size) < 0)
		return -1;
	*kernel = (struct loader_kernel){.start = UINT64_MAX};
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment)) {
			(void)snprintf(why, size, "%s: truncated ELF: no program header %zu",
				       file->name, i);
			return -1;
		}
		if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
			continue;
		if (elf_place_segment(ram, file, &segment, why, size) < 0)
			return -1;
		if (header.e_entry - segment.p_vaddr < segment.p_memsz) {
			kernel->entry = segment.p_paddr + (header.e_entry - segment.p_vaddr);
			entry_found = true;
		}
		if (segment.p_paddr < kernel->start)
			kernel->start = segment.p_paddr;
		if (segment.p_paddr + segment.p_memsz > kernel->end)
			kernel->end = segment.p_paddr + segment.p_memsz;
	}
	if (!entry_found) {
		(void)snprintf(why, size,
			       "%s: ELF whose entry 0x%" PRIx64 " is in no PT_LOAD segment",
			       file->name, header.e_entry);
		return -1;
	}
	return 0;
}

int loader_place_elf(const struct engine_ram *ram, const struct loader_file *file,
		     struct loader_kernel *kernel, char *why, size_t size)
{
	Elf *elf;
	int result;

	if (elf_version(EV_CURRENT) == EV_NONE) {
		(void)snprintf(why, size, "%s: libelf is too old", file->name);
		return -1;
	}
	elf = elf_memory((char *)file->bytes, file->size);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		(void)snprintf(why, size, "%s: truncated or damaged ELF", file->name);
		elf_end(elf);
		return -1;
	}
	result = elf_place_all(ram, file, elf, kernel, why, size);
	elf_end(elf);
	return result;
}

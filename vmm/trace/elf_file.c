/* SPDX-License-Identifier: BSD-2-Clause */
/* What every reader of ELF files needs first: see elf_file.h. */
#define _GNU_SOURCE /* syscall() */
#include "trace/elf_file.h"

#include "trace/elf_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

/* Do size bytes at offset end after the file? Without bytes the offset does not matter. */
static bool is_cut(uint64_t offset, uint64_t size, uint64_t file)
{
	if (!size)
		return false;
	return offset > file || size > file - offset;
}

/*
 * Headers, segments and sections that reach beyond the end of the file. A segment with only .bss
 * has no bytes in it, so it may begin anywhere.
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

int elf_file_open_any(int root, const char *path, struct stat *status)
{
	const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				     .resolve = root < 0 ? 0
							 : RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	const int fd =
		(int)syscall(SYS_openat2, root < 0 ? AT_FDCWD : root, path, &how, sizeof(how));

	if (fd < 0)
		return -errno;
	if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

int elf_file_open(int root, const char *path, Elf **elf)
{
	struct stat status = {0};
	int fd = elf_file_open_any(root, path, &status), unpacked, error;

	*elf = NULL;
	if (fd < 0)
		return fd;
	unpacked = elf_unpack(fd);
	if (unpacked != -ENOEXEC) {
		close(fd);
		fd = unpacked;
		if (fd >= 0 && fstat(fd, &status))
			return -errno;
	}
	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	*elf = elf_begin(fd, ELF_C_READ, NULL);
	error = *elf && elf_kind(*elf) == ELF_K_ELF ? elf_file_check(*elf, (uint64_t)status.st_size)
						    : -ENOEXEC;
	if (!error)
		return fd;
	elf_end(*elf);
	*elf = NULL;
	close(fd);
	return error;
}

size_t elf_file_build_id(Elf *elf, uint8_t id[ELF_FILE_BUILD_ID])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Nhdr note;
	size_t name, bytes;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE
					 ? elf_getdata(section, NULL)
					 : NULL;
		size_t at = 0, next;

		while (data && (next = gelf_getnote(data, at, &note, &name, &bytes)) > 0) {
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			    memcmp((uint8_t *)data->d_buf + name, "GNU", 4) == 0 && note.n_descsz &&
			    note.n_descsz <= ELF_FILE_BUILD_ID) {
				memcpy(id, (uint8_t *)data->d_buf + bytes, note.n_descsz);
				return note.n_descsz;
			}
			at = next;
		}
	}
	return 0;
}

bool elf_file_debug_path(const uint8_t *id, size_t id_size, char *path, size_t size)
{
	int used = snprintf(path, size, ELF_FILE_DEBUG_ROOT "/.build-id/");

	if (id_size < 2)
		return false;
	for (size_t i = 0; i < id_size && used < (int)size; i++)
		used += snprintf(path + used, size - (size_t)used, "%02x%s", id[i], i ? "" : "/");
	if (used < (int)size)
		used += snprintf(path + used, size - (size_t)used, ".debug");
	return used < (int)size;
}

Elf_Scn *elf_file_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *scan = NULL;
	GElf_Shdr own;
	size_t names;

	if (!header)
		header = &own;
	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scan = elf_nextscn(elf, scan))) {
		const char *name =
			gelf_getshdr(scan, header) ? elf_strptr(elf, names, header->sh_name) : NULL;

		if (name && strcmp(name, wanted) == 0 && header->sh_type != SHT_NOBITS)
			return scan;
	}
	return NULL;
}

bool elf_file_alt_link(Elf *elf, const char **name, uint8_t id[ELF_FILE_BUILD_ID], size_t *size)
{
	Elf_Scn *section = elf_file_section(elf, ".gnu_debugaltlink", NULL);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *end = data && data->d_buf ? memchr(data->d_buf, 0, data->d_size) : NULL;

	*size = 0;
	if (!section)
		return false;
	*name = end ? data->d_buf : "";
	if (end)
		*size = data->d_size - (size_t)(end + 1 - *name);
	if (*size > ELF_FILE_BUILD_ID)
		*size = 0;
	if (*size)
		memcpy(id, end + 1, *size);
	return true;
}

void elf_file_debug_link(Elf *elf, char *name, size_t size, uint32_t *crc)
{
	Elf_Scn *section = elf_file_section(elf, ".gnu_debuglink", NULL);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const size_t length = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;

	*name = '\0';
	/* The checksum is at the next multiple of four after the NUL. */
	if (!length || length >= size || data->d_size < length / 4 * 4 + 8 ||
	    memchr(data->d_buf, '/', length))
		return;
	memcpy(name, data->d_buf, length + 1);
	memcpy(crc, (uint8_t *)data->d_buf + length / 4 * 4 + 4, sizeof(*crc));
}

uint32_t elf_file_crc(int fd)
{
	uint8_t bytes[65536];
	unsigned long crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		crc = crc32(crc, bytes, (unsigned int)got);
		at += got;
	}
	return (uint32_t)crc;
}

unsigned int elf_file_segments(Elf *elf, struct elf_file_segment segments[ELF_FILE_SEGMENTS])
{
	unsigned int found = 0;
	size_t count = 0;
	GElf_Phdr segment;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && found < ELF_FILE_SEGMENTS; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			segments[found++] =
				(struct elf_file_segment){segment.p_offset, segment.p_memsz,
							  segment.p_vaddr, segment.p_flags & PF_X};
	return found;
}

int elf_file_bytes(Elf *elf, int fd, uint64_t address, void *bytes, size_t size)
{
	size_t count = 0;
	GElf_Phdr segment;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t at;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		at = address - segment.p_vaddr;
		if (at < segment.p_filesz && size <= segment.p_filesz - at)
			return pread(fd, bytes, size, (off_t)(segment.p_offset + at)) ==
					       (ssize_t)size
				       ? 0
				       : -EIO;
	}
	return -ENOENT;
}

const char *elf_file_strerror(int error)
{
	switch (error) {
	case -ENOEXEC: return "not an AArch64 ELF file";
	case -ENODATA: return "truncated ELF: it ends before what its headers say";
	default: return strerror(-error);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps and the anchor symbol of a guest's ELF file, by libelf. A user named the file, so everything
 * in it is checked.
 */
#include "trace/perf_guest.h"

#include "base/input_file.h"

#include "trace/elf_file.h"
#include "trace/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Symbols that a bare-metal image or a Linux kernel begins with, the best first. Without --vmlinux
 * perf tries the symbols of the kernel that it runs on, and gives up if those lack the anchor. So a
 * name that Linux also has (_text) comes last.
 */
static const char *const anchors[] = {"_start", "start", "_head", "_text"};

/* The anchor when there is none: it only has to be a name that no kernel has. */
#define NO_ANCHOR "vspe_guest_image"

#define ANCHORS (sizeof(anchors) / sizeof(*anchors))

/* Executable segments become maps of EL0. */
static int find_maps(Elf *elf, struct perf_data_guest *guest, struct perf_guest *store)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return -ENOEXEC;
	for (size_t i = 0; i < count && guest->map_count < PERF_GUEST_MAPS; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment))
			return -ENOEXEC;
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !segment.p_memsz ||
		    (store->vectors && segment.p_vaddr >> 63))
			continue;
		store->maps[guest->map_count++] =
			(struct perf_data_map){segment.p_vaddr, segment.p_memsz, segment.p_offset};
	}
	return 0;
}

/* Take a symbol as the anchor if it is better than best. Returns the best so far. */
static size_t try_anchor(const char *name, const GElf_Sym *symbol, size_t best,
			 struct perf_data_guest *guest)
{
	for (size_t i = 0; i < best; i++) {
		if (strcmp(name, anchors[i]) != 0)
			continue;
		guest->anchor = anchors[i];
		guest->anchor_address = symbol->st_value;
		return i;
	}
	return best;
}

static void find_anchor(Elf *elf, struct perf_data_guest *guest)
{
	size_t best = ANCHORS;
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		if (!data)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name && symbol.st_shndx != SHN_UNDEF)
				best = try_anchor(name, &symbol, best, guest);
		}
	}
}

/*
 * Recognise a Linux kernel by these symbols in the upper half. Its anchor is one that kallsyms also
 * has and perf knows. False if it is none. *error is one of reading the file as a list.
 */
static bool find_kernel(const char *name, struct perf_data_guest *guest, struct perf_guest *store,
			int *error)
{
	struct symbols *symbols = symbols_new();
	uint64_t vectors = 0;
	bool found;

	*error = symbols_add(symbols, name, false, 0);
	found = !*error && symbols_address(symbols, "_stext", &guest->anchor_address) &&
		symbols_address(symbols, "vectors", &vectors);
	if (found) {
		guest->anchor = "_stext";
		store->vectors = vectors;
	}
	symbols_free(symbols);
	return found;
}

bool perf_guest_moved(const struct perf_guest *store, uint64_t vectors, uint64_t *by)
{
	*by = vectors - store->vectors;
	return vectors >> 63 && !(*by & UINT64_C(0xffff));
}

static int describe_elf(Elf *elf, uint64_t file, uint64_t load, struct perf_data_guest *guest,
			struct perf_guest *store)
{
	int error = elf_file_check(elf, file), ignored;

	if (!error)
		guest->build_id_size = elf_file_build_id(elf, guest->build_id);
	if (!error && find_kernel(guest->name, guest, store, &ignored))
		return find_maps(elf, guest, store);
	guest->anchor_address = load;
	if (!error)
		error = find_maps(elf, guest, store);
	if (!error)
		find_anchor(elf, guest);
	return error;
}

int perf_guest_describe(struct perf_data_guest *guest, struct perf_guest *store, const char *name,
			uint64_t load, uint64_t size)
{
	int error = -ENOEXEC, listed;
	struct stat status;
	Elf *elf;
	int fd;

	memset(store, 0, sizeof(*store));
	guest->name = name;
	guest->maps = store->maps;
	guest->map_count = 0;
	guest->build_id_size = 0;
	guest->anchor = NO_ANCHOR;
	guest->anchor_address = load;

	fd = input_file_open(name);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status)) {
		close(fd);
		return -EIO;
	}
	errno = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		error = describe_elf(elf, (uint64_t)status.st_size, load, guest, store);
	} else if (size) {
		store->maps[0] = (struct perf_data_map){load, size, 0};
		guest->map_count = 1;
		error = 0;
	} else if (find_kernel(name, guest, store, &listed)) {
		error = 0;
	} else {
		guest->anchor_address = load;
		error = !listed || listed == -ENOMSG ? -ENOEXEC : listed;
	}
	/* On a read error libelf continues as if there were no section, or no ELF file. */
	if (errno == ENOMEM || errno == EIO)
		error = -errno;
	elf_end(elf);
	close(fd);
	return error;
}

const char *perf_guest_strerror(int error)
{
	switch (error) {
	case -EACCES:
	case -E2BIG:
	case -ENOTSUP:
	case -ETIMEDOUT: return symbols_strerror(error);
	default: return elf_file_strerror(error);
	}
}

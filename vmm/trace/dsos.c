// SPDX-License-Identifier: BSD-2-Clause
/* The files that processes have mapped: see dsos.h. */
#define _GNU_SOURCE /* syscall() */
#include "trace/dsos.h"

#include "base/memory.h"
#include "trace/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST	   UINT64_C(0x0010000000000000)
#define SHIFT	   40u
#define OWN	   ((UINT64_C(1) << SHIFT) - 1)
#define SEGMENTS   16u
#define DEBUG_ROOT "/usr/lib/debug"

enum state {
	NOT_LOOKED,
	NO_FILE,
	NO_PATH,
	NO_BUILD_ID,
	OTHER_BUILD_ID,
	BAD_FILE,
	NO_SYMBOLS,
	EXPORTED,
	LOADED
};

static const char *const words[] = {
	[NOT_LOOKED] = "no: --symbols",
	[NO_FILE] = "no such file: --symfs",
	[NO_PATH] = "no file",
	[NO_BUILD_ID] = "not known to be this machine's: --symfs",
	[OTHER_BUILD_ID] = "another build id",
	[BAD_FILE] = "no AArch64 ELF file",
	[NO_SYMBOLS] = "stripped",
	[EXPORTED] = "exported ones only",
	[LOADED] = "yes",
};

struct dso_file {
	enum state state;
	unsigned int segments;
	struct dso_segment {
		uint64_t offset, size, address;
		bool code;
	} segment[SEGMENTS];
};

struct dsos {
	const struct threads *threads;
	struct dso_file files[THREADS_DSOS];
};

struct dsos *dsos_new(const struct threads *threads)
{
	struct dsos *dsos = memory_need(calloc(1, sizeof(*dsos)));

	dsos->threads = threads;
	return dsos;
}

void dsos_free(struct dsos *dsos)
{
	free(dsos);
}

const char *dsos_state(const struct dsos *dsos, uint32_t number)
{
	return words[dsos->files[number].state];
}

const char *dsos_short_name(const struct dsos *dsos, uint32_t number)
{
	const char *path = threads_dso(dsos->threads, number).path;
	const char *slash = *path == '[' ? NULL : strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

uint64_t dsos_address(const struct dsos *dsos, uint32_t number, uint64_t offset)
{
	const struct dso_file *file = &dsos->files[number];
	uint64_t own = offset;

	for (unsigned int i = 0; i < file->segments; i++) {
		const struct dso_segment *segment = &file->segment[i];

		if (segment->code && offset >= segment->offset &&
		    offset - segment->offset < segment->size)
			own = offset - segment->offset + segment->address;
	}
	return own <= OWN ? FIRST + ((uint64_t)number << SHIFT) + own : 0;
}

/* The search for a file whose map is near an address. */
struct near {
	const struct dsos *dsos;
	uint64_t address, place;
};

#define ALIGNED (UINT64_C(4096) - 1) /* a file is moved by whole pages */

/* By how much a file was moved, if this map is one of its segment. */
static bool moved_by(const struct dso_segment *segment, const struct threads_near *map,
		     uint64_t *moved)
{
	*moved = map->start - map->offset - (segment->address - segment->offset);
	return map->offset < segment->offset + segment->size &&
	       segment->offset - (map->offset & ~ALIGNED) <= UINT16_MAX && !(*moved & ALIGNED);
}

static bool take_near(void *ctx, const struct threads_near *map)
{
	struct near *near = ctx;
	const struct dso_file *file = &near->dsos->files[map->dso];
	uint64_t moved, own;

	for (unsigned int i = 0; i < file->segments; i++) {
		if (!moved_by(&file->segment[i], map, &moved))
			continue;
		own = near->address - moved;
		for (unsigned int n = 0; n < file->segments; n++)
			if (own - file->segment[n].address < file->segment[n].size && own <= OWN)
				near->place = FIRST + ((uint64_t)map->dso << SHIFT) + own;
		return !near->place;
	}
	return true;
}

uint64_t dsos_data_address(const struct dsos *dsos, struct threads *threads, struct threads_who who,
			   uint64_t address)
{
	struct near near = {.dsos = dsos, .address = address};

	threads_each_near(threads, who, address, take_near, &near);
	return near.place;
}

bool dsos_has(uint64_t address, uint32_t *number, uint64_t *own)
{
	if (address < FIRST || (address - FIRST) >> SHIFT >= THREADS_DSOS)
		return false;
	*number = (uint32_t)((address - FIRST) >> SHIFT);
	*own = address & OWN;
	return true;
}

bool dsos_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *number)
{
	uint64_t own;

	/* A record may have any address, one that no program has too. */
	if (dsos_has(address, number, &own))
		return *number < threads_dsos(threads);
	return threads_find(threads, who, address, number, &own);
}

/* --- Files */

/* Open a path as if root were "/", links and all. A negative errno. */
static int open_below(int root, const char *path)
{
	const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				     .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	struct stat status;
	const int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

/* The note that ld --build-id makes. Its size, or 0. */
static size_t build_id_of(Elf *elf, uint8_t id[20])
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
			    note.n_descsz <= 20) {
				memcpy(id, (uint8_t *)data->d_buf + bytes, note.n_descsz);
				return note.n_descsz;
			}
			at = next;
		}
	}
	return 0;
}

static bool has_section(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return true;
	return false;
}

/*
 * Where bytes of the file are in memory. objcopy --only-keep-debug leaves the addresses of segments
 * as they were, and not where they began in the file, but for 0.
 */
static void read_segments(Elf *elf, struct dso_file *file, bool debug)
{
	size_t count = 0;
	GElf_Phdr segment;
	bool code = false;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && file->segments < SEGMENTS; i++) {
		const bool loaded =
			gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD;

		if (!loaded || (debug && segment.p_offset && segment.p_flags & PF_X))
			continue;
		file->segment[file->segments++] = (struct dso_segment){
			segment.p_offset, segment.p_memsz, segment.p_vaddr, segment.p_flags & PF_X};
		code = code || segment.p_flags & PF_X;
	}
	if (!code)
		file->segments = 0;
}

/* Names of a file that is what ran. */
static enum state add_names(struct dsos *dsos, uint32_t number, Elf *elf, bool debug,
			    struct symbols *symbols)
{
	const uint64_t moved = FIRST + ((uint64_t)number << SHIFT);
	const size_t before = symbols_count(symbols);
	struct dso_file *file = &dsos->files[number];

	if (!file->segments)
		read_segments(elf, file, debug);
	if (!file->segments)
		return debug ? NO_FILE : BAD_FILE;
	if (symbols_add_elf(symbols, elf, moved) || symbols_add_plt(symbols, elf, moved))
		return BAD_FILE;
	if (has_section(elf, SHT_SYMTAB))
		return LOADED;
	return symbols_count(symbols) == before ? NO_SYMBOLS : EXPORTED;
}

/* The file that is open as fd, and becomes closed. */
static enum state load(struct dsos *dsos, uint32_t number, int fd, bool sure, bool debug,
		       struct symbols *symbols)
{
	const struct threads_dso dso = threads_dso(dsos->threads, number);
	enum state state = BAD_FILE;
	struct stat status;
	uint8_t id[20];
	size_t size;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fstat(fd, &status) == 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (elf && elf_kind(elf) == ELF_K_ELF &&
	    elf_file_check(elf, (uint64_t)status.st_size) == 0) {
		size = build_id_of(elf, id);
		if (size == dso.build_id_size && memcmp(id, dso.build_id, size) == 0)
			state = add_names(dsos, number, elf, debug, symbols);
		else if (size && dso.build_id_size)
			state = OTHER_BUILD_ID;
		else
			state = sure ? add_names(dsos, number, elf, debug, symbols) : NO_BUILD_ID;
	}
	elf_end(elf);
	close(fd);
	return state;
}

/* Where a file, and its debug files, may be. false: there are no more places. */
static bool place(const struct threads_dso *dso, unsigned int number, char *path, size_t size)
{
	char hex[THREADS_BUILD_ID_TEXT];

	(void)threads_build_id(dso, hex);
	switch (number) {
	case 0: (void)snprintf(path, size, "%s", dso->path); return true;
	case 1:
		(void)snprintf(path, size, DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex,
			       *hex ? hex + 2 : "");
		return true;
	case 2: (void)snprintf(path, size, DEBUG_ROOT "%s.debug", dso->path); return true;
	default: return false;
	}
}

static void find_file(struct dsos *dsos, uint32_t number, int root, bool sure,
		      struct symbols *symbols)
{
	const struct threads_dso dso = threads_dso(dsos->threads, number);
	struct dso_file *file = &dsos->files[number];
	char path[PATH_MAX];

	if (dso.kernel)
		return;
	file->state = *dso.path == '/' && dso.path[1] != '/' ? NO_FILE : NO_PATH;
	if (file->state == NO_FILE && !sure && !dso.build_id_size)
		file->state = NO_BUILD_ID;
	if (file->state != NO_FILE)
		return;
	for (unsigned int n = 0; file->state != LOADED && place(&dso, n, path, sizeof(path)); n++) {
		const int fd = open_below(root, path);
		const enum state state =
			fd < 0 ? NO_FILE : load(dsos, number, fd, sure, n > 0, symbols);

		if (n == 0 || state == LOADED)
			file->state = state;
	}
}

int dsos_load(struct dsos *dsos, const char *symfs, struct symbols *symbols)
{
	const int root = open(symfs ? symfs : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	for (uint32_t i = 0; dsos->threads && i < threads_dsos(dsos->threads); i++)
		find_file(dsos, i, root, symfs != NULL, symbols);
	close(root);
	return 0;
}

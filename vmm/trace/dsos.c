// SPDX-License-Identifier: BSD-2-Clause
/* The files that processes have mapped: see dsos.h. */
#define _GNU_SOURCE /* O_PATH */
#include "trace/dsos.h"

#include "base/memory.h"
#include "trace/elf_file.h"
#include "trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST	   UINT64_C(0x0010000000000000)
#define SHIFT	   40u
#define FIRST_LINK 3u /* of the places that .gnu_debuglink is for */
#define OWN	   ((UINT64_C(1) << SHIFT) - 1)

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
	struct elf_file_segment segment[ELF_FILE_SEGMENTS]; /* all that are loaded */
	long lines;					    /* its number there, or -1 */
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

const char *dsos_lines_state(const struct dsos *dsos, uint32_t number, struct lines *lines)
{
	const long of = dsos->files[number].lines;

	if (of >= 0)
		return lines_state(lines, of);
	return of == -E2BIG ? "no: of 256 files at most" : NULL;
}

const char *dsos_short_name(const struct dsos *dsos, uint32_t number)
{
	const char *path = threads_dso(dsos->threads, number).path;

	return *path == '[' ? path : lines_base(path);
}

uint64_t dsos_address(const struct dsos *dsos, uint32_t number, uint64_t offset)
{
	const struct dso_file *file = &dsos->files[number];
	uint64_t own = offset;

	for (unsigned int i = 0; i < file->segments; i++) {
		const struct elf_file_segment *segment = &file->segment[i];

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
static bool moved_by(const struct elf_file_segment *segment, const struct threads_near *map,
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

uint64_t dsos_place(const struct dsos *dsos, struct threads *threads, struct threads_who who,
		    struct symbols *symbols, uint64_t address)
{
	uint64_t offset, place = 0;
	uint32_t dso;

	if (!(address >> 63) && symbols_find(symbols, address) < 0 &&
	    threads_find(threads, who, address, &dso, &offset))
		place = dsos_address(dsos, dso, offset);
	return place ? place : address;
}

bool dsos_is_read(const struct dsos *dsos, uint32_t number)
{
	return dsos->files[number].segments != 0;
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

	/* A record may have such an address of itself, of a file that there is not. */
	if (dsos_has(address, number, &own))
		return *number < threads_dsos(threads);
	return threads_find(threads, who, address, number, &own);
}

/* --- Files */

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
 * objcopy --only-keep-debug leaves the addresses of segments as they were, and not where they began
 * in the file, but for 0.
 */
static void read_segments(Elf *elf, struct dso_file *file, bool debug)
{
	const unsigned int count = elf_file_segments(elf, file->segment);
	bool code = false;

	file->segments = 0;
	for (unsigned int i = 0; i < count; i++) {
		const struct elf_file_segment segment = file->segment[i];

		if (debug && segment.offset && segment.code)
			continue;
		file->segment[file->segments++] = segment;
		code = code || segment.code;
	}
	if (!code)
		file->segments = 0;
}

/* What is known of one that is looked for. */
struct search {
	uint32_t number;
	int root;
	bool sure; /* what has its path is the file, if build ids do not say otherwise */
	struct threads_dso dso;
	struct symbols *symbols;
	char link[NAME_MAX + 1]; /* its .gnu_debuglink, or "" */
	uint32_t link_crc;
};

/* Names of a file that is what ran. */
static enum state add_names(struct dsos *dsos, const struct search *search, Elf *elf, bool debug)
{
	const uint64_t moved = FIRST + ((uint64_t)search->number << SHIFT);
	const size_t before = symbols_count(search->symbols);
	struct dso_file *file = &dsos->files[search->number];

	if (!file->segments)
		read_segments(elf, file, debug);
	if (!file->segments)
		return debug ? NO_FILE : BAD_FILE;
	if (file->state == LOADED)
		return LOADED;
	if (symbols_add_elf(search->symbols, elf, moved) ||
	    symbols_add_plt(search->symbols, elf, moved))
		return BAD_FILE;
	if (has_section(elf, SHT_SYMTAB))
		return LOADED;
	return symbols_count(search->symbols) == before ? NO_SYMBOLS : EXPORTED;
}

/* Is it what ran, or its debug file? LOADED: yes. */
static enum state judge(const struct search *search, Elf *elf, int fd, bool linked)
{
	uint8_t id[ELF_FILE_BUILD_ID];
	const size_t size = elf_file_build_id(elf, id);

	if (size && search->dso.build_id_size)
		return size == search->dso.build_id_size &&
				       memcmp(id, search->dso.build_id, size) == 0
			       ? LOADED
			       : OTHER_BUILD_ID;
	if (linked && elf_file_crc(fd) != search->link_crc)
		return OTHER_BUILD_ID;
	return search->sure ? LOADED : NO_BUILD_ID;
}

/* Take what a path has. */
static enum state load(struct dsos *dsos, struct search *search, const char *path, bool debug,
		       bool linked)
{
	const uint64_t moved = FIRST + ((uint64_t)search->number << SHIFT);
	struct dso_file *file = &dsos->files[search->number];
	Elf *elf;
	const int fd = elf_file_open(search->root, path, &elf);
	enum state state;

	if (fd < 0)
		return fd == -ENOEXEC || fd == -ENODATA ? BAD_FILE : NO_FILE;
	state = judge(search, elf, fd, linked);
	if (state == LOADED) {
		if (!debug)
			elf_file_debug_link(elf, search->link, sizeof(search->link),
					    &search->link_crc);
		state = add_names(dsos, search, elf, debug);
		if (file->segments && file->lines < 0) {
			file->lines = lines_add(symbols_lines(search->symbols), elf, fd, moved,
						search->root);
			if (file->lines >= 0)
				return state;
		}
	}
	elf_end(elf);
	close(fd);
	return state;
}

/* Where a file, and its debug files, may be. false: there are no more places. */
static bool place(const struct search *search, unsigned int number, char *path, size_t size)
{
	const struct threads_dso *dso = &search->dso;
	const char *slash = strrchr(dso->path, '/');
	const int folder = slash ? (int)(slash - dso->path) : 0;

	*path = '\0';
	switch (number) {
	case 0: (void)snprintf(path, size, "%s", dso->path); return true;
	case 1:
		if (!elf_file_debug_path(dso->build_id, dso->build_id_size, path, size))
			*path = '\0';
		return true;
	case 2: (void)snprintf(path, size, ELF_FILE_DEBUG_ROOT "%s.debug", dso->path); return true;
	case FIRST_LINK:
		(void)snprintf(path, size, "%.*s/%s", folder, dso->path, search->link);
		return *search->link;
	case FIRST_LINK + 1:
		(void)snprintf(path, size, "%.*s/.debug/%s", folder, dso->path, search->link);
		return *search->link;
	case FIRST_LINK + 2:
		(void)snprintf(path, size, ELF_FILE_DEBUG_ROOT "%.*s/%s", folder, dso->path,
			       search->link);
		return *search->link;
	default: return false;
	}
}

static void find_file(struct dsos *dsos, uint32_t number, int root, bool sure,
		      struct symbols *symbols)
{
	struct search search = {.number = number,
				.root = root,
				.sure = sure,
				.dso = threads_dso(dsos->threads, number),
				.symbols = symbols};
	struct dso_file *file = &dsos->files[number];
	char path[PATH_MAX];

	file->lines = -1;
	if (search.dso.kernel)
		return;
	file->state = *search.dso.path == '/' && search.dso.path[1] != '/' ? NO_FILE : NO_PATH;
	if (file->state == NO_FILE && !sure && !search.dso.build_id_size)
		file->state = NO_BUILD_ID;
	if (file->state != NO_FILE)
		return;
	for (unsigned int n = 0;
	     (file->state != LOADED || file->lines < 0) && place(&search, n, path, sizeof(path));
	     n++) {
		const enum state state =
			*path ? load(dsos, &search, path, n > 0, n >= FIRST_LINK) : NO_FILE;

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

int dsos_code(const struct dsos *dsos, int root, uint64_t address, void *code, size_t size)
{
	uint64_t own;
	uint32_t number;
	int fd, error;
	Elf *elf;

	if (!dsos || !dsos->threads || !dsos_has(address, &number, &own) ||
	    number >= threads_dsos(dsos->threads))
		return -ENOENT;
	fd = elf_file_open(root, threads_dso(dsos->threads, number).path, &elf);
	if (fd < 0)
		return fd;
	error = elf_file_bytes(elf, fd, own, code, size);
	elf_end(elf);
	close(fd);
	return error;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the names of what processes have mapped are: see dsos_load(). Of each dso the places are
 * tried in order, each looked at by its build id or checksum.
 */
#define _GNU_SOURCE /* O_PATH */
#include "trace/dsos_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINK 3u /* of the places that .gnu_debuglink is for */

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
static enum dsos_state add_names(struct dsos *dsos, const struct search *search, Elf *elf,
				 bool debug)
{
	const uint64_t moved = dsos_moved(dsos, search->number);
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
static enum dsos_state judge(const struct search *search, Elf *elf, int fd, bool linked)
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
static enum dsos_state load(struct dsos *dsos, struct search *search, const char *path, bool debug,
			    bool linked)
{
	const uint64_t moved = dsos_moved(dsos, search->number);
	struct dso_file *file = &dsos->files[search->number];
	Elf *elf;
	const int fd = elf_file_open(search->root, path, &elf);
	enum dsos_state state;

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

/*
 * The names that the process wrote for perf. What it has mapped has no build id: on this machine
 * nothing says that it is the process of that number, and anybody may write to /tmp.
 */
static enum dsos_state find_jit(struct dsos *dsos, const struct search *search)
{
	const int32_t pid = search->dso.jit;
	struct stat status;
	char path[32];
	FILE *file;
	int fd, error;

	if (!search->sure)
		return NO_BUILD_ID;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	fd = elf_file_open_any(search->root, path, &status);
	file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!file) {
		if (fd >= 0)
			close(fd);
		return NO_MAP;
	}
	error = symbols_add_jit(search->symbols, file, dsos_moved(dsos, search->number));
	fclose(file);
	return error ? BAD_MAP : LOADED;
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
	if (search.dso.jit) {
		file->state = find_jit(dsos, &search);
		return;
	}
	file->state = *search.dso.path == '/' && search.dso.path[1] != '/' ? NO_FILE : NO_PATH;
	if (file->state == NO_FILE && !sure && !search.dso.build_id_size)
		file->state = NO_BUILD_ID;
	if (file->state != NO_FILE)
		return;
	for (unsigned int n = 0;
	     (file->state != LOADED || file->lines < 0) && place(&search, n, path, sizeof(path));
	     n++) {
		const enum dsos_state state =
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

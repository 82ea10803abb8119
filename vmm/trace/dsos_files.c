/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where to find names for what processes have mapped: see dsos_load(). For each dso the places are
 * tried in order, and the build id or checksum decides whether a file is the right one.
 */
#define _GNU_SOURCE /* O_PATH */
#include "trace/dsos_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE "/.debug" /* perf's files by build id, in the recording user's home */

/* Kinds of dso. */
enum kind {
	FILE_OF_PATH = 1,
	VDSO = 2,
	MODULE = 4,
	KERNEL = 8,
};

/* Possible places of a file and its debug files, in the order of the search. */
static const struct place {
	unsigned int kinds; /* enum kind */
	enum { ITSELF, OF_DEBUG, LINKED, LIST } what;
	/*
	 * %p is its path, %u that without .xz, %d its folder, %i its build id as XX/REST, %v the
	 * kernel's version, %c perf's cache, %l its .gnu_debuglink. Without one of these the place
	 * is skipped.
	 */
	const char *path;
} places[] = {
	{FILE_OF_PATH | MODULE, ITSELF, "%p"},
	{MODULE, ITSELF, "%u"},
	{VDSO, ITSELF, "/lib/modules/%v/vdso/vdso.so"},
	{FILE_OF_PATH | VDSO | MODULE | KERNEL, OF_DEBUG,
	 ELF_FILE_DEBUG_ROOT "/.build-id/%i.debug"},
	{FILE_OF_PATH, OF_DEBUG, ELF_FILE_DEBUG_ROOT "%p.debug"},
	{MODULE, OF_DEBUG, ELF_FILE_DEBUG_ROOT "%u"},
	{MODULE, OF_DEBUG, ELF_FILE_DEBUG_ROOT "%u.debug"},
	{VDSO, ITSELF, ELF_FILE_DEBUG_ROOT "/lib/modules/%v/vdso/vdso.so"},
	{KERNEL, OF_DEBUG, ELF_FILE_DEBUG_ROOT "/lib/modules/%v/vmlinux"},
	{KERNEL, OF_DEBUG, ELF_FILE_DEBUG_ROOT "/boot/vmlinux-%v"},
	{FILE_OF_PATH, LINKED, "%d/%l"},
	{FILE_OF_PATH, LINKED, "%d/.debug/%l"},
	{FILE_OF_PATH, LINKED, ELF_FILE_DEBUG_ROOT "%d/%l"},
	{FILE_OF_PATH | MODULE | KERNEL, ITSELF, "%c/.build-id/%i/elf"},
	{FILE_OF_PATH | MODULE | KERNEL, OF_DEBUG, "%c/.build-id/%i/debug"},
	{VDSO, ITSELF, "%c/.build-id/%i/vdso"},
	{KERNEL, LIST, "%c/.build-id/%i/kallsyms"},
};

/* What is known of a file to search for. */
struct search {
	uint32_t number;
	enum kind kind;
	int root;
	bool sure; /* a file at its path is right unless build ids differ */
	struct threads_dso dso;
	uint64_t start; /* of a module: where it was loaded */
	const char *cache;
	char version[64]; /* of the kernel, or "" */
	struct symbols *symbols;
	char link[NAME_MAX + 1]; /* its .gnu_debuglink, or "" */
	uint32_t link_crc;
};

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
 * objcopy --only-keep-debug keeps the addresses of segments, but not where they begin in the file,
 * except for 0.
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

/* Take the names of a file that is what ran. */
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

/*
 * Take the names of an open file that is the right one. Either lines owns it from then on, or it
 * stays in *elf.
 */
static enum dsos_state take(struct dsos *dsos, struct search *search, Elf **elf, int fd, bool debug)
{
	struct dso_file *file = &dsos->files[search->number];
	enum dsos_state state;

	if (search->kind == MODULE)
		return symbols_add_module(search->symbols, *elf, search->start) ? BAD_FILE : LOADED;
	if (!debug)
		elf_file_debug_link(*elf, search->link, sizeof(search->link), &search->link_crc);
	state = add_names(dsos, search, *elf, debug);
	if (file->segments && file->lines < 0) {
		file->lines = lines_add(symbols_lines(search->symbols), *elf, fd,
					dsos_moved(dsos, search->number), search->root);
		if (file->lines >= 0)
			*elf = NULL;
	}
	return state;
}

/* The length of a path without the suffix of a compressed file. */
static int unpacked(const char *path)
{
	static const char *const ends[] = {".xz", ".zst", ".gz"};
	const size_t length = strlen(path);

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (length > strlen(ends[i]) &&
		    strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
			return (int)(length - strlen(ends[i]));
	return (int)length;
}

/* Take what a path has. */
static enum dsos_state load(struct dsos *dsos, struct search *search, const char *path,
			    const struct place *place)
{
	enum dsos_state state;
	Elf *elf;
	int fd;

	if (place->what == LIST) /* of that build id */
		return symbols_add_kernel(search->symbols, search->root, path) ? NO_FILE : LOADED;
	fd = elf_file_open(search->root, path, &elf);
	if (fd < 0)
		return fd == -ENOEXEC || fd == -ENODATA ? BAD_FILE
		       : fd == -EBADMSG || fd == -EFBIG ? BAD_PACKING
							: NO_FILE;
	state = judge(search, elf, fd, place->what == LINKED);
	if (state == LOADED && search->kind == KERNEL)
		state = symbols_add_kernel(search->symbols, search->root, path) ? BAD_FILE : LOADED;
	else if (state == LOADED)
		state = take(dsos, search, &elf, fd, place->what != ITSELF);
	if (elf) {
		elf_end(elf);
		close(fd);
	}
	return state;
}

/* A variable part of a place, or "". */
static void fill_in(const struct search *search, char what, char *text, size_t size)
{
	const char *path = search->dso.path, *slash = strrchr(path, '/');
	char id[THREADS_BUILD_ID_TEXT];

	*text = '\0';
	switch (what) {
	case 'p':
	case 'u':
	case 'd':
		if (*path == '/' && path[1] != '/')
			(void)snprintf(text, size, "%.*s",
				       what == 'd'   ? (int)(slash - path)
				       : what == 'u' ? unpacked(path)
						     : (int)strlen(path),
				       path);
		break;
	case 'i':
		if (search->dso.build_id_size > 1)
			(void)snprintf(text, size, "%.2s/%s", threads_build_id(&search->dso, id),
				       id + 2);
		break;
	case 'v': (void)snprintf(text, size, "%s", search->version); break;
	case 'c': (void)snprintf(text, size, "%s", search->cache); break;
	default: (void)snprintf(text, size, "%s", search->link); break;
	}
}

/* Expand a place into a path. False if a part is unknown, or the path too long. */
static bool expand(const struct search *search, const char *from, char path[PATH_MAX])
{
	size_t used = 0;

	for (; *from && used < PATH_MAX; from++) {
		if (*from == '%') {
			from++;
			fill_in(search, *from, path + used, PATH_MAX - used);
			/* In the folder "/" a file's path needs no prefix. */
			if (!path[used] && *from != 'd')
				return false;
			used += strlen(path + used);
		} else {
			path[used++] = *from;
		}
	}
	if (used >= PATH_MAX)
		return false;
	path[used] = '\0';
	return true;
}

/*
 * Read the names that the process wrote for perf. What it mapped has no build id. On this machine
 * nothing shows that the list is from the process of that number, and anybody may write to /tmp.
 */
static enum dsos_state find_jit(struct dsos *dsos, const struct search *search)
{
	struct stat status;
	char path[32];
	FILE *file;
	int fd, error;

	if (!search->sure)
		return NO_BUILD_ID;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", search->dso.jit);
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

/* The version in the path of a module, where it follows these. */
static void find_version(const struct threads *threads, char *version, size_t size)
{
	static const char *const begins[] = {"/lib/modules/", "/usr/lib/modules/"};

	*version = '\0';
	for (uint32_t i = 0; i < threads_dsos(threads) && !*version; i++) {
		const struct threads_dso dso = threads_dso(threads, i);

		for (unsigned int n = 0; n < 2 && dso.kernel; n++) {
			const size_t length = strlen(begins[n]);
			const char *at = dso.path + length;

			if (strncmp(dso.path, begins[n], length) == 0 && *at != '.' &&
			    strcspn(at, "/") < size)
				(void)snprintf(version, size, "%.*s", (int)strcspn(at, "/"), at);
		}
	}
}

static enum kind kind_of(const struct threads_dso *dso)
{
	if (dso->kernel)
		return *dso->path == '[' && strstr(dso->path, "kernel") ? KERNEL : MODULE;
	return strcmp(dso->path, "[vdso]") == 0 ? VDSO : FILE_OF_PATH;
}

/* The state when no place has anything. */
static enum dsos_state without(const struct dsos *dsos, struct search *search)
{
	const bool path = *search->dso.path == '/' && search->dso.path[1] != '/';

	switch (search->kind) {
	case KERNEL: /* those of --symbols go first */
		return symbols_have_kernel(search->symbols) ? LOADED : NOT_LOOKED;
	case MODULE:
		return threads_kernel_map(dsos->threads, search->number, &search->start)
			       ? NOT_LOOKED
			       : NO_PATH;
	default:
		if (search->kind == FILE_OF_PATH && !path)
			return NO_PATH;
		return !search->sure && !search->dso.build_id_size ? NO_BUILD_ID : NO_FILE;
	}
}

static void find_file(struct dsos *dsos, struct search *search)
{
	struct dso_file *file = &dsos->files[search->number];
	char path[PATH_MAX];

	file->lines = -1;
	if (search->dso.jit) {
		file->state = find_jit(dsos, search);
		return;
	}
	search->kind = kind_of(&search->dso);
	file->state = without(dsos, search);
	if (file->state != NO_FILE && file->state != NOT_LOOKED)
		return;
	for (unsigned int i = 0; i < sizeof(places) / sizeof(*places); i++) {
		enum dsos_state state;

		if (!(places[i].kinds & search->kind) || !expand(search, places[i].path, path))
			continue;
		state = load(dsos, search, path, &places[i]);
		/* Otherwise the first place, which is the file itself, gives the reason. */
		if (state >= NO_SYMBOLS ? state > file->state : i == 0 && state != NO_FILE)
			file->state = state;
		if (file->state == LOADED && (file->lines >= 0 || search->dso.kernel))
			return;
	}
}

int dsos_load(struct dsos *dsos, const char *symfs, struct symbols *symbols)
{
	const int root = open(symfs ? symfs : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *home = symfs ? "/root" : getenv("HOME");
	char cache[PATH_MAX] = "", version[sizeof(((struct search *)0)->version)] = "";

	if (root < 0)
		return -errno;
	if (home && *home == '/')
		(void)snprintf(cache, sizeof(cache), "%s" CACHE, home);
	if (dsos->threads)
		find_version(dsos->threads, version, sizeof(version));
	for (uint32_t i = 0; dsos->threads && i < threads_dsos(dsos->threads); i++) {
		struct search search = {.number = i,
					.root = root,
					.sure = symfs != NULL,
					.dso = threads_dso(dsos->threads, i),
					.cache = cache,
					.symbols = symbols};

		memcpy(search.version, version, sizeof(version));
		find_file(dsos, &search);
	}
	close(root);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of addresses: see symbols.h. */
#define _GNU_SOURCE /* qsort_r */
#include "trace/symbols_parts.h"

#include "base/input_file.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/elf_file.h"
#include "trace/lines.h"

#include <vspe/decode.h>

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbols *symbols_new(void)
{
	struct symbols *symbols = memory_need(calloc(1, sizeof(*symbols)));

	symbols->lines = lines_new();
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (unsigned int i = 0; i < symbols->files; i++) {
		free(symbols->file[i].path);
		if (symbols->file[i].root >= 0)
			close(symbols->file[i].root);
	}
	lines_free(symbols->lines);
	free(symbols->entries);
	free(symbols->text);
	free(symbols);
}

struct lines *symbols_lines(struct symbols *symbols)
{
	return symbols->lines;
}

size_t symbols_count(const struct symbols *symbols)
{
	return symbols->functions;
}

/* --- All of them */

/* Add a file that is open as fd. lines takes it over, or it is closed. */
static int add_open(struct symbols *symbols, int fd, uint64_t size, struct symbols_file *about,
		    uint64_t address)
{
	uint64_t by = 0;
	Elf *elf;
	FILE *file;
	int error;

	errno = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		error = symbols_read_elf(symbols, elf, size, about->placed, address, &by);
		/* On a read error libelf continues as if there were nothing. */
		if (errno == ENOMEM || errno == EIO)
			error = -errno;
		about->by = by;
		if (!error)
			about->lines = lines_add(symbols->lines, elf, fd, by, about->root);
		if (about->lines < 0) {
			elf_end(elf);
			close(fd);
		}
		return error;
	}
	elf_end(elf);
	file = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "r") : NULL;
	if (!file) {
		error = -errno;
		close(fd);
		return error;
	}
	error = symbols_read_list(symbols, file, about->placed, address);
	fclose(file);
	return error;
}

/* The same, with what is already known about it. */
static int add_file(struct symbols *symbols, int fd, uint64_t size, struct symbols_file about,
		    uint64_t address)
{
	const size_t functions = symbols->functions;
	int error;

	about.first = symbols->count;
	about.lines = -1;
	error = add_open(symbols, fd, size, &about, address);
	if (!error && symbols->functions == functions)
		error = -ENOMSG;
	if (error) {
		symbols->count = about.first;
		symbols->functions = functions;
	}
	about.end = symbols->count;
	about.path = memory_need(strdup(about.path));
	symbols->file[symbols->files++] = about;
	symbols->sorted = false;
	return error;
}

int symbols_add(struct symbols *symbols, const char *path, bool moved, uint64_t address)
{
	const struct symbols_file about = {.path = (char *)path, .placed = moved, .root = -1};
	struct stat status;
	int fd;

	if (symbols->files == SYMBOLS_FILES)
		return -E2BIG;
	fd = input_file_open(path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status)) {
		close(fd);
		return -EIO;
	}
	return add_file(symbols, fd, (uint64_t)status.st_size, about, address);
}

int symbols_add_kernel(struct symbols *symbols, int root, const char *path)
{
	struct symbols_file about = {.path = (char *)path};
	struct stat status;
	int fd;

	if (symbols->files == SYMBOLS_FILES)
		return -E2BIG;
	fd = elf_file_open_any(root, path, &status);
	if (fd < 0)
		return fd;
	/* Without it the path would be one of this machine. */
	about.root = dup(root);
	if (about.root < 0) {
		close(fd);
		return -EMFILE;
	}
	return add_file(symbols, fd, (uint64_t)status.st_size, about, 0);
}

#define UPPER (UINT64_C(1) << 55) /* of bits [55:0]: an address of the kernel */

/* The symbol of that name in the upper half, or NULL. */
static const struct symbols_entry *named(const struct symbols *symbols,
					 const struct symbols_file *file, const char *name)
{
	for (size_t i = file->first; i < file->end; i++)
		if (symbols->entries[i].start & UPPER &&
		    strcmp(symbols->text + symbols->entries[i].linkage, name) == 0)
			return &symbols->entries[i];
	return NULL;
}

bool symbols_have_kernel(const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->entries[i].start & UPPER && symbols->entries[i].kind == SYMBOLS_CODE)
			return true;
	return false;
}

bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *address)
{
	const struct symbols_entry *entry = NULL;

	for (unsigned int n = 0; n < symbols->files && !entry; n++)
		entry = named(symbols, &symbols->file[n], name);
	if (entry)
		*address = entry->start | ~SYMBOLS_BITS;
	return entry != NULL;
}

unsigned int symbols_anchor(struct symbols *symbols, const char *name, uint64_t address)
{
	unsigned int moved = 0;

	for (unsigned int n = 0; n < symbols->files; n++) {
		struct symbols_file *file = &symbols->file[n];
		const struct symbols_entry *anchor =
			file->placed ? NULL : named(symbols, file, name);
		const uint64_t by = anchor ? (address & SYMBOLS_BITS) - anchor->start : 0;

		for (size_t i = file->first; by && i < file->end; i++) {
			struct symbols_entry *entry = &symbols->entries[i];

			if (!(entry->start & UPPER))
				continue;
			if (entry->module) {
				entry->kind = SYMBOLS_NEITHER;
				continue;
			}
			entry->start = (entry->start + by) & SYMBOLS_BITS;
			entry->end = entry->end ? (entry->end + by) & SYMBOLS_BITS : 0;
			entry->limit = entry->limit == UINT64_MAX
					       ? UINT64_MAX
					       : (entry->limit + by) & SYMBOLS_BITS;
			entry->moved += by;
		}
		file->by += by;
		if (by && file->lines >= 0)
			lines_move(symbols->lines, file->lines, by);
		moved += by != 0;
	}
	return moved;
}

const char *symbols_strerror(int error)
{
	switch (error) {
	case -ENOMSG: return "names no code: neither an ELF file with symbols nor a System.map";
	case -EACCES: return "its addresses are hidden or may not be read: ask as root";
	case -E2BIG: return "too many: 1048576 symbols, 64 MiB of names, 16 files at most";
	case -ENOEXEC: return "not an AArch64 ELF file that is linked";
	case -ENOTSUP:
	case -ETIMEDOUT: return input_file_error(error);
	default: return elf_file_strerror(error);
	}
}

static int compare(const void *one, const void *other, void *text)
{
	const struct symbols_entry *a = one, *b = other;
	const char *x = (char *)text + a->name, *y = (char *)text + b->name;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (strlen(x) != strlen(y))
		return strlen(x) > strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

/* Sort, keep one symbol for each address, and find the end of those without a size. */
static void sort(struct symbols *symbols)
{
	size_t kept = 0;

	if (symbols->count)
		qsort_r(symbols->entries, symbols->count, sizeof(*symbols->entries), compare,
			symbols->text);
	for (size_t i = 0; i < symbols->count; i++)
		if (!kept || symbols->entries[i].start != symbols->entries[kept - 1].start)
			symbols->entries[kept++] = symbols->entries[i];
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct symbols_entry *entry = &symbols->entries[i];

		if (entry->end)
			continue;
		entry->end =
			entry->limit == UINT64_MAX ? entry->start + SYMBOLS_LAST : entry->limit;
		if (i + 1 < kept &&
		    (entry->limit == UINT64_MAX || symbols->entries[i + 1].start < entry->end))
			entry->end = symbols->entries[i + 1].start;
	}
	symbols->sorted = true;
}

static long find(struct symbols *symbols, uint64_t address, enum symbols_kind kind)
{
	const uint64_t bits = address & SYMBOLS_BITS;
	const struct symbols_entry *entry;
	size_t begun;

	if (!symbols->sorted)
		sort(symbols);
	begun = search_begun(symbols->entries, symbols->count, sizeof(*symbols->entries), bits);
	if (!begun)
		return -1;
	entry = &symbols->entries[begun - 1];
	return entry->kind == kind && bits < entry->end ? (long)(begun - 1) : -1;
}

long symbols_find(struct symbols *symbols, uint64_t address)
{
	return find(symbols, address, SYMBOLS_CODE);
}

long symbols_find_data(struct symbols *symbols, uint64_t address)
{
	return find(symbols, address, SYMBOLS_DATA);
}

struct symbol symbols_get(const struct symbols *symbols, long number)
{
	const struct symbols_entry *entry = &symbols->entries[number];

	return (struct symbol){.name = symbols->text + entry->name,
			       .linkage = symbols->text + entry->linkage,
			       .start = entry->start,
			       .size = entry->end - entry->start,
			       .moved = entry->moved};
}

long symbols_next(struct symbols *symbols, long number)
{
	if (!symbols->sorted)
		sort(symbols);
	while ((size_t)++number < symbols->count)
		if (symbols->entries[number].kind == SYMBOLS_CODE)
			return number;
	return -1;
}

int symbols_code(const struct symbols *symbols, uint64_t address, void *code, size_t size)
{
	int error = -ENOENT;

	for (unsigned int i = 0; error && i < symbols->files; i++) {
		const struct symbols_file *file = &symbols->file[i];
		Elf *elf;
		const int fd = elf_file_open(file->root, file->path, &elf);

		if (fd < 0)
			continue;
		error = elf_file_bytes(elf, fd, spe_untagged(address - file->by), code, size);
		elf_end(elf);
		close(fd);
	}
	return error;
}

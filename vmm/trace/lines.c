/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines of addresses: see lines.h.
 *
 * libdw itself would open files that DWARF names: the one of dwz, and .dwo files of split units.
 * Here it never does. The file of dwz is opened when the file that needs it is added, and a file
 * with split units has no lines.
 */
#include "trace/lines_parts.h"

#include "base/memory.h"
#include "base/search.h"
#include "trace/elf_file.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vspe/decode.h>

#define PIECES (1u << 22) /* of code, of a file */

enum state { CLOSED, READ, NO_ALT, SPLIT, DAMAGED, TOO_LARGE };

static const char *const words[] = {
	[READ] = "yes",
	[NO_ALT] = "no: a part is in a file of dwz, which is not there",
	[SPLIT] = "no: they are in .dwo files",
	[DAMAGED] = "no: damaged DWARF",
	[TOO_LARGE] = "some: too many",
};

struct unit_range {
	uint64_t low, high;
	uint32_t unit;
};

struct lines_file {
	enum state state;
	uint64_t moved;
	struct elf_file_segment segments[ELF_FILE_SEGMENTS];
	unsigned int segment_count;
	int fd, alt_fd;
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	struct unit_range *ranges; /* by low */
	size_t range_count, range_room;
	struct lines_unit *units;
	size_t unit_count, unit_room;
	const struct lines_variable **variables; /* of all units, by address; NULL: not yet read */
	size_t variable_count;
	size_t most; /* how many more pieces of code may be read */
};

struct lines {
	struct lines_file files[LINES_FILES];
	unsigned int count;
	int error; /* of the last file that could not be read */
	struct names names;
};

struct lines *lines_new(void)
{
	return memory_need(calloc(1, sizeof(struct lines)));
}

static void free_file(struct lines_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		free(file->units[i].code);
		free(file->units[i].variables);
	}
	free(file->variables);
	free(file->units);
	free(file->ranges);
	dwarf_end(file->dwarf);
	dwarf_end(file->alt);
	elf_end(file->elf);
	elf_end(file->alt_elf);
	close(file->fd);
	if (file->alt_fd >= 0)
		close(file->alt_fd);
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (unsigned int i = 0; i < lines->count; i++)
		free_file(&lines->files[i]);
	names_free(&lines->names);
	free(lines);
}

int lines_error(const struct lines *lines)
{
	return lines->error;
}

bool lines_any(const struct lines *lines)
{
	return lines->count > 0;
}

void lines_move(struct lines *lines, long number, uint64_t by)
{
	lines->files[number].moved += by;
}

const char *lines_name(const struct lines *lines, uint32_t name)
{
	return name == LINES_NONE ? NULL : names_get(&lines->names, name);
}

const char *lines_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* --- Adding */

/* Open the file of dwz. False if it is needed but missing. */
static bool open_alt(struct lines_file *file, int root)
{
	uint8_t wanted[ELF_FILE_BUILD_ID], id[ELF_FILE_BUILD_ID];
	char path[64 + 2 * ELF_FILE_BUILD_ID] = "";
	const char *name;
	size_t size;

	if (!elf_file_alt_link(file->elf, &name, wanted, &size))
		return true;
	if (!elf_file_debug_path(wanted, size, path, sizeof(path)))
		return false;
	for (unsigned int i = 0; i < 2 && !file->alt_elf; i++) {
		file->alt_fd = elf_file_open(root, i ? name : path, &file->alt_elf);
		if (file->alt_fd >= 0 && (elf_file_build_id(file->alt_elf, id) != size ||
					  memcmp(id, wanted, size) != 0)) {
			elf_end(file->alt_elf);
			close(file->alt_fd);
			file->alt_elf = NULL;
			file->alt_fd = -1;
		}
	}
	return file->alt_elf != NULL;
}

long lines_add(struct lines *lines, struct Elf *elf, int fd, uint64_t moved, int root)
{
	struct lines_file *file = &lines->files[lines->count];

	if (!elf_file_section(elf, ".debug_line", NULL) &&
	    !elf_file_section(elf, ".zdebug_line", NULL))
		return -ENODATA;
	if (lines->count == LINES_FILES)
		return -E2BIG;
	*file = (struct lines_file){
		.elf = elf, .fd = fd, .alt_fd = -1, .moved = moved, .most = PIECES};
	file->segment_count = elf_file_segments(elf, file->segments);
	if (!open_alt(file, root))
		file->state = NO_ALT;
	return lines->count++;
}

/* --- Reading */

/* A kernel's addresses have the upper bits, which records leave out. */
static uint64_t own_address(const struct lines_file *file, uint64_t address)
{
	return spe_untagged((address - file->moved) & UINT64_C(0x00ffffffffffffff));
}

static bool is_loaded(const struct lines_file *file, uint64_t own)
{
	for (unsigned int i = 0; i < file->segment_count; i++)
		if (own - file->segments[i].address < file->segments[i].size)
			return true;
	return false;
}

static bool is_code(const struct lines_file *file, uint64_t own)
{
	for (unsigned int i = 0; i < file->segment_count; i++)
		if (file->segments[i].code &&
		    own - file->segments[i].address < file->segments[i].size)
			return true;
	return false;
}

static void keep_range(struct lines_file *file, uint64_t low, uint64_t high)
{
	if (file->range_count == file->range_room) {
		file->range_room = file->range_room ? 2 * file->range_room : 64;
		file->ranges = memory_need(
			realloc(file->ranges, file->range_room * sizeof(*file->ranges)));
	}
	file->ranges[file->range_count++] =
		(struct unit_range){low, high, (uint32_t)file->unit_count};
}

/* Note where its code is. Code that the linker left out has addresses without code. */
static void add_unit(struct lines_file *file, Dwarf_Die *die, uint64_t bytes)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	if (file->unit_count == file->unit_room) {
		file->unit_room = file->unit_room ? 2 * file->unit_room : 16;
		file->units =
			memory_need(realloc(file->units, file->unit_room * sizeof(*file->units)));
	}
	file->units[file->unit_count] = (struct lines_unit){.die = *die, .bytes = bytes};
	while (file->most && (next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
		if (low < high && is_code(file, low)) {
			keep_range(file, low, high);
			file->most--;
		}
	}
	file->unit_count++;
}

static int compare(const void *one, const void *other)
{
	const struct unit_range *a = one, *b = other;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static enum state read_units(struct lines_file *file)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	int status;

	while ((status = dwarf_nextcu(file->dwarf, offset, &next, &header, NULL, NULL, NULL)) ==
	       0) {
		Dwarf_Die die;
		uint8_t type = 0;

		if (next <= offset || !dwarf_offdie(file->dwarf, offset + header, &die) ||
		    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL))
			return DAMAGED;
		if (type == DW_UT_skeleton)
			return SPLIT;
		if (type == DW_UT_compile)
			add_unit(file, &die, next - offset);
		offset = next;
	}
	if (file->range_count)
		qsort(file->ranges, file->range_count, sizeof(*file->ranges), compare);
	return status < 0 ? DAMAGED : READ;
}

/* Does the last string of a section end in it? libdw reads on to the next NUL, wherever that is. */
static bool ends(Elf *elf, const char *name)
{
	Elf_Scn *section = elf_file_section(elf, name, NULL);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	return !data || !data->d_size || !((const char *)data->d_buf)[data->d_size - 1];
}

static Dwarf *begin(Elf *elf)
{
	static const char *const strings[] = {".debug_str", ".debug_line_str", ".zdebug_str"};
	/* From here on libelf has uncompressed all compressed sections. */
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);

	for (size_t i = 0; dwarf && i < sizeof(strings) / sizeof(*strings); i++) {
		if (!ends(elf, strings[i])) {
			dwarf_end(dwarf);
			dwarf = NULL;
		}
	}
	return dwarf;
}

static enum state read_parts(struct lines_file *file)
{
	file->dwarf = begin(file->elf);
	if (!file->dwarf)
		return DAMAGED;
	if (file->alt_elf) {
		file->alt = begin(file->alt_elf);
		if (!file->alt)
			return DAMAGED;
		dwarf_setalt(file->dwarf, file->alt);
	}
	return read_units(file);
}

/* Read the file unless that has been done. Does it have lines? */
static bool is_readable(struct lines *lines, struct lines_file *file)
{
	if (file->state == CLOSED) {
		errno = 0;
		file->state = read_parts(file);
		/* On a read error libelf continues as if there were nothing. */
		if (errno == EIO || errno == ENOMEM)
			lines->error = -errno;
	}
	return file->state == READ || file->state == TOO_LARGE;
}

const char *lines_state(struct lines *lines, long number)
{
	(void)is_readable(lines, &lines->files[number]);
	return words[lines->files[number].state];
}

static struct lines_unit *unit_at(struct lines_file *file, uint64_t own)
{
	const size_t begun =
		search_begun(file->ranges, file->range_count, sizeof(*file->ranges), own);

	if (!begun || own >= file->ranges[begun - 1].high)
		return NULL;
	return &file->units[file->ranges[begun - 1].unit];
}

/* Put the line of an instruction into its frame. False if it has none. */
static bool read_line(struct lines *lines, struct lines_unit *unit, uint64_t own,
		      struct lines_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, own);
	const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0;

	if (!path || dwarf_lineno(line, &number) || number <= 0)
		return false;
	frame->file = lines_path(unit, path, &lines->names);
	frame->line = (uint32_t)number;
	return true;
}

static unsigned int find_in(struct lines *lines, struct lines_file *file, uint64_t own,
			    struct lines_frame frames[LINES_FRAMES])
{
	struct lines_unit *unit = unit_at(file, own);
	const struct lines_code *code;
	unsigned int count = 1;
	bool known;

	if (!unit)
		return 0;
	frames[0] = (struct lines_frame){LINES_NONE, LINES_NONE, 0};
	known = read_line(lines, unit, own, &frames[0]);
	if (!unit->read)
		lines_unit_read(unit, &lines->names, &file->most);
	if (!file->most)
		file->state = TOO_LARGE;
	code = lines_unit_find(unit, own);
	if (!code)
		return known;
	frames[0].function = code->function;
	while (code->inlined && code->parent && count < LINES_FRAMES) {
		const struct lines_code *outer = &unit->code[code->parent - 1];

		frames[count++] =
			(struct lines_frame){outer->function, code->call_file, code->call_line};
		code = outer;
	}
	return count;
}

unsigned int lines_find(struct lines *lines, uint64_t address,
			struct lines_frame frames[LINES_FRAMES])
{
	for (unsigned int i = 0; i < lines->count; i++) {
		struct lines_file *file = &lines->files[i];
		unsigned int count;
		const uint64_t own = own_address(file, address);

		if (!is_code(file, own))
			continue;
		if (!is_readable(lines, file))
			continue;
		count = find_in(lines, file, own, frames);
		if (count)
			return count;
	}
	return 0;
}

/* --- Variables */

static int compare_variables(const void *one, const void *other)
{
	const struct lines_variable *a = *(const struct lines_variable *const *)one;
	const struct lines_variable *b = *(const struct lines_variable *const *)other;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void read_variables(struct lines *lines, struct lines_file *file)
{
	size_t count = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		if (!file->units[i].read)
			lines_unit_read(&file->units[i], &lines->names, &file->most);
		count += file->units[i].variable_count;
	}
	file->variables = memory_need(calloc(count + 1, sizeof(void *)));
	for (size_t i = 0; i < file->unit_count; i++)
		for (size_t n = 0; n < file->units[i].variable_count; n++)
			file->variables[file->variable_count++] = &file->units[i].variables[n];
	qsort(file->variables, count, sizeof(void *), compare_variables);
}

bool lines_field(struct lines *lines, uint64_t variable, uint64_t offset, char *text, size_t size)
{
	for (unsigned int i = 0; i < lines->count; i++) {
		struct lines_file *file = &lines->files[i];
		const struct lines_variable key = {.address = own_address(file, variable)};
		const struct lines_variable *wanted = &key, **found;

		if (!is_loaded(file, key.address) || !is_readable(lines, file))
			continue;
		if (!file->variables)
			read_variables(lines, file);
		found = bsearch(&wanted, file->variables, file->variable_count, sizeof(void *),
				compare_variables);
		if (found && lines_variable_field(*found, offset, text, size))
			return true;
	}
	return false;
}

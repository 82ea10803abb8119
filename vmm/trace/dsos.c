/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that processes have mapped: see dsos.h. */
#include "trace/dsos.h"

#include "base/memory.h"
#include "trace/dsos_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST	  UINT64_C(0x0010000000000000)
#define SHIFT	  40u
#define OWN	  ((UINT64_C(1) << SHIFT) - 1)
#define JIT_FIRST UINT64_C(0x0020000000000000)
#define JIT_SHIFT 48u
#define JIT_OWN	  ((UINT64_C(1) << JIT_SHIFT) - 1)

static const char *const words[] = {
	[NOT_LOOKED] = "no: --symbols",
	[NO_FILE] = "no such file: --symfs",
	[NO_PATH] = "no file",
	[NO_BUILD_ID] = "not known to be this machine's: --symfs",
	[NO_MAP] = "no /tmp/perf-PID.map: --symfs",
	[OTHER_BUILD_ID] = "another build id",
	[BAD_FILE] = "no AArch64 ELF file",
	[BAD_MAP] = "no START SIZE NAME in its /tmp/perf-PID.map",
	[BAD_PACKING] = "compressed, and damaged or beyond 512 MiB",
	[NO_SYMBOLS] = "stripped",
	[EXPORTED] = "exported ones only",
	[LOADED] = "yes",
};

struct dsos *dsos_new(const struct threads *threads)
{
	struct dsos *dsos = memory_need(memory_sparse(sizeof(*dsos)));

	dsos->threads = threads;
	return dsos;
}

void dsos_free(struct dsos *dsos)
{
	memory_sparse_free(dsos, sizeof(*dsos));
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

uint64_t dsos_moved(const struct dsos *dsos, uint32_t number)
{
	const struct threads_dso dso = threads_dso(dsos->threads, number);

	return dso.jit ? JIT_FIRST + ((uint64_t)dso.jit_number << JIT_SHIFT)
		       : FIRST + ((uint64_t)number << SHIFT);
}

uint64_t dsos_address(const struct dsos *dsos, uint32_t number, uint64_t offset)
{
	const struct threads_dso dso = threads_dso(dsos->threads, number);
	const struct dso_file *file = &dsos->files[number];
	uint64_t own = offset;

	if (dso.jit)
		return offset <= JIT_OWN ? dsos_moved(dsos, number) + offset : 0;
	for (unsigned int i = 0; i < file->segments; i++) {
		const struct elf_file_segment *segment = &file->segment[i];

		if (segment->code && offset >= segment->offset &&
		    offset - segment->offset < segment->size)
			own = offset - segment->offset + segment->address;
	}
	return own <= OWN ? FIRST + ((uint64_t)number << SHIFT) + own : 0;
}

/* A search for a file that has a map near an address. */
struct near {
	const struct dsos *dsos;
	uint64_t address, place;
};

#define ALIGNED (UINT64_C(4096) - 1) /* files move by whole pages */

/* If this is a map of the segment, find how far the file was moved. */
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
	return number < THREADS_DSOS && dsos->files[number].segments != 0;
}

bool dsos_has(uint64_t address, uint32_t *number, uint64_t *own)
{
	const uint64_t of_file = (address - FIRST) >> SHIFT,
		       of_jit = (address - JIT_FIRST) >> JIT_SHIFT;

	if (address >= JIT_FIRST && of_jit < THREADS_JITS) {
		*number = THREADS_DSOS + (uint32_t)of_jit;
		*own = address & JIT_OWN;
		return true;
	}
	*number = (uint32_t)of_file;
	*own = address & OWN;
	return address >= FIRST && of_file < THREADS_DSOS;
}

bool dsos_find(struct threads *threads, struct threads_who who, uint64_t address, uint32_t *number)
{
	uint64_t own;

	if (!dsos_has(address, number, &own))
		return threads_find(threads, who, address, number, &own);
	/* A record itself may contain such an address, for a file that does not exist. */
	return *number < THREADS_DSOS ? *number < threads_dsos(threads)
				      : threads_jit(threads, *number - THREADS_DSOS, number);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of records: see rows.h. */
#define _GNU_SOURCE /* mremap() */
#include "rows.h"

#include <sys/mman.h>
#include <unistd.h>

_Static_assert(sizeof(struct row) == 128, "two lines of a cache, without a hole");

#define HUGE_PAGE ((size_t)2 << 20) /* of x86-64, and of arm64 with pages of 4 KiB */

#define SMALLEST ((size_t)64 << 10) /* bytes */

/*
 * Bytes of rows for each byte of input: nearly all records have 27 bytes or more. Memory that is
 * never written costs nothing.
 */
#define EXPECTED (sizeof(struct row) / 27 + 1)

/*
 * A separate mapping, at once as large as it is likely to become: moving it takes longer than
 * filling it.
 */
static bool resize(struct rows_list *list, size_t bytes)
{
	void *at;

	if (list->at)
		at = mremap(list->at, list->mapped, bytes, MREMAP_MAYMOVE);
	else
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	/*
	 * Most of the time for a large table goes to page faults. A hint, which the kernel may
	 * refuse.
	 */
	if (bytes >= HUGE_PAGE)
		(void)madvise(at, bytes, MADV_HUGEPAGE);
	list->at = at;
	list->mapped = bytes;
	return true;
}

bool rows_make_room(struct rows_list *list, size_t more)
{
	size_t bytes = 2 * list->mapped;

	if (list->mapped - list->used >= more)
		return true;
	if (bytes < list->used + more)
		bytes = list->used + more;
	bytes = (bytes + SMALLEST - 1) / SMALLEST * SMALLEST;
	return bytes > list->mapped && resize(list, bytes);
}

void rows_expect(struct rows *rows, uint64_t bytes, size_t records)
{
	const size_t most = SIZE_MAX / 4 / sizeof(struct row);

	bytes = bytes < most ? bytes * EXPECTED : most;
	if (records && records < bytes / sizeof(struct row))
		bytes = records * sizeof(struct row);
	if (bytes >= SMALLEST)
		(void)rows_make_room(&rows->records, (size_t)bytes);
}

static void add_extras(struct rows *rows, const struct spe_record *record)
{
	for (unsigned int i = 0; i < record->extra_count && i < SPE_EXTRA_MAX; i++) {
		struct row_extra *extra = (void *)(rows->extras.at + rows->extras.used);

		*extra = (struct row_extra){.row = rows_count(rows),
					    .value = record->extra[i].value,
					    .address = record->extra[i].address,
					    .index = record->extra[i].index};
		rows->extras.used += sizeof(*extra);
	}
}

bool rows_add(struct rows *rows, const struct input_record *in)
{
	const struct spe_record *r = in->decoded;
	struct row *row;

	if (!rows_make_room(&rows->records, sizeof(*row)))
		return false;
	if (r->extra_count) {
		if (!rows_make_room(&rows->extras, SPE_EXTRA_MAX * sizeof(struct row_extra)))
			return false;
		add_extras(rows, r);
	}
	row = (void *)(rows->records.at + rows->records.used);
#define COLUMN(type, numpy, name, has, value) row->name = value;
#include "columns.def"
#undef COLUMN
	rows->records.used += sizeof(*row);
	return true;
}

bool rows_decode(struct rows *rows, const uint8_t *bytes, size_t size, struct input_origin origin,
		 uint64_t offset)
{
	size_t at = 0;

	rows_expect(rows, size, 0);
	while (at < size) {
		struct spe_record found;
		const size_t length = spe_record_read(bytes + at, size - at, &found);
		const struct input_record record = {
			.decoded = &found, .origin = origin, .offset = offset + at + found.offset};

		if (found.size && !rows_add(rows, &record))
			return false;
		at += length;
	}
	return true;
}

void rows_fit(struct rows_list *list)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = (list->used + page - 1) / page * page;

	if (bytes == list->mapped)
		return;
	if (bytes)
		(void)munmap(list->at + bytes, list->mapped - bytes);
	else
		rows_unmap(list->at, list->mapped);
	if (!bytes)
		list->at = NULL;
	list->mapped = bytes;
}

void rows_unmap(uint8_t *at, size_t mapped)
{
	if (at)
		(void)munmap(at, mapped);
}

void rows_free(struct rows *rows)
{
	rows_unmap(rows->records.at, rows->records.mapped);
	rows_unmap(rows->extras.at, rows->extras.mapped);
	*rows = (struct rows){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample records as rows of a table, which NumPy sees as one array. Nothing here needs Python, so
 * tests can use it alone.
 */
#ifndef VSPE_PYTHON_ROWS_H
#define VSPE_PYTHON_ROWS_H

#include "trace/input.h"

struct row {
#define COLUMN(type, numpy, name, has, value) type name;
#include "columns.def"
#undef COLUMN
};

/* A Counter or Address packet of another index, of which most records have none. */
struct row_extra {
	uint64_t row; /* the number of its record in the same table */
	uint64_t value;
	bool address; /* else a counter */
	uint8_t index;
};

/* A list of structs of one size, in a separate mapping. */
struct rows_list {
	uint8_t *at;	     /* to be freed by rows_unmap(), with mapped; or NULL */
	size_t used, mapped; /* bytes */
};

/* Zero-initialise. */
struct rows {
	struct rows_list records; /* struct row */
	struct rows_list extras;  /* struct row_extra */
};

static inline size_t rows_count(const struct rows *rows)
{
	return rows->records.used / sizeof(struct row);
}

/*
 * A hint of the size: bytes of input, and at most records of them before the table is taken; 0
 * where that is not known. Call it before the first record.
 */
void rows_expect(struct rows *rows, uint64_t bytes, size_t records);

/*
 * Add a record, which must have a size. False: there is no memory, and it was not added. Extras
 * beyond those that struct spe_record keeps are only counted, in its extra_count.
 */
bool rows_add(struct rows *rows, const struct input_record *in);

/* Add all records of one buffer, of bytes in memory, at offset in the trace of origin. */
bool rows_decode(struct rows *rows, const uint8_t *bytes, size_t size, struct input_origin origin,
		 uint64_t offset);

/* Make room for so many more bytes in a list. False: there is no memory. */
bool rows_make_room(struct rows_list *list, size_t more);
/* Free what no entry needs. */
void rows_fit(struct rows_list *list);
/* Free the memory of a list; nothing to do for NULL. */
void rows_unmap(uint8_t *at, size_t mapped);
void rows_free(struct rows *rows);

#endif

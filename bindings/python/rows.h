/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample records as rows of a table: what NumPy sees as one array. It knows nothing of Python, so
 * that it can be tried without.
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
	uint64_t row; /* whose it is: a number in the same table */
	uint64_t value;
	bool address; /* else a counter */
	uint8_t index;
};

/* A list of structs of one size, in a separate mapping. */
struct rows_list {
	uint8_t *at;	     /* to be given back by rows_unmap(), with mapped; or NULL */
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
 * At most so many records come of bytes of input before the table is taken: a hint, and 0 where it
 * is not known. To be called before the first record.
 */
void rows_expect(struct rows *rows, uint64_t bytes, size_t records);

/*
 * One more, which has a size. false: there is no memory for it, and it is not there. The extras of
 * a record beyond those that struct spe_record keeps are in its extra_count alone.
 */
bool rows_add(struct rows *rows, const struct input_record *in);

/* All records of bytes in memory, which are one buffer, at offset in the trace of origin. */
bool rows_decode(struct rows *rows, const uint8_t *bytes, size_t size, struct input_origin origin,
		 uint64_t offset);

/* Room for so many more bytes of a list. false: there is no memory. */
bool rows_make_room(struct rows_list *list, size_t more);
/* Give back what no entry needs. */
void rows_fit(struct rows_list *list);
/* The memory of a list. NULL is nothing to do. */
void rows_unmap(uint8_t *at, size_t mapped);
void rows_free(struct rows *rows);

#endif

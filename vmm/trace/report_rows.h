/* SPDX-License-Identifier: BSD-2-Clause */
/* How sections make their rows. */
#ifndef VSPE_TRACE_REPORT_ROWS_H
#define VSPE_TRACE_REPORT_ROWS_H

#include "trace/report_counts.h"
#include "trace/report_share.h"

/* Add a row of empty cells, which is valid until the next one. */
struct report_cell *report_row(struct report_rows *rows);

/* Fill a cell. Text is copied. */
__attribute__((format(printf, 2, 3))) void report_text(struct report_cell *cell, const char *format,
						       ...);
/* A name of any bytes; those that are not printable ASCII become \xNN. */
void report_name(struct report_cell *cell, const char *bytes);
void report_number(struct report_cell *cell, uint64_t number);
/* The mean of count values; empty if count is 0. */
void report_mean_of(struct report_cell *cell, uint64_t sum, uint64_t count);
/* Eight cells: samples of all levels, their share of total with its ends, those of each level. */
void report_levels(struct report_cell *cells, const struct report_origin *origin, uint64_t total);
uint64_t report_samples_of(const struct report_origin *origin);
/* All origins, sorted by key; the caller frees them. */
struct report_rank *report_rank_origins(const struct report_map *origins);
/* Room for REPORT_CELLS_MAX counts, zeros. */
uint64_t *report_cells(struct report_cell *cell);

/* Three cells: the share of count in total, and the ends of its interval. */
void report_shares(struct report_cell *cells, uint64_t count, uint64_t total);

/* Sort keys of a row: by rank, then by tie, the larger first; then by a and b. */
struct report_rank {
	uint64_t rank, tie, a, b;
	uint32_t number;
};

/* Room for count ranks, which the caller frees; NULL for none. */
struct report_rank *report_ranks(size_t count);
/* Sort them, and return how many to show with this limit; rows gets how many are left out. */
size_t report_sort(struct report_rank *ranks, size_t count, size_t limit, struct report_rows *rows);

void report_add_sum(struct report_address *to, const struct report_address *from);
/* Six cells: samples, their share with its ends, mean latency, mispredicted. */
void report_hot(struct report_cell *cells, const struct report_address *sum, uint64_t total);
/* The sort key of code in this order. */
struct report_rank report_ranked(const struct report_address *sum, enum report_order order);

/* "sixty+0x4", or empty without a symbol. */
void report_symbol(struct report_cell *cell, struct symbols *symbols, uint64_t address);
/* "FILE:12"; empty if it is not known. */
void report_source(struct report_cell *cell, const struct report_view *view, uint64_t address);
/* The address itself: the file's own for one of a dso. */
void report_address(struct report_cell *cell, uint64_t address);
/*
 * Keys of functions at a level: (number of the symbol, level), or (page, REPORT_NO_SYMBOL | level)
 * for code without one. The functions give the key for that of a report_address, where it begins,
 * and its name.
 */
#define REPORT_NO_SYMBOL 256u
struct report_key report_function_key(struct symbols *symbols, const struct report_key *address);
uint64_t report_function_start(const struct report_key *key, const struct symbols *symbols);
void report_function_name(struct report_cell *cell, const struct report_key *key,
			  const struct symbols *symbols);

/*
 * Two cells: the file that has data, and "counters+0x8", empty if nothing names them; " ..." after
 * a variable means that there are others. Only report_data_name() may add what else is known of a
 * data address, such as the field of a structure.
 */
void report_data(struct report_cell *cells, const struct report_view *view,
		 const struct report_access *access);
/* The name of a data address, in the form of sample.data. False: it has none. */
bool report_data_name(const struct report_view *view, uint64_t address, char *text, size_t size);
/* Two cells for the second number of a page's or a line's key: VA or PA, and the pid or none. */
void report_space(struct report_cell *cells, uint64_t space);
uint64_t report_accesses(const struct report_access *access);
/* REPORT_ACCESS_CELLS cells: how often, of how many, how fast, from where, how far apart. */
#define REPORT_ACCESS_CELLS 15u
void report_access(struct report_cell *cells, const struct report_access *access, uint64_t total);
/* The name of a user: "work 108", "vCPU 0". Returns text. */
#define REPORT_USER_WORDS 96u
const char *report_user(const struct report *report, const struct report_view *view,
			uint32_t number, char text[REPORT_USER_WORDS]);
/* All of them in a cell. */
void report_uses(struct report_cell *cell, const struct report *report,
		 const struct report_view *view, const struct report_use *uses, uint64_t others);
/* Which dso has an address, also one of the kernel. False if none is known. Needs view->threads. */
bool report_dso(const struct report_view *view, uint64_t address, uint32_t *dso);
/* Its name; empty if it is not known. */
void report_object(struct report_cell *cell, const struct report_view *view, uint64_t address);

/* --- The sections, by the file that has them. */

typedef void report_filler(struct report *report, const struct report_view *view,
			   struct report_rows *rows);

/* report_code.c */
report_filler report_fill_functions, report_fill_addresses, report_fill_branches,
	report_fill_operations, report_fill_events;
/* report_source.c */
report_filler report_fill_source_lines;
/* report_annotation.c */
report_filler report_fill_annotation;
/* report_data.c */
report_filler report_fill_latency, report_fill_histogram, report_fill_sources;
/* report_lines.c */
report_filler report_fill_lines, report_fill_sharing, report_fill_heat;
/* report_pages.c */
report_filler report_fill_pages, report_fill_heatmap;
/* report_who.c */
report_filler report_fill_records, report_fill_cpus, report_fill_levels, report_fill_contexts,
	report_fill_time, report_fill_missing;
/* report_tasks.c */
report_filler report_fill_processes, report_fill_threads, report_fill_objects;

#endif

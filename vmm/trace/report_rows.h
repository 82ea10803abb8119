/* SPDX-License-Identifier: BSD-2-Clause */
/* How sections make their rows. */
#ifndef VSPE_TRACE_REPORT_ROWS_H
#define VSPE_TRACE_REPORT_ROWS_H

#include "trace/report_counts.h"
#include "trace/report_share.h"

/* A row more, of empty cells; valid until the next one. */
struct report_cell *report_row(struct report_rows *rows);

/* What a cell says. Text is copied. */
__attribute__((format(printf, 2, 3))) void report_text(struct report_cell *cell, const char *format,
						       ...);
/* A name of any bytes, those that are not printable ASCII as \xNN. */
void report_name(struct report_cell *cell, const char *bytes);
void report_number(struct report_cell *cell, uint64_t number);
/* The mean of count values; none if there are none. */
void report_mean_of(struct report_cell *cell, uint64_t sum, uint64_t count);
/* Eight cells: samples of all levels, their share of total with its ends, those of each level. */
void report_levels(struct report_cell *cells, const struct report_origin *origin, uint64_t total);
uint64_t report_samples_of(const struct report_origin *origin);
/* Origins in the order of their keys, all of them; to be freed. */
struct report_rank *report_rank_origins(const struct report_map *origins);
/* Room for REPORT_CELLS_MAX counts, zeros. */
uint64_t *report_cells(struct report_cell *cell);

/* Three cells: the share of count in total, and the ends of its interval. */
void report_shares(struct report_cell *cells, uint64_t count, uint64_t total);

/* Where something stands in a table: by rank, then by tie, the larger first; then by a and b. */
struct report_rank {
	uint64_t rank, tie, a, b;
	uint32_t number;
};

/* Room for so many, to be freed; NULL for none. */
struct report_rank *report_ranks(size_t count);
/*
 * Sort them, and say how many of them are shown with this limit; rows gets how many are not.
 */
size_t report_sort(struct report_rank *ranks, size_t count, size_t limit, struct report_rows *rows);

void report_add_sum(struct report_address *to, const struct report_address *from);
/* Six cells: samples, their share with its ends, mean latency, mispredicted. */
void report_hot(struct report_cell *cells, const struct report_address *sum, uint64_t total);
/* What order sorts code by. */
struct report_rank report_ranked(const struct report_address *sum, enum report_order order);

/* "sixty+0x4", or nothing where there is no symbol. */
void report_symbol(struct report_cell *cell, struct symbols *symbols, uint64_t address);
/* "FILE:12"; none if that is not known. */
void report_source(struct report_cell *cell, const struct report_view *view, uint64_t address);
/* The address itself: that of the file for one of a dso. */
void report_address(struct report_cell *cell, uint64_t address);
/*
 * Functions at a level have keys: (number of the symbol, level), or (page, REPORT_NO_SYMBOL |
 * level) of code without one. The key for that of a report_address; where it begins; its name.
 */
#define REPORT_NO_SYMBOL 256u
struct report_key report_function_key(struct symbols *symbols, const struct report_key *address);
uint64_t report_function_start(const struct report_key *key, const struct symbols *symbols);
void report_function_name(struct report_cell *cell, const struct report_key *key,
			  const struct symbols *symbols);

/*
 * Two cells: the file that has data, and "counters+0x8", none where nothing names them; a variable
 * with " ..." is not the only one. What more is known of a data address, such as the field of a
 * structure, is to be said in report_data_name() alone.
 */
void report_data(struct report_cell *cells, const struct report_view *view,
		 const struct report_access *access);
/* The name of a data address, as sample.data has it. false: there is none. */
bool report_data_name(const struct report_view *view, uint64_t address, char *text, size_t size);
/* Two cells of the second number of a page's or a line's key: VA or PA, and the pid or none. */
void report_space(struct report_cell *cells, uint64_t space);
uint64_t report_accesses(const struct report_access *access);
/* REPORT_ACCESS_CELLS cells: how often, of so many, and how fast, from where, how far apart. */
#define REPORT_ACCESS_CELLS 15u
void report_access(struct report_cell *cells, const struct report_access *access, uint64_t total);
/* Who a user is: "work 108", "vCPU 0". Returns text. */
#define REPORT_USER_WORDS 96u
const char *report_user(const struct report *report, const struct report_view *view,
			uint32_t number, char text[REPORT_USER_WORDS]);
/* All of them in a cell. */
void report_uses(struct report_cell *cell, const struct report *report,
		 const struct report_view *view, const struct report_use *uses, uint64_t others);
/* Which dso has an address, the kernel's too. false: none that is known. With view->threads. */
bool report_dso(const struct report_view *view, uint64_t address, uint32_t *dso);
/* Its name; none if that is not known. */
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

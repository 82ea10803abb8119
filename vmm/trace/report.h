/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what sample records say of a program: hot spots, latencies, data sources, branches, cache
 * lines, and who, where and when. report_collect.c counts in memory that does not grow with the
 * input. report_sections.c makes tables of the counts, which vspe report prints. Nothing here
 * prints, and the same records in the same order give the same tables on every machine.
 */
#ifndef VSPE_TRACE_REPORT_H
#define VSPE_TRACE_REPORT_H

#include "trace/annotation.h"
#include "trace/dsos.h"
#include "trace/input.h"
#include "trace/sample.h"
#include "trace/source.h"
#include "trace/symbols.h"
#include "trace/threads.h"

struct report;

/* How many different entries are kept of each kind; further ones are only counted. */
struct report_bounds {
	uint32_t addresses, branches, lines, pages, contexts;
};

/* The bounds of vspe report: some 200 MB when all are full. */
extern const struct report_bounds report_usual_bounds;

struct report *report_new(const struct report_bounds *bounds);
/* NULL is allowed. */
void report_free(struct report *report);

/*
 * Count a record, of a thread or, if it is not known, NULL. set gives its data sources a meaning.
 */
void report_add(struct report *report, struct input_origin origin, const struct threads_life *life,
		enum source_set set, const struct sample *sample);
/* What is missing, once all records have been read. */
void report_missing(struct report *report, const struct input_result *result);
/* Count one that the caller's filter rejects. */
void report_skip(struct report *report);

/* --- Tables of it */

enum report_kind {
	REPORT_TEXT,	/* text */
	REPORT_COUNT,	/* number */
	REPORT_ADDRESS, /* number, as 0x... */
	REPORT_SHARE,	/* number, in hundredths of a per cent */
	REPORT_MEAN,	/* number, in hundredths of a cycle */
	REPORT_CELLS,	/* cells: REPORT_CELLS_MAX counts */
	REPORT_USERS,	/* cells: REPORT_CELLS_MAX sets, a bit for each of up to four users */
};

#define REPORT_COLUMNS	 22u
#define REPORT_CELLS_MAX 64u

struct report_column {
	const char *key;   /* in JSON */
	const char *title; /* for people; with its unit */
	enum report_kind kind;
};

static inline bool report_has_cells(const struct report_column *column)
{
	return column->kind == REPORT_CELLS || column->kind == REPORT_USERS;
}

/* How to draw a table. Columns are given by number. */
struct report_plot {
	enum report_plot_kind {
		REPORT_PLOT_NONE,
		REPORT_PLOT_BARS,   /* a bar a row, of series[0]; low and high are its interval */
		REPORT_PLOT_GROUPS, /* columns side by side, of each series */
		REPORT_PLOT_STACK,  /* one bar, divided by series[0] */
		REPORT_PLOT_TIME,   /* columns on each other, of each series */
		REPORT_PLOT_HEAT,   /* a line of squares a row, of the cells of series[0] */
		REPORT_PLOT_BYTES,  /* ... each in the colour of its user */
	} kind;
	unsigned int label;
	unsigned int series[4], series_count;
	unsigned int low, high;	 /* 0: no interval */
	const char *description; /* for those who cannot see it */
};

struct report_cell {
	uint64_t number;
	char *text;	 /* REPORT_TEXT: printable ASCII; the table's */
	uint64_t *cells; /* REPORT_CELLS, REPORT_USERS; the table's */
	bool none;	 /* there is no value */
};

struct report_rows {
	struct report_cell (*rows)[REPORT_COLUMNS];
	size_t count, room;
	uint64_t left_off;  /* rows beyond the limit */
	uint64_t dropped;   /* records without room in a bounded table */
	const char *remark; /* about these rows; or NULL */
	char said[160];	    /* ... if it has numbers */
	uint32_t empty;	    /* a bit for each optional column without a value */
};

enum report_order {
	REPORT_BY_SAMPLES,
	REPORT_BY_LATENCY, /* the sum of total latencies */
	REPORT_BY_MISPREDICTED,
	REPORT_BY_ADDRESS,
};

struct report_view {
	struct symbols *symbols; /* never NULL */
	const struct dsos *dsos; /* resolves addresses of dsos_address(), with threads; or NULL */
	struct threads *threads; /* or NULL: the input names no processes */
	const struct annotation *annotation; /* or NULL: no function to annotate */
	enum report_order order;	     /* of functions and addresses */
	size_t limit;			     /* the most rows of a table that may be long */
	enum source_set unsaid;		     /* what SOURCE_UNSAID means, known after all records */
};

struct report_section {
	const char *key, *title;
	const char *note;  /* what its words mean; or NULL */
	const char *empty; /* what a table without rows means; NULL: no such records */
	struct report_column columns[REPORT_COLUMNS];
	bool on_demand;	   /* only on request, not with all tables */
	uint32_t optional; /* a bit for each column to leave out if no row has it */
	struct report_plot plot;
	void (*fill)(struct report *report, const struct report_view *view,
		     struct report_rows *rows);
};

/* All of them, in their order. */
extern const struct report_section report_sections[];
extern const size_t report_section_count;

unsigned int report_columns(const struct report_section *section);
/* Is that column of these rows shown? */
bool report_shows(const struct report_rows *rows, unsigned int column);

/* Make a section's table, which the caller frees with report_rows_free(). */
void report_fill(struct report *report, const struct report_section *section,
		 const struct report_view *view, struct report_rows *rows);
void report_rows_free(struct report_rows *rows);

/* --- Lines for other tools */

/* The address of an instruction in its file, which is where other tools look. */
uint64_t report_file_address(struct symbols *symbols, uint64_t address);

/* All functions with their Exception level and samples, for flame graphs. */
struct report_folded {
	const char *function; /* valid until the next */
	int el;		      /* -1: not known */
	uint64_t samples;
};
void report_each_function(struct report *report, const struct report_view *view,
			  void (*take)(void *ctx, const struct report_folded *line), void *ctx);

/* All branches that were taken and have a target. */
struct report_taken {
	uint64_t from, to;
	uint64_t count, mispredicted;
};
/* Returns how many records of branches it left out, including those that were not taken. */
uint64_t report_each_branch(struct report *report,
			    void (*take)(void *ctx, const struct report_taken *branch), void *ctx);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of functions, with their counts from records and their source lines.
 * annotation_find() reads the files; after that only counts change.
 */
#ifndef VSPE_TRACE_ANNOTATION_H
#define VSPE_TRACE_ANNOTATION_H

#include "trace/dsos.h"
#include "trace/sample.h"
#include "trace/symbols.h"

#define ANNOTATION_FUNCTIONS 16u	 /* of one name */
#define ANNOTATION_BYTES     (1u << 20)	 /* of one function */
#define ANNOTATION_SOURCES   64u	 /* files of source text */
#define ANNOTATION_TEXT	     (16u << 20) /* bytes of one */

struct annotation_counts {
	uint64_t samples;
	uint64_t timed, cycles; /* samples with a total latency, and their sum */
	uint64_t l1d_refills, llc_misses, tlb_walks;
	uint64_t taken, not_taken, mispredicted; /* of branches that retired */
};

struct annotation_function {
	uint64_t start; /* as symbols have it */
	size_t count;	/* of instructions */
	uint32_t *code;
	struct annotation_counts *counts;
	uint64_t samples;
};

struct annotation {
	struct annotation_function function[ANNOTATION_FUNCTIONS];
	unsigned int functions;
	unsigned int left_off; /* functions of that name without a place here, or without code */
	struct annotation_source {
		uint32_t file; /* lines_name() */
		char *text;
		size_t size;
		uint32_t *starts; /* of each line, and the end of the last one */
		uint32_t lines;
	} source[ANNOTATION_SOURCES];
	unsigned int sources;
};

/*
 * Find the functions with this name, in the source or for the linker, and read their code. Read the
 * text of their sources below symfs (NULL: this machine). dsos may be NULL. The caller frees the
 * result with annotation_free(). On an error *annotation is NULL: -ENOENT, there is no such
 * function; -ENOEXEC, no file has its code.
 */
int annotation_find(struct annotation **annotation, const char *name, struct symbols *symbols,
		    const struct dsos *dsos, const char *symfs);
/* NULL is allowed. */
void annotation_free(struct annotation *annotation);

void annotation_add(struct annotation *annotation, const struct sample *sample);

/* The text of a line, with its length in *length, or NULL. */
const char *annotation_line(const struct annotation *annotation, uint32_t file, uint32_t line,
			    size_t *length);

#endif

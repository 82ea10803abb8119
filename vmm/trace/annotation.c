/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of functions, with counts: see annotation.h. */
#define _GNU_SOURCE /* O_PATH */
#include "trace/annotation.h"

#include "base/memory.h"
#include "trace/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOW_56 UINT64_C(0x00ffffffffffffff)

/* Of the Events packet, by their bit (D18.2). */
#define L1D_REFILL (UINT64_C(1) << 3)
#define TLB_WALK   (UINT64_C(1) << 5)
#define LLC_MISS   (UINT64_C(1) << 9)

void annotation_free(struct annotation *annotation)
{
	if (!annotation)
		return;
	for (unsigned int i = 0; i < annotation->functions; i++) {
		free(annotation->function[i].code);
		free(annotation->function[i].counts);
	}
	for (unsigned int i = 0; i < annotation->sources; i++) {
		free(annotation->source[i].text);
		free(annotation->source[i].starts);
	}
	free(annotation);
}

/* --- Sources */

/* Do this once, as each instruction may need a different line. */
static void index_lines(struct annotation_source *source)
{
	const char *at = source->text, *end = at + source->size, *newline;
	uint32_t room = 0;

	for (;;) {
		if (source->lines == room) {
			room = room ? 2 * room : 256;
			source->starts = memory_need(
				realloc(source->starts, room * sizeof(*source->starts)));
		}
		source->starts[source->lines] = (uint32_t)(at - source->text);
		if (at == end)
			return;
		newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
		source->lines++;
	}
}

static void read_source(struct annotation *annotation, int root, uint32_t file, const char *path)
{
	struct annotation_source *source = &annotation->source[annotation->sources];
	struct stat status;
	ssize_t got;
	int fd;

	for (unsigned int i = 0; i < annotation->sources; i++)
		if (annotation->source[i].file == file)
			return;
	if (annotation->sources == ANNOTATION_SOURCES)
		return;
	*source = (struct annotation_source){.file = file};
	annotation->sources++;
	fd = elf_file_open_any(root, path, &status);
	if (fd < 0)
		return;
	source->size = status.st_size < ANNOTATION_TEXT ? (size_t)status.st_size : ANNOTATION_TEXT;
	source->text = memory_need(malloc(source->size + 1));
	got = pread(fd, source->text, source->size, 0);
	source->size = got > 0 ? (size_t)got : 0;
	close(fd);
	index_lines(source);
}

static void read_sources(struct annotation *annotation, struct lines *lines, int root)
{
	struct lines_frame frames[LINES_FRAMES];

	for (unsigned int i = 0; i < annotation->functions; i++) {
		const struct annotation_function *function = &annotation->function[i];

		for (size_t n = 0; n < function->count; n++)
			if (lines_find(lines, function->start + 4 * n, frames) &&
			    frames[0].file != LINES_NONE)
				read_source(annotation, root, frames[0].file,
					    lines_name(lines, frames[0].file));
	}
}

const char *annotation_line(const struct annotation *annotation, uint32_t file, uint32_t line,
			    size_t *length)
{
	for (unsigned int i = 0; i < annotation->sources; i++) {
		const struct annotation_source *source = &annotation->source[i];
		const char *at;

		if (source->file != file || !line || line > source->lines)
			continue;
		at = source->text + source->starts[line - 1];
		*length = source->starts[line] - source->starts[line - 1];
		*length -= *length && at[*length - 1] == '\n';
		return at;
	}
	return NULL;
}

/* --- Functions */

/* Returns whether the function is there. */
static bool add_function(struct annotation *annotation, struct symbol symbol,
			 struct symbols *symbols, const struct dsos *dsos, int root)
{
	struct annotation_function *function = &annotation->function[annotation->functions];
	const size_t size = symbol.size < ANNOTATION_BYTES ? symbol.size : ANNOTATION_BYTES;
	uint32_t *code;

	if (annotation->functions == ANNOTATION_FUNCTIONS || size < 4)
		return false;
	code = memory_need(calloc(1, size));
	if (dsos_code(dsos, root, symbol.start, code, size) &&
	    symbols_code(symbols, symbol.start, code, size)) {
		free(code);
		return false;
	}
	*function = (struct annotation_function){
		.start = symbol.start,
		.count = size / 4,
		.code = code,
		.counts = memory_need(calloc(size / 4, sizeof(*function->counts))),
	};
	annotation->functions++;
	return true;
}

int annotation_find(struct annotation **result, const char *name, struct symbols *symbols,
		    const struct dsos *dsos, const char *symfs)
{
	struct annotation *annotation = memory_need(calloc(1, sizeof(*annotation)));
	const int root = open(symfs ? symfs : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = 0;

	for (long i = symbols_next(symbols, -1); i >= 0; i = symbols_next(symbols, i)) {
		const struct symbol symbol = symbols_get(symbols, i);

		if (strcmp(symbol.name, name) == 0 || strcmp(symbol.linkage, name) == 0)
			annotation->left_off +=
				!add_function(annotation, symbol, symbols, dsos, root);
	}
	if (annotation->functions)
		read_sources(annotation, symbols_lines(symbols), root);
	if (root >= 0)
		close(root);
	if (!annotation->functions) {
		error = annotation->left_off ? -ENOEXEC : -ENOENT;
		annotation_free(annotation);
		annotation = NULL;
	}
	*result = annotation;
	return error;
}

/* --- Counts */

static void count(struct annotation_counts *counts, const struct sample *sample)
{
	const bool branch = sample->has & SAMPLE_HAS_OPERATION && sample->class == RECORD_BRANCH &&
			    sample_has_retired(sample);
	const bool not_taken = sample->events & SAMPLE_NOT_TAKEN;

	counts->samples++;
	if (sample->has & SAMPLE_HAS_LATENCY << SAMPLE_TOTAL) {
		counts->timed++;
		counts->cycles += sample->latency[SAMPLE_TOTAL];
	}
	counts->l1d_refills += (sample->events & L1D_REFILL) != 0;
	counts->llc_misses += (sample->events & LLC_MISS) != 0;
	counts->tlb_walks += (sample->events & TLB_WALK) != 0;
	counts->taken += branch && !not_taken;
	counts->not_taken += branch && not_taken;
	counts->mispredicted += branch && sample->events & SAMPLE_MISPREDICTED;
}

void annotation_add(struct annotation *annotation, const struct sample *sample)
{
	if (!(sample->has & SAMPLE_HAS_PC))
		return;
	for (unsigned int i = 0; i < annotation->functions; i++) {
		struct annotation_function *function = &annotation->function[i];
		const uint64_t at = ((sample->pc - function->start) & LOW_56) / 4;

		if (at >= function->count)
			continue;
		count(&function->counts[at], sample);
		function->samples++;
		return;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Random scripts for a unit and the functions of the pseudocode; the shortest that differs. */
#include "conform/functions.h"
#include "base/memory.h"
#include "conform/functions_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ACTIONS	    64u
#define TEXT_MOST   (4u << 20) /* bytes of a file */
#define SHRINKS	    400u       /* scripts that are tried, ... */
#define SHRINK_MOST 50000u     /* ... and operations in them */

struct script {
	uint64_t seed;
	unsigned int count;
	uint64_t actions[ACTIONS];
};

int functions_add(struct functions_text *text, const char *path)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	size_t size = 0;
	int error = 0;

	if (!file)
		return -errno;
	bytes = memory_need(malloc(TEXT_MOST + 1));
	size = fread(bytes, 1, TEXT_MOST + 1, file);
	if (ferror(file))
		error = -EIO;
	else if (size > TEXT_MOST)
		error = -EFBIG;
	fclose(file);
	if (error) {
		free(bytes);
		return error;
	}
	text->files = memory_need(realloc(text->files, (text->count + 1) * sizeof(*text->files)));
	text->files[text->count++] =
		(struct functions_file){.path = path, .bytes = bytes, .size = size};
	return 0;
}

void functions_free(struct functions_text *text)
{
	for (size_t i = 0; i < text->count; i++)
		free(text->files[i].bytes);
	free(text->files);
	*text = (struct functions_text){0};
}

bool functions_check(const struct functions_text *text, char *why, size_t size)
{
	struct functions_machine m;
	FILE *out = fmemopen(why, size, "w");
	bool right;

	if (!out)
		return false;
	right = machine_open(&m, text, out);
	machine_close(&m);
	fclose(out);
	why[size - 1] = 0;
	why[strcspn(why, "\n")] = 0;
	return right;
}

/* Run a script. The number of actions up to the difference, or 0; then *skipped may be set. */
static unsigned int run_script(const struct script *s, struct functions_pair *p,
			       enum spe_version version, const char **skipped)
{
	unsigned int differs = 0;

	if (!pair_open(p, version, s->seed, skipped)) {
		pair_close(p);
		return *skipped ? 0 : 1;
	}
	if (!pair_begin(p))
		differs = 1;
	for (unsigned int i = 0; i < s->count && !differs; i++)
		if (!pair_step(p, s->actions[i]))
			differs = i + 1;
	pair_close(p);
	return differs;
}

/* The same without count actions from first on. */
static struct script without(const struct script *s, unsigned int first, unsigned int count)
{
	struct script shorter = *s;

	memmove(&shorter.actions[first], &shorter.actions[first + count],
		(s->count - first - count) * sizeof(s->actions[0]));
	shorter.count -= count;
	return shorter;
}

/*
 * Leave out actions as long as the two still differ: halves, quarters, down to single ones, until
 * none can go. Each action has its own random bits, so the others stay what they were.
 */
static void shrink(struct script *s, struct functions_pair *p, enum spe_version version)
{
	const uint64_t most = p->result->operations + SHRINK_MOST;
	unsigned int tries = 0;
	const char *skipped = NULL;

	for (unsigned int part = s->count; part > 0; part /= 2)
		for (unsigned int at = 0;
		     at + part <= s->count && tries < SHRINKS && p->result->operations < most;) {
			const struct script shorter = without(s, at, part);
			unsigned int differs;

			tries++;
			differs = run_script(&shorter, p, version, &skipped);
			if (differs) {
				*s = shorter;
				s->count = differs < s->count ? differs : s->count;
			} else {
				at += part;
			}
		}
}

static void report(struct script *s, struct functions_pair *p, enum spe_version version, FILE *why)
{
	const unsigned int found = s->count;
	const char *skipped = NULL;

	shrink(s, p, version);
	fprintf(why, "v1p%d, seed 0x%" PRIx64 ": a script of %u actions, the shortest of %u\n",
		(int)version - 1, s->seed, s->count, found);
	p->why = p->m->why = p->trace = why;
	run_script(s, p, version, &skipped);
}

static bool run_scripts(const struct functions_text *text, struct functions_pair *p,
			enum spe_version version, struct model_run *run)
{
	uint64_t random = 0x41534c + (uint64_t)version;

	while (!run->skipped && p->result->operations < text->operations) {
		struct script s = {.seed = model_random(&random), .count = ACTIONS};
		const struct functions_result before = *p->result;
		unsigned int differs;

		for (unsigned int i = 0; i < ACTIONS; i++)
			s.actions[i] = model_random(&random);
		differs = run_script(&s, p, version, &run->skipped);
		if (!differs)
			continue;
		s.count = differs;
		report(&s, p, version, run->why);
		*p->result = before;
		return false;
	}
	return true;
}

bool functions_run(const struct functions_text *text, enum spe_version version,
		   struct model_run *run, struct functions_result *result)
{
	char *unread = NULL;
	size_t size = 0;
	struct functions_machine m;
	/* What the scripts before the shortest one say. */
	struct functions_pair p = {
		.m = &m, .result = result, .why = memory_need(open_memstream(&unread, &size))};
	FILE *const sink = p.why;
	bool right = machine_open(&m, text, run->why);

	*result = (struct functions_result){0};
	p.bench.subject = run->subject;
	m.why = sink;
	right = right && run_scripts(text, &p, version, run);
	run->cases = result->operations;
	machine_close(&m);
	fclose(sink);
	free(unread);
	return right;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_qemu_user: the software CPU compared with qemu-aarch64 on random sequences of A64
 * instructions.
 *
 * Every case runs under qemu-aarch64 and in each way of the software CPU; registers, SP, flags,
 * memory, the exception at the end and its address must be equal. The ways must count the same
 * number of operations, and the two that profile must write the same sample records. When a case
 * differs, it is run again cut off at each of its words, to find the first instruction that
 * differs.
 *
 * Usage: diff_qemu_user --runner PROGRAM [--qemu COMMAND] [--seed N] [--cases N] [--case N]
 * --case runs that case of the seed alone. Exit: 0 equal, 1 different, 2 wrong usage or no result,
 * 77 qemu-aarch64 is missing.
 */
#include "../array.h"
#include "generate.h"
#include "sides.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77
#define SHOWN	3 /* differing cases that are searched through */

struct options {
	const char *qemu, *runner;
	uint64_t seed;
	uint64_t first, cases;
	bool all; /* every row must be executed */
};

struct tally {
	uint64_t cases, operations[SOFT_WAYS], differences;
	uint64_t executed[ROWS];
};

/* Too large for the stack */
static struct case_input inputs[CASE_BATCH];
static struct case_input cuts[CASE_WORDS]; /* of the case that is searched through */
static struct case_output expected[CASE_BATCH];
static struct case_output got;
static uint64_t digests[CASE_BATCH]; /* of the samples of each case and those before it */

/* All cases of a batch have the same CPU. */
static enum case_cpu cpu_of(uint64_t number)
{
	return (enum case_cpu)(number / CASE_BATCH % CASE_CPUS);
}

static uint64_t case_seed(const struct options *options, uint64_t number)
{
	/*
	 * Mix the number: with the generator's own step, neighbours would be parts of one sequence.
	 */
	uint64_t z =
		options->seed * UINT64_C(0x100000001b3) + number * UINT64_C(0xd1342543de82ef95);

	return (z ^ z >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Says the first difference of SVE's registers, if there is one. */
static bool scalable_difference(const struct case_sve *want, const struct case_sve *have,
				char *text, size_t size)
{
	for (unsigned int at = 0; at < 32 * want->vl; at++) {
		const unsigned int n = at / (unsigned int)want->vl, b = at % (unsigned int)want->vl;

		if (want->z[n][b] == have->z[n][b])
			continue;
		snprintf(text, size, "z%u, byte %u of %u: qemu %02x, soft %02x", n, b,
			 (unsigned int)want->vl, want->z[n][b], have->z[n][b]);
		return true;
	}
	for (unsigned int n = 0; n < 17; n++)
		for (unsigned int b = 0; b < want->vl / 8; b++)
			if (want->p[n][b] != have->p[n][b]) {
				snprintf(text, size,
					 "p%u (16: FFR), byte %u of %u: qemu %02x, soft %02x", n, b,
					 (unsigned int)want->vl / 8, want->p[n][b], have->p[n][b]);
				return true;
			}
	return false;
}

/* The first difference of two results, as text; NULL if there is none. */
static const char *difference(const struct case_output *want, const struct case_output *have)
{
	static char text[160];
	const struct {
		const char *name;
		uint64_t want, have;
	} others[] = {
		{"end", want->end, have->end},	  {"far", want->far, have->far},
		{"pc", want->pc, have->pc},	  {"sp", want->sp, have->sp},
		{"nzcv", want->nzcv, have->nzcv}, {"fpcr", want->fpcr, have->fpcr},
		{"fpsr", want->fpsr, have->fpsr},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].want != others[i].have) {
			snprintf(text, sizeof(text), "%s: qemu %016" PRIx64 ", soft %016" PRIx64,
				 others[i].name, others[i].want, others[i].have);
			return text;
		}
	for (unsigned int n = 0; n < 31; n++)
		if (want->x[n] != have->x[n]) {
			snprintf(text, sizeof(text), "x%u: qemu %016" PRIx64 ", soft %016" PRIx64,
				 n, want->x[n], have->x[n]);
			return text;
		}
	for (unsigned int n = 0; n < 64; n++)
		if (want->v[n / 2][n % 2] != have->v[n / 2][n % 2]) {
			snprintf(text, sizeof(text),
				 "v%u.d[%u]: qemu %016" PRIx64 ", soft %016" PRIx64, n / 2, n % 2,
				 want->v[n / 2][n % 2], have->v[n / 2][n % 2]);
			return text;
		}
	if (scalable_difference(&want->sve, &have->sve, text, sizeof(text)))
		return text;
	for (unsigned int i = 0; i < CASE_BYTES / 8; i++)
		if (want->memory[i] != have->memory[i]) {
			snprintf(text, sizeof(text),
				 "memory %" PRIx64 ": qemu %016" PRIx64 ", soft %016" PRIx64,
				 CASE_SCRATCH + 8 * i, want->memory[i], have->memory[i]);
			return text;
		}
	return NULL;
}

static const char *row_name(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn ? a64_name(insn) : "undefined";
}

static void print_scalable(const struct case_sve *sve)
{
	for (unsigned int n = 0; n < 32; n++) {
		printf("    z%-2u ", n);
		for (unsigned int b = 0; b < sve->vl; b++)
			printf("%02x%s", sve->z[n][b], b % 8 == 7 ? " " : "");
		printf("\n");
	}
	for (unsigned int n = 0; n < 17; n++) {
		printf("    p%-2u ", n);
		for (unsigned int b = 0; b < sve->vl / 8; b++)
			printf("%02x", sve->p[n][b]);
		printf("\n");
	}
}

static void print_state(const char *title, const struct case_output *state)
{
	printf("  %s\n", title);
	for (unsigned int n = 0; n < 31; n++)
		printf("    x%-2u %016" PRIx64 "%s", n, state->x[n], n % 4 == 3 ? "\n" : "");
	for (unsigned int n = 0; n < 32; n++)
		printf("    v%-2u %016" PRIx64 "%016" PRIx64 "%s", n, state->v[n][1],
		       state->v[n][0], n % 2 ? "\n" : "");
	if (state->sve.vl)
		print_scalable(&state->sve);
	printf("    fpcr %08" PRIx64 ", fpsr %08" PRIx64 "\n", state->fpcr, state->fpsr);
	printf("    sp  %016" PRIx64 "\n    nzcv %" PRIx64 ", pc %" PRIx64 ", end %" PRIu64
	       ", far %" PRIx64 "\n",
	       state->sp, state->nzcv >> 28, state->pc, state->end, state->far);
}

/* The word of inputs[0] where a result says it ended; 0 if it is elsewhere. */
static uint32_t last_word(const struct case_output *output)
{
	uint64_t word = (output->pc - CASE_CODE) / 4;

	return word < CASE_WORDS ? cuts[0].code[word] : 0;
}

/* Does inputs[0] differ in its last instruction's effect, or only in its results? */
static void compare_end(const struct options *options, uint64_t number, struct soft_side *side)
{
	static struct case_output whole;

	if (qemu_run(options->qemu, cpu_of(number), options->runner, cuts, 1, &whole))
		return;
	soft_side_run(side, 0, &cuts[0], &got, NULL);
	printf("  last instruction %08" PRIx32 " %s\n", last_word(&whole),
	       row_name(last_word(&whole)));
	if (!difference(&whole, &got)) {
		printf("  the results alone do not differ\n");
		return;
	}
	print_state("after, qemu", &whole);
	print_state("after, soft", &got);
}

/*
 * Find the instruction. cuts[k] is the case with BRK in place of word k. A cut in words that are
 * jumped over shows nothing. The first other cut whose results differ comes after the instruction,
 * or is in a loop with it.
 */
static void search(const struct options *options, uint64_t number, enum soft_way way)
{
	static struct case_output cut[CASE_WORDS];
	struct soft_side *side;
	unsigned int before = 0, k;
	uint32_t first;

	generate_case(case_seed(options, number), cpu_of(number), &cuts[0]);
	first = cuts[0].code[0];
	for (k = CASE_WORDS; k-- > 0;) {
		cuts[k] = cuts[0];
		cuts[k].code[k] = CASE_BRK;
	}
	for (k = 0; k < CASE_WORDS; k += CASE_BATCH) {
		const unsigned int left = CASE_WORDS - k;

		if (qemu_run(options->qemu, cpu_of(number), options->runner, &cuts[k],
			     left < CASE_BATCH ? left : CASE_BATCH, &cut[k]))
			return;
	}
	side = soft_side_open(way);
	if (!side)
		return;
	for (k = 0; k < CASE_WORDS; k++) {
		const unsigned int slot = k % CASE_BATCH;
		const char *what;

		if (cut[k].pc != CASE_CODE + (uint64_t)slot * CASE_SLOT + 4 * (uint64_t)k)
			continue;
		soft_side_run(side, slot, &cuts[k], &got, NULL);
		what = difference(&cut[k], &got);
		if (what) {
			printf("  cut off at word %u of the case: %s\n", k, what);
			for (unsigned int i = before; i < k; i++)
				printf("  instruction %08" PRIx32 " %s\n", cuts[k].code[i],
				       row_name(cuts[k].code[i]));
			print_state("before", &cut[before]);
			print_state("after, qemu", &cut[k]);
			print_state("after, soft", &got);
			break;
		}
		before = k;
	}
	if (k == CASE_WORDS) { /* it ends the case */
		cuts[0].code[0] = first;
		compare_end(options, number, side);
	}
	soft_side_close(side);
}

/* The ways that profile must take the same samples, byte by byte. */
static const char *sample_difference(const struct soft_side *side, enum soft_way way,
				     unsigned int i)
{
	if (way == SOFT_WAY_PROFILE)
		digests[i] = soft_side_digest(side);
	else if ((way == SOFT_WAY_PROFILE_STEP || way == SOFT_WAY_TRANSLATED_PROFILE) &&
		 digests[i] != soft_side_digest(side))
		return "other samples than those of \"profiled\"";
	return NULL;
}

/* Run a batch on a side. Returns the number of the first case that differs, or -1. */
static int64_t run_batch(struct soft_side *side, enum soft_way way, uint64_t first,
			 unsigned int count, struct tally *tally)
{
	int64_t wrong = -1;

	for (unsigned int i = 0; i < count; i++) {
		const char *what;
		uint64_t operations = soft_side_run(side, i, &inputs[i], &got, tally->executed);

		tally->operations[way] += operations;
		what = difference(&expected[i], &got);
		if (!what)
			what = sample_difference(side, way, i);
		if (!what && expected[i].end == inputs[i].end)
			continue;
		if (wrong < 0) {
			printf("case %" PRIu64 ", %s: %s\n", first + i, soft_side_way_name(way),
			       what ? what : "does not end as it was made to, on both sides");
			wrong = (int64_t)(first + i);
		}
		tally->differences++;
	}
	return wrong;
}

static int compare_way(const struct options *options, struct soft_side *side, enum soft_way way,
		       uint64_t first, unsigned int count, struct tally *tally)
{
	uint64_t differences = tally->differences;
	int64_t wrong;

	wrong = run_batch(side, way, first, count, tally);
	if (wrong >= 0 && differences < SHOWN)
		search(options, (uint64_t)wrong, way);
	return wrong >= 0;
}

/* Run one batch on all sides. A search reuses the inputs, so it ends the batch. */
static int run_cases(const struct options *options, struct soft_side *sides[SOFT_WAYS],
		     uint64_t first, unsigned int count, struct tally *tally)
{
	for (unsigned int i = 0; i < count; i++)
		generate_case(case_seed(options, first + i), cpu_of(first), &inputs[i]);
	if (qemu_run(options->qemu, cpu_of(first), options->runner, inputs, count, expected))
		return -1;
	for (enum soft_way way = 0; way < SOFT_WAYS; way++)
		if (compare_way(options, sides[way], way, first, count, tally))
			break;
	tally->cases += count;
	return 0;
}

/* Rows of FP and Advanced SIMD, including loads and stores of their registers. */
static bool is_vector(unsigned int id)
{
	return a64_table[id].operation >= A64_OP_FP && a64_table[id].operation <= A64_OP_STORE_SIMD;
}

static bool covered(unsigned int id)
{
	for (enum case_cpu cpu = 0; cpu < CASE_CPUS; cpu++)
		if (generate_covers(id, cpu))
			return true;
	return false;
}

/* Every row was executed, all ways count alike, and all selected operations were sampled. */
static uint64_t check_tally(const struct options *options, struct soft_side *sides[SOFT_WAYS],
			    const struct tally *tally)
{
	uint64_t failures = 0, executed = tally->executed[ROW_UNDEFINED], rows = 0, vectors = 0;
	uint64_t of_sve = 0, of_sve2 = 0;

	for (unsigned int id = 0; id < A64_COUNT; id++) {
		executed += tally->executed[id];
		rows += tally->executed[id] != 0;
		vectors += is_vector(id) ? tally->executed[id] : 0;
		of_sve += a64_table[id].group == A64_GROUP_SVE ? tally->executed[id] : 0;
		of_sve2 += a64_table[id].group == A64_GROUP_SVE2 ? tally->executed[id] : 0;
		if (options->all && covered(id) && !tally->executed[id]) {
			printf("%s was never executed\n", a64_name(&a64_table[id]));
			failures++;
		}
	}
	for (enum soft_way way = 0; way < SOFT_WAYS; way++)
		if (tally->operations[way] != executed) {
			printf("%s: counted %" PRIu64 " operations of %" PRIu64 "\n",
			       soft_side_way_name(way), tally->operations[way], executed);
			failures++;
		}
	if (options->all && (!soft_side_records(sides[SOFT_WAY_PROFILE]) ||
			     !soft_side_digest(sides[SOFT_WAY_PROFILE]))) {
		printf("no sample was taken\n");
		failures++;
	}
	printf("seed %" PRIu64 ": %" PRIu64 " cases, %" PRIu64 " instructions of %" PRIu64
	       " rows, of them %" PRIu64 " of FP and Advanced SIMD, %" PRIu64 " of SVE, %" PRIu64
	       " of SVE2, in each of %d ways, %" PRIu64 " samples, %" PRIu64 " differences\n",
	       options->seed, tally->cases, executed, rows, vectors, of_sve, of_sve2, SOFT_WAYS,
	       soft_side_records(sides[SOFT_WAY_PROFILE]), tally->differences);
	return failures;
}

static int compare(const struct options *options)
{
	static struct tally tally;
	struct soft_side *sides[SOFT_WAYS] = {NULL};
	uint64_t failures = 0;
	int result = 0;

	for (enum soft_way way = 0; way < SOFT_WAYS && !result; way++) {
		sides[way] = soft_side_open(way);
		result = sides[way] ? 0 : 2;
	}
	for (uint64_t done = 0; done < options->cases && !result && !tally.differences;) {
		const uint64_t left = CASE_BATCH - (options->first + done) % CASE_BATCH;
		uint64_t count = options->cases - done;

		if (count > left)
			count = left;
		if (run_cases(options, sides, options->first + done, (unsigned int)count, &tally))
			result = 2;
		done += count;
	}
	if (!result && !tally.differences)
		failures = check_tally(options, sides, &tally);
	else if (!result)
		printf("seed %" PRIu64 ": %" PRIu64 " differences\n", options->seed,
		       tally.differences);
	for (enum soft_way way = 0; way < SOFT_WAYS; way++)
		if (sides[way])
			soft_side_close(sides[way]);
	return result ? result : tally.differences || failures;
}

static int usage(const char *why, const char *what)
{
	fprintf(stderr,
		"diff_qemu_user: %s '%s'\n"
		"usage: diff_qemu_user --runner PROGRAM [--qemu COMMAND] [--seed N] [--cases N] "
		"[--case N]\n",
		why, what);
	return 2;
}

int main(int argc, char **argv)
{
	struct options options = {
		.qemu = "qemu-aarch64", .seed = 1, .cases = 8 * CASE_BATCH, .all = true};
	char command[256];

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		bool good = *value;

		if (!strcmp(argv[i], "--runner")) {
			options.runner = value;
		} else if (!strcmp(argv[i], "--qemu")) {
			options.qemu = value;
		} else if (!strcmp(argv[i], "--seed")) {
			good = diff_number(value, &options.seed);
		} else if (!strcmp(argv[i], "--cases")) {
			good = diff_number(value, &options.cases) && options.cases;
			options.all = options.cases >= CASE_BATCH;
		} else if (!strcmp(argv[i], "--case")) {
			good = diff_number(value, &options.first);
			options.cases = 1;
			options.all = false;
		} else {
			return usage("unknown option", argv[i]);
		}
		if (!good)
			return usage("no good value for", argv[i]);
	}
	if (!options.runner)
		return usage("missing option", "--runner");
	snprintf(command, sizeof(command), "command -v '%s' >/dev/null 2>&1", options.qemu);
	if (system(command)) {
		printf("SKIP: %s is not installed (qemu-user)\n", options.qemu);
		return SKIPPED;
	}
	printf("seed %" PRIu64 ", cases %" PRIu64 " to %" PRIu64 "\n", options.seed, options.first,
	       options.first + options.cases - 1);
	fflush(stdout);
	return compare(&options);
}

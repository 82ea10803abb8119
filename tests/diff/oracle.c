/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_vixl, diff_dynarmic: the software CPU compared with a library of another project, one
 * instruction at a time.
 *
 * Both begin each instruction of a random case with the same registers and memory, which must be
 * equal after it. What the library is known to do in another way is in its table, oracle_known,
 * each row of which must be seen; and each row of the A64 table must be compared, unless that table
 * says that the library lacks it.
 *
 * Usage: diff_vixl [--seed N] [--cases N] [--case N]
 * --case runs that case of the seed alone. Exit: 0 equal, 1 different, 2 wrong usage or no result.
 */
#include "../array.h"
#include "generator.h"
#include "sides.h"
#include "soft/fp/float.h"
#include "tests/splitmix.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SHOWN	  20	/* differences that are printed */
#define WHOLE	  500	/* so many cases have every instruction */
#define KNOWN_MAX 1024	/* rows of a table */
#define LOOKS	  2000	/* cases for a row of the library's table that was not seen */
#define STEPS	  51200 /* of a case: a loop goes round 8 times at most */

struct options {
	uint64_t seed, first, cases;
};

struct tally {
	uint64_t compared[ROWS], lacked[ROWS];
	uint64_t known[KNOWN_MAX]; /* times that a row of oracle_known was seen */
	uint64_t instructions, differences;
};

/* Memory after an instruction of the software CPU */
struct memory {
	uint8_t scratch[CASE_BYTES], code[CASE_SLOT];
};

static struct tally tally;

static uint8_t *host(uint64_t va)
{
	return (uint8_t *)(uintptr_t)va; /* NOLINT(performance-no-int-to-ptr) */
}

/* The memory of the library, at the addresses of the guest */
static bool map(uint64_t va, size_t size)
{
	void *at = host(va & ~UINT64_C(0xfff));

	return mmap(at, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at;
}

static void put_memory(const struct memory *memory, uint64_t code)
{
	memcpy(host(CASE_SCRATCH), memory->scratch, CASE_BYTES);
	memcpy(host(code), memory->code, CASE_SLOT);
}

/* The first difference as text, or NULL. */
static const char *difference(const struct oracle_state *ours, const struct oracle_state *theirs,
			      const struct memory *memory, uint64_t code)
{
	static char text[160];
	const struct {
		const char *name;
		uint64_t ours, theirs;
	} others[] = {
		{"pc", ours->pc, theirs->pc},
		{"sp", ours->sp, theirs->sp},
		{"nzcv", ours->nzcv, theirs->nzcv},
		{"fpcr", ours->fpcr & oracle.fpcr, theirs->fpcr & oracle.fpcr},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].ours != others[i].theirs) {
			snprintf(text, sizeof(text), "%s: ours %016" PRIx64 ", theirs %016" PRIx64,
				 others[i].name, others[i].ours, others[i].theirs);
			return text;
		}
	for (unsigned int n = 0; n < 31; n++)
		if (ours->x[n] != theirs->x[n]) {
			snprintf(text, sizeof(text), "x%u: ours %016" PRIx64 ", theirs %016" PRIx64,
				 n, ours->x[n], theirs->x[n]);
			return text;
		}
	for (unsigned int n = 0; n < 32; n++)
		if (memcmp(ours->v[n], theirs->v[n], 16)) {
			snprintf(text, sizeof(text),
				 "v%u: ours %016" PRIx64 "%016" PRIx64 ", theirs %016" PRIx64
				 "%016" PRIx64,
				 n, ours->v[n][1], ours->v[n][0], theirs->v[n][1], theirs->v[n][0]);
			return text;
		}
	for (unsigned int i = 0; i < CASE_BYTES; i++)
		if (memory->scratch[i] != host(CASE_SCRATCH)[i]) {
			snprintf(text, sizeof(text), "memory %" PRIx64 ": ours %02x, theirs %02x",
				 CASE_SCRATCH + i, memory->scratch[i], host(CASE_SCRATCH)[i]);
			return text;
		}
	if (memcmp(memory->code, host(code), CASE_SLOT))
		return "code";
	if (!((ours->fpsr ^ theirs->fpsr) & oracle.fpsr))
		return NULL;
	snprintf(text, sizeof(text), "fpsr: ours %08" PRIx64 ", theirs %08" PRIx64, ours->fpsr,
		 theirs->fpsr);
	return text;
}

static bool overlaps(uint32_t word)
{
	const unsigned int d = a64_rt(word), m = a64_rm(word);

	return d == a64_rn(word) || d == m ||
	       d == (m & 15); /* elements of halves have 4 bits of Rm */
}

/* Is a word of row id one of those of a row of oracle_known? */
static bool is_known(const struct oracle_known *row, unsigned int id, uint32_t word)
{
	return row->fault == ORACLE_FLUSHES ||
	       ((row->id == ORACLE_ANY || row->id == id) && (word & row->mask) == row->value &&
		(!row->overlap || overlaps(word)));
}

static bool is_nan(uint32_t single)
{
	return (single & INT32_MAX) > 0x7f800000;
}

/* Vd as it is to be, where theirs differs in the way of a fault of it. */
static void excuse(enum oracle_fault fault, const uint64_t before[2], const uint64_t ours[2],
		   uint64_t theirs[2])
{
	const uint8_t *was = (const uint8_t *)before, *want = (const uint8_t *)ours;
	uint8_t *have = (uint8_t *)theirs;
	uint32_t a[4], b[4];

	for (unsigned int i = 0; i < 16 && fault == ORACLE_KEEPS; i++)
		if (!want[i] && have[i] == was[i])
			have[i] = 0;
	memcpy(a, ours, sizeof(a));
	memcpy(b, theirs, sizeof(b));
	for (unsigned int i = 0; i < 4 && fault == ORACLE_NANS; i++)
		if (is_nan(a[i]) && is_nan(b[i]))
			b[i] = a[i];
	memcpy(theirs, b, sizeof(b));
}

/* Is it known that there is such a difference after a word? Counts it. */
static bool count_known(uint32_t word, const struct oracle_state *before,
			const struct oracle_state *ours, const struct oracle_state *theirs,
			const struct memory *memory, uint64_t code)
{
	const unsigned int id = a64_decode(word)->id;

	for (unsigned int i = 0; i < oracle_known_count; i++) {
		const struct oracle_known *row = &oracle_known[i];
		struct oracle_state excused = *theirs;

		if (!is_known(row, id, word))
			continue;
		if (row->fault == ORACLE_FLAGS)
			excused.fpsr = ours->fpsr;
		if (row->fault == ORACLE_FLUSHES && before->fpcr & FPCR_FZ && ours->fpsr & FPSR_UFC)
			excused.fpsr ^= (excused.fpsr ^ ours->fpsr) & FPSR_IXC;
		if (row->fault == ORACLE_KEEPS || row->fault == ORACLE_NANS)
			excuse(row->fault, before->v[a64_rt(word)], ours->v[a64_rt(word)],
			       excused.v[a64_rt(word)]);
		if (row->fault >= ORACLE_FLAGS && difference(ours, &excused, memory, code))
			continue;
		tally.known[i]++;
		tally.lacked[id] += row->fault == ORACLE_LACKS;
		return true;
	}
	return false;
}

static void show(uint64_t number, uint32_t word, const struct a64_insn *insn,
		 const struct oracle_state *before, const char *what)
{
	const unsigned int n = a64_rn(word), m = a64_rm(word), d = a64_rt(word);

	printf("case %" PRIu64 ", %08" PRIx32 " %s: %s\n", number, word, a64_name(insn), what);
	if (insn->operation >= A64_OP_FP && insn->operation <= A64_OP_STORE_SIMD)
		printf("  v%u %016" PRIx64 "%016" PRIx64 " v%u %016" PRIx64 "%016" PRIx64
		       " v%u %016" PRIx64 "%016" PRIx64 "\n",
		       n, before->v[n][1], before->v[n][0], m, before->v[m][1], before->v[m][0], d,
		       before->v[d][1], before->v[d][0]);
	printf("  x%u %016" PRIx64 " x%u %016" PRIx64 " x%u %016" PRIx64 " nzcv %" PRIx64
	       " fpcr %" PRIx64 " fpsr %" PRIx64 "\n",
	       n, n < 31 ? before->x[n] : before->sp, m, m < 31 ? before->x[m] : 0, d,
	       d < 31 ? before->x[d] : 0, before->nzcv >> 28, before->fpcr, before->fpsr);
}

/* Both execute one instruction; false: it is the last of the case. */
static bool compare_one(struct soft_side *side, uint64_t number, unsigned int index)
{
	static struct memory memory;
	struct oracle_state before, ours, theirs;
	const uint64_t code = CASE_CODE + (uint64_t)index * CASE_SLOT;
	const struct a64_insn *insn;
	enum oracle_answer answer;
	const char *what;
	uint32_t word;

	soft_side_state(side, &before);
	if (!soft_side_step(side))
		return false;
	memcpy(&word, host(before.pc), sizeof(word));
	insn = a64_decode(word);
	if (!insn) {
		printf("case %" PRIu64 ", %08" PRIx32 ": no instruction was executed\n", number,
		       word);
		tally.differences++;
		return false;
	}
	soft_side_state(side, &ours);
	soft_side_memory(side, index, memory.scratch, memory.code);
	theirs = before;
	answer = oracle.step(&theirs);
	tally.instructions++;
	what = answer == ORACLE_DONE ? difference(&ours, &theirs, &memory, code)
				     : "it does not execute";
	if (answer == ORACLE_ABSENT)
		tally.lacked[insn->id]++;
	else if (!what)
		tally.compared[insn->id]++;
	else if (!count_known(word, &before, &ours, &theirs, &memory, code) &&
		 tally.differences++ < SHOWN)
		show(number, word, insn, &before, what);
	if (what)
		put_memory(&memory, code);
	return true;
}

/*
 * Bits that should be one ("(1)"), without which a library need not take a word for the
 * instruction.
 */
static void set_ones(uint32_t code[CASE_WORDS])
{
	static const struct {
		enum a64_id id;
		uint32_t ones;
	} rows[] = {
		{A64_LDXR, 0x1f7c00},  {A64_STXR, 0x7c00},    {A64_LDXP, 0x1f0000},
		{A64_LDAR, 0x1f7c00},  {A64_LDLAR, 0x1f7c00}, {A64_STLR, 0x1f7c00},
		{A64_STLLR, 0x1f7c00}, {A64_LDAPR, 0x1f0000}, {A64_CAS, 0x7c00},
		{A64_CASP, 0x7c00},    {A64_SMULH, 0x7c00},   {A64_UMULH, 0x7c00},
	};

	for (unsigned int i = 0; i < CASE_WORDS; i++) {
		const struct a64_insn *insn = a64_decode(code[i]);

		for (unsigned int r = 0; r < ARRAY_SIZE(rows) && insn; r++)
			code[i] |= insn->id == rows[r].id ? rows[r].ones : 0;
	}
}

static uint64_t case_seed(const struct options *options, uint64_t number)
{
	uint64_t state = options->seed * UINT64_C(0x100000001b3) + number;

	return splitmix64(&state);
}

static int run_case(struct soft_side *side, struct case_input *input, uint64_t number)
{
	static struct memory memory;
	const unsigned int index = number % 2; /* one of the two crosses a page */
	unsigned int steps = 0;

	set_ones(input->code);
	input->fpcr &= oracle.fpcr;
	if (!soft_side_enter(side, index, input)) {
		fprintf(stderr, "case %" PRIu64 " does not begin\n", number);
		return 2;
	}
	soft_side_memory(side, index, memory.scratch, memory.code);
	put_memory(&memory, CASE_CODE + (uint64_t)index * CASE_SLOT);
	oracle.begin();
	while (compare_one(side, number, index))
		if (++steps == STEPS) {
			fprintf(stderr, "case %" PRIu64 " does not end\n", number);
			return 2;
		}
	return 0;
}

static int compare_case(struct soft_side *side, const struct options *options, uint64_t number)
{
	static struct case_input input;

	generate_case(case_seed(options, number), CASE_CPU_MAX, &input);
	return run_case(side, &input, number);
}

/*
 * Cases of one row of the A64 table, without access to memory, until a row of oracle_known is seen
 * that random cases seldom show. Registers that are written have no numbers of use for long.
 */
static int look_for(struct soft_side *side, const struct options *options, unsigned int known)
{
	static struct case_input input;
	const struct oracle_known *row = &oracle_known[known];
	int result = 0;

	if (row->id == ORACLE_ANY || a64_table[row->id].address != A64_ADDR_NONE)
		return 0;
	for (uint64_t i = 0; i < LOOKS && !tally.known[known] && !result; i++) {
		const uint64_t seed = case_seed(options, i << 32 | known);
		struct generator g = {.random = seed, .code = input.code, .cpu = CASE_CPU_MAX};

		generate_case(seed, CASE_CPU_MAX, &input);
		while (g.count < 64) {
			const uint32_t word = gen_word(&g, row->id);

			if (a64_decode(word)->id == row->id && is_known(row, row->id, word))
				gen_emit(&g, word);
		}
		gen_emit(&g, CASE_BRK);
		result = run_case(side, &input, i);
	}
	return result;
}

/* Every row was compared or is lacked, not too many are, and what is known was seen. */
static uint64_t check_tally(void)
{
	uint64_t failures = 0;
	unsigned int rows = 0;

	for (unsigned int id = 0; id < A64_COUNT; id++) {
		rows += tally.compared[id] != 0;
		if (generate_covers(id, CASE_CPU_MAX) && !tally.compared[id] && !tally.lacked[id]) {
			printf("%s was never compared\n", a64_name(&a64_table[id]));
			failures++;
		}
	}
	if (rows < oracle.rows) {
		printf("%u rows were compared, not %u\n", rows, oracle.rows);
		failures++;
	}
	for (unsigned int i = 0; i < oracle_known_count; i++)
		if (!tally.known[i]) {
			printf("no difference was seen of row %u of oracle_known: %s\n", i,
			       oracle_known[i].reason);
			failures++;
		}
	return failures;
}

static const char *known_name(const struct oracle_known *row)
{
	return row->id == ORACLE_ANY ? "any" : a64_name(&a64_table[row->id]);
}

static void print_tally(const struct options *options)
{
	static const char *const faults[] = {"lacks",	"errs",	 "may", "flags",
					     "flushes", "keeps", "nans"};
	uint64_t compared = 0, lacked = 0, seen = 0, rows = 0;

	for (unsigned int id = 0; id < A64_COUNT; id++) {
		compared += tally.compared[id];
		lacked += tally.lacked[id];
		rows += tally.compared[id] != 0;
		if (tally.lacked[id])
			printf("%s skips %s, %" PRIu64 " times\n", oracle.name,
			       a64_name(&a64_table[id]), tally.lacked[id]);
	}
	for (unsigned int i = 0; i < oracle_known_count; i++) {
		const struct oracle_known *row = &oracle_known[i];

		seen += row->fault == ORACLE_LACKS ? 0 : tally.known[i];
		printf("%s %s, word %08" PRIx32 " under %08" PRIx32 "%s, %" PRIu64 " times: %s\n",
		       faults[row->fault], known_name(row), row->value, row->mask,
		       row->overlap ? ", Rd again" : "", tally.known[i], row->reason);
	}
	printf("seed %" PRIu64 ": %" PRIu64 " instructions: %" PRIu64 " of %" PRIu64
	       " rows as %s has them, %" PRIu64 " skipped, %" PRIu64 " with a known difference, "
	       "%" PRIu64 " with another\n",
	       options->seed, tally.instructions, compared, rows, oracle.name, lacked, seen,
	       tally.differences);
}

static int compare(const struct options *options)
{
	struct soft_side *side = soft_side_open(SOFT_WAY_STEP);
	int result = side ? 0 : 2;

	for (uint64_t i = 0; i < options->cases && !result; i++)
		result = compare_case(side, options, options->first + i);
	for (unsigned int i = 0; i < oracle_known_count && options->cases >= WHOLE && !result; i++)
		result = look_for(side, options, i);
	if (side)
		soft_side_close(side);
	print_tally(options);
	if (!result && options->cases >= WHOLE)
		result = check_tally() != 0;
	return result ? result : tally.differences != 0;
}

int main(int argc, char **argv)
{
	struct options options = {.seed = 1, .cases = 2 * WHOLE};

	for (int i = 1; i < argc; i += 2) {
		uint64_t value = 0;

		if (i + 1 == argc || !diff_number(argv[i + 1], &value)) {
			fprintf(stderr, "%s: option '%s' takes a number\n", argv[0], argv[i]);
			return 2;
		}
		if (!strcmp(argv[i], "--seed")) {
			options.seed = value;
		} else if (!strcmp(argv[i], "--cases")) {
			options.cases = value;
		} else if (!strcmp(argv[i], "--case")) {
			options.first = value;
			options.cases = 1;
		} else {
			fprintf(stderr, "%s: no option '%s': --seed, --cases or --case\n", argv[0],
				argv[i]);
			return 2;
		}
	}
	if (oracle_known_count > KNOWN_MAX || !map(CASE_CODE, (size_t)3 * CASE_SLOT) ||
	    !map(CASE_SCRATCH, CASE_BYTES) || !oracle.open()) {
		fprintf(stderr, "%s: %s does not start\n", argv[0], oracle.name);
		return 2;
	}
	return compare(&options);
}

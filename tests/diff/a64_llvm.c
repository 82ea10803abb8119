/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 table compared with the disassembler of LLVM 19, in those spaces of words that GNU
 * objdump (a64_objdump.c) knows less of.
 *
 * Words are drawn from every row of a space (its fields random), from their neighbours (one bit
 * turned over) and at random from the whole space. For each, both must agree whether it is an
 * instruction, and on its mnemonic.
 *
 * Usage: diff_a64_llvm [--seed N] [--words N]; N words for each row, and a thousand times as many
 * of the whole space. Exit: 0 agreed, 1 differed, 77 no llvm-mc-19.
 */
#include "../array.h"
#include "a64/a64.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/splitmix.h"

#define LLVM_MC	      "llvm-mc-19"
#define SKIPPED	      77
#define SHOWN	      40
#define MNEMONIC_SIZE 32
#define OF_SPACE      500 /* words of the whole space for each of a row */

static uint64_t random_state;

/* What is compared: the words that have these bits, with these features of LLVM. */
struct space {
	const char *name;
	uint32_t mask, value;
	const char *features;
};

/* Those of floating-point and Advanced SIMD, where every word has a row, are objdump's. */
static const struct space spaces[] = {
	{"immediates", 0x1c000000, 0x10000000, "+all"},
	{"branches and system", 0x1c000000, 0x14000000, "+all"},
	{"loads and stores", 0x0a000000, 0x08000000, "+all"},
	{"registers", 0x0e000000, 0x0a000000, "+all"},
	{"SVE and SVE2", 0x1e000000, 0x04000000, "+all"},
	{"SME's loads and stores", 0xbe000000, 0xa0000000, "+all"},
	{"the reserved ones", 0x9e000000, 0x00000000, "+all"},
};

/* Features that are newer than LLVM 19. */
static const uint8_t newer[] = {A64_FEAT_LSFE, A64_FEAT_LSUI, A64_FEAT_CMPBR};

/* Where LLVM 19 and the table differ, and why. */
static const struct {
	uint32_t mask, value;
	const char *why;
} differing[] = {
	{0xffff0000, 0x00000000, "UDF is no row, as it is undefined for good"},
	{0xfffff0ff, 0xd500403f, "XAFLAG: CRm is (0)(0)(0)(0), which must be 0 here"},
	{0xfffff0ff, 0xd500405f, "AXFLAG: the same"},
	{0xfffff0ff, 0xd50330ff, "SB: the same"},
	{0xffd80000, 0xd5000000, "MRS, MSR: no system register has op0 0"},
	{0xffd80000, 0xd5400000, "MRRS, MSRR: the same"},
	{0xfff80000, 0xd5680000, "MRRS: those with op0 1 are instructions, which return nothing"},
	{0xffffffe0, 0xd5233060, "TSTART: the Transactional Memory Extension is withdrawn"},
	{0xffffffff, 0xd503307f, "TCOMMIT: the same"},
	{0xffe0001f, 0xd4600000, "TCANCEL: the same"},
	{0xfb200c00, 0x19000400, "MOPS: registers that coincide or are 31 are UNDEFINED here"},
};

/* The files of a comparison: what llvm-mc is given, its listing, and its warnings. */
struct files {
	FILE *words, *listing, *warnings;
	char paths[3][32];
};

/* Rows that stand for a class of words rather than for instructions. */
static bool is_coarse(const struct a64_insn *insn)
{
	switch (insn->id) {
	case A64_SME_REST:
	case A64_ST1R: /* to ST4R: for their class */
	case A64_ST2R:
	case A64_ST3R:
	case A64_ST4R: return true;
	default: return false;
	}
}

static bool may_differ(const struct a64_insn *insn, uint32_t word)
{
	for (size_t i = 0; insn && i < ARRAY_SIZE(newer); i++)
		if (insn->feature == newer[i])
			return true;
	if (insn && is_coarse(insn))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(differing); i++)
		if ((word & differing[i].mask) == differing[i].value)
			return true;
	return false;
}

static bool is_in(const struct space *space, uint32_t word)
{
	return (word & space->mask) == space->value;
}

static uint32_t next_word(void)
{
	return (uint32_t)splitmix64(&random_state);
}

/* Fields of instructions that have no more than their opcode are all ones or all zeros. */
static uint32_t with_plain_fields(uint32_t word)
{
	static const uint8_t lsbs[] = {0, 5, 10, 16};

	for (size_t i = 0; i < ARRAY_SIZE(lsbs); i++) {
		const uint32_t field = UINT32_C(0x1f) << lsbs[i];

		switch (next_word() % 4) {
		case 0: word |= field; break;
		case 1: word &= ~field; break;
		default: break;
		}
	}
	return word;
}

/* A word of the space that is like those of a row, or NULL. */
static uint32_t draw(const struct space *space, const struct a64_insn *insn)
{
	uint32_t word = next_word();

	if (next_word() % 2)
		word = with_plain_fields(word);
	if (insn)
		word = (word & ~insn->mask) | insn->value;
	if (insn && next_word() % 4 == 0)
		word ^= UINT32_C(1) << next_word() % 32;
	return (word & ~space->mask) | space->value;
}

static void write_word(FILE *file, uint32_t word)
{
	fprintf(file, "%#x %#x %#x %#x\n", word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff,
		word >> 24);
}

/* Returns the words, how many of them in *count. The caller frees them. */
static uint32_t *draw_words(const struct space *space, size_t per_row, size_t *count)
{
	size_t most = (A64_COUNT + OF_SPACE) * per_row, n = 0;
	uint32_t *words = malloc(most * sizeof(*words));

	if (!words)
		return NULL;
	for (unsigned int id = 0; id < A64_COUNT; id++)
		for (size_t i = 0; i < per_row && is_in(space, a64_table[id].value); i++)
			words[n++] = draw(space, &a64_table[id]);
	for (size_t i = 0; i < OF_SPACE * per_row; i++)
		words[n++] = draw(space, NULL);
	*count = n;
	return words;
}

static void close_files(struct files *files)
{
	FILE *const all[] = {files->words, files->listing, files->warnings};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i])
			fclose(all[i]);
		if (files->paths[i][0])
			unlink(files->paths[i]);
	}
}

static bool open_files(struct files *files)
{
	FILE **const all[] = {&files->words, &files->listing, &files->warnings};

	*files = (struct files){0};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int fd;

		strcpy(files->paths[i], "/tmp/vspe-a64-XXXXXX");
		fd = mkstemp(files->paths[i]);
		*all[i] = fd < 0 ? NULL : fdopen(fd, "w+");
		if (!*all[i]) {
			perror(files->paths[i]);
			return false;
		}
	}
	return true;
}

static bool run_llvm(struct files *files, const struct space *space, const uint32_t *words,
		     size_t count)
{
	char command[512];

	for (size_t i = 0; i < count; i++)
		write_word(files->words, words[i]);
	fflush(files->words);
	snprintf(command, sizeof(command),
		 LLVM_MC " -disassemble -triple=aarch64 -M no-aliases -mattr=%s <%s >%s 2>%s",
		 space->features, files->paths[0], files->paths[1], files->paths[2]);
	/* Its exit code is 0 with warnings, too. */
	return system(command) == 0;
}

/* The number, from 1, of the next word that a warning is about; 0 after the last. */
static size_t next_warning(FILE *warnings)
{
	static const char file[] = "<stdin>:";
	char line[256];

	while (fgets(line, sizeof(line), warnings))
		if (!strncmp(line, file, strlen(file)) && strstr(line, "invalid instruction"))
			return strtoull(line + strlen(file), NULL, 10);
	return 0;
}

/* The mnemonic of the next instruction. */
static bool next_mnemonic(FILE *listing, char mnemonic[MNEMONIC_SIZE])
{
	char line[256];

	while (fgets(line, sizeof(line), listing))
		if (line[0] == '\t' && line[1] != '.')
			return sscanf(line, "%31s", mnemonic) == 1;
	return false;
}

/*
 * The name of a row begins with the mnemonic, which may go on with acquire, release and options.
 * Rows of a64.table are objdump's to compare.
 */
static bool same_name(const struct a64_insn *insn, const char *mnemonic)
{
	const bool more = insn->address != A64_ADDR_NONE || a64_moves_memory(insn);
	const char *name = a64_name(insn);
	size_t i = 0;

	/* TLBIP is an alias of SYSP that LLVM knows in any case. */
	if (insn->id < A64_ADD_Z_P_ZZ || insn->id == A64_SYSP || is_coarse(insn))
		return true;
	while (name[i] && name[i] != '_' && tolower(name[i]) == mnemonic[i])
		i++;
	if (name[i] != '_' && name[i] != '\0')
		return false;
	return mnemonic[i] == '\0' || mnemonic[i] == '.' || more;
}

struct result {
	size_t allocated, differences;
};

static bool compare(struct files *files, const uint32_t *words, size_t count, struct result *result)
{
	size_t invalid = next_warning(files->warnings);

	for (size_t i = 0; i < count; i++) {
		const struct a64_insn *insn = a64_decode(words[i]);
		const bool valid = invalid != i + 1;
		char mnemonic[MNEMONIC_SIZE] = "nothing";

		result->allocated += insn != NULL;
		if (!valid)
			invalid = next_warning(files->warnings);
		else if (!next_mnemonic(files->listing, mnemonic))
			return false;
		if (valid != (insn != NULL) && may_differ(insn, words[i]))
			continue;
		if (valid == (insn != NULL) && (!insn || same_name(insn, mnemonic)))
			continue;
		if (++result->differences <= SHOWN)
			printf("%08" PRIx32 ": the table has %s, LLVM %s\n", words[i],
			       insn ? a64_name(insn) : "nothing", mnemonic);
	}
	return true;
}

/* Returns the differences; a comparison that fails is one. */
static size_t compare_space(const struct space *space, size_t per_row)
{
	struct result result = {0};
	struct files files;
	size_t count = 0;
	uint32_t *words = draw_words(space, per_row, &count);

	if (!words || !open_files(&files)) {
		free(words);
		return 1;
	}
	if (!run_llvm(&files, space, words, count) || !compare(&files, words, count, &result)) {
		printf("%s: " LLVM_MC " failed, or its listing is short\n", space->name);
		result.differences++;
	}
	printf("%s: %zu words, %zu allocated, %zu differences\n", space->name, count,
	       result.allocated, result.differences);
	close_files(&files);
	free(words);
	return result.differences;
}

int main(int argc, char **argv)
{
	size_t per_row = 300, differences = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			random_state = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--words"))
			per_row = strtoull(argv[i + 1], NULL, 0);
	}
	if (system("command -v " LLVM_MC " >/dev/null 2>&1")) {
		printf("SKIP: " LLVM_MC " is not installed (llvm-19)\n");
		return SKIPPED;
	}
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		differences += compare_space(&spaces[i], per_row);
	return differences ? 1 : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 table compared with the disassembler of another project: GNU objdump for aarch64.
 *
 * Words are drawn from every row of the table (its fields random), from their neighbours (one bit
 * turned over) and at random from the whole space of 32 bits. For each, both must agree whether it
 * is an instruction of Armv8.1's integer set, of floating-point or Advanced SIMD, and on its
 * mnemonic.
 *
 * Usage: diff_a64_objdump [--seed N] [--words N]; N words for each row. Exit: 0 agreed, 1 differed,
 * 77 no objdump.
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

#define OBJDUMP	      "aarch64-linux-gnu-objdump"
#define SKIPPED	      77
#define SHOWN	      40
#define MNEMONIC_SIZE 32

static uint64_t random_state;

static uint64_t next_random(void)
{
	return splitmix64(&random_state);
}

/* Mnemonics that came after Armv8.1: unallocated in this table. A trailing '*' matches anything. */
static const char *const later[] = {
	"udf", /* permanently undefined */
	"addg",	   "subg",   "irg",   "gmi",	 "subp*",
	"ldg*",	   "stg*",   "st2g",  "stz2g",	 "stzg*",   /* 8.5 MTE */
	"ld64b",   "st64b*", "wfet",  "wfit",	 "bc.*",    /* 8.7, 8.8 */
	"setg*",   "tstart", "ttest", "tcommit", "tcancel", /* MOPS with MTE, TME */
	"smstart", "smstop", "smax",  "smin",	 "umax",
	"umin",	   "abs",    "cnt",   "ctz", /* 8.9 CSSC */
};

static bool matches(const char *text, const char *pattern)
{
	size_t length = strlen(pattern);

	if (length && pattern[length - 1] == '*')
		return !strncmp(text, pattern, length - 1);
	return !strcmp(text, pattern);
}

/*
 * Whether objdump's line names an instruction that the table should have; vector: it is in the
 * groups of SIMD.
 */
static bool in_scope(bool vector, const char *mnemonic, const char *operands)
{
	/* PSTATE fields and barriers that are later variants of a mnemonic we have */
	static const char *const fields[] = {"tco", "allint", "svcr", "pm"};

	if (!strcmp(mnemonic, ".inst"))
		return false;
	if (vector)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(later); i++)
		if (matches(mnemonic, later[i]))
			return false;
	if (!strcmp(mnemonic, "msr")) {
		if (!strncmp(operands, "s0_", 3))
			return false; /* no system register has op0 = 0 */
		if (strstr(operands, ", #"))
			for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
				if (!strncmp(operands, fields[i], strlen(fields[i])))
					return false;
	}
	if (!strcmp(mnemonic, "mrs") && strstr(operands, ", s0_"))
		return false;
	return strcmp(mnemonic, "dsb") != 0 || !strstr(operands, "nxs");
}

/* Rows whose name does not start with the mnemonic. A trailing '*' matches anything. */
static const struct {
	uint16_t id;
	const char *mnemonic;
} names[] = {
	{A64_REV64, "rev"},	{A64_REV32, "rev"},	  {A64_STXR, "stlxr"},
	{A64_STXP, "stlxp"},	{A64_LDXR, "ldaxr"},	  {A64_LDXP, "ldaxp"},
	{A64_YIELD, "hint"},	{A64_WFE, "hint"},	  {A64_WFI, "hint"},
	{A64_SEV, "hint"},	{A64_SEVL, "hint"},	  {A64_PSB_CSYNC, "hint"},
	{A64_DC_ZVA, "sys"},	{A64_B_COND, "b."},	  {A64_SYS, "sysp"},
	{A64_BRAA, "brab"},	{A64_BRAAZ, "brabz"},	  {A64_BLRAA, "blrab"},
	{A64_BLRAAZ, "blrabz"}, {A64_RETAA, "retab"},	  {A64_ERETAA, "eretab"},
	{A64_LDRAA, "ldrab"},	{A64_LDRAA_PRE, "ldrab"}, {A64_PAC, "pac*"},
	{A64_PAC, "aut*"},	{A64_PAC_ZERO, "pac*"},	  {A64_PAC_ZERO, "aut*"},
	{A64_XPAC, "xpac*"},	{A64_PAC_LR, "hint"},	  {A64_PAC_1716, "hint"},
	{A64_XPACLRI, "hint"},
};

/* What may follow the name of a load, a store or an atomic: order, then size. */
static bool is_suffix(const char *text)
{
	if (!strncmp(text, "al", 2))
		text += 2;
	else if (*text == 'a' || *text == 'l')
		text++;
	if (*text == 's') /* LDRS */
		text++;
	if (*text == 'b' || *text == 'h' || *text == 'w')
		text++;
	return *text == '\0';
}

/* FEAT_MOPS: the name has the options. */
static const char *options_of(const struct a64_insn *insn, uint32_t word)
{
	static const char *const copy[] = {"",	 "wt",	 "rt",	 "t",	"wn", "wtwn", "rtwn", "twn",
					   "rn", "wtrn", "rtrn", "trn", "n",  "wtn",  "rtn",  "tn"};
	static const char *const set[] = {"", "t", "n", "tn"};

	return insn->operation == A64_OP_MEMORY_SET ? set[a64_get_memory_set(word).options]
						    : copy[a64_get_memory_copy(word).options];
}

static bool same_name(const struct a64_insn *insn, uint32_t word, const char *mnemonic)
{
	const char *name = a64_name(insn);
	char base[MNEMONIC_SIZE] = "";
	bool memory = insn->address != A64_ADDR_NONE;

	for (size_t i = 0; name[i] && name[i] != '_' && i + 1 < sizeof(base); i++)
		base[i] = (char)tolower(name[i]);
	if (!strncmp(mnemonic, base, strlen(base))) {
		const char *rest = mnemonic + strlen(base);

		if (a64_moves_memory(insn))
			return strcmp(rest, options_of(insn, word)) == 0;
		if (*rest == '\0' || (memory && is_suffix(rest)))
			return true;
		/* SADDL2 is SADDL with Q, which also distinguishes BFMLALB and BFMLALT. */
		if (insn->group == A64_GROUP_VECTOR && strchr("2bt", *rest) && rest[1] == '\0')
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i].mnemonic);

		if (names[i].id == insn->id && matches(mnemonic, names[i].mnemonic))
			return true;
		if (names[i].id != insn->id || strncmp(mnemonic, names[i].mnemonic, length) != 0)
			continue;
		return insn->id == A64_B_COND || mnemonic[length] == '\0' ||
		       (memory && is_suffix(mnemonic + length));
	}
	return false;
}

/* One line of objdump: "   offset:\tword \tmnemonic\toperands". false for others. */
static bool parse(char *line, uint32_t *word, char **mnemonic, char **operands)
{
	static char none[] = "";
	char *colon = strchr(line, ':');
	char *end;

	if (!colon || colon[1] != '\t')
		return false;
	*word = (uint32_t)strtoul(colon + 2, &end, 16);
	if (end == colon + 2 || !(*mnemonic = strchr(end, '\t')))
		return false;
	++*mnemonic;
	(*mnemonic)[strcspn(*mnemonic, "\n")] = '\0';
	*operands = strchr(*mnemonic, '\t');
	if (*operands)
		*(*operands)++ = '\0';
	else
		*operands = none;
	return true;
}

/*
 * Words that are CONSTRAINED UNPREDICTABLE, or whose ignored bits objdump does not ignore: the
 * software CPU executes them, objdump calls them undefined.
 */
static bool may_differ(const struct a64_insn *insn, uint32_t word)
{
	if (insn->feature == A64_FEAT_LSFE) /* newer than Debian's objdump */
		return true;
	switch (insn->id) {
	case A64_STXR:
	case A64_LDXR:
	case A64_STLLR:
	case A64_STLR:
	case A64_LDLAR:
	case A64_LDAR:
		/* (1)(1)(1)(1)(1) in Rs or Rt2 */
		return a64_rs(word) != 31 || a64_rt2(word) != 31;
	case A64_LDPSW:
	case A64_LDPSW_POST:
	case A64_LDPSW_PRE:
		return a64_rt(word) == a64_rt2(word) || a64_rn(word) == a64_rt(word) ||
		       a64_rn(word) == a64_rt2(word);
	case A64_MSR_SPSEL:
	case A64_MSR_UAO:
	case A64_MSR_DIT:
	case A64_MSR_SSBS:
	case A64_MSR_PAN: return a64_crm(word) > 1; /* only bit 0 of CRm counts */
	case A64_MSR_PM: return true;		    /* newer than most of objdump */
	case A64_FCSEL:
	case A64_FCCMP:
	case A64_FCCMPE: return true; /* objdump does not check reserved sizes */
	default: return insn->operation == A64_OP_LOAD_SIMD || insn->operation == A64_OP_STORE_SIMD;
	}
}

static size_t write_words(FILE *file, size_t per_row)
{
	size_t count = 0;

	for (unsigned int id = 0; id < A64_COUNT; id++)
		for (size_t i = 0; i < per_row; i++) {
			const struct a64_insn *insn = &a64_table[id];
			uint32_t word = ((uint32_t)next_random() & ~insn->mask) | insn->value;

			switch (i % 8) {
			case 6: word ^= UINT32_C(1) << (next_random() & 31); break;
			case 7: word = (uint32_t)next_random(); break;
			default: break;
			}
			for (unsigned int byte = 0; byte < 4; byte++)
				fputc((int)(word >> 8 * byte & 0xff), file);
			count++;
		}
	return count;
}

/* FEAT_MOPS: registers that coincide, or are 31, are UNDEFINED here and printed by objdump. */
static bool is_unpredictable(uint32_t word, const char *mnemonic)
{
	const struct a64_memory_copy f = a64_get_memory_copy(word);
	const bool set = !strncmp(mnemonic, "set", 3);

	if (!set && !matches(mnemonic, "cpy*"))
		return false;
	return f.rd == 31 || f.rn == 31 || (f.rs == 31 && !set) || f.rd == f.rs || f.rd == f.rn ||
	       f.rs == f.rn;
}

/* Returns the number of words read and counts the differences. */
static size_t compare(FILE *listing, size_t *differences, size_t *allocated)
{
	char line[256];
	uint32_t word;
	char *mnemonic, *operands;
	size_t count = 0;

	while (fgets(line, sizeof(line), listing)) {
		const struct a64_insn *insn;
		bool expected;

		if (!parse(line, &word, &mnemonic, &operands))
			continue;
		count++;
		insn = a64_decode(word);
		/* These rows exist for their class: they are not instructions. */
		if (insn && strstr(a64_name(insn), "_REST"))
			insn = NULL;
		/* For FMLAL and its kin objdump ignores the lower bit of size. */
		if (!insn && (matches(mnemonic, "fmlal*") || matches(mnemonic, "fmlsl*")))
			continue;
		if (!insn && a64_group(word) == A64_GROUP_MEMORY &&
		    is_unpredictable(word, mnemonic))
			continue;
		if (a64_group(word) == A64_GROUP_SVE || a64_group(word) == A64_GROUP_SME ||
		    (insn && insn->id >= A64_ADD_Z_P_ZZ))
			continue; /* a64_llvm.c */
		expected = in_scope(a64_group(word) == A64_GROUP_VECTOR, mnemonic, operands) &&
			   a64_group(word) != A64_GROUP_RESERVED;
		*allocated += insn != NULL;
		if (insn && !expected && may_differ(insn, word))
			continue;
		if (expected == (insn != NULL) && (!insn || same_name(insn, word, mnemonic)))
			continue;
		if (++*differences <= SHOWN)
			printf("%08" PRIx32 ": the table has %s, objdump \"%s %s\"\n", word,
			       insn ? a64_name(insn) : "nothing", mnemonic, operands);
	}
	return count;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/vspe-a64-XXXXXX";
	char command[256];
	uint64_t seed = 1;
	size_t per_row = 600, count, seen, differences = 0, allocated = 0;
	FILE *file, *listing;
	int fd;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--words"))
			per_row = strtoull(argv[i + 1], NULL, 0);
	}
	if (system("command -v " OBJDUMP " >/dev/null 2>&1")) {
		printf("SKIP: %s is not installed (binutils-aarch64-linux-gnu)\n", OBJDUMP);
		return SKIPPED;
	}
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!file) {
		perror(path);
		return 2;
	}
	random_state = seed;
	count = write_words(file, per_row);
	fclose(file);

	/* -z: or runs of equal words are left out */
	snprintf(command, sizeof(command), OBJDUMP " -z -D -b binary -m aarch64 -M no-aliases '%s'",
		 path);
	listing = popen(command, "r");
	if (!listing) {
		perror(OBJDUMP);
		unlink(path);
		return 2;
	}
	seen = compare(listing, &differences, &allocated);
	if (pclose(listing) || seen != count) {
		printf("%s listed %zu of %zu words\n", OBJDUMP, seen, count);
		differences++;
	}
	unlink(path);
	printf("seed %" PRIu64 ": %zu words, %zu allocated, %zu differences\n", seed, count,
	       allocated, differences);
	return differences ? 1 : 0;
}

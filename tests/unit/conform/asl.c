/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of accessor pseudocode: what it understands, and how it refuses anything else. */
#include "../compare.h"
#include "conform/asl.h"
#include "conform/model.h"

#include <string.h>

static struct asl_program *parse(const char *text, struct asl_error *error)
{
	memset(error, 0, sizeof(*error));
	return asl_parse(text, strlen(text), 10, false, error);
}

/* All bits are known, from the number. */
static struct world world_of(uint64_t seed, unsigned int el)
{
	struct world w = {.el = (uint8_t)el, .asked = -1};

	for (unsigned int bit = 0; bit < WORLD_BITS; bit++) {
		w.known[bit] = true;
		w.value[bit] = model_random(&seed) >> 33 & 1;
	}
	return w;
}

static void same_everywhere(const char *a, const char *b)
{
	struct asl_error error;
	struct asl_program *first = parse(a, &error), *second;

	cr_assert(first, "%s", error.text);
	second = parse(b, &error);
	cr_assert(second, "%s", error.text);
	for (uint64_t n = 0; n < 4000; n++) {
		struct world w = world_of(n + 1, n & 3);
		const struct outcome x = asl_run(first, &w), y = asl_run(second, &w);

		cr_assert_eq(x.kind, y.kind, "world %d", (int)n);
		cr_assert_eq(x.reg, y.reg, "world %d", (int)n);
		cr_assert_eq(x.target_el, y.target_el, "world %d", (int)n);
		cr_assert_eq(x.offset, y.offset, "world %d", (int)n);
	}
	asl_free(first);
	asl_free(second);
}

/* The condition's value in a world, by which of two outcomes comes. */
static bool holds(const char *condition, struct world *w)
{
	struct asl_error error;
	struct asl_program *program;
	struct outcome outcome;
	char text[600];

	snprintf(text, sizeof(text), "if %s then Undefined(); else X{64}(t) = PMSCR_EL1(); end;",
		 condition);
	program = parse(text, &error);
	cr_assert(program, "%s: %s", condition, error.text);
	outcome = asl_run(program, w);
	asl_free(program);
	return outcome.kind == SYSREG_UNDEFINED;
}

Test(asl, both_dialects_say_the_same)
{
	same_everywhere("if PSTATE.EL == EL1 then\n"
			"    if MDCR_EL2().TPMS == '1' then\n"
			"        AArch64_SystemAccessTrap(EL2, 0x18);\n"
			"    elsif EffectiveHCR_EL2_NVx() IN {'1x1'} then\n"
			"        X{64}(t) = NVMem(0x838);\n"
			"    else\n"
			"        X{64}(t) = PMSICR_EL1();\n"
			"    end;\n"
			"elsif PSTATE.EL == EL2 then\n"
			"    X{64}(t) = PMSIRR_EL1();\n"
			"else\n"
			"    Undefined();\n"
			"end;\n",
			"if PSTATE.EL == EL1 then\n"
			"    if MDCR_EL2.TPMS == '1' then\n"
			"        AArch64.SystemAccessTrap(EL2, 0x18);\n"
			"    elsif EffectiveHCR_EL2_NVx() IN {'1x1'} then\n"
			"        X[t, 64] = NVMem[0x838];\n"
			"    else\n"
			"        X[t, 64] = PMSICR_EL1;\n"
			"elsif PSTATE.EL == EL2 then\n"
			"    X[t, 64] = PMSIRR_EL1;\n"
			"else\n"
			"    UNDEFINED;\n");
}

/* On one line without an end, else belongs to the nearest if that has none. */
Test(asl, one_line_says_the_same_as_many)
{
	same_everywhere(
		"if PSTATE.EL == EL1 then if HCR_EL2.NV == '1' then UNDEFINED; elsif HCR_EL2.E2H "
		"== "
		"'1' then X[t] = PMSCR_EL1; else X[t] = PMSCR_EL2; elsif PSTATE.EL == EL2 then "
		"UNDEFINED; else X[t] = PMSIDR_EL1;",
		"if PSTATE.EL == EL1 then\n"
		"  if HCR_EL2.NV == '1' then\n"
		"    UNDEFINED;\n"
		"  elsif HCR_EL2.E2H == '1' then X[t] = PMSCR_EL1;\n"
		"  else X[t] = PMSCR_EL2;\n"
		"elsif PSTATE.EL == EL2 then\n"
		"  UNDEFINED;\n"
		"else\n"
		"  X[t] = PMSIDR_EL1;\n");
}

/* With the same words, indentation decides: the else belongs to the outer if. */
Test(asl, indentation_decides)
{
	same_everywhere(
		"if HCR_EL2.NV == '1' then\n"
		"    if HCR_EL2.E2H == '1' then\n"
		"        UNDEFINED;\n"
		"    X[t, 64] = PMSCR_EL1;\n"
		"else\n"
		"    X[t, 64] = PMSCR_EL2;\n",
		"if HCR_EL2().NV == '1' then if HCR_EL2().E2H == '1' then Undefined(); end; "
		"X{64}(t) = PMSCR_EL1(); else X{64}(t) = PMSCR_EL2(); end;");
}

Test(asl, conditions)
{
	struct world w = {.el = 1, .asked = -1};

	memset(w.known, 1, sizeof(w.known));
	w.value[WORLD_MDCR_EL3_NSPB] = true; /* NSPB 01 */
	w.value[WORLD_HCR_EL2_NV] = w.value[WORLD_HCR_EL2_NV2] = true;
	w.value[WORLD_HALTED] = true;
	cr_assert(holds("MDCR_EL3().NSPB == '01'", &w));
	cr_assert_not(holds("MDCR_EL3().NSPB == '10'", &w));
	cr_assert(holds("MDCR_EL3.NSPB[0] == '1'", &w));
	cr_assert(holds("MDCR_EL3.NSPB<1> == '0'", &w));
	cr_assert(holds("MDCR_EL3.NSPB[1:0] == '01'", &w));
	cr_assert(holds("MDCR_EL3.NSPB[1] == SCR_EL3.NS", &w));
	cr_assert(holds("MDCR_EL3.NSPB[0] != SCR_EL3.NS", &w));
	cr_assert(holds("MDCR_EL3.NSPB IN {'00', 'x1'}", &w));
	cr_assert(holds("HCR_EL2.<NV2,NV1,NV> == '101'", &w));
	cr_assert(holds("HCR_EL2().[NV2,NV1,NV] IN {'1x1'}", &w));
	cr_assert(holds("PSTATE.EL IN {EL0, EL1} && !(PSTATE.EL == EL0)", &w));
	cr_assert(holds("TRUE && (FALSE || Halted())", &w));
	cr_assert_not(
		holds("EDSCR.SDD == '1' || boolean IMPLEMENTATION_DEFINED \"EL3 trap priority "
		      "when SDD == '1'\"",
		      &w));
	/* && binds before ||. */
	cr_assert(holds("TRUE || TRUE && FALSE", &w));
	cr_assert_not(holds("IsFeatureImplemented(FEAT_SPE_FnE) || HaveEL(EL3)", &w));
}

/* Each is refused, with its line (the text begins with line 10). */
Test(asl, what_it_does_not_know_is_an_error_with_its_line)
{
	static const struct {
		const char *text, *word;
		unsigned int line;
	} cases[] = {
		{"if Mystery() then Undefined(); end;", "Mystery", 10},
		{"if TRUE then\n  Undefined();\nelse\n  Panic();\nend;", "Panic", 13},
		{"if HCR_EL2().XYZ == '1' then Undefined(); end;", "XYZ", 10},
		{"if IsFeatureImplemented(FEAT_XYZ) then Undefined(); end;", "FEAT_XYZ", 10},
		{"if MDCR_EL3().NSPB == '1' then Undefined(); end;", "width", 10},
		{"if MDCR_EL3().NSPB then Undefined(); end;", "condition", 10},
		{"if MDCR_EL3().NSPB[2] == '1' then Undefined(); end;", "outside", 10},
		{"X{64}(t) = NVMem(0x1001);", "offset", 10},
		{"X{64}(t) = SCTLR_EL1();", "SCTLR_EL1", 10},
		{"PMSCR_EL1() = X{64}(t);", "MRS", 10},
		{"X{32}(t) = PMSCR_EL1();", "64", 10},
		{"AArch64_SystemAccessTrap(EL2, 0x1D);", "0x18", 10},
		{"Undefined();\nUndefined();", "behind", 11},
		{"if TRUE then Undefined();", "", 10},
		{"if TRUE then\nUNDEFINED;\n", "block", 11},
		{"if TRUE then\n  UNDEFINED;\n else\n  UNDEFINED;", "indented", 12},
		{"if TRUE then UNDEFINED", "\";\"", 10},
		{"if 'a' == '1' then Undefined(); end;", "bits", 10},
		{"if '1", "quote", 10},
		{"if TRUE then Undefined(); end; $", "0x24", 10},
		{"", "without", 10},
		{"if boolean IMPLEMENTATION_DEFINED \"Something else\" then Undefined(); end;",
		 "choice", 10},
		/* To which if does the second PSTATE.EL belong? */
		{"if PSTATE.EL == EL1 then if HCR_EL2.NV == '1' then UNDEFINED; elsif PSTATE.EL == "
		 "EL2 then UNDEFINED;",
		 "PSTATE.EL", 10},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct asl_error error;
		struct asl_program *program = parse(cases[i].text, &error);

		/* A block without its end; the one in the other dialect is valid. */
		if (!cases[i].word[0]) {
			cr_assert(program);
			asl_free(program);
			continue;
		}
		cr_assert_not(program, "%s", cases[i].text);
		cr_assert_eq(error.line, cases[i].line, "%s: line %u", cases[i].text, error.line);
		cr_assert_str_has(error.text, cases[i].word, "%s: %s", cases[i].text, error.text);
	}
}

static char *repeated(const char *text, size_t times)
{
	char *all = malloc(strlen(text) * times + 1);

	cr_assert(all);
	all[0] = '\0';
	for (size_t i = 0; i < times; i++)
		memcpy(all + i * strlen(text), text, strlen(text) + 1);
	return all;
}

/* Depth and length are bounded, whatever repeats. */
Test(asl, endless_text_is_refused)
{
	static const char *const parts[] = {
		"(",	"!",	       "if TRUE then ",
		"if (", "if TRUE && ", "if TRUE then Undefined(); elsif "};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *text = repeated(parts[i], 100000);
		struct asl_error error;

		cr_assert_not(parse(text, &error));
		cr_assert(error.text[0]);
		free(text);
	}
}

/* Only the values that an outcome needs are read. */
Test(asl, asks_for_no_more_than_it_needs)
{
	struct asl_error error;
	struct asl_program *program = parse(
		"if MDCR_EL2.E2PB IN {'x0'} then UNDEFINED; else X[t, 64] = PMBPTR_EL1;", &error);
	struct world w = {.asked = -1};

	cr_assert(program, "%s", error.text);
	asl_run(program, &w);
	cr_assert_eq(w.asked, WORLD_MDCR_EL2_E2PB);
	w.asked = -1;
	w.known[WORLD_MDCR_EL2_E2PB] = w.value[WORLD_MDCR_EL2_E2PB] = true;
	cr_assert_eq(asl_run(program, &w).kind, SYSREG_DIRECT);
	cr_assert_eq(w.asked, -1);
	asl_free(program);
}

Test(asl, an_accessor_may_come_to_no_outcome)
{
	struct asl_error error;
	struct asl_program *program = parse("if FALSE then Undefined(); end;", &error);
	struct world w = {.asked = -1};

	cr_assert_eq((int)asl_run(program, &w).kind, ASL_NO_OUTCOME);
	asl_free(program);
}

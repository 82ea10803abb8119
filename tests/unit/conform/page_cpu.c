/* SPDX-License-Identifier: BSD-2-Clause */
/* Register pages: the accessors of the software CPU, and the states of it that are compared. */
#include <string.h>

#include "../compare.h"
#include "conform/cpu_explore.h"
#include "conform/world_cpu.h"

/* A CPU with one register, 3 0 13 7 m, for m below 3; what it does is one rule. */
static struct {
	uint64_t hcr_el2, scr_el3;
	bool el2, el3, sel2;
} the_cpu;

static bool has_three(uint32_t encoding)
{
	return encoding >> 3 == (3u << 11 | 13u << 4 | 7) && (encoding & 7) < 3;
}

static void *create(void)
{
	return &the_cpu;
}

static void destroy(void *pe)
{
	(void)pe;
}

static uint64_t *control(void *pe, const char *reg)
{
	(void)pe;
	if (strcmp(reg, "SCR_EL3") == 0)
		return &the_cpu.scr_el3;
	return strcmp(reg, "HCR_EL2") == 0 ? &the_cpu.hcr_el2 : NULL;
}

static void set_feature(void *pe, const char *name, bool on)
{
	(void)pe;
	if (strcmp(name, "EL2") == 0)
		the_cpu.el2 = on;
	if (strcmp(name, "EL3") == 0)
		the_cpu.el3 = on;
	if (strcmp(name, "SEL2") == 0)
		the_cpu.sel2 = on;
}

/* HCR_EL2.TDZ cannot be written. */
static void settle(void *pe)
{
	(void)pe;
	the_cpu.hcr_el2 &= ~(UINT64_C(1) << 28);
}

static bool el2_enabled(void)
{
	return the_cpu.el2 &&
	       (!the_cpu.el3 || the_cpu.scr_el3 & 1 || (the_cpu.sel2 && the_cpu.scr_el3 >> 18 & 1));
}

/* HCR_EL2.TACR traps EL1. */
static struct cpu_answer route(void *pe, uint8_t el, uint32_t encoding, bool write, uint8_t rt,
			       char *name, size_t size)
{
	struct cpu_answer answer = {.outcome.kind = SYSREG_UNDEFINED};

	(void)pe;
	if (el == 0)
		return answer;
	if (el == 1 && el2_enabled() && the_cpu.hcr_el2 >> 21 & 1) {
		answer.outcome = (struct outcome){.kind = SYSREG_TRAP, .target_el = 2, .ec = 0x18};
		answer.iss = (encoding >> 14) << 20 | (encoding & 7) << 17 | 13u << 10 |
			     (uint32_t)rt << 5 | 7u << 1 | !write;
		return answer;
	}
	(void)snprintf(name, size, "R%u_EL1", encoding & 7);
	answer.outcome = (struct outcome){.kind = SYSREG_DIRECT, .name = name};
	return answer;
}

static const struct cpu_subject cpu = {.has = has_three,
				       .create = create,
				       .destroy = destroy,
				       .control = control,
				       .set_feature = set_feature,
				       .settle = settle,
				       .route = route};

static struct page_set set;

static void read_page(const char *text)
{
	page_free(&set);
	set.cpu = &cpu;
	page_add_bytes(&set, "a page", text, strlen(text));
}

#define R1   "MRS <Xt>, R1_EL1\n0b11 0b000 0b1101 0b0111 0b001\n\n"
#define CODE "if PSTATE.EL == EL0 then UNDEFINED; elsif PSTATE.EL == EL1 && EL2Enabled() && "
#define REST " then AArch64.SystemAccessTrap(EL2, 0x18); else X[t, 64] = R1_EL1;\n\n"

static struct cpu_exploration explore_at(uint8_t el)
{
	struct cpu_exploration e;

	cr_assert_eq(set.count, 1, "%zu", set.count);
	cr_assert(set.accessors[0].program, "%s", set.accessors[0].problem.text);
	cpu_explore(&cpu, &set.accessors[0], el, NULL, &e);
	return e;
}

Test(page_cpu, an_array_is_its_registers)
{
	read_page("MSR R<m>_EL1, <Xt> ; Where m = 0-7\n0b11 0b000 0b1101 0b0111 m[2:0]\n\n"
		  "if PSTATE.EL == EL0 then UNDEFINED; else R_EL1[m] = X[t, 64];\n\n");
	cr_assert_eq(set.count, 3, "%zu", set.count);
	for (unsigned int m = 0; m < 3; m++) {
		const struct page_accessor *a = &set.accessors[m];
		char name[24];

		snprintf(name, sizeof(name), "MSR R%u_EL1, <Xt>", m);
		cr_expect_str_eq(a->name, name);
		cr_expect_eq(a->m, m, "%u", a->m);
		cr_expect_eq(a->encoding & 7, m, "%#x", a->encoding);
		cr_expect(a->write);
	}
	cr_expect_eq(set.lacking_count, 0, "%zu", set.lacking_count);
	page_free(&set);
}

Test(page_cpu, what_the_cpu_lacks)
{
	read_page("MRS <Xt>, R7_EL1\n0b11 0b000 0b1101 0b0111 0b111\n\n"
		  "if PSTATE.EL == EL0 then UNDEFINED;\n\n"
		  "TLBI RATHERNEW{, <Xt>}\n0b01 0b000 0b1000 0b0111 0b111\n\n"
		  "if PSTATE.EL == EL0 then UNDEFINED;\n");
	cr_expect_eq(set.count, 0, "%zu", set.count);
	cr_assert_eq(set.lacking_count, 2, "%zu", set.lacking_count);
	cr_expect_str_eq(set.lacking[0], "MRS <Xt>, R7_EL1");
	cr_expect_str_eq(set.lacking[1], "TLBI RATHERNEW");
	page_free(&set);
}

Test(page_cpu, agrees)
{
	read_page(R1 CODE "HCR_EL2.TACR == '1'" REST);
	for (uint8_t el = 0; el < 4; el++) {
		struct cpu_exploration e = explore_at(el);

		cr_expect_eq(e.different, 0, "EL%u: %s", el, e.state);
		cr_expect_gt(e.contexts, 0, "EL%u", el);
		cr_expect_geq(e.asked, e.contexts * CPU_EXPLORE_TIMES, "EL%u", el);
	}
	page_free(&set);
}

/* The page asks another bit, so that its contexts leave TACR open: a single bit decides. */
Test(page_cpu, a_bit_that_the_page_does_not_ask_there)
{
	struct cpu_exploration e;

	read_page(R1 CODE "HCR_EL2.TVM == '1' && HCR_EL2.TACR == '1'" REST);
	e = explore_at(1);
	cr_expect_gt(e.different, 0, "%d of %d", (int)e.different, (int)e.contexts);
	cr_expect_eq(e.want.kind, SYSREG_DIRECT, "%d", e.want.kind);
	cr_expect_eq(e.got.outcome.kind, SYSREG_TRAP, "%d", e.got.outcome.kind);
	page_free(&set);
}

/* Nothing can be wrong where the CPU can never be. */
Test(page_cpu, a_bit_that_cannot_be_written)
{
	struct cpu_exploration e;

	read_page(R1 CODE "(HCR_EL2.TACR == '1' || HCR_EL2.TDZ == '1')" REST);
	e = explore_at(1);
	cr_expect_eq(e.different, 0, "%s", e.state);
	cr_expect_gt(e.impossible, 0, "%d", (int)e.impossible);
	page_free(&set);
}

Test(page_cpu, what_is_not_varied_is_named)
{
	struct cpu_exploration e;

	read_page(R1 CODE "HCR_EL2.Newest == '1'" REST);
	e = explore_at(1);
	cr_expect_str_eq(e.lacks, "HCR_EL2.Newest");
	e = explore_at(0);
	cr_expect_str_eq(e.lacks, "");
	page_free(&set);
}

/* A condition is of this page alone: without the feature it says nothing. */
Test(page_cpu, an_accessor_of_some_pes)
{
	struct cpu_exploration e;

	read_page("When FEAT_VHE is implemented\n" R1 CODE "HCR_EL2.TACR == '1'" REST);
	e = explore_at(1);
	cr_expect_eq(e.different, 0, "%s", e.state);
	cr_expect_gt(e.contexts, 0);
	read_page("When FEAT_NotThere is implemented\n" R1 CODE "HCR_EL2.TDZ == '1'" REST);
	e = explore_at(1);
	cr_expect_eq(e.contexts, 0, "%d", (int)e.contexts);
	read_page("When the moon is full\n" R1 CODE "HCR_EL2.TDZ == '1'" REST);
	cr_assert_eq(set.count, 1);
	cr_expect_null(set.accessors[0].program);
	cr_expect_str_eq(set.accessors[0].problem.text, "the accessor's condition is not known");
	page_free(&set);
}

/* Features come with what they need. */
Test(page_cpu, features_that_contradict)
{
	struct world w = {.asked = -1};

	world_cpu_set(&w, WORLD_CPU_FEAT_DPB2, true, true);
	cr_expect_not(world_cpu_contradicts(&w));
	world_cpu_set(&w, WORLD_CPU_FEAT_DPB, true, false);
	cr_expect(world_cpu_contradicts(&w));
	world_cpu_set(&w, WORLD_FEAT_EL2, true, true);
	cr_expect(w.known[WORLD_FEAT_FGT]);
	cr_expect(w.value[WORLD_FEAT_FGT]);
}

Test(page_cpu, damage_is_a_problem)
{
	static const char *const codes[] = {
		"if PSTATE.EL == EL0 then UNDEFINED\n\n",
		"if IsFeatureImplemented(\n\n",
		"if AArch64.\n\n",
		"if HaveEL(EL2 then UNDEFINED;\n\n",
		"if m + then UNDEFINED;\n\n",
		"if HCR_EL2.\n\n",
		"if TRUE then AArch64.SystemAccessTrap(EL4, 0x18);\n\n",
		"if TRUE then X[t, 64] = R1_EL1\n\n",
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char page[200];

		snprintf(page, sizeof(page), "%s%s", R1, codes[i]);
		read_page(page);
		cr_assert_eq(set.count, 1, "%zu", i);
		cr_expect_null(set.accessors[0].program, "%s", codes[i]);
		cr_expect_neq(set.accessors[0].problem.text[0], 0, "%s", codes[i]);
	}
	page_free(&set);
}

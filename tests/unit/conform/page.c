/* SPDX-License-Identifier: BSD-2-Clause */
/* Register pages: where accessors are, what is said of them, and what becomes of damaged files. */
#include "../compare.h"
#include "conform/page.h"

#include <string.h>

#define XML(inside) "<?xml version='1.0'?><page>" inside "</page>"
#define ACCESSOR(condition, instruction, code)                                                    \
	"<access_mechanism><encoding" condition "><access_instruction>" instruction               \
	"</access_instruction>\n<enc n='op0' v='0b11'/><enc n='op1' v='0b000'/>"                  \
	"<enc n='CRn' v='0b1001'/><enc n='CRm' v='0b1001'/><enc n='op2' v='0b010'/></encoding>\n" \
	"<ps><pstext>" code "</pstext></ps></access_mechanism>"

static struct page_set set;

static void read_page(const char *text)
{
	page_free(&set);
	page_add_bytes(&set, "a page", text, strlen(text));
}

Test(page, xml)
{
	read_page(XML(ACCESSOR("", "MRS &lt;Xt&gt;, PMSICR_EL1", "Undefined();") ACCESSOR(
		"", "MSR PMSICR_EL1, &lt;Xt&gt;", "PMSICR_EL1() = X{64}(t);")));
	cr_assert_eq(set.count, 2);
	cr_assert_eq(set.problem_count, 0);
	cr_assert_eq(set.accessors[0].reg, SYSREG_PMSICR_EL1);
	cr_assert_not(set.accessors[0].write);
	cr_assert(set.accessors[1].write);
	cr_assert(set.accessors[0].encoded);
	cr_assert_eq(set.accessors[0].encoding, sysreg_encode(3, 0, 9, 9, 2));
	cr_assert(set.accessors[0].program);
	cr_assert(set.accessors[1].program);
	page_free(&set);
}

/* The accessor's condition is part of it: without the features the encoding is not allocated. */
Test(page, condition)
{
	struct world w = {.el = 3, .asked = -1};

	memset(w.known, 1, sizeof(w.known));
	read_page(XML(ACCESSOR(" condition='when FEAT_SPE_EXC is implemented and FEAT_VHE is "
			       "implemented'",
			       "MRS &lt;Xt&gt;, PMBSR_EL12", "X{64}(t) = PMBSR_EL1();")));
	cr_assert_eq(set.count, 1);
	cr_assert_eq(page_decide(&set.accessors[0], &w, SYSREG_PMBSR_EL12, false).kind,
		     SYSREG_UNDEFINED);
	w.value[WORLD_FEAT_SPE_EXC] = true;
	cr_assert_eq(page_decide(&set.accessors[0], &w, SYSREG_PMBSR_EL12, false).kind,
		     SYSREG_UNDEFINED);
	w.value[WORLD_FEAT_VHE] = true;
	cr_assert_eq(page_decide(&set.accessors[0], &w, SYSREG_PMBSR_EL12, false).kind,
		     SYSREG_DIRECT);
	read_page(XML(ACCESSOR(" condition='when the moon is full'", "MRS &lt;Xt&gt;, PMBSR_EL12",
			       "X{64}(t) = PMBSR_EL1();")));
	cr_assert_eq(set.count, 1);
	cr_assert_not(set.accessors[0].program);
	cr_assert_str_has(set.accessors[0].problem.text, "moon");
	page_free(&set);
}

/* It may be an element too. */
Test(page, condition_as_an_element)
{
	read_page(XML("<access_mechanism><access_condition>when FEAT_VHE is implemented"
		      "</access_condition><access_instruction>MSR PMSCR_EL12, &lt;Xt&gt;"
		      "</access_instruction><pstext>PMSCR_EL1() = X{64}(t);</pstext>"
		      "</access_mechanism>"));
	cr_assert_eq(set.count, 1);
	cr_assert(set.accessors[0].program);
	cr_assert(set.accessors[0].needs[WORLD_FEAT_VHE]);
	cr_assert_not(set.accessors[0].needs[WORLD_FEAT_SPE_EXC]);
	page_free(&set);
}

/* Other registers are counted, and their pseudocode is not looked at. */
Test(page, others_are_counted)
{
	read_page(XML(ACCESSOR("", "MRS &lt;Xt&gt;, SCTLR_EL1", "what?")
			      ACCESSOR("", "DC ZVA", "what?")));
	cr_assert_eq(set.count, 0);
	cr_assert_eq(set.others, 2);
	cr_assert_eq(set.without, 0);
	read_page(XML("<para>no accessor</para>"));
	cr_assert_eq(set.without, 1);
	page_free(&set);
}

Test(page, damage_is_a_problem_with_a_line)
{
	read_page("<page>\n<a>\n</b></page>");
	cr_assert_eq(set.problem_count, 1);
	cr_assert_eq(set.problems[0].line, 3);
	read_page("<!DOCTYPE p [<!ENTITY a 'aaaa'>]><p>&a;</p>");
	cr_assert_eq(set.problem_count, 1);
	cr_assert_str_has(set.problems[0].text, "entity");
	read_page(XML(ACCESSOR("", "MRS &lt;Xt&gt;, PMSICR_EL1", "\n\nMystery();")));
	cr_assert_eq(set.count, 1);
	cr_assert_not(set.accessors[0].program);
	cr_assert_eq(set.accessors[0].problem.line, 5);
	read_page(XML(ACCESSOR("", "MRS &lt;Xt&gt;, PMSICR_EL1", "")));
	cr_assert_not(set.accessors[0].program);
	cr_assert_str_has(set.accessors[0].problem.text, "no pseudocode");
	page_free(&set);
}

Test(page, text_of_the_web)
{
	read_page("PMSICR_EL1\n\nMRS <Xt>, PMSICR_EL1\n\nop0op1CRnCRmop2\n"
		  "0b110b0000b10010b10010b010\n\n"
		  "if PSTATE.EL == EL0 then Undefined(); else X{64}(t) = PMSICR_EL1(); end;\n\n"
		  "Prose follows.\n"
		  "MRS <Xt>, SCTLR_EL1\nif not ours\n\n"
		  "When FEAT_SPE_EXC is implemented\n\nMSR PMBSR_EL2, <Xt>\n"
		  "| 0b11 | 0b100 | 0b1001 | 0b1010 | 0b011 |\r\n"
		  "if TRUE then\r\n    PMBSR_EL2 = X[t, 64];\r\n");
	cr_assert_eq(set.count, 2);
	cr_assert_eq(set.others, 1);
	cr_assert_eq(set.accessors[0].encoding, sysreg_encode(3, 0, 9, 9, 2));
	cr_assert_eq(set.accessors[0].line, 8);
	cr_assert(set.accessors[0].program, "%s", set.accessors[0].problem.text);
	cr_assert_eq(set.accessors[1].encoding, sysreg_encode(3, 4, 9, 10, 3));
	cr_assert(set.accessors[1].write);
	cr_assert(set.accessors[1].needs[WORLD_FEAT_SPE_EXC]);
	cr_assert(set.accessors[1].program, "%s", set.accessors[1].problem.text);
	/* An accessor that goes straight on to the next has no pseudocode. */
	read_page("MRS <Xt>, PMSICR_EL1\nMSR PMSICR_EL1, <Xt>\nif TRUE then UNDEFINED;\n");
	cr_assert_eq(set.count, 2);
	cr_assert_not(set.accessors[0].program);
	cr_assert(set.accessors[1].program);
	page_free(&set);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace of sysreg_explain(), and the control registers' fields by name. */
#include "../../array.h"
#include "common.h"

static struct sysreg_route explain(const struct sysreg_controls *c, enum sysreg_id reg, bool write,
				   struct sysreg_step *steps, size_t *count)
{
	const struct sysreg_route r =
		sysreg_explain(c, access_to(reg, write), steps, SYSREG_STEPS_MAX, count);

	cr_assert_leq(*count, SYSREG_STEPS_MAX);
	return r;
}

/* The conditions of PMSICR_EL1's page at EL1, in its order, when none holds. */
Test(explain, order_of_the_page)
{
	static const char *const first_terms[] = {
		"FEAT_SPE is not implemented",
		"the PE is in AArch32 state",
		"HaveEL(EL3)",
		"EL2Enabled()",
		"EL2Enabled()",
		"HaveEL(EL3)",
		"effective HCR_EL2.{NV2,NV1,NV} is 1x1",
		"otherwise",
	};
	const struct sysreg_controls c = open_controls(1);
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;
	const struct sysreg_route r = explain(&c, SYSREG_PMSICR_EL1, false, steps, &count);

	cr_assert(same_route(r, direct(SYSREG_PMSICR_EL1)));
	cr_assert_eq(count, ARRAY_SIZE(first_terms));
	for (size_t i = 0; i < count; i++) {
		cr_assert_str_eq(steps[i].terms[0].text, first_terms[i]);
		cr_assert_eq(steps[i].value, i == count - 1);
	}
	cr_assert_str_eq(steps[3].terms[2].text, "HDFGRTR_EL2.PMSICR_EL1 == 1");
	cr_assert_str_eq(steps[4].terms[1].text, "MDCR_EL2.TPMS == 1");
}

/* The words of a write are those of the write register; of an n-bit, those of its polarity. */
Test(explain, words)
{
	struct sysreg_controls c = open_controls(1);
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;

	c.hdfgwtr_el2 = 0;
	explain(&c, SYSREG_PMSNEVFR_EL1, true, steps, &count);
	cr_assert_str_eq(steps[count - 1].terms[2].text, "HDFGWTR_EL2.nPMSNEVFR_EL1 == 0");
	cr_assert_eq(steps[count - 1].kind, SYSREG_TRAP);
	cr_assert_eq(steps[count - 1].target_el, 2);
	c.el = 0;
	explain(&c, SYSREG_PMSNEVFR_EL1, true, steps, &count);
	cr_assert_str_eq(steps[count - 1].terms[0].text, "PSTATE.EL == EL0");
	explain(&c, SYSREG_PMSIDR_EL1, true, steps, &count);
	cr_assert_eq(count, 1);
	cr_assert_str_eq(steps[0].terms[0].text, "the register has no MSR accessor");
}

/* A trap to EL3 is followed by the question of EL3SDDUndef(). */
Test(explain, sdd_question)
{
	struct sysreg_controls c = open_controls(1);
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;
	struct sysreg_route r;

	c.mdcr_el3 = 0;
	r = explain(&c, SYSREG_PMSIRR_EL1, false, steps, &count);
	cr_assert_eq(r.kind, SYSREG_TRAP);
	cr_assert(steps[count - 2].value);
	cr_assert_eq(steps[count - 2].target_el, 3);
	cr_assert_not(steps[count - 1].value);
	cr_assert_eq(steps[count - 1].kind, SYSREG_UNDEFINED);
	c.halted = c.edscr_sdd = true;
	r = explain(&c, SYSREG_PMSIRR_EL1, false, steps, &count);
	cr_assert_eq(r.kind, SYSREG_UNDEFINED);
	cr_assert(steps[count - 1].value);
}

/*
 * EffectivePMSCR_EL2_EE() is 01 while EL2 is disabled. No route depends on it, as the conditions
 * around it need EL2; the trace shows it, in the last term of the redirection of PMBSR_EL1.
 */
Test(explain, effective_ee_without_el2)
{
	struct sysreg_step steps[SYSREG_STEPS_MAX];
	size_t count;

	for (int el2 = 0; el2 < 2; el2++) {
		struct sysreg_controls c = open_controls(1);

		c.features &= el2 ? UINT32_MAX : ~SYSREG_FEAT_EL2;
		c.pmscr_el1 = PMSCR_EE(3);
		explain(&c, SYSREG_PMBSR_EL1, false, steps, &count);
		cr_assert_eq(steps[count - 2].kind, SYSREG_NVMEM);
		cr_assert_eq(steps[count - 2].count, 2);
		cr_assert_eq(steps[count - 2].terms[1].value, el2);
	}
}

/* Too small an array: what fits is stored, and the count is the whole one. */
Test(explain, small_array)
{
	const struct sysreg_controls c = open_controls(1);
	struct sysreg_step all[SYSREG_STEPS_MAX], few[3];
	size_t count, again;

	explain(&c, SYSREG_PMSDSFR_EL1, false, all, &count);
	memset(few, 0x55, sizeof(few));
	sysreg_explain(&c, access_to(SYSREG_PMSDSFR_EL1, false), few, 2, &again);
	cr_assert_eq(count, again);
	cr_assert_str_eq(few[1].terms[0].text, all[1].terms[0].text);
	cr_assert_eq(few[2].count, 0x55);
	sysreg_explain(&c, access_to(SYSREG_PMSDSFR_EL1, false), NULL, 0, &again);
	cr_assert_eq(count, again);
}

/* xorshift64* */
static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/*
 * On random controls: the route is sysreg_route()'s, each condition is the AND of its terms, all
 * before the decider are false, and the decider's outcome is the route.
 */
Test(explain, trace_agrees_with_the_route)
{
	uint64_t state = 0x5350452d32;

	for (int i = 0; i < 20000; i++) {
		const uint64_t bits = next(&state);
		const struct sysreg_controls c = {
			.features = (uint32_t)(bits | ((bits & BIT(40)) ? ALL_FEATURES : 0)),
			.el = bits >> 32 & 3,
			.aarch32 = (bits >> 34 & 7) == 0,
			.halted = bits >> 37 & 1,
			.edscr_sdd = bits >> 38 & 1,
			.el3_trap_has_priority_sdd = bits >> 39 & 1,
			.hcr_el2 = next(&state),
			.mdcr_el2 = next(&state),
			.mdcr_el3 = next(&state) | ((bits & BIT(41)) ? MDCR3_NSPB(3) : 0),
			.scr_el3 = next(&state) | ((bits & BIT(41)) ? SCR_NS : 0),
			.hdfgrtr_el2 = next(&state),
			.hdfgwtr_el2 = next(&state),
			.hdfgrtr2_el2 = next(&state),
			.hdfgwtr2_el2 = next(&state),
			.pmscr_el1 = next(&state),
			.pmscr_el2 = next(&state),
		};

		for (unsigned int n = 0; n < 2 * SYSREG_COUNT; n++) {
			const enum sysreg_id reg = (enum sysreg_id)(n / 2);
			struct sysreg_step steps[SYSREG_STEPS_MAX];
			size_t count, decider;
			const struct sysreg_route r = explain(&c, reg, n & 1, steps, &count);

			cr_assert(same_route(r, sysreg_route(&c, access_to(reg, n & 1))));
			cr_assert_geq(count, 1);
			for (decider = 0; decider < count && !steps[decider].value; decider++)
				;
			cr_assert_lt(decider, count, "%s: nothing decided", sysreg_name(reg));
			for (size_t k = 0; k < count; k++) {
				bool all = true;

				cr_assert_geq(steps[k].count, 1);
				cr_assert_leq(steps[k].count, SYSREG_TERMS_MAX);
				for (size_t t = 0; t < steps[k].count; t++) {
					cr_assert_not_null(steps[k].terms[t].text);
					cr_assert_str_neq(steps[k].terms[t].text, "");
					all = all && steps[k].terms[t].value;
				}
				cr_assert_eq(steps[k].value, all);
			}
			if (steps[decider].kind == SYSREG_TRAP && steps[decider].target_el == 3) {
				cr_assert_eq(decider, count - 2);
				cr_assert_eq(r.kind, steps[count - 1].value ? SYSREG_UNDEFINED
									    : SYSREG_TRAP);
			} else {
				cr_assert_eq(decider, count - 1);
				cr_assert_eq(r.kind, steps[decider].kind);
				cr_assert_eq(r.target_el, steps[decider].target_el);
			}
		}
	}
}

static const struct sysreg_field *field(const char *reg, const char *name)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].reg, reg) &&
		    (name ? f[i].name && !strcmp(f[i].name, name) : !f[i].name))
			return &f[i];
	return NULL;
}

/* The register pages: where the fields are. */
Test(fields, positions)
{
	static const struct {
		const char *reg, *name;
		uint8_t lsb, width;
	} rows[] = {
#define FIELD(reg, member, field, lsb, width) {#reg, #field, lsb, width},
#define PMU_CONTROL(reg, member, field, lsb, width)
#define PMU_FIELD(reg, member, field, lsb, width)
#include "conform/world.def"
		{"EDSCR", "SDD", 16, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sysreg_field *f = field(rows[i].reg, rows[i].name);

		cr_assert_not_null(f, "%s.%s", rows[i].reg, rows[i].name);
		cr_assert_eq(f->lsb, rows[i].lsb, "%s.%s", f->reg, f->name);
		cr_assert_eq(f->width, rows[i].width, "%s.%s", f->reg, f->name);
	}
	/* The constants of the public header say the same. */
#define FIELD(reg, member, field, lsb, width)                \
	cr_assert_eq(SYSREG_##reg##_##field##_LSB, lsb);     \
	cr_assert_eq(SYSREG_##reg##_##field##_WIDTH, width); \
	cr_assert_eq(SYSREG_##reg##_##field##_MASK, ((UINT64_C(1) << (width)) - 1) << (lsb));
#define PMU_CONTROL(reg, member, field, lsb, width)
#define PMU_FIELD(reg, member, field, lsb, width)
#include "conform/world.def"
	/* The write registers have no bit for a register that is never written. */
	cr_assert_null(field("HDFGWTR_EL2", "PMSIDR_EL1"));
	cr_assert_null(field("HDFGWTR_EL2", "PMBIDR_EL1"));
	cr_assert_eq(SYSREG_MDCR_EL3_PMSEE_LSB, 51);
}

/* Each field is set and read back alone: its bits, and no other of any register. */
Test(fields, set_and_get)
{
	size_t count;
	const struct sysreg_field *f = sysreg_fields(&count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t most = UINT64_MAX >> (64 - f[i].width);
		struct sysreg_controls c = {0};
		const struct sysreg_field *whole = field(f[i].reg, NULL);

		cr_assert_not_null(whole, "%s", f[i].reg);
		cr_assert(sysreg_field_set(&c, &f[i], most));
		if (f[i].control != SYSREG_CONTROL_EDSCR)
			cr_assert_eq(sysreg_field_get(&c, whole), most << f[i].lsb, "%s", f[i].reg);
		for (size_t k = 0; k < count; k++)
			if (f[k].control != f[i].control)
				cr_assert_eq(sysreg_field_get(&c, &f[k]), 0);
		if (f[i].width < 64) {
			cr_assert_not(sysreg_field_set(&c, &f[i], most + 1));
			cr_assert_not(sysreg_field_set(&c, &f[i], UINT64_MAX));
		}
		cr_assert(sysreg_field_set(&c, &f[i], 0));
		cr_assert_eq(sysreg_field_get(&c, whole), 0);
	}
}

Test(fields, of_edscr)
{
	struct sysreg_controls c = {0};

	cr_assert(sysreg_field_set(&c, field("EDSCR", "SDD"), 1));
	cr_assert(c.edscr_sdd);
	cr_assert_eq(sysreg_field_get(&c, field("EDSCR", NULL)), 0x10000);
	cr_assert(sysreg_field_set(&c, field("EDSCR", NULL), 0xfffeffff));
	cr_assert_not(c.edscr_sdd);
	cr_assert_not(sysreg_field_set(&c, field("EDSCR", NULL), BIT(32)));
}

/* A control that there is not reads as 0, and writing it changes nothing. */
Test(fields, of_no_control)
{
	const struct sysreg_field none = {
		.control = (enum sysreg_control)(SYSREG_CONTROL_EDSCR + 1), .width = 8};
	struct sysreg_controls c, before;

	memset(&c, 0xff, sizeof(c));
	before = c;
	cr_assert_eq(sysreg_field_get(&c, &none), 0);
	cr_assert(sysreg_field_set(&c, &none, 0x55));
	cr_assert_arr_eq((const uint8_t *)&c, (const uint8_t *)&before, sizeof(c));
}

/* With room for fewer steps the first are there, and the count is that of all. */
Test(explain, room_for_fewer)
{
	const struct sysreg_controls c = open_controls(1);
	struct sysreg_step all[SYSREG_STEPS_MAX], some[3];
	const struct sysreg_access access = access_to(SYSREG_PMSICR_EL1, false);
	struct sysreg_route route;
	size_t count, fewer;

	memset(some, 0x77, sizeof(some));
	(void)explain(&c, access.reg, access.write, all, &count);
	route = sysreg_explain(&c, access, some, 2, &fewer);
	cr_assert(same_route(route, direct(SYSREG_PMSICR_EL1)));
	cr_assert_eq(fewer, count);
	for (size_t i = 0; i < 2; i++)
		cr_assert_str_eq(some[i].terms[0].text, all[i].terms[0].text);
	cr_assert_eq(((const uint8_t *)&some[2])[0], 0x77);
}

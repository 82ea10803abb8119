/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sve: the Scalable Vector Extension as software that profiles needs it: what traps its
 * instructions and ZCR_ELx (Arm ARM, CheckSVEEnabled()), the length of vectors, and what samples
 * show of its instructions (D17.6.6, D18.2). Main is at EL1; at EL2 it is a host with
 * HCR_EL2.{E2H,TGE} {1,1}, whose registers have the names of EL1's, so that all tests are there,
 * too, and those of what EL2 does to EL1.
 */
#include "sve.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "lower.h"
#include "spe.h"
#include "tap.h"

#define EC_SVE	    0x19
#define ESR_OF(ec)  ((uint64_t)(ec) << 26 | UINT64_C(1) << 25)
#define LENGTH_STEP 16
#define LEN_MAX	    15
#define CPTR_TZ	    (UINT64_C(1) << 8)
#define CPTR_TFP    (UINT64_C(1) << 10)
#define MDCR_E2PB   (UINT64_C(3) << 12)
#define A64_RDVL    0x04bf5020u /* RDVL X0, #1 */
#define REG_ZCR_EL1 A64_SYSREG(3, 0, 1, 2, 0)

unsigned int sve_lengths[17];

static bool has_sve(void)
{
	return field(read_sysreg(id_aa64pfr0_el1), 35, 32) != 0;
}

static bool has_vhe(void)
{
	return field(read_sysreg(id_aa64mmfr1_el1), 11, 8) != 0;
}

const char *needs_sve(void)
{
	return has_sve() ? NULL : "no SVE: ID_AA64PFR0_EL1.SVE is 0";
}

const char *needs_sve_el0(void)
{
	return needs_too(needs_sve(), boot_info.el != 2 || has_vhe(),
			 "main is at EL2, and there is no FEAT_VHE");
}

static const char *needs_sve_el2(void)
{
	const char *why = needs_sve();

	return why ? why : needs_el2();
}

void sve_allow(uint64_t cpacr)
{
	write_sysreg(CPACR_EL1, cpacr);
	isb();
}

/* In a syndrome of a trap of SVE the ISS is RES0; one of FP has fields that AArch32 needs. */
static void check_trap(struct expected e, unsigned int want, unsigned int el, uint64_t cpacr,
		       const char *what)
{
	const uint64_t class = field(e.esr, 31, 26);

	if (!CHECK(e.count == (want != 0), "%s at EL%u, 0x%lx: %u exceptions, ESR 0x%lx", what, el,
		   cpacr, e.count, e.esr) ||
	    !want)
		return;
	CHECK(class == want, "%s at EL%u, 0x%lx: ESR 0x%lx, EC not 0x%x", what, el, cpacr, e.esr,
	      want);
	CHECK(want != EC_SVE || e.esr == ESR_OF(EC_SVE), "%s at EL%u, 0x%lx: ESR 0x%lx", what, el,
	      cpacr, e.esr);
}

/* The controls trap it at that level: 1 is for EL0 alone, 3 for nobody. */
static bool closed(unsigned int enable, unsigned int el)
{
	return enable == 3 ? false : enable == 1 ? el == 0 : true;
}

/* ZEN is looked at before FPEN. */
static unsigned int insn_class(unsigned int zen, unsigned int fpen, unsigned int el)
{
	if (closed(zen, el))
		return EC_SVE;
	return closed(fpen, el) ? EC_FP : 0;
}

static void check_controls(unsigned int zen, unsigned int fpen)
{
	const uint64_t cpacr = CPACR_ZEN(zen) | CPACR_FPEN(fpen);
	const unsigned int el = boot_info.el;
	struct expected e;

	sve_allow(cpacr);
	expect_begin();
	(void)sve_length();
	e = expect_end();
	check_trap(e, insn_class(zen, fpen, el), el, cpacr, "RDVL");
	expect_begin();
	(void)user_call(user_address(user_length), 0, 0, 0);
	e = expect_end();
	check_trap(e, insn_class(zen, fpen, 0), 0, cpacr, "RDVL");
	sve_allow(CPACR_OPEN);
}

/* EL1's, or EL2's of a host; at EL0 there is no such register, whatever is trapped. */
static void check_zcr(unsigned int zen, unsigned int fpen)
{
	const uint64_t cpacr = CPACR_ZEN(zen) | CPACR_FPEN(fpen);
	const unsigned int el = boot_info.el;
	struct expected e;

	sve_allow(cpacr);
	expect_begin();
	(void)sve_zcr();
	e = expect_end();
	check_trap(e, closed(zen, el) ? EC_SVE : 0, el, cpacr, "MRS ZCR_EL1");
	expect_begin();
	(void)user_call(user_address(user_zcr), 0, 0, 0);
	e = expect_end();
	CHECK(e.count == 1 && e.esr == ESR_OF(EC_UNKNOWN),
	      "MRS ZCR_EL1 at EL0, 0x%lx: %u exceptions, ESR 0x%lx", cpacr, e.count, e.esr);
	sve_allow(CPACR_OPEN);
}

static void zen_traps(void)
{
	for (unsigned int zen = 0; zen < 4; zen++) {
		check_controls(zen, 3);
		check_zcr(zen, 3);
	}
}

static void fpen_leaves_zcr(void)
{
	for (unsigned int n = 0; n < 4 * 3; n++)
		check_zcr(n / 3, n % 3);
}

static void fpen_traps(void)
{
	for (unsigned int n = 0; n < 4 * 3; n++)
		check_controls(n / 3, n % 3);
}

/*
 * Each length is the greatest implemented one that LEN allows, and so are the powers of two up to
 * the longest (Arm ARM, ZCR_EL1.LEN).
 */
static void check_lengths(const unsigned int given[LEN_MAX + 1])
{
	const unsigned int longest = given[LEN_MAX];

	for (unsigned int len = 0; len <= LEN_MAX; len++) {
		const unsigned int most = LENGTH_STEP * (len + 1);
		unsigned int greatest = 0;

		for (unsigned int n = 0; n <= LEN_MAX; n++)
			if (given[n] <= most && given[n] > greatest)
				greatest = given[n];
		CHECK(given[len] == greatest && given[len] % LENGTH_STEP == 0,
		      "LEN %u gives %u bytes, and %u are implemented", len, given[len], greatest);
		CHECK((most & (most - 1)) || most > longest || given[len] == most,
		      "LEN %u gives %u bytes, of at most %u", len, given[len], longest);
	}
}

static void lengths(void)
{
	unsigned int given[LEN_MAX + 1];

	for (unsigned int len = 0; len <= LEN_MAX; len++) {
		uint64_t at_el0;

		write_sysreg(ZCR_EL1, len);
		isb();
		given[len] = (unsigned int)sve_length();
		at_el0 = user_call(user_address(user_length), 0, 0, 0);
		CHECK(at_el0 == given[len], "LEN %u: %lu bytes at EL0, %u here", len, at_el0,
		      given[len]);
	}
	check_lengths(given);
	tap_note("vectors of up to %u bits", 8 * given[LEN_MAX]);
}

void sve_use_length(unsigned int bytes)
{
	write_sysreg(ZCR_EL1, bytes / LENGTH_STEP - 1);
	isb();
}

static void find_lengths(void)
{
	unsigned int count = 0;

	for (unsigned int len = 0; len <= LEN_MAX; len++) {
		unsigned int bytes;

		write_sysreg(ZCR_EL1, len);
		isb();
		bytes = (unsigned int)sve_length();
		if (count == 0 || bytes != sve_lengths[count - 1])
			sve_lengths[count++] = bytes;
	}
}

/* EL1 with SVE open and its longest vectors, from a main at EL2 without host's registers. */
static void lower_begin(struct lower_context *c, uint64_t cpacr)
{
	if (has_vhe())
		el2_set_host(false);
	lower_init(c, 1, 0);
	c->cpacr_el1 = cpacr;
}

static void lower_end(uint64_t cptr)
{
	write_sysreg(cptr_el2, cptr);
	isb();
	write_sysreg(ZCR_EL2, LEN_MAX);
	if (has_vhe())
		el2_set_host(true);
}

static uint64_t class_of(uint64_t esr)
{
	return field(esr, 31, 26);
}

/* One instruction at EL1: the class of its exception to EL2, or to EL1, or neither. */
static void check_lower(struct lower_context *c, uint32_t word, unsigned int el2, unsigned int el1,
			const char *what)
{
	const uint64_t spsr = c->spsr;
	const bool done = lower_insn(c, word);
	unsigned int level = 0;
	const bool reflected = !done && lower_vector(c, &level) >= 0;

	if (el1)
		CHECK(reflected && level == 1 && class_of(c->esr_el1) == el1,
		      "%s: ESR_EL1 0x%lx, ESR_EL2 0x%lx, EC of EL1 not 0x%x", what, c->esr_el1,
		      c->exit.esr, el1);
	else if (el2)
		CHECK(!done && !reflected && class_of(c->exit.esr) == el2,
		      "%s: done %d, ESR_EL2 0x%lx, EC not 0x%x", what, done, c->exit.esr, el2);
	else
		CHECK(done, "%s: ESR_EL2 0x%lx", what, c->exit.esr);
	c->spsr = spsr;
}

static void tz_traps(void)
{
	struct lower_context c;
	struct expected e;
	uint64_t cptr;

	lower_begin(&c, CPACR_OPEN);
	cptr = read_sysreg(cptr_el2);
	check_lower(&c, A64_RDVL, 0, 0, "RDVL");
	check_lower(&c, A64_MRS(REG_ZCR_EL1, 0), 0, 0, "MRS ZCR_EL1");
	write_sysreg(cptr_el2, cptr | CPTR_TZ);
	isb();
	check_lower(&c, A64_RDVL, EC_SVE, 0, "RDVL with TZ");
	CHECK(c.exit.esr == ESR_OF(EC_SVE), "ESR_EL2 0x%lx", c.exit.esr);
	check_lower(&c, A64_MRS(REG_ZCR_EL1, 0), EC_SVE, 0, "MRS ZCR_EL1 with TZ");
	expect_begin();
	(void)sve_length();
	(void)read_sysreg(ZCR_EL2);
	e = expect_end();
	CHECK(e.count == 2 && e.esr == ESR_OF(EC_SVE), "EL2 with TZ: %u exceptions, ESR_EL2 0x%lx",
	      e.count, e.esr);
	c.cpacr_el1 = CPACR_FPEN(3);
	check_lower(&c, A64_RDVL, 0, EC_SVE, "RDVL with TZ and ZEN 0");
	c.cpacr_el1 = CPACR_ZEN(3);
	check_lower(&c, A64_RDVL, 0, EC_FP, "RDVL with TZ and FPEN 0");
	c.cpacr_el1 = CPACR_OPEN;
	write_sysreg(cptr_el2, cptr | CPTR_TZ | CPTR_TFP);
	isb();
	check_lower(&c, A64_RDVL, EC_SVE, 0, "RDVL with TZ and TFP");
	write_sysreg(cptr_el2, cptr | CPTR_TFP);
	isb();
	check_lower(&c, A64_RDVL, EC_FP, 0, "RDVL with TFP");
	lower_end(cptr);
}

static void tfp_leaves_zcr(void)
{
	struct lower_context c;
	uint64_t cptr;

	lower_begin(&c, CPACR_OPEN);
	cptr = read_sysreg(cptr_el2);
	write_sysreg(cptr_el2, cptr | CPTR_TFP);
	isb();
	check_lower(&c, A64_MRS(REG_ZCR_EL1, 0), 0, 0, "MRS ZCR_EL1 with TFP");
	lower_end(cptr);
}

/* EL1's vectors are no longer than EL2 lets them be, whichever has the smaller LEN. */
static void zcr_el2_limits(void)
{
	struct lower_context c;
	unsigned int given[LEN_MAX + 1];

	lower_begin(&c, CPACR_OPEN);
	for (unsigned int len = 0; len <= LEN_MAX; len++) {
		write_sysreg(ZCR_EL2, len);
		isb();
		given[len] = (unsigned int)sve_length();
	}
	for (unsigned int n = 0; n < (LEN_MAX + 1) * (LEN_MAX + 1); n++) {
		const unsigned int el2 = n / (LEN_MAX + 1), el1 = n % (LEN_MAX + 1);
		const uint32_t words[] = {A64_MSR(REG_ZCR_EL1, 1), A64_ISB, A64_RDVL};

		write_sysreg(ZCR_EL2, el2);
		isb();
		c.x[1] = el1;
		if (!CHECK(lower_code(&c, words, 3), "ESR_EL2 0x%lx", c.exit.esr))
			break;
		CHECK(c.x[0] == given[el1 < el2 ? el1 : el2],
		      "LEN %u at EL2 and %u at EL1: %lu bytes, not %u", el2, el1, c.x[0],
		      given[el1 < el2 ? el1 : el2]);
	}
	lower_end(read_sysreg(cptr_el2));
}

static const struct test tests[] = {
	{"ZEN traps SVE and ZCR_EL1", zen_traps, needs_sve_el0},
	{"FPEN traps SVE after ZEN", fpen_traps, needs_sve_el0},
	{"CPTR_EL2.TZ traps SVE and ZCR_ELx", tz_traps, needs_sve_el2},
	{"FPEN does not trap ZCR_EL1", fpen_leaves_zcr, needs_sve_el0},
	{"CPTR_EL2.TFP does not trap ZCR_EL1", tfp_leaves_zcr, needs_sve_el2},
	{"the length that each LEN gives", lengths, needs_sve_el0},
	{"ZCR_EL2.LEN limits EL1", zcr_el2_limits, needs_sve_el2},
	{"types of data processing", test_types, needs_sve_spe},
	{"types of SVE2's data processing", test_sve2_types, needs_sve2_spe},
	{"events of predicates", test_predicate_events, needs_events_shown},
	{"samples whose predicate is not full, or empty", test_events_set, needs_predicate_fe},
	{"samples whose predicate is full, or not empty", test_events_clear, needs_predicate_fne},
	{"addresses of contiguous loads and stores", test_contiguous, needs_sve_spe},
	{"addresses of gathers and scatters", test_gathers, needs_sve_spe},
	{"addresses of SVE2's gathers and scatters", test_sve2_gathers, needs_sve2_spe},
	{"addresses of first-fault loads", test_first_fault, needs_sve_spe},
	{"a trapped instruction shows no registers", test_trapped, needs_sve_spe},
	{"samples of loads, and of stores", test_loads_and_stores, needs_sve_ft},
	{"samples of FP, and of SIMD", test_fp_and_simd, needs_sve_eft},
};

static void init(void)
{
	if (boot_info.el == 2) {
		write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) & ~MDCR_E2PB); /* EL2's buffer */
		isb();
		el2_set_host(true);
	}
	sve_allow(CPACR_OPEN);
	write_sysreg(fpcr, 0);
	find_lengths();
	sve_samples_init();
}

void guest_main(void)
{
	if (!needs_sve_el0())
		init();
	tap_run("sve", tests, sizeof(tests) / sizeof(tests[0]));
}

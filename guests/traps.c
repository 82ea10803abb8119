/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traps: what EL2 can trap of SPE's system registers, and that no other access is trapped. EL1 code
 * makes each access; EL2 looks at the syndrome, at where to return, and at the register, which has
 * to be as it was, and then emulates the access (Arm ARM D24: the register pages; MDCR_EL2,
 * HDFGRTR_EL2, HDFGWTR_EL2, HDFGRTR2_EL2, HDFGWTR2_EL2, HFGITR_EL2).
 */
#include "access_run.h"
#include "boot.h"
#include "spe.h"
#include "tap.h"

#define HFGITR_EL2   S3_4_C1_C1_6
#define EC_OTHER     0x0a
#define ISS_PSBCSYNC 3

extern char access_psb_hvc[];

static struct row {
	bool tpms;
	unsigned int e2pb;
	bool closed[2]; /* [write] */
} const rows[] = {
#define TRAPS(id, name, tpms, e2pb, reads, writes) {tpms, e2pb, {reads, writes}},
#include "traps.def"
#undef TRAPS
};

enum {
#define TRAPS(id, ...) ROW_##id,
#include "traps.def"
#undef TRAPS
	ROWS
};

static const char *needs_here(void)
{
	const char *why = needs_el2();

	return why ? why : needs_spe();
}

static const char *needs_host(void)
{
	const char *why = needs_here();

	return !why && !access_machine.vhe ? "no FEAT_VHE" : why;
}

static const char *needs_fgt(void)
{
	const char *why = needs_here();

	return !why && !access_machine.fgt ? "no FEAT_FGT" : why;
}

static const char *needs_fgt2(void)
{
	const char *why = needs_here();

	return !why && !access_machine.fgt2 ? "no FEAT_FGT2" : why;
}

static struct access_controls controls_of(const struct row *row)
{
	struct access_controls c = access_open();

	c.mdcr_el2 &= ~MDCR2_E2PB(3);
	c.mdcr_el2 |= (row->tpms ? MDCR2_TPMS : 0) | MDCR2_E2PB(row->e2pb);
	for (unsigned int write = 0; write < 2; write++)
		for (enum statement_word word = 0; word < WORD_COUNT && row->closed[write]; word++)
			c.fgt[word][write] = access_fgt_closed(word, write);
	return c;
}

static void report_done(unsigned long before)
{
	struct access_controls c = access_open();

	access_set(&c);
	tap_note("%lu accesses", access_count - before);
}

/* From EL1, with HCR_EL2.E2H as it is. */
static void row_at_el1(unsigned int row, uint64_t hcr)
{
	struct access_controls c = controls_of(&rows[row]);

	c.hcr_el2 |= hcr;
	access_set(&c);
	access_check_all(&c, 1, true);
}

#define TRAPS(id, ...)                               \
	static void test_##id(void)                  \
	{                                            \
		unsigned long before = access_count; \
                                                     \
		row_at_el1(ROW_##id, 0);             \
		report_done(before);                 \
	}
#include "traps.def"
#undef TRAPS

static void with_e2h(void)
{
	unsigned long before = access_count;

	for (unsigned int row = 0; row < ROWS; row++)
		row_at_el1(row, HCR_E2H);
	report_done(before);
}

/* Without SPE, and of a version that has not all registers: whatever EL2 asks for. */
static void test_absent(void)
{
	unsigned long before = access_count;

	for (unsigned int row = 0; row < ROWS; row++) {
		struct access_controls c = controls_of(&rows[row]);

		access_set(&c);
		for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
			for (unsigned int i = 0; i < 4; i++)
				if (!access_exists(&access_machine, reg))
					access_check(&c, i & 1, reg, i >> 1, row % ACCESS_RT_COUNT);
	}
	report_done(before);
}

/* One bit differs from a value with which nothing is trapped: it traps its own register, or
 * nothing. */
static void each_bit(enum statement_word word)
{
	unsigned long before = access_count;

	for (unsigned int i = 0; i < 128; i++) {
		struct access_controls c = access_open();

		c.fgt[word][i & 1] ^= UINT64_C(1) << (i >> 1);
		access_set(&c);
		access_check_all(&c, 1, false);
	}
	report_done(before);
}

static void each_fgt_bit(void)
{
	each_bit(WORD_HDFG);
}

static void each_fgt2_bit(void)
{
	each_bit(WORD_HDFG2);
}

/* Both bits of a register under each combination of the coarse traps. */
static void test_combinations(void)
{
	static const unsigned int e2pb[] = {0, 2, 3};
	unsigned long before = access_count;

	for (unsigned int i = 0; i < 3 * 2 * 16; i++) {
		struct access_controls c = access_open();

		c.mdcr_el2 = (c.mdcr_el2 & ~MDCR2_E2PB(3)) | MDCR2_E2PB(e2pb[i / 32]);
		c.mdcr_el2 |= i & 16 ? MDCR2_TPMS : 0;
		for (unsigned int j = 0; j < 4; j++)
			if (i >> j & 1)
				c.fgt[j >> 1][j & 1] = access_fgt_closed(j >> 1, j & 1);
		access_set(&c);
		access_check_all(&c, 1, false);
	}
	report_done(before);
}

/* EL0's UNDEFINED comes before all traps, and goes to EL1 or, with TGE, to EL2. */
static void at_el0(void)
{
	unsigned long before = access_count;

	for (unsigned int i = 0; i < ROWS * 3; i++) {
		struct access_controls c = controls_of(&rows[i / 3]);

		c.hcr_el2 |= i % 3 ? HCR_TGE : 0;
		c.hcr_el2 |= i % 3 == 2 && access_machine.vhe ? HCR_E2H : 0;
		access_set(&c);
		access_check_all(&c, 0, false);
	}
	report_done(before);
}

/* EL2 is not trapped by its own controls. */
static void at_el2(void)
{
	unsigned long before = access_count;

	for (unsigned int i = 0; i < ROWS * 2; i++) {
		struct access_controls c = controls_of(&rows[i / 2]);

		c.hcr_el2 |= i & 1 && access_machine.vhe ? HCR_E2H : 0;
		access_set(&c);
		access_check_own(&c);
	}
	report_done(before);
}

/* One PSB CSYNC below EL2; completed, at EL0 too, when the exception is the next instruction's. */
static void check_psb(unsigned int el, uint64_t hcr, bool trapped)
{
	struct access_controls c = access_open();
	uint64_t pc = lower_address(access_psb_hvc);
	struct access_seen seen;

	c.hcr_el2 |= hcr;
	access_set(&c);
	seen = access_run(el, pc, 0, 0);
	if (!trapped) {
		CHECK(seen.elr == pc + (el ? 8 : 4), "EL%u, HCR_EL2 0x%lx: ELR 0x%lx, ESR 0x%lx",
		      el, c.hcr_el2, seen.elr, seen.esr);
		return;
	}
	CHECK(seen.outcome != OUTCOME_REGISTER && seen.el == 2 && seen.elr == pc &&
		      seen.esr == ((uint64_t)EC_OTHER << 26 | UINT64_C(1) << 25 | ISS_PSBCSYNC),
	      "EL%u, HCR_EL2 0x%lx: not trapped, or ESR_EL2 0x%lx", el, c.hcr_el2, seen.esr);
}

static void psb_trap(void)
{
	bool traps = spe_caps.version >= PMSVER_V1P5;
	struct access_controls c = access_open();

	for (unsigned int on = 0; on < 2; on++) {
		write_sysreg(HFGITR_EL2, on ? HFGITR_PSBCSYNC : 0);
		check_psb(1, 0, on && traps);
		check_psb(0, 0, on && traps);
		check_psb(0, HCR_TGE, on && traps);
		if (!access_machine.vhe)
			continue;
		check_psb(1, HCR_E2H, on && traps);
		check_psb(0, HCR_E2H, on && traps);
		check_psb(0, HCR_E2H | HCR_TGE, false);
	}
	write_sysreg(HFGITR_EL2, 0);
	access_set(&c);
}

static const struct test tests[] = {
	{"what is absent is UNDEFINED at EL0 and EL1", test_absent, needs_el2},
#define TRAPS(id, name, tpms, e2pb, reads, writes) \
	{"EL1: " name, test_##id, (reads) || (writes) ? needs_fgt : needs_here},
#include "traps.def"
#undef TRAPS
	{"EL1: each bit of HDFGRTR_EL2 and HDFGWTR_EL2", each_fgt_bit, needs_fgt},
	{"EL1: each bit of HDFGRTR2_EL2 and HDFGWTR2_EL2", each_fgt2_bit, needs_fgt2},
	{"EL1: traps combined", test_combinations, needs_here},
	{"EL1: all again with HCR_EL2.E2H", with_e2h, needs_host},
	{"EL0: UNDEFINED whatever is trapped", at_el0, needs_el2},
	{"EL2: not trapped, with HCR_EL2.E2H or without", at_el2, needs_el2},
	{"PSB CSYNC is trapped by HFGITR_EL2 from v1p5 on", psb_trap, needs_fgt},
};

void guest_main(void)
{
	if (!needs_el2())
		access_init();
	tap_run("traps", tests, sizeof(tests) / sizeof(tests[0]));
}

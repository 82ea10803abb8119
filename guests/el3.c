/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * el3: what EL3 can trap of SPE's system registers, from EL1 and EL2 in each Security state,
 * together with EL2's traps: MDCR_EL3.{NSPB,NSPBE,EnPMSN,EnPMS3,EnPMS4,PMSEE},
 * SCR_EL3.{FGTEn,FGTEn2} (Arm ARM D24). EDSCR.SDD makes some of these traps UNDEFINED, but only in
 * Debug state, where an external debugger executes single instructions and no guest runs. The
 * library's tests cover that.
 */
#include "access_run.h"
#include "boot.h"
#include "spe.h"
#include "tap.h"

#define VNCR_EL2 S3_4_C2_C2_0

#define SCR_STATE (SCR_NS | SCR_NSE | SCR_EEL2)
#define MDCR3_ALL \
	(MDCR3_NSPB(3) | MDCR3_NSPBE | MDCR3_ENPMSN | MDCR3_ENPMS3 | MDCR3_ENPMS4 | MDCR3_PMSEE(3))

enum state_id {
#define STATE(id, ...) STATE_##id,
#include "el3.def"
#undef STATE
};

static const struct state {
	uint64_t scr;
	unsigned int owner; /* MDCR_EL3.{NSPBE,NSPB[1]} */
} states[] = {
#define STATE(id, name, scr, owner) {scr, owner},
#include "el3.def"
#undef STATE
};

static const char *lacks_state(enum state_id state)
{
	const char *why = needs_el3();

	if (!why && state == STATE_secure_el2 && !access_machine.sel2)
		why = "no FEAT_SEL2";
	if (!why && state == STATE_realm && !access_machine.rme)
		why = "no FEAT_RME";
	return why;
}

/* Nothing traps, and the state owns the buffer. */
static struct access_controls controls_of(enum state_id state)
{
	struct access_controls c = access_open();
	unsigned int owner = states[state].owner;

	c.scr_el3 = (c.scr_el3 & ~SCR_STATE) | states[state].scr;
	c.mdcr_el3 = (c.mdcr_el3 & ~(MDCR3_NSPB(3) | MDCR3_NSPBE)) | MDCR3_NSPB(owner << 1 | 1) |
		     (owner >> 1 ? MDCR3_NSPBE : 0);
	return c;
}

/* From EL1, and from EL2 if the state has it, with both values of HCR_EL2.E2H. */
static void check_accesses(const struct access_controls *given)
{
	struct access_controls c = *given;

	access_set(&c);
	access_check_all(&c, 1, false);
	for (unsigned int e2h = 0; e2h < 2; e2h++) {
		if (!access_el2_enabled(&access_machine, &c) || (e2h && !access_machine.vhe))
			return;
		c.hcr_el2 |= e2h ? HCR_E2H : 0;
		access_set(&c);
		access_check_all(&c, 2, false);
	}
}

/* The values of {NSPBE,NSPB} that are not reserved; false after the last. */
static bool set_nspb(struct access_controls *c, unsigned int i)
{
	static const unsigned int values[] = {0, 1, 2, 3, 6, 7};

	if (i >= (access_machine.rme ? 6 : 4))
		return false;
	c->mdcr_el3 &= ~(MDCR3_NSPB(3) | MDCR3_NSPBE);
	c->mdcr_el3 |= MDCR3_NSPB(values[i] & 3) | (values[i] & 4 ? MDCR3_NSPBE : 0);
	return true;
}

static void set_enables(struct access_controls *c, unsigned int i)
{
	c->mdcr_el3 &= ~(MDCR3_ENPMSN | MDCR3_ENPMS3 | MDCR3_ENPMS4);
	c->mdcr_el3 |= i & 1 ? MDCR3_ENPMSN : 0;
	c->mdcr_el3 |= i & 2 ? MDCR3_ENPMS3 : 0;
	c->mdcr_el3 |= i & 4 ? MDCR3_ENPMS4 : 0;
}

static void set_fgt_enables(struct access_controls *c, unsigned int i)
{
	c->scr_el3 &= ~(SCR_FGTEN | SCR_FGTEN2);
	c->scr_el3 |= i & 1 ? SCR_FGTEN : 0;
	c->scr_el3 |= i & 2 ? SCR_FGTEN2 : 0;
}

/* Fine-grained traps: of nothing; of all; 0 everywhere, which traps for bits called n... */
static void set_fgt(struct access_controls *c, unsigned int i)
{
	for (unsigned int j = 0; j < 4; j++) {
		enum statement_word word = j >> 1;

		if (i == 1)
			c->fgt[word][j & 1] = access_fgt_closed(word, j & 1);
		if (i == 2)
			c->fgt[word][j & 1] = 0;
	}
}

/* EL2's MMU is off: a PA. */
static void set_vncr(uint64_t pa)
{
	if (access_machine.nv2)
		write_sysreg(VNCR_EL2, pa);
}

static void check_nspb(enum state_id state)
{
	struct access_controls c = controls_of(state);

	for (unsigned int i = 0; set_nspb(&c, i); i++)
		check_accesses(&c);
}

static void check_enables(enum state_id state)
{
	struct access_controls c = controls_of(state);

	for (unsigned int i = 0; i < 8; i++) {
		set_enables(&c, i);
		check_accesses(&c);
	}
}

static void fgt_enables(enum state_id state)
{
	for (unsigned int i = 0; i < 12; i++) {
		struct access_controls c = controls_of(state);

		set_fgt_enables(&c, i & 3);
		set_fgt(&c, i >> 2);
		check_accesses(&c);
	}
}

/*
 * All at once, for the order: EL2's traps come before EL3's, and EL3's before FEAT_NV2's
 * redirection to memory.
 */
static void check_priorities(enum state_id state)
{
	volatile uint64_t *page = data_alloc(1);

	set_vncr(mmu_translate((uintptr_t)page));
	for (unsigned int i = 0;; i++) {
		struct access_controls c = controls_of(state);

		if (!set_nspb(&c, i / 48))
			break;
		set_enables(&c, i & 1 ? 7 : 0);
		set_fgt_enables(&c, i >> 1 & 3);
		set_fgt(&c, i >> 3 & 1);
		if (i / 16 % 3 == 1)
			c.mdcr_el2 = (c.mdcr_el2 & ~MDCR2_E2PB(3)) | MDCR2_TPMS;
		access_vncr = NULL;
		if (i / 16 % 3 == 2 && access_machine.nv2) {
			c.hcr_el2 |= HCR_NV | HCR_NV2;
			access_vncr = page;
		}
		access_set(&c);
		access_check_all(&c, 1, false);
	}
	access_vncr = NULL;
	set_vncr(0);
}

static void check_absent(enum state_id state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct access_controls c = controls_of(state);
		unsigned int levels = access_el2_enabled(&access_machine, &c) ? 3 : 2;

		c.mdcr_el3 &= i ? ~MDCR3_ALL : ~UINT64_C(0);
		access_set(&c);
		for (enum sysreg_id reg = 0; reg < SYSREG_COUNT; reg++)
			for (unsigned int j = 0; j < levels * 2; j++)
				if (!access_exists(&access_machine, reg))
					access_check(&c, j >> 1, reg, j & 1, reg % ACCESS_RT_COUNT);
	}
}

/* MDCR_EL3.PMSEE gives EL2 PMBSR_EL2 and enables PMSCR_ELx.EE: names with E2H, memory with NV2. */
static void check_pmsee(enum state_id state)
{
	volatile uint64_t *page = data_alloc(1);

	set_vncr(mmu_translate((uintptr_t)page));
	for (unsigned int i = 0; i < 4 * 4 * 2; i++) {
		struct access_controls c = controls_of(state);

		c.mdcr_el3 = (c.mdcr_el3 & ~MDCR3_PMSEE(3)) | MDCR3_PMSEE(i & 3);
		c.pmscr_el2 = (uint64_t)(i >> 2 & 3) << 8;
		c.pmscr_el1 = i >> 4 ? UINT64_C(3) << 8 : 0;
		check_accesses(&c);
		for (unsigned int nv1 = 0; nv1 < 2 && access_machine.nv2; nv1++) {
			struct access_controls nv = c;

			nv.hcr_el2 |= HCR_NV | HCR_NV2 | (nv1 ? HCR_NV1 : 0);
			access_set(&nv);
			access_vncr = page;
			access_check_all(&nv, 1, false);
			access_vncr = NULL;
		}
	}
	set_vncr(0);
}

/* EL3 itself, with everything trapped. */
static void at_el3(enum state_id state)
{
	struct access_controls c = controls_of(state);

	access_set(&c);
	access_check_own(&c);
	c.mdcr_el3 &= ~MDCR3_ALL;
	c.mdcr_el2 = (c.mdcr_el2 & ~MDCR2_E2PB(3)) | MDCR2_TPMS;
	set_fgt(&c, 1);
	access_set(&c);
	access_check_own(&c);
}

static void in_state(enum state_id state, void (*group)(enum state_id state))
{
	struct access_controls open = access_open();
	unsigned long before = access_count;

	group(state);
	access_set(&open);
	tap_note("%lu accesses", access_count - before);
}

static const char *needs_spe_in(enum state_id state)
{
	const char *why = lacks_state(state);

	return why ? why : needs_spe();
}

static const char *needs_fgt_in(enum state_id state)
{
	const char *why = needs_spe_in(state);

	return !why && !access_machine.fgt ? "no FEAT_FGT" : why;
}

static const char *needs_exc_in(enum state_id state)
{
	const char *why = needs_spe_in(state);

	return !why && !access_machine.exc ? "no FEAT_SPE_EXC" : why;
}

/* A test of each group in each state. */
#define FUNCTIONS(state, group, need)                  \
	static void state##_##group(void)              \
	{                                              \
		in_state(STATE_##state, group);        \
	}                                              \
	static const char *state##_needs_##group(void) \
	{                                              \
		return need(STATE_##state);            \
	}
#define STATE(id, ...)                                \
	FUNCTIONS(id, check_absent, lacks_state)      \
	FUNCTIONS(id, check_nspb, needs_spe_in)       \
	FUNCTIONS(id, check_enables, needs_spe_in)    \
	FUNCTIONS(id, fgt_enables, needs_fgt_in)      \
	FUNCTIONS(id, check_priorities, needs_spe_in) \
	FUNCTIONS(id, check_pmsee, needs_exc_in)      \
	FUNCTIONS(id, at_el3, lacks_state)
#include "el3.def"
#undef STATE

static const struct test tests[] = {
#define TEST(state, group, text)                             \
	{                                                    \
		text, state##_##group, state##_needs_##group \
	}
#define STATE(id, name, ...)                                                         \
	TEST(id, check_absent, name ": what is absent is UNDEFINED below EL3"),      \
		TEST(id, check_nspb, name ": MDCR_EL3.NSPB, NSPBE"),                 \
		TEST(id, check_enables, name ": MDCR_EL3.EnPMSN, EnPMS3, EnPMS4"),   \
		TEST(id, fgt_enables, name ": SCR_EL3.FGTEn, FGTEn2"),               \
		TEST(id, check_priorities, name ": what EL2 and EL3 trap together"), \
		TEST(id, check_pmsee, name ": MDCR_EL3.PMSEE"),                      \
		TEST(id, at_el3, name ": EL3 is not trapped"),
#include "el3.def"
#undef STATE
};

void guest_main(void)
{
	if (!needs_el3())
		access_init();
	tap_run("el3", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sample records show of the level, the Security state, the contexts, the physical address and
 * the time, for each owner of the buffer (Arm ARM D17.6, D18.2).
 */
#include "ownership.h"
#include "boot.h"
#include "spe.h"
#include "tap.h"

#define CONTEXTIDR_EL2 S3_4_C13_C0_1
#define CNTPOFF_EL2    S3_4_C14_C0_6

#define CNTHCTL_ECV (UINT64_C(1) << 12)

#define PMSCR_PCT(n) ((uint64_t)(n) << 6)
#define PMSCR_OWN    (PMSCR_ENABLE0 | PMSCR_ENABLE)
#define MAX	     32u

static struct record records[MAX];

/*
 * Where code is profiled: its owner, and for EL0 whether it is a host's. i counts the places that
 * this machine has in a state; false after the last.
 */
struct place {
	unsigned int el;
	bool owner_el2, host;
};

static const struct place places[] = {
	{0, false, false}, {0, true, false}, {0, true, true}, {1, false, false},
	{1, true, false},  {2, true, false}, {2, true, true},
};
#define PLACES (sizeof(places) / sizeof(places[0]))

/* False if the state, or the machine, does not have the place. */
static bool set_place(struct access_controls *c, const struct place *p)
{
	if (p->owner_el2 && !access_el2_enabled(&access_machine, c))
		return false;
	if (p->host && !access_machine.vhe)
		return false;
	set_e2pb(c, p->owner_el2 ? 0 : 3);
	c->hcr_el2 |= p->host ? HCR_E2H : 0;
	c->hcr_el2 |= p->host && p->el == 0 ? HCR_TGE : 0;
	access_set(c);
	return true;
}

static unsigned int profile_place(const struct place *p, uint64_t pmscr_el1, uint64_t pmscr_el2)
{
	unsigned int count =
		own_profile(p->owner_el2 ? OWN_VA2 : OWN_VA1, p->el, pmscr_el1 | PMSCR_OWN,
			    pmscr_el2 | PMSCR_OWN, records, MAX);

	access_count += count;
	CHECK(count >= own_records(), "EL%u: %u records", p->el, count);
	return count;
}

/* {NSE,NS}; a main at EL2 does not know what they should be. */
static bool state_right(enum state_id state, bool ns, bool nse)
{
	return access_level < 3 || (unsigned int)(nse << 1 | ns) == state_bits(state);
}

/* RULE("D17.6/context") */
void levels_and_states(void)
{
	unsigned long before = access_count;

	for (enum state_id state = 0; state < STATES; state++)
		for (unsigned int i = 0; i < PLACES && !state_lacks(state); i++) {
			struct access_controls c = state_controls(state);
			unsigned int count, loads = 0;

			if (!set_place(&c, &places[i]))
				continue;
			count = profile_place(&places[i], PMSCR_PA, PMSCR_PA);
			for (unsigned int j = 0; j < count; j++) {
				const struct record *r = &records[j];

				CHECK(state_right(state, r->ns, r->nse),
				      "EL%u, SCR_EL3 0x%lx: NS %d NSE %d", r->el, c.scr_el3, r->ns,
				      r->nse);
				if (!(r->has & RECORD_PA))
					continue;
				loads++;
				CHECK(r->pa == own_data && state_right(state, r->pa_ns, r->pa_nse),
				      "EL%u: PA 0x%lx NS %d NSE %d", r->el, r->pa, r->pa_ns,
				      r->pa_nse);
			}
			CHECK(loads, "EL%u: no load in %u records", places[i].el, count);
		}
	own_done(before, "records");
}

/* RULE("D17.6/context"), RULE("D17.6.9/contextidr") */
void contexts(void)
{
	unsigned long before = access_count;
	uint32_t own1 = 0x11112222, own2 = 0x33334444;

	write_sysreg(CONTEXTIDR_EL2, own2);
	access_context.contextidr_el1 = own1;
	for (unsigned int i = 0; i < PLACES * 4; i++) {
		const struct place *p = &places[i / 4];
		struct access_controls c = access_open();
		bool cx1 = i & 1, cx2 = i & 2, tge;
		unsigned int count;

		if (!set_place(&c, p))
			continue;
		/* A host at EL2 has TGE while it runs; EL1 and EL0 have what the controls say. */
		tge = c.hcr_el2 & HCR_TGE;
		count = profile_place(p, cx1 ? PMSCR_CX : 0, cx2 ? PMSCR_CX : 0);
		for (unsigned int j = 0; j < count; j++) {
			const struct record *r = &records[j];
			bool want1 = cx1 && p->el != 2 && !tge;

			CHECK(!(r->has & RECORD_CONTEXT) == !want1 &&
				      (!want1 || r->context == own1),
			      "EL%u, CX %d %d, HCR_EL2 0x%lx: CONTEXTIDR_EL1 0x%x%s", p->el, cx1,
			      cx2, c.hcr_el2, r->context, r->has & RECORD_CONTEXT ? "" : " absent");
			CHECK(!(r->has & RECORD_CONTEXT2) == !cx2 && (!cx2 || r->context2 == own2),
			      "EL%u, CX %d %d, HCR_EL2 0x%lx: CONTEXTIDR_EL2 0x%x%s", p->el, cx1,
			      cx2, c.hcr_el2, r->context2,
			      r->has & RECORD_CONTEXT2 ? "" : " absent");
		}
	}
	write_sysreg(CONTEXTIDR_EL2, 0);
	access_context.contextidr_el1 = 0;
	own_done(before, "records");
}

/*
 * RULE("D17.6.9/physical")
 * EL2 must permit it if the owning state has EL2; EL1, too, if it owns the buffer.
 */
void physical_addresses(void)
{
	unsigned long before = access_count;

	for (enum state_id state = 0; state < STATES; state++)
		for (unsigned int i = 0; i < PLACES * 4 && !state_lacks(state); i++) {
			const struct place *p = &places[i / 4];
			struct access_controls c = state_controls(state);
			bool pa1 = i & 1, pa2 = i & 2, want = pa1;
			unsigned int count;

			if (!set_place(&c, p))
				continue;
			if (access_el2_enabled(&access_machine, &c))
				want = pa2 && (p->owner_el2 || pa1);
			count = profile_place(p, pa1 ? PMSCR_PA : 0, pa2 ? PMSCR_PA : 0);
			for (unsigned int j = 0; j < count; j++)
				CHECK(!(records[j].has & RECORD_PA) ==
					      !(want && records[j].has & RECORD_VA),
				      "EL%u, owner EL%d, PA %d %d, SCR_EL3 0x%lx: packets 0x%x",
				      p->el, p->owner_el2 ? 2 : 1, pa1, pa2, c.scr_el3,
				      records[j].has);
		}
	own_done(before, "records");
}

enum clock { CLOCK_NONE, CLOCK_PHYSICAL, CLOCK_VIRTUAL, CLOCK_OFFSET };

/* PMSCR_EL2.PCT decides first, and PMSCR_EL1.PCT if that leaves a choice. */
static enum clock expected_clock(const struct place *p, bool ts1, bool ts2, unsigned int pct1,
				 unsigned int pct2)
{
	enum clock virtual = p->host ? CLOCK_PHYSICAL : CLOCK_VIRTUAL;

	if (!(p->owner_el2 ? ts2 : ts1))
		return CLOCK_NONE;
	if (pct2 == 0)
		return virtual;
	if (p->owner_el2)
		return pct2 == 1 ? CLOCK_PHYSICAL : CLOCK_OFFSET;
	if (pct1 == 0)
		return virtual;
	return pct2 == 3 || pct1 == 3 ? CLOCK_OFFSET : CLOCK_PHYSICAL;
}

static bool is_between(uint64_t value, uint64_t first, uint64_t last)
{
	return value >= first && value <= last;
}

static void check_timestamp(const struct place *p, const uint64_t *offsets, unsigned int i)
{
	static const unsigned int pcts[] = {0, 1, 3};
	unsigned int pct1 = pcts[i % 3], pct2 = pcts[i / 3 % 3], count;
	bool ts1 = i / 9 & 1, ts2 = i / 18 & 1;
	enum clock clock = expected_clock(p, ts1, ts2, pct1, pct2);
	uint64_t first, last;

	isb();
	first = read_sysreg(cntpct_el0);
	count = profile_place(p, PMSCR_PCT(pct1) | (ts1 ? PMSCR_TS : 0),
			      PMSCR_PCT(pct2) | (ts2 ? PMSCR_TS : 0));
	isb();
	last = read_sysreg(cntpct_el0);
	for (unsigned int j = 0; j < count; j++) {
		const struct record *r = &records[j];

		CHECK(!(r->has & RECORD_TIMESTAMP) == (clock == CLOCK_NONE) &&
			      (clock == CLOCK_NONE ||
			       is_between(r->timestamp + offsets[clock], first, last)),
		      "EL%u, owner EL%d, host %d, TS %d %d PCT %u %u: timestamp 0x%lx, CNTPCT "
		      "0x%lx to "
		      "0x%lx",
		      p->el, p->owner_el2 ? 2 : 1, p->host, ts1, ts2, pct1, pct2, r->timestamp,
		      first, last);
	}
}

/* CNTHCTL_EL2.ECV enables CNTPOFF_EL2. */
static void set_ecv(bool on)
{
	if (access_level == 3) {
		access_context.cnthctl_el2 &= ~CNTHCTL_ECV;
		access_context.cnthctl_el2 |= on ? CNTHCTL_ECV : 0;
		return;
	}
	write_sysreg(cnthctl_el2,
		     (read_sysreg(cnthctl_el2) & ~CNTHCTL_ECV) | (on ? CNTHCTL_ECV : 0));
	isb();
}

/* RULE("D17.6.9/offsets") */
void timestamps(void)
{
	uint64_t ecv = field(read_sysreg(id_aa64mmfr0_el1), 63, 60);
	unsigned long before = access_count;

	for (unsigned int i = 0; i < PLACES * 2; i++) {
		const struct place *p = &places[i / 2];
		bool offset = i & 1 && ecv >= 2;
		/* Far apart, so that they cannot be confused. */
		uint64_t offsets[] = {0, 0, UINT64_C(1) << 40, offset ? UINT64_C(1) << 42 : 0};
		struct access_controls c = access_open();

		if (!set_place(&c, p))
			continue;
		write_sysreg(cntvoff_el2, offsets[CLOCK_VIRTUAL]);
		if (ecv >= 2)
			write_sysreg(CNTPOFF_EL2, UINT64_C(1) << 42);
		set_ecv(offset);
		for (unsigned int j = 0; j < 36; j++)
			if (ecv || (j % 3 < 2 && j / 3 % 3 < 2))
				check_timestamp(p, offsets, j);
		set_ecv(false);
	}
	write_sysreg(cntvoff_el2, 0);
	if (ecv >= 2)
		write_sysreg(CNTPOFF_EL2, 0);
	own_done(before, "records");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of many faults a walk reports (Arm ARM D8.15.5, R_XCHFJ): random tables of both stages, in
 * which anything may be wrong at once, and random accesses, against the order stated here as a list
 * of all that is wrong with a place in it, of which the least is reported.
 */
#include <string.h>

#include "../compare.h"
#include "arm/registers.h"
#include "arm/walk.h"
#include "base/splitmix.h"

#define BIT(n) (UINT64_C(1) << (n))

#define BASE	 UINT64_C(0x80000000)
#define NOWHERE	 UINT64_C(0x90000000) /* no memory is there */
#define TOO_FAR	 BIT(47)	      /* of 40 bits */
#define PAGES	 20
#define VA	 UINT64_C(0x123456789)
#define DEVICE	 0
#define NORMAL	 (UINT64_C(1) << 2)
#define S2NORMAL (UINT64_C(15) << 2)
#define AF	 BIT(10)
#define DBM	 BIT(51)
#define USER	 BIT(6)
#define RO	 BIT(7)
#define PXN	 BIT(53)
#define UXN	 BIT(54)
#define S2READ	 BIT(6)
#define S2WRITE	 BIT(7)

static uint64_t memory[PAGES][512];
static uint64_t state; /* of the generator */

static bool read_word(void *ctx, uint64_t pa, uint64_t *word)
{
	(void)ctx;
	if (pa < BASE || pa >= BASE + sizeof(memory))
		return false;
	*word = memory[(pa - BASE) / 4096][pa % 4096 / 8];
	return true;
}

static void write_word(void *ctx, uint64_t pa, uint64_t word)
{
	(void)ctx, (void)pa, (void)word;
	cr_assert_fail("a walk that keeps descriptors wrote one");
}

static uint64_t page(unsigned int n)
{
	return BASE + n * UINT64_C(4096);
}

/* Once in n times. */
static bool rarely(unsigned int n)
{
	return splitmix_next(&state) % n == 0;
}

/* What is wrong with the first of all, so far. */
struct expected {
	unsigned int place; /* in the order; NONE: nothing is */
	uint8_t fsc;
	bool stage2, s1ptw, writing;
	uint64_t ipa;
};

#define NONE ~0u

static void wrong(struct expected *e, unsigned int place, unsigned int fsc)
{
	if (place >= e->place)
		return;
	*e = (struct expected){.place = place, .fsc = (uint8_t)fsc};
}

/* ... in stage 2. */
static void wrong2(struct expected *e, unsigned int place, unsigned int fsc, uint64_t ipa,
		   bool walk)
{
	if (place >= e->place)
		return;
	wrong(e, place, fsc);
	e->stage2 = true;
	e->s1ptw = walk;
	e->ipa = ipa;
}

/* One access, and the controls that it goes with. */
struct trial {
	struct arm_regime regime;
	enum arm_access access;
	unsigned int el;
	struct expected first;
};

/* The access, or stage 1's of a descriptor, as stage 2 has it: which permissions does it need? */
static bool lacks(enum arm_access access, bool readable, bool writable, bool executable)
{
	return (access != ARM_WRITE && access != ARM_EXECUTE && !readable) ||
	       ((access == ARM_WRITE || access == ARM_UPDATE) && !writable) ||
	       (access == ARM_EXECUTE && !executable);
}

/*
 * Stage 2's tables for one IPA, n + 1 gigabytes, with whatever is wrong. from: the place of all of
 * that in the order. The page that it leads to is away: a read of it aborts.
 */
static void map_ipa(struct trial *t, unsigned int n, unsigned int from, bool walk, unsigned int to,
		    uint64_t low, bool away)
{
	const uint64_t ipa = ((uint64_t)n + 1) << 30;
	const uint64_t tables[3] = {page(4), page(5 + n), page(10 + n)};
	const bool ha = t->regime.stage2[0].vtcr & VTCR_EL2_HA; /* and HD with it */
	const unsigned int odds = walk ? 120 : 24;		/* stage 1 has four walks */
	const enum arm_access access = walk ? ARM_READ : t->access;
	const bool device = rarely(walk ? odds / 4 : 3), flag = !rarely(odds / 4),
		   execute = !rarely(odds / 4);
	const bool readable = !rarely(odds / 4), writable = !rarely(odds / 4),
		   dbm = ha && rarely(3);
	const bool reads = readable, writes = writable || dbm;

	for (unsigned int level = 1; level <= 3; level++) {
		const uint64_t next = level == 3 ? (away ? NOWHERE : page(to)) : tables[level];
		const bool lost = level < 3 && rarely(odds), invalid = rarely(odds),
			   far = rarely(odds);
		uint64_t word = (lost ? NOWHERE : next) | 3;

		if (invalid)
			word &= ~UINT64_C(1);
		if (far)
			word |= TOO_FAR;
		if (level == 3)
			word |= (device ? DEVICE : S2NORMAL) | (flag ? AF : 0) |
				(readable ? S2READ : 0) | (writable ? S2WRITE : 0) |
				(execute ? 0 : UXN) | (dbm ? DBM : 0);
		memory[(tables[level - 1] - BASE) / 4096][level == 1 ? n + 1 : 0] = word;
		if (invalid)
			wrong2(&t->first, from + 4 * level + 1, 0x04 | level, ipa | low, walk);
		if (far)
			wrong2(&t->first, from + 4 * level + 2, level, ipa | low, walk);
		if (lost)
			wrong2(&t->first, from + 4 * (level + 1), 0x14 | (level + 1), ipa | low,
			       walk);
	}
	if (!flag && !ha)
		wrong2(&t->first, from + 20, 0x0b, ipa | low, walk);
	if (device && !walk && t->regime.unaligned && access != ARM_EXECUTE)
		wrong2(&t->first, from + 21, 0x21, ipa | low, walk);
	if (lacks(access, reads, writes, execute) ||
	    (walk && device && t->regime.stage2[0].protected_walks)) {
		wrong2(&t->first, from + 22, 0x0f, ipa | low, walk);
		if (t->first.place == from + 22)
			t->first.writing = access == ARM_UPDATE && reads;
	}
}

/* What the walk of stage 1 does at a level takes this many places of the order. */
#define PLACES 40

static void map_va(struct trial *t)
{
	const uint64_t index[4] = {VA >> 39 & 511, VA >> 30 & 511, VA >> 21 & 511, VA >> 12 & 511};
	const bool ha = t->regime.tcr & TCR_EL1_HA, hd = ha && (t->regime.tcr & TCR_EL1_HD);
	const bool device = rarely(4), flag = !rarely(5), user = !rarely(3), ro = rarely(3);
	const bool pxn = rarely(4), uxn = rarely(4), dbm = rarely(3);
	const bool privileged = t->el == 1, pan = t->regime.pan;
	const bool writable = !ro || (hd && dbm);
	const bool reads = privileged ? !(user && pan) : user;
	const bool executes = privileged ? !pxn && !(user && writable) : !uxn;

	for (unsigned int level = 0; level < 4; level++) {
		const unsigned int from = PLACES * (level + 1);
		const bool away = rarely(40), invalid = rarely(40), far = rarely(40);
		uint64_t word = ((uint64_t)level + 2) << 30 | 3;

		map_ipa(t, level, from, true, level, index[level] * 8, away);
		if (invalid)
			word &= ~UINT64_C(1);
		if (far)
			word |= TOO_FAR;
		if (level == 3)
			word |= (device ? DEVICE : NORMAL) | (flag ? AF : 0) | (user ? USER : 0) |
				(ro ? RO : 0) | (pxn ? PXN : 0) | (uxn ? UXN : 0) | (dbm ? DBM : 0);
		memory[level][index[level]] = word;
		if (away)
			wrong(&t->first, from + 30, 0x14 | level);
		if (invalid)
			wrong(&t->first, from + 31, 0x04 | level);
		if (far)
			wrong(&t->first, from + 32, level);
	}
	if (!flag && !ha)
		wrong(&t->first, 5 * PLACES, 0x0b);
	if (device && t->regime.unaligned && t->access != ARM_EXECUTE)
		wrong(&t->first, 5 * PLACES + 1, 0x21);
	if (lacks(t->access, reads, reads && writable, executes)) {
		wrong(&t->first, 5 * PLACES + 2, 0x0f);
		if (t->first.place == 5 * PLACES + 2)
			t->first.writing = t->access == ARM_UPDATE && reads;
	}
	map_ipa(t, 4, 6 * PLACES, false, 15, VA & 0xfff, rarely(2));
}

static void make(struct trial *t)
{
	const bool far = rarely(60);

	memset(memory, 0, sizeof(memory));
	*t = (struct trial){
		.regime = {.kind = ARM_REGIME_EL10,
			   .sctlr = SCTLR_ELx_M,
			   .tcr = 16 | ARM_VALUE(TCR_EL1_IPS, 2) | (rarely(3) ? TCR_EL1_HA : 0) |
				  (rarely(2) ? TCR_EL1_HD : 0),
			   .ttbr0 = UINT64_C(1) << 30 | (far ? TOO_FAR : 0),
			   .mair = 0xff00,
			   .pa_bits = 40,
			   .features = {.access_flag = true, .dirty = true},
			   .security = ARM_NON_SECURE,
			   .pan = rarely(2),
			   .unaligned = rarely(2),
			   .keep = true,
			   .nested = true,
			   .stage2 = {{.on = true,
				       .vtcr = 25 | ARM_VALUE(VTCR_EL2_SL0, 1) |
					       ARM_VALUE(VTCR_EL2_PS, 2) |
					       (rarely(3) ? VTCR_EL2_HA | VTCR_EL2_HD : 0),
				       .vttbr = page(4),
				       .protected_walks = rarely(4)}},
			   .read = read_word,
			   .write = write_word},
		.access = (enum arm_access)(splitmix_next(&state) % 4),
		.el = (unsigned int)(splitmix_next(&state) % 2),
		.first = {.place = NONE},
	};
	if (far)
		wrong(&t->first, 1, 0);
	map_va(t);
	t->first.writing |= t->access == ARM_WRITE && t->first.place != NONE;
}

Test(walk_order, the_first_fault_is_reported)
{
	unsigned int none = 0, aligned[2] = {0}, places[7 * PLACES] = {0};

	state = 1;
	for (unsigned int n = 0; n < 200000; n++) {
		struct trial t;
		struct arm_translation got;
		bool done;

		make(&t);
		done = arm_translate(&t.regime, VA, t.access, t.el, &got);
		cr_assert_eq(done, t.first.place == NONE, "%u: fsc %#x, expected place %u", n,
			     got.fsc, t.first.place);
		if (done) {
			none++;
			continue;
		}
		cr_assert(got.fault,
			  "%u: fsc %#x stage 2 %d walk %d writing %d, expected %#x %d %d %d", n,
			  got.fsc, got.stage2, got.s1ptw, got.writing, t.first.fsc, t.first.stage2,
			  t.first.s1ptw, t.first.writing);
		cr_assert_eq(got.fsc, t.first.fsc,
			     "%u: fsc %#x stage 2 %d walk %d writing %d, expected %#x %d %d %d", n,
			     got.fsc, got.stage2, got.s1ptw, got.writing, t.first.fsc,
			     t.first.stage2, t.first.s1ptw, t.first.writing);
		cr_assert_eq(got.stage2, t.first.stage2,
			     "%u: fsc %#x stage 2 %d walk %d writing %d, expected %#x %d %d %d", n,
			     got.fsc, got.stage2, got.s1ptw, got.writing, t.first.fsc,
			     t.first.stage2, t.first.s1ptw, t.first.writing);
		cr_assert_eq(got.s1ptw, t.first.s1ptw,
			     "%u: fsc %#x stage 2 %d walk %d writing %d, expected %#x %d %d %d", n,
			     got.fsc, got.stage2, got.s1ptw, got.writing, t.first.fsc,
			     t.first.stage2, t.first.s1ptw, t.first.writing);
		cr_assert_eq(got.writing, t.first.writing,
			     "%u: fsc %#x stage 2 %d walk %d writing %d, expected %#x %d %d %d", n,
			     got.fsc, got.stage2, got.s1ptw, got.writing, t.first.fsc,
			     t.first.stage2, t.first.s1ptw, t.first.writing);
		if (got.stage2)
			cr_assert_eq(got.ipa, t.first.ipa, "%u: IPA %#lx, expected %#lx", n,
				     got.ipa, t.first.ipa);
		places[t.first.place]++;
		if (got.fsc == 0x21)
			aligned[got.stage2]++;
	}
	/* There was much of each. */
	cr_expect_gt(none, 2000);
	cr_expect_gt(aligned[0], 500);
	cr_expect_gt(aligned[1], 500);
	for (unsigned int level = 1; level < 5; level++)
		for (unsigned int n = 30; n < 33; n++)
			cr_expect_gt(places[level * PLACES + n], 50, "%u %u", level, n);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug: breakpoints, watchpoints and software step of self-hosted debug (Arm ARM D2.8, D2.9,
 * D2.12): when they match, what their exceptions say, and that they come exactly before the
 * instruction, or after it. Needs no SPE.
 *
 * Boot argument: every=N tries only each N-th of the watched accesses, of which there are
 * thousands.
 */
#include "debug.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "platform.h"
#include "string.h"
#include "tap.h"

#define EC_BREAKPOINT_LOWER 0x30
#define EC_BREAKPOINT_SAME  0x31
#define EC_STEP_LOWER	    0x32
#define EC_WATCHPOINT_LOWER 0x34
#define EC_WATCHPOINT_SAME  0x35
#define FSC_DEBUG	    0x22
#define ISS_ISV		    (1u << 24)
#define ISS_EX		    (1u << 6)

#define MDSCR_SS  UINT64_C(1)
#define SPSR_SS	  (UINT64_C(1) << 21)
#define MDSCR_KDE (UINT64_C(1) << 13)
#define MDSCR_MDE (UINT64_C(1) << 15)

/* DBGBCR<n>_EL1, DBGWCR<n>_EL1 */
#define CR_E	    UINT64_C(1)
#define CR_EL1	    (UINT64_C(1) << 1) /* PMC, PAC */
#define CR_EL0	    (UINT64_C(2) << 1)
#define CR_LBN(n)   ((uint64_t)(n) << 16)
#define BCR_BAS	    (UINT64_C(15) << 5)
#define BCR_BT(n)   ((uint64_t)(n) << 20)
#define WCR_LSC(n)  ((uint64_t)(n) << 3)
#define WCR_BAS(n)  ((uint64_t)(n) << 5)
#define WCR_WT	    (UINT64_C(1) << 20)
#define WCR_MASK(n) ((uint64_t)(n) << 24)

#define BT_ADDRESS_LINKED 1
#define BT_CONTEXT	  2
#define BT_CONTEXT_LINKED 3

#define SCTLR_DZE (UINT64_C(1) << 14)

/* The code of an Exception level. */
static struct code {
	uintptr_t straight, loop, loop_body, accesses;
} code[2];

static uint8_t *watched; /* 192 bytes; what is watched is in the middle */

static unsigned int context_breakpoint; /* the last one, which can match contexts */

/* What the hook saw. */
static struct {
	unsigned int count, others;
	uint64_t esr, far, elr, spsr, x0;
	enum {
		DISABLE, /* the breakpoint, and go on */
		FOLLOW,	 /* move the breakpoint to the next instruction */
		SKIP,	 /* the instruction */
	} then;
	unsigned int n; /* of which breakpoint */
	uint64_t last;	/* with FOLLOW: where to stop following */
	bool ordered;	/* each one was at the instruction after the last one */
} seen;

#define EVERY(do_it)                                                                              \
	do_it(0) do_it(1) do_it(2) do_it(3) do_it(4) do_it(5) do_it(6) do_it(7) do_it(8) do_it(9) \
		do_it(10) do_it(11) do_it(12) do_it(13) do_it(14) do_it(15)

static void set_breakpoint(unsigned int n, uint64_t value, uint64_t control)
{
#define SET_BREAKPOINT(number)                               \
	case number:                                         \
		write_sysreg(dbgbvr##number##_el1, value);   \
		write_sysreg(dbgbcr##number##_el1, control); \
		break;
	switch (n) {
		EVERY(SET_BREAKPOINT)
	}
	isb();
}

static void set_watchpoint_of(unsigned int n, uint64_t value, uint64_t control)
{
#define SET_WATCHPOINT(number)                               \
	case number:                                         \
		write_sysreg(dbgwvr##number##_el1, value);   \
		write_sysreg(dbgwcr##number##_el1, control); \
		break;
	switch (n) {
		EVERY(SET_WATCHPOINT)
	}
	isb();
}

static void set_watchpoint(uint64_t value, uint64_t control)
{
	set_watchpoint_of(0, value, control);
}

static enum exc_return watch_exception(struct exc_frame *frame, enum exc_vector vector)
{
	unsigned int class = (unsigned int)field(frame->esr, 31, 26) & ~1u;

	if (class != EC_BREAKPOINT_LOWER && class != EC_WATCHPOINT_LOWER) {
		if (class == EC_DATA_LOWER) { /* for the test of priorities */
			seen.others++;
			seen.esr = frame->esr;
			frame->elr += 4;
			return EXC_RETURN;
		}
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	if (seen.count && frame->elr != seen.elr + 4)
		seen.ordered = false;
	seen.count++;
	seen.esr = frame->esr;
	seen.far = frame->far;
	seen.elr = frame->elr;
	seen.spsr = frame->spsr;
	seen.x0 = frame->x[0];
	if (seen.then == SKIP)
		frame->elr += 4;
	else if (seen.then == FOLLOW && frame->elr != seen.last)
		set_breakpoint(0, frame->elr + 4, read_sysreg(dbgbcr0_el1));
	else
		set_breakpoint(seen.n, 0, 0);
	return EXC_RETURN;
}

/* Call a function with debug exceptions controlled by mdscr and d (PSTATE.D at EL1); its result. */
static uint64_t call_debugged(unsigned int el, uintptr_t function, uint64_t a0, uint64_t a1,
			      uint64_t mdscr, bool d)
{
	uint64_t result;

	seen.count = seen.others = 0;
	seen.ordered = true;
	exc_hooks[VEC_SPX_SYNC] = exc_hooks[VEC_EL0_SYNC] = watch_exception;
	write_sysreg(mdscr_el1, mdscr);
	isb();
	if (el == 1) {
		if (!d)
			__asm__ volatile("msr daifclr, #8" ::: "memory");
		result = ((uint64_t(*)(uint64_t, uint64_t))function)(a0, a1);
		__asm__ volatile("msr daifset, #8" ::: "memory");
	} else {
		result = user_call(function, a0, a1, 0);
	}
	write_sysreg(mdscr_el1, 0);
	isb();
	exc_hooks[VEC_SPX_SYNC] = exc_hooks[VEC_EL0_SYNC] = NULL;
	return result;
}

static uint64_t run_debugged(unsigned int el, uintptr_t function, uint64_t a0, uint64_t a1)
{
	return call_debugged(el, function, a0, a1, MDSCR_MDE | MDSCR_KDE, false);
}

/* A breakpoint at one instruction after the other; each comes before it executes. */
static void breakpoint_everywhere(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		unsigned int ec = el ? EC_BREAKPOINT_SAME : EC_BREAKPOINT_LOWER;

		for (unsigned int i = 0; i <= DEBUG_STRAIGHT; i++) {
			uint64_t at = code[el].straight + 4 * i, result;

			seen.then = DISABLE;
			set_breakpoint(0, at, CR_E | BCR_BAS | (el ? CR_EL1 : CR_EL0));
			result = run_debugged(el, code[el].straight, 100, 0);
			CHECK(result == 100 + DEBUG_STRAIGHT, "EL%u: the result is %lu", el,
			      result);
			if (!CHECK(seen.count == 1, "EL%u, instruction %u: %u exceptions", el, i,
				   seen.count))
				continue;
			CHECK(seen.elr == at, "EL%u: ELR_EL1 is 0x%lx, not 0x%lx", el, seen.elr,
			      at);
			CHECK(seen.x0 == 100 + i, "EL%u, instruction %u: X0 is %lu", el, i,
			      seen.x0);
			CHECK(field(seen.esr, 31, 26) == ec && (seen.esr & 0x1ffffff) == FSC_DEBUG,
			      "EL%u: ESR_EL1 is 0x%lx", el, seen.esr);
			CHECK((seen.spsr & 0xf) == (el ? 5 : 0), "EL%u: SPSR_EL1 is 0x%lx", el,
			      seen.spsr);
		}
	}
}

/* Moved on by its handler, a breakpoint sees every instruction once and in order. */
static void breakpoint_moves_on(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		seen.then = FOLLOW;
		seen.last = code[el].straight + 4 * DEBUG_STRAIGHT;
		set_breakpoint(0, code[el].straight, CR_E | BCR_BAS | CR_EL1 | CR_EL0);
		run_debugged(el, code[el].straight, 0, 0);
		CHECK(seen.count == DEBUG_STRAIGHT + 1 && seen.ordered,
		      "EL%u: %u exceptions, in order: %u", el, seen.count, seen.ordered);
	}
}

/*
 * In every lap: the handler skips the SUB, so the loop ends only once it disables the breakpoint.
 */
static void breakpoint_in_loop(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		uint64_t result;

		seen.then = DISABLE;
		set_breakpoint(0, code[el].loop_body, CR_E | BCR_BAS | CR_EL1 | CR_EL0);
		result = run_debugged(el, code[el].loop, 1000, 0);
		CHECK(result == 1000 && seen.count == 1 && seen.x0 == 1000,
		      "EL%u: %lu laps, %u exceptions, X0 %lu", el, result, seen.count, seen.x0);
	}
}

static void breakpoint_levels(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		uint64_t other = el ? CR_EL0 : CR_EL1;

		seen.then = DISABLE;
		set_breakpoint(0, code[el].straight, CR_E | BCR_BAS | other);
		run_debugged(el, code[el].straight, 0, 0);
		CHECK(seen.count == 0, "EL%u matched where PMC says the other", el);
		set_breakpoint(0, code[el].straight, BCR_BAS | CR_EL1 | CR_EL0);
		run_debugged(el, code[el].straight, 0, 0);
		CHECK(seen.count == 0, "EL%u matched with E = 0", el);
		set_breakpoint(0, code[!el].straight, CR_E | BCR_BAS | CR_EL1 | CR_EL0);
		run_debugged(el, code[el].straight, 0, 0);
		CHECK(seen.count == 0, "EL%u matched at the other's address", el);
		set_breakpoint(0, 0, 0);
	}
}

/* MDE, KDE and PSTATE.D; then the OS Lock. KDE and D do not concern EL0. */
static void check_enables(uint64_t mdscr, bool d, bool el0, bool el1)
{
	for (unsigned int el = 0; el < 2; el++) {
		unsigned int want = el ? el1 : el0;

		seen.then = DISABLE;
		set_breakpoint(0, code[el].straight, CR_E | BCR_BAS | CR_EL1 | CR_EL0);
		call_debugged(el, code[el].straight, 0, 0, mdscr, d);
		CHECK(seen.count == want, "MDSCR_EL1 0x%lx, D %u, EL%u: %u breakpoints", mdscr, d,
		      el, seen.count);
		set_breakpoint(0, 0, 0);
		seen.then = SKIP;
		set_watchpoint((uintptr_t)watched,
			       CR_E | WCR_LSC(3) | WCR_BAS(0xff) | CR_EL1 | CR_EL0);
		call_debugged(el, code[el].accesses, (uintptr_t)watched, 0, mdscr, d);
		CHECK(seen.count == want, "MDSCR_EL1 0x%lx, D %u, EL%u: %u watchpoints", mdscr, d,
		      el, seen.count);
		set_watchpoint(0, 0);
	}
}

static void test_enables(void)
{
	check_enables(MDSCR_MDE | MDSCR_KDE, false, true, true);
	check_enables(MDSCR_MDE | MDSCR_KDE, true, true, false);
	check_enables(MDSCR_MDE, false, true, false);
	check_enables(MDSCR_KDE, false, false, false);
	check_enables(0, false, false, false);
}

static void os_lock(void)
{
	write_sysreg(oslar_el1, 1);
	isb();
	check_enables(MDSCR_MDE | MDSCR_KDE, false, false, false);
	write_sysreg(oslar_el1, 0);
	isb();
	check_enables(MDSCR_MDE | MDSCR_KDE, false, true, true);
}

/* QEMU's -cpu max, by its MIDR_EL1. */
static bool is_qemu(void)
{
	return read_sysreg(midr_el1) == 0x000f0510;
}

static const char *needs_os_lock(void)
{
	return is_qemu() ? "QEMU's OS Lock stops no debug exceptions" : NULL;
}

/* A breakpoint that is linked to one that matches CONTEXTIDR_EL1. */
static void linked_breakpoint(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		for (unsigned int same = 0; same < 2; same++) {
			seen.then = DISABLE;
			write_sysreg(contextidr_el1, same ? 0x1234 : 0x1235);
			set_breakpoint(context_breakpoint, 0x1234,
				       CR_E | BCR_BAS | CR_EL1 | CR_EL0 |
					       BCR_BT(BT_CONTEXT_LINKED));
			set_breakpoint(0, code[el].straight,
				       CR_E | BCR_BAS | CR_EL1 | CR_EL0 |
					       BCR_BT(BT_ADDRESS_LINKED) |
					       CR_LBN(context_breakpoint));
			run_debugged(el, code[el].straight, 0, 0);
			CHECK(seen.count == same, "EL%u, the same context %u: %u exceptions", el,
			      same, seen.count);
		}
	}
	set_breakpoint(context_breakpoint, 0, 0);
	set_breakpoint(0, 0, 0);
	write_sysreg(contextidr_el1, 0);
}

/* All breakpoints of ID_AA64DFR0_EL1, one at a time. */
static void every_breakpoint(void)
{
	const unsigned int count = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 15, 12) + 1;

	for (unsigned int n = 0; n < count; n++)
		for (unsigned int el = 0; el < 2; el++) {
			uint64_t at = code[el].straight + 4 * (n % DEBUG_STRAIGHT);

			seen.then = DISABLE;
			seen.n = n;
			set_breakpoint(n, at, CR_E | BCR_BAS | (el ? CR_EL1 : CR_EL0));
			run_debugged(el, code[el].straight, 0, 0);
			CHECK(seen.count == 1 && seen.elr == at,
			      "breakpoint %u at EL%u: %u exceptions, ELR_EL1 0x%lx", n, el,
			      seen.count, seen.elr);
			set_breakpoint(n, 0, 0);
		}
	seen.n = 0;
	tap_note("%u breakpoints", count);
}

/* Only the last CTX_CMPs + 1 can match contexts. same: CONTEXTIDR_EL1 is the one they match. */
static void check_contexts(void (*check)(unsigned int n, unsigned int same))
{
	const uint64_t dfr0 = read_sysreg(id_aa64dfr0_el1);
	const unsigned int last = (unsigned int)field(dfr0, 15, 12);

	for (unsigned int n = last - (unsigned int)field(dfr0, 31, 28); n <= last; n++)
		for (unsigned int same = 0; same < 2; same++) {
			write_sysreg(contextidr_el1, same ? 0x1234 : 0x1235);
			check(n, same);
			set_breakpoint(0, 0, 0);
			set_breakpoint(n, 0, 0);
		}
	write_sysreg(contextidr_el1, 0);
}

static void check_unlinked(unsigned int n, unsigned int same)
{
	seen.then = DISABLE;
	seen.n = n;
	set_breakpoint(n, 0x1234, CR_E | BCR_BAS | CR_EL0 | BCR_BT(BT_CONTEXT));
	run_debugged(0, code[0].straight, 0, 0);
	seen.n = 0;
	CHECK(seen.count == same && (!same || seen.elr == code[0].straight),
	      "breakpoint %u, the same context %u: %u exceptions, ELR_EL1 0x%lx", n, same,
	      seen.count, seen.elr);
}

static void check_linked(unsigned int n, unsigned int same)
{
	const uint64_t both = CR_E | BCR_BAS | CR_EL1 | CR_EL0;

	if (n == 0)
		return;
	seen.then = DISABLE;
	set_breakpoint(n, 0x1234, both | BCR_BT(BT_CONTEXT_LINKED));
	set_breakpoint(0, code[0].straight + 4, both | BCR_BT(BT_ADDRESS_LINKED) | CR_LBN(n));
	run_debugged(0, code[0].straight, 0, 0);
	CHECK(seen.count == same, "linked to breakpoint %u, the same context %u: %u exceptions", n,
	      same, seen.count);
}

static void every_context(void)
{
	check_contexts(check_unlinked);
}

static void every_linked_context(void)
{
	check_contexts(check_linked);
}

static void every_watchpoint(void)
{
	const unsigned int count = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 23, 20) + 1;

	for (unsigned int n = 0; n < count; n++)
		for (unsigned int el = 0; el < 2; el++) {
			seen.then = SKIP;
			set_watchpoint_of(n, (uintptr_t)watched + 64,
					  CR_E | WCR_LSC(3) | WCR_BAS(0xff) |
						  (el ? CR_EL1 : CR_EL0));
			run_debugged(el, code[el].accesses, (uintptr_t)watched + 64, 0);
			CHECK(seen.count == 1 && seen.far == (uintptr_t)watched + 64,
			      "watchpoint %u at EL%u: %u exceptions, FAR_EL1 0x%lx", n, el,
			      seen.count, seen.far);
			set_watchpoint_of(n, 0, 0);
			run_debugged(el, code[el].accesses, (uintptr_t)watched + 64, 0);
			CHECK(seen.count == 0, "watchpoint %u at EL%u matches when it is off", n,
			      el);
		}
	tap_note("%u watchpoints", count);
}

static const struct access {
	const char *name;
	uint8_t size;
	bool read, write;
} accesses[] = {
	{"ldrb", 1, true, false},  {"ldrh", 2, true, false},	{"ldr w", 4, true, false},
	{"ldr x", 8, true, false}, {"ldp w", 8, true, false},	{"ldp x", 16, true, false},
	{"ldar", 8, true, false},  {"ldtr", 8, true, false},	{"strb", 1, false, true},
	{"strh", 2, false, true},  {"str w", 4, false, true},	{"str x", 8, false, true},
	{"stp w", 8, false, true}, {"stp x", 16, false, true},	{"stlr", 8, false, true},
	{"sttr", 8, false, true},  {"ldxr", 8, true, false},	{"prfm", 8, false, false},
	{"ldadd", 8, true, true},  {"dc zva", 64, false, true},
};

#define ACCESSES (sizeof(accesses) / sizeof(accesses[0]))
#define LDR_X	 3
#define LDTR	 7
#define STP_W	 12
#define STP_X	 13
#define STTR	 15
#define LDXR	 16
#define LDADD	 18
#define DC_ZVA	 19

static unsigned int cases;

/* An access at offset from watched; the bytes from to below until of it are watched. */
static void check_watch(unsigned int el, unsigned int i, unsigned int offset, unsigned int lsc,
			unsigned int from, unsigned int until)
{
	const struct access *a = &accesses[i];
	unsigned int low = i == DC_ZVA ? offset & ~63u : offset, high = low + a->size;
	unsigned int matches =
		((a->read && lsc & 1) || (a->write && lsc & 2)) && low < until && from < high;
	uint64_t base = (uintptr_t)watched, most;
	/* Of a pair, the register that is not watched may be stored. */
	bool pair = i == STP_W || i == STP_X;
	uint64_t sum = 0;

	seen.then = SKIP;
	memset(watched, 0, 192);
	run_debugged(el, code[el].accesses + DEBUG_ACCESS_SIZE * i, base + offset, ~UINT64_C(0));
	cases++;
	if (!CHECK(seen.count == matches, "EL%u %s at %u, LSC %u, watched %u to %u: %u exceptions",
		   el, a->name, offset, lsc, from, until - 1, seen.count))
		return;
	for (unsigned int n = 0; n < 192; n++)
		if (!matches || !pair || (n >= from && n < until))
			sum += watched[n];
	CHECK(a->write && !matches && i != DC_ZVA ? sum != 0 : sum == 0,
	      "EL%u %s at %u: stored or not, it was not what it had to be", el, a->name, offset);
	if (!matches)
		return;
	most = base + (until < high ? until : high) - 1;
	CHECK(seen.elr == code[el].accesses + DEBUG_ACCESS_SIZE * i, "%s: ELR_EL1 is 0x%lx",
	      a->name, seen.elr);
	CHECK(seen.far >= base + low && seen.far <= most,
	      "%s: FAR_EL1 is 0x%lx, not 0x%lx to 0x%lx", a->name, seen.far, base + low, most);
	CHECK(field(seen.esr, 31, 26) == (el ? EC_WATCHPOINT_SAME : EC_WATCHPOINT_LOWER) &&
		      field(seen.esr, 5, 0) == FSC_DEBUG,
	      "%s: ESR_EL1 is 0x%lx", a->name, seen.esr);
	if (a->read != a->write)
		CHECK(field(seen.esr, 6, 6) == a->write, "%s: WnR is %lu", a->name,
		      field(seen.esr, 6, 6));
}

/* LDADD is FEAT_LSE's. */
static bool is_there(unsigned int i)
{
	return i != LDADD || field(read_sysreg(id_aa64isar0_el1), 23, 20);
}

static uint64_t every, turn;

/* Every access that is aligned, around 64 to 95, with the watchpoint as it is. */
static void sweep_addresses(uint64_t value, uint64_t control, unsigned int from, unsigned int until)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int lsc = 1; lsc <= 3; lsc++) {
			set_watchpoint((uintptr_t)watched + value,
				       control | CR_E | CR_EL1 | CR_EL0 | WCR_LSC(lsc));
			for (unsigned int i = 0; i < ACCESSES; i++) {
				unsigned int step = accesses[i].size;

				for (unsigned int at = 64 - step; is_there(i) && at < 104;
				     at += step)
					if (turn++ % every == 0)
						check_watch(el, i, at, lsc, from, until);
			}
		}
	set_watchpoint(0, 0);
}

static void watch_bytes(void)
{
	cases = 0;
	for (unsigned int byte = 0; byte < 8; byte++)
		sweep_addresses(64, WCR_BAS(1u << byte), 64 + byte, 65 + byte);
	/* BAS of a word in the upper half of a doubleword. */
	sweep_addresses(68, WCR_BAS(6), 69, 71);
	sweep_addresses(64, WCR_BAS(0xff), 64, 72);
	sweep_addresses(64, WCR_BAS(0x3c), 66, 70);
	tap_note("%u accesses", cases);
}

static void watch_ranges(void)
{
	cases = 0;
	sweep_addresses(64, WCR_BAS(0xff) | WCR_MASK(3), 64, 72);
	sweep_addresses(64, WCR_BAS(0xff) | WCR_MASK(4), 64, 80);
	sweep_addresses(64, WCR_BAS(0xff) | WCR_MASK(5), 64, 96);
	tap_note("%u accesses", cases);
}

/* QEMU 7.2 does; LDR X2 of the 8 bytes before the watched ones. */
static const char *needs_unaligned(void)
{
	seen.then = SKIP;
	set_watchpoint((uintptr_t)watched + 64,
		       WCR_BAS(0x18) | CR_E | CR_EL1 | CR_EL0 | WCR_LSC(3));
	run_debugged(0, code[0].accesses + DEBUG_ACCESS_SIZE * LDR_X, (uintptr_t)watched + 59, 0);
	set_watchpoint(0, 0);
	return seen.count ? "this PE watches more bytes than an unaligned access has" : NULL;
}

/* Unaligned, across the edges of what is watched. */
static void watch_unaligned(void)
{
	static const unsigned int which[] = {1, 2, 3, 5, 9, 10, 11, 13};

	for (unsigned int el = 0; el < 2; el++) {
		set_watchpoint((uintptr_t)watched + 64,
			       WCR_BAS(0x18) | CR_E | CR_EL1 | CR_EL0 | WCR_LSC(3));
		for (unsigned int i = 0; i < sizeof(which) / sizeof(which[0]); i++)
			for (unsigned int at = 48; at < 72; at++)
				check_watch(el, which[i], at, 3, 67, 69);
	}
	set_watchpoint(0, 0);
}

/* An access at el, where pac says whose accesses are watched: matches or not. */
static void check_level(unsigned int el, unsigned int pac, unsigned int i, unsigned int matches)
{
	seen.then = SKIP;
	set_watchpoint((uintptr_t)watched + 64,
		       CR_E | (uint64_t)pac << 1 | WCR_LSC(3) | WCR_BAS(0xff));
	run_debugged(el, code[el].accesses + DEBUG_ACCESS_SIZE * i, (uintptr_t)watched + 64, 0);
	CHECK(seen.count == matches, "EL%u %s, PAC %u: %u exceptions", el, accesses[i].name, pac,
	      seen.count);
	set_watchpoint(0, 0);
}

static bool is_unprivileged(unsigned int i)
{
	return i == LDTR || i == STTR;
}

/*
 * Software step (D2.12): after a breakpoint, every instruction is followed by an exception. The
 * handler sets SPSR_EL1.SS to step once more.
 */
static enum exc_return step_hook(struct exc_frame *frame, enum exc_vector vector)
{
	unsigned int class = (unsigned int)field(frame->esr, 31, 26) & ~1u;
	bool more;

	if (class == EC_BREAKPOINT_LOWER) {
		set_breakpoint(0, 0, 0);
	} else if (class == EC_STEP_LOWER) {
		seen.count++;
		if (frame->elr != seen.elr + 4)
			seen.ordered = false;
		seen.esr = frame->esr;
		seen.spsr = frame->spsr;
	} else {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	seen.elr = frame->elr;
	more = frame->elr != seen.last;
	write_sysreg(mdscr_el1, MDSCR_MDE | MDSCR_KDE | (more ? MDSCR_SS : 0));
	frame->spsr = (frame->spsr & ~SPSR_SS) | (more ? SPSR_SS : 0);
	return EXC_RETURN;
}

/* Step n instructions of a function at el, from its start. Its result. */
static uint64_t run_stepped(unsigned int el, uintptr_t function, unsigned int n, uint64_t a0)
{
	uint64_t result;

	seen.count = 0;
	seen.ordered = true;
	seen.last = function + 4 * n;
	set_breakpoint(0, function, CR_E | BCR_BAS | CR_EL1 | CR_EL0);
	exc_hooks[VEC_SPX_SYNC] = exc_hooks[VEC_EL0_SYNC] = step_hook;
	write_sysreg(mdscr_el1, MDSCR_MDE | MDSCR_KDE);
	isb();
	if (el == 1) {
		__asm__ volatile("msr daifclr, #8" ::: "memory");
		result = ((uint64_t(*)(uint64_t))function)(a0);
		__asm__ volatile("msr daifset, #8" ::: "memory");
	} else {
		result = user_call(function, a0, 0, 0);
	}
	write_sysreg(mdscr_el1, 0);
	isb();
	exc_hooks[VEC_SPX_SYNC] = exc_hooks[VEC_EL0_SYNC] = NULL;
	CHECK(seen.count == n && seen.ordered, "EL%u: %u exceptions, in order: %u", el, seen.count,
	      seen.ordered);
	CHECK(field(seen.esr, 31, 26) == EC_STEP_LOWER + el, "EL%u: ESR_EL1 is 0x%lx", el,
	      seen.esr);
	CHECK(!(seen.spsr & SPSR_SS), "EL%u: SPSR_EL1 is 0x%lx", el, seen.spsr);
	return result;
}

static void software_step(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		uint64_t result = run_stepped(el, code[el].straight, DEBUG_STRAIGHT, 100);

		CHECK(result == 100 + DEBUG_STRAIGHT, "EL%u: the result is %lu", el, result);
		/* ISV, since an instruction was stepped; EX says that it was a load exclusive. */
		CHECK((seen.esr & 0x1ffffff) == (FSC_DEBUG | ISS_ISV), "EL%u: ESR_EL1 is 0x%lx", el,
		      seen.esr);
		run_stepped(el, code[el].accesses + DEBUG_ACCESS_SIZE * LDXR, 1,
			    (uintptr_t)watched);
		CHECK((seen.esr & 0x1ffffff) == (FSC_DEBUG | ISS_ISV | ISS_EX),
		      "EL%u: ESR_EL1 is 0x%lx after LDXR", el, seen.esr);
	}
}

/* PAC: whose accesses are watched. */
static void watch_levels(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int pac = 1; pac < 4; pac++)
			for (unsigned int i = 0; i < ACCESSES; i++)
				if (is_there(i) && (el == 0 || !is_unprivileged(i)))
					check_level(el, pac, i,
						    (pac >> (el ? 0 : 1) &
						     1) && (accesses[i].read || accesses[i].write));
}

/* QEMU 7.2 does so if there is a stage 2. */
static const char *needs_unprivileged(void)
{
	seen.then = SKIP;
	set_watchpoint((uintptr_t)watched + 64, CR_E | CR_EL1 | WCR_LSC(3) | WCR_BAS(0xff));
	run_debugged(1, code[1].accesses + DEBUG_ACCESS_SIZE * LDTR, (uintptr_t)watched + 64, 0);
	set_watchpoint(0, 0);
	return seen.count ? "this PE takes an LDTR at EL1 for an access of EL1" : NULL;
}

/* LDTR and STTR at EL1 are EL0's. */
static void watch_unprivileged(void)
{
	for (unsigned int pac = 1; pac < 4; pac++)
		for (unsigned int i = 0; i < ACCESSES; i++)
			if (is_unprivileged(i))
				check_level(1, pac, i, pac >> 1 & 1);
}

static void linked_watchpoint(void)
{
	for (unsigned int same = 0; same < 2; same++) {
		seen.then = SKIP;
		write_sysreg(contextidr_el1, same ? 77 : 78);
		set_breakpoint(context_breakpoint, 77,
			       CR_E | BCR_BAS | CR_EL1 | CR_EL0 | BCR_BT(BT_CONTEXT_LINKED));
		set_watchpoint((uintptr_t)watched + 64, CR_E | CR_EL0 | WCR_LSC(1) | WCR_BAS(0xff) |
								WCR_WT |
								CR_LBN(context_breakpoint));
		run_debugged(0, code[0].accesses, (uintptr_t)watched + 64, 0);
		CHECK(seen.count == same, "the same context %u: %u exceptions", same, seen.count);
	}
	set_breakpoint(context_breakpoint, 0, 0);
	set_watchpoint(0, 0);
	write_sysreg(contextidr_el1, 0);
}

/* An access that faults takes its Data Abort, watched or not. */
static void fault_before_watchpoint(void)
{
	uint64_t page = (uintptr_t)user_data_alloc(1), entry = mmu_unmap(page);

	seen.then = SKIP;
	set_watchpoint(page, CR_E | CR_EL0 | WCR_LSC(3) | WCR_BAS(0xff));
	run_debugged(0, code[0].accesses, page, 0);
	CHECK(seen.count == 0 && seen.others == 1, "%u Watchpoint exceptions, %u Data Aborts",
	      seen.count, seen.others);
	CHECK(field(seen.esr, 5, 0) == FSC_TRANSLATION_L3, "ESR_EL1 is 0x%lx", seen.esr);
	mmu_restore(page, entry);
	run_debugged(0, code[0].accesses, page, 0);
	CHECK(seen.count == 1 && seen.others == 0, "mapped again: %u and %u", seen.count,
	      seen.others);
	set_watchpoint(0, 0);
}

static const struct test tests[] = {
	{"a breakpoint comes before its instruction", breakpoint_everywhere, NULL},
	{"a breakpoint that is moved sees every instruction", breakpoint_moves_on, NULL},
	{"a breakpoint in a loop", breakpoint_in_loop, NULL},
	{"PMC, E and the address", breakpoint_levels, NULL},
	{"MDE, KDE and PSTATE.D", test_enables, NULL},
	{"the OS Lock", os_lock, needs_os_lock},
	{"a breakpoint linked to a context", linked_breakpoint, NULL},
	{"BAS and LSC of every access", watch_bytes, NULL},
	{"MASK and LSC of every access", watch_ranges, NULL},
	{"unaligned accesses", watch_unaligned, needs_unaligned},
	{"PAC of every access", watch_levels, NULL},
	{"PAC of unprivileged accesses", watch_unprivileged, needs_unprivileged},
	{"a watchpoint linked to a context", linked_watchpoint, NULL},
	{"a fault comes before a watchpoint", fault_before_watchpoint, NULL},
	{"software step, one instruction after the other", software_step, NULL},
	{"every breakpoint", every_breakpoint, NULL},
	{"every breakpoint of a context", every_context, NULL},
	{"every breakpoint of a linked context", every_linked_context, NULL},
	{"every watchpoint", every_watchpoint, NULL},
};

#define CODE(prefix)                                                                      \
	(struct code)                                                                     \
	{                                                                                 \
		user_address(prefix##_straight), user_address(prefix##_loop),             \
			user_address(prefix##_loop_body), user_address(prefix##_accesses) \
	}

void guest_main(void)
{
	code[0] = CODE(user);
	code[1] = CODE(kernel);
	context_breakpoint = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 15, 12);
	watched = (uint8_t *)user_data_alloc(1) + 1024;
	every = bootarg("every", 1);
	if (every == 0)
		every = 1;
	write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_DZE);
	write_sysreg(oslar_el1, 0);
	isb();
	tap_run("debug", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* One operation after the other: see stepped_counters.h. */
#include "conform/stepped_counters.h"

bool stepped_has(const struct stepped_counters *s, unsigned int n)
{
	if (n == INSTRUCTION)
		return s->is.instruction_counter;
	return n == CYCLE || n < s->is.counters;
}

/* Is it one of those that MDCR_EL2.HPMN keeps for EL2? */
static bool is_el2s(const struct stepped_counters *s, unsigned int n)
{
	const unsigned int hpmn = (unsigned int)(s->el2 & 31);

	return s->is.el2 && n < s->is.counters && n >= hpmn;
}

static bool is_on(const struct stepped_counters *s, unsigned int n)
{
	const bool on = is_el2s(s, n) ? s->el2 & B(EL2_HPME) : s->control & B(CR_E);

	return on && s->enabled & B(n);
}

/* Counting of events is prohibited in Secure state and at EL3, and at EL2. */
static bool is_prohibited(const struct stepped_counters *s, unsigned int n)
{
	const bool secure = s->level == 3 || s->state == SECURE;
	const bool spme = s->el3 & B(EL3_SPME);

	if (s->is.el3 && s->el3 & B(EL3_MPMX)) {
		/* SPME is about EL3 alone, and about which counters. */
		if (s->level == 3 && !(spme && is_el2s(s, n)))
			return true;
	} else if (s->is.el3 && secure && !spme) {
		return true;
	}
	return s->level == 2 && s->el2 & B(EL2_HPMD) && !is_el2s(s, n);
}

/* An overflow in its half stops it. */
static bool is_frozen(const struct stepped_counters *s, unsigned int n)
{
	for (unsigned int other = 0; other < ALL; other++) {
		if (other == CYCLE || !stepped_has(s, other) || !(s->overflowed & B(other)) ||
		    is_el2s(s, other) != is_el2s(s, n))
			continue;
		if (is_el2s(s, n) ? s->el2 & B(EL2_HPMFZO) : s->control & B(CR_FZO))
			return true;
	}
	return false;
}

/* PMEVTYPER<n>_EL0's bits about the Exception level and Security state. */
static bool is_filtered(const struct stepped_counters *s, unsigned int n)
{
	const uint64_t t = s->type[n];
	const bool p = t & B(31), u = t & B(30), nsk = t & B(29), nsu = t & B(28), nsh = t & B(27),
		   m = t & B(26), sh = t & B(24), rlk = t & B(22), rlu = t & B(21), rlh = t & B(20);

	switch (s->level) {
	case 0:
		if (s->state == SECURE || !s->is.el3)
			return u;
		return s->state == REALM ? u != rlu : u != nsu;
	case 1:
		if (s->state == SECURE || !s->is.el3)
			return p;
		return s->state == REALM ? p != rlk : p != nsk;
	case 2:
		if (s->state == REALM)
			return nsh == rlh;
		return s->state == SECURE ? nsh == sh : !nsh;
	default: return m != p;
	}
}

static bool cycles_are_prohibited(const struct stepped_counters *s)
{
	const bool secure = s->level == 3 || s->state == SECURE;

	return (s->level == 2 && s->el2 & B(EL2_HCCD)) ||
	       (s->is.el3 && s->level == 3 && s->el3 & B(EL3_MCCD)) ||
	       (s->is.el3 && secure && s->el3 & B(EL3_SCCD));
}

static bool does_count(const struct stepped_counters *s, unsigned int n)
{
	if (!stepped_has(s, n) || !is_on(s, n) || is_filtered(s, n))
		return false;
	if (n != CYCLE)
		return !is_prohibited(s, n) && !is_frozen(s, n);
	if (cycles_are_prohibited(s))
		return false;
	return !(s->control & B(CR_DP)) || (!is_prohibited(s, n) && !is_frozen(s, n));
}

/* At which width does it overflow? */
static unsigned int width(const struct stepped_counters *s, unsigned int n)
{
	if (n == CYCLE || n == INSTRUCTION)
		return 64; /* PMCR_EL0.LC is RES1 */
	return (is_el2s(s, n) ? s->el2 & B(EL2_HLP) : s->control & B(CR_LP)) ? 64 : 32;
}

static bool increment(struct stepped_counters *s, unsigned int n)
{
	const uint64_t next = ++s->value[n];
	const bool wrapped = width(s, n) == 64 ? !next : !(uint32_t)next;

	if (n < CYCLE && s->is.version < V3P5)
		s->value[n] = (uint32_t)next;
	if (wrapped)
		s->overflowed |= B(n);
	return wrapped;
}

/*
 * An event happens once: which counters count it is decided before any of them changes. PMSWINC_EL0
 * names the counters.
 */
void stepped_event(struct stepped_counters *s, uint64_t counts, uint16_t event, uint64_t named)
{
	for (unsigned int n = 0; n < CYCLE; n++) {
		if (!(counts & named & B(n)) || (s->type[n] & 0xffff) != event ||
		    !increment(s, n) || n % 2 || width(s, n) == 64)
			continue;
		if (counts & B(n + 1) && (s->type[n + 1] & 0xffff) == CHAIN)
			increment(s, n + 1);
	}
	if (event == CPU_CYCLES && counts & B(CYCLE))
		increment(s, CYCLE);
	if (event == INST_RETIRED && counts & B(INSTRUCTION))
		increment(s, INSTRUCTION);
}

uint64_t stepped_counting(const struct stepped_counters *s)
{
	uint64_t counts = 0;

	for (unsigned int n = 0; n < ALL; n++)
		counts |= does_count(s, n) ? B(n) : 0;
	return counts;
}

void stepped_execute(struct stepped_counters *s)
{
	const uint64_t counts = stepped_counting(s);

	stepped_event(s, counts, INST_RETIRED, UINT64_MAX);
	stepped_event(s, counts, CPU_CYCLES, UINT64_MAX);
}

bool stepped_interrupts(const struct stepped_counters *s)
{
	for (unsigned int n = 0; n < ALL; n++)
		if (s->overflowed & s->interrupts & B(n) &&
		    (is_el2s(s, n) ? s->el2 & B(EL2_HPME) : s->control & B(CR_E)))
			return true;
	return false;
}

static uint64_t all_counters(const struct stepped_counters *s)
{
	uint64_t bits = 0;

	for (unsigned int n = 0; n < ALL; n++)
		bits |= stepped_has(s, n) ? B(n) : 0;
	return bits;
}

uint64_t stepped_type_bits(const struct stepped_counters *s, unsigned int n)
{
	uint64_t bits = B(31) | B(30) | (n < CYCLE ? 0xffff : 0);

	bits |= s->is.el2 ? B(27) : 0;
	bits |= s->is.el3 ? B(29) | B(28) | B(26) : 0;
	bits |= s->is.sel2 ? B(24) : 0;
	return bits | (s->is.rme ? B(22) | B(21) | B(20) : 0);
}

static void zero(struct stepped_counters *s, uint64_t named)
{
	for (unsigned int n = 0; n < ALL; n++)
		if (named & B(n))
			s->value[n] = 0;
}

static void write_control(struct stepped_counters *s, uint64_t value)
{
	s->control = value & (B(CR_E) | B(CR_DP) | (s->is.version >= V3P5 ? B(CR_LP) : 0) |
			      (s->is.version >= V3P7 ? B(CR_FZO) : 0));
	zero(s, (value & B(CR_P) ? B(CYCLE) - 1 : 0) | (value & B(CR_C) ? B(CYCLE) : 0));
}

/* A write at the highest Exception level, which reaches every counter. */
void stepped_write(struct stepped_counters *s, enum pmu_register reg, uint64_t value)
{
	const uint64_t bits = value & all_counters(s);

	switch ((unsigned int)reg) {
	case PMU_PMCR_EL0: write_control(s, value); break;
	case PMU_PMCNTENSET_EL0: s->enabled |= bits; break;
	case PMU_PMCNTENCLR_EL0: s->enabled &= ~bits; break;
	case PMU_PMINTENSET_EL1: s->interrupts |= bits; break;
	case PMU_PMINTENCLR_EL1: s->interrupts &= ~bits; break;
	case PMU_PMOVSSET_EL0: s->overflowed |= bits; break;
	case PMU_PMOVSCLR_EL0: s->overflowed &= ~bits; break;
	case PMU_PMZR_EL0: zero(s, bits); break;
	default: stepped_event(s, stepped_counting(s), SW_INCR, value); /* PMSWINC_EL0 */
	}
}

void stepped_write_counter(struct stepped_counters *s, unsigned int n, uint64_t value)
{
	s->value[n] = n < CYCLE && s->is.version < V3P5 ? (uint32_t)value : value;
}

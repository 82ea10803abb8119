/* SPDX-License-Identifier: BSD-2-Clause */
/* See chase_seen.h. */
#include "chase_seen.h"

#include "arch.h"
#include "exception.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define EVENT_L1D_ACCESS (UINT64_C(1) << 2)
#define EVENT_L1D_REFILL (UINT64_C(1) << 3)
#define EVENT_TLB_WALK	 (UINT64_C(1) << 5)
#define EVENT_MISPRED	 (UINT64_C(1) << 7)
/* SPE v1p4's: */
#define EVENT_L2_ACCESS (UINT64_C(1) << 19)
#define EVENT_L2_MISS	(UINT64_C(1) << 20)
#define EVENT_SNOOPED	(UINT64_C(1) << 23)

/* Has the record an event, or has the PE not? */
static bool says(const struct record *r, uint64_t event, bool wanted)
{
	return !(spe_events() & event) || !!(r->events & event) == wanted;
}

/* A record of a load is of one piece: the bits say what the source does. */
static bool agrees(const struct record *r)
{
	const bool refill = r->events & EVENT_L1D_REFILL;
	const bool access = r->events & EVENT_L1D_ACCESS || !(spe_events() & EVENT_L1D_ACCESS);
	const bool peer = r->source == SOURCE_PEER || r->source == SOURCE_PEER_CLUSTER;

	return (!refill || access) && refill == (r->source != SOURCE_L1D) &&
	       says(r, EVENT_L2_ACCESS, refill) &&
	       says(r, EVENT_L2_MISS, refill && r->source != SOURCE_L2) &&
	       (r->source == SOURCE_REMOTE || says(r, EVENT_SNOOPED, peer)) &&
	       r->latency > r->issue + r->xlat;
}

static void note_record(const struct record *r, struct seen *seen)
{
	seen->records++;
	seen->mispredicted += !!(r->events & EVENT_MISPRED);
	seen->refills += !!(r->events & EVENT_L1D_REFILL);
	seen->walks += !!(r->events & EVENT_TLB_WALK);
	seen->snooped += !!(r->events & EVENT_SNOOPED);
	if (!(r->has & RECORD_SOURCE))
		return;
	seen->wrong += r->source >= MAX_SOURCES || !agrees(r);
	seen->source[r->source % MAX_SOURCES]++;
	seen->latency[r->source % MAX_SOURCES] += r->latency - r->issue - r->xlat;
}

void seen_collect(uint64_t from, const char *pc, struct seen *seen, const char *other,
		  struct seen *second)
{
	const uint8_t *at = (const uint8_t *)from;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	*seen = (struct seen){0};
	if (second)
		*second = (struct seen){0};
	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);

		if (!CHECK(size >= 0, "the buffer does not parse") || size == 0)
			break;
		at += size;
		if (r.pc == (uintptr_t)pc)
			note_record(&r, seen);
		else if (second && r.pc == (uintptr_t)other)
			note_record(&r, second);
	}
	CHECK(!(read_sysreg(PMBSR_EL1) & PMBSR_S), "PMBSR_EL1 is 0x%lx", read_sysreg(PMBSR_EL1));
}

void seen_profile(uint64_t to, uintptr_t function, uint64_t a0, uint64_t a1, uint64_t interval)
{
	const struct spe_setup setup = {
		.pointer = to,
		.limit = to + spe_space(BUFFER_PAGES),
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(interval),
	};

	spe_program(&setup);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE | PMSCR_PA | PMSCR_TS, function, a0, a1);
	irq_disable();
	spe_disable();
}

bool seen_is_other_core(unsigned int source)
{
	return source == SOURCE_PEER || source == SOURCE_PEER_CLUSTER || source == SOURCE_REMOTE;
}

unsigned int seen_usual(const struct seen *seen, uint64_t *latency)
{
	unsigned int most = 0;

	for (unsigned int n = 1; n < MAX_SOURCES; n++)
		most = seen->source[n] > seen->source[most] ? n : most;
	*latency = seen->source[most] ? seen->latency[most] / seen->source[most] : 0;
	return most;
}

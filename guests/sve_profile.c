/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of the loops of sve_code.S: see sve_profile.h.
 */
#include "sve_profile.h"
#include "arch.h"
#include "boot.h"
#include "string.h"
#include "tap.h"

#define INTERVAL 1
#define SPACE	 8  /* pages, with records of 64 bytes */
#define FEW	 20 /* records of a loop, which should have 40 and more */

#define HEADER_EVENTS 0x42 /* and the length */

/* Operation type payloads (D18.2.7). */
#define TYPE_STORE	0x01
#define TYPE_SIMD_FP	0x04 /* of loads and stores */
#define TYPE_SVE	0x08
#define TYPE_PREDICATED 0x04
#define TYPE_GATHER	0x80
#define TYPE_FP		0x02 /* of data processing */
#define TYPE_SIMD	0x04
#define TYPE_EVL(n)	((n) << 4)
#define TYPE_EVL_MASK	TYPE_EVL(7u)

struct sve_state *state;
uint64_t data;
struct record records[MOST];
static uint64_t buffer, space;

static bool few_samples;
static unsigned int events_bytes;

const char *needs_sve_spe(void)
{
	const char *why = needs_sve_el0();

	if (!why)
		why = needs_spe();
	return needs_too(why, !few_samples, "most samples collide: PMBSR_EL1.COLL");
}

const char *needs_sve2_spe(void)
{
	const char *why = needs_sve_spe();

	return needs_too(why, why || field(read_sysreg(ID_ZFR0), 3, 0),
			 "no SVE2: ID_AA64ZFR0_EL1.SVEver is 0");
}

unsigned int sve_events_bytes(void)
{
	return events_bytes;
}

/* Of the packets of a record, whose headers say how long they are (D18.1). */
static unsigned int find_events(const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		const unsigned int length = *at >= 0x40 ? 1u << (*at >> 4 & 3) : 0;

		if ((*at & 0xcf) == HEADER_EVENTS)
			return length;
		at += 1 + length; /* of a long header the first byte alone */
	}
	return 0;
}

/* A first profile: are there samples, and what is in them? */
static void look_at_samples(void)
{
	const unsigned int count = sve_profile(user_address(user_add), TURNS, NULL);

	few_samples = count < FEW && (read_sysreg(PMBSR_EL1) & PMBSR_COLL);
	events_bytes =
		find_events((const uint8_t *)buffer, (const uint8_t *)read_sysreg(PMBPTR_EL1));
}

void sve_samples_init(void)
{
	if (needs_sve_spe())
		return;
	space = spe_space(SPACE);
	buffer = (uintptr_t)data_alloc((space + PAGE_SIZE - 1) / PAGE_SIZE);
	state = user_data_alloc(1);
	data = (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE + 1);
	(void)mmu_unmap(data + DATA_BYTES);
	look_at_samples();
}

unsigned int sve_profile(uintptr_t run, uint64_t turns, const struct sve_filter *filter)
{
	const struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + space,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL) | PMSIRR_RND,
		.pmsfcr = filter ? filter->pmsfcr : 0,
		.pmsevfr = filter ? filter->pmsevfr : 0,
		.pmsnevfr = filter ? filter->pmsnevfr : 0,
	};
	const uint8_t *at = (const uint8_t *)buffer, *end;
	unsigned int count = 0;
	long size;

	spe_program(&setup);
	irq_enable();
	spe_run_el0(PMSCR_E0SPE, run, turns, (uintptr_t)state);
	irq_disable();
	spe_disable();
	end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	while (at < end && count < MOST &&
	       (size = record_parse(at, (size_t)(end - at), &records[count])) > 0) {
		at += size;
		if (records[count].events & (EVENT_EXCEPTION | EVENT_RETIRED))
			count++;
	}
	return count;
}

bool sve_exact(void)
{
	return needs_operations() == NULL;
}

void predicate_clear(unsigned int p)
{
	memset(state->p[p], 0, sizeof(state->p[p]));
}

void predicate_set(unsigned int p, unsigned int lane, unsigned int element)
{
	state->p[p][element * lane / 8] |= (uint8_t)(1u << element * lane % 8);
}

static void predicate_every(unsigned int p, unsigned int lane, unsigned int step)
{
	predicate_clear(p);
	for (unsigned int n = 0; n < sve_length() / lane; n += step)
		predicate_set(p, lane, n);
}

void predicate_fill(unsigned int p, unsigned int lane)
{
	predicate_every(p, lane, 1);
}

void predicate_alternate(unsigned int p, unsigned int lane)
{
	predicate_every(p, lane, 2);
}

/* Rounded up to a power of two from 32 bits on. */
static unsigned int length_field(unsigned int bytes)
{
	unsigned int evl = 0;

	while ((4u << evl) < bytes)
		evl++;
	return evl;
}

/* Of a part of an instruction it is the length of that. */
static bool is_length(unsigned int evl)
{
	const unsigned int most = length_field((unsigned int)sve_length());

	return evl == most || (!sve_exact() && evl < most);
}

/*
 * As an operation of Advanced SIMD, or of the SIMD&FP registers: all without FEAT_SPEv1p1, and
 * unpredicated micro-ops of 128 bits, if the PE likes (RCYBGV, RLQXZR).
 */
static bool is_simd(const struct record *r, struct sve_type type)
{
	const bool fpf = spe_caps.pmsidr & PMSIDR_FPF;

	if (type.memory)
		return r->type == (TYPE_SIMD_FP | (type.store ? TYPE_STORE : 0));
	return r->type == (fpf ? TYPE_SIMD | (type.fp ? TYPE_FP : 0) : 0);
}

bool sve_is_type(const struct record *r, struct sve_type type)
{
	const bool old = spe_caps.version < PMSVER_V1P1;
	const bool predicated =
		type.predicated && (!type.memory || type.store || spe_caps.version >= PMSVER_V1P2);
	const unsigned int flag =
		type.memory ? (type.store ? TYPE_STORE : 0) : (type.fp ? TYPE_FP : 0);

	if (r->type_header != (type.memory ? TYPE_MEMORY : TYPE_OTHER))
		return false;
	/* Without v1p1 data processing may as well be like that of general registers. */
	if (old)
		return is_simd(r, type) || (!type.memory && r->type == 0);
	if (!type.predicated && !spe_caps.arch_inst && is_simd(r, type))
		return true;
	return (r->type & ~TYPE_EVL_MASK) == (TYPE_SVE | flag | (predicated ? TYPE_PREDICATED : 0) |
					      (type.gather ? TYPE_GATHER : 0)) &&
	       is_length((r->type & TYPE_EVL_MASK) >> 4);
}

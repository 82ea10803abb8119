/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of the loops of sve_code.S.
 */
#ifndef GUEST_SVE_PROFILE_H
#define GUEST_SVE_PROFILE_H

#include "record.h"
#include "spe.h"
#include "sve.h"

#define TURNS	   6000	 /* of a loop of three operations: some 16 samples of each */
#define MOST	   512	 /* records of a run */
#define DATA_BYTES 16384 /* of user memory, before pages that are not there */

#define EVENT(n)	(UINT64_C(1) << (n))
#define EVENT_EXCEPTION EVENT(0)
#define EVENT_RETIRED	EVENT(1)
#define EVENT_NOT_FULL	EVENT(17)
#define EVENT_EMPTY	EVENT(18)

extern struct sve_state *state;
extern uint64_t data;
extern struct record records[MOST];

/* What becomes a record: PMSFCR_EL1, PMSEVFR_EL1 and PMSNEVFR_EL1. */
struct sve_filter {
	uint64_t pmsfcr, pmsevfr, pmsnevfr;
};

/* The records of a run of the loop at run; misspeculated operations, which show nothing, are left
 * out. */
unsigned int sve_profile(uintptr_t run, uint64_t turns, const struct sve_filter *filter);

/* The bytes of a record's Events packet. */
unsigned int sve_events_bytes(void);

/*
 * Is each instruction one operation? If it is not known, a record may be of a part of it. Then one
 * record that is right has to be among them, and all of them otherwise.
 */
bool sve_exact(void);

/* A predicate: no element is active; and one more is, of elements of so many bytes. */
void predicate_clear(unsigned int p);
void predicate_set(unsigned int p, unsigned int lane, unsigned int element);
/* All elements of the present length, and every other one. */
void predicate_fill(unsigned int p, unsigned int lane);
void predicate_alternate(unsigned int p, unsigned int lane);

/* Is it what a record of SVE shows as its operation type? */
struct sve_type {
	bool memory, store, gather, predicated, fp;
};
bool sve_is_type(const struct record *r, struct sve_type type);

#endif

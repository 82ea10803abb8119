/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses that code of a lower Exception level makes, under controls that the guest's own level
 * (EL2 or EL3) sets, compared with access.h.
 */
#ifndef GUEST_ACCESS_RUN_H
#define GUEST_ACCESS_RUN_H

#include "access.h"
#include "access_code.h"

/* What the PE has, if the guest's own level can reach it. access_init() fills it. */
extern struct access_machine access_machine;
/* The guest's own level: 2 or 3. */
extern unsigned int access_level;

/* Call it first. Lower levels run with their MMU off and vectors that report to the guest. */
void access_init(void);

/* Nothing of SPE is trapped, it belongs to EL1, lower levels are Non-secure. */
struct access_controls access_open(void);
/* Put them in force, for what runs below. */
void access_set(const struct access_controls *c);

/*
 * The register at the guest's own level, whatever HCR_EL2.E2H and the names it redirects.
 * access_reachable() is false if there is no register of that name, or if only EL2 has the other.
 */
bool access_reachable(enum sysreg_id reg);
uint64_t access_get(enum sysreg_id reg);
void access_put(enum sysreg_id reg, uint64_t value);

/* What was seen of one access. */
struct access_seen {
	enum access_outcome outcome;
	unsigned int el;   /* where an exception went, with */
	uint64_t esr, elr; /* its syndrome and return address; far and hpfar of an abort */
	uint64_t spsr;
	uint64_t far, hpfar;
	unsigned int vector;
	uint64_t xt;
};

/*
 * Make the access at el, below the guest's own level, with Xt = ACCESS_RTS[rt], and compare all
 * that can be seen with what must be. A trapped access gets the value that a hypervisor would give
 * it. False, after a diagnostic, if something differs. Counts in access_count.
 */
bool access_check(const struct access_controls *c, unsigned int el, enum sysreg_id reg, bool write,
		  unsigned int rt);
/* All registers, both directions; every Xt if rts, else they take turns. */
void access_check_all(const struct access_controls *c, unsigned int el, bool rts);
/* All registers, both directions, at the guest's own level. */
void access_check_own(const struct access_controls *c);
extern unsigned long access_count;

/*
 * VNCR_EL2's page, for access_check(): 4096 bytes, or NULL. An access that should reach memory must
 * leave what was written at its offset, and change nothing else.
 */
extern volatile uint64_t *access_vncr;

/*
 * Skip function of tests with samples: needs_operations(), and samples must not collide, which it
 * tries at EL1.
 */
const char *access_needs_samples(void);

/*
 * Map code for EL0, too, in whole pages. With HCR_EL2.{E2H,TGE} {1,1} EL0 is in the translation
 * regime of a main at EL2, and finds the code at its PA.
 */
void access_map_code(const void *start, const void *end);

/* The PA of the code of one access at a lower level. */
uint64_t access_pc(enum sysreg_id reg, bool write, unsigned int rt);

/* State of the lower levels that is not in access_controls: their MMU and so on. */
extern struct lower_context access_context;

/* Run code at the PA pc until it says CALL_DONE or takes an exception. */
struct access_seen access_run(unsigned int el, uint64_t pc, unsigned int xt, uint64_t value);
/* The same with the general registers as access_context has them. */
struct access_seen access_go(unsigned int el, uint64_t pc);

#endif

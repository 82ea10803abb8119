/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of an access, stated a second time (the Arm ARM, the "Accessing" sections of the
 * register pages), without a look at sysreg/. The conformance suite compares sysreg_route() with it
 * when it has no page of Arm's, and the guests compare a machine. Freestanding, as the guests
 * include it too; from <vspe/sysreg.h> it takes the names of registers and outcomes.
 */
#ifndef VSPE_CONFORM_STATEMENT_H
#define VSPE_CONFORM_STATEMENT_H

#include "conform/world.h"

/* The columns of statement.def. */
enum statement_exists {
	EXISTS_SPE,
	EXISTS_SPE_FnE,
	EXISTS_SPE_FDS,
	EXISTS_SPE_nVM,
	EXISTS_SPE_EXC
};
enum statement_whose { WHOSE_EL1, WHOSE_EL2, WHOSE_EL3, WHOSE_EL12 };
enum statement_word { WORD_HDFG, WORD_HDFG2, WORD_COUNT, WORD_NONE = WORD_COUNT };
enum statement_coarse { COARSE_NONE, COARSE_TPMS, COARSE_E2PB };
enum statement_guard {
	GUARD_NONE,
	GUARD_EnPMSN,
	GUARD_EnPMS3,
	GUARD_EnPMS4,
	GUARD_PMSEE,
	GUARD_FREE
};
enum statement_redirect { REDIRECT_NONE, REDIRECT_1x1, REDIRECT_111, REDIRECT_101, REDIRECT_EE };

struct statement_fact {
	const char *name;
	uint32_t encoding; /* op0:op1:CRn:CRm:op2 */
	uint32_t iss;	   /* of a trapped MSR with Rt 0: ESR_ELx.ISS for EC 0x18 */
	enum statement_exists exists;
	bool writable;
	enum statement_whose whose;
	enum statement_word word;
	uint8_t fgt_bit[2];   /* [write], with a word: the bit there, ... */
	uint16_t fgt_asks[2]; /* ... and as enum world_bit */
	bool fgt_traps;	      /* its value that traps */
	enum statement_coarse coarse;
	enum statement_guard guard;
	uint16_t offset;
	enum statement_redirect redirect;
	uint64_t values[2];
};

extern const struct statement_fact statement_facts[SYSREG_COUNT];

/* The result of one access by a statement or a page. */
struct outcome {
	enum sysreg_route_kind kind;
	enum sysreg_id reg; /* SYSREG_DIRECT: the register reached */
	uint8_t target_el;  /* SYSREG_TRAP */
	uint16_t offset;    /* SYSREG_NVMEM */
	uint8_t ec;	    /* of the software CPU's, SYSREG_TRAP: the exception class */
	const char *name;   /* the same, SYSREG_DIRECT: the register reached, or NULL: any */
};

/* In a world with unknown bits, the result is only valid if world.asked stays -1. */
struct outcome statement(struct world *w, enum sysreg_id reg, bool write);

/* Does the PE have such a register? */
bool statement_exists(struct world *w, enum sysreg_id reg);

/*
 * If both NSPB and the register's own field trap an access from EL1 or EL2 to EL3, the one that is
 * tested first: "NSPB" or the field's name. NULL: there are not two.
 */
const char *statement_el3_order(enum sysreg_id reg, uint8_t el);

/* Does it have the accessor? */
static inline bool statement_has(enum sysreg_id reg, bool write)
{
	return !write || statement_facts[reg].writable;
}

/* ESR_ELx.ISS of a trap of the access, with Rt. */
static inline uint32_t statement_iss(enum sysreg_id reg, bool write, uint8_t rt)
{
	return statement_facts[reg].iss | (uint32_t)rt << 5 | !write;
}

#endif

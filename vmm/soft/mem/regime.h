/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translation regimes of a vCPU, made from its registers, with the tables in guest RAM; and how
 * their faults are reported.
 */
#ifndef VSPE_SOFT_REGIME_H
#define VSPE_SOFT_REGIME_H

#include "soft/cpu.h"

/* The regime as accesses at el use it, its tables in guest RAM. */
struct arm_regime soft_regime_of(struct soft_cpu *cpu, unsigned int el);
/* The same of a regime. */
struct arm_regime soft_regime_kind(struct soft_cpu *cpu, enum arm_regime_kind kind);

/*
 * Walk for an access of kind access at exception level el (unprivileged: el 0), in the regime of
 * arm_regime_at(), with stage 2 if that is on. Checks permissions for that access with PSTATE.PAN.
 * Updates AF and dirty state as hardware does, if TCR_ELx and VTCR_EL2.{HA,HD} say so. Returns
 * !t->fault. Has no other side effect.
 */
bool soft_translate(struct soft_cpu *cpu, uint64_t va, enum arm_access access, unsigned int el,
		    struct arm_translation *t);
/* An access without its address. */
struct soft_access {
	enum arm_access kind;
	unsigned int el; /* as whose */
	bool pan;	 /* PSTATE.PAN, if it counts; not for the profiling buffer */
	bool unaligned;	 /* as in struct arm_regime */
};

/* The same of such an access. */
bool soft_translate_as(struct soft_cpu *cpu, uint64_t va, const struct soft_access *access,
		       struct arm_translation *t);

/* Turn off hardware updates of access flag and dirty state, in both stages. */
void soft_regime_unmarked(struct arm_regime *regime);
/* A write to the profiling buffer as el, without hardware updates (PMBIDR_EL1.F of 0). */
bool soft_translate_unmarked(struct soft_cpu *cpu, uint64_t va, unsigned int el,
			     struct arm_translation *t);

struct soft_regime_key soft_regime_key_of(const struct soft_sys *sys, unsigned int el);

/* SCTLR_ELx of the regime that accesses at el use. */
uint64_t soft_sctlr_at(const struct soft_sys *sys, unsigned int el);

/* The abort of an access to va that faulted as t says. ec: ARM_EC_DATA_ABORT or _FETCH_ABORT. */
struct soft_exception soft_abort(const struct arm_translation *t, enum arm_ec ec, uint64_t va,
				 bool write);

/* Does an access as el go through translation tables? */
bool soft_has_tables(const struct soft_sys *sys, unsigned int el);

#endif

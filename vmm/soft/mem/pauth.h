/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of FEAT_PAuth (Arm ARM C6.2, D8.10): their operands, traps and exceptions.
 * sys/pauth.h computes the pointers.
 */
#ifndef VSPE_SOFT_MEM_PAUTH_H
#define VSPE_SOFT_MEM_PAUTH_H

#include "soft/kinds.h"

/* soft_op.aux of soft_op_authenticate: an enum soft_key_name, and this for AUT* instead of PAC*. */
#define SOFT_AUTHENTICATE 4u

/* PAC* and AUT*: rd becomes the result for the pointer in rm, with the modifier in rn. */
soft_function soft_op_authenticate;
/* XPACI, XPACD and XPACLRI: rm becomes rd; aux: data. */
soft_function soft_op_strip;
/* PACGA: rd is made of rn and rm. */
soft_function soft_op_sign_generic;
/* LDRAA and LDRAB: rd, with the base at rn. */
soft_function soft_op_load_authenticated;

/* The address that it is about to load from, authentic or not. */
uint64_t soft_authenticated_address(const struct soft_cpu *cpu, const struct soft_op *op);

/*
 * BRAA to RETAB: cpu->pc becomes the target, from rn with the modifier in rm; ra: the B key. false:
 * cpu->fault is set.
 */
bool soft_authenticate_branch(struct soft_cpu *cpu, const struct soft_op *op);

/* ERETAA, ERETAB: the same for *target with the modifier SP. */
bool soft_authenticate_return(struct soft_cpu *cpu, uint64_t *target, unsigned int b);

static inline bool soft_is_authenticated_branch(const struct soft_op *op)
{
	return op->kind == SOFT_br_auth || op->kind == SOFT_blr_auth;
}

static inline bool soft_is_load_authenticated(const struct a64_insn *insn)
{
	return insn->address == A64_ADDR_AUTHENTICATED ||
	       insn->address == A64_ADDR_AUTHENTICATED_PRE;
}

#endif

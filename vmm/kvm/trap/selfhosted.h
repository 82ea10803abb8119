/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's self-hosted debug (Arm ARM D2), whose exceptions KVM routes to vspe: with
 * KVM_GUESTDBG_ENABLE, MDCR_EL2.TDE makes EL2 their target, where MDSCR_EL1.KDE and PSTATE.D mean
 * nothing.
 */
#ifndef VSPE_KVM_SELFHOSTED_H
#define VSPE_KVM_SELFHOSTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Would a breakpoint or a watchpoint generate an exception to EL1 (D2.4)? By MDSCR_EL1, OSLSR_EL1
 * and PSTATE; a PE without EL2 and EL3, at EL0 or EL1.
 */
bool kvm_debug_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate);
/* The same of software step (D2.12). */
bool kvm_step_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate);
/* ERET, ERETAA and ERETAB; and the instructions that set ESR_ELx.EX: LDXR and its like. */
bool kvm_is_eret(uint32_t word);
bool kvm_is_load_exclusive(uint32_t word);

/*
 * Put count breakpoints of vspe at at[], with control bcr, among the guest's in value[] and
 * control[], slots of them. They go where the guest has none enabled; the guest's keep their
 * numbers, since others may be linked to them. If there is no room, vspe's take the lowest. Returns
 * how many of the guest's were displaced; count is at most slots.
 */
unsigned int kvm_debug_place(uint64_t *value, uint64_t *control, unsigned int slots,
			     const uint64_t *at, unsigned int count, uint64_t bcr);

#endif

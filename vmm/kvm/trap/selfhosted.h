/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-hosted debug of the guest's own (Arm ARM D2), where KVM has us see its debug exceptions:
 * with KVM_GUESTDBG_ENABLE, MDCR_EL2.TDE makes EL2 their target, to which MDSCR_EL1.KDE and
 * PSTATE.D mean nothing.
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
/* ERET, ERETAA and ERETAB; and what ESR_ELx.EX tells of: LDXR and its like. */
bool kvm_is_eret(uint32_t word);
bool kvm_is_load_exclusive(uint32_t word);

/*
 * Put count breakpoints at at[], with control bcr, among the guest's own in value[] and control[],
 * slots of them: where none of those is enabled, each of which keeps its number, since others may
 * be linked to it. Where there is no room, ours take the lowest. Returns how many of the guest's
 * were taken; count is at most slots.
 */
unsigned int kvm_debug_place(uint64_t *value, uint64_t *control, unsigned int slots,
			     const uint64_t *at, unsigned int count, uint64_t bcr);

#endif

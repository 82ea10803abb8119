/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses to system registers that KVM does not answer for a guest with SPE, or answers
 * wrongly, and the BRK that takes the place of each. A BRK says which access it was by its
 * immediate (Arm ARM C6.2, BRK: ESR_ELx.ISS has it), so that it needs no look-up and code with it
 * may be moved.
 */
#ifndef VSPE_KVM_ACCESS_H
#define VSPE_KVM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

/* The ID registers that tell of SPE, by op2 of op0 3, op1 0, CRn 0, CRm 5. */
enum kvm_id_register { KVM_ID_AA64DFR0, KVM_ID_AA64DFR1, KVM_ID_AA64DFR2, KVM_ID_COUNT };

struct kvm_access {
	bool is_id; /* MRS of id; otherwise reg is accessed */
	enum kvm_id_register id;
	enum sysreg_id reg; /* one of EL1's registers */
	bool write;
	uint8_t rt; /* 31: XZR */
};

/* Is word an MRS or MSR of these? */
bool kvm_access_decode(uint32_t word, struct kvm_access *access);
/* The BRK that stands for it. */
uint32_t kvm_access_brk(const struct kvm_access *access);
/* Is imm that of such a BRK? */
bool kvm_access_of_brk(uint16_t imm, struct kvm_access *access);

#endif

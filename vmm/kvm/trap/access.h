/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses to system registers that KVM does not answer, or answers wrongly, for a guest with
 * SPE, and the BRK that replaces each. The immediate of a BRK says which access it was (Arm ARM
 * C6.2, BRK: ESR_ELx.ISS has it), so that it needs no look-up and code with it may be moved.
 */
#ifndef VSPE_KVM_ACCESS_H
#define VSPE_KVM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

/* The ID registers with fields of SPE, by op2 of op0 3, op1 0, CRn 0, CRm 5. */
enum kvm_id_register { KVM_ID_AA64DFR0, KVM_ID_AA64DFR1, KVM_ID_AA64DFR2, KVM_ID_COUNT };

enum kvm_access_kind {
	KVM_ACCESS_SPE,	  /* of reg, one of EL1's registers */
	KVM_ACCESS_ID,	  /* MRS of id */
	KVM_ACCESS_VBAR,  /* MSR of VBAR_EL1: breakpoints at the vectors follow it */
	KVM_ACCESS_DEBUG, /* MSR of what enables breakpoints of the guest's own */
};

/*
 * For DBGBCR<n>_EL1, and from KVM_DEBUG_WCR on DBGWCR<n>_EL1, below KVM_DEBUG_EACH each; or
 * MDSCR_EL1.
 */
#define KVM_DEBUG_EACH	8u
#define KVM_DEBUG_WCR	KVM_DEBUG_EACH
#define KVM_DEBUG_MDSCR (2 * KVM_DEBUG_EACH)

struct kvm_access {
	enum kvm_access_kind kind;
	enum kvm_id_register id;
	enum sysreg_id reg;
	uint8_t debug;
	bool write;
	uint8_t rt; /* 31: XZR */
};

/* Is word an MRS or MSR of SPE's, or an MRS of the ID registers? */
bool kvm_access_decode(uint32_t word, struct kvm_access *access);
/* Is it an MSR of VBAR_EL1? */
bool kvm_access_decode_vbar(uint32_t word, struct kvm_access *access);
/* Is it an MSR of the registers of KVM_ACCESS_DEBUG? */
bool kvm_access_decode_debug(uint32_t word, struct kvm_access *access);
/* The MRS or MSR that it is. */
uint32_t kvm_access_word(const struct kvm_access *access);
/*
 * Does KVM make the guest's access UNDEFINED, so that it can be caught at the guest's vector? Not
 * an access to PMBIDR_EL1, which no trap of Armv8.2 covers (MDCR_EL2.{TPMS,E2PB}), nor to ID
 * registers, which KVM answers.
 */
bool kvm_access_traps(const struct kvm_access *access);

/*
 * The immediates are from base on, KVM_BRK_SPAN of them. No kernel or debugger is known to use
 * KVM_BRK_BASE; kvm_brk_base() n, from 0 on, returns alternatives: 0 when there are no more.
 */
#define KVM_BRK_BASE 0xb400u
#define KVM_BRK_SPAN 0x700u
uint32_t kvm_brk_base(unsigned int n);

/* Is word a BRK? Its immediate. */
bool kvm_is_brk(uint32_t word, uint16_t *imm);
/* The BRK that stands for an access. */
uint32_t kvm_access_brk(const struct kvm_access *access, uint32_t base);
/* Is imm that of such a BRK? */
bool kvm_access_of_brk(uint16_t imm, uint32_t base, struct kvm_access *access);

#endif

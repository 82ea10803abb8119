/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses and their BRKs: see access.h. */
#include "kvm/access.h"

#include <stddef.h>

/* MRS and MSR (register): bits [31:22] and op0[1], then L, o0:op1:CRn:CRm:op2 and Rt. */
#define SYSTEM_MASK  0xffd00000u
#define SYSTEM_VALUE 0xd5100000u
#define SYSTEM_READ  (1u << 21)

#define BRK(imm) (0xd4200000u | (uint32_t)(imm) << 5)

/*
 * The immediates: those of an SPE register have L (a read) in bit 9, CRm of 10 rather than 9 in bit
 * 8, op2 in [7:5] and Rt in [4:0]; those of an ID register have op2 in [7:5] and Rt. Nobody's
 * debugger or kernel is known to use them.
 */
#define IMM_SPE	     0xb400u
#define IMM_SPE_MASK 0xfc00u
#define IMM_ID	     0xb800u
#define IMM_ID_MASK  0xff00u

#define IMM_READ (1u << 9)
#define IMM_CRM	 (1u << 8)

static bool is_el1_register(enum sysreg_id reg)
{
	/* op1 of 0 */
	return reg != SYSREG_COUNT && (sysreg_encoding(reg) >> 11 & 7) == 0;
}

bool kvm_access_decode(uint32_t word, struct kvm_access *access)
{
	const uint32_t encoding = word >> 5 & 0xffff;

	if ((word & SYSTEM_MASK) != SYSTEM_VALUE)
		return false;
	*access = (struct kvm_access){
		.reg = SYSREG_COUNT, .write = !(word & SYSTEM_READ), .rt = word & 31};
	for (unsigned int id = 0; id < KVM_ID_COUNT; id++) {
		if (encoding == SYSREG_ENCODING(3, 0, 0, 5, id)) {
			access->is_id = true;
			access->id = (enum kvm_id_register)id;
			return !access->write;
		}
	}
	access->reg = sysreg_find(encoding);
	return is_el1_register(access->reg);
}

uint32_t kvm_access_brk(const struct kvm_access *access)
{
	uint32_t encoding;

	if (access->is_id)
		return BRK(IMM_ID | (uint32_t)access->id << 5 | access->rt);
	encoding = sysreg_encoding(access->reg);
	return BRK(IMM_SPE | (access->write ? 0 : IMM_READ) |
		   ((encoding >> 3 & 15) == 10 ? IMM_CRM : 0) | (encoding & 7) << 5 | access->rt);
}

bool kvm_access_of_brk(uint16_t imm, struct kvm_access *access)
{
	const uint32_t op2 = imm >> 5 & 7;

	*access = (struct kvm_access){.reg = SYSREG_COUNT, .rt = imm & 31};
	if ((imm & IMM_ID_MASK) == IMM_ID) {
		access->is_id = true;
		access->id = (enum kvm_id_register)op2;
		return op2 < KVM_ID_COUNT;
	}
	if ((imm & IMM_SPE_MASK) != IMM_SPE)
		return false;
	access->write = !(imm & IMM_READ);
	access->reg = sysreg_find(imm & IMM_CRM ? SYSREG_ENCODING(3, 0, 9, 10, op2)
						: SYSREG_ENCODING(3, 0, 9, 9, op2));
	return access->reg != SYSREG_COUNT;
}

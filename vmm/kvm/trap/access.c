/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses and their BRKs: see access.h. */
#include "kvm/trap/access.h"

#include "a64/a64.h"
#include "arm/encoding.h"

/*
 * The immediates, from the base on. Those of an SPE register have L (a read) in bit 9, CRm of 10
 * rather than 9 in bit 8, op2 in [7:5] and Rt in [4:0]. The others have bit 10, and in [7:5] op2 of
 * an ID register, that of VBAR or that of MDSCR. The controls of breakpoints and watchpoints
 * follow.
 */
#define IMM_READ   (1u << 9)
#define IMM_CRM	   (1u << 8)
#define IMM_OTHERS (1u << 10)
#define IMM_VBAR   7u
#define IMM_MDSCR  6u
#define IMM_DEBUG  0x500u

static bool is_el1_register(enum sysreg_id reg)
{
	/* op1 of 0 */
	return reg != SYSREG_COUNT && (sysreg_encoding(reg) >> 11 & 7) == 0;
}

/* Is it MRS or MSR (register)? This is called for every word of an image. */
static bool is_access(uint32_t word)
{
	return a64_group(word) == A64_GROUP_SYSTEM && a64_op0(word) >= 2;
}

bool kvm_access_decode(uint32_t word, struct kvm_access *access)
{
	const uint32_t encoding = a64_encoding(word);

	if (!is_access(word))
		return false;
	*access = (struct kvm_access){
		.reg = SYSREG_COUNT, .write = !a64_read(word), .rt = (uint8_t)a64_rt(word)};
	for (unsigned int id = 0; id < KVM_ID_COUNT; id++) {
		if (encoding == SYSREG_ENCODING(3, 0, 0, 5, id)) {
			access->kind = KVM_ACCESS_ID;
			access->id = (enum kvm_id_register)id;
			return !access->write;
		}
	}
	access->reg = sysreg_find(encoding);
	return is_el1_register(access->reg);
}

bool kvm_access_decode_vbar(uint32_t word, struct kvm_access *access)
{
	*access = (struct kvm_access){.kind = KVM_ACCESS_VBAR,
				      .reg = SYSREG_COUNT,
				      .write = true,
				      .rt = (uint8_t)a64_rt(word)};
	return is_access(word) && !a64_read(word) &&
	       a64_encoding(word) == SYSREG_ENCODING(3, 0, 12, 0, 0);
}

bool kvm_access_decode_debug(uint32_t word, struct kvm_access *access)
{
	const uint32_t encoding = a64_encoding(word), n = a64_crm(word);

	*access = (struct kvm_access){.kind = KVM_ACCESS_DEBUG,
				      .reg = SYSREG_COUNT,
				      .write = true,
				      .rt = (uint8_t)a64_rt(word)};
	if (!is_access(word) || a64_read(word))
		return false;
	if (encoding == SYSREG_ENCODING(2, 0, 0, 2, 2)) {
		access->debug = KVM_DEBUG_MDSCR;
		return true;
	}
	access->debug = (uint8_t)(n + ((encoding & 7) == 7 ? KVM_DEBUG_WCR : 0));
	return n < KVM_DEBUG_EACH && (encoding == SYSREG_ENCODING(2, 0, 0, n, 5) ||
				      encoding == SYSREG_ENCODING(2, 0, 0, n, 7));
}

static uint32_t encoding_of(const struct kvm_access *access)
{
	const uint32_t n = access->debug % KVM_DEBUG_EACH;

	switch (access->kind) {
	case KVM_ACCESS_ID: return SYSREG_ENCODING(3, 0, 0, 5, (uint32_t)access->id);
	case KVM_ACCESS_VBAR: return SYSREG_ENCODING(3, 0, 12, 0, 0);
	case KVM_ACCESS_DEBUG:
		if (access->debug == KVM_DEBUG_MDSCR)
			return SYSREG_ENCODING(2, 0, 0, 2, 2);
		return SYSREG_ENCODING(2, 0, 0, n, access->debug < KVM_DEBUG_WCR ? 5 : 7);
	default: return sysreg_encoding(access->reg);
	}
}

uint32_t kvm_access_word(const struct kvm_access *access)
{
	return UINT32_C(0xd5000000) | (access->write ? 0 : UINT32_C(1) << 21) |
	       encoding_of(access) << 5 | access->rt;
}

bool kvm_access_traps(const struct kvm_access *access)
{
	return access->kind == KVM_ACCESS_SPE && access->reg != SYSREG_PMBIDR_EL1;
}

uint32_t kvm_brk_base(unsigned int n)
{
	/*
	 * None of these is used by Linux (below 0x1000, 0x5500 to 0x55ff, 0x8000 to 0x83ff: its
	 * arch/arm64/include/asm/brk-imm.h), compilers (1, 1000) or Windows (from 0xf000 on).
	 */
	static const uint16_t bases[] = {KVM_BRK_BASE, 0xbc00, 0xc400, 0xcc00, 0xd400, 0xdc00,
					 0xe400,       0xac00, 0xa400, 0x9c00, 0x9400, 0x7400,
					 0x6c00,       0x6400, 0x4400, 0x3c00, 0x3400, 0x2c00};

	return n < sizeof(bases) / sizeof(bases[0]) ? bases[n] : 0;
}

bool kvm_is_brk(uint32_t word, uint16_t *imm)
{
	const struct a64_insn *insn =
		a64_group(word) == A64_GROUP_EXCEPTION ? a64_decode(word) : NULL;

	*imm = (uint16_t)a64_imm16(word);
	return insn && insn->id == A64_BRK;
}

uint32_t kvm_access_brk(const struct kvm_access *access, uint32_t base)
{
	uint32_t imm, encoding;

	switch (access->kind) {
	case KVM_ACCESS_ID: imm = IMM_OTHERS | (uint32_t)access->id << 5; break;
	case KVM_ACCESS_VBAR: imm = IMM_OTHERS | IMM_VBAR << 5; break;
	case KVM_ACCESS_DEBUG:
		imm = access->debug == KVM_DEBUG_MDSCR ? IMM_OTHERS | IMM_MDSCR << 5
						       : IMM_DEBUG + ((uint32_t)access->debug << 5);
		break;
	default:
		encoding = sysreg_encoding(access->reg);
		imm = (access->write ? 0 : IMM_READ) | ((encoding >> 3 & 15) == 10 ? IMM_CRM : 0) |
		      (encoding & 7) << 5;
		break;
	}
	return A64_WORD_BRK | a64_put_imm16(base + (imm | access->rt));
}

bool kvm_access_of_brk(uint16_t imm, uint32_t base, struct kvm_access *access)
{
	const uint32_t own = imm - base, op2 = own >> 5 & 7;

	*access = (struct kvm_access){.reg = SYSREG_COUNT, .rt = own & 31};
	if (imm < base || own >= KVM_BRK_SPAN)
		return false;
	if (own >= IMM_DEBUG || ((own & IMM_OTHERS) && op2 == IMM_MDSCR)) {
		access->kind = KVM_ACCESS_DEBUG;
		access->write = true;
		access->debug = own >= IMM_DEBUG ? (uint8_t)((own - IMM_DEBUG) >> 5)
						 : (uint8_t)KVM_DEBUG_MDSCR;
		return true;
	}
	if (own & IMM_OTHERS) {
		access->kind = op2 == IMM_VBAR ? KVM_ACCESS_VBAR : KVM_ACCESS_ID;
		access->write = op2 == IMM_VBAR;
		access->id = op2 < KVM_ID_COUNT ? (enum kvm_id_register)op2 : KVM_ID_AA64DFR0;
		return op2 < KVM_ID_COUNT || op2 == IMM_VBAR;
	}
	access->write = !(own & IMM_READ);
	access->reg = sysreg_find((own & IMM_CRM) ? SYSREG_ENCODING(3, 0, 9, 10, op2)
						  : SYSREG_ENCODING(3, 0, 9, 9, op2));
	return access->reg != SYSREG_COUNT;
}

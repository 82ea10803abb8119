/* SPDX-License-Identifier: BSD-2-Clause */
/* The accesses that KVM does not answer for SPE, the BRKs for them, and the scan that puts them
 * there. */
#include <string.h>

#include "../compare.h"
#include "arm/encoding.h"
#include "kvm/trap/access.h"
#include "kvm/trap/scan.h"

#define NOP	       0xd503201fu
#define RET	       0xd65f03c0u
#define MRS_PMSIDR_X3  0xd53899e3u /* MRS X3, PMSIDR_EL1 */
#define MSR_PMBPTR_X0  0xd5189a20u /* MSR PMBPTR_EL1, X0 */
#define MRS_DFR0_X7    0xd5380507u /* MRS X7, ID_AA64DFR0_EL1 */
#define MRS_PMBIDR_X1  0xd5389ae1u /* MRS X1, PMBIDR_EL1 */
#define MSR_VBAR_X2    0xd518c002u /* MSR VBAR_EL1, X2 */
#define MRS_PMSCR12_X0 0xd53d9900u /* MRS X0, PMSCR_EL12: EL2's */
#define MRS_MIDR_X0    0xd5380000u
#define BRK_IMM(word)  ((uint16_t)((word) >> 5))

static uint32_t word(bool read, uint32_t encoding, unsigned int rt)
{
	return 0xd5100000u | (read ? 1u << 21 : 0) | encoding << 5 | rt;
}

static void check_brks(uint32_t base)
{
	static bool seen[1 << 16];
	unsigned int count = 0;

	memset(seen, 0, sizeof(seen));
	for (unsigned int reg = 0; reg < SYSREG_COUNT; reg++) {
		const uint32_t encoding = sysreg_encoding((enum sysreg_id)reg);
		const bool el1 = (encoding >> 11 & 7) == 0;

		for (unsigned int n = 0; n < 64; n++) {
			struct kvm_access access, back;
			uint32_t brk;

			cr_assert_eq(kvm_access_decode(word(n & 1, encoding, n >> 1), &access), el1,
				     "%s", sysreg_name((enum sysreg_id)reg));
			if (!el1)
				continue;
			cr_assert_eq(access.reg, reg);
			cr_assert_eq(access.write, !(n & 1));
			cr_assert_eq(access.rt, n >> 1);
			cr_assert_eq(kvm_access_word(&access), word(n & 1, encoding, n >> 1));
			brk = kvm_access_brk(&access, base);
			cr_assert_eq(brk & 0xffe0001f, 0xd4200000);
			cr_assert_not(seen[BRK_IMM(brk)]);
			cr_assert_geq(BRK_IMM(brk), base);
			cr_assert_lt(BRK_IMM(brk), base + KVM_BRK_SPAN);
			seen[BRK_IMM(brk)] = true;
			cr_assert(kvm_access_of_brk(BRK_IMM(brk), base, &back));
			cr_assert_eq(back.kind, KVM_ACCESS_SPE);
			cr_assert_eq(back.reg, reg);
			cr_assert_eq(back.write, access.write);
			cr_assert_eq(back.rt, access.rt);
			count++;
		}
	}
	cr_assert_eq(count, 14 * 64, "the registers with op1 of 0");
}

Test(access, every_access_at_el1_has_a_brk_of_its_own)
{
	unsigned int n;

	for (n = 0; kvm_brk_base(n); n++)
		check_brks(kvm_brk_base(n));
	cr_assert_gt(n, 1);
	cr_assert_eq(kvm_brk_base(0), KVM_BRK_BASE);
}

Test(access, a_write_of_vbar_has_a_brk)
{
	const uint32_t encoding = SYSREG_ENCODING(3, 0, 12, 0, 0);
	struct kvm_access access, back;

	cr_assert_not(kvm_access_decode(word(false, encoding, 4), &access));
	cr_assert_not(kvm_access_decode_vbar(word(true, encoding, 4), &access), "a read");
	cr_assert_not(
		kvm_access_decode_vbar(word(false, SYSREG_ENCODING(3, 4, 12, 0, 0), 4), &access),
		"of VBAR_EL2");
	cr_assert(kvm_access_decode_vbar(word(false, encoding, 4), &access));
	cr_assert(kvm_access_of_brk(BRK_IMM(kvm_access_brk(&access, KVM_BRK_BASE)), KVM_BRK_BASE,
				    &back));
	cr_assert_eq(back.kind, KVM_ACCESS_VBAR);
	cr_assert_eq(back.rt, 4);
	cr_assert(back.write);
}

/* MDSCR_EL1, and the controls of the first eight breakpoints and watchpoints. */
Test(access, a_write_that_enables_debug_exceptions_has_a_brk)
{
	static bool seen[1 << 16];
	unsigned int count = 0;

	for (uint32_t low = 0; low < 1 << 11; low++) {
		const uint32_t encoding = SYSREG_ENCODING(2, 0, 0, 0, 0) | low;
		const unsigned int crn = low >> 7 & 15, n = low >> 3 & 15, op2 = low & 7;
		const bool mdscr = crn == 0 && n == 2 && op2 == 2;
		const bool wanted = mdscr || (crn == 0 && n < 8 && (op2 == 5 || op2 == 7));

		for (unsigned int rt = 0; rt < 32; rt++) {
			struct kvm_access access, back;
			uint32_t brk;

			cr_assert_not(kvm_access_decode_debug(word(true, encoding, rt), &access));
			cr_assert_eq(kvm_access_decode_debug(word(false, encoding, rt), &access),
				     wanted, "0x%x", encoding);
			if (!wanted)
				continue;
			cr_assert_eq(access.debug,
				     mdscr ? KVM_DEBUG_MDSCR : n + (op2 == 7 ? KVM_DEBUG_WCR : 0));
			brk = kvm_access_brk(&access, KVM_BRK_BASE);
			cr_assert_lt(BRK_IMM(brk), KVM_BRK_BASE + KVM_BRK_SPAN);
			cr_assert_not(seen[BRK_IMM(brk)]);
			seen[BRK_IMM(brk)] = true;
			cr_assert(kvm_access_of_brk(BRK_IMM(brk), KVM_BRK_BASE, &back));
			cr_assert_eq(back.kind, KVM_ACCESS_DEBUG);
			cr_assert_eq(back.debug, access.debug);
			cr_assert_eq(back.rt, rt);
			cr_assert(back.write);
			count++;
		}
	}
	cr_assert_eq(count, 17 * 32);
	/* VBAR_EL1's and the ID registers' are others. */
	for (uint32_t imm = KVM_BRK_BASE + 0x400; imm < KVM_BRK_BASE + 0x500; imm++) {
		struct kvm_access access;

		if (kvm_access_of_brk((uint16_t)imm, KVM_BRK_BASE, &access))
			cr_assert_eq(seen[imm], access.kind == KVM_ACCESS_DEBUG);
	}
}

Test(access, what_kvm_makes_undefined)
{
	struct kvm_access access;

	cr_assert(kvm_access_decode(MRS_PMSIDR_X3, &access));
	cr_assert(kvm_access_traps(&access));
	cr_assert(kvm_access_decode(MSR_PMBPTR_X0, &access));
	cr_assert(kvm_access_traps(&access));
	cr_assert(kvm_access_decode(MRS_PMBIDR_X1, &access));
	cr_assert_not(kvm_access_traps(&access), "PMBIDR_EL1 has no trap");
	cr_assert(kvm_access_decode(MRS_DFR0_X7, &access));
	cr_assert_not(kvm_access_traps(&access), "KVM answers it");
}

Test(access, id_registers_are_read_only)
{
	for (unsigned int id = 0; id < KVM_ID_COUNT; id++) {
		const uint32_t encoding = SYSREG_ENCODING(3, 0, 0, 5, id);
		struct kvm_access access, back;

		cr_assert_not(kvm_access_decode(word(false, encoding, 1), &access));
		cr_assert(kvm_access_decode(word(true, encoding, 9), &access));
		cr_assert_eq(access.kind, KVM_ACCESS_ID);
		cr_assert(kvm_access_of_brk(BRK_IMM(kvm_access_brk(&access, KVM_BRK_BASE)),
					    KVM_BRK_BASE, &back));
		cr_assert_eq(back.kind, KVM_ACCESS_ID);
		cr_assert_eq(back.id, id);
		cr_assert_eq(back.rt, 9);
		cr_assert_not(back.write);
	}
}

Test(access, other_words_and_breakpoints_are_left_alone)
{
	static const uint16_t kernels[] = {0,	   1,	   4,	   5,	   0x100,
					   0x400,  0x800,  0x900,  0x5500, 0x8000,
					   0xb3ff, 0xb8a0, 0xbb00, 0xf000, 0xffff};
	struct kvm_access access;

	cr_assert_not(kvm_access_decode(NOP, &access));
	cr_assert_not(kvm_access_decode(MRS_MIDR_X0, &access));
	cr_assert_not(kvm_access_decode(MRS_PMSCR12_X0, &access));
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		cr_assert_not(kvm_access_of_brk(kernels[i], KVM_BRK_BASE, &access), "0x%x",
			      kernels[i]);
	/* PMBSR's neighbour op2 of 2 is no register. */
	cr_assert_not(kvm_access_of_brk(0xb400 | 1 << 8 | 2 << 5, 0xb400, &access));
}

struct log {
	size_t count, patched;
	struct kvm_site last;
};

static void note(void *ctx, const struct kvm_site *site)
{
	struct log *log = ctx;

	log->count++;
	log->patched += site->what == VSPE_KVM_SITE_PATCHED;
	log->last = *site;
}

static size_t scan(uint32_t *words, size_t count, struct log *log)
{
	const struct kvm_scan options = {.base = KVM_BRK_BASE, .log = note, .ctx = log};

	memset(log, 0, sizeof(*log));
	return kvm_scan(&options, (uint8_t *)words, count * sizeof(*words));
}

Test(scan, patches_code_and_nothing_else)
{
	uint32_t code[] = {NOP, MRS_DFR0_X7, MSR_PMBPTR_X0, MRS_MIDR_X0, MRS_PMSIDR_X3, RET};
	struct log log;
	struct kvm_access access;

	cr_assert_eq(scan(code, 6, &log), 3);
	cr_assert_eq(log.count, 3);
	cr_assert_eq(log.last.offset, 16);
	cr_assert_eq(log.last.word, MRS_PMSIDR_X3);
	cr_assert_eq(code[0], NOP);
	cr_assert_eq(code[3], MRS_MIDR_X0);
	cr_assert_eq(code[5], RET);
	cr_assert(kvm_access_of_brk(BRK_IMM(code[4]), KVM_BRK_BASE, &access));
	cr_assert_eq(access.reg, SYSREG_PMSIDR_EL1);
	cr_assert_eq(access.rt, 3);
	/* What is patched is not found again. */
	cr_assert_eq(scan(code, 6, &log), 0);
	cr_assert_eq(log.count, 0);
}

Test(scan, leaves_what_stands_in_data)
{
	uint32_t data[] = {0x00000001, 0x00000007, MRS_PMSIDR_X3, 0x00012345, 0x00000002};
	uint32_t alone[] = {0, 0, MRS_PMSIDR_X3, 0, 0};
	uint32_t copy[5];
	struct log log;

	memcpy(copy, data, sizeof(copy));
	cr_assert_eq(scan(data, 5, &log), 0);
	cr_assert_eq(log.count, 1, "it is logged all the same");
	cr_assert_eq(log.patched, 0);
	cr_assert_arr_eq(data, copy, sizeof(copy));
	cr_assert_eq(scan(alone, 5, &log), 0);
}

Test(scan, knows_the_ends)
{
	uint32_t first[] = {MRS_PMSIDR_X3, RET}, last[] = {NOP, MRS_PMSIDR_X3};
	uint8_t cut[6] = {0};
	struct log log;

	cr_assert_eq(scan(first, 2, &log), 1);
	cr_assert_eq(scan(last, 2, &log), 1);
	/* Half a word is none. */
	memcpy(cut + 4, &(uint16_t){0x99e3}, 2);
	cr_assert_eq(kvm_scan(&(struct kvm_scan){.base = KVM_BRK_BASE}, cut, sizeof(cut)), 0);
	cr_assert_eq(kvm_scan(&(struct kvm_scan){.base = KVM_BRK_BASE}, cut, 0), 0);
}

Test(scan, only_what_breakpoints_cannot_catch)
{
	uint32_t code[] = {NOP, MRS_DFR0_X7, MSR_PMBPTR_X0, MRS_PMBIDR_X1, MSR_VBAR_X2, RET};
	struct log log = {0};
	struct kvm_scan options = {
		.base = KVM_BRK_BASE, .untrapped = true, .vectors = true, .log = note, .ctx = &log};

	cr_assert_eq(kvm_scan(&options, (uint8_t *)code, sizeof(code)), 3);
	cr_assert_eq(code[2], MSR_PMBPTR_X0);
	cr_assert_eq(log.last.word, MSR_VBAR_X2);
	cr_assert_neq(code[4], MSR_VBAR_X2);
}

Test(scan, what_enables_debug_exceptions_if_asked)
{
	const uint32_t mdscr = word(false, SYSREG_ENCODING(2, 0, 0, 2, 2), 3);
	uint32_t code[] = {NOP, mdscr, MSR_VBAR_X2, word(false, SYSREG_ENCODING(2, 0, 0, 3, 4), 1),
			   RET};
	uint32_t copy[] = {NOP, mdscr, word(false, SYSREG_ENCODING(2, 0, 0, 3, 5), 1), RET};
	struct log log = {0};
	struct kvm_scan options = {.base = KVM_BRK_BASE, .log = note, .ctx = &log};

	cr_assert_eq(kvm_scan(&options, (uint8_t *)code, sizeof(code)), 0);
	options.mdscr = true;
	cr_assert_eq(kvm_scan(&options, (uint8_t *)copy, sizeof(copy)), 1, "MDSCR_EL1 alone");
	options.debug = true;
	cr_assert_eq(kvm_scan(&options, (uint8_t *)code, sizeof(code)), 1, "no value of one");
	cr_assert_eq(log.last.word, mdscr);
}

Test(scan, immediates_that_nothing_loaded_uses)
{
	uint32_t own[] = {NOP, 0xd4200000 | (KVM_BRK_BASE + 77) << 5, RET};
	uint32_t data[] = {1, 0xd4200000 | (KVM_BRK_BASE + 77) << 5, 2};
	uint8_t used[8192] = {0};
	unsigned int n;

	kvm_scan_brks((uint8_t *)data, sizeof(data), used);
	cr_assert_eq(kvm_choose_base(used), KVM_BRK_BASE, "that is no code");
	kvm_scan_brks((uint8_t *)own, sizeof(own), used);
	cr_assert_eq(kvm_choose_base(used), kvm_brk_base(1));
	for (n = 0; kvm_brk_base(n + 1); n++)
		used[kvm_brk_base(n) / 8] = 1;
	cr_assert_eq(kvm_choose_base(used), kvm_brk_base(n), "the last one");
	memset(used, 0xff, sizeof(used));
	cr_assert_eq(kvm_choose_base(used), KVM_BRK_BASE);
}

/* Those that are not of SPE, as words again. */
Test(access, words_again)
{
	static const uint32_t debug[] = {
		0xd5100241u, /* MSR MDSCR_EL1, X1 */
		0xd51003a2u, /* MSR DBGBCR3_EL1, X2 */
		0xd51007e3u, /* MSR DBGWCR7_EL1, X3 */
	};
	struct kvm_access access;

	cr_assert(kvm_access_decode(MRS_DFR0_X7, &access));
	cr_assert_eq(kvm_access_word(&access), MRS_DFR0_X7);
	cr_assert(kvm_access_decode_vbar(MSR_VBAR_X2, &access));
	cr_assert_eq(kvm_access_word(&access), MSR_VBAR_X2);
	for (size_t i = 0; i < ARRAY_SIZE(debug); i++) {
		cr_assert(kvm_access_decode_debug(debug[i], &access), "0x%x", debug[i]);
		cr_assert_eq(kvm_access_word(&access), debug[i]);
	}
}

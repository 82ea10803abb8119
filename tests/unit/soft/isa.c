/* SPDX-License-Identifier: BSD-2-Clause */
/* The optional instructions: fields of ID registers, words of --isa, and which instruction is
 * there. */

#include <stdio.h>
#include <string.h>

#include "../compare.h"
#include "arm/registers.h"
#include "soft/sys/isa.h"

#define FLAGMS (SOFT_ISA(FlagM) | SOFT_ISA(FlagM2))

static const struct {
	const char *name;
	uint64_t isa;
	uint32_t encoding;
	uint64_t fields;
} ids[] = {
	{"nothing", 0, ARM_ID_AA64ISAR0_EL1, 0},
	{"AES", SOFT_ISA(AES), ARM_ID_AA64ISAR0_EL1, 0x10},
	{"PMULL is more than AES", SOFT_ISA(AES) | SOFT_ISA(PMULL), ARM_ID_AA64ISAR0_EL1, 0x20},
	{"SHA-1 and SHA-256", SOFT_ISA(SHA1) | SOFT_ISA(SHA256), ARM_ID_AA64ISAR0_EL1, 0x1100},
	{"RDM, DotProd", SOFT_ISA(RDM) | SOFT_ISA(DotProd), ARM_ID_AA64ISAR0_EL1, 0x100010000000},
	{"half precision in FP and AdvSIMD", SOFT_ISA(FP16), ARM_ID_AA64PFR0_EL1, 0x110000},
	{"LRCPC", SOFT_ISA(LRCPC), ARM_ID_AA64ISAR1_EL1, 0x100000},
	{"FlagM", SOFT_ISA(FlagM), ARM_ID_AA64ISAR0_EL1, UINT64_C(1) << 52},
	{"FlagM2", SOFT_ISA(FlagM) | SOFT_ISA(FlagM2), ARM_ID_AA64ISAR0_EL1, UINT64_C(2) << 52},
	{"SHA-512 is more than SHA-256", SOFT_ISA(SHA256) | SOFT_ISA(SHA512), ARM_ID_AA64ISAR0_EL1,
	 0x2000},
	{"DPB2 is more than DPB", SOFT_ISA(DPB) | SOFT_ISA(DPB2), ARM_ID_AA64ISAR1_EL1, 2},
	{"RNG", SOFT_ISA(RNG), ARM_ID_AA64ISAR0_EL1, UINT64_C(1) << 60},
	{"I8MM, BF16, DGH, SB", SOFT_ISA(I8MM) | SOFT_ISA(BF16) | SOFT_ISA(DGH) | SOFT_ISA(SB),
	 ARM_ID_AA64ISAR1_EL1, 0x11101000000000},
	{"CSV2, DIT", SOFT_ISA(CSV2) | SOFT_ISA(DIT), ARM_ID_AA64PFR0_EL1, 0x0101000000000000},
	{"BTI, SSBS2", SOFT_ISA(BTI) | SOFT_ISA(SSBS2), ARM_ID_AA64PFR1_EL1, 0x21},
	{"TLBIOS", SOFT_ISA(TLBIOS), ARM_ID_AA64ISAR0_EL1, UINT64_C(1) << 56},
	{"TLBIRANGE", SOFT_ISA(TLBIOS) | SOFT_ISA(TLBIRANGE), ARM_ID_AA64ISAR0_EL1,
	 UINT64_C(2) << 56},
	{"UAO, TTST, LSE2, TTL", SOFT_ISA(UAO) | SOFT_ISA(TTST) | SOFT_ISA(LSE2) | SOFT_ISA(TTL),
	 ARM_ID_AA64MMFR2_EL1, 0x0001000110000010},
	{"HCX", SOFT_ISA(HCX), ARM_ID_AA64MMFR1_EL1, UINT64_C(1) << 40},
	{"PAuth, and of generic codes", SOFT_ISA(PAuth), ARM_ID_AA64ISAR1_EL1, 0x1000010},
	{"FPACCOMBINE is more than the others",
	 SOFT_ISA(PAuth) | SOFT_ISA(PAuth2) | SOFT_ISA(FPAC) | SOFT_ISA(FPACCOMBINE),
	 ARM_ID_AA64ISAR1_EL1, 0x1000050},
	{"SPECRES", SOFT_ISA(SPECRES), ARM_ID_AA64ISAR1_EL1, UINT64_C(1) << 40},
	{"MOPS", SOFT_ISA(MOPS), ARM_ID_AA64ISAR2_EL1, UINT64_C(1) << 16},
	{"CSSC, WFxT, HBC", SOFT_ISA(CSSC) | SOFT_ISA(WFxT) | SOFT_ISA(HBC), ARM_ID_AA64ISAR2_EL1,
	 0x0010000000100002},
	{"LSE128 is more than LSE", SOFT_ISA(LSE128), ARM_ID_AA64ISAR0_EL1, 0x300000},
	{"LRCPC3 is more than the others", SOFT_ISA(LRCPC) | SOFT_ISA(LRCPC2) | SOFT_ISA(LRCPC3),
	 ARM_ID_AA64ISAR1_EL1, 0x300000},
	{"LVA", SOFT_ISA(LVA), ARM_ID_AA64MMFR2_EL1, UINT64_C(1) << 16},
	{"LPA, LPA2", SOFT_ISA(LPA) | SOFT_ISA(LPA2), ARM_ID_AA64MMFR0_EL1, 0x10000006},
	{"SVE2", SOFT_ISA(SVE) | SOFT_ISA(SVE2), ARM_ID_AA64ZFR0_EL1, 1},
	{"PMULL128 is more than AES", SOFT_ISA(SVE_AES) | SOFT_ISA(SVE_PMULL128),
	 ARM_ID_AA64ZFR0_EL1, 0x20},
	{"no other register", SOFT_ISA_ALL, SYSREG_ENCODING_ID_AA64DFR0_EL1, 0},
};

Test(isa, id_fields)
{
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		cr_expect_eq(soft_isa_id_fields(ids[i].isa, ids[i].encoding), ids[i].fields, "%s",
			     ids[i].name);
}

/* By aarch64-linux-gnu-as; the feature of each, or 0 for what came with Armv8.0. */
static const struct {
	const char *text;
	uint32_t word;
	uint64_t needs;
} words[] = {
	{"aese v0.16b, v1.16b", 0x4e284820, SOFT_ISA(AES)},
	{"pmull v0.1q, v1.1d, v2.1d", 0x0ee2e020, SOFT_ISA(PMULL)},
	{"pmull v0.8h, v1.8b, v2.8b", 0x0e22e020, 0},
	{"sha1c q0, s1, v2.4s", 0x5e020020, SOFT_ISA(SHA1)},
	{"sha256h q0, q1, v2.4s", 0x5e024020, SOFT_ISA(SHA256)},
	{"sqrdmlah v0.4h, v1.4h, v2.4h", 0x2e428420, SOFT_ISA(RDM)},
	{"sdot v0.2s, v1.8b, v2.8b", 0x0e829420, SOFT_ISA(DotProd)},
	{"ldapr x0, [x1]", 0xf8bfc020, SOFT_ISA(LRCPC)},
	{"fadd v0.4h, v1.4h, v2.4h", 0x0e421420, SOFT_ISA(FP16)},
	{"fadd h0, h1, h2", 0x1ee22820, SOFT_ISA(FP16)},
	{"fcsel h0, h1, h2, eq", 0x1ee20c20, SOFT_ISA(FP16)},
	{"fmov h0, w1", 0x1ee70020, SOFT_ISA(FP16)},
	{"fmov v0.4h, #1.0", 0x0f03fe00, SOFT_ISA(FP16)},
	{"scvtf v0.4h, v1.4h, #1", 0x0f1fe420, SOFT_ISA(FP16)},
	{"scvtf v0.2s, v1.2s, #1", 0x0f3fe420, 0},
	{"fadd s0, s1, s2", 0x1e222820, 0},
	{"fcvt s0, h1", 0x1ee24020, 0},
	{"fcvt h0, s1", 0x1e23c020, 0},
	{"fcvtn v0.4h, v1.4s", 0x0e216820, 0},
	{"cfinv", 0xd500401f, SOFT_ISA(FlagM)},
	{"rmif x1, #3, #15", 0xba01842f, SOFT_ISA(FlagM)},
	{"setf8 w1", 0x3a00082d, SOFT_ISA(FlagM)},
	{"setf16 w1", 0x3a00482d, SOFT_ISA(FlagM)},
	{"xaflag", 0xd500403f, SOFT_ISA(FlagM2)},
	{"axflag", 0xd500405f, SOFT_ISA(FlagM2)},
	{"fcadd v0.4s, v1.4s, v2.4s, #90", 0x6e82e420, SOFT_ISA(FCMA)},
	{"fcmla v0.4s, v1.4s, v2.s[0], #90", 0x6f823020, SOFT_ISA(FCMA)},
	{"fcmla v0.4h, v1.4h, v2.4h, #0", 0x2e42c420, SOFT_ISA(FCMA) | SOFT_ISA(FP16)},
	{"fjcvtzs w0, d1", 0x1e7e0020, SOFT_ISA(JSCVT)},
	{"frint32z s0, s1", 0x1e284020, SOFT_ISA(FRINTTS)},
	{"frint64x v0.2d, v1.2d", 0x6e61f820, SOFT_ISA(FRINTTS)},
	{"sha512h q0, q1, v2.2d", 0xce628020, SOFT_ISA(SHA512)},
	{"sha512su0 v0.2d, v1.2d", 0xcec08020, SOFT_ISA(SHA512)},
	{"eor3 v0.16b, v1.16b, v2.16b, v3.16b", 0xce020c20, SOFT_ISA(SHA3)},
	{"xar v0.2d, v1.2d, v2.2d, #1", 0xce820420, SOFT_ISA(SHA3)},
	{"rax1 v0.2d, v1.2d, v2.2d", 0xce628c20, SOFT_ISA(SHA3)},
	{"sm3ss1 v0.4s, v1.4s, v2.4s, v3.4s", 0xce420c20, SOFT_ISA(SM3)},
	{"sm4e v0.4s, v1.4s", 0xcec08420, SOFT_ISA(SM4)},
	{"sm4ekey v0.4s, v1.4s, v2.4s", 0xce62c820, SOFT_ISA(SM4)},
	{"ldapur x0, [x1, #1]", 0xd9401020, SOFT_ISA(LRCPC2)},
	{"stlurb w0, [x1]", 0x19000020, SOFT_ISA(LRCPC2)},
	{"fmlal v0.4s, v1.4h, v2.4h", 0x4e22ec20, SOFT_ISA(FHM)},
	{"usdot v0.4s, v1.16b, v2.16b", 0x4e829c20, SOFT_ISA(I8MM)},
	{"smmla v0.4s, v1.16b, v2.16b", 0x4e82a420, SOFT_ISA(I8MM)},
	{"bfcvt h0, s1", 0x1e634020, SOFT_ISA(BF16)},
	{"bfdot v0.4s, v1.8h, v2.8h", 0x6e42fc20, SOFT_ISA(BF16)},
	{"bfmlalt v0.4s, v1.8h, v2.8h", 0x6ec2fc20, SOFT_ISA(BF16)},
	{"sb", 0xd50330ff, SOFT_ISA(SB)},
	{"pacia x0, x1", 0xdac10020, SOFT_ISA(PAuth)},
	{"pacga x0, x1, x2", 0x9ac23020, SOFT_ISA(PAuth)},
	{"ldraa x0, [x1]", 0xf8200420, SOFT_ISA(PAuth)},
	{"retaa", 0xd65f0bff, SOFT_ISA(PAuth)},
	{"paciasp", 0xd503233f, 0},
	{"smax w0, w1, #-1", 0x11c3fc20, SOFT_ISA(CSSC)},
	{"umin x0, x1, x2", 0x9ac26c20, SOFT_ISA(CSSC)},
	{"ctz x0, x1", 0xdac01820, SOFT_ISA(CSSC)},
	{"cnt x0, x1", 0xdac01c20, SOFT_ISA(CSSC)},
	{"abs w0, w1", 0x5ac02020, SOFT_ISA(CSSC)},
	{"wfet x3", 0xd5031003, SOFT_ISA(WFxT)},
	{"wfit x3", 0xd5031023, SOFT_ISA(WFxT)},
	{"ldclrp x0, x1, [x2]", 0x19211040, SOFT_ISA(LSE128)},
	{"ldsetpal x0, x1, [x2]", 0x19e13040, SOFT_ISA(LSE128)},
	{"swpp x0, x1, [x2]", 0x19218040, SOFT_ISA(LSE128)},
	{"ldiapp x0, x1, [x2], #16", 0xd9410840, SOFT_ISA(LRCPC3)},
	{"stilp w0, w1, [x2]", 0x99011840, SOFT_ISA(LRCPC3)},
	{"ldapr w0, [x1], #4", 0x99c00820, SOFT_ISA(LRCPC3)},
	{"stlr x0, [x1, #-8]!", 0xd9800820, SOFT_ISA(LRCPC3)},
	{"ldapur q0, [x1, #1]", 0x1dc01820, SOFT_ISA(LRCPC3)},
	{"stlur h0, [x1]", 0x5d000820, SOFT_ISA(LRCPC3)},
	{"ldap1 {v0.d}[1], [x1]", 0x4d418420, SOFT_ISA(LRCPC3)},
	{"stl1 {v0.d}[0], [x1]", 0x0d018420, SOFT_ISA(LRCPC3)},
	{"bc.ne .+8", 0x54000051, SOFT_ISA(HBC)},
	{"mul z0.b, z1.b, z2.b", 0x04226020, SOFT_ISA(SVE) | SOFT_ISA(SVE2)},
	{"aese z0.b, z0.b, z1.b", 0x4522e020, SOFT_ISA(SVE) | SOFT_ISA(SVE_AES)},
	{"pmullb z0.q, z1.d, z2.d", 0x45026820, SOFT_ISA(SVE) | SOFT_ISA(SVE_PMULL128)},
	{"bext z0.b, z1.b, z2.b", 0x4502b020, SOFT_ISA(SVE) | SOFT_ISA(SVE_BitPerm)},
	{"rax1 z0.d, z1.d, z2.d", 0x4522f420, SOFT_ISA(SVE) | SOFT_ISA(SVE_SHA3)},
	{"sm4e z0.s, z0.s, z1.s", 0x4523e020, SOFT_ISA(SVE) | SOFT_ISA(SVE_SM4)},
};

Test(isa, instructions)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct a64_insn *insn = a64_decode(words[i].word);

		cr_assert(insn, "%s", words[i].text);
		cr_assert(insn->executed, "%s", words[i].text);
		cr_expect(soft_isa_has(words[i].needs, insn, words[i].word), "%s", words[i].text);
		cr_expect_eq(soft_isa_has(SOFT_ISA_ALL & ~words[i].needs, insn, words[i].word),
			     !words[i].needs, "%s", words[i].text);
	}
}

Test(isa, needs)
{
	const char *one, *other;

	cr_assert(soft_isa_possible(0, &one, &other));
	cr_assert(soft_isa_possible(SOFT_ISA_ALL, &one, &other));
	cr_assert(soft_isa_possible(SOFT_ISA(AES), &one, &other));
	cr_assert_not(soft_isa_possible(SOFT_ISA(PMULL), &one, &other));
	cr_assert_str_eq(one, "pmull");
	cr_assert_str_eq(other, "aes");
	cr_assert_not(soft_isa_possible(SOFT_ISA_ALL & ~SOFT_ISA(SHA256), &one, &other));
}

Test(isa, words)
{
	char text[SOFT_ISA_WORDS];

	soft_isa_words(0, text, sizeof(text));
	cr_assert_str_eq(text, "none");
	soft_isa_words(SOFT_ISA(AES) | SOFT_ISA(LRCPC), text, sizeof(text));
	cr_assert_str_eq(text, "aes,lrcpc");
	soft_isa_words(SOFT_ISA_ALL, text, 8);
	cr_assert_lt(strlen(text), 8);
	soft_isa_words(SOFT_ISA_ALL, text, sizeof(text));
	cr_assert_lt(strlen(text), sizeof(text) - 1, "nothing is cut off");
	cr_assert_eq(soft_isa_find("pmull", 5), SOFT_ISA(PMULL));
	cr_assert_eq(soft_isa_find("pmul", 4), 0);
	cr_assert_eq(soft_isa_of_core("generic"), 0);
	cr_assert_eq(soft_isa_of_core("neoverse-n1") & SOFT_ISA(FlagM), 0);
	cr_assert_eq(soft_isa_of_core("neoverse-v1") & FLAGMS, SOFT_ISA(FlagM));
	cr_assert_eq(soft_isa_of_core("neoverse-n2") & FLAGMS, FLAGMS);
	cr_assert_eq(soft_isa_of_core("kunpeng920") & SOFT_ISA(LRCPC), 0);
}

/* As QEMU's models of V1 and N2 have ID_AA64ZFR0_EL1, with cryptography; V2's is as N2's. */
Test(isa, vectors_of_cores)
{
	static const struct {
		const char *core;
		uint64_t zfr0;
	} rows[] = {
		{"neoverse-n1", 0},
		{"neoverse-v1", UINT64_C(0x0000100000100000)},
		{"neoverse-n2", UINT64_C(0x0000110100110021)},
		{"neoverse-v2", UINT64_C(0x0000110100110021)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(
			soft_isa_id_fields(soft_isa_of_core(rows[i].core), ARM_ID_AA64ZFR0_EL1),
			rows[i].zfr0, "%s", rows[i].core);
}

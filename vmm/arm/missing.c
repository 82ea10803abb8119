/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features of UNDEFINED words (Arm ARM C4.1, D24.2): features that software uses without
 * checking, or that compilers use if an option allows them.
 */
#include "arm/missing.h"

#include <stddef.h>

#include "a64/a64.h"

/* MRS and MSR of a register, of all registers of a CRm, of all of a CRn. */
#define SYSTEM_WORD(op0, op1, n, m, op2) \
	(0xd5000000u | (op0) << 19 | (op1) << 16 | (n) << 12 | (m) << 8 | (op2) << 5)
#define REGISTER(op0, op1, n, m, op2, name)                        \
	{                                                          \
		0xffdfffe0, SYSTEM_WORD(op0, op1, n, m, op2), name \
	}
#define OF_CRM(op0, op1, n, m, name)                              \
	{                                                         \
		0xffdfff00, SYSTEM_WORD(op0, op1, n, m, 0u), name \
	}
#define OF_CRN(op0, op1, n, name)                                  \
	{                                                          \
		0xffdff000, SYSTEM_WORD(op0, op1, n, 0u, 0u), name \
	}

/* The first row that matches counts. */
static const struct {
	uint32_t mask, value;
	const char *feature;
} rows[] = {
	{0x1e000000, 0x04000000, "FEAT_SVE"},
	{0x9e000000, 0x80000000, "FEAT_SME"},
	{0xbfc00000, 0x91800000, "FEAT_MTE"},	 /* ADDG, SUBG */
	{0xffe0f800, 0x9ac01000, "FEAT_MTE"},	 /* IRG, GMI */
	{0xdfe0fc00, 0x9ac00000, "FEAT_MTE"},	 /* SUBP */
	{0xff200000, 0xd9200000, "FEAT_MTE"},	 /* STG, LDG ... */
	{0x3b200c00, 0x19000400, "FEAT_MOPS"},	 /* CPY, SET */
	{0xffe07c10, 0xba000400, "FEAT_FlagM"},	 /* RMIF */
	{0xffffbc1f, 0x3a00080d, "FEAT_FlagM"},	 /* SETF8, SETF16 */
	{0xffffffff, 0xd500401f, "FEAT_FlagM"},	 /* CFINV */
	{0xffffffdf, 0xd500401f, "FEAT_FlagM2"}, /* XAFLAG */
	{0xffffffff, 0xd500405f, "FEAT_FlagM2"}, /* AXFLAG */
	{0xffffffff, 0xd50330ff, "FEAT_SB"},
	{0xffffffc0, 0xd5031000, "FEAT_WFxT"},
	{0xfffffff0, 0xd5233060, "FEAT_TME"},
	{0x7ffffc00, 0x5ac02000, "FEAT_CSSC"}, /* ABS */
	{0x7ffff800, 0x5ac01800, "FEAT_CSSC"}, /* CTZ, CNT */
	{0x7ff00000, 0x11c00000, "FEAT_CSSC"}, /* SMAX ... */
	{0x7fe0f000, 0x1ac06000, "FEAT_CSSC"},
	{0xffffac00, 0xf83f8000, "FEAT_LS64"},
	{0xff000010, 0x54000010, "FEAT_HBC"},
	{0xfffff0ff, 0xd500407f, "FEAT_UAO"}, /* MSR (immediate) */
	{0xfffff0ff, 0xd503403f, "FEAT_SSBS"},
	{0xfffff0ff, 0xd503405f, "FEAT_DIT"},
	{0xfffff0ff, 0xd503409f, "FEAT_MTE"},
	{0xfffffeff, 0xd501401f, "FEAT_NMI"},
	OF_CRM(3u, 3u, 9u, 12u, "FEAT_PMUv3"),
	OF_CRM(3u, 3u, 9u, 13u, "FEAT_PMUv3"),
	OF_CRM(3u, 3u, 9u, 14u, "FEAT_PMUv3"),
	OF_CRM(3u, 0u, 9u, 14u, "FEAT_PMUv3"),
	{0xffdff800, SYSTEM_WORD(3u, 3u, 14u, 8u, 0u),
	 "FEAT_PMUv3"}, /* PMEVCNTR<n>, PMEVTYPER<n> */
	OF_CRM(3u, 0u, 9u, 9u, "FEAT_SPE"),
	OF_CRM(3u, 0u, 9u, 10u, "FEAT_SPE"),
	OF_CRM(3u, 0u, 9u, 11u, "FEAT_TRBE"),
	OF_CRM(3u, 3u, 2u, 4u, "FEAT_RNG"),
	REGISTER(3u, 0u, 1u, 2u, 0u, "FEAT_SVE"),
	OF_CRM(3u, 0u, 1u, 2u, "FEAT_SME, or FEAT_TRF"),
	OF_CRM(3u, 0u, 2u, 1u, "FEAT_PAuth"),
	OF_CRM(3u, 0u, 2u, 2u, "FEAT_PAuth"),
	OF_CRM(3u, 0u, 2u, 3u, "FEAT_PAuth"),
	OF_CRM(3u, 0u, 2u, 5u, "FEAT_GCS"),
	REGISTER(3u, 0u, 2u, 0u, 3u, "FEAT_TCR2"),
	REGISTER(3u, 0u, 1u, 0u, 3u, "FEAT_SCTLR2"),
	REGISTER(3u, 0u, 1u, 0u, 5u, "FEAT_MTE"),
	REGISTER(3u, 0u, 1u, 0u, 6u, "FEAT_MTE"),
	OF_CRM(3u, 0u, 5u, 6u, "FEAT_MTE"),
	OF_CRM(3u, 0u, 5u, 3u, "FEAT_RAS"),
	OF_CRM(3u, 0u, 5u, 4u, "FEAT_RAS"),
	OF_CRM(3u, 0u, 5u, 5u, "FEAT_RAS"),
	REGISTER(3u, 0u, 12u, 1u, 1u, "FEAT_RAS"),
	OF_CRM(3u, 0u, 10u, 5u, "FEAT_MPAM"),
	REGISTER(3u, 0u, 10u, 2u, 4u, "FEAT_S1POE"),
	OF_CRM(3u, 0u, 10u, 2u, "FEAT_S1PIE"),
	REGISTER(3u, 0u, 13u, 0u, 7u, "FEAT_CSV2_2"),
	REGISTER(3u, 3u, 13u, 0u, 7u, "FEAT_CSV2_2"),
	OF_CRN(3u, 3u, 13u, "FEAT_AMUv1"),
	REGISTER(3u, 0u, 4u, 2u, 4u, "FEAT_UAO"),
	REGISTER(3u, 3u, 4u, 2u, 5u, "FEAT_DIT"),
	REGISTER(3u, 3u, 4u, 2u, 6u, "FEAT_SSBS"),
	OF_CRN(2u, 1u, 8u, "FEAT_BRBE"),
	OF_CRN(2u, 1u, 9u, "FEAT_BRBE"),
	/* S3_<op1>_C11_... and C15 */
	{0xffd8f000, SYSTEM_WORD(3u, 0u, 11u, 0u, 0u), "an IMPLEMENTATION DEFINED register"},
	{0xffd8f000, SYSTEM_WORD(3u, 0u, 15u, 0u, 0u), "an IMPLEMENTATION DEFINED register"},
};

const char *arm_missing_feature(uint32_t word)
{
	static const char *const names[] = {
		[A64_FEAT_CRC32] = "FEAT_CRC32",     [A64_FEAT_LSE] = "FEAT_LSE",
		[A64_FEAT_LOR] = "FEAT_LOR",	     [A64_FEAT_PAN] = "FEAT_PAN",
		[A64_FEAT_SPE_EXC] = "FEAT_SPE_EXC", [A64_FEAT_UAO] = "FEAT_UAO",
		[A64_FEAT_DIT] = "FEAT_DIT",	     [A64_FEAT_SSBS] = "FEAT_SSBS2",
		[A64_FEAT_LRCPC] = "FEAT_LRCPC",     [A64_FEAT_LRCPC2] = "FEAT_LRCPC2",
		[A64_FEAT_FP] = "FEAT_FP",	     [A64_FEAT_SIMD] = "FEAT_AdvSIMD",
		[A64_FEAT_FP16] = "FEAT_FP16",	     [A64_FEAT_FRINTTS] = "FEAT_FRINTTS",
		[A64_FEAT_JSCVT] = "FEAT_JSCVT",     [A64_FEAT_FHM] = "FEAT_FHM",
		[A64_FEAT_FCMA] = "FEAT_FCMA",	     [A64_FEAT_RDM] = "FEAT_RDM",
		[A64_FEAT_DOTPROD] = "FEAT_DotProd", [A64_FEAT_I8MM] = "FEAT_I8MM",
		[A64_FEAT_BF16] = "FEAT_BF16",	     [A64_FEAT_AES] = "FEAT_AES",
		[A64_FEAT_SHA1] = "FEAT_SHA1",	     [A64_FEAT_SHA256] = "FEAT_SHA256",
		[A64_FEAT_FLAGM] = "FEAT_FlagM",     [A64_FEAT_FLAGM2] = "FEAT_FlagM2",
		[A64_FEAT_SHA512] = "FEAT_SHA512",   [A64_FEAT_SHA3] = "FEAT_SHA3",
		[A64_FEAT_SM3] = "FEAT_SM3",	     [A64_FEAT_SM4] = "FEAT_SM4",
		[A64_FEAT_SB] = "FEAT_SB",	     [A64_FEAT_PAUTH] = "FEAT_PAuth",
		[A64_FEAT_LSFE] = "FEAT_LSFE",	     [A64_FEAT_CSSC] = "FEAT_CSSC",
		[A64_FEAT_WFXT] = "FEAT_WFxT",	     [A64_FEAT_LSE128] = "FEAT_LSE128",
		[A64_FEAT_LRCPC3] = "FEAT_LRCPC3",   [A64_FEAT_HBC] = "FEAT_HBC",
	};
	const struct a64_insn *insn = a64_decode(word);

	/* Half precision is a value of the fields ftype and size. */
	if ((word & 0x7ec00000) == 0x1ec00000)
		return names[A64_FEAT_FP16];
	if (insn && insn->id == A64_PMULL)
		return "FEAT_PMULL";
	if (insn && insn->feature < sizeof(names) / sizeof(names[0]) && names[insn->feature])
		return names[insn->feature];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((word & rows[i].mask) == rows[i].value)
			return rows[i].feature;
	return NULL;
}

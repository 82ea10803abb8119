/* SPDX-License-Identifier: BSD-2-Clause */
/* In what VIXL 5.1 differs from the Arm ARM. */
#include "../array.h"
#include "a64/a64.h"
#include "oracle.h"

#define KEYS                                                                                      \
	"its keys are constants, and it takes more bits for the code than the guest's addresses " \
	"leave"
#define UPPER "it leaves the upper bits of Vd, which a write of fewer bits makes zero (V[n, width])"
#define AGAIN                                                                                      \
	"it writes elements of Vd before it has read all of Vn and Vm, which the operation reads " \
	"first"
#define STACK                                                                                \
	"with writeback to SP, it writes the register 31 that is not SP (operation: SP[] = " \
	"address)"
#define BYTES "it extends the sign of the byte or halfword that it loads (ZeroExtend)"
#define WIDENS                                                                         \
	"it makes signalling NaNs of halves quiet before it chooses among three NaNs " \
	"(FPProcessNaNs3H)"
#define PREFETCH \
	"it checks the alignment of SP, which a prefetch does not (memop != MemOp_PREFETCH)"
#define MONITOR                                                                              \
	"its global monitor is lost once in eight times, by a random number, as any may be " \
	"(B2.12)"

/* Register 31 as the base, and writeback */
#define BASE_SP	   UINT32_C(0x3e0)
#define POST_INDEX UINT32_C(0xbf800000)

const struct oracle_known oracle_known[] = {
	/* Signed with its keys, or authenticated, which the software CPU signed with others */
	{A64_PAC, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_PAC_ZERO, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_PAC_1716, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_PAC_LR, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_PACGA, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_XPAC, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_XPACLRI, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_BRAA, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_BRAAZ, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_BLRAA, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_BLRAAZ, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_RETAA, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_LDRAA, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_LDRAA_PRE, 0, 0, false, ORACLE_LACKS, KEYS},

	{A64_MRS, 0xffffffe0, 0xd53b4420, false, ORACLE_LACKS, "it has no FPSR"},
	{A64_MRS, 0xffffffe0, 0xd53bd040, false, ORACLE_LACKS, "it has no TPIDR_EL0"},
	{A64_MRS, 0xffffffe0, 0xd53bd060, false, ORACLE_LACKS, "it has no TPIDRRO_EL0"},
	{A64_BFCVT, 0, 0, false, ORACLE_LACKS, "it has no FEAT_BF16"},
	{A64_FCMLA_ELEMENT_HALF, 0, 0, false, ORACLE_LACKS,
	 "of a half it has FCMLA of vectors alone"},
	{A64_FCMLA_ELEMENT_HALF_90, 0, 0, false, ORACLE_LACKS,
	 "of a half it has FCMLA of vectors alone"},
	{A64_PMULL, 0x00c00000, 0x00c00000, false, ORACLE_LACKS, "it has no PMULL of 64 bits"},

	{A64_MOVK, 0x80000000, 0, false, ORACLE_ERRS,
	 "it extends the sign of a result of 32 bits (X[d, 32] makes the upper half zero)"},
	{A64_LDSMAX, 0x80000000, 0, false, ORACLE_ERRS, BYTES},
	{A64_LDSMIN, 0x80000000, 0, false, ORACLE_ERRS, BYTES},
	{A64_STXR, 0, 0, false, ORACLE_MAY, MONITOR},
	{A64_STXP, 0, 0, false, ORACLE_MAY, MONITOR},
	/* PRFM (immediate and register), PRFUM */
	{ORACLE_ANY, 0xfec00000 | BASE_SP, 0xf8800000 | BASE_SP, false, ORACLE_ERRS, PREFETCH},
	/* Advanced SIMD load/store multiple structures and single structure, post-indexed */
	{ORACLE_ANY, POST_INDEX | BASE_SP, 0x0c800000 | BASE_SP, false, ORACLE_ERRS, STACK},
	{ORACLE_ANY, POST_INDEX | BASE_SP, 0x0d800000 | BASE_SP, false, ORACLE_ERRS, STACK},

	{A64_FCVTN, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_SCALAR, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_SCALAR_FIXED, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_SCALAR_HALF, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_VECTOR, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_VECTOR_FIXED, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_SCVTF_VECTOR_HALF, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_SCALAR, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_SCALAR_FIXED, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_SCALAR_HALF, 0, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_VECTOR, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_VECTOR_FIXED, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},
	{A64_UCVTF_VECTOR_HALF, 0x40000000, 0, false, ORACLE_KEEPS, UPPER},

	{A64_FCVTXN_SCALAR, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FCVTXN_VECTOR, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_PMULL, 0x00c00000, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMUL_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMUL_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMUL_SCALAR_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMUL_SCALAR_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMULX_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMULX_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMULX_SCALAR_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMULX_SCALAR_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLA_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLA_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLA_SCALAR_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLA_SCALAR_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLS_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLS_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLS_SCALAR_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLS_SCALAR_ELEMENT_HALF, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FCMLA_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FCMLA_ELEMENT_90, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLAL_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLAL_VECTOR, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLAL2_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLSL_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLSL_VECTOR, 0, 0, true, ORACLE_ERRS, AGAIN},
	{A64_FMLSL2_ELEMENT, 0, 0, true, ORACLE_ERRS, AGAIN},

	{A64_FMLAL_ELEMENT, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLAL_VECTOR, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLAL2_ELEMENT, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLAL2_VECTOR, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLSL_ELEMENT, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLSL_VECTOR, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLSL2_ELEMENT, 0, 0, false, ORACLE_NANS, WIDENS},
	{A64_FMLSL2_VECTOR, 0, 0, false, ORACLE_NANS, WIDENS},
};

const unsigned int oracle_known_count = ARRAY_SIZE(oracle_known);

/* SPDX-License-Identifier: BSD-2-Clause */
/* In what dynarmic 6.4 differs from the Arm ARM. */
#include "../array.h"
#include "a64/a64.h"
#include "oracle.h"

#define KEYS "it has no FEAT_PAuth: the hints do nothing"
#define CONVERTS                                                                                \
	"the host's conversions to integers give other flags: out of range, negative, Inexact " \
	"(FPToFixed)"
#define ROUNDS "an input that FPCR.FZ flushes is Inexact for the host (FPRoundInt: exact is FALSE)"
#define LANES \
	"it computes all 128 bits, so that elements which the instruction does not have set flags"
#define NUMBERS \
	"the host's minimum and maximum raise Invalid Operation for a quiet NaN (FPProcessNaNs)"
#define FLUSHES "the host adds Inexact to Underflow when FPCR.FZ flushes a result (FPRound)"
#define TWO                                                                                \
	"infinity times zero is Invalid for the host before it becomes 2 or 1.5 (FPMulX, " \
	"FPRecipStepFused, FPRSqrtStepFused)"
#define CONDITION "it compares although the condition does not hold (operation: FPCompare())"
#define FUSES	  "it computes the steps one by one, of which one overflows (FPRSqrtStepFused)"
#define ESTIMATES                                                                               \
	"it takes the estimate from the host, without the flags of zeros and negative numbers " \
	"(FPRSqrtEstimate)"

const struct oracle_known oracle_known[] = {
	{A64_PAC_1716, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_PAC_LR, 0, 0, false, ORACLE_LACKS, KEYS},
	{A64_XPACLRI, 0, 0, false, ORACLE_LACKS, KEYS},

	{A64_FCVTAU, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMS, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMU, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNS, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNU, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPS, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPU, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTAU_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMS_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMU_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNS_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNU_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPS_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPU_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU_SCALAR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTAU_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMS_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTMU_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNS_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTNU_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPS_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTPU_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU_VECTOR, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS_SCALAR_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU_SCALAR_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZS_VECTOR_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},
	{A64_FCVTZU_VECTOR_FIXED, 0, 0, false, ORACLE_FLAGS, CONVERTS},

	{A64_FRINTI, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTM, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTN, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTP, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTZ, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTI_VECTOR, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTM_VECTOR, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTN_VECTOR, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTP_VECTOR, 0, 0, false, ORACLE_FLAGS, ROUNDS},
	{A64_FRINTZ_VECTOR, 0, 0, false, ORACLE_FLAGS, ROUNDS},

	{A64_FCMEQ_SCALAR_HALF, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FDIV_VECTOR, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FRECPE_VECTOR, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FRECPE_VECTOR_HALF, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FRECPS_VECTOR, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FRSQRTE_VECTOR, 0, 0, false, ORACLE_FLAGS, LANES},
	{A64_FRSQRTE_VECTOR_HALF, 0, 0, false, ORACLE_FLAGS, LANES},

	{A64_FMAX_VECTOR, 0, 0, false, ORACLE_FLAGS, NUMBERS},
	{A64_FMIN_VECTOR, 0, 0, false, ORACLE_FLAGS, NUMBERS},
	{A64_FMAXNM_VECTOR, 0, 0, false, ORACLE_FLAGS, NUMBERS},
	{A64_FMINNM_VECTOR, 0, 0, false, ORACLE_FLAGS, NUMBERS},

	{A64_FMULX_SCALAR, 0, 0, false, ORACLE_FLUSHES, FLUSHES},
	{A64_FMULX_ELEMENT, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FMULX_VECTOR, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FMULX_SCALAR, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FMULX_SCALAR_ELEMENT, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FRECPS_SCALAR, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FRSQRTS_SCALAR, 0, 0, false, ORACLE_FLAGS, TWO},
	{A64_FCCMP, 0, 0, false, ORACLE_FLAGS, CONDITION},
	{A64_FCCMPE, 0, 0, false, ORACLE_FLAGS, CONDITION},

	{A64_FRSQRTS_VECTOR, 0, 0, false, ORACLE_FLAGS, FUSES},

	{A64_FRSQRTE_SCALAR, 0, 0, false, ORACLE_FLAGS, ESTIMATES},
};

const unsigned int oracle_known_count = ARRAY_SIZE(oracle_known);

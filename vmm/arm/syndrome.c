/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of exception in words. */
#include "arm/syndrome.h"

#include <stddef.h>

const char *arm_syndrome_name(uint64_t esr)
{
	static const struct {
		enum arm_ec ec;
		const char *name;
	} names[] = {
		{ARM_EC_UNKNOWN, "UNDEFINED instruction"},
		{ARM_EC_WFX, "trapped WFI or WFE"},
		{ARM_EC_FP, "trapped floating-point or SIMD instruction"},
		{ARM_EC_SVE, "trapped SVE instruction"},
		{ARM_EC_PAUTH, "trapped pointer authentication instruction"},
		{ARM_EC_BRANCH_TARGET, "branch target"},
		{ARM_EC_ILLEGAL_STATE, "Illegal Execution state"},
		{ARM_EC_SVC, "SVC"},
		{ARM_EC_HVC, "HVC"},
		{ARM_EC_SMC, "SMC"},
		{ARM_EC_SYSREG, "trapped MSR, MRS or system instruction"},
		{ARM_EC_ERET, "trapped ERET"},
		{ARM_EC_PAC_FAIL, "pointer authentication failure"},
		{ARM_EC_FETCH_ABORT, "Instruction Abort"},
		{ARM_EC_PC_ALIGNMENT, "PC alignment fault"},
		{ARM_EC_DATA_ABORT, "Data Abort"},
		{ARM_EC_SP_ALIGNMENT, "SP alignment fault"},
		{ARM_EC_MOPS, "Memory Copy or Memory Set exception"},
		{ARM_EC_SERROR, "SError"},
		{ARM_EC_BREAKPOINT, "breakpoint"},
		{ARM_EC_STEP, "software step"},
		{ARM_EC_WATCHPOINT, "watchpoint"},
		{ARM_EC_BRK, "BRK"},
	};
	const unsigned int ec = esr >> 26 & 0x3f;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].ec == ec)
			return names[i].name;
	/* The class of the pair that does not change the Exception level. */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].ec == (ec & ~ARM_EC_SAME_EL))
			return names[i].name;
	return "exception of another class";
}

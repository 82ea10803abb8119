/* SPDX-License-Identifier: BSD-2-Clause */
#include "soft/sys_private.h"
/* Placeholder to link until memory.c has it. */
__attribute__((weak)) bool soft_nv_memory(struct soft_cpu *cpu, uint16_t offset, bool write,
					  uint64_t *value, struct soft_exception *fault)
{
	(void)value;
	*fault = (struct soft_exception){
		.ec = SOFT_EC_DATA_ABORT,
		.target_el = 2,
		.has_far = true,
		.iss = SOFT_ISS_VNCR | (write ? SOFT_ISS_WNR : 0) | SOFT_FSC_EXTERNAL,
		.far = (soft_sys(cpu)->vncr_el2 & ~UINT64_C(0xfff)) + offset,
	};
	return false;
}

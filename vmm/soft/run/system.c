/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System instructions: sys/ finds their row, routes them and does what is between registers; what
 * needs memory is done here, and the exception that comes of any of it is taken.
 */
#include "soft/run/system.h"
#include "soft/mem/maintain.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"

/* Is it done? Otherwise *exception is to be taken. */
static bool carry_out(struct soft_cpu *cpu, struct sys_instruction *in,
		      struct soft_exception *exception)
{
	switch (sys_execute(cpu, in)) {
	case SYS_OK: return true;
	case SYS_OPERATION: return soft_maintain(cpu, in->operation, in->value, exception);
	case SYS_MEMORY:
		cpu->sys.nvmem = (struct soft_nvmem){
			.accessed = true,
			.write = !in->f.read,
			.va = arm_vncr_address(cpu->sys.vncr_el2, in->offset),
		};
		return soft_nv_memory(cpu, in->offset, !in->f.read, &in->value, exception);
	case SYS_FP: (void)soft_fp_trapped(&cpu->sys, exception); break;
	case SYS_UNDEFINED: exception->ec = ARM_EC_UNKNOWN; break;
	case SYS_TRAPPED:
		exception->ec = ARM_EC_SYSREG;
		exception->target_el = in->trap_el;
		exception->iss = in->trap_iss;
		break;
	}
	return false;
}

enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word)
{
	struct soft_exception exception = {0};
	struct sys_instruction in = {
		.f = a64_get_system(word),
		.encoding = a64_encoding(word),
	};
	bool done;

	if (!in.f.read && in.f.rt != 31)
		in.value = cpu->x[in.f.rt];
	done = carry_out(cpu, &in, &exception);
	if (in.translation)
		soft_tlb_registers_written(cpu);
	if (!done) {
		soft_take_exception(cpu, &exception, cpu->pc);
		return SOFT_EXCEPTION;
	}
	if (in.f.read && in.f.rt != 31)
		cpu->x[in.f.rt] = in.value;
	return SOFT_DONE;
}

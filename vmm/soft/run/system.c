/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System instructions: sys/ finds their row, routes them and executes what concerns only registers.
 * Here is what needs memory, and the exceptions that result are taken.
 */
#include "soft/run/system.h"
#include "soft/mem/maintain.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"

/* Has it been done? If not, *exception must be taken. */
static bool carry_out(struct soft_cpu *cpu, struct sys_instruction *in,
		      struct soft_exception *exception)
{
	const struct sysreg_route route = sys_execute(cpu, in);

	switch (route.kind) {
	case SYSREG_DIRECT:
		return !in->operation || soft_maintain(cpu, in->operation, in->value, exception);
	case SYSREG_RAZ_WI: return true;
	case SYSREG_NVMEM:
		cpu->sys.nvmem = (struct soft_nvmem){
			.accessed = true,
			.write = !in->f.read,
			.va = arm_vncr_address(cpu->sys.vncr_el2, route.nvmem_offset),
		};
		return soft_nv_memory(cpu, route.nvmem_offset, !in->f.read, &in->value, exception);
	case SYSREG_UNDEFINED: exception->ec = ARM_EC_UNKNOWN; break;
	case SYSREG_TRAP:
		exception->ec = route.ec;
		exception->target_el = route.target_el;
		exception->iss = route.syndrome;
		break;
	}
	return false;
}

/* Registers that the fast loop reads: SOFT_REPEAT_READ and so on. */
static const uint32_t repeated_reads[] = {
	SYSREG_ENCODING(3, 0, 4, 1, 0),	 /* SP_EL0: Linux has the current task there */
	SYSREG_ENCODING(3, 0, 13, 0, 4), /* TPIDR_EL1: where data of this CPU are */
	SYSREG_ENCODING(3, 4, 13, 0, 2), /* TPIDR_EL2: ... at EL2 */
	SYSREG_ENCODING(3, 3, 13, 0, 2), /* TPIDR_EL0: where data of this thread are */
	SYSREG_ENCODING(3, 3, 13, 0, 3), /* TPIDRRO_EL0 */
	SYSREG_ENCODING(3, 3, 0, 0, 7),	 /* DCZID_EL0 */
	SYSREG_ENCODING(3, 3, 0, 0, 1),	 /* CTR_EL0 */
	SYSREG_ENCODING(3, 3, 4, 2, 1),	 /* DAIF */
	SYSREG_ENCODING(3, 0, 4, 2, 2),	 /* CurrentEL */
};
#define READS (sizeof(repeated_reads) / sizeof(repeated_reads[0]))

_Static_assert(SOFT_REPEAT_READ + READS <= SOFT_REPEATS, "each has a value");

unsigned int soft_repeat_of(const struct a64_insn *insn, uint32_t word)
{
	if (insn->id == A64_DC_ZVA)
		return SOFT_REPEAT_ZERO;
	if (insn->id != A64_MRS || a64_rt(word) == 31)
		return SOFT_REPEAT_NOT;
	for (unsigned int n = 0; n < READS; n++) {
		if (repeated_reads[n] == a64_encoding(word))
			return SOFT_REPEAT_READ + n;
	}
	return SOFT_REPEAT_NOT;
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

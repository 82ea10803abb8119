/* SPDX-License-Identifier: BSD-2-Clause */
/* Atomic operations on x86-64: the registers are those of memory.c, and RAX is the old value. */
#include "soft/run/jit/x86_64/operands.h"

#if SOFT_JIT

static unsigned int width_of(unsigned int bytes)
{
	return bytes == 8 ? 64 : 32;
}

static void load(struct jit_code *code, unsigned int bytes, unsigned int address)
{
	host_access(code, true, bytes, width_of(bytes), RAX, address, 0);
}

static void store(struct jit_code *code, unsigned int bytes, unsigned int reg, unsigned int address)
{
	host_access(code, false, bytes, width_of(bytes), reg, address, 0);
}

void host_exchange(struct jit_code *code, unsigned int how, unsigned int bytes, unsigned int reg,
		   unsigned int address)
{
	static const uint8_t forms[] = {
		[T_ATOMIC_ADD] = X86_add_to,
		[T_ATOMIC_CLEAR] = X86_and_to,
		[T_ATOMIC_XOR] = X86_xor_to,
		[T_ATOMIC_SET] = X86_or_to,
	};

	load(code, bytes, address);
	if (how != T_ATOMIC_SWAP) {
		x86_emit(code, X86_mov, 64, R11, x86_reg(reg), 0);
		if (how == T_ATOMIC_CLEAR)
			x86_emit(code, X86_not, 64, 0, x86_reg(R11), 0);
		x86_emit(code, (enum x86_form)forms[how], 64, RAX, x86_reg(R11), 0);
		reg = R11;
	}
	store(code, bytes, reg, address);
}

void host_compare_and_swap(struct jit_code *code, unsigned int bytes, unsigned int expected,
			   unsigned int reg, unsigned int address)
{
	uint8_t *other;

	load(code, bytes, address);
	if (bytes < 4) {
		x86_emit(code, bytes == 1 ? X86_movzx8 : X86_movzx16, 32, R11, x86_reg(expected),
			 0);
		expected = R11;
	}
	x86_emit(code, X86_cmp, width_of(bytes), RAX, x86_reg(expected), 0);
	other = x86_jump_if(code, X86_NE);
	store(code, bytes, reg, address);
	x86_here(code, other);
}

static struct x86_operand monitor_at(size_t member)
{
	return x86_at(RBP, (int32_t)(offsetof(struct soft_cpu, monitor) + member));
}

/* R11 = the physical address of the access, computed in reg. */
static void put_physical(struct jit_code *code, unsigned int address, unsigned int reg)
{
	x86_emit(code, X86_lea, 64, R11, x86_indexed(address, RCX, 0), 0);
	x86_emit(code, X86_mov, 64, reg, x86_at(RBP, offsetof(struct soft_cpu, vm)), 0);
	x86_emit(code, X86_sub, 64, R11, x86_at(reg, offsetof(struct soft_vm, host.ram.host)), 0);
	x86_emit(code, X86_add, 64, R11, x86_at(reg, offsetof(struct soft_vm, host.ram.base)), 0);
}

void host_load_exclusive(struct jit_code *code, unsigned int bytes, unsigned int address)
{
	load(code, bytes, address);
	put_physical(code, address, RCX);
	x86_emit(code, X86_mov_imm32, 32, 0, monitor_at(0), (int32_t)T_MONITOR(bytes));
	x86_emit(code, X86_mov_to, 64, R11, monitor_at(offsetof(struct soft_monitor, pa)), 0);
	x86_emit(code, X86_mov_to, 64, RAX, monitor_at(offsetof(struct soft_monitor, value[0])), 0);
	x86_emit(code, X86_mov_imm32, 64, 0, monitor_at(offsetof(struct soft_monitor, value[1])),
		 0);
}

void host_store_exclusive(struct jit_code *code, unsigned int bytes, unsigned int reg,
			  unsigned int address)
{
	uint8_t *fails[3], *passed;

	put_physical(code, address, RAX);
	x86_emit(code, X86_cmp, 64, R11, monitor_at(offsetof(struct soft_monitor, pa)), 0);
	fails[0] = x86_jump_if(code, X86_NE);
	x86_emit(code, X86_mov, 32, R11, monitor_at(0), 0);
	x86_emit(code, X86_and_imm32, 32, 0, x86_reg(R11), T_MONITOR_MASK);
	x86_emit(code, X86_cmp_imm32, 32, 0, x86_reg(R11), (int32_t)T_MONITOR(bytes));
	fails[1] = x86_jump_if(code, X86_NE);
	load(code, bytes, address);
	x86_emit(code, X86_cmp, 64, RAX, monitor_at(offsetof(struct soft_monitor, value[0])), 0);
	fails[2] = x86_jump_if(code, X86_NE);
	store(code, bytes, reg, address);
	x86_move(code, RAX, 0);
	passed = x86_jump(code);
	for (unsigned int n = 0; n < 3; n++)
		x86_here(code, fails[n]);
	x86_move(code, RAX, 1);
	x86_here(code, passed);
	x86_move(code, R11, 0);
	x86_emit(code, X86_mov_to8, 32, R11, monitor_at(offsetof(struct soft_monitor, set)), 0);
}

#endif

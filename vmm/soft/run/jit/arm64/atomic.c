/* SPDX-License-Identifier: BSD-2-Clause */
/* Atomic operations on arm64: the registers are those of memory.c, and X16 is the old value. */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

static void load(struct jit_code *code, unsigned int bytes, unsigned int address)
{
	host_access(code, true, bytes, 64, A_TARGET, address, 0);
}

static void store(struct jit_code *code, unsigned int bytes, unsigned int reg, unsigned int address)
{
	host_access(code, false, bytes, 64, reg, address, 0);
}

void host_exchange(struct jit_code *code, unsigned int how, unsigned int bytes, unsigned int reg,
		   unsigned int address)
{
	static const uint8_t forms[] = {
		[T_ATOMIC_ADD] = ARM64_add,
		[T_ATOMIC_CLEAR] = ARM64_bic,
		[T_ATOMIC_XOR] = ARM64_eor,
		[T_ATOMIC_SET] = ARM64_orr,
	};

	load(code, bytes, address);
	if (how != T_ATOMIC_SWAP) {
		arm64_emit(code, (enum arm64_form)forms[how], 64, A_SECOND, A_TARGET, reg, 0);
		reg = A_SECOND;
	}
	store(code, bytes, reg, address);
}

void host_compare_and_swap(struct jit_code *code, unsigned int bytes, unsigned int expected,
			   unsigned int reg, unsigned int address)
{
	uint8_t *other;

	load(code, bytes, address);
	arm64_emit(code, ARM64_subs_extended, 64, ARM64_ZR, A_TARGET, expected,
		   ARM64_EXTEND((unsigned int)__builtin_ctz(bytes), 0u));
	other = arm64_jump_if(code, A_NE);
	store(code, bytes, reg, address);
	arm64_here(code, other);
}

#define MONITOR(member) (offsetof(struct soft_cpu, monitor) + offsetof(struct soft_monitor, member))

_Static_assert(offsetof(struct soft_cpu, vm) / 8 < 4096 &&
		       offsetof(struct soft_vm, host.ram.host) / 8 < 4096 &&
		       offsetof(struct soft_vm, host.ram.base) / 8 < 4096 &&
		       MONITOR(set) % 4 == 0 && MONITOR(value[1]) / 8 < 4096,
	       "at an offset of 12 bits");

/* X15 = the physical address of the access; changes X14. */
static void put_physical(struct jit_code *code, unsigned int address)
{
	arm64_emit(code, ARM64_add, 64, A_SECOND, address, A_FIRST, 0);
	a_load_cpu(code, A_THIRD, offsetof(struct soft_cpu, vm));
	arm64_emit(code, ARM64_ldr_x_at, 64, A_TARGET, A_THIRD, 0,
		   offsetof(struct soft_vm, host.ram.host) / 8);
	arm64_emit(code, ARM64_sub, 64, A_SECOND, A_SECOND, A_TARGET, 0);
	arm64_emit(code, ARM64_ldr_x_at, 64, A_TARGET, A_THIRD, 0,
		   offsetof(struct soft_vm, host.ram.base) / 8);
	arm64_emit(code, ARM64_add, 64, A_SECOND, A_SECOND, A_TARGET, 0);
}

void host_load_exclusive(struct jit_code *code, unsigned int bytes, unsigned int address)
{
	put_physical(code, address);
	load(code, bytes, address);
	a_store_cpu(code, A_SECOND, MONITOR(pa));
	a_store_cpu(code, A_TARGET, MONITOR(value[0]));
	a_store_cpu(code, ARM64_ZR, MONITOR(value[1]));
	arm64_move(code, A_SECOND, T_MONITOR(bytes));
	arm64_emit(code, ARM64_str_w_at, 32, A_SECOND, A_CPU, 0, MONITOR(set) / 4);
}

/* 0x00ff00ff and 0xffffff00, as encoded in immediates. */
#define MONITOR_BITS   0x27
#define BITS_ABOVE_SET (24u << 6 | 23)

void host_store_exclusive(struct jit_code *code, unsigned int bytes, unsigned int reg,
			  unsigned int address)
{
	uint8_t *fails[3], *passed;

	put_physical(code, address);
	a_load_cpu(code, A_THIRD, MONITOR(pa));
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_SECOND, A_THIRD, 0);
	fails[0] = arm64_jump_if(code, A_NE);
	arm64_emit(code, ARM64_ldr_w_at, 32, A_SECOND, A_CPU, 0, MONITOR(set) / 4);
	arm64_emit(code, ARM64_and_imm, 32, A_SECOND, A_SECOND, 0, MONITOR_BITS);
	arm64_move(code, A_THIRD, T_MONITOR(bytes));
	arm64_emit(code, ARM64_subs, 32, ARM64_ZR, A_SECOND, A_THIRD, 0);
	fails[1] = arm64_jump_if(code, A_NE);
	load(code, bytes, address);
	a_load_cpu(code, A_THIRD, MONITOR(value[0]));
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_TARGET, A_THIRD, 0);
	fails[2] = arm64_jump_if(code, A_NE);
	store(code, bytes, reg, address);
	arm64_move(code, A_TARGET, 0);
	passed = arm64_jump(code);
	for (unsigned int n = 0; n < 3; n++)
		arm64_here(code, fails[n]);
	arm64_move(code, A_TARGET, 1);
	arm64_here(code, passed);
	arm64_emit(code, ARM64_ldr_w_at, 32, A_SECOND, A_CPU, 0, MONITOR(set) / 4);
	arm64_emit(code, ARM64_and_imm, 32, A_SECOND, A_SECOND, 0, BITS_ABOVE_SET);
	arm64_emit(code, ARM64_str_w_at, 32, A_SECOND, A_CPU, 0, MONITOR(set) / 4);
}

#endif

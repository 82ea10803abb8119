/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The condition flags: kept lazily as the operands of the instruction that set them, and computed
 * when all four are needed (AddWithCarry() and ConditionHolds() of the Arm ARM).
 */
#ifndef VSPE_SOFT_FLAGS_H
#define VSPE_SOFT_FLAGS_H

#include "soft/cpu.h"

static inline uint32_t soft_pack_nzcv(bool n, bool z, bool c, bool v)
{
	return (n ? 8u : 0) | (z ? 4u : 0) | (c ? 2u : 0) | (v ? 1u : 0);
}

/* N, Z, C, V as bits 3 to 0. */
static inline uint32_t soft_flags(const struct soft_cpu *cpu)
{
	const uint64_t a = cpu->flag_a, b = cpu->flag_b;
	const uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;
	uint64_t r;
	uint32_t r32;

	switch ((enum soft_flags)cpu->flag_kind) {
	case SOFT_FLAGS_SUB64:
		r = a - b;
		return soft_pack_nzcv(r >> 63, r == 0, a >= b, ((a ^ b) & (a ^ r)) >> 63);
	case SOFT_FLAGS_SUB32:
		r32 = a32 - b32;
		return soft_pack_nzcv(r32 >> 31, r32 == 0, a32 >= b32,
				      ((a32 ^ b32) & (a32 ^ r32)) >> 31);
	case SOFT_FLAGS_ADD64:
		r = a + b;
		return soft_pack_nzcv(r >> 63, r == 0, r < a, (~(a ^ b) & (a ^ r)) >> 63);
	case SOFT_FLAGS_ADD32:
		r32 = a32 + b32;
		return soft_pack_nzcv(r32 >> 31, r32 == 0, r32 < a32,
				      (~(a32 ^ b32) & (a32 ^ r32)) >> 31);
	case SOFT_FLAGS_LOGIC64: return soft_pack_nzcv(a >> 63, a == 0, 0, 0);
	case SOFT_FLAGS_LOGIC32: return soft_pack_nzcv(a32 >> 31, a32 == 0, 0, 0);
	case SOFT_FLAGS_NZCV: break;
	}
	return (uint32_t)a;
}

static inline void soft_set_flags(struct soft_cpu *cpu, uint32_t nzcv)
{
	cpu->flag_kind = SOFT_FLAGS_NZCV;
	cpu->flag_a = nzcv;
}

/* The same in bits [31:28], as in PSTATE, an SPSR and NZCV. */
static inline uint32_t soft_get_nzcv(const struct soft_cpu *cpu)
{
	return soft_flags(cpu) << 28;
}

static inline void soft_set_nzcv(struct soft_cpu *cpu, uint32_t nzcv)
{
	soft_set_flags(cpu, nzcv >> 28);
}

#endif

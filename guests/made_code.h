/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that a guest writes while it runs: nobody can have looked at it before. For EL1 and for EL0.
 */
#ifndef GUEST_MADE_CODE_H
#define GUEST_MADE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "boot.h"

#define MADE_WORDS (PAGE_SIZE / 4)

/* Instruction words. A register by its encoding's fields. */
#define INSN_NOP	 0xd503201fu
#define INSN_RET	 0xd65f03c0u
#define INSN_UDF	 0x00000000u
#define INSN_BRK(imm)	 (0xd4200000u | (uint32_t)(imm) << 5)
#define INSN_ADD(d, n)	 (0x91000400u | (uint32_t)(n) << 5 | (uint32_t)(d)) /* ADD Xd, Xn, #1 */
#define INSN_MRS(reg, t) (0xd5300000u | (reg) | (uint32_t)(t))
#define INSN_MSR(reg, t) (0xd5100000u | (reg) | (uint32_t)(t))
/* op0 3, op1 0 */
#define INSN_REG(crn, crm, op2) \
	(UINT32_C(1) << 19 | (uint32_t)(crn) << 12 | (uint32_t)(crm) << 8 | (uint32_t)(op2) << 5)

#define INSN_PMSCR  INSN_REG(9, 9, 0)
#define INSN_PMSICR INSN_REG(9, 9, 2)
#define INSN_PMSIRR INSN_REG(9, 9, 3)
#define INSN_PMSIDR INSN_REG(9, 9, 7)
#define INSN_PMBPTR INSN_REG(9, 10, 1)

/* A page of it, seen twice: to write and to run. */
struct made_code {
	volatile uint32_t *words;
	uintptr_t entry; /* of words[0] */
};

/* A page of zeros (UDF). user: EL0 runs it, else EL1. */
struct made_code made_code_alloc(bool user);
/* Make what was written to count words from first on what is run, on all PEs (Arm ARM B2.4.4). */
void made_code_sync(const struct made_code *code, unsigned int first, unsigned int count);
/* Write one word, and the same. */
void made_code_put(const struct made_code *code, unsigned int index, uint32_t word);

typedef uint64_t made_function(uint64_t a0, uint64_t a1);
static inline made_function *made_code_function(const struct made_code *code, unsigned int index)
{
	return (made_function *)(code->entry + 4 * (uintptr_t)index);
}

#endif

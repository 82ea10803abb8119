/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The architecture in C: system registers, barriers, and the fields the guests use (Arm ARM D24).
 */
#ifndef GUEST_ARCH_H
#define GUEST_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

#define ARCH_STR_(x) #x
#define ARCH_STR(x)  ARCH_STR_(x)

#define read_sysreg(reg)                                                             \
	({                                                                           \
		uint64_t value_;                                                     \
		__asm__ volatile("mrs %0, " ARCH_STR(reg) : "=r"(value_)::"memory"); \
		value_;                                                              \
	})
#define write_sysreg(reg, value) \
	__asm__ volatile("msr " ARCH_STR(reg) ", %x0" ::"rZ"((uint64_t)(value)) : "memory")

/* The address of a function in assembler, also of one in the lower half, out of ADRP's reach. */
#define user_address(symbol)                                   \
	({                                                     \
		uintptr_t address_;                            \
		__asm__("ldr %0, =" #symbol : "=r"(address_)); \
		address_;                                      \
	})

static inline void isb(void)
{
	__asm__ volatile("isb" ::: "memory");
}

static inline void dsb(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

/* PSB CSYNC, then the DSB that waits for the writes it started (Arm ARM D17.9). */
static inline void psb_csync(void)
{
	__asm__ volatile("hint #17\n\tdsb nsh" ::: "memory");
}

/* IRQs, and at EL3 FIQs, since there the GIC's interrupts may be FIQs. */
static inline void irq_enable(void)
{
	if (GUEST_EL == 3)
		__asm__ volatile("msr daifclr, #3" ::: "memory");
	else
		__asm__ volatile("msr daifclr, #2" ::: "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("msr daifset, #3" ::: "memory");
}

static inline void wfi(void)
{
	__asm__ volatile("dsb sy\n\twfi" ::: "memory");
}

static inline uint64_t field(uint64_t value, unsigned int high, unsigned int low)
{
	return value >> low & (~UINT64_C(0) >> (63 - high + low));
}

/* CNTVCT_EL0, not read early. */
static inline uint64_t counter(void)
{
	isb();
	return read_sysreg(cntvct_el0);
}

static inline unsigned int current_el(void)
{
	return (unsigned int)field(read_sysreg(CurrentEL), 3, 2);
}

/* ESR_ELx.EC */
#define EC_UNKNOWN	 0x00
#define EC_WFX		 0x01
#define EC_FP		 0x07
#define EC_BRANCH_TARGET 0x0d
#define EC_ILLEGAL	 0x0e
#define EC_SVC64	 0x15
#define EC_HVC64	 0x16
#define EC_SMC64	 0x17
#define EC_SYSREG	 0x18
#define EC_ERET		 0x1a
#define EC_INSN_LOWER	 0x20
#define EC_INSN_SAME	 0x21
#define EC_PC_ALIGN	 0x22
#define EC_DATA_LOWER	 0x24
#define EC_DATA_SAME	 0x25
#define EC_SP_ALIGN	 0x26
#define EC_SERROR	 0x2f
#define EC_BRK64	 0x3c

/* DFSC and IFSC */
#define FSC_TRANSLATION_L0 0x04
#define FSC_TRANSLATION_L3 0x07
#define FSC_PERMISSION_L3  0x0f
#define FSC_ALIGNMENT	   0x21

#endif

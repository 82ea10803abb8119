/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the system side share among themselves: register bits, and the dispatch of a
 * system instruction from sys.c to the table of registers, SPE and the table of instructions.
 */
#ifndef VSPE_SOFT_SYS_PRIVATE_H
#define VSPE_SOFT_SYS_PRIVATE_H

#include "soft/sys.h"

#define SCTLR_M	   (UINT64_C(1) << 0)
#define SCTLR_UMA  (UINT64_C(1) << 9)
#define SCTLR_DZE  (UINT64_C(1) << 14)
#define SCTLR_UCT  (UINT64_C(1) << 15)
#define SCTLR_NTWI (UINT64_C(1) << 16)
#define SCTLR_NTWE (UINT64_C(1) << 18)
#define SCTLR_WXN  (UINT64_C(1) << 19)
#define SCTLR_SPAN (UINT64_C(1) << 23)
#define SCTLR_UCI  (UINT64_C(1) << 26)

#define MDSCR_SS   (UINT64_C(1) << 0)
#define MDSCR_TDCC (UINT64_C(1) << 12)
#define MDSCR_KDE  (UINT64_C(1) << 13)

#define CNTKCTL_EL0PCTEN (UINT64_C(1) << 0)
#define CNTKCTL_EL0VCTEN (UINT64_C(1) << 1)
#define CNTKCTL_EL0VTEN	 (UINT64_C(1) << 8)
#define CNTKCTL_EL0PTEN	 (UINT64_C(1) << 9)

#define ESR_IL (UINT64_C(1) << 25)

/* The controls by which EL1 traps what EL0 could do otherwise; the trap is EC 0x18. */
enum sys_trap {
	SYS_TRAP_NONE,
	SYS_TRAP_UMA,	   /* SCTLR_EL1.UMA: DAIF */
	SYS_TRAP_UCT,	   /* SCTLR_EL1.UCT: CTR_EL0 */
	SYS_TRAP_UCI,	   /* SCTLR_EL1.UCI: cache maintenance */
	SYS_TRAP_DZE,	   /* SCTLR_EL1.DZE: DC ZVA */
	SYS_TRAP_TDCC,	   /* MDSCR_EL1.TDCC: debug communications channel */
	SYS_TRAP_CNTFRQ,   /* CNTKCTL_EL1: neither counter may be read */
	SYS_TRAP_EL0PCTEN, /* CNTKCTL_EL1.EL0PCTEN and so on */
	SYS_TRAP_EL0VCTEN,
	SYS_TRAP_EL0VTEN,
	SYS_TRAP_EL0PTEN,
};

/* Does EL1 trap this at EL0? */
bool sys_trapped(const struct soft_sys *sys, enum sys_trap trap);

/* A system instruction taken apart. */
struct sys_instruction {
	uint32_t encoding; /* SYSREG_ENCODING() */
	bool read;	   /* MRS, SYSL */
	uint8_t rt;
	uint64_t value;	 /* of Xt for writes; the result of reads */
	uint8_t trap_el; /* with SYS_TRAPPED: the level it is taken to; 0: EL1, or EL2 in a host */
	uint32_t *after; /* SOFT_AFTER_* are ORed in */
};

/* What came of it. */
enum sys_result {
	SYS_OK,
	SYS_UNDEFINED, /* exception to be taken, EC 0 */
	SYS_TRAPPED,   /* exception to be taken, EC 0x18 with the instruction's own ISS */
	SYS_TAKEN,     /* exception taken: an abort */
};

/* op0 of 2 and 3: system registers (sys_registers.c), those of SPE (sys_spe.c). */
enum sys_result sys_register(struct soft_cpu *cpu, struct sys_instruction *in);
enum sys_result sys_spe_register(struct soft_cpu *cpu, enum sysreg_id reg,
				 struct sys_instruction *in);
/* Put every stored register into its reset value. */
void sys_registers_reset(struct soft_sys *sys);
/* op0 of 1: cache and TLB maintenance, address translation (sys_operations.c). */
enum sys_result sys_operation(struct soft_cpu *cpu, const struct sys_instruction *in);

/* Change to an Exception level and a stack pointer, and tell SPE of the level (exception.c). */
void soft_set_mode(struct soft_cpu *cpu, unsigned int el, bool sp);

/*
 * Put the controls of the levels above levels.start, reset before, and PMSCR_EL2 as the software
 * there leaves them for a guest that it lets do all it can (levels.c).
 */
void soft_hand_down(struct soft_sys *sys);

#endif

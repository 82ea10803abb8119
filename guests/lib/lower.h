/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lower Exception levels, for a main at EL2 or EL3 (GUEST_EL 2 or 3). A context describes what runs
 * there. lower_run() enters it, and returns when main's level takes an exception. Main looks at the
 * exception, changes the context as it likes, and runs it again.
 *
 * Main itself writes controls that are not in the context (at EL2: MDCR_EL2, CPTR_EL2, CNTHCTL_EL2,
 * VTTBR_EL2, VTCR_EL2, VNCR_EL2, the fine-grained traps, the virtual CPU interface; at EL3:
 * MDCR_EL3, CPTR_EL3). At the start they trap nothing.
 */
#ifndef GUEST_LOWER_H
#define GUEST_LOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "layout.h"

/* HCR_EL2 */
#define HCR_VM	   (UINT64_C(1) << 0)
#define HCR_SWIO   (UINT64_C(1) << 1)
#define HCR_PTW	   (UINT64_C(1) << 2)
#define HCR_FMO	   (UINT64_C(1) << 3)
#define HCR_IMO	   (UINT64_C(1) << 4)
#define HCR_AMO	   (UINT64_C(1) << 5)
#define HCR_VF	   (UINT64_C(1) << 6)
#define HCR_VI	   (UINT64_C(1) << 7)
#define HCR_VSE	   (UINT64_C(1) << 8)
#define HCR_FB	   (UINT64_C(1) << 9)
#define HCR_DC	   (UINT64_C(1) << 12)
#define HCR_TWI	   (UINT64_C(1) << 13)
#define HCR_TWE	   (UINT64_C(1) << 14)
#define HCR_TID0   (UINT64_C(1) << 15)
#define HCR_TID1   (UINT64_C(1) << 16)
#define HCR_TID2   (UINT64_C(1) << 17)
#define HCR_TID3   (UINT64_C(1) << 18)
#define HCR_TSC	   (UINT64_C(1) << 19)
#define HCR_TIDCP  (UINT64_C(1) << 20)
#define HCR_TACR   (UINT64_C(1) << 21)
#define HCR_TSW	   (UINT64_C(1) << 22)
#define HCR_TPCP   (UINT64_C(1) << 23)
#define HCR_TPU	   (UINT64_C(1) << 24)
#define HCR_TTLB   (UINT64_C(1) << 25)
#define HCR_TVM	   (UINT64_C(1) << 26)
#define HCR_TGE	   (UINT64_C(1) << 27)
#define HCR_TDZ	   (UINT64_C(1) << 28)
#define HCR_HCD	   (UINT64_C(1) << 29)
#define HCR_TRVM   (UINT64_C(1) << 30)
#define HCR_RW	   (UINT64_C(1) << 31)
#define HCR_CD	   (UINT64_C(1) << 32)
#define HCR_ID	   (UINT64_C(1) << 33)
#define HCR_E2H	   (UINT64_C(1) << 34)
#define HCR_TLOR   (UINT64_C(1) << 35)
#define HCR_APK	   (UINT64_C(1) << 40)
#define HCR_API	   (UINT64_C(1) << 41)
#define HCR_NV	   (UINT64_C(1) << 42)
#define HCR_NV1	   (UINT64_C(1) << 43)
#define HCR_AT	   (UINT64_C(1) << 44)
#define HCR_NV2	   (UINT64_C(1) << 45)
#define HCR_TID4   (UINT64_C(1) << 49)
#define HCR_TICAB  (UINT64_C(1) << 50)
#define HCR_TOCU   (UINT64_C(1) << 52)
#define HCR_TTLBIS (UINT64_C(1) << 54)

/* SCR_EL3 */
#define SCR_NS	   (UINT64_C(1) << 0)
#define SCR_IRQ	   (UINT64_C(1) << 1)
#define SCR_FIQ	   (UINT64_C(1) << 2)
#define SCR_EA	   (UINT64_C(1) << 3)
#define SCR_SMD	   (UINT64_C(1) << 7)
#define SCR_HCE	   (UINT64_C(1) << 8)
#define SCR_RW	   (UINT64_C(1) << 10)
#define SCR_ST	   (UINT64_C(1) << 11)
#define SCR_TWI	   (UINT64_C(1) << 12)
#define SCR_TWE	   (UINT64_C(1) << 13)
#define SCR_APK	   (UINT64_C(1) << 16)
#define SCR_API	   (UINT64_C(1) << 17)
#define SCR_EEL2   (UINT64_C(1) << 18)
#define SCR_FGTEN  (UINT64_C(1) << 27)
#define SCR_ECVEN  (UINT64_C(1) << 28)
#define SCR_HXEN   (UINT64_C(1) << 38)
#define SCR_FGTEN2 (UINT64_C(1) << 59)
#define SCR_NSE	   (UINT64_C(1) << 62)

/* SPSR_ELx */
#define SPSR_DAIF  UINT64_C(0x3c0)
#define SPSR_EL0T  UINT64_C(0)
#define SPSR_EL1T  UINT64_C(4)
#define SPSR_EL1H  UINT64_C(5)
#define SPSR_EL2T  UINT64_C(8)
#define SPSR_EL2H  UINT64_C(9)
#define SPSR_F	   (UINT64_C(1) << 6)
#define SPSR_I	   (UINT64_C(1) << 7)
#define SPSR_A	   (UINT64_C(1) << 8)
#define SPSR_D	   (UINT64_C(1) << 9)
#define SPSR_IL	   (UINT64_C(1) << 20)
#define SPSR_EL(s) ((unsigned int)((s) >> 2 & 3))

enum lower_kind { LOWER_SYNC, LOWER_IRQ, LOWER_FIQ, LOWER_SERROR };

/* The exception that ended a lower_run(), as main's level has it. */
struct lower_exit {
	uint64_t esr, far;
	uint64_t hpfar; /* HPFAR_EL2; only of a main at EL2, or what EL2 left there */
	uint64_t elr, spsr;
	enum lower_kind kind;
};

/* As lower_run.S lays it out, up to exit. */
struct lower_context {
	uint64_t x[31];
	uint64_t pc, spsr; /* ELR and SPSR of main's level: to enter with, and after the exit */
	uint64_t sp_el0;
	struct lower_exit exit;
	uint64_t hcr_el2; /* in force while it runs; E2H is main's own if main is at EL2 */
	uint64_t scr_el3; /* in force while it runs; of a main at EL3 only */
	uint64_t code;	  /* where lower_insn() executes; 0: at lower_code_page() */
#define LOWER_EL1(name, crn, crm, op2) uint64_t name;
#define LOWER_PLAIN(name, reg)	       uint64_t name;
#define LOWER_EL2(name, reg)	       uint64_t name;
#include "lower.def"
#undef LOWER_EL1
#undef LOWER_PLAIN
#undef LOWER_EL2
};

_Static_assert(__builtin_offsetof(struct lower_context, pc) == LOWER_PC, "LOWER_PC of layout.h");
_Static_assert(__builtin_offsetof(struct lower_context, sp_el0) == LOWER_SP_EL0, "LOWER_SP_EL0");
_Static_assert(__builtin_offsetof(struct lower_context, exit) == LOWER_EXIT, "LOWER_EXIT");

/* Skip functions: NULL, or a message that main runs below this level. */
const char *needs_el2(void);
const char *needs_el3(void);

/*
 * Set HCR_EL2.{E2H,TGE} of a main at EL2 to {1,1} or {0,0} (the first needs FEAT_VHE). CPTR_EL2 and
 * CNTHCTL_EL2, whose formats differ, are set to trap nothing.
 */
void el2_set_host(bool host);

/*
 * A context that begins at pc (a PA, as all lower levels have their MMU off) at EL el with all
 * interrupts masked. HCR_EL2 is RW, IMO, FMO and AMO; SCR_EL3 is main's. Vectors of lower levels
 * reflect their exceptions to main: lower_vector().
 */
void lower_init(struct lower_context *c, unsigned int el, uint64_t pc);
/* Run until an exception to main's level; c->exit says which, and is returned. */
struct lower_exit lower_run(struct lower_context *c);
/* Move past the instruction at ELR once it has been emulated. */
void lower_skip(struct lower_context *c);

/*
 * If the exit comes from a vector of a lower level: the vector's number (enum exc_vector), and in
 * *el the level, 1 or 2; otherwise -1. c has ESR_ELx, ELR_ELx and the like of that level.
 */
int lower_vector(const struct lower_context *c, unsigned int *el);

/*
 * Execute one instruction at c's level. True if it completed: the PC is then after it. False if it
 * took an exception: c->exit, or one to a level below main's if lower_vector() says so.
 */
bool lower_insn(struct lower_context *c, uint32_t word);
/* The same of a sequence, at most LOWER_WORDS. */
#define LOWER_WORDS 64
bool lower_code(struct lower_context *c, const uint32_t *words, unsigned int count);
/* The PA of the page that lower_insn() and lower_code() use. */
uint64_t lower_code_page(void);

/* The PA of a function of main's (assembler that runs at any address), or of its data. */
uint64_t lower_address(const void *symbol);

/*
 * Make c, after lower_init(), the call of a C function at EL1 in main's own address space, devices
 * included: stage 1 uses main's tables. stack is the upper end of a stack of main's. When the
 * function returns, lower_returned() is true for the exit, and c->x[0] is the result.
 */
void lower_call(struct lower_context *c, uint64_t (*function)(uint64_t), uint64_t argument,
		void *stack);
bool lower_returned(const struct lower_context *c);

/* Instruction words. A register by its encoding's fields. */
#define A64_NOP	      0xd503201fu
#define A64_ISB	      0xd5033fdfu
#define A64_WFE	      0xd503205fu
#define A64_WFI	      0xd503207fu
#define A64_ERET      0xd69f03e0u
#define A64_SVC(imm)  (0xd4000001u | (uint32_t)(imm) << 5)
#define A64_HVC(imm)  (0xd4000002u | (uint32_t)(imm) << 5)
#define A64_SMC(imm)  (0xd4000003u | (uint32_t)(imm) << 5)
#define A64_LDR(t, n) (0xf9400000u | (uint32_t)(n) << 5 | (uint32_t)(t))
#define A64_STR(t, n) (0xf9000000u | (uint32_t)(n) << 5 | (uint32_t)(t))
#define A64_SYSREG(op0, op1, crn, crm, op2)                                      \
	((uint32_t)(op0) << 19 | (uint32_t)(op1) << 16 | (uint32_t)(crn) << 12 | \
	 (uint32_t)(crm) << 8 | (uint32_t)(op2) << 5)
#define A64_MRS(sysreg, t) (0xd5200000u | (sysreg) | (uint32_t)(t))
#define A64_MSR(sysreg, t) (0xd5000000u | (sysreg) | (uint32_t)(t))
/* SYS instructions (op0 1): AT, DC, IC, TLBI */
#define A64_SYS(op1, crn, crm, op2, t) \
	(0xd5000000u | A64_SYSREG(1, op1, crn, crm, op2) | (uint32_t)(t))

/* ISS of EC_SYSREG for an A64_SYSREG() in Xt (Arm ARM, ESR_EL2). */
static inline uint64_t lower_sysreg_iss(uint32_t sysreg, unsigned int t, bool read)
{
	return (uint64_t)(sysreg >> 19 & 3) << 20 | (uint64_t)(sysreg >> 5 & 7) << 17 |
	       (uint64_t)(sysreg >> 16 & 7) << 14 | (uint64_t)(sysreg >> 12 & 15) << 10 |
	       (uint64_t)t << 5 | (uint64_t)(sysreg >> 8 & 15) << 1 | read;
}

#endif

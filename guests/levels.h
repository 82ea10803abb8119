/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the guests levels and levels3 share.
 */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include "exception.h"
#include "lower.h"
#include "tap.h"

/* ESR_ELx of a 32-bit instruction (IL is 1). */
#define ESR(ec, iss) ((uint64_t)(ec) << 26 | UINT64_C(1) << 25 | (uint64_t)(iss))

/* Register names as A64_SYSREG()s. */
#define REG_SCTLR_EL1	   A64_SYSREG(3, 0, 1, 0, 0)
#define REG_ACTLR_EL1	   A64_SYSREG(3, 0, 1, 0, 1)
#define REG_CPACR_EL1	   A64_SYSREG(3, 0, 1, 0, 2)
#define REG_TTBR0_EL1	   A64_SYSREG(3, 0, 2, 0, 0)
#define REG_CONTEXTIDR_EL1 A64_SYSREG(3, 0, 13, 0, 1)
#define REG_TPIDR_EL0	   A64_SYSREG(3, 3, 13, 0, 2)
#define REG_TPIDR_EL1	   A64_SYSREG(3, 0, 13, 0, 4)
#define REG_MIDR_EL1	   A64_SYSREG(3, 0, 0, 0, 0)
#define REG_MPIDR_EL1	   A64_SYSREG(3, 0, 0, 0, 5)
#define REG_CURRENTEL	   A64_SYSREG(3, 0, 4, 2, 2)
#define REG_ISR_EL1	   A64_SYSREG(3, 0, 12, 1, 0)
#define REG_CNTPCT_EL0	   A64_SYSREG(3, 3, 14, 0, 1)
#define REG_CNTVCT_EL0	   A64_SYSREG(3, 3, 14, 0, 2)
#define REG_CNTP_CTL_EL0   A64_SYSREG(3, 3, 14, 2, 1)
#define REG_CNTP_CVAL_EL0  A64_SYSREG(3, 3, 14, 2, 2)
#define REG_CNTV_CTL_EL0   A64_SYSREG(3, 3, 14, 3, 1)
#define REG_CNTV_CVAL_EL0  A64_SYSREG(3, 3, 14, 3, 2)
#define REG_CTR_EL0	   A64_SYSREG(3, 3, 0, 0, 1)
#define REG_DCZID_EL0	   A64_SYSREG(3, 3, 0, 0, 7)
#define REG_HCR_EL2	   A64_SYSREG(3, 4, 1, 1, 0)
#define REG_MDCR_EL2	   A64_SYSREG(3, 4, 1, 1, 1)
#define REG_CPTR_EL2	   A64_SYSREG(3, 4, 1, 1, 2)
#define REG_VTTBR_EL2	   A64_SYSREG(3, 4, 2, 1, 0)
#define REG_SCR_EL3	   A64_SYSREG(3, 6, 1, 1, 0)
#define REG_MDSCR_EL1	   A64_SYSREG(2, 0, 0, 2, 2)
#define REG_OSLAR_EL1	   A64_SYSREG(2, 0, 1, 0, 4)
#define REG_OSLSR_EL1	   A64_SYSREG(2, 0, 1, 1, 4)

/* The context of the running test. */
extern struct lower_context c;

/*
 * Checks, with a diagnostic that has what in it. The first: word completes. taken(): it takes an
 * exception to main's level, with that syndrome, and ELR at the instruction plus after;
 * reflected(): the same to EL1, at a vector of its table; c is at the level of the instruction
 * again then.
 */
bool completes(uint32_t word, const char *what);
bool taken(uint32_t word, uint64_t esr, unsigned int after, const char *what);
bool reflected(uint32_t word, enum exc_vector vector, uint64_t esr, unsigned int after,
	       const char *what);
/* What taken() and reflected() make of a word that completed: WFI and WFE may. */
bool not_taken(uint32_t word, const char *what);
/* Is main at Secure EL2? There, and nowhere else below EL3, is a VSTTBR_EL2. */
bool secure_el2(void);
#define VSTTBR_EL2 S3_4_C2_C6_0
/* MRS of a register at c's level; CHECKs that it completes. */
uint64_t lower_read(uint32_t sysreg);
/* MSR. */
bool lower_write(uint32_t sysreg, uint64_t value);

/*
 * A physical SGI for main: sgi_send() makes it pending, with main's interrupts masked; sgi_take()
 * lets it be taken; sgi_count is how often it was. sgi_send_group0() the same of group 0, which has
 * no handler.
 */
#define SGI 3u
extern volatile unsigned int sgi_count;
void sgi_send(void);
bool sgi_send_group0(void);
void sgi_take(void);

/* A row of a table of traps: an instruction whose Xt is X5. */
struct trap_row {
	const char *name;
	uint32_t word;
	bool el0; /* accessible at EL0 too */
};

/* The ISS of an MRS, MSR or SYS instruction. */
uint64_t sysreg_iss(uint32_t word);

/* levels_code.S: ERET with that SPSR from main's level to an address, which is returned. */
uint64_t levels_eret(uint64_t spsr);

#define LEVELS_TEST(function, skip, name) void function(void);
#include "levels.def"
#undef LEVELS_TEST

#endif

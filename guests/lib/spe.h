/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Statistical Profiling Extension as a guest programs it (Arm ARM D17). Its registers and
 * fields are named here a second time on purpose: a guest must not share a mistake with
 * <vspe/sysreg_names.h>, which it tests.
 */
#ifndef GUEST_SPE_H
#define GUEST_SPE_H

/* Registers by their encodings, so that any assembler takes them. */
#define PMSCR_EL1	S3_0_C9_C9_0
#define PMSNEVFR_EL1	S3_0_C9_C9_1
#define PMSICR_EL1	S3_0_C9_C9_2
#define PMSIRR_EL1	S3_0_C9_C9_3
#define PMSFCR_EL1	S3_0_C9_C9_4
#define PMSEVFR_EL1	S3_0_C9_C9_5
#define PMSLATFR_EL1	S3_0_C9_C9_6
#define PMSIDR_EL1	S3_0_C9_C9_7
#define PMBLIMITR_EL1	S3_0_C9_C10_0
#define PMBPTR_EL1	S3_0_C9_C10_1
#define PMBSR_EL1	S3_0_C9_C10_3
#define PMSDSFR_EL1	S3_0_C9_C10_4
#define PMBMAR_EL1	S3_0_C9_C10_5
#define PMBIDR_EL1	S3_0_C9_C10_7
#define PMSCR_EL2	S3_4_C9_C9_0
#define PMBSR_EL2	S3_4_C9_C10_3
#define PMSCR_EL12	S3_5_C9_C9_0
#define PMBSR_EL12	S3_5_C9_C10_3
#define PMBSR_EL3	S3_6_C9_C10_3
#define ID_AA64DFR1_EL1 S3_0_C0_C5_1
#define ID_AA64DFR2_EL1 S3_0_C0_C5_2

/* Members of the population around the function that spe_run_el1() and spe_run_el0() profile. */
#define SPE_RUN_EL1_EXTRA 3 /* ISB, BLR, and the MSR that ends it */
#define SPE_RUN_EL0_EXTRA 1 /* SVC */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exception.h"

#define PMSCR_E0SPE	   (UINT64_C(1) << 0)
#define PMSCR_E1SPE	   (UINT64_C(1) << 1)
#define PMSCR_CX	   (UINT64_C(1) << 3)
#define PMSCR_PA	   (UINT64_C(1) << 4)
#define PMSCR_TS	   (UINT64_C(1) << 5)
#define PMSCR_PCT_PHYSICAL (UINT64_C(1) << 6)

#define PMSICR_COUNT  UINT64_C(0xffffffff)
#define PMSICR_ECOUNT (UINT64_C(0xff) << 56)

#define PMSIRR_RND	   UINT64_C(1)
#define PMSIRR_INTERVAL(n) ((uint64_t)(n) << 8)

#define PMSFCR_FE  (UINT64_C(1) << 0)
#define PMSFCR_FT  (UINT64_C(1) << 1)
#define PMSFCR_FL  (UINT64_C(1) << 2)
#define PMSFCR_FNE (UINT64_C(1) << 3)
#define PMSFCR_B   (UINT64_C(1) << 16)
#define PMSFCR_LD  (UINT64_C(1) << 17)
#define PMSFCR_ST  (UINT64_C(1) << 18)

#define PMSIDR_FE	(UINT64_C(1) << 0)
#define PMSIDR_FT	(UINT64_C(1) << 1)
#define PMSIDR_FL	(UINT64_C(1) << 2)
#define PMSIDR_ARCHINST (UINT64_C(1) << 3)
#define PMSIDR_LDS	(UINT64_C(1) << 4)
#define PMSIDR_ERND	(UINT64_C(1) << 5)
#define PMSIDR_FNE	(UINT64_C(1) << 6)
#define PMSIDR_FDS	(UINT64_C(1) << 7)
#define PMSIDR_PBT	(UINT64_C(1) << 24)
#define PMSIDR_CRR	(UINT64_C(1) << 25)
#define PMSIDR_EFT	(UINT64_C(1) << 26)
#define PMSIDR_FPF	(UINT64_C(1) << 27)
#define PMSIDR_SME	(UINT64_C(1) << 32)

#define PMBLIMITR_E	  (UINT64_C(1) << 0)
#define PMBLIMITR_DISCARD (UINT64_C(2) << 1)
#define PMBLIMITR_PMFZ	  (UINT64_C(1) << 5)
#define PMBLIMITR_NVM	  (UINT64_C(1) << 7)

#define PMBSR_COLL     (UINT64_C(1) << 16)
#define PMBSR_S	       (UINT64_C(1) << 17)
#define PMBSR_EA       (UINT64_C(1) << 18)
#define PMBSR_DL       (UINT64_C(1) << 19)
#define PMBSR_BSC_FULL 1

#define PMBIDR_P (UINT64_C(1) << 4)
#define PMBIDR_F (UINT64_C(1) << 5)

/* ID_AA64DFR0_EL1.PMSVer */
#define PMSVER_V1P0 1
#define PMSVER_V1P1 2
#define PMSVER_V1P2 3
#define PMSVER_V1P3 4
#define PMSVER_V1P4 5
#define PMSVER_V1P5 6

/* PMBIDR_EL1.EA: what becomes of external aborts on writes to the buffer. */
#define SPE_ABORTS_REPORTED 0 /* in PMBSR_EL1, synchronous or not; not in v1p3 and later */
#define SPE_ABORTS_IGNORED  1
#define SPE_ABORTS_SERROR   2

/* What this PE has. */
struct spe_caps {
	unsigned int version; /* PMSVer */
	uint64_t pmsidr, pmbidr;
	uint64_t max_record; /* bytes */
	uint64_t align;	     /* bytes */
	uint64_t max_buffer; /* bytes, PMBIDR_EL1.MaxBuffSize; 0: any */
	uint32_t intid;	     /* of the buffer interrupt; 0: the firmware names none */
	unsigned int aborts; /* SPE_ABORTS_* */
	bool arch_inst, ernd, lds, fne, discard, nvm, exc;
};

/* NULL if SPE can be used here, and caps is filled; otherwise why not. */
const char *spe_probe(struct spe_caps *caps);
/* The same as a test's skip function; caps are in spe_caps. */
const char *needs_spe(void);
/*
 * ... and it is known how many operations each instruction is: one with FEAT_SPE_ArchInst; without
 * it, what the documentation of the PE says.
 */
const char *needs_operations(void);
/* ... and no sample collides with one of the run before, however short it was: found by trying. */
const char *needs_exact(void);
/* ... nor with the one before, however close random intervals bring them. */
const char *needs_exact_random(void);
/* ... and there is a buffer interrupt. */
const char *needs_spe_irq(void);
extern struct spe_caps spe_caps;

/* All but PMSCR_EL1. */
struct spe_setup {
	uint64_t pointer, limit; /* of the buffer; limit on a page boundary */
	uint64_t limit_flags;	 /* PMBLIMITR_EL1's other fields, E included */
	uint64_t pmsirr, pmsicr;
	uint64_t pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
};

/*
 * Stop profiling, then program everything; PMBSR_EL1 becomes 0.
 *
 * A buffer that is larger than PMBIDR_EL1.MaxBuffSize is used in windows of that size, from one to
 * the next at each buffer interrupt, which main at EL1 takes for that where interrupts are not
 * masked. The records lie one after the other in it as ever. With EL1 profiled each of these
 * interrupts has its ERET in the population, an operation after the record that filled a window.
 */
void spe_program(const struct spe_setup *setup);
/* How many of those interrupts this PE has taken since, before the record at that address. */
unsigned int spe_windows_before(uint64_t address);
/* So many bytes of a buffer, or as many as it may have at once. */
uint64_t spe_window(uint64_t size);
/* The bytes of so many pages with records of 64 bytes, where records may be as large as here. */
uint64_t spe_space(size_t pages);
/* Write PMBSR_EL1, whatever the buffer is; for that it is disabled for a moment. */
void spe_set_status(uint64_t status);
/*
 * The end of a handler of the buffer's event: profiling goes on at pointer, with PMBSR_EL1 0, when
 * the handler returns what this returns. Of the handler the ERET alone is a member.
 */
enum exc_return spe_resume(struct exc_frame *frame, uint64_t pointer);
/* Stop, drain, and disable the buffer. PMBPTR_EL1, PMBSR_EL1 and PMSICR_EL1 stay as they are. */
void spe_disable(void);
/* The bits of PMSEVFR_EL1 that there are: of the optional events, those that records have. */
uint64_t spe_events(void);
/* Wait until all that was sampled is in memory and in the registers. */
void spe_drain(void);

/*
 * Set PMSCR_EL1 and call function(a0, a1); clear PMSCR_EL1. The population at EL1 is the function's
 * instructions, its RET included, and SPE_RUN_EL1_EXTRA.
 */
uint64_t spe_run_el1(uint64_t pmscr, uintptr_t function, uint64_t a0, uint64_t a1);
/* The same for a function of EL0, with interrupts unmasked there; SPE_RUN_EL0_EXTRA. */
uint64_t spe_run_el0(uint64_t pmscr, uintptr_t function, uint64_t a0, uint64_t a1);

/*
 * The operations that an instruction is, where needs_operations() is NULL, in their order: loads or
 * stores, of a register each, then at most one that updates the address.
 */
unsigned int spe_operations(uint32_t instruction);
/* Is operation n of the instruction its address update? From 0 on. */
bool spe_is_address_update(uint32_t instruction, unsigned int n);

/*
 * Is a COUNT of zero loaded when profiling becomes enabled (D17.3.3), or by the first member of the
 * population after that (J1.124)? Where needs_exact() is NULL. An interval that begins with
 * profiling disabled is then an operation shorter, also one that an exception interrupts before its
 * first.
 */
bool spe_loads_when_enabled(void);
/* May a selection that is due after distance come after operations, counted in a loop of lap? */
bool spe_is_distance(uint64_t operations, uint64_t distance, uint64_t lap);
/* May so many operations have so many selections, however often profiling was enabled? */
bool spe_is_count(uint64_t records, uint64_t operations, uint64_t interval);

/* The operations from one selection to the next. */
static inline uint64_t spe_spacing(uint64_t interval)
{
	return interval * 256 + 1;
}
#endif
#endif

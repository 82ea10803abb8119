/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Performance Monitors as a guest programs them (Arm ARM D13), and counted runs of code. Fields
 * and events are defined a second time here, so that a guest shares no mistake with what it tests.
 */
#ifndef PMU_REGS_H
#define PMU_REGS_H

#include "arch.h"
#include "exception.h"

#define PMCR_E	     (UINT64_C(1) << 0)
#define PMCR_P	     (UINT64_C(1) << 1)
#define PMCR_C	     (UINT64_C(1) << 2)
#define PMCR_LC	     (UINT64_C(1) << 6)
#define PMCR_LP	     (UINT64_C(1) << 7)
#define PMCR_FZO     (UINT64_C(1) << 9)
#define PMCR_FZS     (UINT64_C(1) << 32)
#define PMCR_N(pmcr) field(pmcr, 15, 11)

#define PMU_FILTER_P   (UINT64_C(1) << 31)
#define PMU_FILTER_U   (UINT64_C(1) << 30)
#define PMU_FILTER_NSH (UINT64_C(1) << 27)

#define PMUSERENR_EN 1
#define PMUSERENR_SW 2
#define PMUSERENR_CR 4
#define PMUSERENR_ER 8
/* ... of FEAT_PMUv3p9 */
#define PMUSERENR_UEN 16
#define PMUSERENR_IR  32
#define PMUSERENR_TID 64

#define PMUACR_EL1    S3_0_C9_C14_4
#define PMZR_EL0      S3_3_C9_C13_4
#define PMICNTR_EL0   S3_3_C9_C4_0
#define PMICFILTR_EL0 S3_3_C9_C6_0

#define PMU_CYCLE_BIT (UINT64_C(1) << 31)
#define PMU_F0_BIT    (UINT64_C(1) << 32) /* the instruction counter */
#define PMU_ALL_BITS  (UINT64_C(0xffffffff) | PMU_F0_BIT)

#define PMU_V3P4 5
#define PMU_V3P5 6
#define PMU_V3P7 7
#define PMU_V3P9 9

enum {
	EVENT_SW_INCR = 0x00,
	EVENT_L1I_CACHE_REFILL = 0x01,
	EVENT_L1I_TLB_REFILL = 0x02,
	EVENT_L1D_CACHE_REFILL = 0x03,
	EVENT_L1D_CACHE = 0x04,
	EVENT_L1D_TLB_REFILL = 0x05,
	EVENT_LD_RETIRED = 0x06,
	EVENT_ST_RETIRED = 0x07,
	EVENT_INST_RETIRED = 0x08,
	EVENT_EXC_TAKEN = 0x09,
	EVENT_EXC_RETURN = 0x0a,
	EVENT_PC_WRITE_RETIRED = 0x0c,
	EVENT_BR_IMMED_RETIRED = 0x0d,
	EVENT_BR_RETURN_RETIRED = 0x0e,
	EVENT_BR_MIS_PRED = 0x10,
	EVENT_CPU_CYCLES = 0x11,
	EVENT_BR_PRED = 0x12,
	EVENT_MEM_ACCESS = 0x13,
	EVENT_L1I_CACHE = 0x14,
	EVENT_L1D_CACHE_WB = 0x15,
	EVENT_L2D_CACHE = 0x16,
	EVENT_CHAIN = 0x1e,
	EVENT_BR_RETIRED = 0x21,
	EVENT_BR_MIS_PRED_RETIRED = 0x22,
	EVENT_STALL_FRONTEND = 0x23,
	EVENT_STALL_BACKEND = 0x24,
	EVENT_L1D_TLB = 0x25,
	EVENT_DTLB_WALK = 0x34,
	EVENT_ITLB_WALK = 0x35,
	EVENT_OP_RETIRED = 0x3a,
	EVENT_STALL = 0x3c,
	EVENT_SAMPLE_POP = 0x4000,
	EVENT_SAMPLE_FEED = 0x4001,
	EVENT_SAMPLE_FILTRATE = 0x4002,
	EVENT_SAMPLE_COLLISION = 0x4003,
	EVENT_STALL_BACKEND_ST = 0x8168,
};

#define PMU_MAX_COUNTERS 6 /* of them that the guests use */

/* ID_AA64DFR0_EL1.PMUVer; 0: no FEAT_PMUv3. */
unsigned int pmu_version(void);
/* Event counters. */
unsigned int pmu_counters(void);
/* FEAT_PMUv3_ICNTR */
bool pmu_has_icntr(void);
/* The bits of PMCNTENSET_EL0 and its kin. */
uint64_t pmu_counter_bits(void);
/* Does the PMU list event as counted? */
bool pmu_has_event(unsigned int event);
/* The INTID of its overflow interrupt, or 0. */
uint32_t pmu_intid(void);

/* Counter n, 0 to PMU_MAX_COUNTERS - 1, and what it counts. */
uint64_t pmu_read_counter(unsigned int n);
void pmu_write_counter(unsigned int n, uint64_t value);
uint64_t pmu_read_type(unsigned int n);
void pmu_write_type(unsigned int n, uint64_t value);

/* All off, zero and clear; PMCR_EL0 becomes flags. */
void pmu_clear(uint64_t flags);
/* Counter n counts event from value on, once PMCR_EL0.E is 1. */
void pmu_count(unsigned int n, uint64_t event, uint64_t value);
/* How much more counter 0 counts of event in b runs of function than in a runs. */
uint64_t pmu_difference(uint64_t event, uintptr_t function, uint64_t a, uint64_t b, uint64_t data);

/* pmu_code.S: calls function(a, b) with PMCR_EL0 = pmcr, and then clears E. */
void pmu_run(uint64_t pmcr, uintptr_t function, uint64_t a, uint64_t b);
/* pmu_calls(n): n SVCs at this level. */
uint64_t pmu_calls(uint64_t n);

/* Skip functions. */
const char *needs_pmu(void);
/* ... and the count does not depend on the host's time: the PMU counts instructions. */
const char *needs_pmu_exact(void);
const char *needs_pmu_irq(void);
const char *needs_pmu_v3p5(void);
const char *needs_pmu_v3p7(void);
const char *needs_pmu_v3p9(void);
const char *needs_pmu_icntr(void);

/* Overflow interrupts: their number, and the PC and PMOVSSET_EL0 of the last one. */
extern struct pmu_overflow {
	unsigned int count;
	uint64_t elr, overflows;
} pmu_overflow;

/* Their handler, for gic_enable(): it records one, and clears its bits. */
enum exc_return pmu_overflow_irq(struct exc_frame *frame, uint32_t intid);

#endif

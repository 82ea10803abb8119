/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter unit that executes one operation at a time and asks of each counter anew whether it
 * counts. Source: Arm ARM D13.3 to D13.6, and the pages of PMCR_EL0, PMEVTYPER<n>_EL0, MDCR_EL2 and
 * MDCR_EL3.
 */
#ifndef VSPE_CONFORM_STEPPED_COUNTERS_H
#define VSPE_CONFORM_STEPPED_COUNTERS_H

#include <stdbool.h>
#include <vspe/subject.h>

#include "../../pmu/route.h"

#define B(n) (UINT64_C(1) << (n))

/* ID_AA64DFR0_EL1.PMUVer */
enum { V3P1 = 4, V3P4, V3P5, V3P7, V3P8, V3P9 };

enum { SW_INCR = 0x00, LD_RETIRED = 0x06, INST_RETIRED = 0x08, CPU_CYCLES = 0x11, CHAIN = 0x1e };

/* Bits of PMCR_EL0, MDCR_EL2 and MDCR_EL3. */
enum {
	CR_E = 0,
	CR_P = 1,
	CR_C = 2,
	CR_DP = 5,
	CR_LP = 7,
	CR_FZO = 9,
	EL2_HPME = 7,
	EL2_HPMD = 17,
	EL2_HCCD = 23,
	EL2_HLP = 26,
	EL2_HPMFZO = 29,
	EL3_SPME = 17,
	EL3_SCCD = 23,
	EL3_MCCD = 34,
	EL3_MPMX = 35,
};

/* A counter by its bit in PMCNTENSET_EL0. */
#define CYCLE	    31u
#define INSTRUCTION 32u
#define ALL	    33u

/* What the unit keeps, and what of the PE it depends on. */
struct stepped_counters {
	struct vspe_subject_counters is;
	uint64_t value[ALL], type[ALL];
	uint64_t control, enabled, interrupts, overflowed;
	uint64_t el2, el3; /* MDCR_ELx */
	uint8_t level;
	enum { SECURE, NON_SECURE, REALM, ROOT } state;
};

bool stepped_has(const struct stepped_counters *s, unsigned int n);
/* The bits of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 or PMICFILTR_EL0 that can be written. */
uint64_t stepped_type_bits(const struct stepped_counters *s, unsigned int n);
/* Which counters count now, as in PMCNTENSET_EL0. */
uint64_t stepped_counting(const struct stepped_counters *s);
/* One operation: an instruction that retires, and a cycle. */
void stepped_execute(struct stepped_counters *s);
/* An event happens once, in those that count and are named. */
void stepped_event(struct stepped_counters *s, uint64_t counts, uint16_t event, uint64_t named);
/* A write at the highest Exception level, but of counters and their types. */
void stepped_write(struct stepped_counters *s, enum pmu_register reg, uint64_t value);
void stepped_write_counter(struct stepped_counters *s, unsigned int n, uint64_t value);
bool stepped_interrupts(const struct stepped_counters *s);

#endif

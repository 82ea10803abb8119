/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an access to a register of the PMU is routed: a pure function of the PE's controls and of
 * the PMU's, like sysreg_route() for the registers of SPE (the "Accessing" sections of the register
 * pages, Arm ARM D24.5; D13.11).
 */
#ifndef VSPE_PMU_ROUTE_H
#define VSPE_PMU_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

/* The registers of event counter n, 0 to 30, are the first of their kind plus n. */
enum pmu_register {
#define REGISTER(name, ...) PMU_##name,
#include "registers.def"
#undef REGISTER
	PMU_REGISTERS,
};

/* Bits of pmu_controls.features. Each implies those before it. */
#define PMU_FEAT_PMUv3	     UINT32_C(1)
#define PMU_FEAT_PMUv3p4     UINT32_C(2)
#define PMU_FEAT_PMUv3p9     UINT32_C(4)
#define PMU_FEAT_PMUv3_ICNTR UINT32_C(8)

/* The controls of an access that struct sysreg_controls does not have. */
struct pmu_controls {
	uint32_t features;  /* PMU_FEAT_* */
	uint32_t counters;  /* event counters that there are, 1 to 31 */
	uint64_t pmuserenr; /* PMUSERENR_EL0 */
	uint64_t pmuacr;    /* PMUACR_EL1 */
	uint64_t pmselr;    /* PMSELR_EL0 */
};

/* sysreg_route.rule of pmu_route(): what decided. The register's row has the details. */
enum pmu_decider {
	PMU_BY_NOTHING, /* nothing is in the way */
	PMU_BY_STATE,	/* AArch32 state */
	PMU_BY_ACCESSOR,
	PMU_BY_FEATURE,
	PMU_BY_COUNTER, /* there is no such counter */
	PMU_BY_LEVEL,	/* EL0 never may */
	PMU_BY_SDD,	/* EL3SDDUndef(), of what EL3 would trap */
	PMU_BY_USER,	/* PMUSERENR_EL0 does not let EL0: pmu_user_enables() */
	PMU_BY_FGT,	/* pmu_fgt() */
	PMU_BY_TPM,	/* MDCR_EL2.TPM; TPMCR */
	PMU_BY_TPMCR,
	PMU_BY_HPMN, /* MDCR_EL2.HPMN */
	PMU_BY_TPM3, /* MDCR_EL3.TPM; EnPM2 */
	PMU_BY_ENPM2,
	PMU_BY_PMUACR, /* let through to nothing by PMUACR_EL1, or by PMUSERENR_EL0.{ER,CR,IR} */
	PMU_BY_READ_ONLY,
};

/* The effective PMUSERENR_EL0: the bits of v3p9 do not exist before it. */
uint64_t pmu_user_effective(const struct pmu_controls *pmu);
/* Its bits any of which allows the access from EL0; 0: none does, or none is needed. */
uint64_t pmu_user_enables(enum pmu_register reg, bool write);
/* ... that forbid the access, whatever the others are. */
uint64_t pmu_user_forbids(enum pmu_register reg);
/* ... that makes a counter read-only for EL0 with UEN. */
uint64_t pmu_user_read_only(unsigned int counter);
/* Its fine-grained trap: the bit, or -1, of HDFGRTR_EL2 or HDFGWTR_EL2; *two: of HDFG*TR2_EL2. */
int pmu_fgt(enum pmu_register reg, bool write, bool *two);
/* The counter that an access reaches; above PMU_INSTRUCTION: none. */
unsigned int pmu_counter_of(const struct pmu_controls *pmu, enum pmu_register reg);
/* The feature that the register needs, without "FEAT_"; static storage. */
const char *pmu_feature_of(enum pmu_register reg);

/*
 * The outcome of an MRS, or of an MSR if write, with that Rt. Its reg is an enum pmu_register: for
 * SYSREG_DIRECT the one that PMXEV*_EL0 stand for. The CONSTRAINED UNPREDICTABLE choices: an access
 * to a missing counter is UNDEFINED; an access to a counter that MDCR_EL2.HPMN reserves traps to
 * EL2, with or without FEAT_FGT.
 */
struct sysreg_route pmu_route(const struct sysreg_controls *controls,
			      const struct pmu_controls *pmu, enum pmu_register reg, bool write,
			      uint8_t rt);

/*
 * How many event counters the present level may access: those with a lower number. MDCR_EL2.HPMN
 * above the number of counters counts as that number; 0 as 0, with FEAT_HPMN0 or without.
 */
unsigned int pmu_counters_accessible(const struct sysreg_controls *controls, unsigned int counters);

/*
 * How EL2 and EL3 hide the instruction counter's bit in other registers from the present level, by
 * trapping the counter's registers (Arm ARM, GetPMUReadMask() and GetPMUWriteMask()).
 */
#define PMU_HIDES_READ	1u /* of PMCNTEN*, PMINTEN*, PMOVS*: it reads as zero */
#define PMU_HIDES_WRITE 2u /* ... and it ignores writes */
#define PMU_HIDES_ZERO	4u /* that of PMZR_EL0 does */
unsigned int pmu_hides_instructions(const struct sysreg_controls *controls);

/* The register of an encoding, or PMU_REGISTERS; the encoding and name of a register. */
enum pmu_register pmu_find(uint32_t encoding);
uint32_t pmu_encoding(enum pmu_register reg);
/* Is its value the count of a counter? PMU_REGISTERS is allowed: it is not. */
bool pmu_is_counter(enum pmu_register reg);
const char *pmu_register_name(enum pmu_register reg); /* static storage */
/* Has it an MRS, or an MSR? */
bool pmu_has(enum pmu_register reg, bool write);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an access to a register of the PMU lands: a pure function of the PE's controls and of the
 * PMU's own, as sysreg_route() is for those of SPE (the "Accessing" sections of the register pages,
 * Arm ARM D24.5; D13.11).
 */
#ifndef VSPE_PMU_ROUTE_H
#define VSPE_PMU_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

/* Those of event counter n are the first of their kind plus n, which is 0 to 30. */
enum pmu_register {
#define REGISTER(name, ...) PMU_##name,
#include "registers.def"
#undef REGISTER
	PMU_REGISTERS,
};

/* Bits of pmu_controls.features. Each is there with those before it only. */
#define PMU_FEAT_PMUv3	     UINT32_C(1)
#define PMU_FEAT_PMUv3p4     UINT32_C(2)
#define PMU_FEAT_PMUv3p9     UINT32_C(4)
#define PMU_FEAT_PMUv3_ICNTR UINT32_C(8)

/* What an access depends on that struct sysreg_controls has not. */
struct pmu_controls {
	uint32_t features;  /* PMU_FEAT_* */
	uint32_t counters;  /* event counters that there are, 1 to 31 */
	uint64_t pmuserenr; /* PMUSERENR_EL0 */
	uint64_t pmuacr;    /* PMUACR_EL1 */
	uint64_t pmselr;    /* PMSELR_EL0 */
};

/*
 * The outcome of an MRS, or of an MSR if write, with that Rt. Its reg is an enum pmu_register: of
 * SYSREG_DIRECT where PMXEV*_EL0 lead. What is CONSTRAINED UNPREDICTABLE: a counter that there is
 * not is UNDEFINED; one that MDCR_EL2.HPMN keeps traps to EL2, without FEAT_FGT as with it.
 */
struct sysreg_route pmu_route(const struct sysreg_controls *controls,
			      const struct pmu_controls *pmu, enum pmu_register reg, bool write,
			      uint8_t rt);

/*
 * Event counters that the present level may access: those with a lower number. MDCR_EL2.HPMN above
 * their number is taken as that; 0 as 0, with FEAT_HPMN0 or without.
 */
unsigned int pmu_counters_accessible(const struct sysreg_controls *controls, unsigned int counters);

/*
 * What of the instruction counter's bit in other registers EL2 and EL3 hide from the present level,
 * by trapping its own registers (Arm ARM, GetPMUReadMask() and GetPMUWriteMask()).
 */
#define PMU_HIDES_READ	1u /* of PMCNTEN*, PMINTEN*, PMOVS*: it reads as zero */
#define PMU_HIDES_WRITE 2u /* ... and it ignores writes */
#define PMU_HIDES_ZERO	4u /* that of PMZR_EL0 does */
unsigned int pmu_hides_instructions(const struct sysreg_controls *controls);

/* The register of an encoding, or PMU_REGISTERS; the encoding and name of a register. */
enum pmu_register pmu_find(uint32_t encoding);
uint32_t pmu_encoding(enum pmu_register reg);
/* Is its value the count of a counter? Also of PMU_REGISTERS, which is none. */
bool pmu_is_counter(enum pmu_register reg);
const char *pmu_register_name(enum pmu_register reg); /* static storage */
/* Has it an MRS, or an MSR? */
bool pmu_has(enum pmu_register reg, bool write);

#endif

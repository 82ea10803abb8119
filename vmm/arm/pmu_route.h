/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an access to a register of the PMU lands: a pure function of the PE's controls and of the
 * PMU's own, as sysreg_route() is for those of SPE (the "Accessing" sections of the register pages,
 * Arm ARM D24.5; D13.11).
 */
#ifndef VSPE_ARM_PMU_ROUTE_H
#define VSPE_ARM_PMU_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/sysreg.h>

/* Those of event counter n are the first of their kind plus n, which is 0 to 30. */
enum arm_pmu_register {
#define REGISTER(name, ...) ARM_##name,
#include "arm/pmu_registers.def"
#undef REGISTER
	ARM_PMU_REGISTERS,
};

/* Bits of arm_pmu_controls.features. Each is there with those before it only. */
#define ARM_PMU_FEAT_PMUv3	 UINT32_C(1)
#define ARM_PMU_FEAT_PMUv3p4	 UINT32_C(2)
#define ARM_PMU_FEAT_PMUv3p9	 UINT32_C(4)
#define ARM_PMU_FEAT_PMUv3_ICNTR UINT32_C(8)

/* What an access depends on that struct sysreg_controls has not. */
struct arm_pmu_controls {
	uint32_t features;  /* ARM_PMU_FEAT_* */
	uint32_t counters;  /* event counters that there are, 1 to 31 */
	uint64_t pmuserenr; /* PMUSERENR_EL0 */
	uint64_t pmuacr;    /* PMUACR_EL1 */
	uint64_t pmselr;    /* PMSELR_EL0 */
};

enum arm_pmu_route_kind {
	ARM_PMU_DIRECT,	   /* access arm_pmu_route.reg */
	ARM_PMU_UNDEFINED, /* the instruction is UNDEFINED */
	ARM_PMU_TRAP,	   /* exception to target_el, EC 0x18 */
	ARM_PMU_RAZ_WI,	   /* reads as zero, ignores what is written */
};

/* Members that do not belong to the kind are 0. */
struct arm_pmu_route {
	enum arm_pmu_route_kind kind;
	enum arm_pmu_register reg; /* ARM_PMU_DIRECT: where PMXEV*_EL0 lead */
	uint8_t target_el;	   /* ARM_PMU_TRAP: 1, 2 or 3 */
};

/*
 * The outcome of an MRS, or of an MSR if write. What is CONSTRAINED UNPREDICTABLE: a counter that
 * there is not is UNDEFINED; one that MDCR_EL2.HPMN keeps traps to EL2, without FEAT_FGT as with
 * it.
 */
struct arm_pmu_route arm_pmu_route(const struct sysreg_controls *controls,
				   const struct arm_pmu_controls *pmu, enum arm_pmu_register reg,
				   bool write);

/*
 * Event counters that the present level may access: those with a lower number. MDCR_EL2.HPMN above
 * their number is taken as that; 0 as 0, with FEAT_HPMN0 or without.
 */
unsigned int arm_pmu_counters_accessible(const struct sysreg_controls *controls,
					 unsigned int counters);

/*
 * What of the instruction counter's bit in other registers EL2 and EL3 hide from the present level,
 * by trapping its own registers (Arm ARM, GetPMUReadMask() and GetPMUWriteMask()).
 */
#define ARM_PMU_HIDES_READ  1u /* of PMCNTEN*, PMINTEN*, PMOVS*: it reads as zero */
#define ARM_PMU_HIDES_WRITE 2u /* ... and it ignores writes */
#define ARM_PMU_HIDES_ZERO  4u /* that of PMZR_EL0 does */
unsigned int arm_pmu_hides_instructions(const struct sysreg_controls *controls);

/* The register of an encoding, or ARM_PMU_REGISTERS; the encoding and name of a register. */
enum arm_pmu_register arm_pmu_find(uint32_t encoding);
uint32_t arm_pmu_encoding(enum arm_pmu_register reg);
/* Is its value the count of a counter? Also of ARM_PMU_REGISTERS, which is none. */
bool arm_pmu_is_counter(enum arm_pmu_register reg);
const char *arm_pmu_name(enum arm_pmu_register reg); /* static storage */
/* Has it an MRS, or an MSR? */
bool arm_pmu_has(enum arm_pmu_register reg, bool write);

#endif

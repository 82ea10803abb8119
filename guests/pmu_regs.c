/* SPDX-License-Identifier: BSD-2-Clause */
/* The Performance Monitors: see pmu_regs.h. */
#include "pmu_regs.h"
#include "fdt.h"

unsigned int pmu_version(void)
{
	unsigned int version = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 11, 8);

	return version == 15 ? 0 : version;
}

unsigned int pmu_counters(void)
{
	return (unsigned int)PMCR_N(read_sysreg(pmcr_el0));
}

bool pmu_has_event(unsigned int event)
{
	uint64_t ids = event & 0x20 ? read_sysreg(pmceid1_el0) : read_sysreg(pmceid0_el0);

	return ids >> ((event & 0x1f) + (event & 0x4000 ? 32 : 0)) & 1;
}

uint32_t pmu_intid(void)
{
	struct fdt_node node = {0};
	uint32_t intid = 0;

	if (!fdt_next_compatible(&node, "arm,armv8-pmuv3") || !fdt_interrupt(&node, 0, &intid))
		return 0;
	return intid;
}

#define CASES(macro) macro(0) macro(1) macro(2) macro(3) macro(4) macro(5)
#define READ_COUNTER(n)                                 \
	case n: return read_sysreg(pmevcntr##n##_el0);  \
		#define READ_TYPE(n)                    \
	case n: return read_sysreg(pmevtyper##n##_el0); \
		#define WRITE_COUNTER(n)                \
	case n:                                         \
		write_sysreg(pmevcntr##n##_el0, value); \
		break;
#define WRITE_TYPE(n) \
	case n: write_sysreg(pmevtyper##n##_el0, value); break;

uint64_t pmu_read_counter(unsigned int n)
{
	isb();
	switch (n) {
		CASES(READ_COUNTER)
	default: return 0;
	}
}

void pmu_write_counter(unsigned int n, uint64_t value)
{
	switch (n) {
		CASES(WRITE_COUNTER)
	default: break;
	}
	isb();
}

uint64_t pmu_read_type(unsigned int n)
{
	switch (n) {
		CASES(READ_TYPE)
	default: return 0;
	}
}

void pmu_write_type(unsigned int n, uint64_t value)
{
	switch (n) {
		CASES(WRITE_TYPE)
	default: break;
	}
	isb();
}

void pmu_clear(uint64_t flags)
{
	write_sysreg(pmcntenclr_el0, PMU_ALL_BITS);
	write_sysreg(pmintenclr_el1, PMU_ALL_BITS);
	write_sysreg(pmcr_el0, flags | PMCR_P | PMCR_C);
	write_sysreg(pmcr_el0, flags);
	write_sysreg(pmovsclr_el0, PMU_ALL_BITS);
	write_sysreg(pmccfiltr_el0, 0);
	isb();
}

void pmu_count(unsigned int n, uint64_t event, uint64_t value)
{
	pmu_write_type(n, event);
	pmu_write_counter(n, value);
	write_sysreg(pmcntenset_el0, UINT64_C(1) << n);
	isb();
}

static uint64_t count_run(uint64_t event, uintptr_t function, uint64_t a, uint64_t data)
{
	pmu_clear(0);
	pmu_count(0, event, 0);
	pmu_run(PMCR_E, function, a, data);
	return pmu_read_counter(0);
}

uint64_t pmu_difference(uint64_t event, uintptr_t function, uint64_t a, uint64_t b, uint64_t data)
{
	uint64_t less = count_run(event, function, a, data);

	return count_run(event, function, b, data) - less;
}

const char *needs_pmu(void)
{
	if (!pmu_version())
		return "no FEAT_PMUv3";
	return pmu_counters() < PMU_MAX_COUNTERS ? "fewer than 6 event counters" : NULL;
}

const char *needs_pmu_irq(void)
{
	const char *why = needs_pmu();

	if (!why && !pmu_intid())
		why = "no interrupt of the PMU in the device tree";
	return why;
}

const char *needs_pmu_v3p5(void)
{
	const char *why = needs_pmu();

	return !why && pmu_version() < PMU_V3P5 ? "no FEAT_PMUv3p5" : why;
}

const char *needs_pmu_v3p7(void)
{
	const char *why = needs_pmu();

	return !why && pmu_version() < PMU_V3P7 ? "no FEAT_PMUv3p7" : why;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The Performance Monitors: see pmu_regs.h. */
#include "platform.h"
#include "pmu_regs.h"

unsigned int pmu_version(void)
{
	unsigned int version = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 11, 8);

	return version == 15 ? 0 : version;
}

unsigned int pmu_counters(void)
{
	return (unsigned int)PMCR_N(read_sysreg(pmcr_el0));
}

bool pmu_has_icntr(void)
{
	return field(read_sysreg(S3_0_C0_C5_1), 39, 36); /* ID_AA64DFR1_EL1.PMICNTR */
}

uint64_t pmu_counter_bits(void)
{
	return PMU_CYCLE_BIT | ((UINT64_C(1) << pmu_counters()) - 1) |
	       (pmu_has_icntr() ? PMU_F0_BIT : 0);
}

bool pmu_has_event(unsigned int event)
{
	uint64_t ids = event & 0x20 ? read_sysreg(pmceid1_el0) : read_sysreg(pmceid0_el0);

	return ids >> ((event & 0x1f) + (event & 0x4000 ? 32 : 0)) & 1;
}

uint32_t pmu_intid(void)
{
	return platform_interrupt(PLATFORM_PMU);
}

/* Statements on the registers of counter n, each of which has a separate name. */
#define OF_COUNTER(n, statement)             \
	do {                                 \
		switch (n) {                 \
		case 0: statement(0); break; \
		case 1: statement(1); break; \
		case 2: statement(2); break; \
		case 3: statement(3); break; \
		case 4: statement(4); break; \
		case 5: statement(5); break; \
		default: break;              \
		}                            \
	} while (0)
#define READ_COUNTER(n)	 (value = read_sysreg(pmevcntr##n##_el0))
#define READ_TYPE(n)	 (value = read_sysreg(pmevtyper##n##_el0))
#define WRITE_COUNTER(n) write_sysreg(pmevcntr##n##_el0, value)
#define WRITE_TYPE(n)	 write_sysreg(pmevtyper##n##_el0, value)

uint64_t pmu_read_counter(unsigned int n)
{
	uint64_t value = 0;

	isb();
	OF_COUNTER(n, READ_COUNTER);
	return value;
}

void pmu_write_counter(unsigned int n, uint64_t value)
{
	OF_COUNTER(n, WRITE_COUNTER);
	isb();
}

uint64_t pmu_read_type(unsigned int n)
{
	uint64_t value = 0;

	OF_COUNTER(n, READ_TYPE);
	return value;
}

void pmu_write_type(unsigned int n, uint64_t value)
{
	OF_COUNTER(n, WRITE_TYPE);
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

struct pmu_overflow pmu_overflow;

enum exc_return pmu_overflow_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	pmu_overflow.count++;
	pmu_overflow.elr = frame->elr;
	pmu_overflow.overflows = read_sysreg(pmovsset_el0);
	write_sysreg(pmovsclr_el0, pmu_overflow.overflows);
	isb();
	return EXC_RETURN;
}

const char *needs_pmu(void)
{
	if (!pmu_version())
		return "no FEAT_PMUv3";
	return pmu_counters() < PMU_MAX_COUNTERS ? "fewer than 6 event counters" : NULL;
}

const char *needs_pmu_exact(void)
{
	const char *why = needs_pmu();

	if (!why && !pmu_has_event(EVENT_INST_RETIRED))
		why = "it does not count INST_RETIRED";
	return why;
}

const char *needs_pmu_irq(void)
{
	const char *why = needs_pmu_exact();

	if (!why && !pmu_intid())
		why = "the firmware names no interrupt of the PMU";
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

const char *needs_pmu_v3p9(void)
{
	const char *why = needs_pmu();

	return !why && pmu_version() < PMU_V3P9 ? "no FEAT_PMUv3p9" : why;
}

const char *needs_pmu_icntr(void)
{
	const char *why = needs_pmu_v3p9();

	return !why && !pmu_has_icntr() ? "no FEAT_PMUv3_ICNTR" : why;
}

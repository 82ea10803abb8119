/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Around a benchmark kernel. Boot arguments: iterations=N, and spe=N for a sample every N
 * operations (a multiple of 256; 0, the default: no profiling). Samples are written to a buffer
 * that starts over whenever it is full. A machine without SPE runs the kernel all the same and says
 * so. pmu=1 has the PMU count cycles and instructions meanwhile, pmu=2 branches, loads and stores
 * too, if there is one.
 *
 * Output, which vspe bench reads: "bench: start", then "bench: end checksum=0x... ticks=N" with the
 * ticks of CNTVCT_EL0 in between.
 */
#include "arch.h"
#include "bench.h"
#include "boot.h"
#include "console.h"
#include "gic.h"
#include "platform.h"
#include "spe.h"

#define BUFFER_PAGES 64

static uint64_t buffer, fills;

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	uint64_t status;

	(void)intid;
	spe_drain();
	status = read_sysreg(PMBSR_EL1);
	if (!(status & PMBSR_S))
		return EXC_RETURN;
	if ((status & ~PMBSR_COLL) != (PMBSR_S | PMBSR_BSC_FULL))
		panic("PMBSR_EL1 is 0x%lx", status);
	fills++;
	return spe_resume(frame, buffer);
}

static uint64_t start_profiling(uint64_t interval)
{
	const char *why = needs_spe();
	struct spe_setup setup = {0};

	if (!why && spe_caps.intid == 0)
		why = "the firmware names no PPI for SPE";
	if (!why && interval % 256)
		why = "the interval is no multiple of 256";
	if (why) {
		printf("bench: no profiling: %s\n", why);
		return 0;
	}
	buffer = (uintptr_t)data_alloc(BUFFER_PAGES);
	setup.pointer = buffer;
	setup.limit = buffer + spe_window((uint64_t)BUFFER_PAGES * PAGE_SIZE);
	setup.limit_flags = PMBLIMITR_E;
	setup.pmsirr = PMSIRR_INTERVAL(interval / 256);
	spe_program(&setup);
	gic_enable(spe_caps.intid, buffer_irq);
	irq_enable();
	return PMSCR_E1SPE | PMSCR_E0SPE | PMSCR_PA | PMSCR_TS;
}

/* PMCCNTR_EL0 and the first event counters. */
static bool start_counting(bool classes)
{
	if (field(read_sysreg(id_aa64dfr0_el1), 11, 8) == 0) {
		printf("bench: no counting: no FEAT_PMUv3\n");
		return false;
	}
	write_sysreg(pmevtyper0_el0, 0x08); /* INST_RETIRED */
	write_sysreg(pmevtyper1_el0, 0x21); /* BR_RETIRED */
	write_sysreg(pmevtyper2_el0, 0x06); /* LD_RETIRED */
	write_sysreg(pmevtyper3_el0, 0x07); /* ST_RETIRED */
	write_sysreg(pmcntenset_el0, UINT64_C(1) << 31 | (classes ? 0xf : 1));
	write_sysreg(pmcr_el0, 0x47); /* LC, C, P, E */
	isb();
	return true;
}

static void stop_counting(void)
{
	write_sysreg(pmcr_el0, 0x40);
	isb();
	printf("bench: %lu cycles, %lu instructions, %lu branches, %lu loads, %lu stores\n",
	       read_sysreg(pmccntr_el0), read_sysreg(pmevcntr0_el0), read_sysreg(pmevcntr1_el0),
	       read_sysreg(pmevcntr2_el0), read_sysreg(pmevcntr3_el0));
}

void guest_main(void)
{
	uint64_t iterations = bootarg("iterations", bench.iterations);
	uint64_t interval = bootarg("spe", 0), pmu = bootarg("pmu", 0);
	void *data = data_alloc(bench.pages);
	uint64_t start, end, checksum, pmscr = 0;
	bool counting = false;

	if (interval)
		pmscr = start_profiling(interval);
	if (pmu)
		counting = start_counting(pmu > 1);
	printf("bench: start\n");
	start = counter();
	if (pmscr)
		checksum = spe_run_el1(pmscr, (uintptr_t)bench.run, (uintptr_t)data, iterations);
	else
		checksum = bench.run(data, iterations);
	end = counter();
	printf("bench: end checksum=0x%016lx ticks=%lu\n", checksum, end - start);
	if (counting)
		stop_counting();
	if (pmscr)
		printf("bench: %lu records in the buffer after %lu fills\n",
		       (read_sysreg(PMBPTR_EL1) - buffer) / spe_caps.max_record, fills);
}

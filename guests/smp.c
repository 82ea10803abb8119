/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * smp: several PEs profile themselves at the same time. Each has its own unit: registers, buffer
 * and interrupt are private (the PPI has the same number on each). So each gets exactly the records
 * of the operations that it executed, whatever the others do.
 *
 * Boot argument: laps=N, of the sled by the first PE.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "deadline.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "tap.h"

#define BUFFER_PAGES 2
#define LEAST	     16 /* bytes of a record */

/* What belongs to one PE. TPIDR_EL1 points to it. */
struct pe {
	unsigned int number;
	uint64_t buffer, laps, interval;
	uint64_t population, records, fills, last_index;
	uint64_t outside;    /* records of other code */
	uint64_t misplaced;  /* records that are not one interval after the last */
	uint64_t unexpected; /* PMBSR_EL1 values other than "full" */
	bool fill_behind;    /* the next record is the first after a fill */
	volatile bool ready, done;
};

static struct pe pes[MAX_CPUS];
static unsigned int count;
static volatile bool go;

static struct pe *this_pe(void)
{
	return (struct pe *)read_sysreg(tpidr_el1);
}

static void collect_records(struct pe *pe)
{
	const uint8_t *at = (const uint8_t *)pe->buffer;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);
		uint64_t index = (r.pc - user_address(kernel_sled)) / 4, step;

		if (size <= 0)
			break;
		at += size;
		/*
		 * Up to the RET. After a fill, one operation was the ERET, which is not in the
		 * sled.
		 */
		step = (index + SLED_LAP - pe->last_index) % SLED_LAP + pe->fill_behind;
		if (index > SLED_LAP) /* the last operation, if it is the one that ends it */
			pe->outside++;
		else if (pe->records && !spe_is_distance(step, spe_spacing(pe->interval), SLED_LAP))
			pe->misplaced++;
		pe->fill_behind = false;
		pe->last_index = index;
		pe->records++;
	}
}

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	struct pe *pe = this_pe();

	(void)intid;
	spe_drain();
	if (!(read_sysreg(PMBSR_EL1) & PMBSR_S))
		return EXC_RETURN;
	pe->unexpected += read_sysreg(PMBSR_EL1) != (PMBSR_S | PMBSR_BSC_FULL);
	pe->fills++;
	collect_records(pe);
	pe->fill_behind = true;
	return spe_resume(frame, pe->buffer);
}

static void profile_pe(struct pe *pe)
{
	const uint64_t size = spe_window(BUFFER_PAGES * PAGE_SIZE);
	const uint64_t least = spe_caps.align > LEAST ? spe_caps.align : LEAST;
	const uint64_t fill = size / least * spe_spacing(pe->interval) / SLED_LAP + 2;
	struct spe_setup setup = {
		.pointer = pe->buffer,
		.limit = pe->buffer + size,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(pe->interval),
	};

	if (pe->laps < fill)
		pe->laps = fill;
	spe_program(&setup);
	gic_enable(spe_caps.intid, buffer_irq);
	pe->ready = true;
	dsb();
	wait_while(!go);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE, user_address(kernel_sled), pe->laps, 0);
	irq_disable();
	collect_records(pe);
	spe_disable();
	pe->population = pe->laps * SLED_LAP + 1 + SPE_RUN_EL1_EXTRA + pe->fills;
	dsb();
	pe->done = true;
	dsb();
}

static void run_secondary(unsigned int cpu)
{
	write_sysreg(tpidr_el1, (uintptr_t)&pes[cpu]);
	if (gic_init_cpu())
		profile_pe(&pes[cpu]);
}

static const char *needs_cpus(void)
{
	const char *why = needs_spe_irq();
	uint64_t mpidr;

	if (!why && !platform_cpu(1, &mpidr))
		why = "one CPU";
	return why;
}

static void start_all(void)
{
	uint64_t mpidr;

	for (count = 0; count < MAX_CPUS && platform_cpu(count, &mpidr); count++) {
		struct pe *pe = &pes[count];

		/* All differ. */
		*pe = (struct pe){.number = count,
				  .buffer = (uintptr_t)data_alloc(BUFFER_PAGES),
				  .laps = bootarg("laps", 60) + 10 * count,
				  .interval = 1 + count % 3};
		if (count == 0)
			continue;
		CHECK(psci_cpu_on(mpidr, count, run_secondary) == PSCI_SUCCESS,
		      "CPU %u does not start", count);
		wait_while(!pe->ready);
	}
	write_sysreg(tpidr_el1, (uintptr_t)&pes[0]);
	go = true;
	dsb();
	profile_pe(&pes[0]);
	for (unsigned int i = 0; i < count; i++)
		wait_while(!pes[i].done);
}

/* RULE("D17.1.2/thread") */
static void test_interrupts(void)
{
	start_all();
	for (unsigned int i = 0; i < count; i++) {
		const struct pe *pe = &pes[i];

		tap_note("CPU %u: %lu operations, every %lu, %lu records, %lu fills", i,
			 pe->population, spe_spacing(pe->interval), pe->records, pe->fills);
		CHECK(pe->fills > 0, "CPU %u took no interrupt", i);
		CHECK(pe->unexpected == 0, "CPU %u had another PMBSR_EL1 than full", i);
	}
}

/* RULE("D17.1.2/thread") */
static void test_numbers(void)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t wanted = pes[i].population / spe_spacing(pes[i].interval);

		CHECK(spe_is_count(pes[i].records, pes[i].population, pes[i].interval),
		      "CPU %u has %lu records, not %lu", i, pes[i].records, wanted);
		CHECK(pes[i].outside <= 1, "CPU %u has %lu records of other code", i,
		      pes[i].outside);
		CHECK(pes[i].misplaced == 0, "CPU %u has %lu records out of place", i,
		      pes[i].misplaced);
	}
}

static const struct test tests[] = {
	{"each PE fills its own buffer and takes its own interrupt", test_interrupts, needs_cpus},
	{"each PE has exactly its own samples", test_numbers, needs_cpus},
};

void guest_main(void)
{
	tap_run("smp", tests, sizeof(tests) / sizeof(tests[0]));
}

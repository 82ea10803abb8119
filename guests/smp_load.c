/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * smp-load: PEs that profile themselves while they take timer interrupts and send SGIs to each
 * other; nothing of that may be lost. And PEs that go off with profiling enabled, and come again
 * (Arm DEN 0022): CPU_ON is a Warm reset, after which PMBLIMITR_EL1.E is 0.
 *
 * What is profiled is EL0, so that the handlers, which are EL1, add nothing to the population.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define LOAD_CPUS     4 /* at most */
#define BUFFER_PAGES  1
#define BUFFER_START  (PAGE_SIZE / 2) /* where the records begin */
#define LAPS	      6
#define SGI	      5u
#define TIMERS_A_LAP  4 /* about */
#define MEASURED_LAPS 4
#define RUNS	      16 /* at most, until a timer interrupt came in one */
#define UNPLUGS	      3
#define ONE_SAMPLE    300 /* operations, for one sample every 257 */
#define PATTERN	      0xa5

/* What belongs to one PE. TPIDR_EL1 points to it. */
struct pe {
	unsigned int number;
	uint64_t mpidr;
	uint64_t buffer, laps, interval, period, interrupted, runs;
	bool has_last; /* last_index is of this run */
	uint64_t records, fills, last_index, misplaced, unexpected;
	uint64_t timers, spurious;     /* interrupts of the timer, and those that came too early */
	volatile uint64_t sent, taken; /* SGIs to the next PE, and from the last one */
	uint64_t enabled;	       /* PMBLIMITR_EL1 when it started */
	volatile bool ready, done;
};

static struct pe pes[LOAD_CPUS];
static unsigned int count;
static volatile bool go;
static uint32_t timer_intid;

static struct pe *this_pe(void)
{
	return (struct pe *)read_sysreg(tpidr_el1);
}

static struct pe *next_pe(const struct pe *pe)
{
	return &pes[(pe->number + 1) % count];
}

static void collect_records(struct pe *pe)
{
	const uint8_t *at = (const uint8_t *)pe->buffer + BUFFER_START;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);
		uint64_t index = (r.pc - user_address(user_sled)) / 4;

		if (size <= 0)
			break;
		at += ((uint64_t)size + spe_caps.align - 1) & ~(spe_caps.align - 1);
		if (index >= SLED_LAP ||
		    (pe->has_last &&
		     !spe_is_distance((index + SLED_LAP - pe->last_index) % SLED_LAP,
				      spe_spacing(pe->interval), SLED_LAP)))
			pe->misplaced++;
		pe->has_last = true;
		pe->last_index = index;
		pe->records++;
	}
}

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	struct pe *pe = this_pe();
	uint64_t status;

	(void)intid;
	spe_drain();
	status = read_sysreg(PMBSR_EL1);
	if (!(status & PMBSR_S))
		return EXC_RETURN;
	pe->unexpected += status != (PMBSR_S | PMBSR_BSC_FULL);
	pe->fills++;
	collect_records(pe);
	return spe_resume(frame, pe->buffer + BUFFER_START);
}

static void arm_timer(const struct pe *pe)
{
	write_sysreg(cntv_cval_el0, counter() + pe->period);
	write_sysreg(cntv_ctl_el0, 1);
	isb();
}

/* The last SGI has to be taken before the next is sent: two that wait are one. */
static void send_sgi(struct pe *pe)
{
	struct pe *next = next_pe(pe);

	if (next->taken != pe->sent)
		return;
	pe->sent++;
	dsb();
	gic_send_sgi(SGI, next->mpidr);
}

static enum exc_return timer_irq(struct exc_frame *frame, uint32_t intid)
{
	struct pe *pe = this_pe();

	(void)intid;
	/* Where the PEs share a host's, time passes while others have it: some has to be left. */
	if (frame->elr == pe->interrupted)
		pe->period *= 2;
	pe->interrupted = frame->elr;
	if (!(read_sysreg(cntv_ctl_el0) & 4)) /* ISTATUS */
		pe->spurious++;
	pe->timers++;
	send_sgi(pe);
	arm_timer(pe);
	return EXC_RETURN;
}

static enum exc_return sgi_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	this_pe()->taken++;
	dsb();
	return EXC_RETURN;
}

static void program_pe(const struct pe *pe)
{
	struct spe_setup setup = {
		.pointer = pe->buffer + BUFFER_START,
		.limit = pe->buffer + BUFFER_PAGES * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(pe->interval),
	};

	spe_program(&setup);
}

/*
 * A fraction of what a lap takes while it is profiled, whatever that costs here. The first ones may
 * take much longer: an emulator translates them.
 */
static uint64_t measure_period(const struct pe *pe)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < MEASURED_LAPS; i++) {
		uint64_t start, ticks;

		program_pe(pe);
		start = counter();
		spe_run_el0(PMSCR_E0SPE, user_address(user_sled), 1, 0);
		ticks = (counter() - start) / TIMERS_A_LAP;
		least = ticks < least ? ticks : least;
	}
	return least ? least : 1;
}

static void set_interrupts(gic_handler *buffer, gic_handler *timer, gic_handler *sgi)
{
	gic_enable(spe_caps.intid, buffer);
	gic_enable(timer_intid, timer);
	gic_enable(SGI, sgi);
}

/* Profiled laps under timer interrupts. */
static void run_once(struct pe *pe)
{
	pe->runs++;
	pe->has_last = false;
	program_pe(pe);
	arm_timer(pe);
	spe_run_el0(PMSCR_E0SPE, user_address(user_sled), pe->laps, 0);
	write_sysreg(cntv_ctl_el0, 0);
	isb();
	collect_records(pe);
	spe_disable();
}

static void run_load(struct pe *pe)
{
	pe->period = measure_period(pe);
	set_interrupts(buffer_irq, timer_irq, sgi_irq);
	pe->ready = true;
	dsb();
	wait_while(!go);
	/* What was measured while other PEs had the host's may be far too long. */
	do {
		run_once(pe);
		pe->period = pe->period / 2 + 1;
	} while (pe->timers == 0 && pe->runs < RUNS);
	pe->done = true;
	dsb();
	/* What the others have sent is still to come. */
	irq_enable();
	for (unsigned int i = 0; i < count; i++)
		wait_while(!pes[i].done || next_pe(&pes[i])->taken != pes[i].sent);
	irq_disable();
}

static void load_secondary(unsigned int cpu)
{
	write_sysreg(tpidr_el1, (uintptr_t)&pes[cpu]);
	if (gic_init_cpu())
		run_load(&pes[cpu]);
}

static const char *needs_all(void)
{
	const char *why = needs_spe_irq();
	uint64_t mpidr;

	if (!why && !platform_cpu(1, &mpidr))
		why = "one CPU";
	timer_intid = platform_interrupt(PLATFORM_TIMER_VIRTUAL);
	if (!why && timer_intid == 0)
		why = "the firmware names no virtual timer";
	return why;
}

static void wait_off(uint64_t mpidr)
{
	wait_while(psci_affinity_info(mpidr) != 1);
}

static void under_load(void)
{
	uint64_t mpidr;

	for (count = 0; count < LOAD_CPUS && platform_cpu(count, &mpidr); count++)
		pes[count] = (struct pe){.number = count,
					 .mpidr = mpidr,
					 .buffer = (uintptr_t)data_alloc(BUFFER_PAGES),
					 .laps = LAPS + count,
					 .interval = 1};
	for (unsigned int i = 1; i < count && platform_cpu(i, &mpidr); i++) {
		if (!CHECK(psci_cpu_on(mpidr, i, load_secondary) == PSCI_SUCCESS,
			   "CPU %u does not start", i))
			return;
		wait_while(!pes[i].ready);
	}
	write_sysreg(tpidr_el1, (uintptr_t)&pes[0]);
	go = true;
	dsb();
	run_load(&pes[0]);
	set_interrupts(NULL, NULL, NULL);
	for (unsigned int i = 1; i < count && platform_cpu(i, &mpidr); i++)
		wait_off(mpidr);
	for (unsigned int i = 0; i < count; i++)
		tap_note("CPU %u: %lu records, %lu fills, %lu timers, %lu SGIs sent, %lu taken", i,
			 pes[i].records, pes[i].fills, pes[i].timers, pes[i].sent, pes[i].taken);
}

static void test_records(void)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct pe *pe = &pes[i];
		uint64_t members = pe->laps * SLED_LAP + 1 + SPE_RUN_EL0_EXTRA;
		uint64_t wanted = pe->runs * (members / spe_spacing(pe->interval));
		/* Each run begins anew. */
		uint64_t most = pe->runs *
				(members / (spe_spacing(pe->interval) - spe_loads_when_enabled()));

		CHECK(pe->records >= wanted && pe->records <= most,
		      "CPU %u has %lu records, not %lu", i, pe->records, wanted);
		CHECK(pe->misplaced == 0, "CPU %u has %lu records out of place", i, pe->misplaced);
	}
}

static void test_interrupts(void)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct pe *pe = &pes[i];

		/* Records of one size are half a page at least, others may be shorter. */
		CHECK(pe->fills > 0 || spe_caps.align < spe_caps.max_record,
		      "CPU %u took no buffer interrupt", i);
		CHECK(pe->unexpected == 0, "CPU %u had another PMBSR_EL1 than full", i);
		CHECK(pe->timers > 0, "CPU %u took no timer interrupt", i);
		CHECK(pe->spurious == 0, "%lu timer interrupts of CPU %u came early", pe->spurious,
		      i);
		CHECK(pe->sent > 0, "CPU %u sent no SGI", i);
		CHECK(next_pe(pe)->taken == pe->sent, "%lu SGIs of CPU %u, %lu were taken",
		      pe->sent, i, next_pe(pe)->taken);
	}
}

/* Off with the buffer enabled and EL1 profiled, in the middle of an interval. */
static void unplug_cpu(unsigned int cpu)
{
	struct pe *pe = &pes[cpu];

	pe->enabled = read_sysreg(PMBLIMITR_EL1);
	program_pe(pe);
	write_sysreg(PMSCR_EL1, PMSCR_E1SPE);
	isb();
	((void (*)(uint64_t))nops(user_address(kernel_nops_end), 600))(0);
	psb_csync(); /* a record that is not written yet may be lost */
	psci_cpu_off();
}

/* On again: for a while as it comes, then profiled as ever. */
static void plug_cpu(unsigned int cpu)
{
	struct pe *pe = &pes[cpu];

	pe->enabled = read_sysreg(PMBLIMITR_EL1);
	write_sysreg(PMSCR_EL1, PMSCR_E1SPE);
	isb();
	((void (*)(uint64_t))nops(user_address(kernel_nops_end), 600))(0);
	write_sysreg(PMSCR_EL1, 0);
	isb();
	pe->ready = true;
	dsb();
	wait_while(!go);
	program_pe(pe);
	spe_run_el0(PMSCR_E0SPE, nops(user_address(user_nops_end), ONE_SAMPLE), 0, 0);
	for (const uint8_t *at = (const uint8_t *)pe->buffer + BUFFER_START;
	     at < (const uint8_t *)read_sysreg(PMBPTR_EL1);) {
		struct record r;
		long size = record_parse(at, spe_caps.max_record, &r);

		if (size <= 0 || user_address(user_nops_end) - r.pc >= ONE_SAMPLE * 4)
			pe->misplaced++;
		if (size <= 0)
			break;
		pe->records++;
		at += ((uint64_t)size + spe_caps.align - 1) & ~(spe_caps.align - 1);
	}
	spe_disable();
	pe->done = true;
	dsb();
}

static bool all_is(const volatile uint8_t *bytes, uint64_t size, uint8_t value)
{
	for (uint64_t i = 0; i < size; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void unplug_once(uint64_t mpidr)
{
	struct pe *pe = &pes[1];
	volatile uint8_t *buffer = (volatile uint8_t *)pe->buffer;

	*pe = (struct pe){.number = 1, .buffer = pe->buffer, .interval = 1};
	go = false;
	memset((void *)pe->buffer, PATTERN, PAGE_SIZE);
	CHECK(psci_cpu_on(mpidr, 1, unplug_cpu) == PSCI_SUCCESS, "the CPU does not start");
	wait_off(mpidr);
	CHECK(!(pe->enabled & PMBLIMITR_E), "it started with PMBLIMITR_EL1 0x%lx", pe->enabled);
	CHECK(!all_is(buffer, PAGE_SIZE, PATTERN), "it did not profile");
	/* Whatever is written from now on is written by a PE that should not. */
	memset((void *)pe->buffer, PATTERN, PAGE_SIZE);
	pe->enabled = ~UINT64_C(0);
	CHECK(psci_cpu_on(mpidr, 1, plug_cpu) == PSCI_SUCCESS, "the CPU does not start again");
	wait_while(!pe->ready);
	CHECK(!(pe->enabled & PMBLIMITR_E), "it started again with PMBLIMITR_EL1 0x%lx",
	      pe->enabled);
	CHECK(all_is(buffer, PAGE_SIZE, PATTERN), "it profiled before anybody enabled that");
	go = true;
	dsb();
	wait_while(!pe->done);
	wait_off(mpidr);
	CHECK(pe->records == 1, "%lu records, not 1", pe->records);
	CHECK(pe->misplaced == 0, "%lu records out of place", pe->misplaced);
}

static void test_unplugged(void)
{
	uint64_t mpidr = 0;

	pes[1].buffer = (uintptr_t)data_alloc(BUFFER_PAGES);
	platform_cpu(1, &mpidr);
	for (unsigned int i = 0; i < UNPLUGS; i++)
		unplug_once(mpidr);
}

static const struct test tests[] = {
	{"PEs profile under timer interrupts and SGIs", under_load, needs_all},
	{"no record is lost", test_records, needs_all},
	{"no interrupt is lost", test_interrupts, needs_all},
	{"a PE goes off while it profiles, and starts with profiling disabled", test_unplugged,
	 needs_all},
};

void guest_main(void)
{
	tap_run("smp-load", tests, sizeof(tests) / sizeof(tests[0]));
}

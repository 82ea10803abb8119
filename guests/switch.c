/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch: two guests at EL1, each profiling itself, take turns under a hypervisor that saves and
 * restores their SPE context. Each has to get the same samples, record by record, as when it runs
 * alone: PMSICR_EL1 is there for that (its page: "save and restore"; Arm ARM D17.3.5: it keeps
 * while profiling is disabled).
 *
 * Timestamps are the only thing that may differ, and counters of cycles on machines where time is
 * real.
 */
#include "arch.h"
#include "string.h"
#include "switch.h"
#include "tap.h"

#define MOST_RECORDS (LOG_PAGES * PAGE_SIZE / 64)
#define MOST_RUNS    50 /* until both have had their turns */

/* Of the Events packet: exception generated, retired, condition failed. */
#define EVENTS_ARCHITECTURAL (UINT64_C(1) << 0 | UINT64_C(1) << 1 | UINT64_C(1) << 6)

static struct vm_program programs[VM_COUNT] = {
	{
		.name = "memory",
		.work = (uintptr_t)switch_memory,
		.work_end = (uintptr_t)switch_memory_end,
		.laps = 1800,
		.profile = true,
		.buffer_size = BUFFER_PAGES * PAGE_SIZE,
		.pmscr = PMSCR_E1SPE | PMSCR_PA | PMSCR_TS | PMSCR_CX,
		.pmsirr = PMSIRR_INTERVAL(1),
		.pmsfcr = PMSFCR_FT | PMSFCR_LD | PMSFCR_ST,
		.pmsevfr = 0x2,
		.pmslatfr = 5,
	},
	{
		.name = "branches",
		.work = (uintptr_t)switch_branches,
		.work_end = (uintptr_t)switch_branches_end,
		.laps = 900,
		.profile = true,
		.buffer_size = BUFFER_PAGES * PAGE_SIZE,
		.pmscr = PMSCR_E1SPE | PMSCR_TS | PMSCR_CX,
		.pmsirr = PMSIRR_INTERVAL(2),
		.pmsicr = 300,
		.pmslatfr = 9,
	},
};

static struct vm vms[VM_COUNT];

/* What came of a program. */
struct outcome {
	uint64_t result, count;
	struct record records[MOST_RECORDS];
};

static struct outcome alone[VM_COUNT], now;

/* Read a VM's log. False, and said, if it does not parse. */
static bool read_log(const struct vm *vm, struct outcome *outcome)
{
	static uint8_t log[LOG_PAGES * PAGE_SIZE];
	uint64_t used = vm_log_used(vm), at = 0;

	outcome->result = vm_result(vm);
	outcome->count = 0;
	vm_copy(vm, __builtin_offsetof(struct window, log), log, used);
	while (at < used) {
		struct record *r = &outcome->records[outcome->count];
		long size = record_parse(log + at, used - at, r);

		if (size == 0)
			break;
		if (!CHECK(size > 0 && outcome->count < MOST_RECORDS - 1,
			   "%s: no record at 0x%lx of 0x%lx", vm->program->name, at, used))
			return false;
		outcome->count++;
		at += (uint64_t)size;
	}
	return true;
}

static void reset_programs(const struct vm_program *of)
{
	for (unsigned int i = 0; i < VM_COUNT; i++)
		vm_reset(&vms[i], &of[i]);
}

/* Each program by itself, with nothing saved and restored on the way. */
static bool run_alone(const struct vm_program *of)
{
	static const struct schedule schedule = {.turns = TURNS_NEVER};

	reset_programs(of);
	for (unsigned int i = 0; i < VM_COUNT; i++)
		if (!vm_run(&vms[i], 1, &schedule) || !read_log(&vms[i], &alone[i]))
			return false;
	return true;
}

/*
 * What caches and TLBs hold is nobody's context: a walk, a miss, and how long they take may differ,
 * as may the time.
 */
static bool same_record(struct record a, struct record b)
{
	a.timestamp = b.timestamp = 0;
	a.latency = b.latency = a.issue = b.issue = a.xlat = b.xlat = a.source = b.source = 0;
	a.events &= EVENTS_ARCHITECTURAL;
	b.events &= EVENTS_ARCHITECTURAL;
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/* The first record that is not as when it was alone; the shorter of both ends if that is all. */
static uint64_t first_difference(const struct outcome *a, const struct outcome *b)
{
	uint64_t i = 0;

	while (i < a->count && i < b->count && same_record(a->records[i], b->records[i]))
		i++;
	return i;
}

static void print_difference(const char *name, uint64_t at, const struct record *r,
			     const struct record *was)
{
	tap_fail("%s: record %lu, and the same alone:", name, at);
	for (unsigned int i = 0; i < 2; i++, r = was)
		tap_note("  PC 0x%lx EL%u target 0x%lx VA 0x%lx PA 0x%lx type 0x%x events 0x%lx "
			 "latencies %u %u %u context 0x%x",
			 r->pc, r->el, r->target, r->va, r->pa, r->type, r->events, r->latency,
			 r->issue, r->xlat, r->context);
}

static void check_same(unsigned int i)
{
	const struct outcome *was = &alone[i];
	const char *name = vms[i].program->name;
	uint64_t at;

	if (!read_log(&vms[i], &now))
		return;
	CHECK(now.result == was->result, "%s: checksum 0x%lx, alone 0x%lx", name, now.result,
	      was->result);
	CHECK(now.count == was->count, "%s: %lu records, alone %lu", name, now.count, was->count);
	at = first_difference(&now, was);
	if (at < now.count && at < was->count)
		print_difference(name, at, &now.records[at], &was->records[at]);
	for (uint64_t n = 1; n < now.count; n++)
		if (!CHECK(now.records[n].timestamp > now.records[n - 1].timestamp,
			   "%s: record %lu: time runs backwards", name, n))
			break;
}

static bool all_had(uint64_t turns)
{
	for (unsigned int i = 0; i < VM_COUNT; i++)
		if (vms[i].turns < turns)
			return false;
	return true;
}

/*
 * Both in turns: at least so many of them each. Where time is real and the host busy the timer may
 * be so late that one of them is done by then: once more.
 */
static void check_turns(const struct vm_program *of, const struct schedule *schedule,
			uint64_t turns)
{
	unsigned int runs = 0;

	do {
		reset_programs(of);
		if (!vm_run(vms, VM_COUNT, schedule))
			return;
	} while (!all_had(turns) && ++runs < MOST_RUNS);
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		CHECK(vms[i].turns >= turns, "%s: %lu turns", vms[i].program->name, vms[i].turns);
		check_same(i);
	}
}

/* The programs without their profiling: nothing of this needs SPE. */
static struct vm_program plain[VM_COUNT];

static bool run_plain_alone(void)
{
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		plain[i] = programs[i];
		plain[i].profile = plain[i].interrupts = false;
	}
	return run_alone(plain);
}

/* Ticks of EL2's timer for a turn: what the shortest work takes is a multiple of each. */
static uint64_t slice_of(unsigned int n)
{
	static const uint64_t parts[] = {7, 50, 211};
	static uint64_t ticks;

	if (ticks == 0) {
		uint64_t start = counter();

		run_plain_alone();
		ticks = (counter() - start) / 2;
	}
	return ticks / parts[n];
}

static void plain_yield(void)
{
	static const struct schedule schedule = {.turns = TURNS_YIELD};

	if (!run_plain_alone())
		return;
	check_turns(plain, &schedule, programs[1].laps);
}

static void plain_timer(void)
{
	struct schedule schedule = {.turns = TURNS_TIMER, .slice = slice_of(0)};

	if (!run_plain_alone())
		return;
	check_turns(plain, &schedule, 2);
}

/*
 * Do samples collide at EL1? Found out by trying, as in spe.c, but below: alone, and in runs of one
 * lap with a sample each, as one VM's sample may come shortly after the other's.
 */
static bool samples_collide(void)
{
	static const struct schedule schedule = {.turns = TURNS_NEVER};
	struct vm_program once = programs[0];
	uint64_t status;

	run_alone(programs);
	status = vms[0].spe.pmbsr | vms[1].spe.pmbsr;
	once.laps = 1;
	once.pmsicr = 1;
	for (unsigned int run = 0; run < 24 && !(status & PMBSR_COLL); run++) {
		vm_reset(&vms[0], &once);
		if (!vm_run(&vms[0], 1, &schedule))
			break;
		status |= vms[0].spe.pmbsr;
	}
	return status & PMBSR_COLL;
}

/*
 * Is a COUNT of zero loaded when profiling becomes enabled (D17.3.3)? Then a turn that ends at a
 * sample makes the next one come an operation earlier: a lap from zero leaves what one from a full
 * COUNT leaves.
 */
static bool loads_when_enabled(void)
{
	static const struct schedule schedule = {.turns = TURNS_NEVER};
	struct vm_program once = programs[0];
	uint64_t after[2];

	once.laps = 1;
	for (unsigned int full = 0; full < 2; full++) {
		once.pmsicr = full ? (once.pmsirr & ~UINT64_C(0xff)) : 0;
		vm_reset(&vms[0], &once);
		if (!vm_run(&vms[0], 1, &schedule))
			return false;
		after[full] = vms[0].spe.pmsicr;
	}
	return after[0] == after[1];
}

static const char *needs_vms(void)
{
	static enum { UNKNOWN, COLLIDE, EXACT } known;
	const char *why = needs_el2();

	if (!why)
		why = needs_spe();
	if (!why && known == UNKNOWN)
		known = samples_collide() ? COLLIDE : EXACT;
	if (!why && known == COLLIDE)
		why = "samples collide: PMBSR_EL1.COLL";
	return why;
}

static const char *needs_same(void)
{
	static enum { UNKNOWN, LATER, LOADS } known;
	const char *why = needs_vms();

	if (!why && known == UNKNOWN)
		known = loads_when_enabled() ? LOADS : LATER;
	return needs_too(why, known != LOADS,
			 "PMSICR_EL1 of zero is loaded when profiling becomes enabled");
}

/* What a VM has to get when it is alone. */
static void check_alone(unsigned int i)
{
	const struct vm_program *p = &programs[i];
	const struct outcome *o = &alone[i];
	uint64_t outside = 0, elsewhere = 0, other = 0;

	for (uint64_t n = 0; n < o->count; n++) {
		const struct record *r = &o->records[n];

		outside += r->pc < p->work || r->pc >= p->work_end || r->el != 1;
		other += !(r->has & RECORD_CONTEXT) || r->context != vms[i].cpu.contextidr_el1;
		elsewhere += (r->has & RECORD_PA) && !vm_owns(&vms[i], r->pa);
	}
	tap_note("%s: %lu records", p->name, o->count);
	CHECK(o->count >= 100, "%s: %lu records", p->name, o->count);
	CHECK(vms[i].spe.pmbsr == 0, "%s: PMBSR_EL1 is 0x%lx", p->name, vms[i].spe.pmbsr);
	CHECK(outside <= 1, "%s: %lu records of other code", p->name, outside);
	CHECK(other == 0, "%s: %lu records of another context", p->name, other);
	CHECK(elsewhere == 0, "%s: %lu records of others' memory", p->name, elsewhere);
}

static void each_alone(void)
{
	uint64_t with_pa = 0;

	if (!run_alone(programs))
		return;
	for (unsigned int i = 0; i < VM_COUNT; i++)
		check_alone(i);
	for (uint64_t n = 0; n < alone[0].count; n++)
		with_pa += (alone[0].records[n].has & RECORD_PA) != 0;
	CHECK(with_pa == alone[0].count, "%s: %lu of %lu records have a PA", programs[0].name,
	      with_pa, alone[0].count);
}

static void turns_yield(void)
{
	static const struct schedule schedule = {.turns = TURNS_YIELD};

	if (!run_alone(programs))
		return;
	check_turns(programs, &schedule, programs[1].laps);
}

static void turns_timer(void)
{
	for (unsigned int n = 0; n < 3; n++) {
		struct schedule schedule = {.turns = TURNS_TIMER, .slice = slice_of(n)};

		if (!run_alone(programs))
			return;
		check_turns(programs, &schedule, 2);
		tap_note("slices of %lu ticks: %lu and %lu turns", schedule.slice, vms[0].turns,
			 vms[1].turns);
	}
}

static const char *needs_vhe(void)
{
	const char *why = needs_same();

	if (!why && field(read_sysreg(id_aa64mmfr1_el1), 11, 8) == 0)
		why = "no FEAT_VHE: ID_AA64MMFR1_EL1.VH is 0";
	return why;
}

/* HCR_EL2.E2H: PMSCR_EL1 is PMSCR_EL2 to the hypervisor, and PMSCR_EL12 the VM's. */
static void turns_host(void)
{
	struct schedule schedule = {.turns = TURNS_TIMER, .slice = slice_of(1)};

	if (!run_alone(programs))
		return;
	el2_set_host(true);
	check_turns(programs, &schedule, 2);
	el2_set_host(false);
}

/* That the comparison can fail: a hypervisor that leaves PMSICR_EL1 as it is. */
static void test_forgotten(void)
{
	static const struct schedule schedule = {.turns = TURNS_YIELD, .forget_pmsicr = true};
	uint64_t at;

	if (!run_alone(programs))
		return;
	reset_programs(programs);
	if (!vm_run(vms, VM_COUNT, &schedule))
		return;
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		if (!read_log(&vms[i], &now))
			return;
		at = first_difference(&now, &alone[i]);
		CHECK(at < now.count || at < alone[i].count, "%s: nobody would notice",
		      programs[i].name);
	}
}

static const char *needs_vm_interrupts(void)
{
	const char *why = needs_same();

	if (!why)
		why = needs_spe_irq();
	return why;
}

/* Small buffers: the interrupt of a full one is the VM's whose buffer it is. */
static void test_interrupts(void)
{
	static struct vm_program small[VM_COUNT];
	struct schedule schedule = {.turns = TURNS_TIMER, .slice = slice_of(1)};
	uint64_t fills[VM_COUNT];

	for (unsigned int i = 0; i < VM_COUNT; i++) {
		small[i] = programs[i];
		small[i].interrupts = true;
		small[i].buffer_size = spe_window((i + 1) * PAGE_SIZE);
	}
	if (!run_alone(small))
		return;
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		fills[i] = vms[i].interrupts;
		CHECK(fills[i] > 0, "%s: never full", small[i].name);
	}
	check_turns(small, &schedule, 2);
	for (unsigned int i = 0; i < VM_COUNT; i++)
		CHECK(vms[i].interrupts == fills[i], "%s: %lu interrupts, alone %lu", small[i].name,
		      vms[i].interrupts, fills[i]);
	tap_note("%lu and %lu interrupts", fills[0], fills[1]);
}

static const struct test tests[] = {
	{"without SPE: in turns, offered by HVC", plain_yield, needs_el2},
	{"without SPE: in turns, by EL2's timer", plain_timer, needs_el2},
	{"each guest alone", each_alone, needs_vms},
	{"in turns, offered by HVC: the same samples", turns_yield, needs_same},
	{"in turns, by EL2's timer: the same samples", turns_timer, needs_same},
	{"in turns, under a host with E2H: the same samples", turns_host, needs_vhe},
	{"PMSICR_EL1 not switched: other samples", test_forgotten, needs_vms},
	{"each guest gets its own buffer interrupt", test_interrupts, needs_vm_interrupts},
};

/* A buffer that may not be as large, or has not the room, is emptied when it is full. */
static void fit_buffers(void)
{
	for (unsigned int i = 0; i < VM_COUNT; i++) {
		programs[i].buffer_size = spe_window(programs[i].buffer_size);
		programs[i].interrupts = programs[i].buffer_size < spe_space(BUFFER_PAGES);
	}
}

void guest_main(void)
{
	if (!needs_el2())
		vm_init_all(vms);
	if (!needs_spe())
		fit_buffers();
	tap_run("switch", tests, sizeof(tests) / sizeof(tests[0]));
}

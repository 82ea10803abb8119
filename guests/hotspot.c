/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hotspot: a program profiles itself. Three functions of known weight run at EL1 and at EL0, with a
 * fixed and a random interval; the buffer is small, so that its interrupt comes many times. The
 * guest reads the records back, makes the table that a profiler would show, and compares every
 * packet with what it knows it did. What it prints as "log:" is for comparing with the host's
 * perf.data.
 *
 * Boot arguments: rounds=N, of the three functions; interval=N, of PMSIRR_EL1; pages=N, of the
 * buffer.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "gic.h"
#include "hotspot.h"
#include "platform.h"
#include "record.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

struct range {
	uintptr_t start, end;
};

/* One of the two copies of the code. */
struct program {
	unsigned int el;
	struct range functions[4]; /* sixty, thirty, ten, driver */
	uint64_t data;		   /* DATA_BYTES of it */
};

struct profile {
	const struct program *program;
	bool random;
	uint64_t population, fills, records;
	uint64_t samples[5]; /* as functions, and elsewhere */
	uint64_t bad_status; /* a PMBSR_EL1 that was not simply "full" */
	uint64_t bad_stream; /* a stretch of the buffer that did not parse */
	uint64_t wrong;	     /* records with a packet that cannot be */
	uint64_t last_timestamp;
};

static const char *const function_names[] = {"sixty", "thirty", "ten", "driver", "(elsewhere)"};
static const unsigned int expected_share[] = {60, 30, 10};

static struct program programs[2];
static struct profile profiles[4], *current;
static uint64_t buffer, buffer_pages, rounds, interval;

static void report_wrong(const struct record *r, const char *what)
{
	if (current->wrong++ < 4)
		tap_note("record at PC 0x%lx: %s", r->pc, what);
}

/* The two memory operations of thirty(), the second and fourth instruction. */
static void check_memory(const struct program *p, const struct record *r)
{
	uintptr_t offset = r->pc - p->functions[1].start;
	bool store = offset == 12;

	if (offset != 4 && !store) {
		if (r->type_header == TYPE_MEMORY || r->has & (RECORD_VA | RECORD_PA))
			report_wrong(r, "a data access of an operation that makes none");
		return;
	}
	if (r->type_header != TYPE_MEMORY || r->type != store)
		report_wrong(r, "operation type is not that of its load or store");
	if (!(r->has & RECORD_VA) || r->va < p->data || r->va >= p->data + DATA_BYTES)
		report_wrong(r, "data address is not in the buffer it used");
	if (!(r->has & RECORD_PA) || r->pa != mmu_translate(r->va))
		report_wrong(r, "physical address is not the translation of the virtual one");
}

/* Is the instruction a branch? From the code itself: B.cond, BL and RET are all there are. */
static bool is_branch(const struct program *p, uint64_t pc)
{
	uint32_t insn = 0;

	/* EL0's code is mapped for reading at EL1 too. */
	for (unsigned int i = 0; i < 4; i++)
		if (pc >= p->functions[i].start && pc < p->functions[i].end)
			insn = *(const volatile uint32_t *)pc;
	return (insn & 0xff000010) == 0x54000000 || insn >> 26 == 0x25 ||
	       (insn & 0xfffffc1f) == 0xd65f0000;
}

static void check_branch(const struct program *p, const struct record *r)
{
	bool branch = is_branch(p, r->pc), taken = !(r->events & 1 << 6);

	if (branch != (r->type_header == TYPE_BRANCH))
		report_wrong(r, "branch or not, the operation type says otherwise");
	/* Real cores give a branch that is not taken the next instruction for its target. */
	if (branch && taken != !!(r->has & RECORD_TARGET) && (taken || r->target != r->pc + 4))
		report_wrong(r, "a target with a branch not taken, or none with one taken");
}

static void count_record(const struct record *r)
{
	const struct program *p = current->program;
	unsigned int i;

	current->records++;
	if (!(r->has & RECORD_PC) || !(r->has & RECORD_TYPE) || !(r->has & RECORD_EVENTS) ||
	    !(r->has & RECORD_TIMESTAMP)) {
		report_wrong(r, "a packet is missing");
		return;
	}
	if (r->el != p->el)
		report_wrong(r, "wrong Exception level");
	if (!(r->events & 1 << 1))
		report_wrong(r, "not retired");
	if (r->timestamp < current->last_timestamp)
		report_wrong(r, "time runs backwards");
	current->last_timestamp = r->timestamp;
	for (i = 0; i < 4; i++)
		if (r->pc >= p->functions[i].start && r->pc < p->functions[i].end)
			break;
	current->samples[i]++;
	if (i == 4)
		return;
	check_memory(p, r);
	check_branch(p, r);
}

/* Read all records up to PMBPTR_EL1. */
static void harvest_records(void)
{
	const uint8_t *at = (const uint8_t *)buffer, *end;
	long size;

	end = (const uint8_t *)read_sysreg(PMBPTR_EL1);
	while (at < end) {
		struct record r;

		size = record_parse(at, (size_t)(end - at), &r);
		if (size < 0)
			current->bad_stream++;
		if (size <= 0)
			break;
		count_record(&r);
		at += size;
	}
}

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	uint64_t status;

	(void)intid;
	spe_drain();
	status = read_sysreg(PMBSR_EL1);
	if (!(status & PMBSR_S))
		return EXC_RETURN;
	if (status != (PMBSR_S | PMBSR_BSC_FULL))
		current->bad_status = status;
	current->fills++;
	harvest_records();
	return spe_resume(frame, buffer);
}

static void print_table(const struct profile *p)
{
	printf("# hot spots at EL%u, every %lu operations%s: %lu records, %lu fills of the "
	       "buffer\n",
	       p->program->el, interval * 256, p->random ? " and random" : "", p->records,
	       p->fills);
	printf("# %-12s %18s %8s %9s\n", "function", "address", "samples", "per cent");
	for (unsigned int i = 0; i < 5; i++) {
		uint64_t tenths = p->records ? p->samples[i] * 1000 / p->records : 0;
		uintptr_t at = i < 4 ? p->program->functions[i].start : 0;

		printf("# %-12s 0x%016lx %8lu %7lu.%lu\n", function_names[i], (unsigned long)at,
		       p->samples[i], tenths / 10, tenths % 10);
	}
}

/* For comparing the host's perf.data with what the guest really used. */
static void print_log(const struct program *p)
{
	for (unsigned int i = 0; i < 4; i++)
		tap_note("log: EL%u %s 0x%lx-0x%lx", p->el, function_names[i],
			 p->functions[i].start, p->functions[i].end);
	for (uint64_t va = p->data; va < p->data + DATA_BYTES; va += PAGE_SIZE)
		tap_note("log: EL%u data VA 0x%lx PA 0x%lx", p->el, va, mmu_translate(va));
}

/* From the first to the last operation that is profiled. */
static void profile_workload(struct profile *p)
{
	const struct program *program = p->program;
	struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + buffer_pages * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(interval) | (p->random ? PMSIRR_RND : 0),
	};
	uint64_t common = PMSCR_PA | PMSCR_TS;

	current = p;
	if (!p->random)
		print_log(program);
	memset((void *)program->data, 0, DATA_BYTES);
	spe_program(&setup);
	gic_enable(spe_caps.intid, buffer_irq);
	p->population = DRIVER_OPS(rounds);
	if (program->el == 1) {
		irq_enable();
		spe_run_el1(common | PMSCR_E1SPE, program->functions[3].start, rounds,
			    program->data);
		irq_disable();
		/* The ERET of each return from the interrupt is a member too. */
		p->population += SPE_RUN_EL1_EXTRA + p->fills;
	} else {
		spe_run_el0(common | PMSCR_E0SPE, program->functions[3].start, rounds,
			    program->data);
		p->population += SPE_RUN_EL0_EXTRA;
	}
	gic_enable(spe_caps.intid, NULL);
	harvest_records();
	spe_disable();
	print_table(p);
}

static void check_interrupts(const struct profile *p)
{
	CHECK(p->fills >= 3, "the buffer interrupt came %lu times", p->fills);
	CHECK(p->bad_status == 0, "PMBSR_EL1 was 0x%lx", p->bad_status);
	CHECK(p->bad_stream == 0, "%lu fills did not parse", p->bad_stream);
}

/*
 * With a random interval: either selection n lies at n intervals plus 0 to 255, and the number is
 * nearly certain; or each interval has 0 to 255 more, 127.5 in the mean, taken with five standard
 * deviations.
 */
static void check_number(const struct profile *p)
{
	uint64_t spacing = spe_spacing(interval), n = p->records, population = p->population;
	uint64_t most = population / spacing, least = most;

	tap_note("%lu operations, %lu records", population, n);
	if (p->random && spe_caps.ernd)
		least = (population - 255) / spacing;
	if (p->random && (n < least || n > most || !spe_caps.ernd)) {
		least = population / (spacing + 134);
		most = population / (spacing + 120);
	}
	CHECK(n >= least && n <= most, "%lu records, not %lu to %lu", n, least, most);
}

static void check_shares(const struct profile *p)
{
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t tenths = p->records ? p->samples[i] * 1000 / p->records : 0;
		uint64_t want = expected_share[i] * 10;

		CHECK(tenths + 20 >= want && tenths <= want + 20, "%s has %lu.%lu per cent",
		      function_names[i], tenths / 10, tenths % 10);
	}
}

static void check_packets(const struct profile *p)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < DATA_BYTES / 8; i++)
		sum += ((const uint64_t *)p->program->data)[i];
	CHECK(sum == rounds * THIRTY_TURNS, "the profiled code computed %lu", sum);
	CHECK(p->wrong == 0, "%lu records of %lu are wrong", p->wrong, p->records);
	/* EL1: our own start and end; EL0: the SVC. */
	CHECK(p->samples[4] <= 1 + p->fills / 100, "%lu samples elsewhere", p->samples[4]);
}

#define PROFILE_TESTS(n)                        \
	static void interrupts##n(void)         \
	{                                       \
		profile_workload(&profiles[n]); \
		check_interrupts(&profiles[n]); \
	}                                       \
	static void number##n(void)             \
	{                                       \
		check_number(&profiles[n]);     \
	}                                       \
	static void shares##n(void)             \
	{                                       \
		check_shares(&profiles[n]);     \
	}                                       \
	static void packets##n(void)            \
	{                                       \
		check_packets(&profiles[n]);    \
	}

PROFILE_TESTS(0)
PROFILE_TESTS(1)
PROFILE_TESTS(2)
PROFILE_TESTS(3)

#define PROFILE_LINES(n, what)                                                         \
	{what ": records and interrupts", interrupts##n, needs_spe_irq},               \
		{what ": number of records", number##n, needs_spe_irq},                \
		{what ": shares of 60, 30 and 10 per cent", shares##n, needs_spe_irq}, \
	{                                                                              \
		what ": packets say what was done", packets##n, needs_spe_irq          \
	}

static const struct test tests[] = {
	PROFILE_LINES(0, "EL1, fixed"),
	PROFILE_LINES(1, "EL1, random"),
	PROFILE_LINES(2, "EL0, fixed"),
	PROFILE_LINES(3, "EL0, random"),
};

#define FUNCTION(address, prefix, name)                                  \
	{                                                                \
		address(prefix##_##name), address(prefix##_##name##_end) \
	}
#define FUNCTIONS(address, prefix)                                                        \
	{                                                                                 \
		FUNCTION(address, prefix, sixty), FUNCTION(address, prefix, thirty),      \
			FUNCTION(address, prefix, ten), FUNCTION(address, prefix, driver) \
	}

static void prepare_workload(void)
{
	const char *why = needs_spe();

	programs[0] = (struct program){1, FUNCTIONS(user_address, kernel),
				       (uintptr_t)data_alloc(DATA_BYTES / PAGE_SIZE)};
	programs[1] = (struct program){0, FUNCTIONS(user_address, user),
				       (uintptr_t)user_data_alloc(DATA_BYTES / PAGE_SIZE)};
	rounds = bootarg("rounds", 48);
	interval = bootarg("interval", 4); /* 1024 operations */
	buffer_pages = bootarg("pages", 4);
	if (!why)
		buffer_pages = spe_window(buffer_pages * PAGE_SIZE) / PAGE_SIZE;
	buffer = (uintptr_t)data_alloc(buffer_pages);
	for (unsigned int i = 0; i < 4; i++)
		profiles[i] = (struct profile){.program = &programs[i / 2], .random = i % 2};
}

void guest_main(void)
{
	prepare_workload();
	tap_run("hotspot", tests, sizeof(tests) / sizeof(tests[0]));
}

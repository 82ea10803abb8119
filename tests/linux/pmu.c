/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and only process of a Linux kernel: perf counts and samples with the PMU exactly what
 * was executed. Stretches of code of known length are counted one after the other and together, by
 * user and kernel, by more events than there are counters, and against the guest's clock, which is
 * the engine's count of operations. They are sampled by period, also while arm_spe_0 samples the
 * same. It prints TAP.
 *
 * Its command line may have, after "--", "cycles": an operation takes one cycle; and "kvm": the PMU
 * is KVM's in a nested host, which counts, but loses interrupts, and time does not follow what is
 * executed.
 */
#include "../array.h"
#include "perf_ring.h"
#include "spe_code.h"
#include "user.h"

#define LOOPS	    20000ul
#define CALLS	    100ul
#define EVENTS_MOST 10

/* Numbers of the Arm ARM (D14.11), as PERF_TYPE_RAW. */
enum {
	LD_RETIRED = 0x06,
	ST_RETIRED = 0x07,
	INST_RETIRED = 0x08,
	MEM_ACCESS = 0x13,
};

#define L1D_READ(result) \
	(PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | (result) << 16)

struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	enum { ALL, USER, KERNEL } of;
};

#define CYCLES	     PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES
#define INSTRUCTIONS PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS
#define BRANCHES     PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS

/* Events that are counted together; events that the PMU does not have are left out. */
struct group {
	long file[EVENTS_MOST];
	unsigned int place[EVENTS_MOST], opened;
	uint64_t value[EVENTS_MOST]; /* by their index, once it is read */
};

static bool one_cycle, nested;

static struct perf_event_attr attributes(const struct event *event)
{
	return (struct perf_event_attr){
		.type = event->type,
		.size = sizeof(struct perf_event_attr),
		.config = event->config,
		.exclude_user = event->of == KERNEL,
		.exclude_kernel = event->of == USER,
		.exclude_hv = event->of == USER,
	};
}

static void show(const char *name, uint64_t value)
{
	print("# ");
	print(name);
	print(": ");
	print_number(value);
	print("\n");
}

/* Open the events, not counting yet. False: none could be opened. */
static bool open_group(struct group *g, const struct event *events, unsigned int count)
{
	g->opened = 0;
	for (unsigned int i = 0; i < count; i++) {
		struct perf_event_attr attr = attributes(&events[i]);

		attr.disabled = g->opened == 0;
		attr.read_format = PERF_FORMAT_GROUP;
		g->file[i] = open_event(&attr, g->opened ? g->file[g->place[0]] : -1);
		if (g->file[i] >= 0)
			g->place[g->opened++] = i;
	}
	return g->opened > 0;
}

/* Count while code(loops) runs; then read and close the events. */
static bool count_group(struct group *g, void (*code)(uint64_t loops), uint64_t loops)
{
	const long leader = g->file[g->place[0]];
	uint64_t read[1 + EVENTS_MOST] = {0};

	control(leader, PERF_EVENT_IOC_ENABLE, NULL);
	code(loops);
	control(leader, PERF_EVENT_IOC_DISABLE, NULL);
	call(__NR_read, leader, (long)read, sizeof(read), 0, 0, 0);
	for (unsigned int i = 0; i < g->opened; i++)
		g->value[g->place[i]] = read[1 + i];
	for (unsigned int i = g->opened; i--;)
		call(__NR_close, g->file[g->place[i]], 0, 0, 0, 0, 0);
	return read[0] == g->opened;
}

/* How much more 3 * LOOPS count than LOOPS: the code around them cancels out. */
static bool count_loops(struct group *g, const struct event *events, unsigned int count)
{
	uint64_t first[EVENTS_MOST] = {0};
	bool ok = true;

	for (unsigned int turn = 0; turn < 2; turn++) {
		ok = ok && open_group(g, events, count) &&
		     count_group(g, spe_loop, turn ? 3 * LOOPS : LOOPS);
		for (unsigned int i = 0; turn == 0 && i < count; i++)
			first[i] = g->value[i];
	}
	for (unsigned int i = 0; i < count; i++)
		g->value[i] -= first[i];
	return ok;
}

/* Exactly so many more for each turn of the loop: 7 points. */
static void test_exact(void)
{
	static const struct event events[] = {
		{"instructions:u", INSTRUCTIONS, USER},
		{"branches:u", BRANCHES, USER},
		{"LD_RETIRED:u", PERF_TYPE_RAW, LD_RETIRED, USER},
		{"ST_RETIRED:u", PERF_TYPE_RAW, ST_RETIRED, USER},
		{"MEM_ACCESS:u", PERF_TYPE_RAW, MEM_ACCESS, USER},
		{"cycles:u", CYCLES, USER},
	};
	static const uint64_t each[] = {LOOP_OPS, 1, 1, 1, 2};
	const unsigned int count = ARRAY_SIZE(events);
	struct group g = {0};
	bool ok = count_loops(&g, events, count);
	uint64_t cycles = g.value[count - 1];

	point(ok && (nested ? g.opened >= 2 : g.opened == count), "events are counted at once",
	      g.opened);
	for (unsigned int i = 0; i < count - 1; i++) {
		if (nested && g.value[i] == 0) {
			point_skipped(events[i].name, "the PMU does not have it");
			continue;
		}
		show(events[i].name, g.value[i]);
		point(ok && g.value[i] == 2 * LOOPS * each[i], events[i].name, g.value[i]);
	}
	show("cycles:u", cycles);
	point(one_cycle ? cycles == 2 * LOOPS * LOOP_OPS
			: cycles > LOOPS / 2 && cycles < 1000 * LOOPS,
	      "cycles:u", cycles);
}

static void calls_and_loop(uint64_t loops)
{
	for (uint64_t i = 0; i < CALLS; i++)
		call(__NR_getppid, 0, 0, 0, 0, 0, 0);
	spe_loop(loops);
}

/* User and kernel together are everything: 4 points. */
static void test_levels(void)
{
	static const struct event events[] = {
		{"instructions:u", INSTRUCTIONS, USER},	   {"instructions:k", INSTRUCTIONS, KERNEL},
		{"instructions", INSTRUCTIONS, ALL},	   {"cycles:u", PERF_TYPE_RAW, 0x11, USER},
		{"cycles:k", PERF_TYPE_RAW, 0x11, KERNEL}, {"cycles", PERF_TYPE_RAW, 0x11, ALL},
	};
	struct group g = {0};
	bool ok = open_group(&g, events, ARRAY_SIZE(events)) &&
		  count_group(&g, calls_and_loop, LOOPS);

	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++)
		show(events[i].name, g.value[i]);
	point(ok && g.value[0] + g.value[1] == g.value[2],
	      "instructions are those of user and kernel together", g.value[2]);
	point(ok && g.value[3] + g.value[4] == g.value[5],
	      "cycles are those of user and kernel together", g.value[5]);
	point(ok && near(g.value[0], LOOPS * LOOP_OPS + 20 * CALLS, 20),
	      "a call of the kernel takes it some instructions of the user's", g.value[0]);
	point(ok && g.value[1] > 100 * CALLS && g.value[1] < 100000 * CALLS,
	      "... and more than a hundred of its own", g.value[1]);
}

static uint64_t clock_now(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

/* Operations between two reads of the clock: one each nanosecond, if the guest is busy. */
struct clocked {
	uint64_t instructions, inside, outside;
	bool open;
};

static struct clocked clocked_calls(void)
{
	static const struct event event = {"instructions", INSTRUCTIONS, ALL};
	const struct perf_event_attr attr = attributes(&event);
	const long file = open_event(&attr, -1);
	uint64_t frequency, times[4], first = 0, last = 0;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	times[0] = clock_now();
	call(__NR_read, file, (long)&first, sizeof(first), 0, 0, 0);
	times[1] = clock_now();
	calls_and_loop(20 * LOOPS);
	times[2] = clock_now();
	call(__NR_read, file, (long)&last, sizeof(last), 0, 0, 0);
	times[3] = clock_now();
	call(__NR_close, file, 0, 0, 0, 0, 0);
	return (struct clocked){
		.instructions = last - first,
		.inside = (times[2] - times[1]) * (1000000000 / frequency),
		.outside = (times[3] - times[0]) * (1000000000 / frequency),
		.open = file >= 0,
	};
}

/*
 * Instructions are the engine's operations: 1 point. If the kernel runs one of its threads in
 * between, the clock has that thread's operations and the event of this process does not: try once
 * more.
 */
static void test_clock(void)
{
	struct clocked c = {0};
	bool equal = false;

	for (unsigned int tries = 0; tries < 8 && !equal; tries++) {
		c = clocked_calls();
		show("instructions", c.instructions);
		show("operations of the engine at least", c.inside);
		show("... and at most", c.outside);
		/* A tick at each end; a few operations do not retire. */
		equal = c.open && c.instructions + c.inside / 1000 + 32 >= c.inside &&
			c.instructions <= c.outside + 32;
	}
	point(equal, "instructions are the operations that the engine has counted", c.instructions);
}

/* The usual events of `perf stat`: 6 points, of those that the PMU has. */
static void test_usual(void)
{
	static const struct event events[] = {
		{"cycles:u", CYCLES, USER},
		{"instructions:u", INSTRUCTIONS, USER},
		{"branches:u", BRANCHES, USER},
		{"branch-misses:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, USER},
		{"L1-dcache-loads:u", PERF_TYPE_HW_CACHE,
		 L1D_READ(PERF_COUNT_HW_CACHE_RESULT_ACCESS), USER},
		{"L1-dcache-load-misses:u", PERF_TYPE_HW_CACHE,
		 L1D_READ(PERF_COUNT_HW_CACHE_RESULT_MISS), USER},
	};
	/*
	 * Counts for each turn of the loop; rare ones, for a hundred. L1D_CACHE counts stores, too.
	 */
	static const struct {
		uint64_t least, most, turns;
	} bounds[] = {{1, 1000, 1}, {LOOP_OPS, LOOP_OPS, 1}, {1, 1, 1}, {0, 1, 100}, {2, 2, 1},
		      {0, 1, 100}};
	struct group g = {0};
	bool ok = count_loops(&g, events, ARRAY_SIZE(events));

	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		if (g.file[i] < 0) {
			point_skipped(events[i].name, "the PMU does not have it");
			continue;
		}
		show(events[i].name, g.value[i]);
		point(ok && g.value[i] >= 2 * LOOPS * bounds[i].least / bounds[i].turns &&
			      g.value[i] <= 2 * LOOPS * bounds[i].most / bounds[i].turns,
		      events[i].name, g.value[i]);
	}
}

/* Turns of 1 ms, the minimum, instead of 4: a mean needs fewer. The device has had two names. */
static void take_short_turns(void)
{
	static const char *const names[] = {
		"/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms",
		"/sys/bus/event_source/devices/armv8_pmuv3_0/perf_event_mux_interval_ms",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		const long file = open_file(names[i], O_WRONLY);

		if (file < 0)
			continue;
		call(__NR_write, file, (long)"1", 1, 0, 0, 0);
		call(__NR_close, file, 0, 0, 0, 0, 0);
	}
}

/* More events than counters, so that they take turns: 3 points. */
static void test_turns(void)
{
	static const struct event event = {"", PERF_TYPE_RAW, INST_RETIRED, USER};
	const uint64_t loops = 400 * LOOPS;
	struct perf_event_attr attr = attributes(&event);
	unsigned int opened = 0, in_part = 0, right = 0;
	long file[EVENTS_MOST];

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	take_short_turns();
	for (unsigned int i = 0; i < EVENTS_MOST; i++) {
		file[i] = open_event(&attr, -1);
		opened += file[i] >= 0;
	}
	for (unsigned int i = 0; i < EVENTS_MOST; i++)
		control(file[i], PERF_EVENT_IOC_ENABLE, NULL);
	for (unsigned int i = 0; i < 20; i++)
		spe_loop(loops / 20);
	for (unsigned int i = 0; i < EVENTS_MOST; i++)
		control(file[i], PERF_EVENT_IOC_DISABLE, NULL);
	for (unsigned int i = 0; i < EVENTS_MOST; i++) {
		uint64_t read[3] = {0}; /* value, enabled, running: ns */

		call(__NR_read, file[i], (long)read, sizeof(read), 0, 0, 0);
		call(__NR_close, file[i], 0, 0, 0, 0, 0);
		in_part += read[2] > 0 && read[2] < read[1];
		/* The kernel's own time is spread evenly. */
		right += read[2] > 0 && near(read[0] * (read[1] >> 10) / ((read[2] >> 10) + 1),
					     loops * LOOP_OPS, 20);
		show("of a time enabled, in parts of a thousand",
		     read[1] ? read[2] * 1000 / read[1] : 0);
	}
	point(opened == EVENTS_MOST, "more events than there are counters", opened);
	point(in_part >= EVENTS_MOST / 2, "... take turns", in_part);
	point(right == EVENTS_MOST, "... and, scaled, each is right to a twentieth", right);
}

/* What samples say. */
struct samples {
	uint64_t count, loop, other, kernel, elsewhere, lost;
};

static bool is_in(uint64_t ip, void (*start)(uint64_t loops), const char *end)
{
	return ip >= (uintptr_t)start && ip < (uintptr_t)end;
}

static void read_samples(struct buffers *b, struct samples *s)
{
	const uint64_t head = load_head(&b->page->data_head);

	while (b->data_tail < head) {
		const uint64_t header = data_word(b, b->data_tail);
		const uint64_t ip = data_word(b, b->data_tail + 8);

		if ((uint32_t)header == PERF_RECORD_SAMPLE) {
			s->count++;
			if (ip >> 63)
				s->kernel++;
			else if (is_in(ip, spe_loop, spe_loop_end))
				s->loop++;
			else if (is_in(ip, other_loop, other_loop_end))
				s->other++;
			else
				s->elsewhere++;
		} else {
			s->lost++;
		}
		if (header >> 48 < 8)
			break;
		b->data_tail += header >> 48;
	}
	__atomic_store_n(&b->page->data_tail, head, __ATOMIC_RELEASE);
}

static bool open_samples(struct buffers *b, const struct event *event, uint64_t period)
{
	struct perf_event_attr attr = attributes(event);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.disabled = 1;
	return open_buffers(b, &attr, 0);
}

/* Three quarters of the time in spe_loop(). */
static void two_loops(uint64_t loops)
{
	spe_loop(3 * loops / 4);
	other_loop(loops / 4);
}

static void show_samples(const char *name, uint64_t counted, const struct samples *s)
{
	show(name, counted);
	show("... samples", s->count);
	show("... in the loop", s->loop);
	show("... in the other", s->other);
	show("... in the kernel", s->kernel);
}

/*
 * As many samples as the count has periods, at the places where events were counted: 3 points. The
 * interrupt of a counter for user code is taken before the next instruction.
 */
static void test_samples(const struct event *event)
{
	const uint64_t period = 20011;
	struct samples s = {0};
	struct buffers b;
	uint64_t counted = 0;
	bool opened = open_samples(&b, event, period);

	control(b.event, PERF_EVENT_IOC_ENABLE, NULL);
	two_loops(100 * LOOPS);
	control(b.event, PERF_EVENT_IOC_DISABLE, NULL);
	call(__NR_read, b.event, (long)&counted, sizeof(counted), 0, 0, 0);
	read_samples(&b, &s);
	close_buffers(&b);
	show_samples(event->name, counted, &s);
	point(opened && s.count == counted / period && s.lost == 0,
	      "a sample for each period that was counted", s.count);
	point(opened && s.count > 0 && s.kernel == 0 && s.elsewhere == 0,
	      "... of the user's loops alone", s.elsewhere);
	point(opened && near(100 * s.loop, 75 * s.count, 50),
	      "... and of each as much as it has executed", s.loop);
}

/* Of user and kernel: 3 points. The kernel masks interrupts, so their samples come later. */
static void test_all_samples(void)
{
	static const struct event event = {"cycles", CYCLES, ALL};
	const uint64_t period = 50021;
	struct samples s = {0};
	struct buffers b;
	uint64_t counted = 0;
	bool opened = open_samples(&b, &event, period);

	control(b.event, PERF_EVENT_IOC_ENABLE, NULL);
	for (unsigned int i = 0; i < 50; i++)
		calls_and_loop(LOOPS);
	control(b.event, PERF_EVENT_IOC_DISABLE, NULL);
	call(__NR_read, b.event, (long)&counted, sizeof(counted), 0, 0, 0);
	read_samples(&b, &s);
	close_buffers(&b);
	show_samples("cycles", counted, &s);
	point(opened && near(s.count, counted / period, 20) && s.lost == 0,
	      "cycles of user and kernel are sampled by period", s.count);
	point(opened && s.kernel > 0, "... in the kernel", s.kernel);
	point(opened && s.loop > 0 && s.elsewhere <= s.loop, "... and in the user's loop", s.loop);
}

/* Counted, sampled and profiled at once: 4 points. */
static void test_beside_spe(void)
{
	static const struct event counted = {"", INSTRUCTIONS, USER};
	static const struct event sampled = {"", INSTRUCTIONS, USER};
	const uint32_t type = device_type("arm_spe_0");
	const uint64_t period = 20011, interval = 4096, loops = (nested ? 20 : 100) * LOOPS;
	const struct event spe = {"", type, 0, USER};
	struct perf_event_attr attr = attributes(&spe);
	struct samples s = {0};
	struct buffers b, aux;
	struct group g = {0};
	uint64_t records;
	bool opened;

	if (!type) {
		for (unsigned int i = 0; i < 4; i++)
			point_skipped("beside arm_spe_0", "there is no arm_spe_0");
		return;
	}
	attr.sample_period = interval;
	attr.disabled = 1;
	opened = open_buffers(&aux, &attr, 64) && open_samples(&b, &sampled, period) &&
		 open_group(&g, &counted, 1);
	control(aux.event, PERF_EVENT_IOC_ENABLE, NULL);
	control(b.event, PERF_EVENT_IOC_ENABLE, NULL);
	opened = opened && count_group(&g, two_loops, loops);
	control(b.event, PERF_EVENT_IOC_DISABLE, NULL);
	control(aux.event, PERF_EVENT_IOC_DISABLE, NULL);
	read_samples(&b, &s);
	records = load_head(&aux.page->aux_head) / 64;
	close_buffers(&b);
	close_buffers(&aux);
	show_samples("instructions:u beside arm_spe_0", g.value[0], &s);
	show("... its records", records);
	point(opened && near(g.value[0], loops * LOOP_OPS, 10000),
	      "instructions:u are as many beside arm_spe_0", g.value[0]);
	point(opened && near(s.count, g.value[0] / period, 10000), "... and their samples",
	      s.count);
	/* The interval is one more than the period (Arm ARM D17.3.4.1, note). */
	point(opened && near(records, g.value[0] / (interval + 1), 10000),
	      "... and it has as many records as they say", records);
	point(opened && near(100 * s.loop, 75 * s.count, 50), "... of the same places", s.loop);
}

/* The line of the kernel's log that says which PMU there is: 1 point. */
static void test_log(void)
{
	static const char line[] = "hw perfevents: enabled with armv8_pmuv3";
	static char text[1 << 18];
	const long read_all = 3; /* SYSLOG_ACTION_READ_ALL */
	const long size = call(__NR_syslog, read_all, (long)text, sizeof(text) - 1, 0, 0, 0);
	bool found = false;

	for (long i = 0; i + (long)sizeof(line) < size && !found; i++) {
		unsigned int n = 0;

		while (line[n] && text[i + n] == line[n])
			n++;
		found = !line[n];
		for (long end = i; found && end < size; end++) {
			if (text[end] != '\n')
				continue;
			text[end] = 0;
			print("# ");
			print(&text[i]);
			print("\n");
			break;
		}
	}
	point(found, "the kernel has found the PMU", (uint64_t)size);
}

#define ALONE_POINTS (1 + 3 + 2 * 3 + 3)

void init(const uint64_t *stack)
{
	static const struct event sampled[] = {
		{"cycles:u", CYCLES, USER},
		{"instructions:u", INSTRUCTIONS, USER},
	};
	long error;

	for (uint64_t i = 1; i <= stack[0]; i++) {
		one_cycle = one_cycle || (stack[i] && same((const char *)stack[i], "cycles"));
		nested = nested || (stack[i] && same((const char *)stack[i], "kvm"));
	}
	mount_all();
	error = load_spe_driver();
	print("1..");
	print_number(1 + 7 + 4 + 6 + ALONE_POINTS + 4);
	print("\n");
	if (error < 0)
		show("no SPE driver, error", (uint64_t)-error);
	test_log();
	spe_loop(1);
	test_exact();
	test_levels();
	test_usual();
	for (unsigned int i = 0; nested && i < ALONE_POINTS; i++)
		point_skipped("clock, turns and samples", "KVM is nested");
	if (!nested) {
		test_clock();
		test_turns();
		test_samples(&sampled[0]);
		test_samples(&sampled[1]);
		test_all_samples();
	}
	test_beside_spe();
	power_off();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and only process of a Linux kernel, for a machine model that begins while it runs: what
 * perf counts of caches and branches, for user and kernel and for user alone, while arm_spe_0
 * samples a program that misses in both. It prints when it is ready, waits in a loop for as long as
 * it takes to save the machine, and prints TAP and what was counted.
 */
#include "perf_ring.h"
#include "spe_code.h"
#include "user.h"

#define WAIT	  200000ul /* operations, at least, from "ready" on */
#define TURNS	  1000000ul
#define PERIOD	  1024ul
#define AUX_PAGES 256ul	      /* more than all records take */
#define RING	  (1ul << 20) /* bytes, more than L1D has */

/* Numbers of the Arm ARM (D14.11), as PERF_TYPE_RAW: the driver found no model at its start. */
static const struct {
	const char *name, *user;
	uint64_t config;
} events[] = {{"L1D_CACHE", "L1D_CACHE:u", 0x04},
	      {"L1D_CACHE_REFILL", "L1D_CACHE_REFILL:u", 0x03},
	      {"BR_MIS_PRED", "BR_MIS_PRED:u", 0x10}};

#define EVENTS 3

static uint8_t ring[RING];

/* A load from anywhere in the ring, and a branch that nobody foresees: nine or ten operations a
 * turn. */
static void turns(uint64_t count)
{
	uint64_t state = 1, address, value;

	__asm__ volatile(
		"1:	mul	%[s], %[s], %[a]\n"
		"	add	%[s], %[s], %[a]\n"
		"	lsr	%[at], %[s], #40\n"
		"	and	%[at], %[at], %[mask]\n"
		"	ldr	%[v], [%[ring], %[at]]\n"
		"	tbz	%[s], #60, 2f\n"
		"	nop\n"
		"2:	eor	%[v], %[v], %[s]\n"
		"	subs	%[n], %[n], #1\n"
		"	b.ne	1b\n"
		: [s] "+r"(state), [n] "+r"(count), [at] "=&r"(address), [v] "=&r"(value)
		: [a] "r"(UINT64_C(6364136223846793005)), [ring] "r"(ring), [mask] "r"(RING - 64)
		: "cc", "memory");
}

static void show(const char *name, uint64_t value)
{
	print("# ");
	print(name);
	print(": ");
	print_number(value);
	print("\n");
}

/* user and kernel, and then user alone; the first one leads, and is off. */
static bool open_counters(long files[2 * EVENTS])
{
	bool ok = true;

	for (unsigned int n = 0; n < 2 * EVENTS; n++) {
		const struct perf_event_attr attr = {
			.type = PERF_TYPE_RAW,
			.size = sizeof(attr),
			.config = events[n % EVENTS].config,
			.disabled = n == 0,
			.exclude_kernel = n >= EVENTS,
			.exclude_hv = n >= EVENTS,
			.read_format = PERF_FORMAT_GROUP,
		};

		files[n] = open_event(&attr, n ? files[0] : -1);
		ok = ok && files[n] >= 0;
	}
	return ok;
}

static void count_all(void)
{
	const struct perf_event_attr spe = {
		.type = device_type("arm_spe_0"),
		.size = sizeof(spe),
		.sample_period = PERIOD,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	uint64_t read[1 + 2 * EVENTS] = {0};
	long files[2 * EVENTS];
	struct buffers aux;
	bool opened;

	opened = spe.type && open_buffers(&aux, &spe, AUX_PAGES) && open_counters(files);
	point(opened, "the kernel has the events, and arm_spe_0", spe.type);
	if (!opened)
		return;
	control(files[0], PERF_EVENT_IOC_ENABLE, NULL);
	control(aux.event, PERF_EVENT_IOC_ENABLE, NULL);
	turns(TURNS);
	control(aux.event, PERF_EVENT_IOC_DISABLE, NULL);
	control(files[0], PERF_EVENT_IOC_DISABLE, NULL);
	call(__NR_read, files[0], (long)read, sizeof(read), 0, 0, 0);
	point(read[0] == 2 * EVENTS, "they were counted all the time", read[0]);
	for (unsigned int n = 0; n < EVENTS; n++) {
		show(events[n].name, read[1 + n]);
		show(events[n].user, read[1 + EVENTS + n]);
	}
	show("records", load_head(&aux.page->aux_head) / 64);
	show("turns", TURNS);
}

void init(const uint64_t *stack)
{
	uint64_t count;
	long error;

	(void)stack;
	mount_all();
	error = load_spe_driver();
	if (error < 0)
		show("no SPE driver, error", (uint64_t)-error);
	for (uint64_t n = 0; n < RING; n += PAGE) /* no page is new to the kernel */
		((volatile uint8_t *)ring)[n] = 1;
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	show("ready", count);
	spe_loop(WAIT / LOOP_OPS);
	print("1..2\n");
	count_all();
	power_off();
}

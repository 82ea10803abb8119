/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * endless: the largest requests that single instructions and calls can make of a machine, repeated
 * without end. The boot argument request=N is row N of the table at the end of this file. It runs
 * until the host ends the guest, which must work soon whatever the request (tests/cli/endless.py).
 * at=PA and size=BYTES give the device for the rows that need one. sample=1 profiles at the
 * shortest interval.
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define AREA_VA	   (DATA_VA + (UINT64_C(1) << 41)) /* RAM that nothing else uses, by blocks */
#define BLOCK	   (UINT64_C(1) << 21)
#define AREA	   (32 * BLOCK)
#define RECORDS	   64 /* pages */
#define WORD_RET   UINT32_C(0xd65f03c0)
#define TABLE	   512 /* entries of a translation table */
#define CODE_LINE  64  /* bytes from one function of code_lines() to the next */
#define COLLIDING  UINT64_C(12000)
#define HASH_SHIFT 48
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)
#define D_TABLE	   UINT64_C(3)
#define D_CODE	   UINT64_C(0x7c3) /* a page of Normal memory, executable at EL1, not writable */

static uint64_t area, area_pa, device, device_size, records;

static uint64_t map_area(enum map_kind kind, uint64_t va)
{
	for (uint64_t at = 0; at < AREA; at += BLOCK)
		if (!map_block(va + at, area_pa + at, kind))
			tap_fail("no translation table for the area");
	return va;
}

static void set(uint64_t to, uint64_t size)
{
	__asm__ volatile(".arch_extension mops\n\t"
			 "setp [%0]!, %1!, %2\n\t"
			 "setm [%0]!, %1!, %2\n\t"
			 "sete [%0]!, %1!, %2"
			 : "+r"(to), "+r"(size)
			 : "r"(UINT64_C(0))
			 : "memory", "cc");
}

static void copy(uint64_t to, uint64_t from, uint64_t size)
{
	__asm__ volatile(".arch_extension mops\n\t"
			 "cpyp [%0]!, [%1]!, %2!\n\t"
			 "cpym [%0]!, [%1]!, %2!\n\t"
			 "cpye [%0]!, [%1]!, %2!"
			 : "+r"(to), "+r"(from), "+r"(size)::"memory", "cc");
}

/* Set memory up to a fault at the end of the area, with the largest size of the architecture. */
static void set_area(void)
{
	expect_begin();
	set(area, UINT64_C(1) << 63);
	(void)expect_end();
}

static void set_device(void)
{
	set(device, device_size);
}

/* The source begins before the destination and overlaps it, so the copy goes down. */
static void copy_area(void)
{
	copy(area + 1, area, AREA - 1);
}

static void copy_device(void)
{
	copy(device, device + device_size / 2, device_size / 2);
}

static void store_pairs(void)
{
	for (uint64_t at = 0; at < device_size; at += 16)
		__asm__ volatile("stp xzr, xzr, [%0]" ::"r"(device + at) : "memory");
}

/* TG 4K, SCALE, NUM: 64 pages, invalidated one by one. */
static void tlbi_range(void)
{
	const uint64_t value =
		UINT64_C(1) << 46 | UINT64_C(31) << 39 | (area >> 12 & ((UINT64_C(1) << 37) - 1));

	*(volatile uint64_t *)area = 0;
	__asm__ volatile("sys #0, c8, c2, #1, %0\n\tdsb ish" ::"r"(value));
}

/* ... and the largest range that there is, by the largest granule. */
static void tlbi_largest(void)
{
	const uint64_t value = UINT64_C(0xfff) << 36 | area >> 16;

	*(volatile uint64_t *)area = 0;
	__asm__ volatile("sys #0, c8, c2, #3, %0\n\tdsb ish" ::"r"(value));
}

static void tlbi_all(void)
{
	for (uint64_t at = 0; at < AREA; at += PAGE_SIZE)
		*(volatile uint64_t *)(area + at) = 0;
	__asm__ volatile("tlbi vmalle1is\n\tdsb ish" ::: "memory");
}

static void dc_zva(void)
{
	for (uint64_t at = 0; at < AREA; at += 64)
		__asm__ volatile("dc zva, %0" ::"r"(area + at) : "memory");
}

static void dc_civac(void)
{
	for (uint64_t at = 0; at < AREA; at += 64)
		__asm__ volatile("dc civac, %0" ::"r"(area + at) : "memory");
}

static void dc_cisw(void)
{
	for (uint64_t way = 0; way < 16; way++)
		__asm__ volatile("dc cisw, %0\n\tdsb sy" ::"r"(way << 28 | 1 << 1));
}

/* As much code as the area has, all of it executed. */
static void code_lines(void)
{
	static uint64_t code;

	if (!code) {
		for (uint64_t at = 0; at < AREA; at += CODE_LINE)
			*(volatile uint32_t *)(area + at) = WORD_RET;
		code = map_area(MAP_TEXT, AREA_VA + (UINT64_C(1) << 41));
		__asm__ volatile("dsb sy\n\tic iallu\n\tdsb sy\n\tisb" ::: "memory");
	}
	for (uint64_t at = 0; at < AREA; at += CODE_LINE)
		((void (*)(void))(code + at))();
}

static void ic_iallu(void)
{
	code_lines();
	__asm__ volatile("ic ialluis\n\tdsb sy\n\tisb" ::: "memory");
}

static void ic_always(void)
{
	__asm__ volatile("ic ialluis\n\tdsb sy\n\tisb" ::: "memory");
}

static void ic_ivau(void)
{
	code_lines();
	for (uint64_t at = 0; at < AREA; at += CODE_LINE)
		__asm__ volatile("ic ivau, %0" ::"r"(area + at) : "memory");
}

/* A page of the area. */
static uint64_t *area_page(unsigned int n)
{
	return (uint64_t *)(area + n * (uint64_t)PAGE_SIZE);
}

static uint64_t area_page_pa(unsigned int n)
{
	return area_pa + n * (uint64_t)PAGE_SIZE;
}

/*
 * Page 1 of the area is code at every address of the lower half of what TTBR0_EL1 translates, and
 * page 2 at every one of the upper half: all entries of a table lead to the same table, or page,
 * below.
 */
static void map_code_everywhere(void)
{
	uint64_t *const top = area_page(3);

	for (unsigned int half = 0; half < 2; half++) {
		uint64_t below = area_page_pa(1 + half) | D_CODE;

		for (unsigned int level = 0; level < 3; level++) {
			const unsigned int table = 4 + 3 * half + level;

			for (unsigned int n = 0; n < TABLE; n++)
				area_page(table)[n] = below;
			below = area_page_pa(table) | D_TABLE;
		}
		for (unsigned int n = 0; n < TABLE / 2; n++)
			top[half * (TABLE / 2) + n] = below;
		for (unsigned int n = 0; n < PAGE_SIZE / 8; n++)
			area_page(1 + half)[n] = (uint64_t)WORD_RET << 32 | WORD_RET;
	}
	write_sysreg(ttbr0_el1, area_page_pa(3));
	__asm__ volatile("dsb sy\n\ttlbi vmalle1\n\tic iallu\n\tdsb sy\n\tisb" ::: "memory");
}

/*
 * The addresses of pages that a multiplicative hash puts first. There are three steps from one to
 * the next; the third is the sum of the others (Steinhaus).
 */
struct steps {
	uint64_t up, up_by;	/* the step that adds least, and what it adds */
	uint64_t down, down_by; /* ... that subtracts least */
	uint64_t at, hash;
};

static void find_steps(struct steps *steps)
{
	*steps = (struct steps){0};
	for (uint64_t at = PAGE_SIZE; !steps->up || !steps->down; at += PAGE_SIZE) {
		const uint64_t hash = at * MULTIPLIER;

		if (!steps->up && hash >> HASH_SHIFT == 0) {
			steps->up = at;
			steps->up_by = hash;
		}
		if (!steps->down && (0 - hash) >> HASH_SHIFT == 0) {
			steps->down = at;
			steps->down_by = 0 - hash;
		}
	}
}

static uint64_t step(struct steps *steps)
{
	const bool up = steps->hash + steps->up_by < UINT64_C(1) << HASH_SHIFT;
	const bool down = steps->hash >= steps->down_by;

	/* Both, if neither alone stays within. */
	if (up || !down) {
		steps->at += steps->up;
		steps->hash += steps->up_by;
	}
	if (!up) {
		steps->at += steps->down;
		steps->hash -= steps->down_by;
	}
	return steps->at;
}

/*
 * Code of two pages at addresses with the same place in a hash table, the second page's after the
 * first page's. A store then drops what is known of the first.
 */
static void collide(void)
{
	struct steps steps;

	map_code_everywhere();
	for (unsigned int half = 0; half < 2; half++) {
		const uint64_t pa = area_page_pa(1 + half);
		unsigned int count = 0;

		find_steps(&steps);
		while (count < COLLIDING && steps.at >> 47 == 0) {
			const uint64_t va = step(&steps) ^ pa << 16 ^ (pa >> 10 & ~UINT64_C(4095));

			if (va >> 47 != half)
				continue;
			((void (*)(void))va)();
			count++;
		}
	}
	*(volatile uint32_t *)area_page(1) = WORD_RET;
}

static void translate(void)
{
	for (uint64_t at = 0; at < AREA; at += PAGE_SIZE)
		__asm__ volatile("at s1e1w, %0\n\tat s1e0r, %0" ::"r"(area + at) : "memory");
}

static void reset(void)
{
	(void)psci_system_reset();
}

static void off_at_once(unsigned int cpu)
{
	(void)cpu;
	psci_cpu_off();
}

static void cpu_on(void)
{
	uint64_t mpidr;

	for (unsigned int cpu = 1; cpu < MAX_CPUS && platform_cpu(cpu, &mpidr); cpu++) {
		(void)psci_cpu_on(mpidr, cpu, off_at_once);
		while (psci_affinity_info(mpidr) == 0)
			continue;
	}
}

static void random_numbers(void)
{
	uint64_t x[4] = {0xc4000053, 192};

	psci_call(x);
}

/* Every interrupt pending and enabled, at changing priorities. */
static void gic_pending_all(void)
{
	volatile uint32_t *dist = (volatile uint32_t *)device;

	for (unsigned int n = 0; n < 32; n++) {
		dist[(0x100 >> 2) + n] = 0xffffffff;
		dist[(0x200 >> 2) + n] = 0xffffffff;
	}
	for (unsigned int n = 0; n < 256; n++)
		dist[(0x400 >> 2) + n] = 0xa0a0a0a0u ^ n;
	(void)read_sysreg(S3_0_C12_C12_2); /* ICC_HPPIR1_EL1 */
}

static enum exc_return ignore(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	return EXC_RETURN;
}

/* Their interrupts are never taken, and end each wait. */
static void enable_timers(void)
{
	static const enum platform_interrupt which[] = {PLATFORM_TIMER_PHYSICAL,
							PLATFORM_TIMER_VIRTUAL};

	for (unsigned int n = 0; n < 2; n++)
		gic_enable(platform_interrupt(which[n]), ignore);
}

static void timers(void)
{
	enable_timers();
	write_sysreg(cntp_cval_el0, 0);
	write_sysreg(cntv_cval_el0, 0);
	write_sysreg(cntp_ctl_el0, 1);
	write_sysreg(cntv_ctl_el0, 1);
	wfi();
}

static void wait_event(void)
{
	__asm__ volatile("sev\n\twfe\n\twfe");
}

static void wait_deadline(void)
{
	enable_timers();
	write_sysreg(cntv_tval_el0, 1);
	write_sysreg(cntv_ctl_el0, 1);
	wfi();
}

struct request {
	const char *name;
	void (*run)(void);
};

static const struct request requests[] = {
	{"set_area", set_area},
	{"set_device", set_device},
	{"copy_area", copy_area},
	{"copy_device", copy_device},
	{"store_pairs", store_pairs},
	{"tlbi_range", tlbi_range},
	{"tlbi_largest", tlbi_largest},
	{"tlbi_all", tlbi_all},
	{"dc_zva", dc_zva},
	{"dc_civac", dc_civac},
	{"dc_cisw", dc_cisw},
	{"ic_iallu", ic_iallu},
	{"ic_always", ic_always},
	{"ic_ivau", ic_ivau},
	{"collide", collide},
	{"translate", translate},
	{"reset", reset},
	{"cpu_on", cpu_on},
	{"random_numbers", random_numbers},
	{"gic_pending_all", gic_pending_all},
	{"timers", timers},
	{"wait_event", wait_event},
	{"wait_deadline", wait_deadline},
};

#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

static enum exc_return start_over(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	return spe_resume(frame, records);
}

static void profile(void (*run)(void))
{
	const struct spe_setup setup = {
		.pointer = records,
		.limit = records + RECORDS * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(1),
	};

	spe_program(&setup);
	(void)spe_run_el1(PMSCR_E1SPE | PMSCR_PA | PMSCR_TS, (uintptr_t)run, 0, 0);
}

void guest_main(void)
{
	const uint64_t number = bootarg("request", 0), sample = bootarg("sample", 0);
	const struct request *request;

	if (number == 0 || number > REQUESTS) {
		tap_run("endless", NULL, 0);
		return;
	}
	request = &requests[number - 1];
	area_pa = (phys_alloc(1) + 2 * BLOCK) & ~(BLOCK - 1);
	area = map_area(MAP_DATA, AREA_VA);
	device_size = bootarg("size", 0x10000);
	device = (uintptr_t)device_map(bootarg("at", 0x08000000), device_size);
	if (sample && !CHECK(needs_spe() == NULL, "%s", needs_spe()))
		return;
	if (sample) {
		records = (uintptr_t)data_alloc(RECORDS);
		gic_enable(spe_caps.intid, start_over);
		irq_enable();
	}
	tap_note("%s without end", request->name);
	for (;;) {
		if (sample)
			profile(request->run);
		else
			request->run();
	}
}

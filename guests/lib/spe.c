/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding, programming and stopping the profiling unit, in the order that the architecture requires
 * (Arm ARM D17.9).
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "gic.h"
#include "platform.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

struct spe_caps spe_caps;

/* 0: the firmware names no PPI. Looked up once, since walking a device tree takes long. */
static uint32_t spe_interrupt(void)
{
	static struct {
		bool known;
		uint32_t intid;
	} found;

	if (found.known)
		return found.intid;
	found.intid = platform_interrupt(PLATFORM_SPE);
	if (found.intid >= 32)
		found.intid = 0;
	found.known = true;
	return found.intid;
}

/* M in [8:0], an exponent in [13:9]. */
static uint64_t max_buffer(uint64_t pmbidr)
{
	uint64_t m = field(pmbidr, 40, 32), e = field(pmbidr, 45, 41);

	return e ? (m | 1 << 9) << (e + 11) : m << 12;
}

const char *spe_probe(struct spe_caps *caps)
{
	*caps = (struct spe_caps){0};
	caps->version = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 35, 32);
	if (caps->version == 0)
		return "no SPE: ID_AA64DFR0_EL1.PMSVer is 0";
	caps->pmbidr = read_sysreg(PMBIDR_EL1);
	if (caps->pmbidr & PMBIDR_P)
		return "SPE belongs to a higher Exception level: PMBIDR_EL1.P is 1";
	caps->pmsidr = read_sysreg(PMSIDR_EL1);
	caps->max_record = UINT64_C(1) << field(caps->pmsidr, 15, 12);
	caps->align = UINT64_C(1) << field(caps->pmbidr, 3, 0);
	caps->max_buffer = max_buffer(caps->pmbidr);
	caps->aborts = (unsigned int)field(caps->pmbidr, 11, 8);
	caps->arch_inst = caps->pmsidr & PMSIDR_ARCHINST;
	caps->ernd = caps->pmsidr & PMSIDR_ERND;
	caps->lds = caps->pmsidr & PMSIDR_LDS;
	caps->fne = caps->pmsidr & PMSIDR_FNE;
	caps->discard = caps->version >= PMSVER_V1P2;
	caps->nvm = field(read_sysreg(ID_AA64DFR2_EL1), 23, 20) != 0;
	caps->exc = field(read_sysreg(ID_AA64DFR2_EL1), 19, 16) != 0;
	caps->intid = spe_interrupt();
	return NULL;
}

const char *needs_spe(void)
{
	return spe_probe(&spe_caps);
}

/*
 * Each PE makes micro-ops of instructions in its own way (D17.2.1). These are the ways in vspe's
 * docs/records.md: of the PE with vspe's MIDR_EL1, and of one with the MIDR_EL1 of a core if the
 * boot arguments say micro-ops=1. Others are not known.
 */
#define VSPE_MIDR 0x000f0560

static const struct micro_ops {
	uint32_t mask, match;
	uint8_t transfers;
	bool update;
} micro_ops[] = {
	{0x3f800000, 0x28000000, 2, false}, /* LDNP, STNP */
	{0x3f800000, 0x29000000, 2, false}, /* LDP, LDPSW, STP, with an offset */
	{0x3f800000, 0x28800000, 2, true},  /* ... post-indexed */
	{0x3f800000, 0x29800000, 2, true},  /* ... pre-indexed */
	{0x3f200400, 0x38000400, 1, true},  /* LDR, STR and their like, post- and pre-indexed */
};

const char *needs_operations(void)
{
	const char *why = needs_spe();

	if (!why && !spe_caps.arch_inst && read_sysreg(midr_el1) != VSPE_MIDR &&
	    bootarg("micro-ops", 0) != 1)
		why = "it is not known how many micro-ops instructions are: PMSIDR_EL1.ArchInst is "
		      "0";
	return why;
}

static struct micro_ops micro_ops_of(uint32_t instruction)
{
	for (unsigned int i = 0; !spe_caps.arch_inst && i < sizeof(micro_ops) / sizeof(*micro_ops);
	     i++)
		if ((instruction & micro_ops[i].mask) == micro_ops[i].match)
			return micro_ops[i];
	return (struct micro_ops){.transfers = 1};
}

unsigned int spe_operations(uint32_t instruction)
{
	struct micro_ops m = micro_ops_of(instruction);

	return m.transfers + m.update;
}

bool spe_is_address_update(uint32_t instruction, unsigned int n)
{
	struct micro_ops m = micro_ops_of(instruction);

	return m.update && n == m.transfers;
}

/*
 * Do samples collide? Make more selections than any implementation has in flight, each in a
 * separate run, of as few operations as possible. With close, two are in a run, with at most one
 * operation between them, as after a random interval. A filter for loads drops all of them, so
 * nothing is written.
 */
static bool samples_collide(bool close)
{
	static enum { UNKNOWN, COLLIDE, EXACT } known[2];
	struct spe_setup setup = {
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(0xffffff),
		.pmsicr = close ? UINT64_C(1) << 56 | 3 : 1,
		.pmsfcr = PMSFCR_FT | PMSFCR_LD,
	};

	if (known[close] == UNKNOWN) {
		known[close] = EXACT;
		setup.pointer = (uintptr_t)data_alloc(1);
		setup.limit = setup.pointer + PAGE_SIZE;
		for (unsigned int run = 0; run < 24; run++) {
			spe_program(&setup);
			spe_run_el1(PMSCR_E1SPE, user_address(spe_idle), 1, 0);
			spe_disable();
			if (read_sysreg(PMBSR_EL1) & PMBSR_COLL)
				known[close] = COLLIDE;
		}
		spe_set_status(0);
	}
	return known[close] == COLLIDE;
}

static bool loads_when_enabled;

/* COUNT after a run that begins with it, of the same operations each time. */
static uint64_t count_after(uint64_t pmsicr)
{
	static uint64_t buffer;
	struct spe_setup setup = {
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(0xffffff),
		.pmsicr = pmsicr,
	};

	if (!buffer)
		buffer = (uintptr_t)data_alloc(1);
	setup.pointer = buffer;
	setup.limit = buffer + PAGE_SIZE;
	spe_program(&setup);
	spe_run_el1(PMSCR_E1SPE, user_address(spe_idle), 1, 0);
	spe_disable();
	return read_sysreg(PMSICR_EL1) & PMSICR_COUNT;
}

static void find_load(void)
{
	static bool found;

	if (found)
		return;
	loads_when_enabled = count_after(0) == count_after(UINT64_C(0xffffff) << 8);
	found = true;
}

bool spe_loads_when_enabled(void)
{
	return loads_when_enabled;
}

bool spe_is_distance(uint64_t operations, uint64_t distance, uint64_t lap)
{
	return operations == distance % lap ||
	       (loads_when_enabled && operations == (distance - 1) % lap);
}

bool spe_is_count(uint64_t records, uint64_t operations, uint64_t interval)
{
	const uint64_t spacing = spe_spacing(interval);

	return records >= operations / spacing &&
	       records <= operations / (spacing - loads_when_enabled);
}

static const char *needs_no_collision(bool close)
{
	const char *why = needs_operations();

	if (!why)
		find_load();
	return needs_too(why, why || !samples_collide(close), "samples collide: PMBSR_EL1.COLL");
}

const char *needs_exact(void)
{
	return needs_no_collision(false);
}

const char *needs_exact_random(void)
{
	const char *why = needs_exact();

	/* Without a tail the intervals are no shorter than others. */
	return why || !spe_caps.ernd ? why : needs_no_collision(true);
}

const char *needs_spe_irq(void)
{
	const char *why = needs_exact();

	if (!why && spe_caps.intid == 0)
		why = "the firmware names no PPI for SPE";
	return why;
}

void spe_drain(void)
{
	psb_csync();
	isb();
}

void spe_disable(void)
{
	write_sysreg(PMSCR_EL1, 0);
	isb();
	spe_drain();
	write_sysreg(PMBLIMITR_EL1, 0);
	isb();
}

/*
 * While PMBLIMITR_EL1.E is 1 a PE may ignore writes to PMBPTR_EL1, PMBSR_EL1, PMBMAR_EL1, and to
 * PMBLIMITR_EL1 except E (rule SFDXJJ). So disable the buffer to write them, once it has all
 * samples, and enable it afterwards. Returns the PMBLIMITR_EL1 for that.
 */
static uint64_t open_buffer(void)
{
	uint64_t limit = read_sysreg(PMBLIMITR_EL1);

	spe_drain();
	write_sysreg(PMBLIMITR_EL1, 0);
	isb();
	return limit;
}

void spe_set_status(uint64_t status)
{
	uint64_t limit = open_buffer();

	write_sysreg(PMBSR_EL1, status);
	isb();
	write_sysreg(PMBLIMITR_EL1, limit);
	isb();
}

enum exc_return spe_resume(struct exc_frame *frame, uint64_t pointer)
{
	frame->x[18] = open_buffer();
	write_sysreg(PMBPTR_EL1, pointer);
	write_sysreg(PMBSR_EL1, 0);
	isb();
	return EXC_RETURN_PROFILING;
}

#define LIMIT	~(uint64_t)(PAGE_SIZE - 1)
#define WINDOWS 1024 /* remembered, of one buffer */

/* A buffer that is used in windows, of a PE. */
static struct windows {
	bool used;
	uint64_t end;
	unsigned int count;
	uint64_t ends[WINDOWS]; /* where the next record went */
} windows[MAX_CPUS];

static struct windows *my_windows(void)
{
	const uint64_t affinity = UINT64_C(0xff00ffffff);
	uint64_t mpidr;

	for (unsigned int cpu = 1; cpu < MAX_CPUS && platform_cpu(cpu, &mpidr); cpu++)
		if (((mpidr ^ read_sysreg(mpidr_el1)) & affinity) == 0)
			return &windows[cpu];
	return &windows[0];
}

uint64_t spe_window(uint64_t size)
{
	return spe_caps.max_buffer && size > spe_caps.max_buffer ? spe_caps.max_buffer & LIMIT
								 : size;
}

uint64_t spe_space(size_t pages)
{
	return pages * PAGE_SIZE * (spe_caps.max_record > 64 ? spe_caps.max_record / 64 : 1);
}

static uint64_t window_limit(uint64_t pointer, uint64_t end)
{
	if (end <= pointer || spe_window(end - pointer) == end - pointer)
		return end;
	return (pointer + spe_caps.max_buffer) & LIMIT;
}

unsigned int spe_windows_before(uint64_t address)
{
	const struct windows *w;
	unsigned int n = 0;

	if (!spe_caps.max_buffer)
		return 0;
	w = my_windows();
	while (w->used && n < w->count && w->ends[n] <= address)
		n++;
	return n;
}

/* Start the next window. If this one is not full, the guest handles it, by PMBSR_EL1. */
static enum exc_return next_window(struct exc_frame *frame, uint32_t intid)
{
	uint64_t pointer, limit = read_sysreg(PMBLIMITR_EL1) & LIMIT;
	struct windows *w = my_windows();
	enum exc_return how;

	spe_drain();
	if (!(read_sysreg(PMBSR_EL1) & PMBSR_S))
		return EXC_RETURN;
	if ((read_sysreg(PMBSR_EL1) & ~PMBSR_COLL) != (PMBSR_S | PMBSR_BSC_FULL) ||
	    limit == w->end || w->count == WINDOWS) {
		gic_enable(intid, NULL);
		return EXC_RETURN;
	}
	pointer = read_sysreg(PMBPTR_EL1);
	/* A limit is at a page: if that is too near, the rest of the page is padding. */
	if (window_limit(pointer, w->end) == limit) {
		memset((void *)pointer, 0, limit - pointer);
		pointer = limit;
	}
	w->ends[w->count++] = pointer;
	how = spe_resume(frame, pointer);
	frame->x[18] = (frame->x[18] & ~LIMIT) | window_limit(pointer, w->end);
	return how;
}

/* The limit to begin with. */
static uint64_t begin_windows(const struct spe_setup *setup)
{
	uint64_t limit = window_limit(setup->pointer, setup->limit);
	struct windows *w;

	if (!spe_caps.max_buffer || boot_info.el != 1)
		return limit;
	w = my_windows();
	if (w->used)
		gic_enable(spe_caps.intid, NULL);
	w->used = limit != setup->limit && spe_caps.intid;
	w->end = setup->limit;
	w->count = 0;
	if (w->used)
		gic_enable(spe_caps.intid, next_window);
	return limit;
}

void spe_program(const struct spe_setup *setup)
{
	uint64_t limit;

	spe_disable();
	limit = begin_windows(setup);
	write_sysreg(PMBSR_EL1, 0);
	write_sysreg(PMBPTR_EL1, setup->pointer);
	write_sysreg(PMSFCR_EL1, setup->pmsfcr);
	write_sysreg(PMSEVFR_EL1, setup->pmsevfr);
	if (spe_caps.fne)
		write_sysreg(PMSNEVFR_EL1, setup->pmsnevfr);
	write_sysreg(PMSLATFR_EL1, setup->pmslatfr);
	write_sysreg(PMSIRR_EL1, setup->pmsirr);
	isb();
	write_sysreg(PMSICR_EL1, setup->pmsicr);
	isb();
	write_sysreg(PMBLIMITR_EL1, limit | setup->limit_flags);
	isb();
}

uint64_t spe_events(void)
{
	static uint64_t events; /* 0: not known yet */
	const uint64_t old = read_sysreg(PMSEVFR_EL1);

	if (events == 0) {
		write_sysreg(PMSEVFR_EL1, ~UINT64_C(0));
		events = read_sysreg(PMSEVFR_EL1);
		write_sysreg(PMSEVFR_EL1, old);
	}
	return events;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide: profiling with addresses of 52 bits, for each granule that has them (FEAT_LVA, FEAT_LPA,
 * FEAT_LPA2; Arm ARM D8.2, D8.3). Code, data and buffer lie at virtual addresses of both halves
 * that 48 bits cannot have. What the tables mean the PE itself says, by AT S1E1R and AT S1E1W;
 * records and faults of the buffer have to say the same.
 */
#include "arch.h"
#include "boot.h"
#include "record.h"
#include "spe.h"
#include "string.h"
#include "tap.h"
#include "wide_tables.h"

#define LAST	 3
#define PAGES	 8 /* of a window; the last two are data */
#define INTERVAL 1
#define SAMPLED	 8192 /* bytes of records in a run, about */
#define SHORT	 400  /* laps: a few records */
#define ONE	 50   /* a record */

/* Multiples of what a first table's descriptor maps, with bits [51:48] that differ; by half. */
static const uint64_t code_at[2] = {UINT64_C(0x00091a2b00000000), UINT64_C(0xfff56c7d00000000)};
static const uint64_t window_at[2] = {UINT64_C(0x000e5f0040000000), UINT64_C(0xfffa012340000000)};
static const uint64_t block_at[2] = {UINT64_C(0x0006000000000000), UINT64_C(0xfffc000000000000)};

static uint8_t area[PAGES << 16] __attribute__((aligned(65536)));
static uint8_t records[2 * SAMPLED];

static const struct wide_granule *g;
static uint64_t page; /* bytes */

static uint64_t fsc_at(unsigned int kind, int level)
{
	if (level >= 0)
		return kind | (unsigned int)level;
	return kind == 0x04 ? 0x2b : 0x29; /* translation, address size */
}

#define TRANSLATION  0x04
#define ADDRESS_SIZE 0x00
#define ACCESS_FLAG  0x08
#define PERMISSION   0x0c
#define EXTERNAL     0x10

/* The window's pages are in memory in descending order. */
static uint64_t window_pa(unsigned int n)
{
	return wide_image_pa(area) + (PAGES - 1 - n) * page;
}

static uint8_t *window_bytes(unsigned int n)
{
	return area + (PAGES - 1 - n) * page;
}

static void begin_regime(const struct wide_granule *granule)
{
	g = granule;
	page = UINT64_C(1) << g->bits;
	wide_begin(g);
	for (unsigned int half = 0; half < 2; half++)
		for (unsigned int n = 0; n < PAGES; n++)
			(void)wide_map(window_at[half] + n * page, window_pa(n), LAST);
}

static uint64_t data_at(unsigned int half)
{
	return window_at[half] + (PAGES - 1) * page;
}

/* A function of the image as it is at base. */
static uintptr_t alias_of(uint64_t base, uintptr_t function)
{
	return base + (function - KERNEL_VA);
}

static uint64_t at_write(uint64_t va)
{
	return wide_call((uintptr_t)wide_at_write, va, 0, 0, 0);
}

/* The PE's own walk. */
static void check_pa(uint64_t va, uint64_t pa)
{
	const uint64_t par = wide_call((uintptr_t)wide_at_read, va, 0, 0, 0);

	CHECK(!(par & 1) && (par & (field(~UINT64_C(0), 51, 12) << 12)) == (pa & ~UINT64_C(0xfff)),
	      "%s: PAR_EL1 of 0x%lx is 0x%lx, not of 0x%lx", g->name, va, par, pa);
}

/* Without SPE: both halves, code and data. */
static void test_regime(void)
{
	for (unsigned int half = 0; half < 2; half++) {
		const uintptr_t where = alias_of(code_at[half], (uintptr_t)wide_where);
		const uint64_t data = data_at(half);
		volatile uint64_t *word = (volatile uint64_t *)window_bytes(PAGES - 1);
		uint64_t got;

		wide_map_image(code_at[half]);
		got = wide_call(where, 0, 0, 0, 0);
		CHECK(got == where, "%s: the PC is 0x%lx, not 0x%lx", g->name, got, where);
		*word = 0x1234 + half;
		got = wide_call((uintptr_t)wide_swap, data, 0x5678 + half, 0, 0);
		CHECK(got == 0x1234 + half, "%s: 0x%lx at 0x%lx", g->name, got, data);
		CHECK(*word == 0x5678 + half, "%s: 0x%lx where 0x%lx was written", g->name, *word,
		      data);
		check_pa(data, window_pa(PAGES - 1));
		check_pa(data - page, window_pa(PAGES - 2));
		check_pa(where, wide_image_pa((const void *)wide_where));
	}
}

/* Profile laps of the loop at code, on data, with a buffer from pointer to limit. */
static void profile_laps(uintptr_t code, uint64_t laps, uint64_t data, uint64_t pointer,
			 uint64_t limit)
{
	const struct spe_setup setup = {
		.pointer = pointer,
		.limit = limit,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	spe_program(&setup);
	(void)wide_call((uintptr_t)spe_run_el1, PMSCR_E1SPE | PMSCR_PA | PMSCR_TS, code, laps,
			data);
}

static uint64_t sampled_laps(void)
{
	/* A buffer of which no record is left is full. */
	const uint64_t bytes = spe_window(SAMPLED + spe_caps.max_record) - spe_caps.max_record;

	return bytes / spe_caps.max_record * spe_spacing(INTERVAL) / LAP;
}

/* Copy what is in the window's pages up to PMBPTR_EL1 into records[]; its bytes. */
static uint64_t gather_records(uint64_t window)
{
	const uint64_t size = read_sysreg(PMBPTR_EL1) - window;

	if (!CHECK(size <= sizeof(records), "%s: PMBPTR_EL1 is 0x%lx", g->name,
		   read_sysreg(PMBPTR_EL1)))
		return 0;
	for (uint64_t at = 0; at < size; at += page)
		memcpy(records + at, window_bytes((unsigned int)(at / page)),
		       size - at < page ? size - at : page);
	return size;
}

/* The data address of an operation of the loop; 0: it has none. */
static uint64_t data_of(uint64_t index, uint64_t data)
{
	switch (index) {
	case LAP_LOAD: return data;
	case LAP_STORE: return data + 8;
	case LAP_BEFORE: return data - 8;
	case LAP_PAIR: return data - 16;
	default: return 0;
	}
}

static void check_record(const struct record *r, uint64_t loop, uint64_t data)
{
	const uint64_t index = (r->pc - loop) / 4, va = data_of(index, data);
	const uint64_t pa = va >= data ? window_pa(PAGES - 1) : window_pa(PAGES - 2);

	if (va == 0) {
		CHECK(!(r->has & (RECORD_VA | RECORD_PA)), "%s: an address at PC 0x%lx", g->name,
		      r->pc);
		return;
	}
	CHECK((r->has & RECORD_VA) && r->va == va, "%s: VA 0x%lx, not 0x%lx", g->name, r->va, va);
	CHECK((r->has & RECORD_PA) && r->pa == (pa | (va & (page - 1))),
	      "%s: PA 0x%lx of VA 0x%lx, not 0x%lx", g->name, r->pa, va, pa | (va & (page - 1)));
}

/* Of records[]: all there are, from the loop but for what is around the call. */
static void check_records(uint64_t size, uint64_t laps, uint64_t loop, uint64_t data)
{
	const uint64_t population = laps * LAP + 1 + SPE_RUN_EL1_EXTRA;
	uint64_t count = 0, around = 0;

	for (uint64_t at = 0; at < size; count++) {
		struct record r;
		const long bytes = record_parse(records + at, size - at, &r);

		if (!CHECK(bytes > 0 && (r.has & RECORD_PC), "%s: record %lu is broken", g->name,
			   count))
			return;
		at += ((uint64_t)bytes + spe_caps.align - 1) & ~(spe_caps.align - 1);
		if (r.pc - loop > LAP * 4) {
			around++;
			continue;
		}
		check_record(&r, loop, data);
		if ((r.pc - loop) / 4 == LAP_BRANCH && (r.has & RECORD_TARGET))
			CHECK(r.target == loop || r.target == r.pc + 4, "%s: target 0x%lx", g->name,
			      r.target);
	}
	CHECK(around <= 1, "%s: %lu records of other code", g->name, around);
	CHECK(count == population / spe_spacing(INTERVAL), "%s: %lu records, not %lu", g->name,
	      count, population / spe_spacing(INTERVAL));
}

/* Code and data in one half, the buffer in the other. */
static void test_samples(void)
{
	const uint64_t laps = sampled_laps();

	for (unsigned int half = 0; half < 2; half++) {
		const uintptr_t loop = alias_of(code_at[half], (uintptr_t)wide_loop);
		const uint64_t data = data_at(half), buffer = window_at[!half];

		wide_map_image(code_at[half]);
		profile_laps(loop, laps, data, buffer, buffer + (PAGES - 2) * page);
		CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: PMBSR_EL1 is 0x%lx", g->name,
		      read_sysreg(PMBSR_EL1));
		check_records(gather_records(buffer), laps, loop, data);
		spe_disable();
	}
}

/* Descriptors are data, and have the order of EL1's data. */
static void other_order(void)
{
	const uint64_t laps = sampled_laps(), buffer = window_at[1];
	const uintptr_t loop = alias_of(code_at[0], (uintptr_t)wide_loop);

	wide_map_image(code_at[0]);
	wide_other_order();
	profile_laps(loop, laps, data_at(0), buffer, buffer + (PAGES - 2) * page);
	CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: PMBSR_EL1 is 0x%lx", g->name,
	      read_sysreg(PMBSR_EL1));
	check_records(gather_records(buffer), laps, loop, data_at(0));
	spe_disable();
}

/* The first levels of blocks are bigger: 512 GiB, 64 GiB and 4 TiB. */
static void test_blocks(void)
{
	const uint64_t laps = sampled_laps();
	const uint64_t size = UINT64_C(1)
			      << (g->bits + (g->bits - 3) * (unsigned int)(LAST - g->block));

	for (unsigned int half = 0; half < 2; half++) {
		/* There pages are in ascending order: those of the window between its first and its
		 * data. */
		const uint64_t first = window_pa(PAGES - 3), pa = first & ~(size - 1);
		const uint64_t buffer = block_at[half] + (first - pa);
		const uintptr_t loop = alias_of(code_at[half], (uintptr_t)wide_loop);
		uint64_t used;

		wide_map_image(code_at[half]);
		(void)wide_map(block_at[half], pa, g->block);
		check_pa(buffer, first);
		profile_laps(loop, laps, data_at(half), buffer, buffer + 4 * page);
		CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: PMBSR_EL1 is 0x%lx", g->name,
		      read_sysreg(PMBSR_EL1));
		used = read_sysreg(PMBPTR_EL1) - buffer;
		if (CHECK(used <= sizeof(records), "%s: %lu bytes", g->name, used)) {
			memcpy(records, window_bytes(PAGES - 3), used);
			check_records(used, laps, loop, data_at(half));
		}
		spe_disable();
	}
}

/* The buffer's first record meets a fault, of which the PE says the same to AT. */
static void check_fault(uint64_t fault, uint64_t fsc)
{
	const uint64_t par = at_write(fault);
	uint64_t status, pointer;

	CHECK((par & 1) && field(par, 6, 1) == fsc, "%s: PAR_EL1 is 0x%lx, FST not 0x%lx", g->name,
	      par, fsc);
	profile_laps((uintptr_t)wide_loop, SHORT, (uintptr_t)area + page, fault, fault + page);
	status = read_sysreg(PMBSR_EL1);
	pointer = read_sysreg(PMBPTR_EL1);
	CHECK((status & PMBSR_S) && field(status, 31, 26) == EC_DATA_LOWER &&
		      field(status, 5, 0) == fsc && !(status & (PMBSR_EA | PMBSR_DL | PMBSR_COLL)),
	      "%s: PMBSR_EL1 is 0x%lx, FSC not 0x%lx", g->name, status, fsc);
	CHECK(pointer == fault, "%s: PMBPTR_EL1 is 0x%lx, not 0x%lx", g->name, pointer, fault);
	spe_disable();
}

/* Every level's descriptor in turn: invalid, and with an address beyond TCR_EL1.IPS. */
static void test_faults(void)
{
	const uint64_t small = (wide_regs.tcr & ~(UINT64_C(7) << 32)) | UINT64_C(4) << 32;

	for (unsigned int half = 0; half < 2; half++) {
		for (int level = g->first; level <= LAST; level++) {
			uint64_t *entry = wide_descriptor(window_at[half], level);
			const uint64_t good = *entry;

			*entry = 0;
			check_fault(window_at[half], fsc_at(TRANSLATION, level));
			*entry = good | UINT64_C(1) << 47; /* IPS: 44 bits */
			wide_regs.tcr = small;
			check_fault(window_at[half], fsc_at(ADDRESS_SIZE, level));
			*entry = good;
			begin_regime(g);
		}
	}
	*wide_descriptor(window_at[1], LAST) &= ~WIDE_AF;
	check_fault(window_at[1], ACCESS_FLAG | LAST);
	*wide_descriptor(window_at[0], LAST) |= WIDE_RO;
	check_fault(window_at[0], PERMISSION | LAST);
	/* Between the halves there is nothing. */
	check_fault(UINT64_C(0x0010000000000000), TRANSLATION);
	check_fault(UINT64_C(0xffe0000000000000), TRANSLATION);
}

/* Access flag and dirty state, as the PE would set them itself: FEAT_HAFDBS. */
static void test_updates(void)
{
	const bool dirty = field(read_sysreg(id_aa64mmfr1_el1), 3, 0) >= 2;
	const uint64_t start = window_at[1] + page - 2 * spe_caps.max_record;
	uint64_t *entry[3], old[3], laps, bytes;

	/* Enough to fill the first page, and two records more. */
	profile_laps((uintptr_t)wide_loop, ONE, (uintptr_t)area + page, window_at[0],
		     window_at[0] + page);
	bytes = read_sysreg(PMBPTR_EL1) - window_at[0];
	if (!CHECK(bytes > 0, "%s: no record", g->name))
		return;
	laps = (2 * spe_caps.max_record / bytes + 2) * spe_spacing(INTERVAL) / LAP + 1;
	for (unsigned int n = 0; n < 3; n++) {
		entry[n] = wide_descriptor(window_at[1] + n * page, LAST);
		*entry[n] &= ~WIDE_AF;
		if (n > 0 && dirty)
			*entry[n] |= WIDE_RO | WIDE_DBM;
		old[n] = *entry[n];
	}
	wide_regs.tcr |= WIDE_TCR_HA | (dirty ? WIDE_TCR_HD : 0);
	if (!(spe_caps.pmbidr & PMBIDR_F)) { /* they are managed by software alone */
		profile_laps((uintptr_t)wide_loop, ONE, (uintptr_t)area + page, window_at[1],
			     window_at[1] + PAGE_SIZE);
		CHECK((read_sysreg(PMBSR_EL1) & PMBSR_S) &&
			      field(read_sysreg(PMBSR_EL1), 5, 0) == (ACCESS_FLAG | LAST),
		      "%s: PMBSR_EL1 is 0x%lx", g->name, read_sysreg(PMBSR_EL1));
		CHECK(*entry[0] == old[0], "%s: 0x%lx of 0x%lx", g->name, *entry[0], old[0]);
		spe_disable();
		return;
	}
	if (spe_window(2 * PAGE_SIZE) == 2 * PAGE_SIZE) {
		profile_laps((uintptr_t)wide_loop, laps, (uintptr_t)area + page, start,
			     window_at[1] + 3 * page);
	} else {
		/* No buffer may be in two pages. */
		for (unsigned int n = 0; n < 2; n++) {
			CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: page %u: PMBSR_EL1 is 0x%lx",
			      g->name, n, read_sysreg(PMBSR_EL1));
			profile_laps((uintptr_t)wide_loop, ONE, (uintptr_t)area + page,
				     window_at[1] + n * page, window_at[1] + n * page + PAGE_SIZE);
		}
	}
	CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: PMBSR_EL1 is 0x%lx", g->name,
	      read_sysreg(PMBSR_EL1));
	CHECK(read_sysreg(PMBPTR_EL1) > window_at[1] + page, "%s: PMBPTR_EL1 is 0x%lx", g->name,
	      read_sysreg(PMBPTR_EL1));
	CHECK(*entry[0] == (old[0] | WIDE_AF), "%s: 0x%lx of 0x%lx", g->name, *entry[0], old[0]);
	CHECK(*entry[1] == ((old[1] | WIDE_AF) & ~(dirty ? WIDE_RO : 0)), "%s: 0x%lx of 0x%lx",
	      g->name, *entry[1], old[1]);
	CHECK(*entry[2] == old[2], "%s: 0x%lx of 0x%lx", g->name, *entry[2], old[2]);
	spe_disable();
}

/* A physical address of more than 48 bits is one: there is no memory, but no fault of a walk. */
static void test_outputs(void)
{
	uint64_t status;

	for (unsigned int bit = 48; bit < 52; bit++) {
		const uint64_t pa = window_pa(0) | UINT64_C(1) << bit;

		(void)wide_map(window_at[1], pa, LAST);
		check_pa(window_at[1], pa);
	}
	/* SErrors are what nobody here could go on from. */
	if (spe_caps.aborts == SPE_ABORTS_SERROR)
		return;
	profile_laps((uintptr_t)wide_loop, SHORT, (uintptr_t)area + page, window_at[1],
		     window_at[1] + page);
	status = read_sysreg(PMBSR_EL1);
	if (spe_caps.aborts == SPE_ABORTS_IGNORED)
		CHECK(status == 0, "%s: PMBSR_EL1 is 0x%lx", g->name, status);
	else
		CHECK((status & (PMBSR_S | PMBSR_EA)) == (PMBSR_S | PMBSR_EA) &&
			      field(status, 31, 26) == EC_DATA_LOWER &&
			      (field(status, 5, 0) & ~UINT64_C(1)) == EXTERNAL,
		      "%s: PMBSR_EL1 is 0x%lx, not of an external abort", g->name, status);
	spe_disable();
}

static const char *needs_va(const struct wide_granule *granule)
{
	return wide_va(granule);
}

static const char *needs_samples(const struct wide_granule *granule)
{
	const char *why = wide_va(granule);

	return why ? why : needs_exact();
}

static const char *needs_blocks(const struct wide_granule *granule)
{
	const char *why = granule->ds ? wide_va(granule) : wide_pa(granule);

	return why ? why : needs_exact();
}

static const char *needs_updates(const struct wide_granule *granule)
{
	const char *why = needs_samples(granule);

	if (!why && field(read_sysreg(id_aa64mmfr1_el1), 3, 0) == 0)
		why = "no FEAT_HAFDBS";
	return why;
}

static const char *needs_other_order(const struct wide_granule *granule)
{
	const char *why = needs_samples(granule);

	return why || wide_has_other_order() ? why : "no big-endian data at EL1";
}

static const char *needs_outputs(const struct wide_granule *granule)
{
	const char *why = wide_pa(granule);

	return why ? why : needs_exact();
}

/* One test for each granule. */
#define EACH(test, needs)                               \
	static void test##_4k(void)                     \
	{                                               \
		begin_regime(&wide_granules[WIDE_4K]);  \
		test();                                 \
	}                                               \
	static void test##_16k(void)                    \
	{                                               \
		begin_regime(&wide_granules[WIDE_16K]); \
		test();                                 \
	}                                               \
	static void test##_64k(void)                    \
	{                                               \
		begin_regime(&wide_granules[WIDE_64K]); \
		test();                                 \
	}                                               \
	static const char *needs_##test##_4k(void)      \
	{                                               \
		return needs(&wide_granules[WIDE_4K]);  \
	}                                               \
	static const char *needs_##test##_16k(void)     \
	{                                               \
		return needs(&wide_granules[WIDE_16K]); \
	}                                               \
	static const char *needs_##test##_64k(void)     \
	{                                               \
		return needs(&wide_granules[WIDE_64K]); \
	}

EACH(test_regime, needs_va)
EACH(test_samples, needs_samples)
EACH(test_blocks, needs_blocks)
EACH(test_faults, needs_samples)
EACH(test_updates, needs_updates)
EACH(test_outputs, needs_outputs)
EACH(other_order, needs_other_order)

#define ROWS(what, test)                                        \
	{what ", 4K", test##_4k, needs_##test##_4k},            \
		{what ", 16K", test##_16k, needs_##test##_16k}, \
	{                                                       \
		what ", 64K", test##_64k, needs_##test##_64k    \
	}

static const struct test tests[] = {
	ROWS("code and data in both halves", test_regime),
	ROWS("PC, VA and PA of samples", test_samples),
	ROWS("a buffer in a block of the first level that has them", test_blocks),
	ROWS("faults of the buffer at every level", test_faults),
	ROWS("access flag and dirty state of the buffer", test_updates),
	ROWS("physical addresses above 48 bits", test_outputs),
	ROWS("samples and a buffer with big-endian tables", other_order),
};

void guest_main(void)
{
	tap_run("wide", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer: the profiling buffer's management (Arm ARM D17.7; PMBLIMITR_EL1, PMBPTR_EL1, PMBSR_EL1):
 * full buffers, faults, the interrupt, restart, and that no record is lost.
 *
 * The sled at EL0 is profiled, so a record's PC identifies its operation.
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define UNITS	 4  /* of the buffer, and one after it */
#define ROOM	 64 /* for records in a unit, unless a buffer may not be as large */
#define LEAST	 16 /* bytes of a record */
#define INTERVAL 1

#define FSC_MASK 0x3f

static uint64_t buffer, unit; /* unit: bytes for ROOM records, a page at least */
static uint64_t span;	      /* of a buffer of several units */
static uint64_t laps_full;    /* that fill a unit, however small the records */

/* What collect() has seen since begin(). */
static struct {
	uint64_t records, last_index, last_timestamp;
	uint64_t gaps; /* steps that were not one interval */
	uint64_t gap;  /* the last of them, in operations modulo a lap */
	uint64_t unaligned, oversize, unparsed, backwards;
	uint64_t fills, status; /* interrupts, and the last one's PMBSR_EL1 */
} seen;

static void begin_profile(uint64_t pointer, uint64_t limit, uint64_t flags)
{
	struct spe_setup setup = {
		.pointer = pointer,
		.limit = limit,
		.limit_flags = flags,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	memset(&seen, 0, sizeof(seen));
	spe_program(&setup);
}

static void slide_laps(uint64_t laps)
{
	spe_run_el0(PMSCR_E0SPE | PMSCR_TS, user_address(user_sled), laps, 0);
}

/* Read the records from start to PMBPTR_EL1. */
static void collect_records(uint64_t start)
{
	const uint8_t *at = (const uint8_t *)start;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);
		uint64_t index = (r.pc - user_address(user_sled)) / 4, step;

		if (size < 0 || index >= SLED_LAP)
			seen.unparsed++;
		if (size <= 0)
			return;
		seen.unaligned += ((uintptr_t)at & (spe_caps.align - 1)) != 0;
		seen.oversize += (uint64_t)size > spe_caps.max_record;
		seen.backwards += r.timestamp < seen.last_timestamp;
		step = (index + SLED_LAP - seen.last_index) % SLED_LAP;
		if (seen.records && !spe_is_distance(step, spe_spacing(INTERVAL), SLED_LAP)) {
			seen.gaps++;
			seen.gap = step;
		}
		seen.last_index = index;
		seen.last_timestamp = r.timestamp;
		seen.records++;
		/* Padding up to the next boundary belongs to the record. */
		at += ((uint64_t)size + spe_caps.align - 1) & ~(spe_caps.align - 1);
	}
}

/* Only a record that a fault cut off may fail to parse; PMBSR_EL1.DL reports it. */
static void check_stream(void)
{
	uint64_t cut = read_sysreg(PMBSR_EL1) & PMBSR_DL ? 1 : 0;

	CHECK(seen.unparsed == cut, "%lu places do not parse, %lu have to", seen.unparsed, cut);
	CHECK(seen.unaligned == 0, "%lu records start off the alignment of %lu", seen.unaligned,
	      spe_caps.align);
	CHECK(seen.oversize == 0, "%lu records are larger than %lu", seen.oversize,
	      spe_caps.max_record);
	CHECK(seen.backwards == 0, "time runs backwards %lu times", seen.backwards);
}

/* After a fill PMBSR_EL1 has S, BSC = 1 and nothing else. */
static void check_full(uint64_t limit)
{
	uint64_t status = read_sysreg(PMBSR_EL1), pointer = read_sysreg(PMBPTR_EL1);

	CHECK(status == (PMBSR_S | PMBSR_BSC_FULL), "PMBSR_EL1 is 0x%lx", status);
	CHECK(pointer <= limit && pointer > limit - spe_caps.max_record,
	      "PMBPTR_EL1 is 0x%lx, the limit 0x%lx", pointer, limit);
}

static void test_full(void)
{
	uint64_t limit = buffer + unit, room = unit / spe_caps.max_record;

	memset((void *)limit, 0xa5, PAGE_SIZE);
	begin_profile(buffer, limit, PMBLIMITR_E);
	slide_laps(laps_full);
	check_full(limit);
	collect_records(buffer);
	check_stream();
	CHECK(seen.gaps == 0, "%lu gaps", seen.gaps);
	CHECK(seen.records >= room, "%lu records, there is room for %lu", seen.records, room);
	if (spe_caps.align == spe_caps.max_record)
		CHECK(seen.records == room, "%lu records, not %lu", seen.records, room);
	for (uint64_t i = 0; i < PAGE_SIZE; i++)
		if (!CHECK(((const uint8_t *)limit)[i] == 0xa5, "byte %lu behind the limit", i))
			break;
}

/* S stops profiling: neither pointer nor counter moves. */
static void full_stops(void)
{
	uint64_t pointer, pmsicr;

	begin_profile(buffer, buffer + unit, PMBLIMITR_E);
	slide_laps(laps_full);
	pointer = read_sysreg(PMBPTR_EL1);
	pmsicr = read_sysreg(PMSICR_EL1);
	slide_laps(laps_full);
	CHECK(read_sysreg(PMBPTR_EL1) == pointer, "PMBPTR_EL1 went from 0x%lx to 0x%lx", pointer,
	      read_sysreg(PMBPTR_EL1));
	CHECK(read_sysreg(PMSICR_EL1) == pmsicr, "PMSICR_EL1 went from 0x%lx to 0x%lx", pmsicr,
	      read_sysreg(PMSICR_EL1));
}

/* RULE("IGRLRX") PMBIRQ is PMBSR_EL1.S, a level, whoever sets it. */
static void interrupt_level(void)
{
	begin_profile(buffer, buffer + unit, PMBLIMITR_E);
	CHECK(!gic_pending(spe_caps.intid), "pending before");
	slide_laps(laps_full);
	CHECK(gic_pending(spe_caps.intid), "not pending with the buffer full");
	spe_disable();
	CHECK(gic_pending(spe_caps.intid), "not pending any more with the buffer disabled");
	spe_set_status(0);
	CHECK(!gic_pending(spe_caps.intid), "still pending with S = 0");
	spe_set_status(PMBSR_S);
	CHECK(gic_pending(spe_caps.intid), "not pending with S = 1 written by software");
	spe_set_status(0);
	CHECK(!gic_pending(spe_caps.intid), "still pending with S = 0 again");
}

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	spe_drain();
	if (!(read_sysreg(PMBSR_EL1) & PMBSR_S))
		return EXC_RETURN;
	seen.status = read_sysreg(PMBSR_EL1);
	seen.fills++;
	collect_records(buffer);
	return spe_resume(frame, buffer);
}

/* Through two units again and again, in physical order opposite to their virtual one. */
static void nothing_lost(void)
{
	uint64_t laps = 8 * laps_full, population = laps * SLED_LAP + 1 + SPE_RUN_EL0_EXTRA;

	begin_profile(buffer, buffer + spe_window(2 * unit), PMBLIMITR_E);
	gic_enable(spe_caps.intid, buffer_irq);
	slide_laps(laps);
	gic_enable(spe_caps.intid, NULL);
	collect_records(buffer);
	check_stream();
	tap_note("%lu records, %lu fills", seen.records, seen.fills);
	CHECK(seen.fills >= 3, "%lu fills", seen.fills);
	CHECK(seen.status == (PMBSR_S | PMBSR_BSC_FULL), "PMBSR_EL1 was 0x%lx", seen.status);
	CHECK(seen.gaps == 0, "%lu gaps, the last of %lu operations", seen.gaps, seen.gap);
	CHECK(spe_is_count(seen.records, population, INTERVAL), "%lu records, not %lu",
	      seen.records, population / spe_spacing(INTERVAL));
}

/*
 * RULE("RHXSYK")
 * The pointer may start anywhere that is aligned, even so near the limit that one record fits.
 */
static void last_record(void)
{
	uint64_t limit = buffer + 2 * unit;

	begin_profile(limit - spe_caps.max_record, limit, PMBLIMITR_E);
	slide_laps(laps_full);
	check_full(limit);
	collect_records(limit - spe_caps.max_record);
	check_stream();
	CHECK(seen.records == 1, "%lu records", seen.records);
}

/* After a fault, what PMBSR_EL1 says; PMBPTR_EL1 is at the first byte not written. */
static void check_fault(uint64_t fault, unsigned int fsc)
{
	uint64_t status = read_sysreg(PMBSR_EL1), pointer = read_sysreg(PMBPTR_EL1);

	CHECK(status & PMBSR_S, "S is 0 in PMBSR_EL1 0x%lx", status);
	CHECK(field(status, 31, 26) == EC_DATA_LOWER, "EC is 0x%lx", field(status, 31, 26));
	CHECK((status & FSC_MASK) == fsc, "FSC is 0x%lx, not 0x%x", status & FSC_MASK, fsc);
	CHECK(!(status & (PMBSR_EA | PMBSR_COLL)), "PMBSR_EL1 is 0x%lx", status);
	CHECK(field(status, 55, 32) == 0, "MSS2 is 0x%lx", field(status, 55, 32));
	CHECK(pointer <= fault && pointer > fault - spe_caps.max_record,
	      "PMBPTR_EL1 is 0x%lx, the fault at 0x%lx", pointer, fault);
	if (!(status & PMBSR_DL) && spe_caps.align == spe_caps.max_record)
		CHECK(pointer == fault, "PMBPTR_EL1 is 0x%lx, not 0x%lx", pointer, fault);
}

/*
 * Where a buffer begins that continues past its first unit: at the start of that unit, or, if the
 * buffer may not be so large, as few pages before the end of the unit as it may have.
 */
static uint64_t before_second(void)
{
	uint64_t behind = span - PAGE_SIZE;

	return buffer + unit - (behind < unit ? behind : unit);
}

static void translation_fault(void)
{
	uint64_t second = buffer + unit, start = before_second(), entry = mmu_unmap(second);

	begin_profile(start, start + span, PMBLIMITR_E);
	slide_laps(laps_full);
	check_fault(second, FSC_TRANSLATION_L3);
	mmu_restore(second, entry);
	collect_records(start);
	check_stream();
	CHECK(seen.gaps == 0, "%lu gaps", seen.gaps);
	CHECK(seen.records >= (second - start) / spe_caps.max_record, "%lu records", seen.records);
}

static const char *needs_whole_records(void)
{
	const char *why = needs_spe_irq();

	if (!why && spe_caps.align != spe_caps.max_record)
		why = "records of different sizes: PMBIDR_EL1.Align is not PMSIDR_EL1.MaxSize";
	return why;
}

static uint64_t missing_entry; /* of the page that fault_irq() puts back */

static enum exc_return fault_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	spe_drain();
	if (!(read_sysreg(PMBSR_EL1) & PMBSR_S))
		return EXC_RETURN;
	if (read_sysreg(PMBSR_EL1) ==
	    (PMBSR_S | PMBSR_BSC_FULL)) { /* after it there is little room */
		collect_records(buffer + unit);
		return spe_resume(frame, buffer + unit);
	}
	seen.status = read_sysreg(PMBSR_EL1);
	seen.fills++;
	collect_records(before_second());
	mmu_restore(buffer + unit, missing_entry);
	return spe_resume(frame, read_sysreg(PMBPTR_EL1));
}

/*
 * RULE("RHLXGD") RULE("RTHGCR")
 * The interrupt restores the page. Only the record that met the fault is lost. From v1p5 on, more
 * may be lost until the interrupt, which comes at the end at the latest.
 */
static void fault_and_restart(void)
{
	uint64_t second = buffer + unit, start = before_second(), spacing = spe_spacing(INTERVAL);
	/* Records before the fault, those that are lost, and some after it. */
	uint64_t laps = ((second - start) / spe_caps.max_record + ROOM / 2) * spacing / SLED_LAP;
	uint64_t samples = (laps * SLED_LAP + 1 + SPE_RUN_EL0_EXTRA) / spacing, lost;

	missing_entry = mmu_unmap(second);
	begin_profile(start, start + span, PMBLIMITR_E);
	gic_enable(spe_caps.intid, fault_irq);
	irq_enable();
	slide_laps(laps);
	irq_disable();
	gic_enable(spe_caps.intid, NULL);
	collect_records(second);
	check_stream();
	lost = samples - seen.records;
	tap_note("%lu of %lu records are lost", lost, samples);
	CHECK(seen.fills == 1, "%lu interrupts", seen.fills);
	CHECK(field(seen.status, 31, 26) == EC_DATA_LOWER, "PMBSR_EL1 was 0x%lx", seen.status);
	CHECK(lost == 1 || (lost > 1 && lost <= samples && spe_caps.version >= PMSVER_V1P5),
	      "%lu records, not %lu", seen.records, samples - 1);
	/* All records before the fault and after it are there. */
	CHECK(seen.gaps == 1 ? spe_is_distance(seen.gap, (lost + 1) * spacing, SLED_LAP)
			     : seen.gaps == 0 && lost,
	      "%lu gaps, the last of %lu operations", seen.gaps, seen.gap);
}

static void permission_fault(void)
{
	uint64_t pa = phys_alloc(1), readonly = (uintptr_t)rodata_map(pa, PAGE_SIZE);

	begin_profile(readonly, readonly + PAGE_SIZE, PMBLIMITR_E);
	slide_laps(1);
	check_fault(readonly, FSC_PERMISSION_L3);
	CHECK(*(const volatile uint64_t *)readonly == 0, "a read-only page was written");
}

/* An address that no table leads to: level 0. */
static void unmapped_buffer(void)
{
	uint64_t nowhere = DEVICE_VA + (UINT64_C(1) << 45);

	begin_profile(nowhere, nowhere + PAGE_SIZE, PMBLIMITR_E);
	slide_laps(1);
	check_fault(nowhere, FSC_TRANSLATION_L0);
}

static const char *needs_discard(void)
{
	const char *why = needs_exact();

	return needs_too(why, spe_caps.discard, "no Discard mode before v1p2");
}

/* RULE("D17.5.5/discard") Counted and selected as ever, written nowhere, never full. */
static void test_discard(void)
{
	uint64_t population = 2 * (laps_full * SLED_LAP + 1 + SPE_RUN_EL0_EXTRA), pmsicr, left;

	memset((void *)buffer, 0x5a, PAGE_SIZE);
	begin_profile(buffer, buffer + unit, PMBLIMITR_E | PMBLIMITR_DISCARD);
	slide_laps(laps_full);
	slide_laps(laps_full);
	CHECK(read_sysreg(PMBSR_EL1) == 0, "PMBSR_EL1 is 0x%lx", read_sysreg(PMBSR_EL1));
	CHECK(read_sysreg(PMBPTR_EL1) == buffer, "PMBPTR_EL1 moved to 0x%lx",
	      read_sysreg(PMBPTR_EL1));
	for (uint64_t i = 0; i < PAGE_SIZE; i++)
		if (!CHECK(((const uint8_t *)buffer)[i] == 0x5a, "byte %lu was written", i))
			break;
	pmsicr = read_sysreg(PMSICR_EL1);
	left = spe_spacing(INTERVAL) - population % spe_spacing(INTERVAL);
	CHECK(pmsicr == left || pmsicr + 1 == left, "PMSICR_EL1 is %lu, %lu members are left",
	      pmsicr, left);
}

/* A filter that no NOP passes: selected, but nothing is written. */
static void test_filtered(void)
{
	struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + unit,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
		.pmsfcr = PMSFCR_FT | PMSFCR_LD,
	};

	spe_program(&setup);
	slide_laps(laps_full);
	CHECK(read_sysreg(PMBSR_EL1) == 0, "PMBSR_EL1 is 0x%lx", read_sysreg(PMBSR_EL1));
	CHECK(read_sysreg(PMBPTR_EL1) == buffer, "PMBPTR_EL1 moved to 0x%lx",
	      read_sysreg(PMBPTR_EL1));
}

static const char *needs_nvm(void)
{
	const char *why = needs_exact();

	if (!why && !spe_caps.nvm)
		why = "no FEAT_SPE_nVM: ID_AA64DFR2_EL1.SPE_nVM is 0";
	if (!why && field(spe_caps.pmbidr, 7, 6) != 1)
		why = "physical addresses are not for this Exception level: PMBIDR_EL1.AddrMode";
	return why;
}

static uint64_t physical_address(uint64_t va)
{
	uint64_t par;

	asm volatile("at s1e1w, %0" ::"r"(va));
	isb();
	par = read_sysreg(par_el1);
	CHECK(!(par & 1), "no translation of 0x%lx: PAR_EL1 0x%lx", va, par);
	return (par & 0x000ffffffffff000) | (va & 0xfff);
}

/* PMBLIMITR_EL1.nVM: one page at its physical address, as Normal write-back memory. */
static void physical_buffer(void)
{
	uint64_t pa = physical_address(buffer), records = 0;
	const uint8_t *at = (const uint8_t *)buffer;

	memset((void *)buffer, 0, PAGE_SIZE);
	spe_disable();
	write_sysreg(PMBMAR_EL1, 0x3ff);
	begin_profile(pa, pa + PAGE_SIZE, PMBLIMITR_E | PMBLIMITR_NVM);
	slide_laps(laps_full);
	check_full(pa + PAGE_SIZE);
	while (at < (const uint8_t *)buffer + (read_sysreg(PMBPTR_EL1) - pa)) {
		struct record r;
		long size = record_parse(at, spe_caps.max_record, &r);
		uint64_t index = (r.pc - user_address(user_sled)) / 4;

		if (!CHECK(size > 0 && index < SLED_LAP, "record %lu does not parse", records))
			break;
		records++;
		at += ((uint64_t)size + spe_caps.align - 1) & ~(spe_caps.align - 1);
	}
	CHECK(records >= PAGE_SIZE / spe_caps.max_record, "%lu records, there is room for %lu",
	      records, PAGE_SIZE / spe_caps.max_record);
	/* A virtual address is invalid here: its high bits cause an address size fault. */
	begin_profile(buffer, buffer + unit, PMBLIMITR_E | PMBLIMITR_NVM);
	slide_laps(laps_full);
	CHECK(read_sysreg(PMBSR_EL1) & PMBSR_S && read_sysreg(PMBPTR_EL1) == buffer,
	      "PMBSR_EL1 is 0x%lx, PMBPTR_EL1 0x%lx", read_sysreg(PMBSR_EL1),
	      read_sysreg(PMBPTR_EL1));
}

static const char *needs_exc(void)
{
	const char *why = needs_spe_irq();

	if (!why && !spe_caps.exc)
		why = "no FEAT_SPE_EXC: ID_AA64DFR2_EL1.SPE_EXC is 0";
	return why;
}

#define PMSCR_EE_EL1 (UINT64_C(3) << 8)
#define PMSCR_KE     (UINT64_C(1) << 10)
#define SPSR_PM	     (UINT64_C(1) << 32)
#define ESR_PROFILING \
	(UINT64_C(0x3d) << 26 | UINT64_C(1) << 25 | 1 << 1) /* IL; asynchronous, of SPE */

/* PSTATE.PM, by MSR (immediate). */
#define mask_profiling()   asm volatile(".inst 0xd501431f" ::: "memory")
#define unmask_profiling() asm volatile(".inst 0xd501421f" ::: "memory")

static bool is_profiling(const struct exc_frame *frame)
{
	return field(frame->esr, 31, 26) == 0x3d;
}

static enum exc_return full_exception(struct exc_frame *frame, enum exc_vector vector)
{
	if (!is_profiling(frame)) {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	CHECK(frame->esr == ESR_PROFILING, "ESR_EL1 is 0x%lx", frame->esr);
	CHECK(!gic_pending(spe_caps.intid), "the interrupt is pending, too");
	return buffer_irq(frame, 0);
}

/* PMSCR_EL1.EE of 0b11: a full buffer is an exception, and no interrupt. */
static void exceptions_lose_nothing(void)
{
	uint64_t laps = 8 * laps_full, population = laps * SLED_LAP + 1 + SPE_RUN_EL0_EXTRA;

	begin_profile(buffer, buffer + spe_window(2 * unit), PMBLIMITR_E);
	exc_hooks[VEC_EL0_SYNC] = full_exception;
	spe_run_el0(PMSCR_E0SPE | PMSCR_TS | PMSCR_EE_EL1, user_address(user_sled), laps, 0);
	exc_hooks[VEC_EL0_SYNC] = NULL;
	collect_records(buffer);
	check_stream();
	tap_note("%lu records, %lu exceptions", seen.records, seen.fills);
	CHECK(seen.fills >= 3, "%lu exceptions", seen.fills);
	CHECK(seen.status == (PMBSR_S | PMBSR_BSC_FULL), "PMBSR_EL1 was 0x%lx", seen.status);
	CHECK(seen.gaps == 0, "%lu gaps, the last of %lu operations", seen.gaps, seen.gap);
	CHECK(spe_is_count(seen.records, population, INTERVAL), "%lu records, not %lu",
	      seen.records, population / spe_spacing(INTERVAL));
}

static struct {
	unsigned int count;
	uint64_t esr, elr, spsr, pm;
} profiling;

static enum exc_return count_exception(struct exc_frame *frame, enum exc_vector vector)
{
	if (!is_profiling(frame)) {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	profiling.count++;
	profiling.esr = frame->esr;
	profiling.elr = frame->elr;
	profiling.spsr = frame->spsr;
	profiling.pm = read_sysreg(S3_0_C4_C3_1);
	/* A level that stays high would never end. */
	spe_set_status(0);
	return EXC_RETURN;
}

static void stop_with(uint64_t pmscr)
{
	spe_set_status(0);
	write_sysreg(PMSCR_EL1, pmscr);
	isb();
	profiling.count = 0;
	spe_set_status(PMBSR_S);
}

/*
 * RULE("RNXPMV") RULE("RYMRRB") At EL1 itself PMSCR_EL1.KE must allow it, and PSTATE.PM must not
 * mask it.
 */
static void exception_at_el1(void)
{
	uint64_t next;

	begin_profile(buffer, buffer + unit, PMBLIMITR_E);
	exc_hooks[VEC_SPX_SYNC] = count_exception;
	unmask_profiling();
	stop_with(PMSCR_EE_EL1);
	CHECK(profiling.count == 0, "taken at EL1 with PMSCR_EL1.KE = 0");
	CHECK(!gic_pending(spe_caps.intid), "the interrupt is pending with PMSCR_EL1.EE = 0b11");
	stop_with(0);
	CHECK(profiling.count == 0, "taken with PMSCR_EL1.EE = 0b00");
	CHECK(gic_pending(spe_caps.intid), "no interrupt with PMSCR_EL1.EE = 0b00");
	mask_profiling();
	CHECK(read_sysreg(S3_0_C4_C3_1) == SPSR_PM, "PM reads 0x%lx after MSR PM, #1",
	      read_sysreg(S3_0_C4_C3_1));
	stop_with(PMSCR_EE_EL1 | PMSCR_KE);
	CHECK(profiling.count == 0, "taken with PSTATE.PM = 1");
	asm volatile("adr %0, 1f\n\t.inst 0xd501421f\n1:" : "=r"(next)::"memory");
	CHECK(profiling.count == 1, "%u exceptions after MSR PM, #0", profiling.count);
	CHECK(profiling.esr == ESR_PROFILING, "ESR_EL1 is 0x%lx", profiling.esr);
	CHECK(profiling.elr == next, "ELR_EL1 is 0x%lx, not 0x%lx", profiling.elr, next);
	CHECK(!(profiling.spsr & SPSR_PM), "SPSR_EL1 is 0x%lx", profiling.spsr);
	CHECK(profiling.pm == SPSR_PM, "PM reads 0x%lx in the handler", profiling.pm);
	CHECK(read_sysreg(S3_0_C4_C3_1) == 0, "PM reads 0x%lx after the ERET",
	      read_sysreg(S3_0_C4_C3_1));
	stop_with(PMSCR_EE_EL1 | PMSCR_KE);
	CHECK(profiling.count == 1, "%u exceptions with PSTATE.PM = 0", profiling.count);
	exc_hooks[VEC_SPX_SYNC] = NULL;
	write_sysreg(PMSCR_EL1, 0);
	isb();
}

static const struct test tests[] = {
	{"full: status, pointer, nothing behind the limit", test_full, needs_exact},
	{"full: profiling stops", full_stops, needs_exact},
	{"the interrupt is the level of PMBSR_EL1.S", interrupt_level, needs_spe_irq},
	{"nothing lost from fill to fill", nothing_lost, needs_spe_irq},
	{"one record fills what has room for one", last_record, needs_exact},
	{"translation fault", translation_fault, needs_exact},
	{"a fault costs one record", fault_and_restart, needs_whole_records},
	{"permission fault", permission_fault, needs_exact},
	{"translation fault at level 0", unmapped_buffer, needs_exact},
	{"Discard mode", test_discard, needs_discard},
	{"filtered records are not written", test_filtered, needs_exact},
	{"a buffer at a physical address", physical_buffer, needs_nvm},
	{"nothing lost from exception to exception", exceptions_lose_nothing, needs_exc},
	{"a Profiling exception at EL1", exception_at_el1, needs_exc},
};

void guest_main(void)
{
	if (!needs_spe()) {
		uint64_t least = spe_caps.align > LEAST ? spe_caps.align : LEAST;

		unit = spe_window(ROOM * spe_caps.max_record);
		span = spe_window(UNITS * unit);
		laps_full = unit / least * spe_spacing(INTERVAL) / SLED_LAP + 2;
		buffer = (uintptr_t)data_alloc((UNITS + 1) * unit / PAGE_SIZE);
	}
	tap_run("buffer", tests, sizeof(tests) / sizeof(tests[0]));
}

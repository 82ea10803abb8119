/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abort: data aborts in the middle of straight-line code that is being profiled. The handler skips
 * the instruction. Whatever way an engine executes code, the operation count has to stay exact.
 *
 * At EL0 the guest knows every operation and checks the samples. At EL1 the handler is profiled
 * too; of that stream it prints a checksum, timestamps included, which has to be the same for every
 * way of execution: compare the output of two runs.
 *
 * Boot argument: laps=N, of the code.
 */
#include "abort.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "gic.h"
#include "platform.h"
#include "record.h"
#include "spe.h"
#include "tap.h"

#define INTERVAL     1
#define BUFFER_PAGES 8

static uint64_t buffer, laps;
static uint64_t holes[2]; /* by Exception level */

static struct {
	uint64_t translation, permission, other; /* faults by kind */
	uint64_t misplaced;			 /* with a FAR_EL1 that is not the address */
	uintptr_t code;
	uint64_t hole;
} faults;

static struct {
	uint64_t checksum, records, fills, steps, events, outside;
	uint64_t lap;	 /* operations of a lap */
	uint64_t number; /* of the next sample's operation, from 1 on */
	uintptr_t code;	 /* 0: not checked */
} stream;

/* Where the faulting instruction of this number has to fault. */
static uint64_t fault_address(uint64_t index)
{
	switch (index) {
	case FAULT_STORE: return faults.hole + PAGE_SIZE;
	case FAULT_PRE: return faults.hole + 16;
	default: return faults.hole; /* pairs too: their first word is all right */
	}
}

static enum exc_return skip_abort(struct exc_frame *frame, enum exc_vector vector)
{
	uint64_t class = field(frame->esr, 31, 26), fsc = frame->esr & 0x3f;

	(void)vector;
	if (class != EC_DATA_LOWER && class != EC_DATA_SAME) {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	faults.translation += fsc == FSC_TRANSLATION_L3;
	faults.permission += fsc == FSC_PERMISSION_L3;
	faults.other += fsc != FSC_TRANSLATION_L3 && fsc != FSC_PERMISSION_L3;
	faults.misplaced += frame->far != fault_address((frame->elr - faults.code) / 4);
	frame->elr += 4;
	return EXC_RETURN;
}

static bool faults_at(uint64_t index)
{
	return index == FAULT_LOAD || index == FAULT_STORE || index == FAULT_PAIR ||
	       index == FAULT_POST || index == FAULT_PRE || index == FAULT_STP;
}

/* FNV-1a */
static void hash_bytes(const uint8_t *bytes, size_t size)
{
	while (size--)
		stream.checksum = (stream.checksum ^ *bytes++) * UINT64_C(0x100000001b3);
}

static unsigned int operations_of(unsigned int index)
{
	return spe_operations(((const volatile uint32_t *)stream.code)[index]);
}

/* The instruction of the block that operation number of the population belongs to. */
static uint64_t expected_index(uint64_t number)
{
	uint64_t n = (number - 1 - BLOCK_START_OPS) % stream.lap;
	unsigned int i = 0;

	for (; n >= operations_of(i); i++)
		n -= operations_of(i);
	return i;
}

static void check_sample(const struct record *r)
{
	uint64_t index = (r->pc - stream.code) / 4;

	/* An interval may be one shorter if it begins with profiling disabled, as the first. */
	if ((stream.records == 1 || spe_loads_when_enabled()) &&
	    index != expected_index(stream.number))
		stream.number--;
	if (index >= BLOCK_INSNS)
		stream.outside++;
	else if (index != expected_index(stream.number))
		stream.steps++;
	/* Event 0, exception generated, belongs to exactly these; all operations of them. */
	else if ((r->events & 1) != faults_at(index))
		stream.events++;
	stream.number += spe_spacing(INTERVAL);
}

static void harvest_records(void)
{
	const uint8_t *at = (const uint8_t *)buffer;
	const uint8_t *end = (const uint8_t *)read_sysreg(PMBPTR_EL1);

	hash_bytes(at, (size_t)(end - at));
	while (at < end) {
		struct record r;
		long size = record_parse(at, (size_t)(end - at), &r);

		CHECK(size >= 0, "the buffer does not parse");
		if (size <= 0)
			return;
		stream.records++;
		if (stream.code)
			check_sample(&r);
		at += size;
	}
}

static enum exc_return buffer_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)intid;
	spe_drain();
	if (!(read_sysreg(PMBSR_EL1) & PMBSR_S))
		return EXC_RETURN;
	stream.fills++;
	harvest_records();
	return spe_resume(frame, buffer);
}

/* All laps at an Exception level; profiled if pmscr is not 0. The block's result. */
static uint64_t run_profiled(unsigned int el, uint64_t pmscr)
{
	uintptr_t start = el ? user_address(kernel_start_block) : user_address(user_start_block);
	enum exc_vector vector = el ? VEC_SPX_SYNC : VEC_EL0_SYNC;
	struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + spe_window(BUFFER_PAGES * PAGE_SIZE),
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};
	volatile uint64_t *data = (volatile uint64_t *)(holes[el] - PAGE_SIZE);
	uint64_t result;

	for (uint64_t i = 0; i < PAGE_SIZE / 8; i++)
		data[i] = i;
	faults.translation = faults.permission = faults.other = faults.misplaced = 0;
	faults.hole = holes[el];
	faults.code = el ? user_address(kernel_block) : user_address(user_block);
	exc_hooks[vector] = skip_abort;
	if (pmscr) {
		spe_program(&setup);
		gic_enable(spe_caps.intid, buffer_irq);
		irq_enable();
		result = el ? spe_run_el1(pmscr, start, laps, holes[el])
			    : spe_run_el0(pmscr, start, laps, holes[el]);
		irq_disable();
		gic_enable(spe_caps.intid, NULL);
		harvest_records();
		spe_disable();
	} else {
		result = el ? ((uint64_t(*)(uint64_t, uint64_t))start)(laps, holes[el])
			    : user_call(start, laps, holes[el], 0);
	}
	exc_hooks[vector] = NULL;
	return result;
}

/*
 * What the block computes, in C: no fault changes a register. (A pair may lose or store the half
 * that does not fault, so nothing depends on that.)
 */
static uint64_t model_run(uint64_t hole)
{
	uint64_t x4 = 0, x5 = 0, x6 = PAGE_SIZE / 8 - 8;

	for (uint64_t i = 0; i < laps; i++) {
		x4 += 1;
		x5 ^= x4;
		x4 += x5 << 3;
		x5 ^= x4 >> 7 | x4 << 57;
		x4 += 3;
		x5 += hole;
		x4 ^= x5 >> 11;
		x5 += x6;
	}
	return x4 + x5;
}

static void check_faults(unsigned int el, uint64_t result)
{
	CHECK(faults.translation == (BLOCK_FAULTS - 1) * laps && faults.permission == laps &&
		      faults.other == 0,
	      "%lu translation faults, %lu permission faults, %lu others", faults.translation,
	      faults.permission, faults.other);
	CHECK(faults.misplaced == 0, "%lu with another address in FAR_EL1", faults.misplaced);
	CHECK(result == model_run(holes[el]), "the result is 0x%lx, not 0x%lx", result,
	      model_run(holes[el]));
}

static void precise_el1(void)
{
	check_faults(1, run_profiled(1, 0));
}

static void precise_el0(void)
{
	check_faults(0, run_profiled(0, 0));
}

static void begin_stream(uintptr_t code)
{
	stream.checksum = UINT64_C(0xcbf29ce484222325);
	stream.records = stream.fills = stream.steps = stream.events = stream.outside = 0;
	stream.number = spe_spacing(INTERVAL);
	stream.code = code;
	stream.lap = 0;
	for (unsigned int i = 0; code && i < BLOCK_INSNS; i++)
		stream.lap += operations_of(i);
}

static void end_stream(const char *el)
{
	tap_note("%s: %lu records, %lu fills, stream checksum 0x%016lx", el, stream.records,
		 stream.fills, stream.checksum);
}

static void exact_el0(void)
{
	uint64_t members;

	begin_stream(user_address(user_block));
	members = laps * stream.lap + BLOCK_START_OPS + BLOCK_END_OPS + SPE_RUN_EL0_EXTRA;
	check_faults(0, run_profiled(0, PMSCR_E0SPE | PMSCR_PA | PMSCR_TS));
	end_stream("EL0");
	CHECK(spe_is_count(stream.records, members, INTERVAL), "%lu records, not %lu",
	      stream.records, members / spe_spacing(INTERVAL));
	CHECK(stream.steps == 0, "%lu samples are not where they have to be", stream.steps);
	CHECK(stream.events == 0, "%lu samples are wrong about an exception", stream.events);
	CHECK(stream.outside <= 1, "%lu samples outside the block", stream.outside);
}

static void counted_el1(void)
{
	uint64_t members = laps * BLOCK_INSNS;

	begin_stream(0);
	check_faults(1, run_profiled(1, PMSCR_E1SPE | PMSCR_PA | PMSCR_TS));
	end_stream("EL1");
	/* The handler of six aborts a lap executes more than the lap itself. */
	CHECK(stream.records > 2 * members / spe_spacing(INTERVAL), "%lu records", stream.records);
}

static const struct test tests[] = {
	{"aborts at EL1 are precise", precise_el1, NULL},
	{"aborts at EL0 are precise", precise_el0, NULL},
	{"EL0 profiled: every operation counts once", exact_el0, needs_spe_irq},
	{"EL1 profiled, the handler too", counted_el1, needs_spe_irq},
};

/* Data, hole, read-only; of EL1 or of EL0. */
static uint64_t make_hole(unsigned int el)
{
	uint64_t data = (uintptr_t)(el ? data_alloc(3) : user_data_alloc(3));
	uint64_t readonly = data + 2 * PAGE_SIZE, pa = mmu_translate(readonly);

	mmu_unmap(data + PAGE_SIZE);
	mmu_unmap(readonly);
	map_page(readonly, pa, el ? MAP_RODATA : MAP_USER_TEXT);
	return data + PAGE_SIZE;
}

void guest_main(void)
{
	buffer = (uintptr_t)data_alloc(BUFFER_PAGES);
	laps = bootarg("laps", 3000);
	holes[0] = make_hole(0);
	holes[1] = make_hole(1);
	tap_run("abort", tests, sizeof(tests) / sizeof(tests[0]));
}

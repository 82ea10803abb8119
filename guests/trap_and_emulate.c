/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trap-and-emulate: a hypervisor at EL2 keeps SPE from EL1 (MDCR_EL2.TPMS, E2PB) and answers every
 * access by libvspe, which is linked into this guest: the library in its intended place. EL1 has a
 * unit that differs from the machine's, and gets records of what it executes.
 */
#include "arch.h"
#include "boot.h"
#include "emulation.h"
#include "exception.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "string.h"
#include "tap.h"
#include "trap_and_emulate.h"

#define INTERVAL     1
#define BUFFER_PAGES 8
#define DATA_PAGES   2
#define RECORD_SIZE  64
#define MOST_RECORDS 256
#define SLED	     user_address(kernel_sled)

static struct vm vm;

/* The window of EL1. */
struct window {
	uint8_t buffer[BUFFER_PAGES * PAGE_SIZE];
	uint8_t data[DATA_PAGES * PAGE_SIZE];
};

static struct window *window;
static struct vm_window memory;

/* What EL1 has read out of its buffer. */
static struct {
	struct record records[MOST_RECORDS];
	uint64_t count, unparsed, fills, status;
} seen;

/* EL1 or EL2 reads size bytes of records. */
static void read_records(const uint8_t *at, uint64_t size)
{
	const uint8_t *end = at + size;

	for (; at < end; at += RECORD_SIZE) {
		if (seen.count == MOST_RECORDS ||
		    record_parse(at, (size_t)(end - at), &seen.records[seen.count]) <= 0) {
			seen.unparsed++;
			return;
		}
		seen.count++;
	}
}

static void begin_vm(unsigned int version)
{
	memset(&seen, 0, sizeof(seen));
	emulation_reset(&vm, version);
}

/* The library predicts each trap as the machine reports it in ESR_EL2. */
static void check_traps(void)
{
	CHECK(vm.counts.wrong == 0, "%lu of %lu traps foretold otherwise", vm.counts.wrong,
	      vm.counts.reads + vm.counts.writes + vm.counts.undefined);
}

/* Record n of a profiled sled; ahead operations came before the sled. */
static void check_sled(uint64_t count, uint64_t ahead)
{
	CHECK(seen.unparsed == 0, "%lu places do not parse", seen.unparsed);
	CHECK(seen.count == count, "%lu records, not %lu", seen.count, count);
	for (uint64_t n = 0; n < seen.count; n++) {
		const struct record *r = &seen.records[n];
		uint64_t wanted = (spe_spacing(INTERVAL) * (n + 1) - ahead - 1) % SLED_LAP;
		uint64_t pc = SLED + wanted * 4;

		if (!CHECK(r->pc == pc && r->el == 1, "record %lu: PC 0x%lx EL%u, not 0x%lx EL1", n,
			   r->pc, r->el, pc))
			return;
		if (!CHECK(r->type_header == (wanted == SLED_LAP - 1 ? TYPE_BRANCH : TYPE_OTHER),
			   "record %lu: type 0x%x", n, r->type_header))
			return;
	}
}

/* EL2 programs the unit without any register of the machine's SPE. */
static void programmed_by_el2(void)
{
	static uint8_t copy[BUFFER_PAGES * PAGE_SIZE];
	const uint64_t laps = 3, first = (uintptr_t)window->buffer;
	uint64_t result, size;

	begin_vm(0);
	emulation_write(SYSREG_PMSIRR_EL1, PMSIRR_INTERVAL(INTERVAL));
	emulation_write(SYSREG_PMBPTR_EL1, first);
	emulation_write(SYSREG_PMBLIMITR_EL1, (first + sizeof(copy)) | PMBLIMITR_E);
	emulation_write(SYSREG_PMSCR_EL1, PMSCR_E1SPE | PMSCR_TS);
	if (!emulation_call(&vm, (uint64_t(*)(uint64_t))SLED, laps, &result))
		return;
	emulation_write(SYSREG_PMSCR_EL1, 0);
	size = emulation_read(SYSREG_PMBPTR_EL1) - first;
	if (!CHECK(size <= sizeof(copy), "PMBPTR_EL1 went %lu bytes far", size))
		return;
	vm_window_copy(&memory, vm.pa, 0, copy, size);
	read_records(copy, size);
	tap_note("%lu operations in single steps, %lu records", vm.counts.steps, seen.count);
	/* The last operation is the HVC that RET leads to. */
	CHECK(vm.counts.steps == laps * SLED_LAP + 2, "%lu operations", vm.counts.steps);
	check_sled(vm.counts.steps / spe_spacing(INTERVAL), 0);
}

/* Every register and direction at EL1. */
static void each_access(void)
{
	uint64_t traps = 0;

	begin_vm(0);
	for (unsigned int i = 0; i < 2 * SYSREG_COUNT; i++) {
		enum sysreg_id reg = (enum sysreg_id)(i / 2);
		bool write = i & 1;
		uint64_t value = 0x123456789abcdef0, was = vm.counts.undefined;
		struct sysreg_route route;
		bool good = emulation_access(&vm, reg, write, &value, &route);

		CHECK(good, "%s of %s: foretold %u, ESR 0x%lx", write ? "write" : "read",
		      sysreg_name(reg), (unsigned int)route.kind, vm.cpu.exit.esr);
		traps += route.kind == SYSREG_TRAP;
		if (good && !write && route.kind == SYSREG_TRAP && vm.counts.undefined == was)
			CHECK(value == emulation_read(reg), "%s reads as 0x%lx, not 0x%lx",
			      sysreg_name(reg), value, emulation_read(reg));
	}
	tap_note("%lu accesses trapped, %lu of registers that the unit has not", traps,
		 vm.counts.undefined);
	CHECK(traps >= 20, "%lu accesses trapped", traps);
	check_traps();
}

/* The library has what EL1 writes and reads; the machine's registers never change. */
static void nothing_leaks(void)
{
	static const struct {
		enum sysreg_id reg;
		uint64_t value, kept;
	} writes[] = {
		{SYSREG_PMSIRR_EL1, ~UINT64_C(0), 0xffffff01},
		{SYSREG_PMSICR_EL1, 0x4200000000001234, 0x4200000000001234},
		{SYSREG_PMSLATFR_EL1, 0x123, 0x123},
		{SYSREG_PMBPTR_EL1, 0x123456789ac0, 0x123456789ac0},
		{SYSREG_PMBSR_EL1, 1 << 17 | 5, 1 << 17 | 5},
	};
	uint64_t before[] = {read_sysreg(PMSIRR_EL1), read_sysreg(PMSICR_EL1),
			     read_sysreg(PMSLATFR_EL1), read_sysreg(PMBPTR_EL1),
			     read_sysreg(PMBSR_EL1)};
	struct sysreg_route route;

	begin_vm(0);
	for (unsigned int i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		uint64_t value = writes[i].value;

		emulation_access(&vm, writes[i].reg, true, &value, &route);
		value = 0;
		emulation_access(&vm, writes[i].reg, false, &value, &route);
		CHECK(value == writes[i].kept, "%s reads as 0x%lx, not 0x%lx",
		      sysreg_name(writes[i].reg), value, writes[i].kept);
	}
	CHECK(before[0] == read_sysreg(PMSIRR_EL1) && before[1] == read_sysreg(PMSICR_EL1) &&
		      before[2] == read_sysreg(PMSLATFR_EL1) &&
		      before[3] == read_sysreg(PMBPTR_EL1) && before[4] == read_sysreg(PMBSR_EL1),
	      "a register of the machine's changed");
	check_traps();
}

static const char *needs_later_version(void)
{
	const char *why = needs_traps();

	if (!why && field(read_sysreg(id_aa64dfr0_el1), 35, 32) < PMSVER_V1P2)
		why = "SPE before v1p2: PMSNEVFR_EL1 is UNDEFINED, and not trapped";
	return why;
}

/* A unit of v1p0 has no PMSNEVFR_EL1: trapped, and then UNDEFINED. */
static void older_version(void)
{
	struct sysreg_route route;
	uint64_t value = 1;

	begin_vm(PMSVER_V1P0);
	vm.cpu.vbar_el1 = 0x1000;
	CHECK(emulation_access(&vm, SYSREG_PMSNEVFR_EL1, true, &value, &route) &&
		      route.kind == SYSREG_TRAP,
	      "no trap: ESR 0x%lx", vm.cpu.exit.esr);
	CHECK(vm.counts.undefined == 1 && vm.cpu.pc == 0x1200, "PC is 0x%lx", vm.cpu.pc);
	CHECK(vm.cpu.elr_el1 == lower_code_page() && vm.cpu.esr_el1 == 0x2000000,
	      "ELR_EL1 is 0x%lx, ESR_EL1 0x%lx", vm.cpu.elr_el1, vm.cpu.esr_el1);
	check_traps();
}

/*
 * EL1's own programs.
 */

/* What EL1 finds in the ID registers of its unit. */
static uint64_t probe_register(uint64_t argument)
{
	(void)argument;
	return spe_probe(&spe_caps) == NULL;
}

static void test_identification(void)
{
	uint64_t good;

	begin_vm(0);
	if (!emulation_call(&vm, probe_register, 0, &good))
		return;
	CHECK(good, "SPE is another's: PMBIDR_EL1 0x%lx", spe_caps.pmbidr);
	CHECK(field(spe_caps.pmsidr, 19, 16) == (EMULATION_COUNT_SIZE == 16 ? 3 : 2),
	      "PMSIDR_EL1.CountSize is %lu", field(spe_caps.pmsidr, 19, 16));
	CHECK(field(spe_caps.pmsidr, 11, 8) == EMULATION_INTERVAL, "PMSIDR_EL1.Interval is %lu",
	      field(spe_caps.pmsidr, 11, 8));
	CHECK(spe_caps.max_record == RECORD_SIZE && spe_caps.align == RECORD_SIZE,
	      "records of %lu bytes, aligned to %lu", spe_caps.max_record, spe_caps.align);
	check_traps();
}

/* Of EL1: read what is in the buffer. */
static void take_buffer(void)
{
	read_records(window->buffer, read_sysreg(PMBPTR_EL1) - (uintptr_t)window->buffer);
}

static enum exc_return buffer_full(struct exc_frame *frame, enum exc_vector vector)
{
	(void)vector;
	seen.status = read_sysreg(PMBSR_EL1);
	seen.fills++;
	take_buffer();
	return spe_resume(frame, (uintptr_t)window->buffer);
}

static void program_unit(uint64_t pages)
{
	struct spe_setup setup = {
		.pointer = (uintptr_t)window->buffer,
		.limit = (uintptr_t)window->buffer + pages * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	spe_probe(&spe_caps);
	spe_program(&setup);
}

static uint64_t profile_sled(uint64_t laps)
{
	program_unit(BUFFER_PAGES);
	spe_run_el1(PMSCR_E1SPE | PMSCR_TS, SLED, laps, 0);
	spe_disable();
	take_buffer();
	return read_sysreg(PMBSR_EL1);
}

static void sled_of_el1(void)
{
	const uint64_t laps = 12, operations = laps * SLED_LAP + 1 + SPE_RUN_EL1_EXTRA;
	uint64_t status;

	begin_vm(0);
	if (!emulation_call(&vm, profile_sled, laps, &status))
		return;
	tap_note("%lu reads and %lu writes emulated, %lu operations in single steps",
		 vm.counts.reads, vm.counts.writes, vm.counts.steps);
	CHECK(status == 0, "PMBSR_EL1 is 0x%lx", status);
	CHECK(vm.counts.steps == operations, "%lu single steps, not %lu", vm.counts.steps,
	      operations);
	check_sled(operations / spe_spacing(INTERVAL), 2); /* ISB, BLR */
	for (uint64_t n = 1; n < seen.count; n++)
		if (!CHECK(seen.records[n].timestamp > seen.records[n - 1].timestamp,
			   "record %lu: time runs backwards", n))
			break;
	check_traps();
}

static uint64_t profile_work(uint64_t laps)
{
	uint64_t result;

	*(uint64_t *)(window->data + WORK_LOADED) = 3;
	program_unit(BUFFER_PAGES);
	result = spe_run_el1(PMSCR_E1SPE | PMSCR_PA, (uintptr_t)emulated_work, laps,
			     (uintptr_t)window->data);
	spe_disable();
	take_buffer();
	return result;
}

static void check_work(const struct record *r, uint64_t n)
{
	uint64_t va = 0, kind = RECORD_PC | RECORD_TYPE | RECORD_EVENTS | RECORD_END, target = 0;

	if (r->pc == (uintptr_t)emulated_work_load)
		va = (uintptr_t)window->data + WORK_LOADED;
	else if (r->pc == (uintptr_t)emulated_work_store)
		va = (uintptr_t)window->data + WORK_STORED;
	else if (r->pc == (uintptr_t)emulated_work_back && r->target != 0)
		target = (uintptr_t)emulated_work_load;
	CHECK((r->has & kind) == kind, "record %lu: packets 0x%x", n, r->has);
	CHECK(r->va == va, "record %lu: PC 0x%lx VA 0x%lx, not 0x%lx", n, r->pc, r->va, va);
	if (r->pc == (uintptr_t)emulated_work_back)
		CHECK(r->target == target && r->type_header == TYPE_BRANCH && (r->type & 1),
		      "record %lu: type 0x%x 0x%x, target 0x%lx", n, r->type_header, r->type,
		      r->target);
	if (va == 0)
		return;
	CHECK(r->pa == vm_window_pa(&memory, vm.pa, va - (uintptr_t)window),
	      "record %lu: VA 0x%lx PA 0x%lx, not 0x%lx", n, va, r->pa,
	      vm_window_pa(&memory, vm.pa, va - (uintptr_t)window));
	CHECK(r->type_header == TYPE_MEMORY &&
		      (r->type & 1) == (r->pc == (uintptr_t)emulated_work_store),
	      "record %lu: type 0x%x 0x%x", n, r->type_header, r->type);
}

/*
 * Operations are in the order of the code, and data addresses come from both stages of translation.
 */
static void loads_and_stores(void)
{
	const uint64_t laps = 160, pass = 5, lap = WORK_PASSES * pass + 3;
	uint64_t result, loads = 0, stores = 0;

	begin_vm(0);
	if (!emulation_call(&vm, profile_work, laps, &result))
		return;
	CHECK(result == 3 * laps * WORK_PASSES, "the work's result is %lu", result);
	CHECK(seen.count == (laps * lap + 3 + SPE_RUN_EL1_EXTRA) / spe_spacing(INTERVAL),
	      "%lu records", seen.count);
	for (uint64_t n = 0; n < seen.count; n++) {
		const struct record *r = &seen.records[n];
		/* After ISB, BLR and the first MOV of the work: where in which lap? */
		uint64_t at = (spe_spacing(INTERVAL) * (n + 1) - 4) % lap, wanted;

		if (at == 0)
			wanted = 1;
		else if (at <= WORK_PASSES * pass)
			wanted = 2 + (at - 1) % pass;
		else
			wanted = 2 + pass + at - WORK_PASSES * pass - 1;
		if (!CHECK(r->pc == (uintptr_t)emulated_work + wanted * 4,
			   "record %lu: PC 0x%lx, not 0x%lx", n, r->pc,
			   (uintptr_t)emulated_work + wanted * 4))
			break;
		check_work(r, n);
		loads += r->pc == (uintptr_t)emulated_work_load;
		stores += r->pc == (uintptr_t)emulated_work_store;
	}
	tap_note("%lu records, %lu of loads, %lu of stores", seen.count, loads, stores);
	CHECK(loads > 3 && stores > 3, "%lu loads, %lu stores", loads, stores);
	check_traps();
}

static uint64_t profile_with_interrupts(uint64_t laps)
{
	program_unit(1);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE | PMSCR_TS, SLED, laps, 0);
	irq_disable();
	spe_disable();
	take_buffer();
	return read_sysreg(PMBSR_EL1);
}

/*
 * The unit's buffer interrupt is a virtual one (HCR_EL2.VI) to EL1. Only the ERET at the end of its
 * handler is profiled.
 */
static void full_buffers(void)
{
	const uint64_t laps = 24, room = PAGE_SIZE / RECORD_SIZE;
	uint64_t operations = laps * SLED_LAP + 1 + SPE_RUN_EL1_EXTRA, status;

	begin_vm(0);
	exc_hooks[VEC_SPX_IRQ] = buffer_full;
	if (!emulation_call(&vm, profile_with_interrupts, laps, &status))
		return;
	exc_hooks[VEC_SPX_IRQ] = NULL;
	operations += seen.fills;
	tap_note("%lu records, %lu fills", seen.count, seen.fills);
	CHECK(status == 0, "PMBSR_EL1 is 0x%lx", status);
	CHECK(seen.fills >= 2 && vm.counts.interrupts == seen.fills, "%lu fills, %lu interrupts",
	      seen.fills, vm.counts.interrupts);
	CHECK(seen.status == (PMBSR_S | PMBSR_BSC_FULL), "PMBSR_EL1 was 0x%lx", seen.status);
	CHECK(seen.count == operations / spe_spacing(INTERVAL), "%lu records, not %lu", seen.count,
	      operations / spe_spacing(INTERVAL));
	for (uint64_t n = 1; n < seen.count; n++) {
		uint64_t step = (seen.records[n].pc - seen.records[n - 1].pc) / 4 % SLED_LAP;
		uint64_t wanted = spe_spacing(INTERVAL) - (n % room == 0);

		if (!CHECK((seen.records[n - 1].pc + wanted * 4 - SLED) / 4 % SLED_LAP ==
				   (seen.records[n].pc - SLED) / 4,
			   "record %lu: %lu operations later, not %lu", n, step, wanted))
			break;
	}
	check_traps();
}

/* The page after the window is not mapped. */
static uint64_t profile_into_nowhere(uint64_t laps)
{
	struct spe_setup setup = {
		.pointer = (uintptr_t)window + sizeof(struct window) - RECORD_SIZE,
		.limit = (uintptr_t)window + sizeof(struct window) + PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	spe_probe(&spe_caps);
	spe_program(&setup);
	spe_run_el1(PMSCR_E1SPE | PMSCR_TS, SLED, laps, 0);
	spe_disable();
	return read_sysreg(PMBSR_EL1);
}

static void test_fault(void)
{
	uint64_t status, end = (uintptr_t)window + sizeof(struct window);
	uint8_t last[RECORD_SIZE];

	begin_vm(0);
	if (!emulation_call(&vm, profile_into_nowhere, 4, &status))
		return;
	CHECK(status == (PMBSR_S | (uint64_t)EC_DATA_LOWER << 26 | FSC_TRANSLATION_L3),
	      "PMBSR_EL1 is 0x%lx", status);
	CHECK(emulation_read(SYSREG_PMBPTR_EL1) == end, "PMBPTR_EL1 is 0x%lx, not 0x%lx",
	      emulation_read(SYSREG_PMBPTR_EL1), end);
	vm_window_copy(&memory, vm.pa, sizeof(struct window) - RECORD_SIZE, last, sizeof(last));
	read_records(last, sizeof(last));
	check_sled(1, 2); /* the one before, and none of what did not fit */
	check_traps();
}

static const struct test tests[] = {
	{"without SPE: EL2 programs a unit, EL1 is sampled in single steps", programmed_by_el2,
	 needs_el2},
	{"each access at EL1 does what libvspe says, and is answered", each_access, needs_traps},
	{"EL1 reads back what it wrote, the machine's registers keep", nothing_leaks, needs_traps},
	{"a register that the unit has not is UNDEFINED", older_version, needs_later_version},
	{"EL1 sees the unit's features", test_identification, needs_traps},
	{"EL1 profiles itself: each record is of the right operation", sled_of_el1, needs_traps},
	{"loads, stores and branches: addresses and types", loads_and_stores, needs_traps},
	{"full buffers: virtual interrupts, nothing lost", full_buffers, needs_traps},
	{"a buffer that EL1 has not mapped", test_fault, needs_traps},
};

void guest_main(void)
{
	if (!needs_el2()) {
		memory = emulation_init(&vm, sizeof(struct window) / PAGE_SIZE);
		window = (struct window *)memory.va;
	}
	tap_run("trap-and-emulate", tests, sizeof(tests) / sizeof(tests[0]));
}

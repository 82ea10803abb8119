/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile: a guest that treats its profiling unit and the machine around it as no sane one does:
 * buffers without memory, accesses that leave a hypervisor no syndrome, code where there is none,
 * interrupts without end. The machine must answer each as a PE may. Afterwards the guest profiles
 * itself again, and must get every record.
 *
 * With the boot argument end=N it does what a guest cannot recover from: the machine must report
 * it, or let itself be ended from outside (tests/cli/machine.sh).
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"
#include "record.h"
#include "sled.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define INTERVAL 1
#define STORM	 500

#define HOLE_PA	      UINT64_C(0x0b000000) /* nothing there, on vspe and QEMU's virt */
#define BEYOND_RAM    UINT64_C(0x7fc0000000)
#define BEYOND_PE     UINT64_C(0xf00000000000)
#define NON_CANONICAL UINT64_C(0x0123456789ab0000)
#define TOP	      UINT64_C(0xfffffffffffff000)
#define NOWHERE	      (DEVICE_VA + (UINT64_C(1) << 45))

static uint64_t buffer, uart_pa;
static uint64_t sampled = 600; /* operations, for two samples; for one, if two fill a page */

static void program_buffer(uint64_t pointer, uint64_t limit)
{
	struct spe_setup setup = {
		.pointer = pointer,
		.limit = limit,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = PMSIRR_INTERVAL(INTERVAL),
	};

	spe_program(&setup);
}

/* So many operations at EL0; SPE_RUN_EL0_EXTRA more are profiled. */
static void slide_operations(uint64_t operations)
{
	spe_run_el0(PMSCR_E0SPE, nops(user_address(user_nops_end), operations), 0, 0);
}

/* Every record, as if nothing had happened. */
static void check_healthy(const char *after)
{
	uint64_t records = 0, end;
	uint64_t wanted = (sampled + SPE_RUN_EL0_EXTRA) / spe_spacing(INTERVAL);

	program_buffer(buffer, buffer + PAGE_SIZE);
	slide_operations(sampled);
	end = read_sysreg(PMBPTR_EL1);
	for (uint64_t at = buffer; at < end; records++) {
		struct record r;
		long size = record_parse((const uint8_t *)at, end - at, &r);

		if (!CHECK(size > 0 && user_address(user_nops_end) - r.pc < sampled * 4,
			   "%s: record %lu is broken", after, records))
			break;
		at += ((uint64_t)size + spe_caps.align - 1) & ~(spe_caps.align - 1);
	}
	CHECK(read_sysreg(PMBSR_EL1) == 0, "%s: PMBSR_EL1 is 0x%lx", after, read_sysreg(PMBSR_EL1));
	CHECK(records == wanted, "%s: %lu records, not %lu", after, records, wanted);
	spe_disable();
}

/* A page of some PA, mapped for EL1 to read and write; execute, if it is MAP_TEXT. */
static uint64_t map_at(uint64_t pa, enum map_kind kind)
{
	static uint64_t next = DATA_VA + (UINT64_C(1) << 40);
	uint64_t va = next;

	next += 2 * PAGE_SIZE;
	if (!CHECK(map_page(va, pa, kind), "no translation table for 0x%lx", pa))
		return buffer;
	return va;
}

/* A buffer that cannot be written: this is reported, and nothing moves. */
static void expect_refused(const char *what, uint64_t pointer, uint64_t limit)
{
	uint64_t status, end;

	program_buffer(pointer, limit);
	slide_operations(sampled);
	spe_disable();
	status = read_sysreg(PMBSR_EL1);
	end = read_sysreg(PMBPTR_EL1);
	tap_note("%s: PMBSR_EL1 0x%lx", what, status);
	CHECK(status & PMBSR_S, "%s: PMBSR_EL1 is 0x%lx", what, status);
	CHECK(end - pointer < spe_caps.max_record, "%s: PMBPTR_EL1 went from 0x%lx to 0x%lx", what,
	      pointer, end);
	spe_set_status(0);
	check_healthy(what);
}

/*
 * A buffer whose writes end in external aborts. PMBIDR_EL1.EA: 0 may report them in PMBSR_EL1; 1
 * ignores them; 2 makes them SErrors, which the guest could not survive. FEAT_SPEv1p3 has only 1
 * and 2.
 */
static void expect_aborted(const char *what, uint64_t pointer)
{
	uint64_t status;

	CHECK(spe_caps.aborts != SPE_ABORTS_REPORTED || spe_caps.version < PMSVER_V1P3,
	      "PMBIDR_EL1.EA is 0 in FEAT_SPEv1p%u", spe_caps.version - 1);
	if (spe_caps.aborts == SPE_ABORTS_REPORTED) {
		expect_refused(what, pointer, pointer + PAGE_SIZE);
	} else if (spe_caps.aborts == SPE_ABORTS_IGNORED) {
		program_buffer(pointer, pointer + PAGE_SIZE);
		slide_operations(sampled);
		spe_disable();
		status = read_sysreg(PMBSR_EL1);
		tap_note("%s: PMBSR_EL1 0x%lx", what, status);
		CHECK(status == 0, "%s: PMBSR_EL1 is 0x%lx", what, status);
		check_healthy(what);
	}
}

static void no_memory(void)
{
	uint64_t device = map_at(HOLE_PA, MAP_DEVICE), normal = map_at(HOLE_PA, MAP_DATA);
	uint64_t beyond = map_at(BEYOND_RAM, MAP_DATA), far = map_at(BEYOND_PE, MAP_DATA);
	uint64_t uart = map_at(uart_pa, MAP_DATA);

	expect_aborted("device memory", device);
	expect_aborted("memory where nothing is", normal);
	expect_aborted("the console", uart);
	expect_aborted("memory behind the last", beyond);
	expect_refused("a PA that the PE does not have", far, far + PAGE_SIZE);
}

static void no_translation(void)
{
	uint64_t readonly = (uintptr_t)rodata_map(mmu_translate(buffer), PAGE_SIZE);

	expect_refused("nothing mapped", NOWHERE, NOWHERE + PAGE_SIZE);
	expect_refused("a read-only page", readonly, readonly + PAGE_SIZE);
	expect_refused("the text", KERNEL_VA, KERNEL_VA + PAGE_SIZE);
	expect_refused("the top page", TOP - PAGE_SIZE, TOP);
	expect_refused("no address", NON_CANONICAL, NON_CANONICAL + PAGE_SIZE);
	expect_refused("the lower half", 0, PAGE_SIZE);
}

/* Pointer and limit that make no buffer: the PE writes nothing and continues. */
static void no_buffer(void)
{
	static const struct {
		const char *name;
		uint64_t pointer, limit;
	} rows[] = {
		{"the pointer at the limit", 0, 0},
		{"the pointer behind the limit", PAGE_SIZE, 0},
		{"a limit of 0", 0, UINT64_MAX},
		{"less room than a record", PAGE_SIZE - 1, PAGE_SIZE},
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t limit = rows[i].limit == UINT64_MAX ? 0 : buffer + rows[i].limit;

		memset((void *)buffer, 0x5a, 2 * PAGE_SIZE);
		program_buffer(buffer + rows[i].pointer, limit);
		/* Low bits of the pointer may be RES0, which can make room for a record. */
		if (read_sysreg(PMBPTR_EL1) + spe_caps.max_record <= limit)
			continue;
		slide_operations(sampled);
		spe_disable();
		tap_note("%s: PMBSR_EL1 0x%lx, PMBPTR_EL1 0x%lx", rows[i].name,
			 read_sysreg(PMBSR_EL1), read_sysreg(PMBPTR_EL1) - buffer);
		for (uint64_t at = 0; at < 2 * PAGE_SIZE; at += 8)
			if (!CHECK(*(const uint64_t *)(buffer + at) == UINT64_C(0x5a5a5a5a5a5a5a5a),
				   "%s: bytes from %lu on were written", rows[i].name, at))
				break;
		check_healthy(rows[i].name);
	}
}

/* Records over code that is not executed just then. */
static void own_code(void)
{
	uint64_t pa = phys_alloc(1), code = map_at(pa, MAP_TEXT), alias = map_at(pa, MAP_DATA);
	struct expected e;

	for (uint64_t i = 0; i < PAGE_SIZE / 4; i++)
		((volatile uint32_t *)alias)[i] = 0xd65f03c0; /* RET */
	program_buffer(alias, alias + PAGE_SIZE);
	slide_operations(sampled);
	spe_disable();
	CHECK(*(volatile uint32_t *)alias != 0xd65f03c0, "nothing was written");
	for (uint64_t at = alias; at < alias + PAGE_SIZE; at += 64)
		__asm__ volatile("dc cvau, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
	/* Anything but code: what it does is skipped, up to the first RET. */
	for (uint64_t i = 0; i < PAGE_SIZE / 4; i++)
		if (((volatile uint32_t *)alias)[i] != 0xd65f03c0)
			((volatile uint32_t *)alias)[i] &= 0xffff; /* UDF #imm */
	for (uint64_t at = alias; at < alias + PAGE_SIZE; at += 64)
		__asm__ volatile("dc cvau, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tic ialluis\n\tdsb ish\n\tisb" ::: "memory");
	expect_begin();
	((void (*)(void))code)();
	e = expect_end();
	CHECK(e.count > 0 && field(e.esr, 31, 26) == EC_UNKNOWN, "%u exceptions, ESR 0x%lx",
	      e.count, e.esr);
	check_healthy("records over code");
}

/* Records over the tables that translate EL0; they are restored before it continues. */
static void own_tables(void)
{
	static uint64_t saved[PAGE_SIZE / 8];
	volatile uint64_t *page = user_data_alloc(1);
	uint64_t table = mmu_table((uintptr_t)page), alias = map_at(table, MAP_DATA), value = 0;
	struct expected e;

	page[0] = 1234;
	for (uint64_t i = 0; i < PAGE_SIZE / 8; i++)
		saved[i] = ((volatile uint64_t *)alias)[i];
	program_buffer(alias, alias + PAGE_SIZE);
	slide_operations(sampled);
	spe_disable();
	CHECK(((volatile uint64_t *)alias)[0] != saved[0], "nothing was written");
	__asm__ volatile("dsb ish\n\ttlbi vmalle1is\n\tdsb ish\n\tisb" ::: "memory");
	expect_begin();
	__asm__ volatile("ldr %0, [%1]" : "+r"(value) : "r"(page));
	e = expect_end();
	tap_note("a load through records: %u exceptions, ESR 0x%lx", e.count, e.esr);
	for (uint64_t i = 0; i < PAGE_SIZE / 8; i++)
		((volatile uint64_t *)alias)[i] = saved[i];
	__asm__ volatile("dsb ish\n\ttlbi vmalle1is\n\tdsb ish\n\tisb" ::: "memory");
	CHECK(page[0] == 1234, "the page has %lu", page[0]);
	check_healthy("records over tables");
}

/* An interrupt that nobody handles comes again and again, until somebody does. */
static uint64_t storm;

static enum exc_return storm_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	if (++storm == STORM) {
		spe_set_status(0);
	}
	return EXC_RETURN;
}

static void test_storms(void)
{
	storm = 0;
	program_buffer(buffer, buffer + PAGE_SIZE);
	gic_enable(spe_caps.intid, storm_irq);
	spe_set_status(PMBSR_S);
	irq_enable();
	for (unsigned int i = 0; i < 1000000 && storm < STORM; i++)
		isb();
	irq_disable();
	gic_enable(spe_caps.intid, NULL);
	CHECK(storm == STORM, "%lu interrupts of a level that stays", storm);
	CHECK(!gic_pending(spe_caps.intid), "still pending");
	check_healthy("an interrupt storm");
}

/*
 * Accesses to a device without a syndrome (ESR_EL2.ISV 0), and others that make no sense there. A
 * hypervisor cannot emulate them: an external abort is as good as the access.
 */
static void odd_accesses(void)
{
	uint64_t device = map_at(uart_pa, MAP_DEVICE) + 0xfe0; /* its identification registers */
	uint64_t normal = map_at(uart_pa, MAP_DATA) + 0xfe0, at, value;
	struct expected e;

#define ODD(name, base, assembler)                                                                 \
	do {                                                                                       \
		at = base;                                                                         \
		value = 0;                                                                         \
		expect_begin();                                                                    \
		__asm__ volatile(assembler : "+r"(at), "+r"(value)::"x9", "x10", "memory");        \
		e = expect_end();                                                                  \
		CHECK(e.count <= 1, "%s: %u exceptions", name, e.count);                           \
		CHECK(e.count == 0 || field(e.esr, 31, 26) == EC_DATA_SAME, "%s: ESR 0x%lx", name, \
		      e.esr);                                                                      \
		tap_note("%s: %s 0x%lx", name, e.count ? "aborts, ESR" : "is done, reads",         \
			 e.count ? e.esr : value);                                                 \
	} while (0)
	ODD("LDR", device, "ldr %w1, [%0]");
	ODD("LDP", device, "ldp w9, w10, [%0]\n\tmov %w1, w9");
	ODD("LDR post-indexed", device, "ldr %w1, [%0], #4");
	ODD("LDR pre-indexed", device, "ldr %w1, [%0, #4]!");
	ODD("STP", device, "stp wzr, wzr, [%0]");
	ODD("LDR off its alignment", device, "ldr %w1, [%0, #1]");
	ODD("LDXR", device, "ldxr %w1, [%0]");
	ODD("LDXP", device, "ldxp x9, x10, [%0]\n\tmov %1, x9");
	ODD("STXR", device, "stxr %w1, wzr, [%0]");
	ODD("LDAR", device, "ldar %w1, [%0]");
	ODD("DC ZVA", normal, "dc zva, %0");
	ODD("DC CIVAC", normal, "dc civac, %0");
	ODD("PRFM", normal, "prfm pldl1keep, [%0]");
	ODD("LDR across the page's end", normal, "ldr %1, [%0, #28]");
#undef ODD
	check_healthy("odd accesses");
}

/* A call of an address where no code can be. An abort at that address must end it. */
static uint64_t jump_link;

static enum exc_return jump_abort(struct exc_frame *frame, enum exc_vector vector)
{
	if (field(frame->esr, 31, 26) != EC_INSN_SAME && field(frame->esr, 31, 26) != EC_UNKNOWN &&
	    field(frame->esr, 31, 26) != EC_PC_ALIGN) {
		exc_hooks[vector] = NULL;
		return exc_dispatch(frame, vector);
	}
	jump_link = frame->esr;
	frame->elr = frame->x[30];
	return EXC_RETURN;
}

static void jump_to(const char *where, uint64_t to)
{
	jump_link = 0;
	exc_hooks[VEC_SPX_SYNC] = jump_abort;
	__asm__ volatile("blr %0" ::"r"(to) : "x30", "memory");
	exc_hooks[VEC_SPX_SYNC] = NULL;
	tap_note("a jump to %s: ESR 0x%lx", where, jump_link);
	CHECK(jump_link != 0, "a jump to %s returned", where);
}

static void no_code(void)
{
	jump_to("nothing mapped", NOWHERE);
	jump_to("no address", NON_CANONICAL);
	jump_to("data", buffer);
	jump_to("half a word", KERNEL_VA + 2);
	jump_to("a hole", map_at(HOLE_PA, MAP_TEXT));
	jump_to("the console", map_at(uart_pa, MAP_TEXT));
	jump_to("a PA that the PE does not have", map_at(BEYOND_PE, MAP_TEXT));
	check_healthy("jumps to nowhere");
}

/* All of the unit's registers, with all ones and with a walk, while it profiles. */
static void all_ones(void)
{
	for (unsigned int i = 0; i < 66; i++) {
		uint64_t value = i == 64 ? 0 : i == 65 ? UINT64_MAX : UINT64_C(1) << i;

		program_buffer(buffer, buffer + PAGE_SIZE);
		spe_disable(); /* so that no write may be ignored */
		write_sysreg(PMSCR_EL1, PMSCR_E0SPE | (value & ~(PMSCR_E1SPE | UINT64_C(0x700))));
		write_sysreg(PMSICR_EL1, value);
		write_sysreg(PMSIRR_EL1, value);
		write_sysreg(PMSFCR_EL1, value);
		write_sysreg(PMSEVFR_EL1, value);
		write_sysreg(PMSLATFR_EL1, value);
		write_sysreg(PMBPTR_EL1, value);
		write_sysreg(PMBLIMITR_EL1, value | PMBLIMITR_E);
		isb();
		user_call(nops(user_address(user_nops_end), 300), 0, 0, 0);
		spe_disable();
		spe_set_status(value);
		spe_set_status(0);
	}
	check_healthy("all values of all registers");
}

static const char *needs_uart(void)
{
	const char *why = needs_spe_irq();
	struct platform_uart uart;

	if (!why && (!platform_uart(&uart) || uart.kind != UART_PL011))
		why = "the console is no PL011";
	else if (!why)
		uart_pa = uart.base;
	return why;
}

static const struct test tests[] = {
	{"a buffer where no memory is", no_memory, needs_uart},
	{"a buffer without a translation", no_translation, needs_uart},
	{"a pointer and a limit that are no buffer", no_buffer, needs_uart},
	{"a buffer over code", own_code, needs_uart},
	{"a buffer over translation tables", own_tables, needs_uart},
	{"an interrupt that nobody sees to", test_storms, needs_uart},
	{"accesses that a device has no answer to", odd_accesses, needs_uart},
	{"jumps to where no code is", no_code, needs_uart},
	{"registers full of every value", all_ones, needs_uart},
};

enum end {
	END_NONE,
	END_NO_VECTORS,	     /* an exception, whose vector is not mapped */
	END_DEVICE_VECTORS,  /* ... is in a device */
	END_RECORDS_VECTORS, /* ... is under the buffer */
	END_SPIN,
	END_STORM, /* an interrupt that nobody ever handles */
	END_OFF,   /* the last PE goes off */
	END_WFI,
	END_RESET, /* again and again */
};

static enum exc_return ignore_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	(void)intid;
	return EXC_RETURN;
}

static void end_with_vectors(uint64_t vectors)
{
	write_sysreg(vbar_el1, vectors);
	isb();
	__asm__ volatile("svc #1");
}

static void end_by(enum end end)
{
	uint64_t pa = phys_alloc(1), alias = map_at(pa, MAP_DATA);

	switch (end) {
	case END_NO_VECTORS: end_with_vectors(NOWHERE); break;
	case END_DEVICE_VECTORS: end_with_vectors(map_at(HOLE_PA, MAP_TEXT)); break;
	case END_RECORDS_VECTORS:
		program_buffer(alias, alias + PAGE_SIZE);
		slide_operations(SLED_NOPS);
		end_with_vectors(map_at(pa, MAP_TEXT));
		break;
	case END_STORM:
		program_buffer(buffer, buffer + PAGE_SIZE);
		gic_enable(spe_caps.intid, ignore_irq);
		spe_set_status(PMBSR_S);
		irq_enable();
		break;
	case END_OFF: psci_cpu_off(); break;
	case END_RESET: (void)psci_system_reset(); break;
	case END_WFI:
		for (;;)
			wfi();
	default: break;
	}
	for (;;)
		__asm__ volatile("" ::: "memory");
}

void guest_main(void)
{
	enum end end = (enum end)bootarg("end", END_NONE);

	buffer = (uintptr_t)data_alloc(2);
	if (!needs_spe() && PAGE_SIZE / spe_caps.max_record <= 2)
		sampled = 300;
	if (end != END_NONE && !needs_uart())
		end_by(end);
	tap_run("hostile", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kvm-traps: accesses to SPE, and words that may be mistaken for them, in code that is made, moved
 * and rewritten while the guest runs. However they are trapped, each does what the Arm ARM says,
 * and every exception of the guest itself arrives unharmed.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"
#include "made_code.h"
#include "platform.h"
#include "psci.h"
#include "spe.h"
#include "string.h"
#include "tap.h"

#define SGI	    3u
#define ROUNDS	    16u
#define SITES	    64u
#define IRQ_UNMASK  0xd50342ffu /* MSR DAIFClr, #2 */
#define IRQ_MASK    0xd50342dfu /* MSR DAIFSet, #2 */
#define INSN_VBAR   INSN_REG(12, 0, 0)
#define INTERVAL(n) PMSIRR_INTERVAL(n)

extern char vectors_el1[], other_vectors[];
uint64_t call_el1t(uintptr_t function);
uint64_t call_flags(uintptr_t function);

static struct made_code code, user;

static void make_word(unsigned int index, uint32_t word)
{
	made_code_put(&code, index, word);
	made_code_put(&code, index + 1, INSN_RET);
}

static uint64_t run_made(unsigned int index, uint64_t a0)
{
	return made_code_function(&code, index)(a0, 0);
}

/* Twice: the first time the word is new to the host. */
static void test_accesses(void)
{
	for (unsigned int i = 0; i < 4; i++) {
		make_word(2 * i, INSN_MRS(INSN_PMSIDR, 0));
		for (unsigned int n = 0; n < 2; n++)
			CHECK(run_made(2 * i, 0) == spe_caps.pmsidr, "PMSIDR_EL1, time %u", n);
	}
	make_word(8, INSN_MSR(INSN_PMSIRR, 0));
	for (unsigned int n = 1; n < 4; n++) {
		run_made(8, INTERVAL(n));
		CHECK(read_sysreg(PMSIRR_EL1) == INTERVAL(n), "PMSIRR_EL1 is 0x%lx",
		      read_sysreg(PMSIRR_EL1));
	}
	/* XZR is no register. */
	make_word(10, INSN_MRS(INSN_PMSIDR, 31));
	CHECK(run_made(10, 77) == 77, "MRS XZR changes X0");
	make_word(12, INSN_MSR(INSN_PMSIRR, 31));
	run_made(12, 5);
	CHECK(read_sysreg(PMSIRR_EL1) == 0, "MSR from XZR: 0x%lx", read_sysreg(PMSIRR_EL1));
}

static void state_is_kept(void)
{
	make_word(16, INSN_MRS(INSN_PMSIDR, 1));
	CHECK(call_flags(code.entry + 16 * 4) == 0xf0000000, "NZCV is lost");
	make_word(18, INSN_MRS(INSN_PMSIDR, 0));
	CHECK(call_el1t(code.entry + 18 * 4) == spe_caps.pmsidr, "with SP_EL0");
	CHECK(call_el1t(code.entry + 18 * 4) == spe_caps.pmsidr, "with SP_EL0 again");
	CHECK(field(read_sysreg(daif), 9, 6) == 0xf, "DAIF is 0x%lx", read_sysreg(daif));
}

static void check_exception(const struct expected *e, unsigned int vector, uint64_t class,
			    uint64_t iss, uint64_t elr)
{
	CHECK(e->count == 1 && e->vector == vector, "%u exceptions, vector %u", e->count,
	      (unsigned int)e->vector);
	CHECK(field(e->esr, 31, 26) == class && field(e->esr, 24, 0) == iss, "ESR_EL1 is 0x%lx",
	      e->esr);
	CHECK(e->elr == elr, "ELR_EL1 is 0x%lx, not 0x%lx", e->elr, elr);
}

static void test_undefined(void)
{
	const uint32_t words[] = {INSN_UDF, 0x00001234 /* UDF */,
				  INSN_MRS(INSN_REG(9, 9, 7) | UINT32_C(7) << 16, 0) /* op1 7 */,
				  INSN_MSR(INSN_PMSIDR, 0) /* read-only */};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct expected e;

		make_word(32 + 2 * i, words[i]);
		expect_begin();
		CHECK(run_made(32 + 2 * i, 99) == 99, "0x%x changes X0", words[i]);
		e = expect_end();
		check_exception(&e, VEC_SPX_SYNC, EC_UNKNOWN, 0, code.entry + (32 + 2 * i) * 4u);
		expect_begin();
		call_el1t(code.entry + (32 + 2 * i) * 4u);
		e = expect_end();
		check_exception(&e, VEC_SP0_SYNC, EC_UNKNOWN, 0, code.entry + (32 + 2 * i) * 4u);
	}
}

/* Also words by which a hypervisor might recognize its own: no access here uses X27. */
static void test_breakpoints(void)
{
	for (unsigned int i = 0; i < 3 + 0x500 / 32; i++) {
		const uint16_t imm =
			i < 3 ? (uint16_t[]){0, 0x1234, 0xffff}[i] : 0xb400 + 27 + (i - 3) * 32;
		struct expected e;

		make_word(40, INSN_BRK(imm));
		expect_begin();
		run_made(40, 0);
		e = expect_end();
		check_exception(&e, VEC_SPX_SYNC, EC_BRK64, imm, code.entry + 40 * 4);
	}
}

static void at_el0(void)
{
	const uint32_t words[] = {INSN_MRS(INSN_PMSIDR, 0), INSN_MSR(INSN_PMSCR, 0),
				  INSN_MRS(INSN_PMBPTR, 3), INSN_BRK(0xb41b), INSN_BRK(1)};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const bool brk = i >= 3;
		struct expected e;

		made_code_put(&user, 2 * i, words[i]);
		made_code_put(&user, 2 * i + 1, INSN_RET);
		expect_begin();
		user_call(user.entry + 8 * i, 0, 0, 0);
		e = expect_end();
		check_exception(&e, VEC_EL0_SYNC, brk ? EC_BRK64 : EC_UNKNOWN,
				brk ? words[i] >> 5 & 0xffff : 0, user.entry + 8 * i);
	}
}

static void test_aborts(void)
{
	volatile uint64_t *data = data_alloc(1);
	const uint64_t entry = mmu_unmap((uintptr_t)data);
	struct expected e;

	make_word(48, 0xf9400000 /* LDR X0, [X0] */);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		expect_begin();
		run_made(48, (uintptr_t)data);
		e = expect_end();
		CHECK(e.count == 1 && field(e.esr, 31, 26) == EC_DATA_SAME &&
			      e.far == (uintptr_t)data,
		      "%u exceptions, ESR_EL1 0x%lx, FAR_EL1 0x%lx", e.count, e.esr, e.far);
	}
	mmu_restore((uintptr_t)data, entry);
}

static void written_again(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		make_word(56, INSN_MRS(INSN_PMSIDR, 0));
		CHECK(run_made(56, 1) == spe_caps.pmsidr, "an access, round %u", i);
		make_word(56, INSN_ADD(0, 0));
		CHECK(run_made(56, 1) == 2, "then none, round %u", i);
		make_word(56, INSN_MSR(INSN_PMSIRR, 0));
		run_made(56, INTERVAL(i + 1));
		CHECK(read_sysreg(PMSIRR_EL1) == INTERVAL(i + 1), "then another, round %u", i);
	}
}

/* The present words, run elsewhere. */
static void test_moved(void)
{
	make_word(60, INSN_MRS(INSN_PMSIDR, 0));
	CHECK(run_made(60, 0) == spe_caps.pmsidr, "where it was made");
	make_word(64, code.words[60]);
	CHECK(run_made(64, 0) == spe_caps.pmsidr, "where it was copied to");
}

static unsigned int irqs;
static unsigned int irq_site;
static uint64_t irq_read;

/* An interrupt handler that makes an access and takes an exception itself. */
static enum exc_return sgi_irq(struct exc_frame *frame, uint32_t intid)
{
	struct expected e;

	(void)frame;
	irqs += intid == SGI;
	irq_read = run_made(irq_site, 0);
	expect_begin();
	__asm__ volatile(".inst 0");
	e = expect_end();
	CHECK(e.count == 1, "in a handler: %u exceptions", e.count);
	return EXC_RETURN;
}

static void test_interrupted(void)
{
	gic_enable(SGI, sgi_irq);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		const unsigned int at = 128 + i * 8;

		irq_site = at + 6;
		make_word(irq_site, INSN_MRS(INSN_PMSIDR, 0));
		/* An access before, at and after the unmasking. */
		code.words[at] = INSN_MRS(INSN_PMSIDR, 0);
		code.words[at + 1] = i & 1 ? IRQ_UNMASK : INSN_MRS(INSN_PMSIDR, 0);
		code.words[at + 2] = i & 1 ? INSN_MRS(INSN_PMSIDR, 0) : IRQ_UNMASK;
		code.words[at + 3] = INSN_MRS(INSN_PMSIDR, 0);
		code.words[at + 4] = IRQ_MASK;
		code.words[at + 5] = INSN_RET;
		made_code_sync(&code, at, 6);
		irqs = 0;
		irq_read = 0;
		gic_send_sgi(SGI, read_sysreg(mpidr_el1));
		for (unsigned int n = 0; n < 1000 && !gic_pending(SGI); n++)
			;
		CHECK(run_made(at, 0) == spe_caps.pmsidr, "the access, round %u", i);
		CHECK(irqs == 1, "%u interrupts, round %u", irqs, i);
		CHECK(irq_read == spe_caps.pmsidr, "the handler's access, round %u", i);
	}
	gic_enable(SGI, NULL);
}

/*
 * By an MSR of the image, and by one that is made here. Some accesses to a device follow, for a
 * host that cannot trap the write and must look for it.
 */
static void vectors_move(void)
{
	volatile uint32_t *flags = NULL;
	struct platform_uart uart;

	if (platform_uart(&uart) && uart.kind == UART_PL011)
		flags = (volatile uint32_t *)device_map(uart.base, PAGE_SIZE) +
			0x18 / 4; /* UARTFR */
	for (unsigned int i = 0; i < 4; i++) {
		const uintptr_t to =
			user_address(vectors_el1) ^
			(i & 1 ? 0 : user_address(vectors_el1) ^ user_address(other_vectors));

		if (i < 2) {
			write_sysreg(vbar_el1, to);
		} else {
			make_word(68, INSN_MSR(INSN_VBAR, 0));
			run_made(68, to);
		}
		isb();
		for (unsigned int n = 0; flags && n < 200; n++)
			(void)*flags;
		make_word(72 + 2 * i, INSN_MRS(INSN_PMSIDR, 0));
		CHECK(run_made(72 + 2 * i, 0) == spe_caps.pmsidr, "vectors at 0x%lx", to);
		CHECK(read_sysreg(vbar_el1) == to, "VBAR_EL1 is 0x%lx", read_sysreg(vbar_el1));
	}
}

/*
 * The debug registers are the guest's: a host that traps accesses by breakpoints must manage
 * without them.
 */
static void debug_registers(void)
{
	write_sysreg(dbgbvr0_el1, code.entry);
	write_sysreg(dbgbcr0_el1, 0);
	write_sysreg(dbgbvr1_el1, 0);
	write_sysreg(dbgbcr1_el1, 0);
	write_sysreg(mdscr_el1, 0);
	isb();
	make_word(88, INSN_MRS(INSN_PMSIDR, 0));
	CHECK(run_made(88, 0) == spe_caps.pmsidr, "with no breakpoints");
	write_sysreg(oslar_el1, 1);
	isb();
	make_word(90, INSN_MRS(INSN_PMSIDR, 0));
	CHECK(run_made(90, 0) == spe_caps.pmsidr, "with the OS Lock");
	write_sysreg(oslar_el1, 0);
	isb();
	CHECK(read_sysreg(dbgbvr0_el1) == code.entry, "DBGBVR0_EL1 is 0x%lx",
	      read_sysreg(dbgbvr0_el1));
}

static struct made_code shared;
static volatile unsigned int ready, go, done;
static volatile uint64_t wrong;

static void run_shared(void)
{
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	for (unsigned int round = 1; round <= ROUNDS; round++) {
		wait_while(go < round);
		isb();
		if (made_code_function(&shared, 0)(0, 0) != spe_caps.pmsidr)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
	}
}

static void run_secondary(unsigned int cpu)
{
	(void)cpu;
	run_shared();
}

static const char *needs_cpus(void)
{
	uint64_t mpidr;

	return platform_cpu(1, &mpidr) ? needs_spe() : "one CPU";
}

/* All PEs reach code that was never run, at the same time. */
static void test_together(void)
{
	unsigned int cpus = 1;
	uint64_t mpidr;

	shared = made_code_alloc(false);
	for (; cpus < MAX_CPUS && platform_cpu(cpus, &mpidr); cpus++)
		CHECK(psci_cpu_on(mpidr, cpus, run_secondary) == PSCI_SUCCESS, "CPU %u", cpus);
	wait_while(ready < cpus - 1);
	for (unsigned int round = 1; round <= ROUNDS; round++) {
		done = 0;
		for (unsigned int i = 0; i < SITES; i++)
			shared.words[i] = INSN_MRS(INSN_PMSIDR, 0);
		shared.words[SITES] = INSN_RET;
		made_code_sync(&shared, 0, SITES + 1);
		go = round;
		dsb();
		if (made_code_function(&shared, 0)(0, 0) != spe_caps.pmsidr)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
		wait_while(done < cpus - 1);
	}
	CHECK(wrong == 0, "%lu of %u runs read something else", wrong, ROUNDS * cpus);
}

#define COUNT_LAPS 200u /* what a byte counts */
#define SCTLR_E0E  (UINT64_C(1) << 24)

void load_denied(uint64_t address, uint64_t n);
void user_count(uint64_t *slots, uint64_t laps);

static void profile_all(void)
{
	const uint64_t buffer = (uintptr_t)data_alloc(2);
	const struct spe_setup setup = {
		.pointer = buffer,
		.limit = buffer + 2 * PAGE_SIZE,
		.limit_flags = PMBLIMITR_E,
		.pmsirr = INTERVAL(1),
	};

	spe_program(&setup);
}

/* What user_count() leaves: bytes of each element, and their number. */
static const struct {
	unsigned int size, elements;
} slots[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 2}, {8, 2}};

static void check_slots(const uint8_t *bytes, bool big)
{
	for (unsigned int i = 0; i < 6; i++)
		for (unsigned int n = 0; n < slots[i].elements; n++) {
			const uint8_t *at = bytes + i * 16 + n * slots[i].size;
			uint64_t value = 0;

			for (unsigned int b = 0; b < slots[i].size; b++)
				value |= (uint64_t)at[b] << 8 * (big ? slots[i].size - 1 - b : b);
			CHECK(value == (n + 1) * COUNT_LAPS, "%u bytes, %s: %lu", slots[i].size,
			      big ? "big-endian" : "little-endian", value);
		}
}

/* What PAN forbids is not loaded. */
static void denied_by_pan(void)
{
	const uint64_t address = (uintptr_t)user_data_alloc(1);
	struct expected seen;

	profile_all();
	expect_begin();
	spe_run_el1(PMSCR_E1SPE, (uintptr_t)load_denied, address, SITES);
	seen = expect_end();
	spe_disable();
	CHECK(seen.count == SITES, "%u of %u faults", seen.count, SITES);
	CHECK(field(seen.esr, 31, 26) == EC_DATA_SAME &&
		      field(seen.esr, 5, 0) == FSC_PERMISSION_L3 && seen.far == address,
	      "ESR_EL1 0x%lx, FAR_EL1 0x%lx", seen.esr, seen.far);
}

/*
 * A store-exclusive never succeeds if an exception comes in between: a host that single-steps must
 * help.
 */
static void test_exclusives(void)
{
	const uint64_t mmfr0 = read_sysreg(id_aa64mmfr0_el1), sctlr = read_sysreg(sctlr_el1);
	const bool both = field(mmfr0, 11, 8) || field(mmfr0, 19, 16);
	const bool pan = field(read_sysreg(id_aa64mmfr1_el1), 23, 20);
	uint8_t *data = user_data_alloc(1);

	for (unsigned int big = 0; big <= both; big++) {
		memset(data, 0, PAGE_SIZE);
		write_sysreg(sctlr_el1, big ? sctlr | SCTLR_E0E : sctlr);
		profile_all();
		spe_run_el0(PMSCR_E0SPE, user_address(user_count), (uintptr_t)data, COUNT_LAPS);
		spe_disable();
		write_sysreg(sctlr_el1, sctlr);
		isb();
		check_slots(data, big);
	}
	if (pan)
		denied_by_pan();
	tap_note("%s%s", both ? "both byte orders" : "one byte order", pan ? ", PAN" : "");
}

static const struct test tests[] = {
	{"accesses in code that was never seen", test_accesses, needs_spe},
	{"flags, masks and the stack pointer are kept", state_is_kept, needs_spe},
	{"what is UNDEFINED reaches the guest", test_undefined, NULL},
	{"a BRK reaches the guest, whatever its immediate", test_breakpoints, NULL},
	{"an access from EL0 is UNDEFINED, and a BRK is one", at_el0, NULL},
	{"an abort reaches the guest", test_aborts, NULL},
	{"code that is written again and again", written_again, needs_spe},
	{"code that is copied once it was run", test_moved, needs_spe},
	{"interrupts and exceptions around accesses", test_interrupted, needs_spe},
	{"vectors that move", vectors_move, needs_spe},
	{"debug registers that the guest uses", debug_registers, needs_spe},
	{"load and store exclusives that are profiled", test_exclusives, needs_spe},
	{"PEs that run the same code for the first time", test_together, needs_cpus},
};

void guest_main(void)
{
	code = made_code_alloc(false);
	user = made_code_alloc(true);
	(void)needs_spe();
	tap_run("kvm-traps", tests, sizeof(tests) / sizeof(tests[0]));
}

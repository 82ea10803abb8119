/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * platform: what the other guests stand on. Nothing here needs SPE, so it passes on any machine
 * whose firmware names a GICv3 or a GICv2, a serial port and PSCI.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "deadline.h"
#include "exception.h"
#include "gic.h"
#include "platform.h"
#include "psci.h"
#include "tap.h"

#define SGI	   3u
#define DATA_PAGES 8

static volatile unsigned int irqs;

static void start_at_el1(void)
{
	CHECK(read_sysreg(CurrentEL) == 1 << 2, "CurrentEL is 0x%lx", read_sysreg(CurrentEL));
	CHECK((read_sysreg(sctlr_el1) & 1) == 1, "the MMU is off");
	CHECK((uintptr_t)guest_main >> 48 == 0xffff, "the kernel part is at %p", guest_main);
}

static void permuted_data(void)
{
	volatile uint64_t *data = data_alloc(DATA_PAGES);
	uint64_t va = (uintptr_t)data, other;

	for (uint64_t i = 0; i < DATA_PAGES * PAGE_SIZE / 8; i++)
		data[i] = i * 3;
	for (uint64_t i = 0; i < DATA_PAGES; i++)
		CHECK(mmu_translate(va + i * PAGE_SIZE) == mmu_translate(va) - i * PAGE_SIZE,
		      "page %lu translates to 0x%lx", i, mmu_translate(va + i * PAGE_SIZE));
	/* The same bytes through a second mapping, by PA. */
	other = (uintptr_t)rodata_map(mmu_translate(va + 3 * PAGE_SIZE), PAGE_SIZE);
	CHECK(*(volatile uint64_t *)(other + 16) == (3 * PAGE_SIZE / 8 + 2) * 3,
	      "the second mapping shows 0x%lx", *(volatile uint64_t *)(other + 16));
}

static void translation_fault(void)
{
	volatile uint64_t *data = data_alloc(1);
	uint64_t value = 0, entry;
	struct expected e;

	data[1] = 7;
	entry = mmu_unmap((uintptr_t)data);
	expect_begin();
	__asm__ volatile("ldr %0, [%1, #8]" : "+r"(value) : "r"(data));
	e = expect_end();
	mmu_restore((uintptr_t)data, entry);
	CHECK(e.count == 1, "%u exceptions", e.count);
	CHECK(field(e.esr, 31, 26) == EC_DATA_SAME && (e.esr & 0x3f) == FSC_TRANSLATION_L3,
	      "ESR 0x%lx", e.esr);
	CHECK(e.far == (uintptr_t)data + 8, "FAR 0x%lx, not 0x%lx", e.far, (uintptr_t)data + 8);
	CHECK(value == 0 && data[1] == 7, "load gave %lu, memory has %lu", value, data[1]);
}

static void user_round_trip(void)
{
	CHECK(user_call(user_address(user_add), 40, 2, 0) == 42, "EL0 returned nonsense");
}

static void user_permissions(void)
{
	uint64_t *kernel = data_alloc(1), *user = user_data_alloc(1);
	struct expected e;

	user_call(user_address(user_store), (uintptr_t)user, 99, 0);
	CHECK(*user == 99, "EL0's store left %lu", *user);
	expect_begin();
	user_call(user_address(user_load), (uintptr_t)kernel, 0, 0);
	e = expect_end();
	CHECK(e.count == 1 && e.vector == VEC_EL0_SYNC, "%u exceptions, vector %u", e.count,
	      (unsigned int)e.vector);
	CHECK(field(e.esr, 31, 26) == EC_DATA_LOWER && (e.esr & 0x3f) == FSC_PERMISSION_L3,
	      "ESR 0x%lx", e.esr);
	CHECK(e.far == (uintptr_t)kernel, "FAR 0x%lx", e.far);
}

static void test_undefined(void)
{
	struct expected e;

	expect_begin();
	__asm__ volatile(".inst 0"); /* UDF #0 */
	e = expect_end();
	CHECK(e.count == 1 && field(e.esr, 31, 26) == EC_UNKNOWN, "%u exceptions, ESR 0x%lx",
	      e.count, e.esr);
}

static enum exc_return count_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	irqs += intid == SGI;
	return EXC_RETURN;
}

static void test_sgi(void)
{
	irqs = 0;
	gic_enable(SGI, count_irq);
	gic_send_sgi(SGI, read_sysreg(mpidr_el1));
	CHECK(comes(gic_pending(SGI)), "not pending");
	CHECK(irqs == 0, "taken although PSTATE.I is set");
	irq_enable();
	(void)comes(irqs != 0);
	irq_disable();
	gic_enable(SGI, NULL);
	CHECK(irqs == 1, "taken %u times", irqs);
}

static uint32_t timer_intid;

static enum exc_return timer_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	irqs += intid == timer_intid;
	write_sysreg(cntv_ctl_el0, 0);
	isb();
	return EXC_RETURN;
}

static void test_timer(void)
{
	uint64_t until = counter() + 1000;

	timer_intid = platform_interrupt(PLATFORM_TIMER_VIRTUAL);
	if (!CHECK(timer_intid != 0, "no virtual timer in the %s", platform_source()))
		return;
	irqs = 0;
	gic_enable(timer_intid, timer_irq);
	write_sysreg(cntv_cval_el0, until);
	write_sysreg(cntv_ctl_el0, 1);
	isb();
	wfi(); /* wakes although PSTATE.I is set */
	irq_enable();
	(void)comes(irqs != 0);
	irq_disable();
	gic_enable(timer_intid, NULL);
	CHECK(irqs == 1, "taken %u times", irqs);
	CHECK(counter() >= until, "the timer came early");
}

static volatile bool secondary_listens;
static volatile uint64_t secondary_mpidr;

/* Takes one SGI. */
static void run_secondary(unsigned int cpu)
{
	(void)cpu;
	secondary_mpidr = read_sysreg(mpidr_el1);
	if (!gic_init_cpu())
		return;
	gic_enable(SGI, count_irq);
	irq_enable();
	secondary_listens = true;
	wait_while(irqs == 0);
	irq_disable();
}

static const char *needs_two_cpus(void)
{
	uint64_t mpidr;

	return platform_cpu(1, &mpidr) ? NULL : "one CPU";
}

/* The last CPU: beyond 16 of them, one of another cluster. */
static void cpu_on(void)
{
	uint64_t mpidr = 0;
	int64_t result;

	platform_cpu(platform_cpus() - 1, &mpidr);
	irqs = 0;
	result = psci_cpu_on(mpidr, 1, run_secondary);
	if (!CHECK(result == PSCI_SUCCESS, "CPU_ON of 0x%lx gave %ld", mpidr, result))
		return;
	wait_while(!secondary_listens);
	gic_send_sgi(SGI, mpidr);
	wait_while(psci_affinity_info(mpidr) != 1);
	CHECK(irqs == 1, "taken %u times", irqs);
	CHECK((secondary_mpidr & 0xff00ffffff) == mpidr, "MPIDR_EL1 0x%lx", secondary_mpidr);
}

static void test_psci(void)
{
	uint32_t version = psci_version();

	CHECK(version >= 2 && version < 0x00040000, "PSCI_VERSION gave 0x%x", version);
}

#define SMCCC_VERSION	    0x80000000u
#define PSCI_FEATURES	    0x8400000au
#define PSCI_SYSTEM_RESET2  0x84000012u
#define PSCI_SYSTEM_RESET2L 0xc4000012u /* the 64-bit form */
#define TRNG_VERSION	    0x84000050u
#define TRNG_FEATURES	    0x84000051u
#define TRNG_GET_UUID	    0x84000052u
#define TRNG_RND32	    0x84000053u
#define TRNG_RND64	    0xc4000053u
#define TRNG_NO_ENTROPY	    (-3)
#define TRNG_TRIES	    1000

/* A call's X0 as what the 32-bit convention returns; x has the rest. */
static int32_t call(uint64_t x[4], uint64_t function, uint64_t argument)
{
	x[0] = function;
	x[1] = argument;
	x[2] = x[3] = 0;
	psci_call(x);
	return (int32_t)x[0];
}

/* Without being reset: a type that there is not. */
static void test_reset2(void)
{
	uint64_t x[4];
	int32_t result = call(x, PSCI_FEATURES, PSCI_SYSTEM_RESET2L);

	CHECK(result == PSCI_SUCCESS, "PSCI_FEATURES of the 64-bit form gave %d", result);
	result = call(x, PSCI_SYSTEM_RESET2, 1);
	CHECK(result == PSCI_INVALID_PARAMETERS, "reset_type 1 gave %d", result);
	result = call(x, PSCI_SYSTEM_RESET2L, 0x7fffffff);
	CHECK(result == PSCI_INVALID_PARAMETERS, "reset_type 0x7fffffff gave %d", result);
}

/* As software finds the TRNG: PSCI says that there is SMCCC_VERSION, which has to be 1.1. */
static const char *needs_trng(void)
{
	uint64_t x[4];

	if (!psci_there())
		return "the machine has no PSCI, as EL3 is the guest's";
	if (call(x, PSCI_FEATURES, SMCCC_VERSION) != PSCI_SUCCESS ||
	    call(x, SMCCC_VERSION, 0) < 0x10001)
		return "no SMCCC 1.1";
	return call(x, TRNG_VERSION, 0) < 0 ? "no TRNG by SMCCC" : NULL;
}

static void trng_found(void)
{
	static const uint32_t functions[] = {TRNG_VERSION, TRNG_FEATURES, TRNG_GET_UUID,
					     TRNG_RND64};
	uint64_t x[4];
	int32_t result = call(x, TRNG_VERSION, 0);

	CHECK(result >= 0x10000, "TRNG_VERSION gave 0x%x", result);
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		result = call(x, TRNG_FEATURES, functions[i]);
		CHECK(result >= 0, "TRNG_FEATURES of 0x%x gave %d", functions[i], result);
	}
	result = call(x, TRNG_FEATURES, PSCI_FEATURES);
	CHECK(result == PSCI_NOT_SUPPORTED, "TRNG_FEATURES of PSCI_FEATURES gave %d", result);
	result = call(x, TRNG_GET_UUID, 0);
	CHECK(result != PSCI_NOT_SUPPORTED, "TRNG_GET_UUID gave %d", result);
}

/* X1 to X3 of a number of bits: true if there were any. */
static bool random_bits(uint64_t x[4], uint32_t function, uint64_t bits)
{
	for (unsigned int i = 0; i < TRNG_TRIES; i++) {
		int32_t result = call(x, function, bits);

		if (result != TRNG_NO_ENTROPY)
			return CHECK(result == 0, "%lu bits gave %d", bits, result);
	}
	return CHECK(false, "no entropy for %lu bits", bits);
}

static void trng_numbers(void)
{
	for (unsigned int width = 32; width <= 64; width += 32) {
		uint32_t function = width == 64 ? TRNG_RND64 : TRNG_RND32;
		uint64_t x[4], seen[4] = {0, 0, 0, 0}, last = 0;
		unsigned int same = 0;

		if (call(x, TRNG_FEATURES, function) < 0)
			continue;
		CHECK(call(x, function, 3 * width + 1) == PSCI_INVALID_PARAMETERS,
		      "more bits than registers have gave %d", (int32_t)x[0]);
		for (unsigned int bits = 1; bits <= 3 * width; bits++) {
			if (!random_bits(x, function, bits))
				return;
			for (unsigned int i = 1; i < 4; i++) {
				unsigned int below = (3 - i) * width;
				unsigned int have = bits > below ? bits - below : 0;

				if (have < 64)
					CHECK(x[i] >> have == 0, "%u bits: X%u 0x%lx", bits, i,
					      x[i]);
				seen[i] |= x[i];
			}
			same += bits >= 32 && x[3] == last;
			last = x[3];
		}
		CHECK(same < 2, "the numbers repeat");
		CHECK(seen[1] && seen[2] && seen[3], "0x%lx 0x%lx 0x%lx", seen[1], seen[2],
		      seen[3]);
	}
}

static const char *needs_psci(void)
{
	return psci_there() ? NULL : "the machine has no PSCI, as EL3 is the guest's";
}

static const char *needs_reset2(void)
{
	uint64_t x[4];

	if (!psci_there())
		return "the machine has no PSCI, as EL3 is the guest's";
	return call(x, PSCI_FEATURES, PSCI_SYSTEM_RESET2) < 0 ? "no SYSTEM_RESET2" : NULL;
}

static const struct test tests[] = {
	{"starts at EL1, MMU on, in the upper half", start_at_el1, NULL},
	{"data pages with VA and PA in different order", permuted_data, NULL},
	{"translation fault: syndrome, address, skip", translation_fault, NULL},
	{"EL0 and back", user_round_trip, NULL},
	{"EL0 reads its own pages only", user_permissions, NULL},
	{"undefined instruction", test_undefined, NULL},
	{"software generated interrupt", test_sgi, NULL},
	{"virtual timer interrupt and WFI", test_timer, NULL},
	{"PSCI version", test_psci, needs_psci},
	{"PSCI CPU_ON, an SGI to that CPU, and CPU_OFF", cpu_on, needs_two_cpus},
	{"PSCI SYSTEM_RESET2", test_reset2, needs_reset2},
	{"SMCCC TRNG is found", trng_found, needs_trng},
	{"SMCCC TRNG numbers", trng_numbers, needs_trng},
};

void guest_main(void)
{
	tap_run("platform", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trap-cost: the cost of a trapped access to a register of SPE, compared with an access to a
 * device, which is trapped, too: by CNTVCT_EL0, and as ratios in one run. Boot arguments limit each
 * cost, in hundredths of an access to the console's flag register: patch=170. Without one the cost
 * is not checked, but the value that was accessed must be right.
 *
 * What can be repeated is, and the shortest time counts: longer ones include interrupts of the
 * host, which take as long as tens of accesses.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "exception.h"
#include "made_code.h"
#include "platform.h"
#include "spe.h"
#include "tap.h"

#define ROUNDS	64u
#define REPEATS 8u
#define SITES	512u
#define UARTFR	0x18

static volatile uint32_t *flags;
static uint64_t device;	     /* ticks that ROUNDS of its accesses take */
static uint64_t seen, value; /* what was read, ORed; what was written last */

static bool map_flags(void)
{
	struct platform_uart uart;

	if (!platform_uart(&uart) || uart.kind != UART_PL011)
		return false;
	flags = (volatile uint32_t *)(device_map(uart.base, PAGE_SIZE)) + UARTFR / 4;
	return true;
}

static void judge_cost(const char *name, uint64_t ticks, uint64_t rounds)
{
	const uint64_t cost = device ? ticks * ROUNDS * 100 / (device * rounds) : 0;
	const uint64_t limit = bootarg(name, 0);

	tap_note("%s: %lu ticks in %lu rounds, %lu.%02lu accesses to a device", name, ticks, rounds,
		 cost / 100, cost % 100);
	if (limit)
		CHECK(cost <= limit, "%s costs %lu.%02lu, not %lu.%02lu", name, cost / 100,
		      cost % 100, limit / 100, limit % 100);
}

/* The ticks of the shortest of all repetitions of ROUNDS accesses. */
static uint64_t shortest_of(void (*rounds)(void))
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < REPEATS; i++) {
		uint64_t start = counter(), ticks;

		rounds();
		ticks = counter() - start;
		if (ticks < least)
			least = ticks;
	}
	return least;
}

static void read_flags(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		seen |= *flags;
}

static void access_device(void)
{
	seen = 0;
	device = shortest_of(read_flags);
	/* TXFE: nothing is being sent. */
	CHECK(seen & 0x80, "UARTFR is 0x%lx", seen);
	judge_cost("device", device, ROUNDS);
}

/* The same site again and again, in the guest's image. */
static void read_pmsidr(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		seen |= read_sysreg(PMSIDR_EL1);
}

static void write_pmsevfr(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		write_sysreg(PMSEVFR_EL1, value++);
}

static void access_image(void)
{
	uint64_t ticks;

	write_sysreg(PMSIRR_EL1, PMSIRR_INTERVAL(77));
	seen = 0;
	ticks = shortest_of(read_pmsidr);
	CHECK(seen == spe_caps.pmsidr, "PMSIDR_EL1 is 0x%lx, not 0x%lx", seen, spe_caps.pmsidr);
	judge_cost("patch", ticks, ROUNDS);
	ticks = shortest_of(write_pmsevfr);
	CHECK(value == ROUNDS * REPEATS, "%lu writes", value);
	CHECK(read_sysreg(PMSIRR_EL1) == PMSIRR_INTERVAL(77), "PMSIRR_EL1 is 0x%lx",
	      read_sysreg(PMSIRR_EL1));
	write_sysreg(PMSEVFR_EL1, 0);
	judge_cost("patch-write", ticks, ROUNDS);
}

/* Each site once. */
static void access_made(void)
{
	const struct made_code code = made_code_alloc(false);
	uint64_t start, ticks, read = 0;

	for (unsigned int i = 0; i < SITES; i++)
		code.words[i] = INSN_MRS(INSN_PMSIDR, 0);
	code.words[SITES] = INSN_RET;
	made_code_sync(&code, 0, SITES + 1);
	start = counter();
	read = made_code_function(&code, 0)(0, 0);
	ticks = counter() - start;
	CHECK(read == spe_caps.pmsidr, "PMSIDR_EL1 is 0x%lx, not 0x%lx", read, spe_caps.pmsidr);
	judge_cost("breakpoint", ticks, SITES);
}

static void be_undefined(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		__asm__ volatile(".inst 0"); /* UDF #0 */
}

static void undefined_rounds(void)
{
	struct expected e;
	uint64_t ticks;

	expect_begin();
	ticks = shortest_of(be_undefined);
	e = expect_end();
	CHECK(e.count == ROUNDS * REPEATS && field(e.esr, 31, 26) == EC_UNKNOWN,
	      "%u exceptions, ESR 0x%lx", e.count, e.esr);
	judge_cost("undefined", ticks, ROUNDS);
}

static const char *needs_flags(void)
{
	return flags || map_flags() ? NULL : "the console is no PL011";
}

static const char *needs_made(void)
{
	return bootarg("made", 1) ? needs_spe() : "made=0: what is not patched is UNDEFINED here";
}

static const struct test tests[] = {
	{"an access to a device", access_device, needs_flags},
	{"accesses to SPE in the image", access_image, needs_spe},
	{"accesses to SPE in code made here, each for the first time", access_made, needs_made},
	{"an instruction that is UNDEFINED", undefined_rounds, NULL},
};

void guest_main(void)
{
	tap_run("trap-cost", tests, sizeof(tests) / sizeof(tests[0]));
}

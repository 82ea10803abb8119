/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels3: EL3 and what it does to the levels below, without SPE (Arm ARM D1, D8, D13).
 */
#include "arch.h"
#include "boot.h"
#include "lower.h"
#include "stage.h"
#include "tap.h"

static struct lower_context c;

static void hvc_from_el1(void)
{
	lower_init(&c, 1, 0);
	CHECK(lower_insn(&c, A64_NOP), "NOP at EL1: ESR 0x%lx", c.exit.esr);
	CHECK(!lower_insn(&c, A64_SMC(0x1234)), "SMC went nowhere");
	CHECK(c.exit.esr == (UINT64_C(EC_SMC64) << 26 | 1 << 25 | 0x1234), "ESR 0x%lx", c.exit.esr);
	CHECK(!lower_insn(&c, A64_SVC(7)) && lower_vector(&c, NULL) == 4, "SVC");
}

static uint64_t add_at_el1(uint64_t n)
{
	return n + (current_el() << 8);
}

static void call_el1(void)
{
	uint8_t *stack = data_alloc(4);

	lower_init(&c, 1, 0);
	lower_call(&c, add_at_el1, 5, stack + 4 * PAGE_SIZE);
	lower_run(&c);
	CHECK(lower_returned(&c) && c.x[0] == 0x105, "ESR 0x%lx x0 0x%lx far 0x%lx elr %lx",
	      c.exit.esr, c.x[0], c.exit.far, c.exit.elr);
}


static const struct test tests[] = {
	{"SMC from EL1", hvc_from_el1, needs_el3},
	{"call EL1", call_el1, needs_el3},
};

void guest_main(void)
{
	tap_run("levels3", tests, sizeof(tests) / sizeof(tests[0]));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_explain_route() describes an access as a guest that makes it sees it. */
#include "../compare.h"
#include "base/splitmix.h"
#include "soft/explain.h"
#include "soft/sys/isa.h"
#include "system_access.h"

#define CASES 60000

static uint64_t state;

/* Few of the bits, or most of them. */
static uint64_t random_bits(void)
{
	const uint64_t bits = splitmix_next(&state) & splitmix_next(&state);

	return splitmix_next(&state) & 1 ? bits : ~bits;
}

/* Controls in any possible state of the PE; no register is in memory that does not exist. */
static void draw_controls(bool el3)
{
	struct sysreg_controls *c = &cpu.sys.controls;

	c->hcr_el2 = random_bits() & ~(HCR_EL2_E2H | HCR_EL2_TGE);
	c->mdcr_el2 = random_bits();
	c->hdfgrtr_el2 = random_bits();
	c->hdfgwtr_el2 = random_bits();
	cpu.sys.hfgrtr_el2 = random_bits();
	cpu.sys.hfgwtr_el2 = random_bits();
	cpu.sys.cptr_el2 = random_bits() & CPTR_ELx_TCPAC;
	cpu.sys.cnthctl_el2 = random_bits();
	cpu.sys.cntkctl_el1 = random_bits();
	cpu.sys.ich_hcr_el2 = random_bits();
	cpu.sys.sctlr[1] = random_bits() & ~SCTLR_ELx_M;
	cpu.sys.mdscr_el1 = random_bits() & MDSCR_EL1_TDCC;
	if (el3) {
		c->mdcr_el3 = random_bits();
		c->scr_el3 = (random_bits() & ~SCR_EL3_NSE) | SCR_EL3_RW;
		cpu.sys.cptr_el3 = random_bits() & CPTR_ELx_TCPAC;
	}
	if (splitmix_next(&state) & 1)
		c->hcr_el2 |= HCR_EL2_E2H;
}

static enum ending ending_of(struct sysreg_route route)
{
	switch (route.kind) {
	case SYSREG_UNDEFINED: return UNDEFINED;
	case SYSREG_TRAP:
		return route.target_el == 1 ? TO_EL1 : route.target_el == 2 ? TO_EL2 : TO_EL3;
	default: return DONE;
	}
}

static unsigned int registers_of_the_cpu(void)
{
	unsigned int count = 0;

	while (soft_explain_is_sys(count))
		count++;
	return count;
}

Test(system_explain, is_what_a_guest_sees)
{
	const unsigned int registers = registers_of_the_cpu();
	unsigned int seen[TO_EL3 + 1] = {0}, directions[2] = {0};

	for (unsigned int n = 0; n < CASES; n++) {
		const unsigned int reg = (unsigned int)(splitmix_next(&state) % registers);
		const bool el3 = splitmix_next(&state) & 1, write = splitmix_next(&state) & 1;
		const unsigned int el = (unsigned int)(splitmix_next(&state) % (el3 ? 4 : 3));
		const uint32_t encoding = soft_explain_encoding(reg);
		struct soft_explain e = {0};
		struct soft_reason reason;
		struct sysreg_route route;

		/* Floating point has a separate exception: see core_floats.c. */
		if (encoding == SYSREG_ENCODING(3, 3, 4, 4, 0) ||
		    encoding == SYSREG_ENCODING(3, 3, 4, 4, 1))
			continue;
		if (el3)
			pe_el3();
		else
			pe_el2();
		cpu.sys.isa = random_bits() & SOFT_ISA_ALL;
		draw_controls(el3);
		at(el);
		if (el == 2 && !sysreg_el2_enabled(&cpu.sys.controls))
			continue;
		e.sys = cpu.sys;
		route = soft_explain_route(&e, &cpu.sys.controls, reg, write, write ? 5 : 6,
					   &reason);
		/*
		 * SP_EL0 cannot be accessed while it is SP, which is not a matter of permissions.
		 */
		if (encoding == SYSREG_ENCODING(3, 0, 4, 1, 0) && !cpu.sys.pstate.sp)
			continue;
		expect_ending(UINT32_C(0xd5000000) | encoding << 5 | (write ? 0 : READ),
			      ending_of(route), "%s of %s at EL%u (%s)", write ? "write" : "read",
			      soft_explain_name(reg), el, reason.text);
		cr_expect_str_neq(reason.text, "");
		seen[ending_of(route)]++;
		directions[write]++;
	}
	for (unsigned int ending = DONE; ending <= TO_EL3; ending++)
		cr_expect_gt(seen[ending], 300, "%s", ending_name((enum ending)ending));
	cr_expect_gt(directions[0], CASES / 3);
	cr_expect_gt(directions[1], CASES / 3);
}

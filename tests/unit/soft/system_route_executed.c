/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a guest sees of an access is what sys_route() says: every register and SYS instruction, in
 * arbitrary states of the PE. vspe conform --asl compares sys_route() with Arm's pages.
 */
#include <string.h>

#include "../compare.h"
#include "base/splitmix.h"
#include "soft/explain.h"
#include "soft/sys/isa.h"
#include "system_access.h"

#define STATES 60

TestSuite(system_route_executed, .init = fixture_reset);

static uint64_t seed;

/* A PE of some levels at one of them, with arbitrary values of all that decides accesses. */
static unsigned int arbitrary_pe(void)
{
	static const struct engine_levels levels[] = {
		{.start = 1},
		{.start = 2, .el2 = true},
		{.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
		{.start = 3, .el2 = true, .el3 = true, .sel2 = true},
	};
	const unsigned int n = splitmix_next(&seed) % 4;
	uint64_t *const controls[] = {
		&cpu.sys.controls.hcr_el2,
		&cpu.sys.controls.mdcr_el2,
		&cpu.sys.controls.mdcr_el3,
		&cpu.sys.controls.scr_el3,
		&cpu.sys.controls.hdfgrtr_el2,
		&cpu.sys.controls.hdfgwtr_el2,
		&cpu.sys.hfgrtr_el2,
		&cpu.sys.hfgwtr_el2,
		&cpu.sys.hfgitr_el2,
		&cpu.sys.sctlr[1],
		&cpu.sys.sctlr[2],
		&cpu.sys.cpacr_el1,
		&cpu.sys.cptr_el2,
		&cpu.sys.cptr_el3,
		&cpu.sys.cntkctl_el1,
		&cpu.sys.cnthctl_el2,
		&cpu.sys.mdscr_el1,
		&cpu.sys.ich_hcr_el2,
	};
	unsigned int el;

	pe(levels[n], false);
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		*controls[i] = splitmix_next(&seed) & splitmix_next(&seed);
	/* No stage 2, and the MMU of no level: operations on memory find it. */
	cpu.sys.controls.hcr_el2 &= ~UINT64_C(0x1001);
	for (el = 1; el < 3; el++)
		cpu.sys.sctlr[el] &= ~UINT64_C(1);
	cpu.sys.isa = splitmix_next(&seed) & SOFT_ISA_ALL;
	el = (unsigned int)(splitmix_next(&seed) % (levels[n].start + 1u));
	/* EL2 has to be enabled, and Root state is EL3's. */
	if (levels[n].el3)
		cpu.sys.controls.scr_el3 |= SCR_EL3_NS;
	return el;
}

static enum ending ending_of(const struct sysreg_route *route)
{
	switch (route->kind) {
	case SYSREG_TRAP: return (enum ending)(TO_EL1 + route->target_el - 1);
	case SYSREG_DIRECT:
	case SYSREG_RAZ_WI:
	case SYSREG_NVMEM: return DONE;
	default: return UNDEFINED;
	}
}

/* What a route reaches may still be UNDEFINED for its own reasons: SP_EL0 in use, a device's. */
static bool is_own_matter(uint32_t encoding, const struct sysreg_route *route)
{
	return route->kind == SYSREG_DIRECT &&
	       (encoding == SYSREG_ENCODING(3, 0, 4, 1, 0) || encoding >> 14 == 1);
}

Test(system_route_executed, every_access_in_arbitrary_states)
{
	unsigned int compared = 0, trapped = 0, different = 0;

	seed = 20241;
	for (unsigned int n = 0; n < 4u << 14; n++) {
		const uint32_t encoding = n & 0xffff;

		if (!soft_explain_decides(encoding))
			continue;
		for (unsigned int state = 0; state < STATES; state++) {
			const bool read = encoding >> 14 != 1 && state & 1;
			const unsigned int el = arbitrary_pe();
			const uint32_t word =
				UINT32_C(0xd5000000) | encoding << 5 | (read ? READ : 0);
			struct soft_explain e = {.sys = cpu.sys};
			struct sysreg_route route;
			enum ending want, is;
			char reached[32];

			e.sys.pstate.el = (uint8_t)el;
			e.sys.controls.el = (uint8_t)el;
			route = soft_explain_access(&e, encoding, !read, 0, reached,
						    sizeof(reached));
			want = ending_of(&route);
			if (is_own_matter(encoding, &route))
				continue;
			/* The fixture knows traps of MRS and MSR. */
			if (route.kind == SYSREG_TRAP && route.ec != ARM_EC_SYSREG)
				continue;
			at(el);
			is = run(word);
			compared++;
			trapped += want >= TO_EL1;
			if (is != want && different++ < 10)
				cr_expect_fail("%08x at EL%u: %s, not %s", word, el,
					       ending_name(is), ending_name(want));
		}
	}
	cr_expect_eq(different, 0, "%u of %u", different, compared);
	cr_expect_gt(compared, 15000, "%u", compared);
	cr_expect_gt(trapped, 1000, "%u", trapped);
}

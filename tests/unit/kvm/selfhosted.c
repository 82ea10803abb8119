/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the guest's own debug exceptions are enabled (Arm ARM D2.4), and where the engine's
 * breakpoints go among the guest's.
 */

#include "../compare.h"
#include "arm/registers.h"
#include "kvm/trap/selfhosted.h"

#define KDE  (UINT64_C(1) << 13)
#define MDE  (UINT64_C(1) << 15)
#define OSLK UINT64_C(2)
#define D    (UINT64_C(1) << 9)
#define EL0  UINT64_C(0)
#define EL1H UINT64_C(5)
#define EL1T UINT64_C(4)

Test(selfhosted, enabled)
{
	static const struct {
		uint64_t mdscr, oslsr, pstate;
		bool enabled;
	} rows[] = {
		{MDE, 0, EL0, true},
		{MDE, 0, EL0 | D, true}, /* PSTATE.D belongs to the level that takes them */
		{0, 0, EL0, false},
		{KDE, 0, EL0, false},
		{MDE, OSLK, EL0, false},
		{MDE | KDE, 0, EL1H, true},
		{MDE | KDE, 0, EL1T, true},
		{MDE | KDE, 0, EL1H | D, false},
		{MDE, 0, EL1H, false},
		{KDE, 0, EL1H, false},
		{MDE | KDE, OSLK, EL1H, false},
		/* OSLSR_EL1.OSLM only says that there is an OS Lock. */
		{MDE | KDE, 8, EL1H, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(kvm_debug_enabled(rows[i].mdscr, rows[i].oslsr, rows[i].pstate),
			     rows[i].enabled, "row %zu", i);
}

/* Software step needs MDSCR_EL1.SS instead of MDE (D2.12). */
Test(selfhosted, step)
{
	cr_expect(kvm_step_enabled(1, 0, EL0));
	cr_expect_not(kvm_step_enabled(MDE, 0, EL0));
	cr_expect_not(kvm_step_enabled(1, OSLK, EL0));
	cr_expect_not(kvm_step_enabled(1, 0, EL1H));
	cr_expect(kvm_step_enabled(1 | KDE, 0, EL1H));
	cr_expect_not(kvm_step_enabled(1 | KDE, 0, EL1H | D));
}

Test(selfhosted, words)
{
	static const uint32_t loads[] = {0xc85f7c20 /* LDXR */, 0x085ffc20 /* LDAXRB */,
					 0xc87f0420 /* LDXP */, 0x887f8420 /* LDAXP, W */};
	static const uint32_t others[] = {0xc8027c20 /* STXR */,  0xc8dffc20 /* LDAR */,
					  0x48607c82 /* CASPA */, 0xf9400020 /* LDR */,
					  0xc8e07c41 /* CASA */,  0xd69f03e0 /* ERET */};

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		cr_expect(kvm_is_load_exclusive(loads[i]), "0x%x", loads[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(kvm_is_load_exclusive(others[i]), "0x%x", others[i]);
	cr_expect(kvm_is_eret(0xd69f03e0));
	cr_expect(kvm_is_eret(0xd69f0bff));
	cr_expect(kvm_is_eret(0xd69f0fff));
	cr_expect_not(kvm_is_eret(0xd65f03c0), "RET");
}

#define SLOTS 6
#define OURS  UINT64_C(0x1e3)
#define OWN   UINT64_C(0x1e7)

static const uint64_t at[] = {0x1000, 0x1200, 0x1400, 0x1600};

/*
 * own: bit n is set if the guest's breakpoint n is enabled. `ours`: the same for where the engine's
 * must be.
 */
static void check_place(unsigned int own, unsigned int count, unsigned int ours, unsigned int taken)
{
	uint64_t value[SLOTS], control[SLOTS];
	unsigned int next = 0;

	for (unsigned int n = 0; n < SLOTS; n++) {
		value[n] = n;
		control[n] = own >> n & 1 ? OWN : OWN & ~DBGBCR_EL1_E;
	}
	cr_expect_eq(kvm_debug_place(value, control, SLOTS, at, count, OURS), taken);
	for (unsigned int n = 0; n < SLOTS; n++) {
		if (ours >> n & 1) {
			cr_expect_eq(value[n], at[next++], "0x%x, slot %u", own, n);
			cr_expect_eq(control[n], OURS);
		} else {
			cr_expect_eq(value[n], n, "0x%x, slot %u", own, n);
			cr_expect_eq(control[n], own >> n & 1 ? OWN : OWN & ~DBGBCR_EL1_E);
		}
	}
}

Test(selfhosted, place)
{
	check_place(0, 2, 0x03, 0);
	check_place(0, 0, 0, 0);
	check_place(0x21, 2, 0x06, 0);
	check_place(0x0f, 2, 0x30, 0);
	/* No room: the lowest are replaced, as the last ones match contexts. */
	check_place(0x1f, 2, 0x21, 1);
	check_place(0x3f, 2, 0x03, 2);
	check_place(0x3f, 4, 0x0f, 4);
	check_place(0x2b, 4, 0x17, 2);
}

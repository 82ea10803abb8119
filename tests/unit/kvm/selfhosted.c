/* SPDX-License-Identifier: BSD-2-Clause */
/* When debug exceptions of the guest's own are enabled (Arm ARM D2.4). */
#include <criterion/criterion.h>

#include "kvm/selfhosted.h"

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
		{MDE, 0, EL0 | D, true}, /* PSTATE.D is of the level that takes them */
		{0, 0, EL0, false},
		{KDE, 0, EL0, false},
		{MDE, OSLK, EL0, false},
		{MDE | KDE, 0, EL1H, true},
		{MDE | KDE, 0, EL1T, true},
		{MDE | KDE, 0, EL1H | D, false},
		{MDE, 0, EL1H, false},
		{KDE, 0, EL1H, false},
		{MDE | KDE, OSLK, EL1H, false},
		/* OSLSR_EL1.OSLM says only that there is an OS Lock. */
		{MDE | KDE, 8, EL1H, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(kvm_debug_enabled(rows[i].mdscr, rows[i].oslsr, rows[i].pstate),
			     rows[i].enabled, "row %zu", i);
}

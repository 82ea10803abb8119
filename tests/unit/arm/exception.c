/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry to exceptions: vectors, PSTATE, what is saved, and the class (Arm ARM D1.3). */

#include "../compare.h"
#include "arm/exception.h"
#include "arm/registers.h"
#include "arm/syndrome.h"

#define VBAR UINT64_C(0x40080000)

Test(exception, vectors)
{
	static const struct {
		uint64_t pstate;
		uint8_t target;
		uint64_t offset;
	} rows[] = {
		{0x3c4, 1, 0x000}, {0x3c5, 1, 0x200}, {0x000, 1, 0x400}, {0x010, 1, 0x600},
		{0x3c5, 2, 0x400}, {0x3c8, 2, 0x000}, {0x3c9, 2, 0x200}, {0x013, 2, 0x600},
		{0x3c9, 3, 0x400}, {0x3cd, 3, 0x200}, {0x3cc, 3, 0x000},
	};
	static const enum arm_vector kinds[] = {ARM_VECTOR_SYNC, ARM_VECTOR_IRQ, ARM_VECTOR_FIQ,
						ARM_VECTOR_SERROR};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows) * 4; i++) {
		const struct arm_exception e = {
			.vector = kinds[i % 4],
			.target = rows[i / 4].target,
			.pstate = rows[i / 4].pstate,
			.vbar = VBAR,
		};
		const struct arm_entry entry = arm_enter_exception(&e);

		cr_expect_eq(entry.pc, VBAR + rows[i / 4].offset + 0x80 * (i % 4), "row %u", i / 4);
		cr_expect_eq(entry.pstate, 0x3c1u | (unsigned int)e.target << 2, "row %u", i / 4);
		cr_expect_eq(entry.spsr, e.pstate);
	}
}

/* NZCV, DIT and PAN stay; the rest is cleared, or set for a feature or by SCTLR_ELx. */
Test(exception, pstate)
{
	struct arm_exception e = {
		.target = 1,
		.pstate = UINT64_C(0xf1701c00),
		.sctlr = SCTLR_ELx_SPAN,
		.sets_pan = true,
	};

	cr_expect_eq(arm_enter_exception(&e).pstate, 0xf14003c5);
	cr_expect_eq(arm_enter_exception(&e).spsr, e.pstate);
	e.pstate = 0;
	cr_expect_eq(arm_enter_exception(&e).pstate, 0x3c5);
	e.sctlr = 0;
	cr_expect_eq(arm_enter_exception(&e).pstate, 0x4003c5);
	e.sets_pan = false;
	cr_expect_eq(arm_enter_exception(&e).pstate, 0x3c5);
	e.mte = true;
	cr_expect_eq(arm_enter_exception(&e).pstate, 0x20003c5);
	e.masks_pm = true;
	cr_expect_eq(arm_enter_exception(&e).pstate, UINT64_C(0x1020003c5));
	e.sctlr = SCTLR_ELx_DSSBS;
	cr_expect_eq(arm_enter_exception(&e).pstate, UINT64_C(0x1020013c5));
}

Test(exception, a_guest_hypervisor_finds_itself_at_el2)
{
	static const bool changed[8] = {[1] = true, [5] = true, [7] = true};

	for (unsigned int nvx = 0; nvx < 8; nvx++) {
		struct arm_exception e = {.target = 1, .pstate = 0x3c5, .nvx = (uint8_t)nvx};

		cr_expect_eq(arm_enter_exception(&e).spsr, changed[nvx] ? 0x3c9 : 0x3c5, "%u", nvx);
		e.target = 2;
		cr_expect_eq(arm_enter_exception(&e).spsr, 0x3c5);
		e.target = 1;
		e.pstate = 0;
		cr_expect_eq(arm_enter_exception(&e).spsr, 0);
	}
}

Test(exception, classes)
{
	static const unsigned int pairs[] = {0x20, 0x24, 0x30, 0x32, 0x34};

	for (unsigned int ec = 0; ec < 64; ec++) {
		bool pair = false;

		for (unsigned int i = 0; i < 5; i++)
			pair = pair || (ec & ~1u) == pairs[i];
		cr_expect_eq(arm_reported_ec(ec, 0, 0, 1), pair ? ec & ~1u : ec, "%#x", ec);
		cr_expect_eq(arm_reported_ec(ec, 0, 1, 1), pair ? ec | 1 : ec, "%#x", ec);
	}
	cr_expect_eq(arm_reported_ec(ARM_EC_DATA_ABORT, ARM_ISS_VNCR, 1, 2), 0x25);
	cr_expect_eq(arm_reported_ec(ARM_EC_DATA_ABORT, ARM_ISS_VNCR, 1, 3), 0x24);
}

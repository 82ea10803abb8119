/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translation regimes of EL2 and EL3, and of a host: which registers they have, what the bits
 * of TCR_ELx are there, permissions (Arm ARM D8).
 */

#include "../compare.h"
#include "system_fixture.h"

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)
#define HCR_NV	BIT(42)
#define HCR_NV1 BIT(43)

#define AF BIT(10)
#define VA UINT64_C(0x5ac8)

#define TABLES (RAM_BASE + 0x10000)

static void all_levels(void)
{
	fixture_reset();
	fixture_levels((struct engine_levels){.el2 = true, .el3 = true, .start = 3});
	cpu.sys.controls.scr_el3 = 1; /* NS */
}

TestSuite(system_regimes, .init = all_levels);

static const struct kind {
	const char *name;
	uint64_t hcr;
	unsigned int el;    /* the privileged level */
	unsigned int owner; /* whose registers */
	bool two;	    /* ranges, privileges, TCR_EL1's layout */
} kinds[] = {
	{"EL1&0", 0, 1, 1, true},
	{"EL2", 0, 2, 2, false},
	{"EL2&0", HCR_E2H | HCR_TGE, 2, 2, true},
	{"EL2&0 without TGE", HCR_E2H, 2, 2, true},
	{"EL3", 0, 3, 3, false},
};

#define KINDS ARRAY_SIZE(kinds)

/* The descriptor of VA at level 3 of 39 bits with 4K pages, 40 bits of output; all else faults. */
static uint64_t *enter(const struct kind *k)
{
	const unsigned int o = k->owner;

	all_levels();
	cpu.sys.controls.hcr_el2 = k->hcr;
	cpu.sys.pstate.el = (uint8_t)k->el;
	cpu.sys.sctlr[o] = 1;
	cpu.sys.tcr[o] = 25 | UINT64_C(2) << (k->two ? 32 : 16);
	if (k->two)
		cpu.sys.tcr[o] |= BIT(23);
	cpu.sys.ttbr0[o] = TABLES;
	cpu.sys.mair[o] = 0xff;
	*ram_word(TABLES) = (TABLES + 0x1000) | 3;
	*ram_word(TABLES + 0x1000) = (TABLES + 0x2000) | 3;
	return ram_word(TABLES + 0x2000 + (VA >> 12) * 8);
}

static struct arm_translation walk(uint64_t va, enum arm_access access, unsigned int el)
{
	struct arm_translation t;

	cr_assert_eq(soft_translate(&cpu, va, access, el, &t), !t.fault);
	return t;
}

/* Only its own registers count: another level's MMU off, or tables elsewhere, change nothing. */
Test(system_regimes, each_has_its_own_registers)
{
	for (unsigned int n = 0; n < KINDS; n++) {
		const struct kind *k = &kinds[n];

		*enter(k) = 0x40007000 | AF | 3;
		for (unsigned int el = 1; el < 4; el++) {
			if (el == k->owner)
				continue;
			cpu.sys.sctlr[el] = 0xffff;
			cpu.sys.tcr[el] = ~UINT64_C(0);
			cpu.sys.ttbr0[el] = cpu.sys.ttbr1[el] = BIT(39);
		}
		cr_expect_eq(walk(VA, ARM_READ, k->el).pa, 0x40007ac8, "%s", k->name);
		cpu.sys.sctlr[k->owner] = 0;
		cr_expect_eq(walk(VA, ARM_READ, k->el).pa, VA, "%s", k->name);
		cr_expect_eq(soft_sctlr_at(&cpu.sys, k->el), 0);
	}
}

/* EL0 is under EL2&0 in a host and nowhere else. */
Test(system_regimes, el0_belongs_to_el1_or_the_host)
{
	for (unsigned int n = 0; n < 4; n++) {
		const bool host = n == 3;

		all_levels();
		cpu.sys.controls.hcr_el2 = (n & 1 ? HCR_E2H : 0) | (n & 2 ? HCR_TGE : 0);
		cpu.sys.sctlr[1] = 0x10;
		cpu.sys.sctlr[2] = 0x20;
		cr_expect_eq(soft_sctlr_at(&cpu.sys, 0), host ? 0x20 : 0x10);
		cr_expect_eq(soft_regime_of(&cpu, 0).kind,
			     host ? ARM_REGIME_EL20 : ARM_REGIME_EL10);
	}
}

/*
 * Where the fields of TCR_ELx are: of each the value that faults or changes something, in the
 * position of either layout; the other layout's position has no effect.
 */
Test(system_regimes, fields_of_tcr)
{
	static const struct {
		const char *name;
		unsigned int two, one; /* the position of the lowest bit */
	} rows[] = {{"size", 32, 16}, {"TBI", 37, 20}, {"HA", 39, 21}, {"HPD", 41, 24}};

	for (unsigned int n = 0; n < 4 * KINDS; n++) {
		const struct kind *k = &kinds[n / 4];
		const unsigned int row = n % 4;

		for (unsigned int other = 0; other < 2; other++) {
			const bool effect = !other;
			const unsigned int at = (k->two != other) ? rows[row].two : rows[row].one;
			uint64_t *d = enter(k), *tcr = &cpu.sys.tcr[k->owner];
			bool fault;

			if (row == 0) { /* 32 bits of output instead of 40 */
				*d = BIT(33) | AF | 3;
				if (effect)
					*tcr &= ~(UINT64_C(7) << at);
				else
					*tcr |= UINT64_C(1) << at; /* T1SZ, or unused */
				fault = walk(VA, ARM_READ, k->el).fault;
				cr_expect_eq(fault, effect, "%s: size at %u", k->name, at);
				continue;
			}
			*d = (row == 2 ? 0 : AF) | 3;
			if (row == 3) /* a table that forbids writes */
				*ram_word(TABLES) |= BIT(62);
			*tcr |= BIT(at);
			fault = walk(VA | (row == 1 ? UINT64_C(0x5a) << 56 : 0),
				     row == 3 ? ARM_WRITE : ARM_READ, k->el)
					.fault;
			cr_expect_eq(fault, !effect, "%s: %s at %u", k->name, rows[row].name, at);
		}
	}
}

/* With one range there is no upper half: bit 55 is an address bit, and has to be 0. */
Test(system_regimes, the_upper_range)
{
	for (unsigned int n = 0; n < KINDS; n++) {
		const struct kind *k = &kinds[n];
		const uint64_t high = ~UINT64_C(0) << 39;

		for (unsigned int tbi = 0; tbi < 2; tbi++) {
			*enter(k) = 0x40007000 | AF | 3;
			cpu.sys.ttbr1[k->owner] = TABLES;
			if (k->two)
				cpu.sys.tcr[k->owner] = 25 | 25 << 16 | UINT64_C(2) << 30 |
							UINT64_C(2) << 32 |
							(uint64_t)(tbi ? 3 : 0) << 37;
			else
				cpu.sys.tcr[k->owner] |= tbi ? BIT(20) : 0;
			cr_expect_eq(!walk(VA | high, ARM_READ, k->el).fault, k->two, "%s",
				     k->name);
			cr_expect_eq(walk(VA | BIT(55), ARM_READ, k->el).fsc, 0x04, "%s", k->name);
			cr_expect_eq(!walk(VA | BIT(63), ARM_READ, k->el).fault, tbi, "%s",
				     k->name);
		}
	}
}

/*
 * Permissions. With one range: AP[2] says read-only, AP[1] nothing, bit 54 is XN and bit 53
 * nothing; WXN. With two as ever, PAN included, for EL2 as for EL1.
 */
Test(system_regimes, permissions)
{
	for (unsigned int n = 0; n < 64 * KINDS; n++) {
		const struct kind *k = &kinds[n / 64];
		const bool user = n & 1, ro = n & 2, b54 = n & 4, b53 = n & 8, wxn = n & 16,
			   pan = n & 32;
		const bool seen = k->two && user; /* by EL0 */
		const bool data = !(seen && pan);
		bool expected[3];

		expected[ARM_READ] = data;
		expected[ARM_WRITE] = data && !ro;
		expected[ARM_EXECUTE] = !(wxn && !ro) && !(seen && !ro) && !(k->two ? b53 : b54);
		*enter(k) = 0x40007000 | AF | 3 | (user ? BIT(6) : 0) | (ro ? BIT(7) : 0) |
			    (b53 ? BIT(53) : 0) | (b54 ? BIT(54) : 0);
		cpu.sys.sctlr[k->owner] |= wxn ? BIT(19) : 0;
		cpu.sys.pstate.pan = pan;
		for (unsigned int access = 0; access < 3; access++) {
			const struct arm_translation t = walk(VA, access, k->el);

			cr_expect_eq(!t.fault, expected[access], "%s %#x access %u: %#x", k->name,
				     n & 63, access, t.fsc);
			if (t.fault)
				cr_expect_eq(t.fsc, 0x0f);
		}
	}
}

/* Limits of tables: with one range XNTable is bit 60, and neither PXNTable nor APTable[0] count. */
Test(system_regimes, table_limits)
{
	for (unsigned int n = 0; n < 16 * KINDS; n++) {
		const struct kind *k = &kinds[n / 16];
		const unsigned int limits = n & 15; /* PXN, XN, no EL0, read-only */
		const unsigned int noexec = k->two ? 1 : 2;
		struct arm_translation t;

		*enter(k) = 0x40007000 | AF | 3;
		*ram_word(TABLES) |= (uint64_t)limits << 59;
		t = walk(VA, ARM_READ, k->el);
		cr_expect_not(t.fault, "%s", k->name);
		cr_expect(t.readable_el1, "%s", k->name);
		cr_expect_eq(t.writable_el1, !(limits & 8), "%s", k->name);
		cr_expect_eq(t.executable_el1, !(limits & noexec), "%s %#x", k->name, limits);
	}
}

/* ASIDs and nG are of the regimes with two ranges. */
Test(system_regimes, asids)
{
	for (unsigned int n = 0; n < KINDS; n++) {
		const struct kind *k = &kinds[n];
		struct arm_translation t;

		*enter(k) = 0x40007000 | AF | BIT(11) | 3;
		cpu.sys.ttbr0[k->owner] |= UINT64_C(0x12) << 48;
		t = walk(VA, ARM_READ, k->el);
		cr_expect_eq(t.global, !k->two, "%s", k->name);
		cr_expect_eq(t.asid, k->two ? 0x12 : 0, "%s", k->name);
	}
}

/*
 * HCR_EL2.{NV,NV1} of {1,1}: descriptors of EL1&0 are those of a hypervisor at EL1. AP[1] counts as
 * 0, bit 54 is PXN, bit 53 nothing; of tables bit 60 is PXNTable, bits 59 and 61 nothing.
 */
Test(system_regimes, descriptors_under_nested_virtualisation)
{
	for (unsigned int n = 0; n < 256; n++) {
		const bool nv = n & 1, nv1 = n & 2, user = n & 4, b53 = n & 8, b54 = n & 16;
		const bool t59 = n & 32, t60 = n & 64, t61 = n & 128, both = nv && nv1;
		struct arm_translation t;

		*enter(&kinds[0]) = 0x40007000 | AF | BIT(7) | 3 | (user ? BIT(6) : 0) |
				    (b53 ? BIT(53) : 0) | (b54 ? BIT(54) : 0);
		*ram_word(TABLES) |=
			(t59 ? BIT(59) : 0) | (t60 ? BIT(60) : 0) | (t61 ? BIT(61) : 0);
		cpu.sys.controls.hcr_el2 = (nv ? HCR_NV : 0) | (nv1 ? HCR_NV1 : 0);
		t = walk(VA, ARM_READ, 1);
		cr_expect_eq(t.readable_el0, !both && user && !t61, "%#x", n);
		cr_expect_eq(t.executable_el1, both ? !b54 && !t60 : !b53 && !t59, "%#x", n);
		cr_expect_eq(t.executable_el0, both || (!b54 && !t60), "%#x", n);
		cpu.sys.pstate.pan = true;
		cr_expect_eq(!walk(VA, ARM_READ, 1).fault, both || !user || t61, "%#x", n);
	}
}

/* SCR_EL3.SIF: what Secure state maps as Non-secure memory is not executable. */
Test(system_regimes, secure_instruction_fetch)
{
	for (unsigned int n = 0; n < 16 * KINDS; n++) {
		const struct kind *k = &kinds[n / 16];
		const bool secure = n & 1, sif = n & 2, ns = n & 4, table = n & 8;
		const bool is_secure = k->el == 3 || secure;
		struct arm_translation t;

		*enter(k) = 0x40007000 | AF | BIT(7) | 3 | (ns ? BIT(5) : 0);
		*ram_word(TABLES) |= table ? BIT(63) : 0;
		cpu.sys.levels.sel2 = true;
		fixture_levels(cpu.sys.levels);
		cpu.sys.controls.scr_el3 = (secure ? 0 : 1) | BIT(18) | (sif ? BIT(9) : 0);
		t = walk(VA, ARM_READ, k->el);
		cr_expect_eq(t.ns, !is_secure || ns || table, "%s %#x", k->name, n & 15);
		cr_expect_eq(t.executable_el1, !(is_secure && sif && (ns || table)), "%s %#x",
			     k->name, n & 15);
	}
}

/* The address space of EL3's output with FEAT_RME, and of a Realm's EL2. */
Test(system_regimes, address_spaces_with_rme)
{
	for (unsigned int n = 0; n < 4; n++) {
		const bool ns = n & 1, nse = n & 2;
		struct arm_translation t;

		*enter(&kinds[4]) = 0x40007000 | AF | 3 | (ns ? BIT(5) : 0) | (nse ? BIT(11) : 0);
		cpu.sys.levels.rme = true;
		fixture_levels(cpu.sys.levels);
		t = walk(VA, ARM_READ, 3);
		cr_expect_eq(t.ns, ns);
		cr_expect_eq(t.nse, nse);
		cpu.sys.sctlr[3] = 0;
		t = walk(VA, ARM_READ, 3);
		cr_expect_not(t.ns, "Root");
		cr_expect(t.nse, "Root");

		*enter(&kinds[1]) = 0x40007000 | AF | 3 | (ns ? BIT(5) : 0);
		cpu.sys.levels.rme = true;
		fixture_levels(cpu.sys.levels);
		cpu.sys.controls.scr_el3 = 1 | BIT(62);
		t = walk(VA, ARM_READ, 2);
		cr_expect_eq(t.ns, ns, "Realm");
		cr_expect_eq(t.nse, !ns, "Realm");
	}
}

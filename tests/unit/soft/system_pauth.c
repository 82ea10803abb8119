/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pointer authentication: the cipher by its published vector, where a code goes in each regime, the
 * traps, and the registers of the keys. The codes of EL1 are compared by the guest pauth.
 */
#include <stdio.h>

#include "../compare.h"
#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "soft/sys/pauth.h"
#include "system_access.h"

TestSuite(system_pauth, .init = fixture_reset);

#define TAG UINT64_C(0xa5)

static const struct soft_key key = {.lo = UINT64_C(0xec2802d4e0a488e9),
				    .hi = UINT64_C(0x84be85ce9804e94b)};

/* R. Avanzi, "The QARMA Block Cipher Family", test vectors: QARMA-64, sigma 2, five rounds. */
Test(system_pauth, cipher)
{
	cr_expect_eq(soft_qarma5(UINT64_C(0xfb623599da6e8127), UINT64_C(0x477d469dec0b8762), key),
		     UINT64_C(0xc003b93999b33765));
}

/* A vCPU with all keys the same and enabled. */
static struct soft_sys *begin(unsigned int el, uint64_t isa, uint64_t tcr)
{
	struct soft_sys *sys = &cpu.sys;

	pe_el3();
	at(el);
	sys->isa = isa;
	sys->tcr[el] = tcr;
	sys->sctlr[el] |= SCTLR_ELx_EnIA | SCTLR_ELx_EnIB | SCTLR_ELx_EnDA | SCTLR_ELx_EnDB;
	for (unsigned int n = 0; n < SOFT_KEYS; n++)
		sys->keys[n] = key;
	return sys;
}

/* Which bits a code may change, found by many modifiers, and that authentication takes it away. */
static uint64_t changed(const struct soft_sys *sys, uint64_t pointer, enum soft_key_name name)
{
	uint64_t bits = 0;

	for (uint64_t modifier = 0; modifier < 64; modifier++) {
		const uint64_t code = soft_sign(sys, pointer, modifier, name);
		uint64_t back = code;

		bits |= code ^ pointer;
		cr_expect(soft_authenticate(sys, &back, modifier, name, false));
		cr_expect_eq(back, pointer);
		cr_expect_eq(soft_strip(sys, code, name & 2), pointer);
	}
	return bits;
}

Test(system_pauth, places)
{
	static const struct {
		const char *name;
		uint8_t el;
		uint64_t tcr, pointer;
		enum soft_key_name key;
		uint64_t bits;
	} rows[] = {
		{"EL1, 48 bits", 1, 16, 0x1000, SOFT_KEY_IA, UINT64_C(0xff7f000000000000)},
		{"EL1, 39 bits", 1, 25, 0x1000, SOFT_KEY_DA, UINT64_C(0xff7fff8000000000)},
		{"EL1, a size that is too large", 1, 0, 0x1000, SOFT_KEY_IA,
		 UINT64_C(0xff7f000000000000)},
		{"EL1, a size that is too small", 1, 63, 0x1000, SOFT_KEY_IA,
		 UINT64_C(0xff7ffffffe000000)},
		{"EL1, the upper range", 1, ARM_VALUE(TCR_EL1_T1SZ, 32) | 16, UINT64_C(-4096),
		 SOFT_KEY_IB, UINT64_C(0xff7fffff00000000)},
		{"EL1, a tag", 1, TCR_EL1_TBI0 | 16, TAG << 56 | 0x1000, SOFT_KEY_DB,
		 UINT64_C(0x007f000000000000)},
		{"EL1, a tag of data", 1, TCR_EL1_TBI0 | TCR_EL1_TBID0 | 16, TAG << 56 | 0x1000,
		 SOFT_KEY_DA, UINT64_C(0x007f000000000000)},
		{"EL1, no tag of code", 1, TCR_EL1_TBI0 | TCR_EL1_TBID0 | 16, 0x1000, SOFT_KEY_IA,
		 UINT64_C(0xff7f000000000000)},
		{"EL2", 2, 25, 0x1000, SOFT_KEY_IA, UINT64_C(0xff7fff8000000000)},
		{"EL2, a tag", 2, TCR_EL2_TBI | 25, TAG << 56 | 0x1000, SOFT_KEY_IA,
		 UINT64_C(0x007fff8000000000)},
		{"EL3, no tag of code", 3, TCR_EL2_TBI | TCR_EL2_TBID | 16, 0x1000, SOFT_KEY_IA,
		 UINT64_C(0xff7f000000000000)},
	};
	static const uint64_t isas[] = {SOFT_ISA(PAuth), SOFT_ISA(PAuth) | SOFT_ISA(PAuth2),
					SOFT_ISA(PAuth) | SOFT_ISA(PAuth2) | SOFT_ISA(FPAC) |
						SOFT_ISA(FPACCOMBINE)};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t n = 0; n < ARRAY_SIZE(isas); n++) {
			const struct soft_sys *sys = begin(rows[i].el, isas[n], rows[i].tcr);
			const uint64_t bits = changed(sys, rows[i].pointer, rows[i].key);

			cr_expect_eq(bits, rows[i].bits, "%s: 0x%lx", rows[i].name,
				     (unsigned long)bits);
		}
}

/* FEAT_LVA with 64K, and FEAT_LPA2 with DS, leave less room for it. */
Test(system_pauth, places_with_52_bits)
{
	static const struct {
		uint8_t el;
		uint64_t isa, tcr, bits;
	} rows[] = {
		{1, SOFT_ISA(LVA), ARM_VALUE(TCR_EL1_TG0, 1) | 12, UINT64_C(0xff70000000000000)},
		{1, 0, ARM_VALUE(TCR_EL1_TG0, 1) | 12, UINT64_C(0xff7f000000000000)},
		{1, SOFT_ISA(LVA), 12, UINT64_C(0xff7f000000000000)},
		{1, SOFT_ISA(LPA2), TCR_EL1_DS | 12, UINT64_C(0xff70000000000000)},
		{1, SOFT_ISA(LPA2), TCR_EL1_DS | 8, UINT64_C(0xff70000000000000)},
		{3, SOFT_ISA(LPA2), TCR_EL2_DS | 12, UINT64_C(0xff70000000000000)},
		{3, SOFT_ISA(LPA2), 12, UINT64_C(0xff7f000000000000)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct soft_sys *sys =
			begin(rows[i].el, SOFT_ISA(PAuth) | rows[i].isa, rows[i].tcr);

		cr_expect_eq(changed(sys, 0x1000, SOFT_KEY_IA), rows[i].bits, "row %zu", i);
	}
}

/* What a wrong code becomes: of which key it was, or what fails; of a part of a branch, too. */
Test(system_pauth, wrong_codes)
{
	static const struct {
		uint64_t isa;
		enum soft_key_name key;
		bool combined, passes;
		uint64_t pointer;
	} rows[] = {
		{SOFT_ISA(PAuth), SOFT_KEY_IA, false, true, UINT64_C(0x2000000000001000)},
		{SOFT_ISA(PAuth), SOFT_KEY_DB, true, true, UINT64_C(0x4000000000001000)},
		{SOFT_ISA(PAuth) | SOFT_ISA(PAuth2), SOFT_KEY_IB, false, true,
		 UINT64_C(0x0004000000001000)},
		{SOFT_ISA(PAuth) | SOFT_ISA(PAuth2) | SOFT_ISA(FPAC), SOFT_KEY_IB, false, false,
		 UINT64_C(0x0004000000001000)},
		{SOFT_ISA(PAuth) | SOFT_ISA(PAuth2) | SOFT_ISA(FPAC), SOFT_KEY_IB, true, true,
		 UINT64_C(0x0004000000001000)},
		{SOFT_ISA(PAuth) | SOFT_ISA(PAuth2) | SOFT_ISA(FPAC) | SOFT_ISA(FPACCOMBINE),
		 SOFT_KEY_DA, true, false, UINT64_C(0x0004000000001000)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct soft_sys *sys = begin(1, rows[i].isa, 16);
		uint64_t code = soft_sign(sys, 0x1000, 7, rows[i].key) ^ UINT64_C(1) << 50;

		cr_expect_eq(soft_authenticate(sys, &code, 7, rows[i].key, rows[i].combined),
			     rows[i].passes, "%zu", i);
		cr_expect_eq(code, rows[i].pointer, "%zu: 0x%lx", i, (unsigned long)code);
	}
}

Test(system_pauth, enables)
{
	static const uint64_t bits[] = {SCTLR_ELx_EnIA, SCTLR_ELx_EnIB, SCTLR_ELx_EnDA,
					SCTLR_ELx_EnDB};
	struct soft_sys *sys = begin(1, SOFT_ISA(PAuth), 16);

	for (unsigned int el = 0; el < 2; el++) {
		at(el);
		for (unsigned int n = 0; n < 4; n++) {
			sys->sctlr[1] = ~bits[n];
			for (unsigned int name = SOFT_KEY_IA; name <= SOFT_KEY_GA; name++)
				cr_expect_eq(soft_key_enabled(sys, (enum soft_key_name)name),
					     name != n, "EL%u, key %u", el, name);
		}
	}
}

/* HCR_EL2.{APK,API} come before SCR_EL3's; neither is about levels that are as high. */
Test(system_pauth, traps)
{
	const uint32_t keys[] = {REG(3, 0, 2, 1, 0), REG(3, 0, 2, 1, 1), REG(3, 0, 2, 1, 2),
				 REG(3, 0, 2, 1, 3), REG(3, 0, 2, 2, 0), REG(3, 0, 2, 2, 1),
				 REG(3, 0, 2, 2, 2), REG(3, 0, 2, 2, 3), REG(3, 0, 2, 3, 0),
				 REG(3, 0, 2, 3, 1)};

	for (size_t n = 0; n < ARRAY_SIZE(keys); n++) {
		struct soft_sys *sys = begin(1, 0, 16);

		expect_ending(keys[n], UNDEFINED, "key %zu without FEAT_PAuth", n);
		sys = begin(1, SOFT_ISA(PAuth), 16);
		sys->controls.scr_el3 |= SCR_EL3_NS;
		cr_expect_eq(soft_key_trap(sys), 2);
		expect_ending(keys[n], TO_EL2, "key %zu", n);
		at(1);
		sys->controls.hcr_el2 |= HCR_EL2_APK | HCR_EL2_API;
		cr_expect_eq(soft_key_trap(sys), 3);
		expect_ending(keys[n] | READ, TO_EL3, "key %zu with HCR_EL2.APK", n);
		at(2);
		cr_expect_eq(soft_key_trap(sys), 3);
		expect_ending(keys[n], TO_EL3, "key %zu at EL2", n);
		at(1);
		sys->controls.scr_el3 |= SCR_EL3_APK | SCR_EL3_API | SCR_EL3_FGTEn;
		cr_expect_eq(soft_key_trap(sys), 0);
		cpu.x[5] = UINT64_C(0x1234567812345678) + n;
		expect_ending(keys[n], DONE, "key %zu with SCR_EL3.APK", n);
		expect_ending(keys[n] | READ, DONE, "key %zu with SCR_EL3.APK", n);
		cr_expect_eq(cpu.x[6], cpu.x[5]);
		sys->hfgrtr_el2 = UINT64_C(1) << (const uint8_t[]){7, 8, 4, 5, 6}[n / 2];
		expect_ending(keys[n], DONE, "key %zu, written with HFGRTR_EL2", n);
		expect_ending(keys[n] | READ, TO_EL2, "key %zu with HFGRTR_EL2", n);
		at(3);
		cr_expect_eq(soft_key_trap(sys), 0);
		at(0);
		expect_ending(keys[n], UNDEFINED, "key %zu at EL0", n);
	}
}

/* The bits that come with it, and only with it. */
Test(system_pauth, controls)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t bits;
	} rows[] = {
		{"SCTLR_EL1", REG(3, 0, 1, 0, 0), UINT64_C(0xc8002000)},
		{"SCTLR_EL2", REG(3, 4, 1, 0, 0), UINT64_C(0xc8002000)},
		{"SCTLR_EL3", REG(3, 6, 1, 0, 0), UINT64_C(0xc8002000)},
		{"TCR_EL1", REG(3, 0, 2, 0, 2), UINT64_C(3) << 51},
		{"TCR_EL3", REG(3, 6, 2, 0, 2), UINT64_C(1) << 29},
		{"HCR_EL2", REG(3, 4, 1, 1, 0), UINT64_C(3) << 40},
		{"SCR_EL3", REG(3, 6, 1, 1, 0), UINT64_C(3) << 16},
		{"HFGRTR_EL2", REG(3, 4, 1, 1, 4), 0x1f0},
		{"HFGWTR_EL2", REG(3, 4, 1, 1, 5), 0x1f0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t values[2];

		for (unsigned int with = 0; with < 2; with++) {
			pe_el3();
			at(3);
			cpu.sys.isa = with ? SOFT_ISA(PAuth) : 0;
			cpu.x[5] = ~UINT64_C(0);
			expect_ending(rows[i].word, DONE, "%s", rows[i].name);
			expect_ending(rows[i].word | READ, DONE, "%s", rows[i].name);
			values[with] = cpu.x[6];
		}
		cr_expect_eq(values[0] ^ values[1], rows[i].bits, "%s: 0x%lx", rows[i].name,
			     (unsigned long)(values[0] ^ values[1]));
	}
}

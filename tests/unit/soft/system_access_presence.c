/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and instructions that are there by a feature, an Exception level, or a lock. */
#include <stdio.h>

#include "../compare.h"
#include "soft/sys/isa.h"
#include "system_access.h"

TestSuite(system_access_presence, .init = fixture_reset);

/* SPSR_irq, _abt, _und and _fiq: RES0 where EL1 has no AArch32, with EL2 and without it. */
Test(system_access_presence, spsr_of_aarch32)
{
	for (unsigned int op2 = 0; op2 < 4; op2++) {
		const uint32_t word = REG(3, 4, 4, 3, op2);

		for (unsigned int el = 1; el < 4; el++) {
			pe_el3();
			at(el);
			cpu.x[5] = ~UINT64_C(0);
			expect_ending(word, el == 1 ? UNDEFINED : DONE, "op2 %u at EL%u", op2, el);
			at(el);
			expect_ending(word | READ, el == 1 ? UNDEFINED : DONE, "op2 %u at EL%u",
				      op2, el);
			cr_expect_eq(el == 1 ? 0 : cpu.x[6], 0);
		}
		pe_el2();
		cpu.sys.controls.hcr_el2 |= HCR_EL2_NV;
		at(1);
		expect_ending(word | READ, TO_EL2, "op2 %u, NV", op2);
		pe((struct engine_levels){.start = 3, .el3 = true}, true);
		at(3);
		expect_ending(word | READ, DONE, "op2 %u without EL2", op2);
	}
}

/* What FEAT_RME has at EL3, and nothing else has: TLBI by physical address, and DC CIPAPA. */
Test(system_access_presence, realm_management)
{
	static const uint32_t words[] = {
		REG(1, 6, 8, 7, 4), REG(1, 6, 8, 1, 4),	 REG(1, 6, 8, 4, 3),
		REG(1, 6, 8, 4, 7), REG(1, 6, 7, 14, 1),
	};

	for (size_t n = 0; n < ARRAY_SIZE(words); n++) {
		for (unsigned int el = 0; el < 4; el++) {
			pe_el3();
			at(el);
			expect_ending(words[n], el == 3 ? DONE : UNDEFINED, "%zu at EL%u", n, el);
		}
		pe((struct engine_levels){.start = 3, .el2 = true, .el3 = true}, true);
		at(3);
		expect_ending(words[n], UNDEFINED, "%zu without FEAT_RME", n);
	}
}

/* Writes of OSECCR_EL1 are ignored without the OS lock. */
Test(system_access_presence, oseccr_and_the_os_lock)
{
	const uint32_t oseccr = REG(2, 0, 0, 6, 2), oslar = REG(2, 0, 1, 0, 4);
	static const struct {
		uint64_t lock, written, kept;
	} rows[] = {
		{1, UINT64_C(0x1234567812345678), 0x12345678},
		{0, 0x55, 0x12345678},
		{1, 0x66, 0x66},
	};

	pe_el3();
	at(1);
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		cpu.x[5] = rows[n].lock;
		expect_ending(oslar, DONE, "OSLAR_EL1");
		cpu.x[5] = rows[n].written;
		expect_ending(oseccr, DONE, "OSECCR_EL1");
		cpu.x[5] = 1;
		expect_ending(oslar, DONE, "OSLAR_EL1");
		expect_ending(oseccr | READ, DONE, "OSECCR_EL1");
		cr_expect_eq(cpu.x[6], rows[n].kept, "row %zu", n);
	}
}

/* ICC_SRE_EL2 at EL3: only where EL2 is enabled, in either Security state. */
Test(system_access_presence, icc_sre_el2_without_el2)
{
	for (unsigned int n = 0; n < 4; n++) {
		pe_el3();
		cpu.sys.controls.scr_el3 = (n & 1 ? SCR_EL3_NS : 0) | (n & 2 ? SCR_EL3_EEL2 : 0);
		at(3);
		expect_ending(REG(3, 4, 12, 9, 5) | READ, n ? DONE : UNDEFINED, "NS %u, EEL2 %u",
			      n & 1, n >> 1);
	}
}

/* MDCR_EL3.TDCC comes with FEAT_FGT, and that with EL2. */
Test(system_access_presence, tdcc_without_el2)
{
	static const uint32_t mdcr_el3 = REG(3, 6, 1, 3, 1);

	for (unsigned int el2 = 0; el2 < 2; el2++) {
		pe((struct engine_levels){.start = 3, .el2 = el2, .el3 = true}, false);
		at(3);
		cpu.x[5] = UINT64_MAX;
		expect_ending(mdcr_el3, DONE, "MSR MDCR_EL3");
		expect_ending(mdcr_el3 | READ, DONE, "MRS MDCR_EL3");
		cr_expect_eq(cpu.x[6] >> 27 & 1, el2, "EL2 %u: %#lx", el2, (unsigned long)cpu.x[6]);
	}
}

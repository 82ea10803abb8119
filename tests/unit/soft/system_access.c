/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of accesses share. */

#include "../compare.h"
#include "system_access.h"

#define PC UINT64_C(0x40001000)

void pe(struct engine_levels levels, bool spe)
{
	struct engine_vcpu_config config = {.index = 3, .midr = 0x410fd0f0, .levels = levels};

	if (spe)
		fixture_reset_spe();
	else
		fixture_reset();
	soft_sys_reset(&cpu.sys, &config);
	for (unsigned int el = 1; el < 4; el++)
		cpu.sys.vbar[el] = UINT64_C(0x40000000) + (el << 16);
	/* Neither the OS Lock nor what EL0 may be denied by EL1. */
	cpu.sys.os_lock = false;
	cpu.sys.sctlr[1] |= 1 << 9 | 1 << 14 | 1 << 15 | 1 << 26;
	cpu.sys.cntkctl_el1 = 0x303;
}

void pe_el2(void)
{
	pe((struct engine_levels){.start = 2, .el2 = true}, false);
	cpu.sys.cnthctl_el2 = 3; /* EL1PCTEN, EL1PCEN */
}

void pe_el3(void)
{
	pe((struct engine_levels){.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
	   false);
	cpu.sys.cnthctl_el2 = 3;
	cpu.sys.controls.scr_el3 =
		SCR_EL3_NS | SCR_EL3_RW | SCR_EL3_FGTEn | SCR_EL3_FGTEn2 | SCR_EL3_ECVEn;
}

void at(unsigned int el)
{
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.pstate.sp = el != 0;
	cpu.sys.controls.el = (uint8_t)el;
	cpu.pc = PC;
}

/* op0 21:20, op2 19:17, op1 16:14, CRn 13:10, Rt 9:5, CRm 4:1, direction 0. */
static uint32_t expected_iss(uint32_t word)
{
	return (word >> 19 & 3) << 20 | (word >> 5 & 7) << 17 | (word >> 16 & 7) << 14 |
	       (word >> 12 & 0xf) << 10 | (word & 0x1f) << 5 | (word >> 8 & 0xf) << 1 |
	       (word >> 21 & 1);
}

/* MRS or MSR of op0 3, CRn 1, CRm 2, op2 0: ZCR_EL1, _EL2, _EL3 or _EL12. */
static bool is_zcr(uint32_t word)
{
	return (word & 0x18ffe0) == 0x181200;
}

enum ending run(uint32_t word)
{
	bool read = word & READ;
	unsigned int el;
	uint64_t esr, expected;

	word |= read ? 6 : 5;
	if (soft_system_instruction(&cpu, word) == SOFT_DONE)
		return DONE;
	el = cpu.sys.pstate.el;
	esr = cpu.sys.esr[el];
	cr_expect_eq(cpu.sys.elr[el], PC, "%#x: ELR_EL%u", word, el);
	switch (esr >> 26) {
	case 0x00: return UNDEFINED;
	case 0x24:
	case 0x25: return ABORTED;
	default: break;
	}
	/* ZCR_ELx has another class, without an ISS. */
	expected = is_zcr(word) && esr >> 26 == 0x19 ? UINT64_C(0x66000000)
						     : UINT64_C(0x62000000) | expected_iss(word);
	cr_expect_eq(esr, expected, "%#x: ESR_EL%u %#lx", word, el, esr);
	return el == 1 ? TO_EL1 : el == 2 ? TO_EL2 : TO_EL3;
}

const char *ending_name(enum ending ending)
{
	static const char *const names[] = {
		"done",		  "UNDEFINED",	    "trapped to EL1",
		"trapped to EL2", "trapped to EL3", "aborted",
	};

	return names[ending];
}

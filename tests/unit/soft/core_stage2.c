/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aborts of stage 2 as instructions generate them: syndromes, addresses, the level that takes them.
 */
#include "../compare.h"
#include "core_regimes.h"

#include <string.h>

/* One turn from CODE at EL1, with NOPs at the vectors. The level that an exception was taken to. */
static unsigned int turn(struct core_machine *m)
{
	static const uint32_t nop = 0xd503201f;
	struct soft_sys *sys = &soft(m)->sys;

	for (uint64_t at = VECTORS; at < VECTORS + 0x800; at += 0x80)
		core_load(m, at, &nop, 1);
	sys->sctlr[2] = 0;
	sys->vbar[1] = sys->vbar[2] = VECTORS;
	sys->controls.hcr_el2 |= BIT(31); /* RW */
	sys->esr[1] = sys->esr[2] = 0;
	soft_tlb_flush(soft(m));
	core_set(m, PC, CODE);
	core_run(m, 1);
	return sys->esr[2] ? 2 : sys->esr[1] ? 1 : 0;
}

/* The instruction word there, with stage 1 off and X1 at va. */
static unsigned int execute(struct core_machine *m, uint32_t word, uint64_t va)
{
	soft(m)->sys.sctlr[1] = 0;
	core_load(m, CODE, &word, 1);
	core_set(m, 1, va);
	core_set(m, 2, 0);
	return turn(m);
}

#define EC(n)  ((uint64_t)(n) << 26 | UINT64_C(1) << 25)
#define ISV    BIT(24)
#define SAS(n) ((n) << 22)
#define SSE    BIT(21)
#define SRT(n) ((n) << 16)
#define SF     BIT(15)
#define AR     BIT(14)
#define WNR    BIT(6)

/*
 * The syndrome of a stage 2 abort describes loads and stores of one register without writeback,
 * exclusives and atomics apart (ESR_EL2, ISS encoding for an exception from a Data Abort).
 */
Test(core_stage2, instruction_syndrome)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t iss; /* without the fault status */
	} rows[] = {
		{"ldr x5, [x1]", 0xf9400025, ISV | SAS(3) | SRT(5) | SF},
		{"ldr w5, [x1]", 0xb9400025, ISV | SAS(2) | SRT(5)},
		{"ldrh w5, [x1]", 0x79400025, ISV | SAS(1) | SRT(5)},
		{"ldrb w5, [x1]", 0x39400025, ISV | SAS(0) | SRT(5)},
		{"ldrsb x5, [x1]", 0x39800025, ISV | SAS(0) | SSE | SRT(5) | SF},
		{"ldrsb w5, [x1]", 0x39c00025, ISV | SAS(0) | SSE | SRT(5)},
		{"ldrsh x5, [x1]", 0x79800025, ISV | SAS(1) | SSE | SRT(5) | SF},
		{"ldrsh w5, [x1]", 0x79c00025, ISV | SAS(1) | SSE | SRT(5)},
		{"ldrsw x5, [x1]", 0xb9800025, ISV | SAS(2) | SSE | SRT(5) | SF},
		{"str x5, [x1]", 0xf9000025, ISV | SAS(3) | SRT(5) | SF | WNR},
		{"str w5, [x1]", 0xb9000025, ISV | SAS(2) | SRT(5) | WNR},
		{"strh w5, [x1]", 0x79000025, ISV | SAS(1) | SRT(5) | WNR},
		{"strb w5, [x1]", 0x39000025, ISV | SAS(0) | SRT(5) | WNR},
		{"ldar x5, [x1]", 0xc8dffc25, ISV | SAS(3) | SRT(5) | SF | AR},
		{"ldarb w5, [x1]", 0x08dffc25, ISV | SAS(0) | SRT(5) | AR},
		{"stlr w5, [x1]", 0x889ffc25, ISV | SAS(2) | SRT(5) | AR | WNR},
		{"ldtr x5, [x1]", 0xf8400825, ISV | SAS(3) | SRT(5) | SF},
		{"ldur x30, [x1, #-8]", 0xf85f803e, ISV | SAS(3) | SRT(30) | SF},
		{"ldr x5, [x1, x2]", 0xf8626825, ISV | SAS(3) | SRT(5) | SF},
		{"str xzr, [x1]", 0xf900003f, ISV | SAS(3) | SRT(31) | SF | WNR},
		{"ldr x5, [x1], #8", 0xf8408425, 0},
		{"str w5, [x1, #8]!", 0xb8008c25, WNR},
		{"stp x5, x6, [x1]", 0xa9001825, WNR},
		{"ldp w5, w6, [x1]", 0x29401825, 0},
		{"ldxr x5, [x1]", 0xc85f7c25, 0},
		{"stxr w7, x5, [x1]", 0xc8077c25, WNR},
		{"ldadd x5, x6, [x1]", 0xf8250026, 0},
		{"cas x5, x6, [x1]", 0xc8a57c26, 0},
		{"dc zva, x1", 0xd50b7421, WNR},
	};
	/* of stage 2: a translation fault, a permission fault */
	static const struct {
		uint64_t block;
		uint8_t fsc;
	} faults[] = {{0, 0x05}, {BLOCK | 0xf << 2, 0x0d}};

	for (size_t n = 0; n < 2 * ARRAY_SIZE(rows); n++) {
		struct core_machine *m = core_regimes(HCR_DC | HCR_VM);
		const struct soft_sys *sys = &soft(m)->sys;
		const char *text = rows[n / 2].text;
		const uint64_t va = UINT64_C(0x80001000);
		const uint64_t at = va + (strstr(text, "#-8") ? -8 : strstr(text, "]!") ? 8 : 0);

		core_write(m, STAGE2 + 16, faults[n % 2].block);
		cr_expect_eq(execute(m, rows[n / 2].word, va), 2, "%s", text);
		cr_expect_eq(sys->esr[2], EC(0x24) | rows[n / 2].iss | faults[n % 2].fsc,
			     "%s: %#lx", text, sys->esr[2]);
		cr_expect_eq(sys->far[2], at, "%s: %#lx", text, sys->far[2]);
		cr_expect_eq(sys->hpfar_el2, at >> 12 << 4, "%s: %#lx", text, sys->hpfar_el2);
		cr_expect_eq(sys->elr[2], CODE);
		core_free(m);
	}
}

/* Nothing of it when stage 1 faults, or when it is the walk of stage 1 that stage 2 stops. */
Test(core_stage2, no_instruction_syndrome_of_stage_1)
{
	const uint32_t ldr = 0xf9400025;

	for (unsigned int n = 0; n < 2; n++) {
		struct core_machine *m = core_regimes(HCR_VM);
		const struct soft_sys *sys = &soft(m)->sys;

		/* the table for the data is in the fourth GB, which stage 2 does not map */
		core_write(m, TABLE(1) + 24, n ? UINT64_C(0xc0000000) | 3 : 0);
		core_load(m, CODE, &ldr, 1);
		core_set(m, 1, UINT64_C(0xc0001000));
		cr_expect_eq(turn(m), n ? 2 : 1);
		if (n)
			cr_expect_eq(sys->esr[2], EC(0x24) | ARM_ISS_S1PTW | 0x05);
		else
			cr_expect_eq(sys->esr[1], EC(0x25) | 0x05);
		core_free(m);
	}
}

/* Unaligned accesses to what is Device memory by stage 2 alone are stage 2's alignment faults. */
Test(core_stage2, alignment_of_device_memory)
{
	for (unsigned int memattr = 0; memattr < 16; memattr += 5) {
		for (unsigned int dc = 0; dc < 2; dc++) {
			struct core_machine *m = core_regimes((dc ? HCR_DC : 0) | HCR_VM);
			const struct soft_sys *sys = &soft(m)->sys;
			const unsigned int expected = dc && memattr >= 4 ? 0 : 1 + dc;

			core_write(m, STAGE2 + 16, BLOCK | S2_RW | memattr << 2);
			cr_expect_eq(execute(m, 0xf9400025, DATA + 0x40000001), expected,
				     "MemAttr %u", memattr);
			if (expected)
				cr_expect_eq(sys->esr[expected] & 0x3f, 0x21);
			core_free(m);
		}
	}
}

/* ... after an access that was aligned, whose page the software TLB has. */
Test(core_stage2, alignment_of_a_known_page)
{
	static const uint32_t words[] = {0xf9400045 /* ldr x5, [x2] */, 0xf9400025};

	for (unsigned int memattr = 0; memattr < 16; memattr += 15) {
		struct core_machine *m = core_regimes(HCR_DC | HCR_VM);

		soft(m)->sys.sctlr[1] = 0;
		core_write(m, STAGE2 + 16, BLOCK | S2_RW | memattr << 2);
		core_load(m, CODE, words, 2);
		core_set(m, 1, DATA + 0x40000001);
		core_set(m, 2, DATA + 0x40000008);
		cr_expect_eq(turn(m), 0);
		core_run(m, 1);
		cr_expect_eq(soft(m)->sys.esr[2] & 0x3f, memattr ? 0 : 0x21, "MemAttr %u: %#lx",
			     memattr, soft(m)->sys.esr[2]);
		core_free(m);
	}
}

/* A fetch that stage 2 stops: EL2's, with its address; S1PTW on the walk. */
Test(core_stage2, fetches_through_stage_2)
{
	static const struct {
		uint64_t block;
		uint32_t iss;
		uint64_t hcr;
	} rows[] = {
		{BLOCK | S2_RW | BIT(54), 0x0d, HCR_DC},
		{0, 0x05, HCR_DC},
		{0, 0x85, 0},
	};

	for (size_t n = 0; n < 3; n++) {
		struct core_machine *m = core_regimes(HCR_VM | rows[n].hcr);
		const struct soft_sys *sys = &soft(m)->sys;

		core_write(m, STAGE2 + 8, rows[n].block);
		cr_expect_eq(turn(m), 2);
		cr_expect_eq(sys->esr[2], EC(0x20) | rows[n].iss, "row %zu: %#lx", n, sys->esr[2]);
		cr_expect_eq(sys->far[2], CODE);
		cr_expect_eq(sys->hpfar_el2, (n == 2 ? TABLE(1) + 8 : CODE) >> 12 << 4);
		core_free(m);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the ID registers promise is there, and only that: each of their fields with the registers
 * and instructions that come with its values (Arm ARM D24.2). No field is left out.
 */
#include "../compare.h"
#include "a64/a64.h"
#include "soft/sys/isa.h"
#include "system_access.h"

TestSuite(system_promises, .init = fixture_reset);

/* ID_AA64<..>_EL1 by CRm and op2. */
#define PFR0  4, 0
#define PFR1  4, 1
#define ZFR0  4, 4
#define DFR0  5, 0
#define ISAR0 6, 0
#define ISAR1 6, 1
#define ISAR2 6, 2
#define MMFR0 7, 0
#define MMFR1 7, 1
#define MMFR2 7, 2

static const struct promise {
	const char *field;
	unsigned int crm, op2, shift, value; /* from this value on ... */
	uint32_t word; /* ... there is this instruction; 0: none comes with it */
} promises[] = {
	{"EL0", PFR0, 0, 1, 0},
	{"EL1", PFR0, 4, 1, 0},
	{"EL2", PFR0, 8, 1, REG(3, 4, 1, 1, 0) | READ},
	{"EL2", PFR0, 8, 1, REG(3, 4, 2, 1, 0) | READ},
	{"EL2", PFR0, 8, 1, REG(1, 4, 8, 7, 4)},
	{"EL3", PFR0, 12, 1, REG(3, 6, 1, 1, 0) | READ},
	{"EL3", PFR0, 12, 1, REG(1, 6, 8, 7, 0)},
	{"FP", PFR0, 16, 1, 0x1ee22820},      /* fadd h0, h1, h2 */
	{"AdvSIMD", PFR0, 20, 1, 0x0e421420}, /* fadd v0.4h, v1.4h, v2.4h */
	{"GIC", PFR0, 24, 1, REG(3, 0, 4, 6, 0) | READ},
	{"SVE", PFR0, 32, 1, 0x04bf5020}, /* rdvl x0, #1 */
	{"SVE", PFR0, 32, 1, REG(3, 0, 1, 2, 0) | READ},
	{"SEL2", PFR0, 36, 1, REG(3, 4, 2, 6, 0) | READ},
	{"DIT", PFR0, 48, 1, REG(3, 3, 4, 2, 5) | READ},
	{"RME", PFR0, 52, 1, REG(3, 6, 2, 1, 6) | READ},
	{"RME", PFR0, 52, 1, REG(1, 6, 8, 7, 4)},
	{"CSV2", PFR0, 56, 1, 0},
	{"CSV3", PFR0, 60, 1, 0},
	{"BT", PFR1, 0, 1, 0}, /* BTI is a hint */
	{"SSBS", PFR1, 4, 2, REG(3, 3, 4, 2, 6) | READ},
	{"SVEver", ZFR0, 0, 1, 0x04226020},   /* mul z0.b, z1.b, z2.b */
	{"SVEver", ZFR0, 0, 1, 0x45208020},   /* match p0.b, p0/z, z1.b, z0.b */
	{"SVEver", ZFR0, 0, 1, 0x651ca020},   /* flogb z0.s, p0/m, z1.s */
	{"SVEver", ZFR0, 0, 1, 0xe5822420},   /* stnt1d {z0.d}, p1, [z1.d, x2] */
	{"AES", ZFR0, 4, 1, 0x4522e020},      /* aese z0.b, z0.b, z1.b */
	{"AES", ZFR0, 4, 2, 0x45026820},      /* pmullb z0.q, z1.d, z2.d */
	{"BitPerm", ZFR0, 16, 1, 0x4502b020}, /* bext z0.b, z1.b, z2.b */
	{"BF16", ZFR0, 20, 1, 0x64628020},    /* bfdot */
	{"SHA3", ZFR0, 32, 1, 0x4522f420},    /* rax1 z0.d, z1.d, z2.d */
	{"SM4", ZFR0, 40, 1, 0x4523e020},     /* sm4e z0.s, z0.s, z1.s */
	{"I8MM", ZFR0, 44, 1, 0x45029820},    /* smmla */
	{"F32MM", ZFR0, 52, 1, 0x64a2e420},   /* fmmla, of words */
	{"F64MM", ZFR0, 56, 1, 0x64e2e420},   /* fmmla, of doublewords */
	{"DebugVer", DFR0, 0, 6, REG(2, 0, 0, 2, 2) | READ},
	{"BRPs", DFR0, 12, 1, REG(2, 0, 0, 1, 4) | READ},
	{"WRPs", DFR0, 20, 1, REG(2, 0, 0, 1, 6) | READ},
	{"CTX_CMPs", DFR0, 28, 1, 0},
	{"PMSVer", DFR0, 32, 1, REG(3, 0, 9, 9, 0) | READ},
	{"AES", ISAR0, 4, 1, 0x4e284820},     /* aese v0.16b, v1.16b */
	{"AES", ISAR0, 4, 2, 0x0ee2e020},     /* pmull v0.1q, v1.1d, v2.1d */
	{"SHA1", ISAR0, 8, 1, 0x5e020020},    /* sha1c q0, s1, v2.4s */
	{"SHA2", ISAR0, 12, 1, 0x5e024020},   /* sha256h q0, q1, v2.4s */
	{"SHA2", ISAR0, 12, 2, 0xce628020},   /* sha512h q0, q1, v2.2d */
	{"CRC32", ISAR0, 16, 1, 0x1ac24020},  /* crc32b w0, w1, w2 */
	{"Atomic", ISAR0, 20, 2, 0xb8200041}, /* ldadd w0, w1, [x2] */
	{"Atomic", ISAR0, 20, 3, 0x19218000}, /* swpp x0, x1, [x0] */
	{"RDM", ISAR0, 28, 1, 0x2e428420},    /* sqrdmlah v0.4h, v1.4h, v2.4h */
	{"SHA3", ISAR0, 32, 1, 0xce020c20},   /* eor3 v0.16b, v1.16b, v2.16b, v3.16b */
	{"SM3", ISAR0, 36, 1, 0xce420c20},    /* sm3ss1 v0.4s, v1.4s, v2.4s, v3.4s */
	{"SM4", ISAR0, 40, 1, 0xcec08420},    /* sm4e v0.4s, v1.4s */
	{"DP", ISAR0, 44, 1, 0x0e829420},     /* sdot v0.2s, v1.8b, v2.8b */
	{"FHM", ISAR0, 48, 1, 0x4e22ec20},    /* fmlal v0.4s, v1.4h, v2.4h */
	{"TS", ISAR0, 52, 1, 0xd500401f},     /* cfinv */
	{"TS", ISAR0, 52, 1, 0xba01842f},     /* rmif x1, #3, #15 */
	{"TS", ISAR0, 52, 2, 0xd500405f},     /* axflag */
	{"TLB", ISAR0, 56, 1, REG(1, 0, 8, 1, 0)},
	{"TLB", ISAR0, 56, 2, REG(1, 0, 8, 6, 1)},
	{"RNDR", ISAR0, 60, 1, REG(3, 3, 2, 4, 0) | READ},
	{"RNDR", ISAR0, 60, 1, REG(3, 3, 2, 4, 1) | READ},
	{"DPB", ISAR1, 0, 1, REG(1, 3, 7, 12, 1)},
	{"DPB", ISAR1, 0, 2, REG(1, 3, 7, 13, 1)},
	{"APA", ISAR1, 4, 1, 0xdac10020}, /* pacia x0, x1 */
	{"APA", ISAR1, 4, 1, REG(3, 0, 2, 1, 0) | READ},
	{"JSCVT", ISAR1, 12, 1, 0x1e7e0020},   /* fjcvtzs w0, d1 */
	{"FCMA", ISAR1, 16, 1, 0x6e82e420},    /* fcadd v0.4s, v1.4s, v2.4s, #90 */
	{"LRCPC", ISAR1, 20, 1, 0xf8bfc020},   /* ldapr x0, [x1] */
	{"LRCPC", ISAR1, 20, 2, 0xd9401020},   /* ldapur x0, [x1, #1] */
	{"LRCPC", ISAR1, 20, 3, 0xd9411820},   /* ldiapp x0, x1, [x1] */
	{"GPA", ISAR1, 24, 1, 0x9ac23020},     /* pacga x0, x1, x2 */
	{"FRINTTS", ISAR1, 32, 1, 0x1e284020}, /* frint32z s0, s1 */
	{"SB", ISAR1, 36, 1, 0xd50330ff},      /* sb */
	{"SPECRES", ISAR1, 40, 1, REG(1, 3, 7, 3, 4)},
	{"SPECRES", ISAR1, 40, 1, REG(1, 3, 7, 3, 5)},
	{"SPECRES", ISAR1, 40, 1, REG(1, 3, 7, 3, 7)},
	{"BF16", ISAR1, 44, 1, 0x1e634020}, /* bfcvt h0, s1 */
	{"DGH", ISAR1, 48, 1, 0},	    /* a hint */
	{"I8MM", ISAR1, 52, 1, 0x4e829c20}, /* usdot v0.4s, v1.16b, v2.16b */
	{"WFxT", ISAR2, 0, 2, 0xd5031000},  /* wfet x0 */
	{"MOPS", ISAR2, 16, 1, 0x19010440}, /* cpyfp [x0]!, [x1]!, x2! */
	{"BC", ISAR2, 20, 1, 0x54000010},   /* bc.eq */
	{"CSSC", ISAR2, 52, 1, 0xdac02000}, /* abs x0, x0 */
	{"PARange", MMFR0, 0, 1, 0},
	{"ASIDBits", MMFR0, 4, 1, 0},
	{"SNSMem", MMFR0, 12, 1, 0},
	{"TGran16", MMFR0, 20, 1, 0},
	{"TGran4", MMFR0, 28, 1, 0},
	{"TGran16_2", MMFR0, 32, 1, 0},
	{"TGran64_2", MMFR0, 36, 1, 0},
	{"TGran4_2", MMFR0, 40, 1, 0},
	{"FGT", MMFR0, 56, 1, REG(3, 4, 1, 1, 4) | READ},
	{"FGT", MMFR0, 56, 1, REG(3, 4, 1, 1, 6) | READ},
	{"FGT", MMFR0, 56, 2, REG(3, 4, 3, 1, 0) | READ},
	{"FGT", MMFR0, 56, 2, REG(3, 4, 3, 1, 7) | READ},
	{"ECV", MMFR0, 60, 1, REG(3, 3, 14, 0, 5) | READ},
	{"ECV", MMFR0, 60, 1, REG(3, 3, 14, 0, 6) | READ},
	{"ECV", MMFR0, 60, 2, REG(3, 4, 14, 0, 6) | READ},
	{"HAFDBS", MMFR1, 0, 1, 0},
	{"VH", MMFR1, 8, 1, REG(3, 5, 1, 0, 0) | READ},
	{"VH", MMFR1, 8, 1, REG(3, 4, 13, 0, 1) | READ},
	{"VH", MMFR1, 8, 1, REG(3, 4, 14, 3, 1) | READ},
	{"HPDS", MMFR1, 12, 1, 0},
	{"LO", MMFR1, 16, 1, REG(3, 0, 10, 4, 3) | READ},
	{"LO", MMFR1, 16, 1, REG(3, 0, 10, 4, 7) | READ},
	{"PAN", MMFR1, 20, 1, REG(3, 0, 4, 2, 3) | READ},
	{"PAN", MMFR1, 20, 2, REG(1, 0, 7, 9, 0)},
	{"HCX", MMFR1, 40, 1, REG(3, 4, 1, 2, 2) | READ},
	{"UAO", MMFR2, 4, 1, REG(3, 0, 4, 2, 4) | READ},
	{"VARange", MMFR2, 16, 1, 0},
	{"NV", MMFR2, 24, 2, REG(3, 4, 2, 2, 0) | READ},
	{"ST", MMFR2, 28, 1, 0},
	{"AT", MMFR2, 32, 1, 0}, /* of addresses that are not aligned */
	{"TTL", MMFR2, 48, 1, 0},
	{"EVT", MMFR2, 56, 1, 0},
	{"E0PD", MMFR2, 60, 1, 0},
};

static uint64_t id_register(unsigned int crm, unsigned int op2)
{
	return soft_id_register(&cpu.sys, SYSREG_ENCODING(3, 0, 0, crm, op2));
}

/* Is the instruction there at the PE's highest level? */
static bool is_there(uint32_t word, unsigned int el)
{
	const struct a64_insn *insn = a64_decode(word);

	if (word >> 24 != 0xd5 || !(word >> 19 & 3))
		return insn && insn->executed && soft_isa_has(cpu.sys.isa, insn, word);
	at(el);
	return run(word) != UNDEFINED;
}

/* A PE of some levels, with all optional features or none. */
static void a_pe(unsigned int n)
{
	static const struct engine_levels levels[] = {
		{.start = 1},
		{.start = 2, .el2 = true},
		{.start = 3, .el2 = true, .el3 = true, .sel2 = true, .rme = true},
	};

	pe(levels[n / 2], n / 2 == 2);
	cpu.sys.isa = n % 2 ? SOFT_ISA_ALL : 0;
	cpu.sys.controls.hcr_el2 = HCR_EL2_RW | HCR_EL2_E2H;
	cpu.sys.controls.scr_el3 = SCR_EL3_NS | SCR_EL3_RW | SCR_EL3_EEL2;
}

Test(system_promises, each_field_with_what_comes_with_it)
{
	for (unsigned int n = 0; n < 6; n++)
		for (size_t i = 0; i < ARRAY_SIZE(promises); i++) {
			const struct promise *p = &promises[i];
			unsigned int field;

			if (!p->word)
				continue;
			a_pe(n);
			field = id_register(p->crm, p->op2) >> p->shift & 15;
			cr_expect_eq(is_there(p->word, n / 2 + 1), field >= p->value,
				     "PE %u, %s is %u: %08x is %sthere", n, p->field, field,
				     p->word, field >= p->value ? "not " : "");
		}
}

static bool has_row(unsigned int crm, unsigned int op2, unsigned int shift)
{
	for (size_t i = 0; i < ARRAY_SIZE(promises); i++)
		if (promises[i].crm == crm && promises[i].op2 == op2 && promises[i].shift == shift)
			return true;
	return false;
}

Test(system_promises, no_field_is_left_out)
{
	for (unsigned int n = 0; n < 6; n++)
		for (unsigned int field = 0; field < 8 * 8 * 16; field++) {
			const unsigned int crm = field / 128, op2 = field / 16 % 8,
					   shift = field % 16 * 4;

			a_pe(n);
			if (crm == 0 || !(id_register(crm, op2) >> shift & 15))
				continue;
			/* libvspe's own: ID_AA64DFR1_EL1 and ID_AA64DFR2_EL1 */
			if (crm == 5 && op2 > 0)
				continue;
			cr_expect(has_row(crm, op2, shift),
				  "PE %u: ID register CRm %u, op2 %u has %#lx", n, crm, op2,
				  (unsigned long)id_register(crm, op2));
		}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers: every system register of SPE, as EL1 and EL0 see it: which exist, what reads back,
 * what is RES0, what is read-only (the register pages of the Arm ARM, D24). What must hold without
 * SPE is tested without SPE too.
 */
#include "conform/statement.h"
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "spe.h"
#include "tap.h"

#define BIT(n)		(UINT64_C(1) << (n))
#define BITS(high, low) ((~UINT64_C(0) >> (63 - (high))) & (~UINT64_C(0) << (low)))

static uint64_t boot_pmblimitr; /* before anything wrote to it */

/* At EL1, by the architecture's ID registers; spe_caps is filled wherever there is SPE. */
static bool register_exists(enum sysreg_id reg)
{
	if (statement_facts[reg].whose != WHOSE_EL1)
		return false;
	switch (statement_facts[reg].exists) {
	case EXISTS_SPE: return spe_caps.version != 0;
	case EXISTS_SPE_FnE: return spe_caps.fne;
	case EXISTS_SPE_FDS: return spe_caps.pmsidr & PMSIDR_FDS;
	case EXISTS_SPE_nVM: return spe_caps.version && spe_caps.nvm;
	case EXISTS_SPE_EXC: break;
	}
	return false;
}

static uint64_t access_el1(enum sysreg_id reg, bool write, uint64_t value)
{
	uintptr_t code = user_address(kernel_access) + reg * 16u + (write ? 8 : 0);

	value = ((uint64_t(*)(uint64_t))code)(value);
	isb();
	return value;
}

static uint64_t get_register(enum sysreg_id reg)
{
	return access_el1(reg, false, 0);
}

static void set_register(enum sysreg_id reg, uint64_t value)
{
	access_el1(reg, true, value);
}

/* One access that has to be UNDEFINED. */
static void check_undefined(enum sysreg_id reg, bool write, bool el0)
{
	uintptr_t code = (el0 ? user_address(user_access) : user_address(kernel_access)) +
			 reg * 16u + (write ? 8 : 0);
	struct expected e;

	expect_begin();
	if (el0)
		user_call(code, 0, 0, 0);
	else
		access_el1(reg, write, 0);
	e = expect_end();
	if (!CHECK(e.count == 1, "%s of %s at EL%d: no exception", write ? "MSR" : "MRS",
		   statement_facts[reg].name, !el0))
		return;
	CHECK(field(e.esr, 31, 26) == EC_UNKNOWN && e.elr == code,
	      "%s of %s at EL%d: ESR_EL1 0x%lx", write ? "MSR" : "MRS", statement_facts[reg].name,
	      !el0, e.esr);
}

static void undefined_at_el0(void)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		check_undefined(i, false, true);
		check_undefined(i, true, true);
	}
}

static void undefined_where_higher(void)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		if (statement_facts[i].whose != WHOSE_EL1) {
			check_undefined(i, false, false);
			check_undefined(i, true, false);
		}
}

/* Without SPE that is all of them. */
static void undefined_where_absent(void)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		if (statement_facts[i].whose == WHOSE_EL1 && !register_exists(i)) {
			check_undefined(i, false, false);
			check_undefined(i, true, false);
		}
}

static void read_only(void)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++)
		if (!statement_facts[i].writable) {
			uint64_t before = get_register(i);

			check_undefined(i, true, false);
			CHECK(get_register(i) == before, "%s changed", statement_facts[i].name);
		}
}

static void test_readable(void)
{
	struct expected e;

	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		if (!register_exists(i))
			continue;
		expect_begin();
		get_register(i);
		e = expect_end();
		CHECK(e.count == 0, "MRS of %s: ESR_EL1 0x%lx", statement_facts[i].name, e.esr);
	}
}

static void test_reset(void)
{
	CHECK(!(boot_pmblimitr & PMBLIMITR_E), "PMBLIMITR_EL1 was 0x%lx", boot_pmblimitr);
}

static void test_unallocated(void)
{
	struct expected e;

	/* op0 3, op1 0, CRn 9, CRm 10, op2 2 and 6. */
	expect_begin();
	read_sysreg(S3_0_C9_C10_2);
	write_sysreg(S3_0_C9_C10_2, 0);
	read_sysreg(S3_0_C9_C10_6);
	write_sysreg(S3_0_C9_C10_6, 0);
	e = expect_end();
	CHECK(e.count == 4, "%u of 4 accesses are UNDEFINED", e.count);
}

static void test_pmsidr(void)
{
	uint64_t v = spe_caps.pmsidr, interval = field(v, 11, 8), maxsize = field(v, 15, 12);

	CHECK((v & 7) == 7, "FE, FT, FL are not all 1: 0x%lx", v);
	CHECK(interval <= 8 && interval != 1, "Interval is %lu", interval);
	CHECK(maxsize >= 6 && maxsize <= 11, "MaxSize is %lu", maxsize);
	CHECK(field(v, 19, 16) == 2 || field(v, 19, 16) == 3, "CountSize is %lu", field(v, 19, 16));
	CHECK(field(v, 23, 20) == 0, "Format is %lu", field(v, 23, 20));
	CHECK(spe_caps.fne == (spe_caps.version >= PMSVER_V1P2), "FnE is %d with PMSVer %u",
	      spe_caps.fne, spe_caps.version);
	CHECK(!(v & PMSIDR_FDS) || spe_caps.version >= PMSVER_V1P4, "FDS before v1p4");
	CHECK(!(v & PMSIDR_PBT) || spe_caps.version >= PMSVER_V1P2, "PBT before v1p2");
	CHECK(!(v & PMSIDR_CRR) || spe_caps.version >= PMSVER_V1P4, "CRR before v1p4");
	CHECK(v & PMSIDR_CRR || spe_caps.version < PMSVER_V1P5, "v1p5 without CRR");
	CHECK(!(v & PMSIDR_EFT) == !(v & PMSIDR_FPF), "EFT and FPF differ");
	CHECK(field(v, 31, 28) <= 1 || field(v, 31, 28) == 15, "ALTCLK is %lu", field(v, 31, 28));
	CHECK(!(v & PMSIDR_SME) || spe_caps.version >= PMSVER_V1P1, "SME before v1p1");
	CHECK((v & BITS(63, 33)) == 0, "RES0 bits: 0x%lx", v);
}

static void test_pmbidr(void)
{
	uint64_t v = spe_caps.pmbidr;

	CHECK(!(v & PMBIDR_P), "P is 1 at the owning Exception level");
	CHECK(field(v, 3, 0) <= field(spe_caps.pmsidr, 15, 12), "Align is %lu, MaxSize %lu",
	      field(v, 3, 0), field(spe_caps.pmsidr, 15, 12));
	CHECK(field(v, 11, 8) <= 2, "EA is %lu", field(v, 11, 8));
	CHECK((v & (BITS(63, 48) | BITS(31, 12))) == 0, "RES0 bits: 0x%lx", v);
	CHECK(field(v, 7, 6) == 0 || register_exists(SYSREG_PMBMAR_EL1),
	      "AddrMode is %lu without FEAT_SPE_nVM", field(v, 7, 6));
}

/* What SPE has in the other ID registers. */
static void id_registers(void)
{
	uint64_t dfr1 = read_sysreg(ID_AA64DFR1_EL1), dfr2 = read_sysreg(ID_AA64DFR2_EL1);
	unsigned int pmuver = (unsigned int)field(read_sysreg(id_aa64dfr0_el1), 11, 8);

	CHECK(field(dfr2, 23, 20) <= 1, "SPE_nVM is %lu", field(dfr2, 23, 20));
	CHECK(field(dfr2, 19, 16) <= 1, "SPE_EXC is %lu", field(dfr2, 19, 16));
	CHECK(!field(dfr2, 19, 16) || spe_caps.version >= PMSVER_V1P5, "SPE_EXC before v1p5");
	CHECK(!field(dfr2, 23, 20) || spe_caps.version, "SPE_nVM without SPE");
	CHECK(!field(dfr1, 55, 52) || (spe_caps.version >= PMSVER_V1P2 && pmuver >= 7),
	      "DPFZS is %lu with PMSVer %u and PMUVer %u", field(dfr1, 55, 52), spe_caps.version,
	      pmuver);
}

/*
 * All ones, then zero: bits of must read back what was written, of may either that or zero, all
 * others zero.
 */
static void check_bits(enum sysreg_id reg, uint64_t must, uint64_t may)
{
	uint64_t ones, zero;

	set_register(reg, ~UINT64_C(0));
	ones = get_register(reg);
	set_register(reg, 0);
	zero = get_register(reg);
	CHECK((ones & must) == must, "%s: all ones read 0x%lx, 0x%lx has to be",
	      statement_facts[reg].name, ones, must);
	CHECK((ones & ~(must | may)) == 0, "%s: all ones read 0x%lx, RES0 in 0x%lx",
	      statement_facts[reg].name, ones, ~(must | may));
	CHECK(zero == 0, "%s: zero reads 0x%lx", statement_facts[reg].name, zero);
}

static void sampling_interval(void)
{
	check_bits(SYSREG_PMSIRR_EL1, BITS(31, 8) | BIT(0), 0);
	check_bits(SYSREG_PMSICR_EL1, BITS(31, 0) | (spe_caps.ernd ? BITS(63, 56) : 0), 0);
}

/* The buffer is off, so E1SPE enables nothing. PCT is fixed at 0b01 where there is no EL2. */
static void test_pmscr(void)
{
	bool el2 = field(read_sysreg(id_aa64pfr0_el1), 11, 8) != 0;
	bool ecv = field(read_sysreg(id_aa64mmfr0_el1), 63, 60) != 0;
	uint64_t must = BIT(0) | BIT(1) | BIT(3) | BIT(4) | BIT(5), may = 0;
	uint64_t ones, zero;

	/* With EL2, it may fix PCT too, by what it lets through. */
	must |= el2 ? BIT(6) : 0;
	may |= el2 && ecv ? BIT(7) : 0;
	/* Reserved values of EE need not stick as such, but bits of it have to. */
	must |= spe_caps.exc ? BIT(10) : 0;
	may |= spe_caps.exc ? BITS(9, 8) : 0;
	/* EnVM is EL2's; software's own with FEAT_NV, which EL1 need not see. */
	may |= spe_caps.nvm ? BIT(11) : 0;
	if (el2) {
		check_bits(SYSREG_PMSCR_EL1, must, may);
		return;
	}
	set_register(SYSREG_PMSCR_EL1, ~UINT64_C(0));
	ones = get_register(SYSREG_PMSCR_EL1);
	set_register(SYSREG_PMSCR_EL1, 0);
	zero = get_register(SYSREG_PMSCR_EL1);
	CHECK((ones & ~may) == (must | BIT(6)), "all ones read 0x%lx", ones);
	CHECK(zero == BIT(6), "zero reads 0x%lx", zero);
}

static void test_filters(void)
{
	uint64_t types = BIT(16) | BIT(17) | BIT(18), must = BIT(0) | BIT(1) | BIT(2) | types;

	if (spe_caps.fne)
		must |= BIT(3);
	if (spe_caps.pmsidr & PMSIDR_FDS)
		must |= BIT(4);
	if (spe_caps.pmsidr & PMSIDR_EFT)
		must |= BITS(20, 16) | BITS(52, 48);
	check_bits(SYSREG_PMSFCR_EL1, must, 0);
	check_bits(SYSREG_PMSLATFR_EL1,
		   field(spe_caps.pmsidr, 19, 16) == 2 ? BITS(11, 0) : BITS(15, 0), 0);
	if (register_exists(SYSREG_PMSDSFR_EL1))
		check_bits(SYSREG_PMSDSFR_EL1, 0, ~UINT64_C(0));
	if (register_exists(SYSREG_PMBMAR_EL1))
		check_bits(SYSREG_PMBMAR_EL1, BITS(9, 0), 0);
}

/* Events that can be filtered on: must and may, by version and features. */
static void event_map(uint64_t *must, uint64_t *may)
{
	bool sve = field(read_sysreg(id_aa64pfr0_el1), 35, 32) ||
		   field(read_sysreg(id_aa64pfr1_el1), 27, 24);
	bool v1p4 = spe_caps.version >= PMSVER_V1P4;

	*must = BIT(3) | BIT(5) | BIT(7);
	*may = BIT(1) | BIT(2) | BIT(4) | BITS(10, 8) | BITS(15, 12) | BIT(16) | BITS(63, 48);
	if (spe_caps.version >= PMSVER_V1P1)
		*must |= BIT(11);
	if (spe_caps.version >= PMSVER_V1P2)
		*must |= BIT(6);
	if (v1p4)
		*must |= BIT(2) | BIT(4);
	if (spe_caps.version >= PMSVER_V1P1 && sve)
		*must |= BIT(17) | BIT(18);
	*may |= v1p4 ? BITS(23, 19) : BITS(31, 24);
	if (spe_caps.pmsidr & PMSIDR_SME)
		*may |= BIT(24) | BIT(25);
}

static void event_filters(void)
{
	uint64_t must, may, map;

	event_map(&must, &may);
	check_bits(SYSREG_PMSEVFR_EL1, must, may);
	if (!spe_caps.fne)
		return;
	check_bits(SYSREG_PMSNEVFR_EL1, must, may);
	set_register(SYSREG_PMSEVFR_EL1, ~UINT64_C(0));
	map = get_register(SYSREG_PMSEVFR_EL1);
	set_register(SYSREG_PMSNEVFR_EL1, ~UINT64_C(0));
	CHECK(get_register(SYSREG_PMSNEVFR_EL1) == map, "PMSNEVFR_EL1 has 0x%lx, PMSEVFR_EL1 0x%lx",
	      get_register(SYSREG_PMSNEVFR_EL1), map);
	set_register(SYSREG_PMSEVFR_EL1, 0);
	set_register(SYSREG_PMSNEVFR_EL1, 0);
}

static void buffer_pointer(void)
{
	check_bits(SYSREG_PMBPTR_EL1, ~(spe_caps.align - 1), spe_caps.align - 1);
}

/* One field at a time, since some values of FM are reserved; profiling is off throughout. */
static void buffer_limit(void)
{
	uint64_t granules = read_sysreg(id_aa64mmfr0_el1), may = 0, ones;

	/* With a smallest granule of 16 or 64 KiB some of LIMIT is RES0. */
	if (field(granules, 31, 28) == 0xf)
		may = field(granules, 23, 20) ? BITS(13, 12) : BITS(15, 12);
	set_register(SYSREG_PMBLIMITR_EL1, ~(uint64_t)BITS(2, 1));
	ones = get_register(SYSREG_PMBLIMITR_EL1);
	set_register(SYSREG_PMBLIMITR_EL1, 0);
	CHECK((ones & (BITS(63, 12) & ~may)) == (BITS(63, 12) & ~may), "LIMIT reads 0x%lx", ones);
	CHECK(ones & PMBLIMITR_E, "E reads 0");
	if (spe_caps.version >= PMSVER_V1P2)
		may |= PMBLIMITR_PMFZ;
	if (register_exists(SYSREG_PMBMAR_EL1))
		may |= PMBLIMITR_NVM;
	CHECK(!register_exists(SYSREG_PMBMAR_EL1) || ones & PMBLIMITR_NVM, "nVM reads 0");
	CHECK((ones & ~(BITS(63, 12) | PMBLIMITR_E | may)) == 0, "all ones read 0x%lx", ones);
	set_register(SYSREG_PMBLIMITR_EL1, PMBLIMITR_DISCARD);
	ones = get_register(SYSREG_PMBLIMITR_EL1);
	/* Before v1p2 that value of FM is reserved, and may or may not stick. */
	CHECK(ones == PMBLIMITR_DISCARD || (ones == 0 && !spe_caps.discard),
	      "FM = 0b10 reads 0x%lx", ones);
	set_register(SYSREG_PMBLIMITR_EL1, 0);
	CHECK(get_register(SYSREG_PMBLIMITR_EL1) == 0, "zero reads 0x%lx",
	      get_register(SYSREG_PMBLIMITR_EL1));
}

static void buffer_status(void)
{
	uint64_t must = PMBSR_S | PMBSR_COLL | BITS(5, 0);

	/* EC, MSS and MSS2 may hold only values that mean something; DL and EA need not exist. */
	check_bits(SYSREG_PMBSR_EL1, must, BITS(55, 26) | PMBSR_DL | PMBSR_EA | BITS(15, 0));
}

static const struct test tests[] = {
	{"PMBLIMITR_EL1.E resets to 0", test_reset, needs_spe},
	{"all UNDEFINED at EL0", undefined_at_el0, NULL},
	{"those of higher Exception levels UNDEFINED at EL1", undefined_where_higher, NULL},
	{"those of absent features UNDEFINED at EL1", undefined_where_absent, NULL},
	{"unallocated encodings UNDEFINED at EL1", test_unallocated, NULL},
	{"those of present features can be read at EL1", test_readable, needs_spe},
	{"MSR to PMSIDR_EL1 and PMBIDR_EL1 UNDEFINED", read_only, needs_spe},
	{"PMSIDR_EL1 is consistent", test_pmsidr, needs_spe},
	{"PMBIDR_EL1 is consistent", test_pmbidr, needs_spe},
	{"ID_AA64DFR1_EL1, ID_AA64DFR2_EL1 are consistent", id_registers, NULL},
	{"PMSIRR_EL1, PMSICR_EL1: fields and RES0", sampling_interval, needs_spe},
	{"PMSCR_EL1: fields and RES0", test_pmscr, needs_spe},
	{"PMSFCR_EL1, PMSLATFR_EL1 and others: fields and RES0", test_filters, needs_spe},
	{"PMSEVFR_EL1, PMSNEVFR_EL1: RAZ/WI by version", event_filters, needs_spe},
	{"PMBPTR_EL1: fields", buffer_pointer, needs_spe},
	{"PMBLIMITR_EL1: fields and RES0", buffer_limit, needs_spe},
	{"PMBSR_EL1: fields and RES0", buffer_status, needs_spe},
};

void guest_main(void)
{
	if (!needs_spe())
		boot_pmblimitr = get_register(SYSREG_PMBLIMITR_EL1);
	tap_run("registers", tests, sizeof(tests) / sizeof(tests[0]));
}

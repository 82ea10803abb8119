/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pauth: pointer authentication (FEAT_PAuth) with the architected algorithm. The codes of many
 * pointers and modifiers are compared by a digest, which is the same on every PE that has it; QEMU
 * says so, too. What is wrong becomes what ID_AA64ISAR1_EL1.APA says.
 */
#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "tap.h"

#define ID_ISAR1 S3_0_C0_C6_1
#define APA	 (read_sysreg(ID_ISAR1) >> 4 & 0xf)
#define GPA	 (read_sysreg(ID_ISAR1) >> 24 & 0xf)
#define PAUTH2	 3
#define FPAC	 4
#define COMBINED 5

#define EC_PAC_FAIL 0x1c

#define SCTLR_KEYS (UINT64_C(1) << 31 | UINT64_C(1) << 30 | UINT64_C(1) << 27 | UINT64_C(1) << 13)
#define TCR_TBI	   (UINT64_C(3) << 37)
#define TCR_TBID   (UINT64_C(3) << 51)

#define POINTERS 512

typedef uint64_t function(uint64_t pointer, uint64_t modifier);

function pacia, pacib, pacda, pacdb, autia, autib, autda, autdb, paciza, pacizb, pacdza, pacdzb,
	autiza, autizb, autdza, autdzb, xpaci, xpacd, pacga, paciasp, pacibsp, autiasp, autibsp,
	paciaz, pacibz, autiaz, autibz, xpaclri, pacia1716, pacib1716, autia1716, autib1716, ldraa,
	ldrab, ldraa_pre, by_braa, by_brab, by_blraa, by_blrab, by_braaz, by_brabz, by_blraaz,
	by_blrabz, by_retaa, by_retab, by_eretaa, by_eretab;

/* Forms of the same, the one with a register as modifier first. */
static const struct {
	function *sign, *authenticate, *strip;
	bool zero, stack; /* the modifier is 0; the second argument is a stack */
	uint8_t key;	  /* as the syndrome of FEAT_FPAC has it */
} forms[] = {
	{pacia, autia, xpaci, false, false, 0},
	{pacib, autib, xpaci, false, false, 1},
	{pacda, autda, xpacd, false, false, 2},
	{pacdb, autdb, xpacd, false, false, 3},
	{paciza, autiza, xpaci, true, false, 0},
	{pacizb, autizb, xpaci, true, false, 1},
	{pacdza, autdza, xpacd, true, false, 2},
	{pacdzb, autdzb, xpacd, true, false, 3},
	{paciasp, autiasp, xpaclri, false, true, 0},
	{pacibsp, autibsp, xpaclri, false, true, 1},
	{paciaz, autiaz, xpaclri, true, true, 0},
	{pacibz, autibz, xpaclri, true, true, 1},
	{pacia1716, autia1716, xpaci, false, false, 0},
	{pacib1716, autib1716, xpaci, false, false, 1},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

static uint64_t random_state;

static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void set_keys(void)
{
	random_state = 1;
#define KEY(lo, hi)                              \
	do {                                     \
		write_sysreg(lo, next_random()); \
		write_sysreg(hi, next_random()); \
	} while (0)
	KEY(S3_0_C2_C1_0, S3_0_C2_C1_1);
	KEY(S3_0_C2_C1_2, S3_0_C2_C1_3);
	KEY(S3_0_C2_C2_0, S3_0_C2_C2_1);
	KEY(S3_0_C2_C2_2, S3_0_C2_C2_3);
	KEY(S3_0_C2_C3_0, S3_0_C2_C3_1);
	write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_KEYS);
	isb();
}

/* T0SZ and T1SZ of 16: what is mapped stays where it is. */
static uint64_t set_tcr(uint64_t bits)
{
	const uint64_t tcr = read_sysreg(tcr_el1);

	write_sysreg(tcr_el1, (tcr & ~(TCR_TBI | TCR_TBID)) | bits);
	isb();
	return tcr;
}

static void restore_tcr(uint64_t tcr)
{
	write_sysreg(tcr_el1, tcr);
	isb();
}

static const char *needs_pauth(void)
{
	return APA ? NULL : "no FEAT_PAuth with QARMA5";
}

static const char *needs_generic(void)
{
	return GPA ? NULL : "no PACGA with QARMA5";
}

static const char *needs_first(void)
{
	return APA == 1 ? NULL : APA ? "FEAT_PAuth2" : "no FEAT_PAuth with QARMA5";
}

static const char *needs_second(void)
{
	return APA >= PAUTH2 ? NULL : "no FEAT_PAuth2";
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * UINT64_C(0x100000001b3) ^ digest >> 29;
}

/* Of the lower range, or with upper of the upper one. */
static uint64_t next_pointer(bool upper)
{
	const uint64_t address = next_random() & ((UINT64_C(1) << 36) - 1);

	return upper ? ~address : address;
}

/* mask: bits of the pointers that are random besides. */
static uint64_t digest(uint64_t mask, bool upper)
{
	uint64_t sum = 0;

	set_keys();
	for (unsigned int n = 0; n < POINTERS; n++) {
		uint64_t pointer = next_pointer(upper && n & 1) ^ (next_random() & mask);
		const uint64_t modifier = next_random();

		/* One range's bit 55 says which bit 63 does: which of them counts is a choice. */
		pointer = (pointer & ~(UINT64_C(1) << 55)) | (pointer >> 63) << 55;
		for (unsigned int key = 0; key < 4; key++)
			sum = mix(sum, forms[key].sign(pointer, modifier));
	}
	return sum;
}

static void codes(void)
{
	const uint64_t tcr = set_tcr(0);
	uint64_t sum = digest(0, false);

	CHECK(sum == UINT64_C(0xefc49876b5d54311), "digest 0x%lx", sum);
	set_tcr(TCR_TBI);
	sum = digest(UINT64_C(0x7f) << 56, false);
	CHECK(sum == UINT64_C(0xfa92c04ce456f874), "with tags: digest 0x%lx", sum);
	restore_tcr(tcr);
}

static void codes_of_any(void)
{
	const uint64_t tcr = set_tcr(0), mask = UINT64_C(0xfffff) << 44;
	uint64_t sum = digest(mask, true);

	CHECK(sum == UINT64_C(0xb91e18318a58874b), "digest 0x%lx", sum);
	set_tcr(TCR_TBI);
	sum = digest(mask, true);
	CHECK(sum == UINT64_C(0x412a8c0f4ed78cc9), "with tags: digest 0x%lx", sum);
	set_tcr(TCR_TBI | TCR_TBID);
	sum = digest(mask, true);
	CHECK(sum == UINT64_C(0x36552e7c9d9fda66), "with tags of data: digest 0x%lx", sum);
	restore_tcr(tcr);
}

static void generic_codes(void)
{
	uint64_t sum = 0;

	set_keys();
	for (unsigned int n = 0; n < POINTERS; n++) {
		const uint64_t value = next_random();

		sum = mix(sum, pacga(value, next_random()));
	}
	CHECK(sum == UINT64_C(0x5570a5baa50d4106), "digest 0x%lx", sum);
}

/* What a wrong code becomes, without an exception. */
static uint64_t spoiled(uint64_t pointer, uint64_t wrong, unsigned int key)
{
	const uint64_t plain = xpaci(wrong, 0);

	if (APA >= PAUTH2)
		return pointer;
	return (plain & ~(UINT64_C(3) << 61)) | UINT64_C(1) << (61 + (key & 1));
}

/* Where an exception finds a stack, too. */
static uint64_t some_stack(uint64_t random)
{
	static uint8_t stack[4096] __attribute__((aligned(16)));

	return (uintptr_t)&stack[2048 + (random & 0x7f0)];
}

static void authenticate_form(unsigned int n, uint64_t pointer, uint64_t random)
{
	const uint64_t modifier = forms[n].stack ? some_stack(random) : random;
	const uint64_t code = forms[n].sign(pointer, modifier), bit = UINT64_C(1) << 50;
	struct expected e;
	uint64_t wrong;

	CHECK(code == forms[forms[n].key].sign(pointer, forms[n].zero ? 0 : modifier),
	      "form %u: 0x%lx", n, code);
	CHECK(forms[n].authenticate(code, modifier) == pointer, "form %u: not 0x%lx", n, pointer);
	CHECK(forms[n].strip(code, 0) == pointer, "form %u: stripped 0x%lx", n,
	      forms[n].strip(code, 0));
	expect_begin();
	wrong = forms[n].authenticate(code ^ bit, modifier);
	e = expect_end();
	if (APA >= FPAC) {
		CHECK(e.count == 1 && field(e.esr, 31, 26) == EC_PAC_FAIL &&
			      field(e.esr, 24, 0) == forms[n].key,
		      "form %u: %u exceptions, ESR 0x%lx", n, e.count, e.esr);
		return;
	}
	CHECK(e.count == 0 && wrong == spoiled(pointer ^ bit, code ^ bit, forms[n].key),
	      "form %u: 0x%lx becomes 0x%lx", n, code ^ bit, wrong);
}

static void authentication(void)
{
	const uint64_t tcr = set_tcr(0);

	set_keys();
	for (unsigned int n = 0; n < 8 * FORMS; n++) {
		const uint64_t pointer = next_pointer(n / FORMS & 1);

		authenticate_form(n % FORMS, pointer, next_random());
	}
	restore_tcr(tcr);
}

/* A pointer that is no address is signed as the address, and what was wrong with it stays. */
static void second_codes(void)
{
	const uint64_t tcr = set_tcr(0), mask = UINT64_C(0x7f) << 48;

	set_keys();
	for (unsigned int n = 0; n < 32; n++) {
		const uint64_t pointer = next_pointer(n & 1), modifier = next_random();
		const uint64_t wrong = next_random() & mask;
		const uint64_t code = pacia(pointer ^ wrong, modifier);

		CHECK(code == (pacia(pointer, modifier) ^ wrong), "0x%lx: 0x%lx", pointer ^ wrong,
		      code);
	}
	restore_tcr(tcr);
}

static void branches(void)
{
	static const struct {
		function *branch;
		const char *name;
	} rows[] = {
		{by_braa, "BRAA"},     {by_brab, "BRAB"},     {by_blraa, "BLRAA"},
		{by_blrab, "BLRAB"},   {by_braaz, "BRAAZ"},   {by_brabz, "BRABZ"},
		{by_blraaz, "BLRAAZ"}, {by_blrabz, "BLRABZ"}, {by_retaa, "RETAA"},
		{by_retab, "RETAB"},   {by_eretaa, "ERETAA"}, {by_eretab, "ERETAB"},
	};

	set_keys();
	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		for (unsigned int again = 0; again < 3; again++)
			CHECK(rows[n].branch(next_random(), 0) == 1, "%s", rows[n].name);
}

static void loads(void)
{
	static uint64_t words[1024];
	const uintptr_t at = (uintptr_t)&words[512];
	struct expected e;

	set_keys();
	words[513] = 5;
	words[511] = 6;
	CHECK(ldraa(pacdza(at, 0), 0) == 5, "LDRAA");
	CHECK(ldrab(pacdzb(at, 0), 0) == 6, "LDRAB");
	CHECK(ldraa_pre(pacdza(at, 0), 0) == (uintptr_t)words, "LDRAA leaves 0x%lx",
	      ldraa_pre(pacdza(at, 0), 0));
	expect_begin();
	(void)ldraa(pacdza(at, 0) ^ UINT64_C(1) << 50, 0);
	e = expect_end();
	CHECK(e.count == 1 &&
		      field(e.esr, 31, 26) == (APA >= COMBINED ? (unsigned int)EC_PAC_FAIL : 0x25u),
	      "%u exceptions, ESR 0x%lx", e.count, e.esr);
}

static void disabled(void)
{
	set_keys();
	write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) & ~SCTLR_KEYS);
	isb();
	for (unsigned int n = 0; n < FORMS; n++)
		CHECK(forms[n].sign(0x1234, some_stack(n)) == 0x1234 &&
			      forms[n].authenticate(0x1234, some_stack(n)) == 0x1234,
		      "form %u", n);
	CHECK(by_retaa(0, 0) == 1, "RETAA");
}

void guest_main(void)
{
	static const struct test tests[] = {
		{"codes", codes, needs_pauth},
		{"codes of what is no address", codes_of_any, needs_first},
		{"FEAT_PAuth2: they keep what is wrong", second_codes, needs_second},
		{"generic codes", generic_codes, needs_generic},
		{"authentication and stripping", authentication, needs_pauth},
		{"branches", branches, needs_pauth},
		{"loads", loads, needs_pauth},
		{"keys that SCTLR_EL1 disables", disabled, needs_pauth},
	};

	tap_run("pauth", tests, sizeof(tests) / sizeof(tests[0]));
}

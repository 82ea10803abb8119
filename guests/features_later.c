/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the instructions of FEAT_CSSC, FEAT_WFxT, FEAT_LSE128, FEAT_LRCPC3, FEAT_HBC and
 * FEAT_SPECRES do, where an ID register announces them. They are given as words, as the assembler
 * may not know them.
 */
#include "features_later.h"

#include "arch.h"
#include "boot.h"
#include "exception.h"
#include "tap.h"

#define ID_ISAR0 S3_0_C0_C6_0
#define ID_ISAR1 S3_0_C0_C6_1
#define ID_ISAR2 S3_0_C0_C6_2

#define FIELD(id, low) field(read_sysreg(id), (low) + 3, low)

#define SCTLR_EnRCTX (UINT64_C(1) << 10)
#define SCTLR_nTWI   (UINT64_C(1) << 16)
#define SCTLR_nTWE   (UINT64_C(1) << 18)

static bool has_cssc(void)
{
	return FIELD(ID_ISAR2, 52) >= 1;
}

static bool has_wfxt(void)
{
	return FIELD(ID_ISAR2, 0) >= 2;
}

static bool has_lse128(void)
{
	return FIELD(ID_ISAR0, 20) >= 3;
}

static bool has_lrcpc3(void)
{
	return FIELD(ID_ISAR1, 20) >= 3;
}

static bool has_hbc(void)
{
	return FIELD(ID_ISAR2, 20) >= 1;
}

const char *needs_cssc(void)
{
	return has_cssc() ? NULL : "no FEAT_CSSC";
}

const char *needs_wfxt(void)
{
	return has_wfxt() ? NULL : "no FEAT_WFxT";
}

const char *needs_lse128(void)
{
	return has_lse128() ? NULL : "no FEAT_LSE128";
}

const char *needs_lrcpc3(void)
{
	return has_lrcpc3() ? NULL : "no FEAT_LRCPC3";
}

const char *needs_hbc(void)
{
	return has_hbc() ? NULL : "no FEAT_HBC";
}

/* Of X0 to X2; registers and memory are as the instructions leave them. */
struct operands {
	uint64_t x[3];
};

#define EXECUTE(name, word)                                                               \
	static void name(struct operands *o)                                              \
	{                                                                                 \
		register uint64_t x0 __asm__("x0") = o->x[0];                             \
		register uint64_t x1 __asm__("x1") = o->x[1];                             \
		register uint64_t x2 __asm__("x2") = o->x[2];                             \
                                                                                          \
		__asm__ volatile(".inst " word : "+r"(x0), "+r"(x1), "+r"(x2)::"memory"); \
		o->x[0] = x0;                                                             \
		o->x[1] = x1;                                                             \
		o->x[2] = x2;                                                             \
	}

EXECUTE(smax, "0x9ac16000")	   /* smax x0, x0, x1 */
EXECUTE(umax, "0x9ac16400")	   /* umax x0, x0, x1 */
EXECUTE(smin_w, "0x1ac16800")	   /* smin w0, w0, w1 */
EXECUTE(umin_imm, "0x91cffc00")	   /* umin x0, x0, #255 */
EXECUTE(smax_imm, "0x91c3fc00")	   /* smax x0, x0, #-1 */
EXECUTE(ctz, "0xdac01800")	   /* ctz x0, x0 */
EXECUTE(cnt, "0xdac01c00")	   /* cnt x0, x0 */
EXECUTE(abs_w, "0x5ac02000")	   /* abs w0, w0 */
EXECUTE(wfet, "0xd5031000")	   /* wfet x0 */
EXECUTE(wfit, "0xd5031020")	   /* wfit x0 */
EXECUTE(ldclrp, "0x19211040")	   /* ldclrp x0, x1, [x2] */
EXECUTE(ldsetpal, "0x19e13040")	   /* ldsetpal x0, x1, [x2] */
EXECUTE(swppa, "0x19a18040")	   /* swppa x0, x1, [x2] */
EXECUTE(ldiapp_post, "0xd9410840") /* ldiapp x0, x1, [x2], #16 */
EXECUTE(stilp_pre, "0xd9010840")   /* stilp x0, x1, [x2, #-16]! */
EXECUTE(ldapr_post, "0xd9c00840")  /* ldapr x0, [x2], #8 */
EXECUTE(stlr_pre, "0x99800840")	   /* stlr w0, [x2, #-4]! */
EXECUTE(bc_al, "0x5400003e")	   /* bc.al .+4 */

unsigned int later_absent(void)
{
	static void (*const execute[])(struct operands * o) = {abs_w, wfet, swppa, ldapr_post,
							       bc_al};
	const bool has[] = {has_cssc(), has_wfxt(), has_lse128(), has_lrcpc3(), has_hbc()};
	uint64_t memory[2] __attribute__((aligned(16))) = {0};
	unsigned int absent = 0;

	for (unsigned int n = 0; n < 5; n++) {
		struct operands o = {{0, 0, (uintptr_t)memory}};

		if (has[n])
			continue;
		absent++;
		execute[n](&o);
	}
	return absent;
}

void extremes_and_counts(void)
{
	static const struct {
		const char *text;
		void (*execute)(struct operands *o);
		uint64_t a, b, result;
	} rows[] = {
		{"smax of -1 and 1", smax, UINT64_MAX, 1, 1},
		{"umax of -1 and 1", umax, UINT64_MAX, 1, UINT64_MAX},
		{"smin of words", smin_w, 0x7fffffff, UINT64_C(0x180000000), 0x80000000},
		{"umin with 255", umin_imm, 256, 0, 255},
		{"umin with 255", umin_imm, 254, 0, 254},
		{"smax with -1", smax_imm, UINT64_C(1) << 63, 0, UINT64_MAX},
		{"ctz", ctz, UINT64_C(0x500000000), 0, 32},
		{"ctz of 0", ctz, 0, 0, 64},
		{"cnt", cnt, UINT64_C(0xf000000000000101), 0, 6},
		{"abs of a word", abs_w, UINT64_C(0xfffffffffffffffb), 0, 5},
		{"abs of the smallest word", abs_w, 0x80000000, 0, 0x80000000},
	};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		struct operands o = {{rows[n].a, rows[n].b, 0}};

		rows[n].execute(&o);
		CHECK(o.x[0] == rows[n].result, "%s: 0x%lx", rows[n].text, o.x[0]);
	}
}

/* Wait again until a time, as a wait may end before it. Does it ever end there? */
static void wait_for(void (*wait)(struct operands *o), const char *name)
{
	const uint64_t until = counter() + 50000;
	unsigned int waits = 0;

	while (counter() < until && waits < 1000000) {
		struct operands o = {{until, 0, 0}};

		wait(&o);
		waits++;
	}
	CHECK(counter() >= until, "%s: %u waits, and it is %lu before the time", name, waits,
	      until - counter());
}

void user_wait_until(void);

void waits_until(void)
{
	const uint64_t sctlr = read_sysreg(sctlr_el1);
	struct operands o = {{0, 0, 0}};
	struct expected e;

	wait_for(wfit, "WFIT");
	wait_for(wfet, "WFET");
	wfit(&o);
	wfet(&o); /* neither waits: this is reached */
	write_sysreg(sctlr_el1, sctlr & ~(SCTLR_nTWI | SCTLR_nTWE));
	isb();
	expect_begin();
	user_call(user_address(user_wait_until), UINT64_MAX, 0, 0);
	e = expect_end();
	/* A wait may end at any time, and is not trapped then (D1.7); RV is 1, RN is 0. */
	CHECK(e.count <= 2 && (e.count == 0 || (e.esr & ~UINT64_C(1)) == 0x07e00006),
	      "%u exceptions at EL0, ESR 0x%lx, not of WFIT or WFET with X0", e.count, e.esr);
	expect_begin();
	user_call(user_address(user_wait_until), 0, 0, 0);
	e = expect_end();
	CHECK(e.count == 0, "%u exceptions at EL0 when the time has come", e.count);
	write_sysreg(sctlr_el1, sctlr | SCTLR_nTWI | SCTLR_nTWE);
	isb();
	expect_begin();
	user_call(user_address(user_wait_until), counter() + 1000, 0, 0);
	e = expect_end();
	CHECK(e.count == 0, "%u exceptions at EL0 with SCTLR_EL1.{nTWI,nTWE}", e.count);
	write_sysreg(sctlr_el1, sctlr);
	isb();
}

void wide_atomics(void)
{
	static uint64_t memory[4] __attribute__((aligned(16)));
	struct operands o = {{0xf0, 0x0f, (uintptr_t)memory}};
	struct expected e;

	memory[0] = 0xff;
	memory[1] = 0xee;
	ldclrp(&o);
	CHECK(o.x[0] == 0xff && o.x[1] == 0xee, "LDCLRP loads 0x%lx, 0x%lx", o.x[0], o.x[1]);
	CHECK(memory[0] == 0x0f && memory[1] == 0xe0, "LDCLRP leaves 0x%lx, 0x%lx", memory[0],
	      memory[1]);
	o.x[0] = 0x100;
	o.x[1] = 0x01;
	ldsetpal(&o);
	CHECK(o.x[0] == 0x0f && o.x[1] == 0xe0 && memory[0] == 0x10f && memory[1] == 0xe1,
	      "LDSETPAL leaves 0x%lx, 0x%lx", memory[0], memory[1]);
	o.x[0] = 1;
	o.x[1] = 2;
	swppa(&o);
	CHECK(o.x[0] == 0x10f && o.x[1] == 0xe1 && memory[0] == 1 && memory[1] == 2,
	      "SWPPA leaves 0x%lx, 0x%lx", memory[0], memory[1]);
	o.x[2] += 8;
	expect_begin();
	swppa(&o);
	e = expect_end();
	CHECK(e.count == 1 && (e.esr & 0x3f) == FSC_ALIGNMENT,
	      "%u exceptions at a multiple of 8, ESR 0x%lx", e.count, e.esr);
}

void ordered_pairs(void)
{
	static uint64_t memory[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
	struct operands o = {{0, 0, (uintptr_t)memory}};

	ldiapp_post(&o);
	CHECK(o.x[0] == 1 && o.x[1] == 2 && o.x[2] == (uintptr_t)(memory + 2),
	      "LDIAPP loads %lu, %lu", o.x[0], o.x[1]);
	ldapr_post(&o);
	CHECK(o.x[0] == 3 && o.x[2] == (uintptr_t)(memory + 3), "LDAPR loads %lu", o.x[0]);
	o.x[0] = UINT64_C(0x123456789);
	stlr_pre(&o);
	CHECK(memory[2] == UINT64_C(0x2345678900000003) && o.x[2] == (uintptr_t)(memory + 3) - 4,
	      "STLR leaves 0x%lx", memory[2]);
	o.x[1] = 8;
	o.x[2] = (uintptr_t)(memory + 2);
	stilp_pre(&o);
	CHECK(memory[0] == UINT64_C(0x123456789) && memory[1] == 8 && o.x[2] == (uintptr_t)memory,
	      "STILP leaves 0x%lx, %lu", memory[0], memory[1]);
}

/* Is a branch of BC.EQ taken? */
static bool branches_if_equal(uint64_t a, uint64_t b)
{
	uint64_t taken = 1;

	__asm__ volatile("cmp	%1, %2\n"
			 ".inst	0x54000050\n" /* bc.eq .+8 */
			 "mov	%0, #0"
			 : "+r"(taken)
			 : "r"(a), "r"(b)
			 : "cc");
	return taken;
}

void consistent_branches(void)
{
	for (unsigned int n = 0; n < 8; n++) {
		const bool equal = n % 3 == n % 2;

		CHECK(branches_if_equal(n % 3, n % 2) == equal, "BC.EQ of %u and %u", n % 3, n % 2);
	}
}

const char *needs_specres(void)
{
	return FIELD(ID_ISAR1, 40) ? NULL : "no FEAT_SPECRES";
}

/* CFP, DVP and CPP RCTX, the last with X0. */
void user_restrict(void);

void prediction_restriction(void)
{
	const uint64_t sctlr = read_sysreg(sctlr_el1);
	struct expected e;

	write_sysreg(sctlr_el1, sctlr & ~SCTLR_EnRCTX);
	isb();
	expect_begin();
	__asm__ volatile("sys #3, c7, c3, #4, xzr\n"
			 "sys #3, c7, c3, #5, xzr\n"
			 "sys #3, c7, c3, #7, xzr" ::
				 : "memory");
	e = expect_end();
	CHECK(e.count == 0, "%u exceptions at EL1, ESR 0x%lx", e.count, e.esr);
	expect_begin();
	user_call(user_address(user_restrict), 0, 0, 0);
	e = expect_end();
	CHECK(e.count == 3 && e.esr == (UINT64_C(0x18) << 26 | UINT64_C(1) << 25 | 0x1edc06),
	      "%u exceptions at EL0, ESR 0x%lx", e.count, e.esr);
	write_sysreg(sctlr_el1, sctlr | SCTLR_EnRCTX);
	isb();
	expect_begin();
	user_call(user_address(user_restrict), 0, 0, 0);
	e = expect_end();
	CHECK(e.count == 0, "%u exceptions at EL0 with SCTLR_EL1.EnRCTX, ESR 0x%lx", e.count,
	      e.esr);
	write_sysreg(sctlr_el1, sctlr);
	isb();
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE2 where qemu-aarch64, which other tests compare with, is not what the Arm ARM says, and what
 * becomes of its instructions without the feature that brings them.
 */
#include "../compare.h"
#include "core_later.h"
#include "soft/flags.h"

#define UQXTNB	 0x45604820 /* uqxtnb z0.s, z1.d */
#define UQXTNT	 0x45604c20 /* uqxtnt z0.s, z1.d */
#define WHILERW	 0x25e13010 /* whilerw p0.d, x0, x1 */
#define WHILEWR	 0x25e13000 /* whilewr p0.d, x0, x1 */
#define FILLED	 UINT64_C(0x0123456789abcdef)
#define ELEMENTS 2 /* doublewords of the 128 bits that vectors have here */

static struct core_machine *sve_machine(bool translated, uint64_t isa)
{
	struct core_machine *m = machine(translated, isa);

	cpu_of(m)->sys.cpacr_el1 |= UINT64_C(3) << 16;
	soft_context_changed(cpu_of(m));
	return m;
}

static void run_word(struct core_machine *m, uint32_t word)
{
	const uint32_t words[] = {word, HVC};

	begin(m, words, ARRAY_SIZE(words));
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
}

/* C8.2, UQXTNB and UQXTNT: SatQ() of an unsigned number */
Test(core_sve2, narrow_unsigned_doublewords)
{
	static const struct {
		uint64_t from;
		uint32_t to;
	} rows[] = {
		{0, 0},
		{UINT32_MAX, UINT32_MAX},
		{UINT64_C(1) << 32, UINT32_MAX},
		{INT64_MAX, UINT32_MAX},
		{UINT64_C(1) << 63, UINT32_MAX},
		{UINT64_C(0x8000000000401019), UINT32_MAX},
		{UINT64_MAX, UINT32_MAX},
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct core_machine *m = sve_machine(SOFT_JIT && i & 1, SOFT_ISA_ALL);
		const uint64_t to = rows[i / 2].to;
		union soft_vector *d = &cpu_of(m)->z[0][0];

		cpu_of(m)->z[0][1] = (union soft_vector){.d = {rows[i / 2].from, 1}};
		*d = (union soft_vector){.d = {FILLED, FILLED}};
		run_word(m, UQXTNT);
		cr_expect_eq(d->d[0], to << 32 | (FILLED & UINT32_MAX), "%zu", i);
		cr_expect_eq(d->d[1], UINT64_C(1) << 32 | (FILLED & UINT32_MAX), "%zu", i);
		run_word(m, UQXTNB);
		cr_expect_eq(d->d[0], to, "%zu", i);
		cr_expect_eq(d->d[1], 1, "%zu", i);
		core_free(m);
	}
}

/* C8.2: of a distance that is less than an element, DIV makes 0, which is no conflict. */
Test(core_sve2, conflicts_of_less_than_an_element)
{
	static const struct {
		int distance;
		unsigned int read_write, write_read; /* true elements */
	} rows[] = {
		{-17, 2, 2}, {-16, 2, 2}, {-15, 1, 2}, {-8, 1, 2}, {-7, 2, 2},
		{-1, 2, 2},  {0, 2, 2},	  {1, 2, 2},   {7, 2, 2},  {8, 1, 1},
		{15, 1, 1},  {16, 2, 2},  {17, 2, 2},
	};
	static const uint16_t lowest[] = {0, 1, 0x101};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct core_machine *m = sve_machine(SOFT_JIT && i & 1, SOFT_ISA_ALL);
		const unsigned int wants[] = {rows[i].read_write, rows[i].write_read};

		core_set(m, 0, 0x1000);
		core_set(m, 1, (uint64_t)(0x1000 + rows[i].distance));
		for (unsigned int n = 0; n < 2; n++) {
			const unsigned int want = wants[n];

			run_word(m, n ? WHILEWR : WHILERW);
			cr_expect_eq(cpu_of(m)->p[0].h[0], lowest[want], "%d: %u", rows[i].distance,
				     n);
			/* N: the first is true; C: the last is not. */
			cr_expect_eq(soft_flags(cpu_of(m)), want == ELEMENTS ? 8 : 10, "%d: %u",
				     rows[i].distance, n);
		}
		core_free(m);
	}
}

/* Each is UNDEFINED with all features but one. */
Test(core_sve2, without_the_feature)
{
	static const struct {
		const char *text;
		uint32_t word;
		uint64_t isa;
	} rows[] = {
		{"mul z0.b, z1.b, z2.b", 0x04226020, SOFT_ISA(SVE2)},
		{"flogb z0.s, p0/m, z1.s", 0x651ca020, SOFT_ISA(SVE2)},
		{"pmullb z0.h, z1.b, z2.b", 0x45426820, SOFT_ISA(SVE2)},
		{"aese z0.b, z0.b, z1.b", 0x4522e020, SOFT_ISA(SVE_AES)},
		{"aesmc z0.b, z0.b", 0x4520e000, SOFT_ISA(SVE_AES)},
		{"pmullb z0.q, z1.d, z2.d", 0x45026820, SOFT_ISA(SVE_PMULL128)},
		{"bext z0.b, z1.b, z2.b", 0x4502b020, SOFT_ISA(SVE_BitPerm)},
		{"rax1 z0.d, z1.d, z2.d", 0x4522f420, SOFT_ISA(SVE_SHA3)},
		{"sm4e z0.s, z0.s, z1.s", 0x4523e020, SOFT_ISA(SVE_SM4)},
		{"sm4ekey z0.s, z1.s, z2.s", 0x4522f020, SOFT_ISA(SVE_SM4)},
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const bool has = i & 1;
		struct core_machine *m =
			sve_machine(false, has ? SOFT_ISA_ALL : SOFT_ISA_ALL & ~rows[i / 2].isa);

		run_word(m, rows[i / 2].word);
		cr_expect_eq(m->exit.call_imm, has ? 0 : 1, "%s", rows[i / 2].text);
		if (!has)
			cr_expect_eq(core_get(m, 21) >> 26, 0, "%s", rows[i / 2].text);
		core_free(m);
	}
}

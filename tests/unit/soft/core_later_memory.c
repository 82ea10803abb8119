/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_LSE128 and FEAT_LRCPC3: registers, memory and alignment of each instruction, as Arm ARM
 * B2.8, C6.2 and C7.2 have them, by handlers and by translated code.
 */
#include "../compare.h"
#include "core_later.h"
#include "tests/splitmix.h"

#include <string.h>

#define ABORT	     (UINT64_C(0x25) << 26 | UINT64_C(1) << 25) /* of data, at EL1 */
#define ALIGNMENT    0x21
#define SCTLR_nAA    (UINT64_C(1) << 6)
#define UNDEFINED_AT (UINT64_C(1) << 25)

/* FEAT_LSE128 */

static void combine(struct core_machine *m, unsigned int operation, unsigned int order,
		    uint64_t *random)
{
	static const uint32_t words[] = {0x19211040, 0x19213040,
					 0x19218040}; /* LDCLRP, LDSETP, SWPP */
	uint64_t x[2], old[2];

	for (unsigned int n = 0; n < 2; n++) {
		x[n] = splitmix64(random);
		old[n] = splitmix64(random);
		core_set(m, n, x[n]);
		core_write(m, DATA + 16 + 8 * n, old[n]);
	}
	begin(m, (const uint32_t[]){words[operation] | order << 22, HVC}, 2);
	core_set(m, 2, DATA + 16);
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
	cr_assert_eq(m->exit.call_imm, 0);
	for (unsigned int n = 0; n < 2; n++) {
		cr_assert_eq(core_get(m, n), old[n], "operation %u", operation);
		cr_assert_eq(core_read(m, DATA + 16 + 8 * n),
			     operation == 0   ? old[n] & ~x[n]
			     : operation == 1 ? old[n] | x[n]
					      : x[n],
			     "operation %u", operation);
	}
}

Test(core_later_memory, atomics_of_two_registers)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		struct core_machine *m = machine(translated, SOFT_ISA(LSE128));
		uint64_t random = 2;

		for (unsigned int n = 0; n < 3 * 4; n++)
			combine(m, n / 4, n % 4, &random);
		core_free(m);
	}
}

/* Neither register may be XZR. */
Test(core_later_memory, atomics_have_no_zero_register)
{
	static const uint32_t words[] = {0x1921105f, 0x193f1040, 0x1921305f,
					 0x193f3040, 0x1921805f, 0x193f8040};
	struct core_machine *m = machine(false, SOFT_ISA_ALL);

	for (size_t n = 0; n < ARRAY_SIZE(words); n++) {
		begin(m, &words[n], 1);
		core_set(m, 2, DATA);
		cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC);
		cr_assert_eq(core_get(m, 21), UNDEFINED_AT, "0x%08x", words[n]);
	}
	core_free(m);
}

/* FEAT_LRCPC3 */

struct access {
	const char *text;
	uint32_t word;
	int8_t at; /* its first byte, from X2 */
	uint8_t size, count;
	bool load, vector;
	uint8_t index; /* ... of a doubleword in V0, which keeps the other */
	int8_t change; /* of X2 */
};

static const struct access accesses[] = {
	{"ldiapp w0, w1, [x2]", 0x99411840, 0, 4, 2, true, false, 0, 0},
	{"ldiapp x0, x1, [x2]", 0xd9411840, 0, 8, 2, true, false, 0, 0},
	{"ldiapp w0, w1, [x2], #8", 0x99410840, 0, 4, 2, true, false, 0, 8},
	{"ldiapp x0, x1, [x2], #16", 0xd9410840, 0, 8, 2, true, false, 0, 16},
	{"stilp w0, w1, [x2]", 0x99011840, 0, 4, 2, false, false, 0, 0},
	{"stilp x0, x1, [x2]", 0xd9011840, 0, 8, 2, false, false, 0, 0},
	{"stilp w0, w1, [x2, #-8]!", 0x99010840, -8, 4, 2, false, false, 0, -8},
	{"stilp x0, x1, [x2, #-16]!", 0xd9010840, -16, 8, 2, false, false, 0, -16},
	{"ldapr w0, [x2], #4", 0x99c00840, 0, 4, 1, true, false, 0, 4},
	{"ldapr x0, [x2], #8", 0xd9c00840, 0, 8, 1, true, false, 0, 8},
	{"stlr w0, [x2, #-4]!", 0x99800840, -4, 4, 1, false, false, 0, -4},
	{"stlr x0, [x2, #-8]!", 0xd9800840, -8, 8, 1, false, false, 0, -8},
	{"ldapur b0, [x2, #-3]", 0x1d5fd840, -3, 1, 1, true, true, 0, 0},
	{"ldapur h0, [x2, #2]", 0x5d402840, 2, 2, 1, true, true, 0, 0},
	{"ldapur s0, [x2, #4]", 0x9d404840, 4, 4, 1, true, true, 0, 0},
	{"ldapur d0, [x2, #-8]", 0xdd5f8840, -8, 8, 1, true, true, 0, 0},
	{"ldapur q0, [x2, #16]", 0x1dc10840, 16, 16, 1, true, true, 0, 0},
	{"stlur b0, [x2, #-3]", 0x1d1fd840, -3, 1, 1, false, true, 0, 0},
	{"stlur h0, [x2, #2]", 0x5d002840, 2, 2, 1, false, true, 0, 0},
	{"stlur s0, [x2, #4]", 0x9d004840, 4, 4, 1, false, true, 0, 0},
	{"stlur d0, [x2, #-8]", 0xdd1f8840, -8, 8, 1, false, true, 0, 0},
	{"stlur q0, [x2, #-16]", 0x1d9f0840, -16, 16, 1, false, true, 0, 0},
	{"ldap1 {v0.d}[0], [x2]", 0x0d418440, 0, 8, 1, true, true, 1, 0},
	{"ldap1 {v0.d}[1], [x2]", 0x4d418440, 0, 8, 1, true, true, 2, 0},
	{"stl1 {v0.d}[0], [x2]", 0x0d018440, 0, 8, 1, false, true, 1, 0},
	{"stl1 {v0.d}[1], [x2]", 0x4d018440, 0, 8, 1, false, true, 2, 0},
};

#define ROOM 64

/* The registers that it transfers, as bytes, before or after: X0 and X1, or V0. */
static void get_bytes(struct core_machine *m, const struct access *a, uint8_t *bytes)
{
	if (a->vector) {
		memcpy(bytes, &cpu_of(m)->v[0], 16);
		return;
	}
	for (unsigned int n = 0; n < 2; n++) {
		const uint64_t value = core_get(m, n);

		memcpy(bytes + 8 * (size_t)n, &value, 8);
	}
}

/* What a load leaves in them. */
static void load_bytes(const struct access *a, const uint8_t *from, uint8_t *bytes)
{
	if (a->index) {
		memcpy(bytes + 8 * (a->index - 1u), from, 8);
		return;
	}
	memset(bytes, 0, a->vector ? 16 : 8u * a->count);
	for (unsigned int n = 0; n < a->count; n++)
		memcpy(bytes + 8 * (size_t)n, from + (size_t)n * a->size, a->size);
}

static void store_bytes(const struct access *a, const uint8_t *bytes, uint8_t *to)
{
	const unsigned int skip = a->index ? 8 * (a->index - 1u) : 0;

	for (unsigned int n = 0; n < a->count; n++)
		memcpy(to + (size_t)n * a->size, bytes + skip + 8 * (size_t)n, a->size);
}

static void transfer(struct core_machine *m, const struct access *a, uint64_t *random)
{
	uint8_t *memory = m->ram + (DATA - RAM_BASE), wanted[ROOM], bytes[16], got[16];

	for (unsigned int n = 0; n < ROOM; n++)
		wanted[n] = (uint8_t)splitmix64(random);
	memcpy(memory, wanted, ROOM);
	for (unsigned int n = 0; n < 2; n++) {
		core_set(m, n, splitmix64(random));
		cpu_of(m)->v[0].d[n] = splitmix64(random);
	}
	get_bytes(m, a, bytes);
	if (a->load)
		load_bytes(a, wanted + 32 + a->at, bytes);
	else
		store_bytes(a, bytes, wanted + 32 + a->at);
	begin(m, (const uint32_t[]){a->word, HVC}, 2);
	core_set(m, 2, BASE);
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC, "%s", a->text);
	cr_assert_eq(m->exit.call_imm, 0, "%s", a->text);
	get_bytes(m, a, got);
	cr_assert_arr_eq(got, bytes, 16, "%s: registers", a->text);
	cr_assert_arr_eq(memory, wanted, ROOM, "%s: memory", a->text);
	cr_assert_eq(core_get(m, 2), BASE + (uint64_t)(int64_t)a->change, "%s", a->text);
}

Test(core_later_memory, ordered_accesses)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		struct core_machine *m = machine(translated, SOFT_ISA_ALL);
		uint64_t random = 3;

		for (size_t n = 0; n < ARRAY_SIZE(accesses); n++)
			transfer(m, &accesses[n], &random);
		core_free(m);
	}
}

/*
 * Arm ARM B2.8: without FEAT_LSE2 each register's transfer is aligned. With it, an access within 16
 * aligned bytes may be unaligned, and any with SCTLR_ELx.nAA, but atomics.
 */
static const struct {
	const char *text;
	uint32_t word;
	uint8_t at;	/* X2, from DATA */
	bool faults[3]; /* without FEAT_LSE2, with it, with nAA too */
	bool write;	/* WnR */
} alignments[] = {
	{"ldiapp w0, w1, [x2]", 0x99411840, 4, {false, false, false}, false},
	{"ldiapp w0, w1, [x2]", 0x99411840, 2, {true, false, false}, false},
	{"ldiapp w0, w1, [x2]", 0x99411840, 9, {true, true, false}, false},
	{"ldiapp w0, w1, [x2]", 0x99411840, 12, {false, false, false}, false},
	{"ldiapp x0, x1, [x2]", 0xd9411840, 8, {false, false, false}, false},
	{"ldiapp x0, x1, [x2]", 0xd9411840, 4, {true, true, false}, false},
	{"stilp w0, w1, [x2]", 0x99011840, 7, {true, false, false}, true},
	{"stilp x0, x1, [x2]", 0xd9011840, 1, {true, true, false}, true},
	{"ldapr w0, [x2], #4", 0x99c00840, 12, {false, false, false}, false},
	{"ldapr w0, [x2], #4", 0x99c00840, 11, {true, false, false}, false},
	{"ldapr w0, [x2], #4", 0x99c00840, 13, {true, true, false}, false},
	{"stlr x0, [x2, #-8]!", 0xd9800840, 17, {true, true, false}, true},
	{"stlr x0, [x2, #-8]!", 0xd9800840, 14, {true, false, false}, true},
	{"ldapur d0, [x2]", 0xdd400840, 8, {false, false, false}, false},
	{"ldapur d0, [x2]", 0xdd400840, 3, {true, false, false}, false},
	{"ldapur d0, [x2]", 0xdd400840, 9, {true, true, false}, false},
	{"ldapur q0, [x2]", 0x1dc00840, 8, {true, true, false}, false},
	{"stlur q0, [x2, #-16]", 0x1d9f0840, 17, {true, true, false}, true},
	{"ldap1 {v0.d}[1], [x2]", 0x4d418440, 8, {false, false, false}, false},
	{"ldap1 {v0.d}[1], [x2]", 0x4d418440, 5, {true, false, false}, false},
	{"stl1 {v0.d}[1], [x2]", 0x4d018440, 12, {true, true, false}, true},
	{"ldclrp x0, x1, [x2]", 0x19211040, 8, {true, true, true}, false},
	{"ldsetp x0, x1, [x2]", 0x19213040, 1, {true, true, true}, false},
	{"swpp x0, x1, [x2]", 0x19218040, 4, {true, true, true}, false},
};

static void check_alignment(struct core_machine *m, size_t n, unsigned int how)
{
	const bool faults = alignments[n].faults[how];
	const uint64_t va = DATA + alignments[n].at;
	uint64_t far = va;

	if (alignments[n].word == 0xd9800840)
		far -= 8;
	else if (alignments[n].word == 0x1d9f0840)
		far -= 16;
	begin(m, (const uint32_t[]){alignments[n].word, HVC}, 2);
	core_set(m, 2, va);
	core_set(m, 0, 1);
	core_set(m, 1, 2);
	cr_assert_eq(core_run(m, 10), ENGINE_EXIT_HVC, "%s", alignments[n].text);
	cr_expect_eq(m->exit.call_imm, faults, "%s at %u, %u", alignments[n].text, alignments[n].at,
		     how);
	if (!faults || m->exit.call_imm != 1)
		return;
	cr_expect_eq(core_get(m, 20), far, "%s", alignments[n].text);
	cr_expect_eq(core_get(m, 21), ABORT | (alignments[n].write ? 0x40 : 0) | ALIGNMENT,
		     "%s: 0x%llx", alignments[n].text, (unsigned long long)core_get(m, 21));
	cr_expect_eq(core_get(m, 0), 1, "%s", alignments[n].text);
	cr_expect_eq(core_get(m, 1), 2, "%s", alignments[n].text);
	cr_expect_eq(core_get(m, 2), va, "%s", alignments[n].text);
}

Test(core_later_memory, alignment)
{
	for (unsigned int translated = 0; translated <= SOFT_JIT; translated++) {
		for (unsigned int how = 0; how < 3; how++) {
			struct core_machine *m = machine(
				translated, how ? SOFT_ISA_ALL : SOFT_ISA_ALL & ~SOFT_ISA(LSE2));

			if (how == 2)
				cpu_of(m)->sys.sctlr[1] |= SCTLR_nAA;
			for (size_t n = 0; n < ARRAY_SIZE(alignments); n++)
				check_alignment(m, n, how);
			core_free(m);
		}
	}
}

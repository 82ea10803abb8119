/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of SVE instructions that end in a way that Arm leaves open what a record shows (Arm ARM
 * D17.6.10), so that no guest can test it: accesses that do not reach all of their elements, and
 * misspeculated ones. Each is sampled in single steps, in blocks and translated, with the same
 * records.
 */
#include "../compare.h"
#include "core_regimes.h"
#include "soft/run/jit/jit.h"
#include "soft/sampling/sample.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#include <string.h>

#define VL	 32 /* bytes: four doublewords */
#define ELEMENTS (VL / 8)
#define HOLE	 (DATA + 0x1000)
#define TURNS	 1000

#define ADD	     0x04c00040 /* add z0.d, p0/m, z0.d, z2.d */
#define ADD_PLAIN    0x04e30040 /* add z0.d, z2.d, z3.d */
#define LD1D	     0xa5e0a0e0 /* ld1d {z0.d}, p0/z, [x7] */
#define ST1D	     0xe5e0e0e0 /* st1d {z0.d}, p0, [x7] */
#define LD1D_GATHER  0xc5c1c0e0 /* ld1d {z0.d}, p0/z, [x7, z1.d] */
#define STNT1D	     0xe5872020 /* stnt1d {z0.d}, p0, [z1.d, x7] */
#define SQADD	     0x44d88040 /* sqadd z0.d, p0/m, z0.d, z2.d */
#define FLOGB	     0x651ea040 /* flogb z0.d, p0/m, z2.d */
#define MATCH	     0x45238043 /* match p3.b, p0/z, z2.b, z3.b */
#define SADDLB	     0x45c30040 /* saddlb z0.d, z2.s, z3.s */
#define LDFF1D	     0xa5ff60e0 /* ldff1d {z0.d}, p0/z, [x7] */
#define LDNF1D	     0xa5f0a0e0 /* ldnf1d {z0.d}, p0/z, [x7] */
#define LD1RD	     0x85c0e0e0 /* ld1rd {z0.d}, p0/z, [x7] */
#define LDR_Z	     0x858040e0 /* ldr z0, [x7] */
#define HVC_9	     0xd4000122
#define SUB_X3	     0xd1000463 /* sub x3, x3, #1 */
#define CBNZ_X3_BACK 0xb5ffffc3 /* cbnz x3, .-8 */

#define EXCEPTION 0x1
#define NOT_FULL  0x20000
#define EMPTY	  0x60000

static const uint32_t before[] = {
	0xd5181049, /* msr cpacr_el1, x9 */
	0xd5181210, /* msr zcr_el1, x16 */
	0xd5033fdf, /* isb */
};

static const uint32_t skip_it[] = {
	0xd5384038, /* mrs x24, elr_el1 */
	0x91001318, /* add x24, x24, #4 */
	0xd5184038, /* msr elr_el1, x24 */
	0xd69f03e0, /* eret */
};

#define LEAD (sizeof(program_mmu_on) + sizeof(before))

struct record {
	uint64_t pc, va, pa, events;
	bool has_va, has_pa;
	uint8_t type, payload;
};

static void take_packet(void *record, uint8_t header, uint64_t value)
{
	struct record *r = record;

	switch (header) {
	case 0xb0: r->pc = value & ~(UINT64_C(0xff) << 56); break;
	case 0xb2: r->va = value, r->has_va = true; break;
	case 0xb3: r->pa = value & ~(UINT64_C(0xff) << 56), r->has_pa = true; break;
	case 0x48:
	case 0x49:
	case 0x4a: r->type = header, r->payload = (uint8_t)value; break;
	case 0x42:
	case 0x52:
	case 0x62:
	case 0x72: r->events = value; break;
	default: break;
	}
}

static struct record record_at(const struct core_machine *m, size_t n)
{
	struct record r = {0};

	core_each_packet(m, n, 64, take_packet, &r);
	return r;
}

struct row {
	const char *name;
	uint32_t word;
	uint64_t va;
	uint8_t active; /* a bit for each doubleword */
	uint8_t type, payload;
	uint64_t events; /* of these */
	uint64_t shown;	 /* the address, or 0 */
	bool pa;
};

static struct core_machine *run_row(const struct row *row, bool steps, enum soft_jit_wish jit)
{
	const struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL,
		.sve_vl = VL,
		.single_step = steps,
		.jit = jit,
		.jit_at_once = true,
	};
	const uint32_t program[] = {row->word, SUB_X3, CBNZ_X3_BACK, HVC_9};
	struct core_machine *m = core_new(
		(struct core_options){.spe = true, .single_step = steps, .model = &tuning});

	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, CODE + sizeof(program_mmu_on), before);
	CORE_LOAD(m, CODE + LEAD, program);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, skip_it);
	core_map(m, HOLE);
	core_set(m, 9, 0x330000);
	core_set(m, 16, VL / 16 - 1);
	core_run(m, LEAD / 4);
	core_set(m, 3, TURNS);
	core_set(m, 7, row->va);
	for (unsigned int e = 0; e < ELEMENTS; e++) {
		soft(m)->z[e / 2][1].d[e % 2] = 16 * e;
		soft(m)->p[0].b[e] = row->active >> e & 1;
	}
	memset(soft(m)->p[SOFT_FFR].b, 0xff, VL / 8);
	core_profile(m, 256);
	cr_assert_eq(core_run(m, UINT64_C(100) * TURNS), ENGINE_EXIT_HVC, "%s", row->name);
	return m;
}

static void check_records(const struct core_machine *m, const struct row *row)
{
	unsigned int there = 0;

	for (size_t n = 0; n < m->record_bytes / 64; n++) {
		const struct record r = record_at(m, n);

		if (r.pc != CODE + LEAD)
			continue;
		there++;
		cr_assert_eq(r.type, row->type, "%s: %02x", row->name, r.type);
		cr_assert_eq(r.payload, row->payload, "%s: %02x", row->name, r.payload);
		cr_assert_eq(r.events & (EXCEPTION | EMPTY), row->events, "%s: events 0x%lx",
			     row->name, (unsigned long)r.events);
		cr_assert_eq(r.has_va, row->shown != 0, "%s: an address", row->name);
		cr_assert_eq(r.va, row->shown, "%s: 0x%lx", row->name, (unsigned long)r.va);
		cr_assert_eq(r.has_pa, row->pa, "%s: a physical address", row->name);
		cr_assert_eq(r.pa, row->pa ? row->shown : 0, "%s", row->name);
	}
	cr_assert_geq(there, 2, "%s: %u records", row->name, there);
}

/* The one whose element was not loaded has an address that was not translated. */
static const struct row rows[] = {
	{"all of it", LD1D, HOLE - 32, 0xf, 0x49, 0x3c, 0, HOLE - 32, true},
	{"from the second on", LD1D, HOLE - 32, 0xe, 0x49, 0x3c, NOT_FULL, HOLE - 24, true},
	{"a fault at the first", LD1D, HOLE, 0xf, 0x49, 0x3c, EXCEPTION, HOLE, false},
	{"a fault at the third", ST1D, HOLE - 16, 0xf, 0x49, 0x3d, EXCEPTION, HOLE - 16, false},
	{"none", LD1D, HOLE, 0, 0x49, 0x3c, EMPTY, 0, false},
	{"none of a store", ST1D, HOLE, 0, 0x49, 0x3d, EMPTY, 0, false},
	{"none of a gather", LD1D_GATHER, HOLE, 0, 0x49, 0xbc, EMPTY, 0, false},
	{"first-fault, two", LDFF1D, HOLE - 16, 0xf, 0x49, 0x3c, 0, HOLE - 16, true},
	{"first-fault, the second", LDFF1D, HOLE - 16, 0xe, 0x49, 0x3c, NOT_FULL, HOLE - 8, true},
	{"non-fault, one", LDNF1D, HOLE - 8, 0xf, 0x49, 0x3c, 0, HOLE - 8, true},
	{"non-fault, not the first", LDNF1D, HOLE, 0xf, 0x49, 0x3c, 0, HOLE, false},
	{"non-fault, not the second", LDNF1D, HOLE, 0xe, 0x49, 0x3c, NOT_FULL, HOLE + 8, false},
	{"non-fault, none", LDNF1D, HOLE, 0, 0x49, 0x3c, EMPTY, 0, false},
	{"one for all", LD1RD, HOLE - 8, 0xc, 0x49, 0x3c, NOT_FULL, HOLE - 8, true},
	{"a whole register", LDR_Z, HOLE - 32, 0, 0x49, 0x38, 0, HOLE - 32, true},
	{"data processing", ADD, HOLE, 0x5, 0x48, 0x3c, NOT_FULL, 0, false},
	{"... of all", ADD, HOLE, 0xf, 0x48, 0x3c, 0, 0, false},
	{"... of no predicate", ADD_PLAIN, HOLE, 0, 0x48, 0x38, 0, 0, false},
	{"of SVE2, without a predicate", SADDLB, HOLE, 0, 0x48, 0x38, 0, 0, false},
	{"... predicated", SQADD, HOLE, 0x5, 0x48, 0x3c, NOT_FULL, 0, false},
	{"... of numbers", FLOGB, HOLE, 0, 0x48, 0x3e, EMPTY, 0, false},
	{"... a comparison", MATCH, HOLE, 0x5, 0x48, 0x38, 0, 0, false},
	{"... a scatter, none", STNT1D, HOLE, 0, 0x49, 0xbd, EMPTY, 0, false},
};

static void same_records(const struct core_machine *a, const struct core_machine *b,
			 const char *name)
{
	cr_assert_eq(a->record_bytes, b->record_bytes, "%s", name);
	cr_assert_arr_eq(a->records, b->records, a->record_bytes, "%s", name);
}

Test(core_sve_sampled, accesses_that_do_not_reach_all)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct core_machine *steps = run_row(&rows[i], true, SOFT_JIT_OFF);
		struct core_machine *blocks = run_row(&rows[i], false, SOFT_JIT_OFF);

		check_records(steps, &rows[i]);
		same_records(blocks, steps, rows[i].name);
		core_free(blocks);
		if (SOFT_JIT) {
			blocks = run_row(&rows[i], false, SOFT_JIT_ON);
			same_records(blocks, steps, rows[i].name);
			core_free(blocks);
		}
		core_free(steps);
	}
}

/* Where SVE is trapped its length alone is shown: the registers may be another program's. */
Test(core_sve_sampled, trapped)
{
	static const uint32_t words[] = {ADD, LD1D, ST1D, LD1D_GATHER};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct row row = {.name = "trapped", .word = words[i], .va = HOLE - 64};
		struct core_machine *m = run_row(&row, true, SOFT_JIT_OFF);
		struct soft_sample open = {0}, trapped = {0};
		const struct a64_insn *insn = soft_decode(words[i]);

		soft(m)->p[0].b[0] = soft(m)->p[0].b[2] = 1;
		open.record = trapped.record =
			(struct spe_op){.type_header = words[i] == ADD ? 0x48 : 0x49,
					.type_payload = 0x0c,
					.flags = words[i] == ADD    ? 0
						 : words[i] == ST1D ? SPE_OP_STORE
								    : SPE_OP_LOAD};
		soft(m)->sve_trapped = false;
		soft_sample_vector(soft(m), insn, words[i], &open);
		soft(m)->sve_trapped = true;
		soft_sample_vector(soft(m), insn, words[i], &trapped);
		cr_expect_eq(open.record.events, NOT_FULL);
		cr_expect_eq(trapped.record.events, 0);
		cr_expect_eq(trapped.record.type_payload, 0x3c);
		cr_expect_eq(trapped.record.flags & SPE_OP_VA_VALID, 0);
		cr_expect_eq(trapped.record.data_va, 0);
		core_free(m);
	}
}

/* On a path that was wrong the instruction has no result, but its type is known. */
Test(core_sve_sampled, misspeculated)
{
	struct core_machine *m = run_row(&rows[0], true, SOFT_JIT_OFF);
	struct spe_op r = {0};

	soft_sample_wrong(soft(m), CODE, soft_decode(LD1D), LD1D, &r);
	cr_expect_eq(r.type_header, 0x49);
	cr_expect_eq(r.type_payload, 0x3c, "%02x", r.type_payload);
	cr_expect_eq(r.events, 0);
	cr_expect_eq(r.flags & SPE_OP_VA_VALID, 0);
	soft_sample_wrong(soft(m), CODE, soft_decode(HVC_9), HVC_9, &r);
	cr_expect_eq(r.type_payload, 0);
	core_free(m);
}

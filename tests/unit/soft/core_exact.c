/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes the profiling unit look at every operation: the previous branch target (FEAT_SPE_PBT;
 * Arm ARM D18.2, address packet 4) and a population of micro-ops (no FEAT_SPE_ArchInst; D17.2).
 * Also records that wait for FEAT_PAuth's result for an address.
 */
#include "../compare.h"
#include "core_support.h"

#include <string.h>

#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "soft/model/model.h"
#include "soft/tuning.h"

static uint64_t members_of(struct engine_vcpu *vcpu)
{
	struct spe_stats stats;

	spe_stats(engine_soft.vcpu_spe(vcpu), &stats);
	return stats.population;
}

/* Members of the population up to the first selection, and from each to the next: D17.3. */
#define FIRST 257
#define AFTER 257

#define NOP	    0xd503201f
#define B_8	    0x14000002 /* b .+8 */
#define B_SELF	    0x14000000
#define BR_X10	    0xd61f0140
#define BLR_X10	    0xd63f0140
#define CBZ_XZR_8   0xb400005f /* taken */
#define CBNZ_XZR_8  0xb500005f /* not taken */
#define SVC	    0xd4000001
#define ERET	    0xd69f03e0
#define ISB	    0xd5033fdf
#define PROFILE_OFF 0xd518991f /* msr pmscr_el1, xzr */
#define PROFILE_ON  0xd518990b /* msr pmscr_el1, x11 */
#define LDP	    0xa9401043 /* ldp x3, x4, [x2] */

#define EVENT_EXCEPTION 0x1
#define EVENT_NOT_TAKEN 0x40

struct record {
	uint64_t pc, target, va, pa, previous, timestamp, events;
	bool has_va, has_pa, has_previous;
	uint8_t type, payload;
};

static void take_packet(void *record, uint8_t header, uint64_t value)
{
	struct record *r = record;

	switch (header) {
	case 0xb0: r->pc = value & ~(UINT64_C(0xff) << 56); break;
	case 0xb1: r->target = value; break;
	case 0xb2: r->va = value, r->has_va = true; break;
	case 0xb3: r->pa = value & ~(UINT64_C(0xff) << 56), r->has_pa = true; break;
	case 0xb4: r->previous = value, r->has_previous = true; break;
	case 0x48:
	case 0x49:
	case 0x4a: r->type = header, r->payload = (uint8_t)value; break;
	case 0x42:
	case 0x52:
	case 0x62:
	case 0x72: r->events = value; break;
	case 0x71: r->timestamp = value; break;
	default: break;
	}
}

/* The n-th record. */
static struct record record_at(const struct core_machine *m, size_t n, size_t size)
{
	struct record r = {0};

	core_each_packet(m, n, size, take_packet, &r);
	return r;
}

/* FEAT_SPE_PBT */

struct flow {
	const char *name;
	uint32_t words[8];    /* they begin at NOPs, after as many NOPs as needed */
	unsigned int members; /* of the population that they execute, up to the sampled branch */
	uint32_t vector[2];   /* at the vector of synchronous exceptions */
	enum { PLAIN, NO_RETURN, EXCEPTION, WITH_ISB } choice;
	int previous; /* offset from the words, or: */
};

#define NONE  (-1)
#define ENTRY (-2) /* the vector */

static const struct flow flows[] = {
	{"nothing was before", {B_8}, 1, {0}, PLAIN, NONE},
	{"a direct branch", {B_8, NOP, B_8}, 2, {0}, PLAIN, 8},
	{"the last of two", {B_8, NOP, B_8, NOP, B_8}, 3, {0}, PLAIN, 16},
	{"a conditional one", {CBZ_XZR_8, NOP, B_8}, 2, {0}, PLAIN, 8},
	{"one not taken", {B_8, NOP, CBNZ_XZR_8, B_8}, 3, {0}, PLAIN, 8},
	{"to the next instruction", {0x14000001, B_8}, 2, {0}, PLAIN, 4},
	{"indirect", {BR_X10, NOP, B_8}, 2, {0}, PLAIN, 8},
	{"indirect call", {BLR_X10, NOP, B_8}, 2, {0}, PLAIN, 8},
	{"exception entry does not count", {B_8, NOP, SVC}, 3, {B_8}, PLAIN, 8},
	{"exception entry counts", {B_8, NOP, SVC}, 3, {B_8}, EXCEPTION, ENTRY},
	{"exception return counts", {B_8, NOP, SVC, B_8}, 4, {ERET}, PLAIN, 12},
	{"exception return does not", {B_8, NOP, SVC, B_8}, 4, {ERET}, NO_RETURN, 8},
	{"ISB does not count", {B_8, NOP, ISB, B_8}, 3, {0}, PLAIN, 8},
	{"ISB counts", {B_8, NOP, ISB, B_8}, 3, {0}, WITH_ISB, 12},
	{"a branch while disabled",
	 {B_8, NOP, PROFILE_OFF, B_8, NOP, PROFILE_ON, B_8},
	 3,
	 {0},
	 PLAIN,
	 NONE},
	{"none while disabled",
	 {B_8, NOP, PROFILE_OFF, NOP, CBNZ_XZR_8, PROFILE_ON, B_8},
	 3,
	 {0},
	 PLAIN,
	 8},
	{"an exception and its return while disabled",
	 {B_8, NOP, PROFILE_OFF, SVC, PROFILE_ON, B_8},
	 3,
	 {ERET},
	 PLAIN,
	 NONE},
	{"... that do not count",
	 {B_8, NOP, PROFILE_OFF, SVC, PROFILE_ON, B_8},
	 3,
	 {ERET},
	 NO_RETURN,
	 8},
	{"ISB while disabled",
	 {B_8, NOP, PROFILE_OFF, ISB, PROFILE_ON, B_8},
	 3,
	 {0},
	 WITH_ISB,
	 NONE},
	{"a branch when enabled again",
	 {PROFILE_OFF, B_8, NOP, PROFILE_ON, B_8, NOP, B_8},
	 3,
	 {0},
	 PLAIN,
	 24},
};

/* The pieces of a run must not show. */
static const struct {
	bool single_step;
	uint64_t chunk;
} ways[] = {{true, 10000}, {false, 10000}, {false, 1}, {false, 7}};

static void check_flow(const struct flow *f, bool single_step, uint64_t chunk)
{
	const unsigned int nops = FIRST - f->members;
	const uint64_t words = CODE + 4 * (uint64_t)nops;
	struct spe_config config;
	struct core_machine *m;
	struct record r;

	spe_config_defaults(&config, SPE_V1P2);
	config.pbt = true;
	config.pbt_return = f->choice != NO_RETURN;
	config.pbt_exception = f->choice == EXCEPTION;
	config.pbt_isb = f->choice == WITH_ISB;
	m = core_new(
		(struct core_options){.single_step = single_step, .spe = true, .config = &config});
	for (unsigned int n = 0; n < nops + 16; n++)
		core_load(m, CODE + 4 * (uint64_t)n, &(uint32_t){n < nops ? NOP : B_SELF}, 1);
	core_load(m, words, f->words, 8);
	core_load(m, VECTORS + VECTOR_SYNC, f->vector, 2);
	core_set(m, 10, words + 8);
	core_set(m, 11, 0x33);
	/* VBAR_EL1: msr vbar_el1, x12, before profiling is on */
	core_load(m, DATA, (const uint32_t[]){0xd518c00c, 0xd61f01a0}, 2); /* br x13 */
	core_set(m, 12, VECTORS);
	core_set(m, 13, CODE);
	core_set(m, PC, DATA);
	core_run(m, 2);
	cr_assert_eq(core_get(m, PC), CODE);
	core_profile(m, 256);
	for (uint64_t ops = 0; ops < 300; ops += chunk)
		core_run(m, chunk < 300 - ops ? chunk : 300 - ops);
	r = record_at(m, 0, 64);
	cr_assert_eq(r.type, 0x4a, "%s", f->name);
	cr_assert_eq(r.has_previous, f->previous != NONE, "%s", f->name);
	if (f->previous != NONE)
		cr_assert_eq(r.previous & 0xffffffffffff,
			     f->previous == ENTRY ? VECTORS + VECTOR_SYNC
						  : words + (uint64_t)f->previous,
			     "%s: 0x%llx", f->name, (unsigned long long)r.previous);
	if (f->previous != NONE)
		cr_assert_eq(r.previous >> 56, 0xa0, "%s: EL1, Non-secure", f->name);
	core_free(m);
}

/* RULE("D17.6.3.1/previous"), RULE("D17.6.3.1/choices") */
Test(core_exact, previous_branch_target)
{
	for (size_t n = 0; n < ARRAY_SIZE(flows); n++) {
		for (size_t way = 0; way < ARRAY_SIZE(ways); way++)
			check_flow(&flows[n], ways[way].single_step, ways[way].chunk);
	}
}

/* FEAT_PAuth: records have the address after authentication, without a code. */

static const struct {
	const char *name;
	uint32_t word, sign; /* of X10 or X30, which points to the word, or to the data */
	uint8_t type, payload;
} authenticated[] = {
	{"braa x10, x1", 0xd71f0941, 0xdac1002a, 0x4a, 0x02},
	{"brabz x10", 0xd61f0d5f, 0xdac127ea, 0x4a, 0x02},
	{"blraaz x10", 0xd63f095f, 0xdac123ea, 0x4a, 0x02},
	{"retaa", 0xd65f0bff, 0xdac103fe, 0x4a, 0x02},
	{"retab", 0xd65f0fff, 0xdac107fe, 0x4a, 0x02},
	{"ldraa x3, [x10, #8]", 0xf8201543, 0xdac12bea, 0x49, 0x00},
	{"ldrab x3, [x10, #8]", 0xf8a01543, 0xdac12fea, 0x49, 0x00},
};

static void check_authenticated(size_t n, bool single_step, uint64_t chunk)
{
	static const struct engine_tuning tuning = {.isa = SOFT_ISA_ALL, .sve_vl = 64};
	const bool load = authenticated[n].type == 0x49;
	const uint64_t to = load ? DATA + 0x100 : CODE;
	const uint32_t setup[] = {0xd518100c /* msr sctlr_el1, x12 */, ISB, authenticated[n].sign,
				  0xd61f01a0 /* br x13 */};
	const uint32_t code[] = {authenticated[n].word, 0x17ffffff /* b .-4 */};
	struct spe_config config;
	struct core_machine *m;
	struct record r;

	spe_config_defaults(&config, SPE_V1P2);
	config.crr = false;
	m = core_new((struct core_options){
		.single_step = single_step, .spe = true, .config = &config, .model = &tuning});
	CORE_LOAD(m, DATA, setup);
	CORE_LOAD(m, CODE, code);
	core_set(m, 10, to);
	core_set(m, 30, to);
	core_set(m, 12, SCTLR_ELx_EnIA | SCTLR_ELx_EnIB | SCTLR_ELx_EnDA | SCTLR_ELx_EnDB);
	core_set(m, 13, CODE);
	core_set(m, PC, DATA);
	core_run(m, 4);
	cr_assert_eq(core_get(m, PC), CODE);
	cr_assert_neq(core_get(m, 10) ^ core_get(m, 30), 0, "%s: a code", authenticated[n].name);
	core_profile(m, 256);
	for (uint64_t ops = 0; ops < 300; ops += chunk)
		core_run(m, chunk < 300 - ops ? chunk : 300 - ops);
	r = record_at(m, 0, 64);
	cr_expect_eq(r.pc, CODE, "%s: at 0x%lx", authenticated[n].name, r.pc);
	cr_expect_eq(r.type, authenticated[n].type, "%s: %x", authenticated[n].name, r.type);
	cr_expect_eq(r.payload, authenticated[n].payload, "%s: %x", authenticated[n].name,
		     r.payload);
	cr_expect_eq(r.has_va, load, "%s", authenticated[n].name);
	if (load) {
		cr_expect_eq(r.va, to + 8, "%s: 0x%lx", authenticated[n].name, r.va);
		cr_expect_eq(r.pa, to + 8, "%s: 0x%lx", authenticated[n].name, r.va);
	} else
		cr_expect_eq(r.target & 0xffffffffffffff, to, "%s: to 0x%lx", authenticated[n].name,
			     r.target);
	core_free(m);
}

Test(core_exact, behind_authentication)
{
	for (size_t n = 0; n < ARRAY_SIZE(authenticated); n++) {
		for (size_t way = 0; way < ARRAY_SIZE(ways); way++)
			check_authenticated(n, ways[way].single_step, ways[way].chunk);
	}
}

/* Micro-ops */

static const uint32_t loop[] = {
	0xa8c11043, /* ldp x3, x4, [x2], #16 */
	0xa9bf1043, /* stp x3, x4, [x2, #-16]! */
	0xf8408445, /* ldr x5, [x2], #8 */
	0xf81f8c45, /* str x5, [x2, #-8]! */
	0xf9400046, /* ldr x6, [x2] */
	0xf1000529, /* subs x9, x9, #1 */
	0x54ffff41, /* b.ne .-24 */
	B_SELF,
};

#define LOOP_INSTRUCTIONS 7
#define ITERATIONS	  2000

/* The micro-ops of an iteration: instruction, operation type, offset of the data. */
static const struct {
	unsigned int instruction;
	uint8_t type, payload;
	int data; /* -1: none */
} micro_ops[] = {
	{0, 0x49, 0, 0},  {0, 0x49, 0, 8},  {0, 0x48, 0, -1}, {1, 0x49, 1, 0}, {1, 0x49, 1, 8},
	{1, 0x48, 0, -1}, {2, 0x49, 0, 0},  {2, 0x48, 0, -1}, {3, 0x49, 1, 0}, {3, 0x48, 0, -1},
	{4, 0x49, 0, 0},  {5, 0x48, 0, -1}, {6, 0x4a, 1, -1},
};

#define LOOP_MICRO_OPS ARRAY_SIZE(micro_ops)

static struct core_machine *run_loop(bool single_step, uint64_t chunk)
{
	const uint64_t total = LOOP_INSTRUCTIONS * ITERATIONS;
	struct spe_config config;
	struct core_machine *m;

	spe_config_defaults(&config, SPE_V1P2);
	config.arch_inst = false;
	m = core_new(
		(struct core_options){.single_step = single_step, .spe = true, .config = &config});
	CORE_LOAD(m, CODE, loop);
	core_set(m, 2, DATA);
	core_set(m, 9, ITERATIONS);
	core_profile(m, 256);
	for (uint64_t ops = 0; ops < total; ops += chunk)
		core_run(m, chunk < total - ops ? chunk : total - ops);
	cr_assert_eq(core_get(m, PC), CODE + 4 * LOOP_INSTRUCTIONS);
	return m;
}

/*
 * RULE("D17.2/operations"), RULE("IXNXRN"), RULE("D17.6/timestamp"), RULE("D17.6.2/micro-ops"),
 * RULE("D17.6.4/parts")
 * Each record is that of the micro-op at which the interval counter ended.
 */
Test(core_exact, population_of_micro_ops)
{
	const uint64_t total = LOOP_MICRO_OPS * ITERATIONS;
	const size_t count = (total - FIRST) / AFTER + 1;
	struct core_machine *reference = run_loop(true, 1000000);

	cr_assert_eq(members_of(reference->cpu[0]), total);
	cr_assert_eq(engine_soft.vcpu_ops(reference->cpu[0]), LOOP_INSTRUCTIONS * ITERATIONS);
	cr_assert_eq(reference->record_bytes, 64 * count);
	for (size_t n = 0; n < count; n++) {
		const uint64_t position = FIRST - 1 + n * AFTER;
		const uint64_t iteration = position / LOOP_MICRO_OPS;
		const size_t at = position % LOOP_MICRO_OPS;
		const uint64_t va = DATA + (uint64_t)micro_ops[at].data;
		const struct record r = record_at(reference, n, 64);

		cr_assert_eq(r.pc, CODE + 4 * micro_ops[at].instruction, "record %zu", n);
		cr_assert_eq(r.type, micro_ops[at].type, "record %zu", n);
		cr_assert_eq(r.payload, micro_ops[at].payload, "record %zu", n);
		cr_assert_eq(r.timestamp, iteration * LOOP_INSTRUCTIONS + micro_ops[at].instruction,
			     "record %zu: in executed instructions", n);
		cr_assert_eq(r.has_va, micro_ops[at].data >= 0, "record %zu", n);
		cr_assert_eq(r.has_pa, r.has_va, "record %zu", n);
		if (r.has_va) {
			cr_assert_eq(r.va, va, "record %zu", n);
			cr_assert_eq(r.pa, va, "record %zu", n);
		}
		cr_assert_eq(r.events & EVENT_NOT_TAKEN, 0, "record %zu", n);
	}
	for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
		struct core_machine *m = run_loop(ways[way].single_step, ways[way].chunk);

		cr_assert(core_same(m, reference));
		cr_assert_eq(m->record_bytes, reference->record_bytes);
		cr_assert_arr_eq(m->records, reference->records, m->record_bytes);
		core_free(m);
	}
	core_free(reference);
}

/*
 * RULE("D17.6.4/physical"), RULE("D17.6.10/exception")
 * All micro-ops of an instruction that aborts are members; each says so, and none has a PA.
 */
Test(core_exact, micro_ops_of_an_abort)
{
	for (unsigned int part = 0; part < 2; part++) {
		const unsigned int nops = FIRST - 1 - part;
		struct spe_config config;
		struct core_machine *m;
		struct record r;

		spe_config_defaults(&config, SPE_V1P2);
		config.arch_inst = false;
		m = core_new((struct core_options){.spe = true, .config = &config});
		for (unsigned int n = 0; n < nops; n++)
			core_load(m, CODE + 4 * (uint64_t)n, &(uint32_t){NOP}, 1);
		core_load(m, CODE + 4 * (uint64_t)nops, &(uint32_t){LDP}, 1);
		core_set(m, 2, 0x10); /* nothing there: external abort */
		core_profile(m, 256);
		core_run(m, nops + 1);
		cr_assert_eq(members_of(m->cpu[0]), nops + 2);
		r = record_at(m, 0, 64);
		cr_assert_eq(r.pc, CODE + 4 * (uint64_t)nops);
		cr_assert_eq(r.type, 0x49);
		cr_assert(r.has_va);
		cr_assert_eq(r.va, 0x10 + 8 * part);
		cr_assert_not(r.has_pa);
		cr_assert(r.events & EVENT_EXCEPTION);
		core_free(m);
	}
}

/* Both at once: the sampled micro-op has the previous target, with pbt_all. */
Test(core_exact, micro_ops_and_previous_target)
{
	struct spe_config config;
	struct core_machine *m;

	spe_config_defaults(&config, SPE_V1P2);
	config.arch_inst = false;
	config.pbt = config.pbt_all = true;
	config.max_size = config.align = 7;
	m = core_new((struct core_options){.spe = true, .config = &config});
	CORE_LOAD(m, CODE, loop);
	core_set(m, 2, DATA);
	core_set(m, 9, ITERATIONS);
	core_profile(m, 256);
	core_run(m, 1000);
	for (size_t n = 0; n < 6; n++) {
		const struct record r = record_at(m, n, 128);

		cr_assert(r.has_previous);
		cr_assert_eq(r.previous & 0xffffffffffff, CODE);
	}
	core_free(m);
}

/* Exclusives */

static struct core_machine *run_exclusives(const uint32_t *words, size_t count, uint64_t ops)
{
	struct core_machine *m = core_new((struct core_options){.spe = true});

	core_load(m, CODE, words, count);
	core_set(m, 1, DATA);
	core_profile(m, 256);
	core_run(m, ops);
	return m;
}

/*
 * RULE("D17.1.1/non-invasive") RULE("D17.7.9/exclusive")
 * Sampling a store-exclusive, or code between it and its load-exclusive, does not make it fail.
 */
Test(core_exact, sampling_leaves_exclusives_alone)
{
	static const uint32_t words[] = {
		0xc85f7c23, /* ldxr x3, [x1] */
		0x91000463, /* add x3, x3, #1 */
		0xc8027c23, /* stxr w2, x3, [x1] */
		0x35000042, /* cbnz w2, .+8 */
		0x17fffffc, /* b .-16 */
		B_SELF,
	};
	const uint64_t laps = 10000;
	struct core_machine *m = run_exclusives(words, 6, 5 * laps);
	unsigned int sampled[5] = {0};

	cr_assert_eq(core_get(m, PC), CODE);
	cr_assert_eq(core_read(m, DATA), laps);
	for (size_t n = 0; n < m->record_bytes / 64; n++)
		sampled[(record_at(m, n, 64).pc - CODE) / 4]++;
	for (size_t i = 0; i < 5; i++)
		cr_assert_gt(sampled[i], 30, "instruction %zu", i);
	core_free(m);
}

/* RULE("D17.6.4/store-exclusive") One that fails has its addresses, and no event of the cache. */
Test(core_exact, a_store_exclusive_that_fails)
{
	static const uint32_t words[] = {
		0xc8027c23, /* stxr w2, x3, [x1] */
		0x17ffffff, /* b .-4 */
	};
	struct core_machine *m = run_exclusives(words, 2, 2000);
	const struct record r = record_at(m, 0, 64);

	cr_assert_eq(core_get(m, 2), 1);
	cr_assert_eq(r.pc, CODE);
	cr_assert_eq(r.type, 0x49);
	cr_assert_eq(r.payload, 0x0b);
	cr_assert(r.has_va);
	cr_assert_eq(r.va, DATA);
	cr_assert(r.has_pa);
	cr_assert_eq(r.pa, DATA);
	cr_assert_eq(r.events, 0x12);
	core_free(m);
}

/* Records go from offset on into the page of the program, which has one branch. */
struct beside {
	size_t branch; /* before operation FIRST: a block begins after it */
	uint64_t offset;
};

static struct core_machine *run_beside_records(const struct beside *beside,
					       const struct engine_tuning *model, bool single_step)
{
	static const uint32_t words[] = {NOP, 0x17ffffff /* b .-4 */};
	struct core_machine *m = core_new(
		(struct core_options){.spe = true, .single_step = single_step, .model = model});
	struct spe_unit *spe = engine_soft.vcpu_spe(m->cpu[0]);

	for (size_t n = 0; n < FIRST; n++)
		core_load(m, CODE + 4 * n, &(uint32_t){NOP}, 1);
	core_load(m, CODE + 4 * beside->branch, &(uint32_t){0x14000001} /* b .+4 */, 1);
	core_load(m, CODE + 4 * FIRST, &(uint32_t){0x140000ff} /* b .+0x3fc */, 1);
	core_load(m, CODE + 4 * FIRST + 0x3fc, words, 2);
	core_profile(m, 256);
	spe_write(spe, SYSREG_PMBPTR_EL1, CODE + beside->offset);
	spe_write(spe, SYSREG_PMBLIMITR_EL1, (CODE + 0x1000) | 1);
	core_run(m, FIRST + 5 * AFTER);
	return m;
}

/*
 * RULE("D17.2/operations") Each is a member once, one whose record is written over code that was
 * executed, too.
 */
Test(core_exact, a_record_beside_its_operation)
{
	static const enum model_mode modes[] = {MODEL_OFF, MODEL_WARM, MODEL_FULL};
	static const struct beside places[] = {
		{FIRST - 2, 0},			   /* the selected one begins a block */
		{FIRST - 8, 4 * (FIRST - 1) - 64}, /* the record covers those before it */
		{FIRST - 8, 4 * (FIRST - 1)},	   /* ... and itself */
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes) * ARRAY_SIZE(places); i++) {
		const struct beside *beside = &places[i / ARRAY_SIZE(modes)];
		const struct engine_tuning tuning = {.model.mode = modes[i % ARRAY_SIZE(modes)],
						     .machine = model_default};
		struct core_machine *m = run_beside_records(beside, &tuning, false);
		struct core_machine *stepped = run_beside_records(beside, &tuning, true);

		cr_expect_eq(members_of(m->cpu[0]), members_of(stepped->cpu[0]), "%zu", i);
		cr_assert_eq(stepped->record_bytes, m->record_bytes, "%zu", i);
		cr_expect_eq(core_get(m, PC), core_get(stepped, PC), "%zu", i);
		cr_assert_arr_eq(stepped->records, m->records, m->record_bytes, "%zu", i);
		if (beside->offset + 64 <= 4 * (FIRST - 1)) {
			cr_expect_eq(members_of(m->cpu[0]), FIRST + 5 * AFTER, "%zu", i);
			cr_expect_eq(m->record_bytes, 6 * 64, "%zu", i);
		}
		core_free(m);
		core_free(stepped);
	}
}

static struct core_machine *run_to_the_next(const struct engine_tuning *model, bool single_step)
{
	static const uint32_t words[] = {0x5400002f /* b.nv .+4 */, NOP, 0x17fffffe /* b .-8 */};
	struct core_machine *m = core_new(
		(struct core_options){.spe = true, .single_step = single_step, .model = model});

	CORE_LOAD(m, CODE, words);
	core_profile(m, 256);
	core_run(m, 257 * 30);
	return m;
}

/* The machine model sees that B.NV is taken: only that fills its history of branches. */
Test(core_exact, conditional_branch_to_the_next)
{
	const struct engine_tuning tuning = {.model.mode = MODEL_WARM, .machine = model_default};

	for (int single_step = 0; single_step < 2; single_step++) {
		struct core_machine *m = run_to_the_next(&tuning, single_step);
		const struct soft_cpu *cpu = (const struct soft_cpu *)m->cpu[0];
		const struct model_branch *branch = &cpu->vm->model->machine->cores[0].branch;

		cr_assert_eq(m->record_bytes, 30 * 64);
		cr_assert_eq(branch->history, branch->history_mask, "0x%llx",
			     (unsigned long long)branch->history);
		core_free(m);
	}
}

/* Other properties of a program's FIRST member */

/* NOPs precede the last word, so that it is sampled. */
static struct core_machine *run_last(const uint32_t *words, size_t count, uint64_t x1, uint64_t x2)
{
	struct core_machine *m = core_new((struct core_options){.spe = true});

	for (size_t n = 0; n < FIRST; n++)
		core_load(m, CODE + 4 * n,
			  n < count - 1	   ? &words[n]
			  : n == FIRST - 1 ? &words[count - 1]
					   : &(uint32_t){NOP},
			  1);
	core_set(m, 1, x1);
	core_set(m, 2, x2);
	core_profile(m, 256);
	core_run(m, FIRST);
	return m;
}

/* RULE("D17.6.3/illegal") The state at the target is that of the PE, not SPSR's. */
Test(core_exact, illegal_return)
{
	static const uint32_t words[] = {
		0xd5184021, /* msr elr_el1, x1 */
		0xd5184002, /* msr spsr_el1, x2 */
		ERET,
	};
	struct core_machine *m = run_last(words, 3, CODE + 0x800, 0x3cd); /* EL3, from EL1 */
	const struct record r = record_at(m, 0, 64);

	cr_assert_eq(r.pc, CODE + 4 * (FIRST - 1));
	cr_assert_eq(r.type, 0x4a);
	cr_assert_eq(r.target, (CODE + 0x800) | UINT64_C(0xa0) << 56, "0x%llx: EL1",
		     (unsigned long long)r.target);
	cr_assert_eq(r.events, 0x2);
	core_free(m);
}

/* RULE("D17.6.4/tag") */
Test(core_exact, data_address_with_a_tag)
{
	static const uint32_t words[] = {
		0xd5182042, /* msr tcr_el1, x2 */
		0xf9400023, /* ldr x3, [x1] */
	};
	const uint64_t va = DATA | UINT64_C(0x5a) << 56;
	struct core_machine *m = run_last(words, 2, va, UINT64_C(1) << 37); /* TBI0 */
	const struct record r = record_at(m, 0, 64);

	cr_assert(r.has_va);
	cr_assert_eq(r.va, va);
	cr_assert(r.has_pa);
	cr_assert_eq(r.pa, DATA);
	cr_assert_eq(r.events & EVENT_EXCEPTION, 0);
	core_free(m);
}

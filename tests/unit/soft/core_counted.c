/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads, stores and branches that the PMU counts, block by block (soft/run/counted.c): of a program
 * whose branches lead to the next instruction too, however its run is cut up.
 */
#include "../compare.h"
#include "core_support.h"

#include "soft/sys/pmu.h"

static const uint32_t program[] = {
	0x9a1f0084, /* adc x4, x4, xzr: the block begins with it, and the flags are those of subs */
	0xb4000021, /* cbz x1, .+4: each second time, and it leads on either way */
	0xd2400021, /* eor x1, x1, #1 */
	0x14000001, /* b .+4 */
	0x36100040, /* tbz x0, #2, .+8 */
	0xf9400043, /* ldr x3, [x2] */
	0xf9000443, /* str x3, [x2, #8] */
	0xf1000400, /* subs x0, x0, #1 */
	0x54ffff01, /* b.ne to the first */
	0x14000000, /* b . */
};

static const unsigned int events[PMU_COUNTERS] = {PMU_LD_RETIRED,	PMU_ST_RETIRED,
						  PMU_BR_RETIRED,	PMU_PC_WRITE_RETIRED,
						  PMU_BR_IMMED_RETIRED, PMU_BR_RETURN_RETIRED};

/* What turns of it are: counts by events[], and how many operations. */
static uint64_t expect(uint64_t turns, uint64_t counts[PMU_COUNTERS])
{
	uint64_t ops = 0;

	for (uint64_t left = turns; left > 0; left--) {
		const bool loads = left & 4;

		counts[0] += loads;
		counts[1]++;
		counts[2] += 4;
		counts[3] += (uint64_t)((turns - left) % 2 == 0) + 1 + !loads + (left != 1);
		counts[4] += 4;
		ops += 8 + loads;
	}
	return ops;
}

static struct soft_cpu *start(struct core_machine *m, uint64_t turns)
{
	struct soft_cpu *cpu = (struct soft_cpu *)m->cpu[0]; /* its first member */
	struct pmu *unit = &cpu->sys.pmu->unit;

	CORE_LOAD(m, CODE, program);
	core_set(m, PC, CODE);
	core_set(m, 0, turns);
	core_set(m, 1, 0);
	core_set(m, 2, DATA);
	soft_pmu_refresh(cpu);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		pmu_register_write(unit, PMU_PMEVTYPER0_EL0 + n, events[n]);
	pmu_register_write(unit, PMU_PMCNTENSET_EL0, pmu_counter_bits(&unit->config));
	pmu_register_write(unit, PMU_PMCR_EL0, PMU_PMCR_E);
	soft_pmu_refresh(cpu);
	return cpu;
}

static void check(uint64_t cut, bool single_step)
{
	const uint64_t turns = 20001;
	uint64_t want[PMU_COUNTERS] = {0}, ops = expect(turns, want), done = 0;
	struct core_machine *m =
		core_new((struct core_options){.pmu = PMU_V3P5, .single_step = single_step});
	struct soft_cpu *cpu = start(m, turns);

	for (; done < ops; done += cut < ops - done ? cut : ops - done)
		core_run(m, cut < ops - done ? cut : ops - done);
	cr_assert_eq(core_get(m, 0), 0);
	cr_assert_eq(core_get(m, PC), CODE + 36);
	soft_pmu_refresh(cpu);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		cr_expect_eq(cpu->sys.pmu->unit.counter[n], want[n],
			     "event 0x%x, in pieces of %llu: %llu, not %llu", events[n],
			     (unsigned long long)cut,
			     (unsigned long long)cpu->sys.pmu->unit.counter[n],
			     (unsigned long long)want[n]);
	core_free(m);
}

Test(core_counted, however_it_is_cut)
{
	static const uint64_t cuts[] = {1, 2, 3, 5, 7, 8, 11, 64, 1000, 1 << 20};

	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++)
		check(cuts[i], false);
	check(1 << 20, true);
}

/*
 * A block that begins with what is executed together, of which a stretch executes the first alone.
 */
Test(core_counted, stops_in_what_is_joined)
{
	static const uint32_t loop[] = {
		0xf1000400, /* subs x0, x0, #1 */
		0x54ffffe1, /* b.ne to it */
		0x14000000, /* b . */
	};

	for (uint64_t cut = 1; cut < 12; cut++) {
		struct core_machine *m = core_new((struct core_options){.pmu = PMU_V3P5});
		struct soft_cpu *cpu = start(m, 1000);

		CORE_LOAD(m, CODE, loop);
		for (uint64_t done = 0; done < 2000; done += cut < 2000 - done ? cut : 2000 - done)
			core_run(m, cut < 2000 - done ? cut : 2000 - done);
		soft_pmu_refresh(cpu);
		cr_expect_eq(core_get(m, 0), 0);
		cr_expect_eq(cpu->sys.pmu->unit.counter[2], 1000, "cut %d: %d branches", (int)cut,
			     (int)cpu->sys.pmu->unit.counter[2]);
		cr_expect_eq(cpu->sys.pmu->unit.counter[3], 999, "cut %d: %d taken", (int)cut,
			     (int)cpu->sys.pmu->unit.counter[3]);
		core_free(m);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a vCPU has its turn: short while lines move between vCPUs (docs/model.md). */
#include "../compare.h"
#include "machine_fixture.h"

TestSuite(turns, .init = machine_fixture_begin, .fini = machine_fixture_end);

#define SHORT 128u
#define LONG  16384u
#define AFTER 128u /* turns that are short after the last move */

static uint64_t moves_from, moves_until; /* steps of vCPU 1 */

/* vCPU 1 takes a line from vCPU 0 in each operation of a part of its run. */
static int guest_moves(struct engine_vcpu *vcpu)
{
	if (vcpu->index == 0 && vcpu->step == 0)
		return psci(vcpu, 0xc4000003, 1, 0x40080000, 0);
	if (vcpu->index == 0)
		return GO_ON;
	if (vcpu->step == 60000)
		return power_off(vcpu);
	vcpu->vm->line_moves += vcpu->step >= moves_from && vcpu->step < moves_until;
	return GO_ON;
}

/*
 * The operations of vCPU 1 by the length of its turns: in long turns, in short ones, and in others.
 * The first turn of all is not looked at: a call may end it.
 */
static void count_turns(uint64_t *longs, uint64_t *shorts, uint64_t *others)
{
	size_t begin = LONG;

	*longs = *shorts = *others = 0;
	for (size_t i = LONG + 1; i < fake_trace_count; i++) {
		if (fake_trace[i] == fake_trace[i - 1])
			continue;
		if (i - begin == LONG)
			++*longs;
		else if (i - begin == SHORT)
			++*shorts;
		else
			++*others;
		begin = i;
	}
}

Test(turns, are_long_without_moves)
{
	uint64_t longs, shorts, others;

	moves_from = moves_until = 0;
	cr_assert_eq(run(2, guest_moves), MACHINE_POWER_OFF);
	count_turns(&longs, &shorts, &others);
	cr_expect_geq(longs, 2);
	cr_expect_eq(shorts, 0);
	cr_expect_eq(others, 0);
	machine_destroy(machine);
}

/* From the turn after the first move on, until so many turns after the last one. */
Test(turns, are_short_while_lines_move)
{
	const uint64_t moving = 6000;
	uint64_t longs, shorts, others;

	moves_from = 1000;
	moves_until = LONG + moving;
	cr_assert_eq(run(2, guest_moves), MACHINE_POWER_OFF);
	count_turns(&longs, &shorts, &others);
	/* vCPU 0's turns between those of vCPU 1 are as short. */
	cr_expect_eq(shorts, (moving + SHORT - 1) / SHORT * 2 + AFTER);
	cr_expect_geq(longs, 2, "long again");
	cr_expect_eq(others, 0);
	machine_destroy(machine);
}

/* With one vCPU nobody waits for a turn. */
static int guest_moves_alone(struct engine_vcpu *vcpu)
{
	vcpu->vm->line_moves++;
	return vcpu->step == 60000 ? power_off(vcpu) : GO_ON;
}

Test(turns, of_one_vcpu_are_not_cut)
{
	cr_assert_eq(run(1, guest_moves_alone), MACHINE_POWER_OFF);
	cr_expect_eq(stats.vcpu[0].exits[ENGINE_EXIT_BUDGET], 0);
	machine_destroy(machine);
}

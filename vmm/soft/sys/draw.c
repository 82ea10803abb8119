/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The random numbers of --unknown, and whether an event of unpredictable.def happens: see
 * unknown.h.
 */
#include "base/splitmix.h"
#include "soft/cpu.h"

uint64_t soft_draw(const struct soft_unknown *unknown, unsigned int cpu, uint64_t what)
{
	uint64_t state = unknown->seed, mixed = splitmix_next(&state) ^ what;

	mixed = splitmix_next(&mixed) ^ cpu;
	return splitmix_next(&mixed);
}

uint64_t soft_draw_value(const struct soft_unknown *unknown, unsigned int cpu, uint64_t what)
{
	const uint64_t kind = soft_draw(unknown, cpu, what) & 7;

	if (kind < 2)
		return kind ? UINT64_MAX : 0;
	return soft_draw(unknown, cpu, ~what);
}

uint64_t soft_draw_next(struct soft_cpu *cpu)
{
	return soft_draw_value(&cpu->vm->unknown, cpu->index, SOFT_DRAW_RESULT + cpu->loop.draws++);
}

bool soft_may(struct soft_cpu *cpu, enum soft_may what)
{
	static const uint8_t one_in[] = {
#define RESULT(name, times, happens, rule) [SOFT_MAY_##name] = (times),
#include "soft/sys/unpredictable.def"
	};
	const struct soft_unknown *unknown = &cpu->vm->unknown;

	if (!unknown->drawn)
		return false;
	if (!one_in[what])
		return soft_draw(unknown, UINT32_MAX, SOFT_DRAW_MAY | what) & 1;
	return soft_draw(unknown, cpu->index, SOFT_DRAW_RESULT + cpu->loop.draws++) %
		       one_in[what] ==
	       0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A vCPU with instructions of later.table, for the tests of them. */
#ifndef TESTS_SOFT_CORE_LATER_H
#define TESTS_SOFT_CORE_LATER_H

#include "core_support.h"
#include "soft/cpu.h"
#include "soft/mem/memory.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#define HVC  0xd4000002
#define BASE (DATA + 32)

static inline struct soft_cpu *cpu_of(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* its first member */
}

/* On: RAM is Normal memory, and exceptions end at program_report. */
static inline struct core_machine *machine_of(struct core_options options, bool translated,
					      uint64_t isa)
{
	const struct engine_tuning tuning = {
		.isa = isa,
		.sve_vl = 16,
		.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF,
		.jit_at_once = true,
	};
	struct core_machine *m;

	options.model = &tuning;
	m = core_new(options);
	CORE_LOAD(m, CODE, program_mmu_on);
	CORE_LOAD(m, VECTORS + VECTOR_SYNC, program_report);
	core_map(m, 0);
	core_run(m, sizeof(program_mmu_on) / 4);
	cpu_of(m)->sys.cpacr_el1 = UINT64_C(3) << 20;
	soft_context_changed(cpu_of(m));
	return m;
}

static inline struct core_machine *machine(bool translated, uint64_t isa)
{
	return machine_of((struct core_options){0}, translated, isa);
}

static inline void begin(struct core_machine *m, const uint32_t *words, size_t count)
{
	core_load(m, CODE, words, count);
	cpu_of(m)->vm->drop_all = true; /* drop blocks decoded from another program there */
	core_set(m, PC, CODE);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A vCPU whose vector registers the handlers of instructions work on, one at a time. */
#ifndef VSPE_TESTS_VECTOR_FIXTURE_H
#define VSPE_TESTS_VECTOR_FIXTURE_H

#include <stdlib.h>

#include "../compare.h"
#include "soft/cpu.h"
#include "soft/fp/vector.h"

static struct soft_cpu *cpu;

static void create(void)
{
	cpu = calloc(1, sizeof(*cpu));
	cr_assert(cpu);
}

static void destroy(void)
{
	free(cpu);
}

static void execute(soft_vector_function *function, uint32_t word)
{
	const struct soft_op op = {.word = word, .rd = word & 31, .rn = word >> 5 & 31};

	function(cpu, &op);
}

#endif

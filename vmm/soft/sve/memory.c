/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of SVE: see memory.h. */
#include "soft/sve/memory.h"

#include "soft/mem/memory.h"
#include "soft/sve/sve.h"

#include <string.h>

/* LDR and STR of a whole vector: an access of bytes, at a multiple of its length from Xn. */
static bool move_vector(struct soft_cpu *cpu, const struct soft_op *op, bool write,
			union soft_vector *segments)
{
	const struct a64_sve_fill f = a64_get_sve_fill(op->word);
	const unsigned int base = f.rn == 31 ? SOFT_X_SP : f.rn;
	struct soft_bytes bytes = {
		.va = cpu->x[base] + (uint64_t)((int64_t)(f.imm9h * 8 + (int32_t)f.imm9l) * cpu->vl),
		.size = 16,
		.element = 1,
		.write = write,
	};

	if (!soft_sve_allowed(cpu) || !soft_check_sp(cpu, base))
		return false;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++, bytes.va += 16) {
		bytes.data = segments[c].b;
		if (!soft_move_bytes(cpu, &bytes))
			return false;
	}
	return true;
}

bool soft_sve_fill(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_vector segments[SOFT_SEGMENTS];

	if (!move_vector(cpu, op, false, segments))
		return false;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->z[c][op->rd] = segments[c];
	soft_sve_written(cpu, op->rd);
	return true;
}

bool soft_sve_spill(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_vector segments[SOFT_SEGMENTS];

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		segments[c] = cpu->z[c][op->rd];
	return move_vector(cpu, op, true, segments);
}

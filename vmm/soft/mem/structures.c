/* SPDX-License-Identifier: BSD-2-Clause */
/* Vector registers by structure: see structures.h. */
#include "soft/mem/structures.h"

#include <string.h>

#include "a64/a64.h"
#include "soft/fp/element.h"
#include "soft/fp/vector.h"
#include "soft/mem/memory.h"

/* The memory of an access: at most 16 bytes for each register. */
static struct soft_bytes memory_of(const struct soft_cpu *cpu, const struct soft_op *op,
				   unsigned int size, unsigned int bytes, bool write)
{
	return (struct soft_bytes){
		.va = cpu->x[op->rn],
		.size = bytes,
		.element = 1u << size,
		.write = write,
	};
}

/* Rm is the amount, or 31 for the number of transferred bytes. */
static void write_back(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m,
		       unsigned int bytes)
{
	cpu->x[op->rn] += m == 31 ? bytes : cpu->x[m];
}

/*
 * The order in memory: LD2 to LD4 have elements of the same number as neighbours, LD1 those of the
 * same register.
 */
static unsigned int offset_of(bool interleaved, unsigned int registers, unsigned int elements,
			      unsigned int r, unsigned int e)
{
	return interleaved ? e * registers + r : r * elements + e;
}

/* Elements of registers from t on, from or to data. */
static void move_all(struct soft_cpu *cpu, const struct a64_structures *f, unsigned int registers,
		     bool interleaved, uint8_t *data)
{
	const unsigned int elements = (8u << f->q) >> f->size;

	for (unsigned int r = 0; r < registers; r++) {
		union soft_vector *v = &cpu->v[(f->rt + r) % 32];

		if (f->l) {
			*v = (union soft_vector){.d = {0, 0}};
			soft_clear_upper(cpu, (f->rt + r) % 32);
		}
		for (unsigned int e = 0; e < elements; e++) {
			uint8_t *at = data + (offset_of(interleaved, registers, elements, r, e)
					      << f->size);
			uint8_t *element = v->b + (e << f->size);

			if (f->l)
				memcpy(element, at, 1u << f->size);
			else
				memcpy(at, element, 1u << f->size);
		}
	}
}

bool soft_op_structures(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_structures f = a64_get_structures(op->word);
	const unsigned int registers = a64_decode(op->word)->count;
	/* LD2 to LD4 are the even opcodes but those of LD1: 0, 4, 8. */
	const bool interleaved = (f.opcode & 3) == 0;
	struct soft_bytes memory = memory_of(cpu, op, f.size, registers * (8u << f.q), !f.l);
	uint8_t data[64];

	if (!soft_fp_allowed(cpu) || !soft_check_sp(cpu, op->rn))
		return false;
	memory.data = data;
	if (!f.l)
		move_all(cpu, &f, registers, interleaved, data);
	if (!soft_move_bytes(cpu, &memory))
		return false;
	if (f.l)
		move_all(cpu, &f, registers, interleaved, data);
	if (f.post)
		write_back(cpu, op, f.rm, memory.size);
	return true;
}

/* For one element, opcode:S:size give its size and, with Q, its number. */
static void place_of(const struct a64_structure *f, unsigned int *size, unsigned int *index)
{
	const unsigned int which = f->q << 3 | f->s << 2 | f->size;

	*size = f->opcode >> 1;
	if (*size == 2 && f->size & 1)
		*size = 3;
	*index = *size == 3 ? f->q : which >> *size;
}

bool soft_op_structure(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_structure f = a64_get_structure(op->word);
	const unsigned int registers = a64_decode(op->word)->count;
	const bool all = f.opcode >> 1 == 3;
	unsigned int size = f.size, index = 0;
	struct soft_bytes memory;
	uint8_t data[32];

	if (!soft_fp_allowed(cpu) || !soft_check_sp(cpu, op->rn))
		return false;
	if (!all)
		place_of(&f, &size, &index);
	memory = memory_of(cpu, op, size, registers << size, !f.l);
	memory.data = data;
	for (unsigned int r = 0; r < registers && !f.l; r++)
		memcpy(data + (r << size), cpu->v[(f.rt + r) % 32].b + (index << size), 1u << size);
	if (!soft_move_bytes(cpu, &memory))
		return false;
	for (unsigned int r = 0; r < registers && f.l; r++) {
		union soft_vector *v = &cpu->v[(f.rt + r) % 32];
		uint64_t value = 0;

		memcpy(&value, data + (r << size), 1u << size);
		soft_clear_upper(cpu, (f.rt + r) % 32);
		if (all) {
			soft_fill(v, size, value);
			if (!f.q)
				v->d[1] = 0;
		} else {
			soft_set_element(v, size, index, value);
		}
	}
	if (f.post)
		write_back(cpu, op, f.rm, memory.size);
	return true;
}

/* size bytes of *v, from its byte at on, from or to va. */
static bool move_ordered(struct soft_cpu *cpu, uint64_t va, unsigned int size, bool load,
			 union soft_vector *v, unsigned int at)
{
	const struct soft_bytes memory = {
		.va = va,
		.size = size,
		.element = size,
		.write = !load,
		.ordered = true,
		.data = &v->b[at],
	};

	return soft_move_bytes(cpu, &memory);
}

/* opc is 0x of size, 1x of 16 bytes; x: load. */
bool soft_op_ordered_vector(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_ordered_offset9 f = a64_get_fp_ordered_offset9(op->word);
	const unsigned int size = f.opc & 2 ? 16 : 1u << f.size;
	const bool load = f.opc & 1;
	union soft_vector value = {.d = {0, 0}};

	if (!soft_fp_allowed(cpu) || !soft_check_sp(cpu, op->rn))
		return false;
	if (!load)
		value = cpu->v[f.rt];
	if (!move_ordered(cpu, cpu->x[op->rn] + (uint64_t)(int64_t)f.imm9, size, load, &value, 0))
		return false;
	if (load) {
		cpu->v[f.rt] = value;
		soft_clear_upper(cpu, f.rt);
	}
	return true;
}

/* A doubleword; the rest of the 16 bytes stays as it is. */
bool soft_op_ordered_structure(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_ordered_structure f = a64_get_ordered_structure(op->word);
	union soft_vector value;

	if (!soft_fp_allowed(cpu) || !soft_check_sp(cpu, op->rn))
		return false;
	value = cpu->v[f.rt];
	if (!move_ordered(cpu, cpu->x[op->rn], 8, f.l, &value, 8u * f.q))
		return false;
	if (f.l) {
		cpu->v[f.rt] = value;
		soft_clear_upper(cpu, f.rt);
	}
	return true;
}

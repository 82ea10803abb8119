/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exclusives (Arm ARM B2.9), compare and swap and the atomic memory operations of FEAT_LSE and
 * FEAT_LSE128. vCPUs
 * take turns in one thread, so that a plain read and write of host memory is atomic for all of
 * them. The exclusive monitor is local to a vCPU and remembers address and value. A store-exclusive
 * succeeds while the location has the value that the load-exclusive saw, and no other vCPU has
 * stored to its granule since, not even the same value: monitor.h.
 */
#include "soft/mem/atomic.h"
#include "a64/a64.h"
#include "soft/mem/memory.h"
#include "soft/mem/monitor.h"

#include <string.h>

/* Little-endian value of 1 to 8 bytes. */
static uint64_t load_value(const uint8_t *p, unsigned int size)
{
	uint64_t value = 0;

	memcpy(&value, p, size);
	return value;
}

static void store_value(uint8_t *p, unsigned int size, uint64_t value)
{
	memcpy(p, &value, size);
}

static void write_register(struct soft_cpu *cpu, unsigned int slot, uint64_t value)
{
	if (slot != SOFT_X_ZERO)
		cpu->x[slot] = value;
}

static uint64_t physical_address(const struct soft_cpu *cpu, const uint8_t *host)
{
	return cpu->vm->host.ram.base + (uint64_t)(host - cpu->vm->host.ram.host);
}

bool soft_op_clrex(struct soft_cpu *cpu, const struct soft_op *op)
{
	(void)op;
	cpu->monitor.set = false;
	return true;
}

/* Of an exclusive: a pair consists of words or doublewords. */
static unsigned int element_size(const struct soft_op *op, bool *pair)
{
	*pair = a64_get_exclusive(op->word).o1;
	return *pair ? 4u << a64_get_exclusive_pair(op->word).sz
		     : 1u << a64_get_exclusive(op->word).size;
}

bool soft_op_load_exclusive(struct soft_cpu *cpu, const struct soft_op *op)
{
	bool pair;
	const unsigned int element = element_size(op, &pair), size = element << pair;
	const uint64_t va = cpu->x[op->rn];
	const uint8_t *p;

	if (!soft_check_sp(cpu, op->rn))
		return false;
	p = soft_atomic_memory(cpu, va, size, true, false);
	if (!p)
		return false;
	cpu->monitor = (struct soft_monitor){
		.set = true,
		.size = (uint8_t)size,
		.pa = physical_address(cpu, p),
		.value = {load_value(p, element), pair ? load_value(p + element, element) : 0},
	};
	write_register(cpu, op->rd, cpu->monitor.value[0]);
	if (pair)
		write_register(cpu, op->ra, cpu->monitor.value[1]);
	return true;
}

bool soft_op_store_exclusive(struct soft_cpu *cpu, const struct soft_op *op)
{
	bool pair;
	const unsigned int element = element_size(op, &pair), size = element << pair;
	const uint64_t va = cpu->x[op->rn];
	const struct soft_monitor *m = &cpu->monitor;
	bool pass;
	uint8_t *p;

	if (!soft_check_sp(cpu, op->rn))
		return false;
	p = soft_atomic_memory(cpu, va, size, false, true);
	if (!p)
		return false;
	pass = m->set && m->size == size && m->pa == physical_address(cpu, p) &&
	       m->value[0] == load_value(p, element) &&
	       (!pair || m->value[1] == load_value(p + element, element));
	cpu->monitor.set = false;
	if (pass) {
		soft_monitors_written(cpu, m->pa, size);
		store_value(p, element, cpu->x[op->rd]);
		if (pair)
			store_value(p + element, element, cpu->x[op->ra]);
	}
	write_register(cpu, op->rm, !pass);
	return true;
}

bool soft_op_store_exclusive_may_fail(struct soft_cpu *cpu, const struct soft_op *op)
{
	if (cpu->monitor.set && soft_may(cpu, SOFT_MAY_STORE_EXCLUSIVE_FAIL))
		cpu->monitor.set = false;
	return soft_op_store_exclusive(cpu, op);
}

/* o2 distinguishes CASP from CAS; CASP's registers are Rs, Rs + 1 and Rt, Rt + 1. */
bool soft_op_compare_and_swap(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_exclusive f = a64_get_exclusive(op->word);
	const bool pair = !f.o2;
	const unsigned int element = pair ? 4u << a64_get_casp(op->word).sz : 1u << f.size;
	const unsigned int count = pair ? 2 : 1, size = element * count;
	const uint64_t va = cpu->x[op->rn], mask = ~UINT64_C(0) >> (64 - 8 * element);
	uint64_t old[2] = {0};
	bool equal = true;
	uint8_t *p;

	if (!soft_check_sp(cpu, op->rn))
		return false;
	p = soft_atomic_memory(cpu, va, size, true, true);
	if (!p)
		return false;
	for (unsigned int n = 0; n < count; n++) {
		old[n] = load_value(p + n * element, element);
		equal = equal && old[n] == (cpu->x[op->rm + n] & mask);
	}
	for (unsigned int n = 0; n < count; n++) {
		if (equal)
			store_value(p + n * element, element, cpu->x[op->rd + n]);
		write_register(cpu, op->rm + n, old[n]);
	}
	return true;
}

static uint64_t combine_values(uint32_t word, unsigned int size, uint64_t old, uint64_t operand)
{
	const unsigned int up = 64 - 8 * size;
	const int64_t sa = (int64_t)(old << up), sb = (int64_t)(operand << up);

	if (a64_get_atomic(word).o3)
		return operand; /* SWP */
	switch (a64_get_atomic(word).opc) {
	case 0: return old + operand;
	case 1: return old & ~operand;
	case 2: return old ^ operand;
	case 3: return old | operand;
	case 4: return sa > sb ? old : operand;
	case 5: return sa < sb ? old : operand;
	case 6: return (uint64_t)sa > (uint64_t)sb ? old : operand;
	default: return (uint64_t)sa < (uint64_t)sb ? old : operand;
	}
}

bool soft_op_atomic(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = 1u << a64_get_atomic(op->word).size;
	uint64_t old;
	uint8_t *p;

	if (!soft_check_sp(cpu, op->rn))
		return false;
	p = soft_atomic_memory(cpu, cpu->x[op->rn], size, true, true);
	if (!p)
		return false;
	old = load_value(p, size);
	store_value(p, size, combine_values(op->word, size, old, cpu->x[op->rm]));
	write_register(cpu, op->rd, old);
	return true;
}

/* FEAT_LSE128: Rt has the lower half, Rs the upper. */
bool soft_op_atomic_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int id = a64_decode(op->word)->id;
	const unsigned int slots[2] = {op->rd, op->rm};
	uint64_t old[2];
	uint8_t *p;

	if (!soft_check_sp(cpu, op->rn))
		return false;
	p = soft_atomic_memory(cpu, cpu->x[op->rn], 16, true, true);
	if (!p)
		return false;
	for (unsigned int n = 0; n < 2; n++) {
		const uint64_t operand = cpu->x[slots[n]];

		old[n] = load_value(p + 8 * n, 8);
		store_value(p + 8 * n, 8,
			    id == A64_LDCLRP   ? old[n] & ~operand
			    : id == A64_LDSETP ? old[n] | operand
					       : operand);
	}
	for (unsigned int n = 0; n < 2; n++)
		write_register(cpu, slots[n], old[n]);
	return true;
}

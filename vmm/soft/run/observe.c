/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observing loop. A group is an operation, which may access memory, and those behind it in its
 * block that do not: the fast loop executes it at once, and then the model is shown what it did, in
 * the order of the program. What it is shown is what soft_model_before() and soft_model_after()
 * show of each of them, without the record that nobody will see.
 */
#include "soft/run/observe.h"

#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/run/block.h"
#include "soft/run/pauth.h"
#include "soft/run/stop.h"

struct observer {
	struct soft_cpu *cpu;
	struct model *machine;
	struct soft_walker walker;
	struct model_facts facts;
	uint64_t line; /* last fetched from; 0: none */
	struct spe_op
		op; /* what the model looks at of one, and what it says of it, which nobody reads */
};

/* The access of the first operation of a group. */
struct group_access {
	uint64_t va;
	uint32_t flags, size; /* flags: SPE_OP_*, 0: there is none */
};

static bool accesses_memory(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST;
}

/* Where a conditional branch goes does not say whether it was taken. */
static bool branches_behind_itself(const struct soft_op *op)
{
	const struct soft_links *links = soft_block_of(op)->links;

	return op->rest == 1 && op->kind != SOFT_b && op->kind != SOFT_bl &&
	       op->kind != SOFT_fall && links && links->target[0] == links->target[1];
}

/* An instruction of floating-point that will not be executed. */
static bool fp_trapped(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return cpu->fp_trapped && (op->kind == SOFT_vector || op->kind == SOFT_vector_immediate ||
				   op->kind >= SOFT_MEMORY_VECTOR);
}

static bool group_op(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return op->kind != SOFT_system && op->kind != SOFT_call &&
	       !soft_is_authenticated_branch(op) && !branches_behind_itself(op) &&
	       !fp_trapped(cpu, op) &&
	       !(op->kind == SOFT_nop && soft_model_prefetches(soft_classify(cpu, op)->id));
}

bool soft_observable(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return group_op(cpu, op) && !(accesses_memory(op) && op->aux & SOFT_AUX_UNPRIVILEGED) &&
	       !cpu->sys.pstate.il && !cpu->sys.pstate.btype;
}

static int64_t group_length(const struct soft_cpu *cpu, const struct soft_op *op, int64_t limit)
{
	int64_t n = 1;

	limit = limit < op->rest ? limit : op->rest;
	while (n < limit && !accesses_memory(op + n) && group_op(cpu, op + n))
		n++;
	return n;
}

/* Field by field: the structure is made for each sample. */
static void begin_observer(struct observer *o, struct soft_cpu *cpu)
{
	const unsigned int el = cpu->sys.pstate.el;

	o->cpu = cpu;
	o->machine = cpu->vm->model->machine;
	o->walker.cpu = cpu;
	o->walker.fetch_el = o->walker.data_el = el;
	o->walker.write = false;
	o->line = 0;
	o->facts.regime = o->facts.data_regime = (uint8_t)arm_regime_at(&cpu->sys.controls, el);
	o->facts.tables = o->facts.data_tables = soft_has_tables(&cpu->sys, el);
	o->facts.flow = A64_FLOW_NONE;
	o->facts.place = MODEL_NOWHERE;
	o->facts.excepted = o->facts.flush = false;
	o->facts.uncached = soft_model_bypasses(&cpu->sys, el, false);
	o->facts.data_uncached = soft_model_bypasses(&cpu->sys, el, true);
	o->facts.size = 0;
	o->facts.ctx = &o->walker;
	o->facts.walk = soft_model_walk;
	o->op.flags = 0;
}

/* One behind the other in a line need no second look. */
static void fetch_op(struct observer *o, const struct soft_op *op)
{
	const struct soft_block *block = soft_block_of(op);
	const uint64_t pa = block->pa + 4 * (uint64_t)op->index, line = model_line_pa(pa) | 1;

	if (line == o->line && op->index > 0)
		return;
	o->line = line;
	o->facts.fetch_pa = pa;
	(void)model_core_fetch(o->machine, o->cpu->index, soft_op_pc(op), &o->facts);
}

/* o->op and o->facts say what it did. */
static void show_op(struct observer *o, const struct soft_op *op)
{
	o->op.pc = soft_op_pc(op);
	o->op.events = 0;
	model_core_warm(o->machine, o->cpu->index, &o->facts, &o->op);
}

/* The first of a group, which was executed and has an access. */
static void show_access(struct observer *o, const struct soft_op *op,
			const struct group_access *access)
{
	struct soft_cpu *cpu = o->cpu;
	const bool excepted = cpu->leave == SOFT_LEAVE_FAULT;
	struct soft_accessed at;

	o->op.flags = access->flags;
	o->op.data_va = access->va;
	o->facts.size = access->size;
	o->facts.excepted = o->facts.flush = excepted;
	o->walker.write = access->flags & SPE_OP_STORE;
	if (!excepted) {
		at = soft_sample_place(cpu, access->va, o->walker.write, cpu->sys.pstate.el);
		o->facts.place = !at.there ? MODEL_NOWHERE : at.ram ? MODEL_RAM : MODEL_DEVICE;
		o->op.data_pa = at.pa;
	} else if (cpu->fault.ec != ARM_EC_DATA_ABORT) {
		o->op.flags &= ~(uint32_t)SPE_OP_VA_VALID;
	}
	show_op(o, op);
	o->facts.excepted = o->facts.flush = false;
	o->facts.place = MODEL_NOWHERE;
	o->op.flags = 0;
}

/* op was executed, the last of its block. Does it branch? */
static bool note_branch(struct observer *o, const struct soft_op *op)
{
	struct soft_cpu *cpu = o->cpu;

	o->facts.flow = (enum a64_flow)soft_classify(cpu, op)->flow;
	if (o->facts.flow == A64_FLOW_NONE)
		return false;
	o->op.target = cpu->leave == SOFT_LEAVE_LINK ? soft_branch_address(&cpu->sys, cpu->pc)
						     : soft_op_pc(cpu->at);
	o->op.flags = SPE_OP_BRANCH;
	if (o->facts.flow != A64_FLOW_CONDITIONAL || o->op.target != soft_op_pc(op) + 4)
		o->op.flags |= SPE_OP_TAKEN;
	return true;
}

static void end_branch(struct observer *o)
{
	o->facts.flow = A64_FLOW_NONE;
	o->op.flags = 0;
}

/* op, which does not access memory, and was executed. */
static void show_plain(struct observer *o, const struct soft_op *op)
{
	const bool branch = op->rest == 1 && note_branch(o, op);

	if (branch)
		show_op(o, op);
	else
		o->machine->cores[o->cpu->index].operations++;
	if (branch)
		end_branch(o);
}

/* n operations of a group were executed; more of its block may follow. */
static void show_group(struct observer *o, const struct soft_op *op, int64_t n,
		       const struct group_access *access)
{
	const struct soft_op *end = op + n;

	if (n > 0 && access->flags) {
		show_access(o, op++, access);
		if (op < end)
			fetch_op(o, op);
	}
	while (op < end) {
		show_plain(o, op);
		if (++op < end)
			fetch_op(o, op);
	}
}

static void note_access(struct observer *o, const struct soft_op *op, struct group_access *access)
{
	unsigned int element;
	uint64_t last;

	access->flags = 0;
	if (!accesses_memory(op))
		return;
	access->flags = soft_classify(o->cpu, op)->flags | SPE_OP_VA_VALID;
	access->va = soft_memory_address(o->cpu, op, &element, &last);
	access->size = (uint32_t)(last - access->va) + element;
}

/* Put n operations of a block through the fast loop, behind done others. */
static void run_group(struct soft_cpu *cpu, const struct soft_op *op, int64_t n, int64_t done)
{
	cpu->at = NULL;
	cpu->run = done + n;
	cpu->left = n;
	if (op->rest > n)
		soft_place_stop(cpu, op + n);
	soft_enter(cpu, op, n - op->rest);
	soft_remove_stop(cpu);
}

static bool goes_on(const struct soft_cpu *cpu)
{
	return (cpu->leave == SOFT_LEAVE_STOP || cpu->leave == SOFT_LEAVE_BLOCK) && cpu->at &&
	       !cpu->attention && !soft_block_of(cpu->at)->stale && soft_observable(cpu, cpu->at);
}

/* All that was asked for is done where a block begins: that is a stop as others. */
static void stop_at_block(struct soft_cpu *cpu)
{
	if (cpu->leave != SOFT_LEAVE_BLOCK)
		return;
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->left = 0;
	cpu->pc = soft_op_pc(cpu->at);
}

void soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n)
{
	struct group_access access;
	struct observer o;
	int64_t length, executed;

	begin_observer(&o, cpu);
	if (SOFT_UNLIKELY(cpu->vm->dropped))
		soft_bar_dropped(cpu->vm);
	do {
		fetch_op(&o, op);
		length = group_length(cpu, op, n - done);
		note_access(&o, op, &access);
		run_group(cpu, op, length, done);
		executed = length - cpu->left;
		show_group(&o, op, executed, &access);
		done += executed;
		op = cpu->at;
	} while (done < n && goes_on(cpu));
	stop_at_block(cpu);
}

void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done)
{
	run_group(cpu, op, 1, done);
	stop_at_block(cpu);
}

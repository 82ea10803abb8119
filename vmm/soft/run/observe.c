/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observing loop. The model is shown what operations do, in the order of the program, before
 * they are executed where that is known already: where they do not leave their block, and where
 * their accesses find their way in the software TLB and their addresses do not depend on what those
 * before do. A load or store of which that is not true is shown when it was executed, alone; the
 * last of a block when it was, with what was shown before. What it is shown is what
 * soft_model_before() and soft_model_after() show of each of them, without the record that nobody
 * will see.
 */
#include "soft/run/observe.h"

#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/run/block.h"
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

/* The access of an operation. */
struct access {
	uint64_t va, last;
	unsigned int element;
	uint32_t flags; /* SPE_OP_* */
};

static bool accesses_memory(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST;
}

/* Field by field: the structure is made for each sample. */
static void begin_observer(struct observer *o, struct soft_cpu *cpu)
{
	const struct soft_model_context *context = soft_model_context(cpu);

	o->cpu = cpu;
	o->machine = cpu->vm->model->machine;
	o->walker.cpu = cpu;
	o->walker.fetch_el = o->walker.data_el = cpu->sys.pstate.el;
	o->walker.write = false;
	o->line = 0;
	o->facts.regime = o->facts.data_regime = context->regime;
	o->facts.tables = o->facts.data_tables = context->tables;
	o->facts.flow = A64_FLOW_NONE;
	o->facts.place = MODEL_NOWHERE;
	o->facts.excepted = o->facts.flush = false;
	o->facts.uncached = context->uncached;
	o->facts.data_uncached = context->data_uncached;
	o->facts.size = 0;
	o->facts.ctx = &o->walker;
	o->facts.walk = soft_model_walk;
	o->op.flags = 0;
}

__attribute__((noinline)) static void fetch_line(struct observer *o, const struct soft_op *op,
						 uint64_t pa)
{
	o->line = model_line_pa(pa) | 1;
	o->facts.fetch_pa = pa;
	(void)model_core_fetch(o->machine, o->cpu->index, soft_op_pc(op), &o->facts);
}

/* One behind the other in a line need no second look. */
static inline void fetch_op(struct observer *o, const struct soft_op *op)
{
	const uint64_t pa = soft_block_of(op)->pa + 4 * (uint64_t)op->index;

	if (SOFT_UNLIKELY((model_line_pa(pa) | 1) != o->line || op->index == 0))
		fetch_line(o, op, pa);
}

/* o->op and o->facts say what it did. */
static void show_op(struct observer *o, const struct soft_op *op)
{
	o->op.pc = soft_op_pc(op);
	o->op.events = 0;
	model_core_warm(o->machine, o->cpu->index, &o->facts, &o->op);
}

/* op made its access, or will for certain; excepted: it was executed, and did not. */
static void show_access(struct observer *o, const struct soft_op *op, const struct access *access,
			bool excepted)
{
	struct soft_cpu *cpu = o->cpu;
	struct soft_accessed at;

	o->op.flags = access->flags;
	o->op.data_va = access->va;
	o->facts.size = (uint32_t)(access->last - access->va) + access->element;
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

static void note_access(const struct soft_cpu *cpu, const struct soft_op *op, struct access *access)
{
	access->flags = soft_classify(cpu, op)->flags | SPE_OP_VA_VALID;
	access->va = soft_memory_address(cpu, op, &access->element, &access->last);
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

/* Show operations from op on that access no memory and do not leave their block: at most n. */
static inline int64_t foresee_plain(struct observer *o, const struct soft_op *op, int64_t n)
{
	const struct soft_op *first = op;

	/* The last of a block is none of them. */
	n = n < op->rest - 1 ? n : op->rest - 1;
	while (op - first < n && !accesses_memory(op) && soft_observed(o->cpu, op))
		fetch_op(o, op++);
	o->machine->cores[o->cpu->index].operations += (uint64_t)(op - first);
	return op - first;
}

/*
 * The fast loop stands before from. Show op, a load or store that follows it in the same block and
 * does not end that, if what it does is known already. Is it?
 */
static bool foresee_access(struct observer *o, const struct soft_op *from, const struct soft_op *op)
{
	struct soft_cpu *cpu = o->cpu;
	struct access access;

	if (op->rest == 1 || !accesses_memory(op) || !soft_observed(cpu, op) ||
	    soft_classify(cpu, op)->known_from > from->index)
		return false;
	note_access(cpu, op, &access);
	if (!soft_certain_access(cpu, op, access.va, access.last, access.element,
				 access.flags & SPE_OP_STORE))
		return false;
	fetch_op(o, op);
	show_access(o, op, &access, false);
	return true;
}

/* Execute op, which could not be foreseen, behind shown others of its block that were. */
static void execute_shown(struct observer *o, const struct soft_op *op, int64_t shown, int64_t done)
{
	const bool accesses = accesses_memory(op);
	struct soft_cpu *cpu = o->cpu;
	struct access access = {0};

	fetch_op(o, op);
	if (accesses)
		note_access(cpu, op, &access);
	run_group(cpu, op - shown, shown + 1, done);
	if (accesses)
		show_access(o, op, &access, cpu->leave == SOFT_LEAVE_FAULT);
	else
		show_plain(o, op);
}

/* The fast loop stands before op, having executed done operations. */
static void stand_before(struct soft_cpu *cpu, const struct soft_op *op, int64_t done)
{
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->at = op;
	cpu->pc = soft_op_pc(op);
	cpu->run = done;
	cpu->left = 0;
}

int64_t soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n)
{
	int64_t shown = 0;
	struct observer o;

	begin_observer(&o, cpu);
	if (SOFT_UNLIKELY(cpu->vm->dropped))
		soft_bar_dropped(cpu->vm);
	stand_before(cpu, op, done);
	while (done + shown < n) {
		shown += foresee_plain(&o, cpu->at + shown, n - done - shown);
		if (done + shown == n)
			break;
		op = cpu->at + shown;
		if (foresee_access(&o, cpu->at, op)) {
			shown++;
			continue;
		}
		if (shown > 0 && (accesses_memory(op) || !soft_observed(cpu, op))) {
			run_group(cpu, cpu->at, shown, done);
			done += shown;
		} else {
			execute_shown(&o, op, shown, done);
			done += shown + 1;
		}
		shown = 0;
		if (!goes_on(cpu))
			break;
	}
	stop_at_block(cpu);
	return shown;
}

void soft_execute_foreseen(struct soft_cpu *cpu, int64_t shown)
{
	run_group(cpu, cpu->at, shown, cpu->run - cpu->left);
}

void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done)
{
	run_group(cpu, op, 1, done);
	stop_at_block(cpu);
}

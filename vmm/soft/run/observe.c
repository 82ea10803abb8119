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

/* The access of an operation: what the model looks at of it, and what it says, unread. */
struct access {
	struct spe_op op;
	uint64_t last;
	unsigned int element;
	bool write;
};

static bool accesses_memory(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST;
}

/*
 * The operations of block from number first up to end are fetched. What is behind another in a line
 * needs no second look. Returns the number from which on one is needed.
 */
static inline unsigned int fetch_ops(struct soft_observer *o, const struct soft_block *block,
				     unsigned int first, unsigned int end)
{
	while (first < end) {
		const uint64_t offset = 4 * (uint64_t)first, pa = block->pa + offset;
		const uint64_t line = model_line_pa(pa) | 1;

		if (line != o->line || first == 0) {
			o->line = line;
			o->facts.fetch_pa = pa;
			(void)model_core_fetch(o->machine, o->walker.cpu->index, block->va + offset,
					       &o->facts);
		}
		first += (unsigned int)(MODEL_LINE - pa % MODEL_LINE) / 4;
	}
	return first;
}

static inline void fetch_op(struct soft_observer *o, const struct soft_op *op)
{
	(void)fetch_ops(o, soft_block_of(op), op->index, op->index + 1u);
}

static void note_access(const struct soft_cpu *cpu, const struct soft_op *op,
			const struct soft_class *class, struct access *access)
{
	access->write = class->flags & SPE_OP_STORE;
	access->op.flags = class->flags | SPE_OP_VA_VALID;
	access->op.data_va = soft_memory_address(cpu, op, &access->element, &access->last);
}

/* The access is made, or will be for certain, in RAM or in a device. */
static inline void show_access(struct soft_observer *o, struct access *access,
			       enum model_place place, uint64_t pa)
{
	o->facts.flow = A64_FLOW_NONE;
	o->facts.place = place;
	o->facts.size = (uint32_t)(access->last - access->op.data_va) + access->element;
	o->walker.write = access->write;
	access->op.data_pa = pa;
	access->op.events = 0;
	model_core_warm(o->machine, o->walker.cpu->index, &o->facts, &access->op);
}

/* op was executed, and accessed memory. */
static void show_accessed(struct soft_observer *o, struct access *access)
{
	struct soft_cpu *cpu = o->walker.cpu;
	struct soft_accessed at = {0};

	if (cpu->leave != SOFT_LEAVE_FAULT)
		at = soft_sample_place(cpu, access->op.data_va, access->write, cpu->sys.pstate.el);
	else if (cpu->fault.ec != ARM_EC_DATA_ABORT)
		access->op.flags &= ~(uint32_t)SPE_OP_VA_VALID;
	o->facts.excepted = o->facts.flush = cpu->leave == SOFT_LEAVE_FAULT;
	show_access(o, access,
		    !at.there ? MODEL_NOWHERE
		    : at.ram  ? MODEL_RAM
			      : MODEL_DEVICE,
		    at.pa);
	o->facts.excepted = o->facts.flush = false;
}

/* op, which does not access memory, was executed. The last of its block may branch. */
static void show_plain(struct soft_observer *o, const struct soft_op *op)
{
	struct soft_cpu *cpu = o->walker.cpu;
	struct spe_op branch = {.pc = soft_op_pc(op), .flags = SPE_OP_BRANCH};

	o->facts.flow = (enum a64_flow)soft_classify(cpu, op)->flow;
	if (op->rest > 1 || o->facts.flow == A64_FLOW_NONE) {
		o->core->operations++;
		return;
	}
	branch.target = cpu->leave == SOFT_LEAVE_LINK ? soft_branch_address(&cpu->sys, cpu->pc)
						      : soft_op_pc(cpu->at);
	/* One to the next instruction may be taken, too. */
	if (o->facts.flow != A64_FLOW_CONDITIONAL || branch.target != branch.pc + 4 ||
	    soft_branch_taken(cpu, op))
		branch.flags |= SPE_OP_TAKEN;
	o->facts.place = MODEL_NOWHERE;
	model_core_warm(o->machine, cpu->index, &o->facts, &branch);
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

/*
 * op is a load or store of a block that the fast loop stands in, before operation from. Is it made
 * in RAM, at an address that is known already?
 */
static inline bool foresee_access(const struct soft_cpu *cpu, const struct soft_op *op,
				  const struct soft_class *class, unsigned int from,
				  struct access *access)
{
	if (class->known_from > from || !soft_class_observed(cpu, class))
		return false;
	note_access(cpu, op, class, access);
	return soft_certain_access(cpu, op, access->op.data_va, access->last, access->element,
				   access->write);
}

/*
 * The fast loop stands before from. Show the operations of its block from there on of which it is
 * known already what they do, at most n and not the last of the block. Returns how many.
 */
static int64_t foresee(struct soft_observer *o, const struct soft_op *from, int64_t n)
{
	const struct soft_block *block = soft_block_of(from);
	const unsigned int first = from->index;
	const unsigned int end = first + (unsigned int)(n < from->rest - 1 ? n : from->rest - 1);
	struct soft_cpu *cpu = o->walker.cpu;
	unsigned int at = first, fetched = first, accesses = 0;
	struct access access;

	for (; at < end; at++) {
		const struct soft_op *op = &block->ops[at];
		const struct soft_class *class = &block->classes[at];

		if (class->calm)
			continue;
		class = soft_classify(cpu, op);
		if (!accesses_memory(op)) {
			if (!soft_class_observed(cpu, class))
				break;
			continue;
		}
		if (!foresee_access(cpu, op, class, first, &access))
			break;
		fetched = fetch_ops(o, block, fetched, at + 1);
		show_access(o, &access, MODEL_RAM, soft_tlb_pa(cpu, access.op.data_va));
		accesses++;
	}
	(void)fetch_ops(o, block, fetched, at);
	o->core->operations += at - first - accesses;
	return at - first;
}

/* Execute op, which could not be foreseen, behind shown others of its block that were. */
static void execute_shown(struct soft_observer *o, const struct soft_op *op, int64_t shown,
			  int64_t done)
{
	const bool accesses = accesses_memory(op);
	struct soft_cpu *cpu = o->walker.cpu;
	struct access access;

	fetch_op(o, op);
	if (accesses)
		note_access(cpu, op, soft_classify(cpu, op), &access);
	run_group(cpu, op - shown, shown + 1, done);
	if (accesses)
		show_accessed(o, &access);
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
	struct soft_observer *o = soft_observer(cpu);
	int64_t shown;

	o->line = 0;
	if (SOFT_UNLIKELY(cpu->vm->dropped))
		soft_bar_dropped(cpu->vm);
	stand_before(cpu, op, done);
	for (;;) {
		shown = foresee(o, cpu->at, n - done);
		if (done + shown == n)
			break;
		op = cpu->at + shown;
		if (shown > 0 && (accesses_memory(op) || !soft_observed(cpu, op))) {
			run_group(cpu, cpu->at, shown, done);
			done += shown;
		} else {
			execute_shown(o, op, shown, done);
			done += shown + 1;
		}
		shown = 0;
		if (done == n || !goes_on(cpu))
			break;
	}
	stop_at_block(cpu);
	return shown;
}

void soft_observe_sample(struct soft_cpu *cpu, const struct soft_op *op,
			 const struct soft_class *class, struct soft_sample *s)
{
	struct soft_observer *o = soft_observer(cpu);
	struct spe_op *r = &s->record;

	fetch_op(o, op);
	o->facts.flow = (enum a64_flow) class->flow;
	/* What is known beforehand of an access is that it is made, in RAM. */
	o->facts.place = r->flags & SPE_OP_PA_VALID ? MODEL_RAM : MODEL_NOWHERE;
	o->facts.size = (uint32_t)(s->last - r->data_va) + s->element;
	o->walker.write = s->wrote;
	model_core_alone(o->machine, o->walker.cpu->index, &o->facts, r);
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

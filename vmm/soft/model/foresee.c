/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the observing loop (soft/run/observe.h) shows the model of operations, before and after they
 * are executed.
 */
#include "soft/model/foresee.h"

#include "soft/mem/memory.h"
#include "soft/mem/regime.h"

static bool accesses_memory(const struct soft_op *op)
{
	return op->kind >= SOFT_MEMORY_FIRST;
}

/*
 * Fetch the operations of block from number first up to end. An operation in the line of the
 * previous one needs no second look-up. Returns the first number that needs one.
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

void soft_note_access(const struct soft_cpu *cpu, const struct soft_op *op,
		      const struct soft_class *class, struct soft_shown_access *access)
{
	access->write = class->flags & SPE_OP_STORE;
	access->op.flags = class->flags | SPE_OP_VA_VALID;
	access->op.data_va = soft_memory_address(cpu, op, &access->element, &access->last);
}

/* The access has been made, or certainly will be, in RAM or in a device. */
static inline void show_access(struct soft_observer *o, struct soft_shown_access *access,
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

void soft_show_accessed(struct soft_observer *o, struct soft_shown_access *access, bool faulted)
{
	struct soft_cpu *cpu = o->walker.cpu;
	struct soft_accessed at = {0};

	if (!faulted)
		at = soft_sample_place(cpu, access->op.data_va, access->write, cpu->sys.pstate.el);
	else if (cpu->fault.ec != ARM_EC_DATA_ABORT)
		access->op.flags &= ~(uint32_t)SPE_OP_VA_VALID;
	o->facts.excepted = o->facts.flush = faulted;
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
	/* A branch to the next instruction may be taken, too. */
	if (o->facts.flow != A64_FLOW_CONDITIONAL || branch.target != branch.pc + 4 ||
	    soft_branch_taken(cpu, op))
		branch.flags |= SPE_OP_TAKEN;
	o->facts.place = MODEL_NOWHERE;
	model_core_warm(o->machine, cpu->index, &o->facts, &branch);
}

/*
 * op is a load or store of the block that the fast loop is in, before operation from. Will it
 * access RAM, at an address that is already known?
 */
static inline bool foresee_access(const struct soft_cpu *cpu, const struct soft_op *op,
				  const struct soft_class *class, unsigned int from,
				  struct soft_shown_access *access)
{
	if (class->known_from > from || !soft_class_observed(cpu, class))
		return false;
	soft_note_access(cpu, op, class, access);
	return soft_certain_access(cpu, op, access->op.data_va, access->last, access->element,
				   access->write);
}

int64_t soft_foresee(struct soft_observer *o, const struct soft_op *from, int64_t n)
{
	const struct soft_block *block = soft_block_of(from);
	const unsigned int first = from->index;
	const unsigned int end = first + (unsigned int)(n < from->rest - 1 ? n : from->rest - 1);
	struct soft_cpu *cpu = o->walker.cpu;
	unsigned int at = first, fetched = first, accesses = 0;
	struct soft_shown_access access;

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

void soft_show_before(struct soft_observer *o, const struct soft_op *op,
		      struct soft_shown_access *access)
{
	const struct soft_cpu *cpu = o->walker.cpu;

	fetch_op(o, op);
	if (accesses_memory(op))
		soft_note_access(cpu, op, soft_classify(cpu, op), access);
}

void soft_show_after(struct soft_observer *o, const struct soft_op *op,
		     struct soft_shown_access *access)
{
	if (accesses_memory(op))
		soft_show_accessed(o, access, o->walker.cpu->leave == SOFT_LEAVE_FAULT);
	else
		show_plain(o, op);
}

void soft_observe_sample(struct soft_cpu *cpu, const struct soft_op *op,
			 const struct soft_class *class, struct soft_sample *s)
{
	struct soft_observer *o = soft_observer(cpu);
	struct spe_op *r = &s->record;

	fetch_op(o, op);
	o->facts.flow = (enum a64_flow) class->flow;
	/* All that is known of an access beforehand is that it is made, in RAM. */
	o->facts.place = r->flags & SPE_OP_PA_VALID ? MODEL_RAM : MODEL_NOWHERE;
	o->facts.size = (uint32_t)(s->last - r->data_va) + s->element;
	o->walker.write = s->wrote;
	model_core_alone(o->machine, o->walker.cpu->index, &o->facts, r);
}

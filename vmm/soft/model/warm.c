/* SPDX-License-Identifier: BSD-2-Clause */
/* See warm.h. */
#include "soft/model/warm.h"

#include "soft/mem/memory.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"
#include "soft/model/filter.h"

void soft_warm_begin(struct soft_cpu *cpu)
{
	const struct engine_ram *ram = &cpu->vm->host.ram;
	struct model_core *core;

	if (!cpu->vm->model || cpu->vm->model->mode != MODEL_WARM)
		return;
	core = &cpu->vm->model->machine->cores[cpu->index];
	cpu->warm.data_epoch = UINT64_MAX; /* of no TLB: nothing is known of it yet */
	cpu->warm.branch = &core->branch;
	cpu->warm.code_lines = core->l1i.filter;
	cpu->warm.lines = (const uint8_t *)((uintptr_t)core->l1d.filter -
					    ((uintptr_t)ram->host >> MODEL_LINE_SHIFT));
	soft_warm_moved(cpu);
}

void soft_warm_moved(struct soft_cpu *cpu)
{
	const struct soft_observer *o;
	const struct model_facts *facts;

	if (!cpu->vm->model || cpu->vm->model->mode != MODEL_WARM)
		return;
	o = soft_observer(cpu);
	facts = &o->facts;
	/* Where a block is, and in what, is all that it remembers. */
	if (facts->regime != cpu->warm.regime || facts->tables != cpu->warm.tables)
		o->core->itlb.epoch++;
	cpu->warm.regime = facts->regime;
	cpu->warm.tables = facts->tables;
	soft_warm_settle(cpu);
}

/* Do L1I and, of a block's first operation, the TLB have it, as translated code would see? */
static bool is_fetched(const struct soft_cpu *cpu, const struct soft_op *op, uint64_t pa)
{
	const struct engine_ram *ram = &cpu->vm->host.ram;

	return pa - ram->base < ram->size &&
	       cpu->warm.code_lines[(pa - ram->base) >> MODEL_LINE_SHIFT] &&
	       (op->index || soft_block_of(op)->warm == cpu->warm.code_epoch);
}

void soft_warm_fetch(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_block *block = (struct soft_block *)(uintptr_t)soft_block_of(op);
	const uint64_t pa = block->pa + 4 * (uint64_t)op->index;
	struct soft_observer *o;

	if (!cpu->warm.on || is_fetched(cpu, op, pa))
		return;
	o = soft_observer(cpu);
	o->facts.fetch_pa = pa;
	(void)model_core_fetch(o->machine, cpu->index, soft_op_pc(op), &o->facts);
	model_core_forget_fetch(o->core);
	soft_warm_settle(cpu);
	block->warm = cpu->warm.code_epoch;
}

/* The access of an operation: the model's input, and its output, which nobody reads. */
struct shown_access {
	struct spe_op op;
	uint64_t last;
	unsigned int element;
	bool read, write; /* one of them, or both */
};

/* Is it shown by its address alone? Others are shown by soft_model_before(). */
static bool is_usual(const struct soft_cpu *cpu, const struct soft_class *class)
{
	return class->observed && !(class->observed_fp && cpu->fp_trapped);
}

/* op, a load or store of ops.def, is about to access memory: where, but not yet in what. */
static void note_access(const struct soft_cpu *cpu, const struct soft_op *op,
			struct shown_access *access)
{
	access->write = soft_memory_writes(op);
	access->read = !access->write;
	access->op.data_va = soft_memory_address(cpu, op, &access->element, &access->last);
}

/* The entry of the software TLB by which the fast loop makes it, or NULL. */
static const struct soft_tlb_entry *fast_entry(const struct soft_cpu *cpu,
					       const struct shown_access *access)
{
	const struct soft_tlb_entry *entry = soft_tlb_entry(cpu, access->op.data_va);
	const uint64_t page = access->op.data_va & SOFT_PAGE_MASK;

	if ((access->write && entry->write != page) || (access->read && entry->read != page))
		return NULL;
	return entry;
}

/* Will the fast loop, by the entry of an access to va, find its line in the filter? */
static bool is_certain(const struct soft_cpu *cpu, const struct soft_tlb_entry *entry, uint64_t va,
		       bool write)
{
	const uint8_t seen = cpu->warm.lines[(va + entry->add) >> MODEL_LINE_SHIFT];

	return write ? seen == MODEL_MODIFIED : seen != 0;
}

static uint64_t last_byte(const struct shown_access *access)
{
	return access->last + access->element - 1;
}

static bool crosses_line(const struct shown_access *access)
{
	return (last_byte(access) ^ access->op.data_va) / MODEL_LINE != 0;
}

static void tell_line(struct soft_cpu *cpu, const struct soft_tlb_entry *entry, uint64_t va,
		      bool write)
{
	const struct soft_observer *o = soft_observer(cpu);

	if (!is_certain(cpu, entry, va, write))
		(void)model_memory_data(o->machine, cpu->index, va, soft_tlb_pa(cpu, va),
					write ? MODEL_STORE : MODEL_LOAD);
}

/*
 * The usual case: the model's TLB has the page of an access, as the software TLB has; only lines
 * may be missing. False: it is not so, and nothing was shown.
 */
static bool tell_lines(struct soft_cpu *cpu, const struct shown_access *access)
{
	const struct soft_tlb_entry *entry = fast_entry(cpu, access);
	const uint64_t last = last_byte(access);

	if (!entry || !entry->cached || soft_observer(cpu)->facts.data_uncached ||
	    (last ^ access->op.data_va) & SOFT_PAGE_MASK)
		return false;
	tell_line(cpu, entry, access->op.data_va, access->write);
	if (crosses_line(access))
		tell_line(cpu, entry, last, access->write);
	return true;
}

/* The access has been made, or certainly will be, in RAM or in a device. */
static inline void show_access(struct soft_observer *o, struct shown_access *access,
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

/* It has, or cpu->fault is set. */
static void show_accessed(struct soft_observer *o, struct shown_access *access, bool faulted)
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

/* Any operation, shown to the model on its own. */
static bool execute_shown(struct soft_cpu *cpu, const struct soft_op *op, soft_function *function)
{
	struct soft_seen seen;
	bool done;

	soft_model_before(cpu, op, UINT64_MAX, &seen);
	done = function(cpu, op);
	seen.faulted = !done && !cpu->unfinished;
	soft_model_after(cpu, &seen, seen.faulted);
	return done;
}

bool soft_warm_line(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct shown_access access;

	if (cpu->attention)
		return false;
	note_access(cpu, op, &access);
	return soft_certain_access(cpu, op, access.op.data_va, access.last, access.element,
				   access.write) &&
	       tell_lines(cpu, &access);
}

bool soft_warm_memory(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct soft_class *class;
	struct shown_access access;
	bool done;

	if (!cpu->warm.on)
		return soft_memory_operation(cpu, op);
	class = soft_classify(cpu, op);
	if (!is_usual(cpu, class))
		return execute_shown(cpu, op, soft_memory_operation);
	note_access(cpu, op, &access);
	done = soft_memory_operation(cpu, op);
	if (done && tell_lines(cpu, &access))
		return true;
	access.op.flags = class->flags | SPE_OP_VA_VALID;
	show_accessed(soft_observer(cpu), &access, !done);
	soft_warm_settle(cpu);
	return done;
}

bool soft_warm_call(struct soft_cpu *cpu, const struct soft_op *op)
{
	soft_function *const function = (soft_function *)(uintptr_t)op->imm;
	const struct soft_class *class = soft_classify(cpu, op);

	if (!cpu->warm.on ||
	    !(class->prefetches || (class->flags | class->moves) & (SPE_OP_LOAD | SPE_OP_STORE)))
		return function(cpu, op);
	return execute_shown(cpu, op, function);
}

void soft_warm_zeroed(struct soft_cpu *cpu)
{
	struct shown_access access = {
		.op = {.data_va = cpu->model.zeroed.va, .data_pa = cpu->model.zeroed.pa},
		.last = cpu->model.zeroed.va,
		.element = SOFT_ZVA_SIZE,
		.write = true,
	};
	struct soft_observer *o;

	if (!cpu->warm.on || tell_lines(cpu, &access))
		return;
	o = soft_observer(cpu);
	o->facts.flow = A64_FLOW_NONE;
	o->facts.place = MODEL_ZEROED;
	o->facts.size = SOFT_ZVA_SIZE;
	o->walker.write = true;
	model_core_warm(o->machine, cpu->index, &o->facts, &access.op);
	soft_warm_settle(cpu);
}

static void tell_branch(struct soft_cpu *cpu, const struct soft_op *op, bool taken, uint64_t target)
{
	(void)model_branch_predicted(cpu->warm.branch, (enum a64_flow)soft_classify(cpu, op)->flow,
				     soft_op_pc(op), taken, target);
}

void soft_warm_branch(struct soft_cpu *cpu, const struct soft_op *op, unsigned int side)
{
	const bool taken = side == 1 || op->kind == SOFT_b || op->kind == SOFT_bl;

	if (cpu->warm.on && op->kind != SOFT_fall)
		tell_branch(cpu, op, taken, ((const struct soft_links *)(op + 1))->target[side]);
}

void soft_warm_jump(struct soft_cpu *cpu, const struct soft_op *op)
{
	if (cpu->warm.on)
		tell_branch(cpu, op, true, soft_branch_address(&cpu->sys, cpu->pc));
}

int64_t soft_warm_fetched(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	soft_warm_fetch(cpu, op);
	return budget;
}

/* The access of op, of translated code: of ops.def, or atomic. */
static void note_any(const struct soft_cpu *cpu, const struct soft_op *op,
		     struct shown_access *access)
{
	const struct soft_class *class;

	if (op->kind >= SOFT_MEMORY_FIRST) {
		note_access(cpu, op, access);
		return;
	}
	class = soft_classify(cpu, op);
	access->write = class->flags & SPE_OP_STORE;
	access->read = class->flags & SPE_OP_LOAD;
	(void)soft_data_address(cpu, op->word, soft_op_pc(op), &access->op.data_va);
	access->element = a64_element_size(&a64_table[class->id], op->word);
	access->last = access->op.data_va;
}

/* Will the fast loop find its page and its line? */
static bool is_seen(const struct soft_cpu *cpu, const struct shown_access *access)
{
	const struct soft_tlb_entry *entry = fast_entry(cpu, access);

	return entry && is_certain(cpu, entry, access->op.data_va, access->write);
}

/* Another Exception level's access, or one that may not be made. */
static bool is_singular(const struct soft_cpu *cpu, const struct soft_op *op)
{
	if (op->kind >= SOFT_MEMORY_FIRST)
		return op->aux & SOFT_AUX_UNPRIVILEGED;
	return a64_table[soft_classify(cpu, op)->id].operation == A64_OP_STORE_EXCLUSIVE;
}

int64_t soft_warm_access(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	const enum soft_view view =
		(enum soft_view)(((const struct soft_tlb *)cpu->tlb) - cpu->views.tlbs);
	struct shown_access access;
	struct soft_place place;

	cpu->budget = budget;
	if (cpu->tlb == soft_tlb_nothing || cpu->attention || is_singular(cpu, op))
		return SOFT_PASS_NOT;
	cpu->left = budget + op->rest;
	note_any(cpu, op, &access);
	/* One that may not be made as it is, or fault in its second half, must not be shown yet. */
	if (crosses_line(&access) ||
	    (access.op.data_va & (access.element - 1) && op->kind < SOFT_MEMORY_VECTOR))
		return SOFT_PASS_NOT;
	if (tell_lines(cpu, &access))
		return is_seen(cpu, &access) ? budget : SOFT_PASS_NOT;
	/* A store is shown after it was made: it may change the tables that translate it. */
	if (access.write ||
	    !soft_tlb_resolve(cpu, view, access.op.data_va, ARM_READ,
			      access.op.data_va & (access.element - 1), &place) ||
	    !place.host || place.rom)
		return SOFT_PASS_NOT;
	access.op.flags = soft_classify(cpu, op)->flags | SPE_OP_VA_VALID;
	show_accessed(soft_observer(cpu), &access, false);
	soft_warm_settle(cpu);
	/* If other pages are no longer in the software TLB, this one is neither. */
	if (!soft_tlb_resolve(cpu, view, access.op.data_va, ARM_READ,
			      access.op.data_va & (access.element - 1), &place))
		return SOFT_PASS_NOT;
	soft_warm_check(cpu);
	return is_seen(cpu, &access) && !cpu->attention ? budget : SOFT_PASS_NOT;
}

void soft_warm_return(struct soft_cpu *cpu, const struct soft_op *op)
{
	(void)op;
	(void)model_branch_return(cpu->warm.branch, soft_branch_address(&cpu->sys, cpu->pc));
}

void soft_warm_called(struct soft_cpu *cpu, const struct soft_op *op)
{
	model_branch_call(cpu->warm.branch, soft_op_pc(op));
}

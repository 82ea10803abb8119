/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled operations. The interpreter is a PE that executes one operation at a time, in order,
 * without speculation; arm/model.h has the microarchitecture that samples show. Arm ARM D17.4,
 * D18.2.
 */
#include "soft/sampling/sample.h"
#include "arm/model.h"
#include "arm/model_facts.h"
#include "a64/a64.h"
#include "soft/flags.h"
#include "arm/registers.h"
#include "soft/mem/memory.h"
#include "soft/mem/mops.h"
#include "soft/mem/profile.h"
#include "soft/mem/regime.h"
#include "soft/mem/tlb.h"
#include "soft/mem/pauth.h"

#define SOFT_INLINE __attribute__((always_inline)) static inline

/* The operation type of an MRS or MSR that FEAT_NV2 turns into a load or store; bit 0: store. */
#define PAYLOAD_SYSTEM 0x30

bool soft_data_address(const struct soft_cpu *cpu, uint32_t word, uint64_t pc, uint64_t *va)
{
	unsigned int size;

	return a64_data_address(soft_decode(word), word, pc, soft_sample_register, cpu, va, &size);
}

/* SPE_OP_TAKEN, SPE_OP_NOT_TAKEN or neither, before the operation executes. */
static uint32_t branch_outcome(const struct soft_cpu *cpu, const struct a64_insn *insn,
			       uint32_t word)
{
	const unsigned int nzcv = insn->when == A64_WHEN_HOLDS ? soft_flags(cpu) : 0;

	return a64_holds(insn, word, nzcv, soft_sample_register, cpu) ? SPE_OP_TAKEN
								      : SPE_OP_NOT_TAKEN;
}

/*
 * The half of a memory copy that is sampled: that of PMSFCR_EL1.{LD,ST} if the filter by type
 * selects one of them, otherwise either (Arm ARM D18.2.7).
 */
static bool samples_store(const struct soft_cpu *cpu)
{
	const uint64_t filter = spe_read(cpu->sys.spe, SYSREG_PMSFCR_EL1);
	const bool loads = filter & PMSFCR_EL1_LD, stores = filter & PMSFCR_EL1_ST;

	if (filter & PMSFCR_EL1_FT && loads != stores)
		return stores;
	return soft_sample_random(cpu) & 1;
}

/* The same of memory copy and set. */
static bool moved_memory(struct soft_cpu *cpu, const struct soft_op *op, struct soft_sample *s)
{
	struct spe_op *r = &s->record;
	unsigned int size, el;

	s->wrote = r->flags & SPE_OP_STORE;
	if (!soft_mops_access(cpu, op->word, s->wrote, &r->data_va, &size, &el))
		return false;
	s->element = 1;
	s->last = r->data_va + size - s->element;
	s->data_el = (uint8_t)el;
	arm_model_address(r, s->element);
	return true;
}

/* The address, if the operation makes a data access that a record may show. */
static bool data_access(struct soft_cpu *cpu, const struct soft_op *op, const struct a64_insn *insn,
			struct soft_sample *s)
{
	struct spe_op *r = &s->record;
	unsigned int size;

	if (!(r->flags & (SPE_OP_LOAD | SPE_OP_STORE)))
		return false;
	if (SOFT_LIKELY(op->kind >= SOFT_MEMORY_FIRST)) {
		r->data_va = soft_memory_address(cpu, op, &size, &s->last);
		s->element = (uint16_t)size;
		s->data_el = op->aux & SOFT_AUX_UNPRIVILEGED
				     ? (uint8_t)soft_unprivileged_el(&cpu->sys)
				     : r->el;
	} else {
		if (a64_moves_memory(insn))
			return moved_memory(cpu, op, s);
		if (soft_is_load_authenticated(insn)) {
			r->data_va = soft_authenticated_address(cpu, op);
			size = 8;
		} else if (!a64_data_address(insn, op->word, r->pc, soft_sample_register, cpu,
					     &r->data_va, &size)) {
			return false;
		}
		s->element = (uint16_t)a64_element_size(insn, op->word);
		s->last = r->data_va + size - s->element;
		s->data_el = r->el;
	}
	s->wrote = r->flags & SPE_OP_STORE;
	s->status = insn->operation == A64_OP_STORE_EXCLUSIVE ? a64_get_exclusive(op->word).rs : 31;
	arm_model_address(r, s->element);
	return true;
}

/*
 * The access was made, at pa. If it may be in the address space of another state than the one that
 * made it, the tables say which.
 */
static void accessed(struct soft_cpu *cpu, struct soft_sample *s, uint64_t pa, bool ram)
{
	struct spe_op *r = &s->record;
	struct arm_translation t;

	s->ram = ram;
	arm_model_accessed(r, pa, ram);
	if (SOFT_LIKELY(r->ns && !r->nse))
		return;
	if (soft_translate(cpu, r->data_va, s->wrote ? ARM_WRITE : ARM_READ, s->data_el, &t) &&
	    t.ns && !t.nse)
		r->flags |= SPE_OP_PA_NON_SECURE;
}

/*
 * Will the fast loop find this load or store in the TLB, so that its outcome is already known?
 * Inlined into the path of every sample, although the machine model has a separate path.
 */
SOFT_INLINE bool certain_access(struct soft_cpu *cpu, const struct soft_op *op,
				struct soft_sample *s)
{
	const uint64_t va = s->record.data_va;

	if (op->kind < SOFT_MEMORY_FIRST ||
	    !soft_certain_access(cpu, op, va, s->last, s->element, s->wrote))
		return false;
	arm_model_translated(&s->record, false);
	accessed(cpu, s, soft_tlb_pa(cpu, va), true);
	return true;
}

struct soft_accessed soft_sample_place(struct soft_cpu *cpu, uint64_t va, bool write,
				       unsigned int el)
{
	const struct soft_tlb_entry *entry = soft_tlb_entry(cpu, va);
	const uint64_t page = va & SOFT_PAGE_MASK;
	struct arm_translation t;

	if (SOFT_LIKELY(el == cpu->sys.pstate.el && soft_tlb_allows(entry, page, write)))
		return (struct soft_accessed){soft_tlb_pa(cpu, va), true, true};
	if (!soft_translate(cpu, va, write ? ARM_WRITE : ARM_READ, el, &t))
		return (struct soft_accessed){0};
	return (struct soft_accessed){t.pa, true,
				      write ? soft_ram(cpu->vm, t.pa, 1) != NULL
					    : soft_memory(cpu->vm, t.pa, 1) != NULL};
}

/*
 * How a data access ended, given that the instruction may have generated another exception before.
 */
enum access_end { ACCESS_MADE, ACCESS_ABORTED, ACCESS_NOT_MADE };

static enum access_end access_end(bool excepted, unsigned int class)
{
	if (!excepted)
		return ACCESS_MADE;
	return (class & ~ARM_EC_SAME_EL) == ARM_EC_DATA_ABORT ? ACCESS_ABORTED : ACCESS_NOT_MADE;
}

/*
 * The outcome of a data access, now or a few operations ago; walked: the software TLB did not have
 * its translation. Asking where it went changes no TLB.
 */
static void data_outcome(struct soft_cpu *cpu, struct soft_sample *s, enum access_end end,
			 bool walked)
{
	struct spe_op *r = &s->record;
	struct soft_accessed at;
	struct arm_translation t;

	if (end == ACCESS_NOT_MADE) {
		r->flags &= ~(uint32_t)SPE_OP_VA_VALID; /* an SP alignment fault */
		return;
	}
	arm_model_translated(r, walked && soft_has_tables(&cpu->sys, s->data_el));
	if (end == ACCESS_ABORTED)
		return;
	if (s->status != 31 && cpu->x[s->status] != 0) {
		if (soft_translate(cpu, r->data_va, ARM_WRITE, s->data_el, &t))
			arm_model_not_accessed(r, t.pa);
		return;
	}
	at = soft_sample_place(cpu, r->data_va, s->wrote, s->data_el);
	if (at.there)
		accessed(cpu, s, at.pa, at.ram);
}

SOFT_INLINE bool certain_branch(const struct soft_cpu *cpu, const struct soft_op *op,
				const struct a64_insn *insn, struct spe_op *r)
{
	r->flags |= branch_outcome(cpu, insn, op->word);
	r->target_el = r->el;
	if (soft_is_authenticated_branch(op))
		return false;
	if (op->kind == SOFT_br || op->kind == SOFT_blr || op->kind == SOFT_br_typed ||
	    op->kind == SOFT_blr_typed)
		r->target = soft_branch_address(&cpu->sys, cpu->x[op->rn]);
	else if (op->kind != SOFT_system && r->flags & SPE_OP_TAKEN)
		(void)a64_branch_target(insn, op->word, r->pc, &r->target);
	return op->kind != SOFT_system;
}

/* What is known of an operation at pc where the PE is, whatever its outcome. */
SOFT_INLINE void begin_record(const struct soft_cpu *cpu, uint64_t pc, struct a64_operation type,
			      struct spe_op *r)
{
	const unsigned int el = cpu->sys.pstate.el;
	const struct arm_security_state security = arm_security_at(&cpu->sys.controls, el);

	/* Field by field: compilers zero a structure with a loop, which is far slower. */
	r->pc = pc;
	r->target = r->data_va = r->data_pa = r->timestamp = 0;
	r->contextidr_el1 = (uint32_t)cpu->sys.contextidr[1];
	r->contextidr_el2 = (uint32_t)cpu->sys.contextidr[2];
	r->flags = type.flags;
	r->translation_latency = r->alternate_latency = r->data_source = 0;
	r->type_header = type.header;
	r->type_payload = type.payload;
	r->el = (uint8_t)el;
	r->target_el = 0;
	r->ns = r->target_ns = security.ns;
	r->nse = r->target_nse = security.nse;
	r->tag = r->extra_count = 0;
	r->extra = NULL;
	arm_model_begin(r);
}

/* A sample of op, which is about to execute, before anything is known of a data access. */
SOFT_INLINE void begin_sample(struct soft_cpu *cpu, const struct soft_op *op,
			      const struct soft_class *class, struct soft_sample *s)
{
	struct a64_operation type = {class->header, class->payload, class->flags};

	if (SOFT_UNLIKELY(class->moves & SPE_OP_LOAD) && cpu->sys.spe && samples_store(cpu))
		type = a64_copy_store(type);
	cpu->sys.nvmem.accessed = false;
	s->walks = cpu->sampling.walks;
	s->last = 0;
	s->element = 0;
	s->wrote = false;
	s->ram = false;
	s->data_el = 0;
	s->status = 31;
	begin_record(cpu, soft_op_pc(op), type, &s->record);
}

void soft_sample_begin_run(struct soft_cpu *cpu)
{
	begin_record(cpu, 0, (struct a64_operation){0}, &cpu->sampling.usual);
}

uint64_t soft_sample_offset(const struct soft_cpu *cpu)
{
	const struct soft_sys *sys = &cpu->sys;

	if (!sys->levels.el2)
		return 0;
	switch (spe_timestamp_kind(sys->spe)) {
	case SPE_TIMESTAMP_VIRTUAL: return sys->cntvoff_el2;
	case SPE_TIMESTAMP_OFFSET:
		return arm_cntpoff_on(&sys->controls, sys->cnthctl_el2) ? sys->cntpoff_el2 : 0;
	default: return 0;
	}
}

uint64_t soft_sample_timestamp(const struct soft_cpu *cpu)
{
	const struct engine_host *host = &cpu->vm->host;

	if (spe_timestamp_kind(cpu->sys.spe) == SPE_TIMESTAMP_NONE)
		return 0;
	return host->counter(host->ctx, cpu->index) - soft_sample_offset(cpu);
}

SOFT_INLINE bool sample_known(struct soft_cpu *cpu, const struct soft_op *op,
			      const struct soft_class *class, struct soft_sample *s, bool stamped)
{
	const struct a64_insn *insn = class->id == A64_COUNT ? NULL : &a64_table[class->id];
	struct spe_op *r = &s->record;

	begin_sample(cpu, op, class, s);
	if (stamped)
		r->timestamp = soft_sample_timestamp(cpu);
	if (!insn || cpu->sys.pstate.il)
		return false;
	if (SOFT_UNLIKELY(a64_is_sve(insn))) {
		soft_sample_vector(cpu, insn, op->word, s);
		return false;
	}
	if (class->flags & SPE_OP_BRANCH)
		return certain_branch(cpu, op, insn, r);
	if (insn->operation == A64_OP_CONDITIONAL)
		r->flags |= branch_outcome(cpu, insn, op->word) & SPE_OP_NOT_TAKEN;
	else if (data_access(cpu, op, insn, s))
		return certain_access(cpu, op, s);
	return !soft_by_outcome(op);
}

bool soft_sample_before(struct soft_cpu *cpu, const struct soft_op *op, struct soft_sample *s)
{
	return sample_known(cpu, op, soft_classify(cpu, op), s, true);
}

bool soft_sample_known(struct soft_cpu *cpu, const struct soft_op *op,
		       const struct soft_class *class, struct soft_sample *s)
{
	return sample_known(cpu, op, class, s, false);
}

void soft_sample_wrong(const struct soft_cpu *cpu, uint64_t pc, const struct a64_insn *insn,
		       uint32_t word, struct spe_op *r)
{
	begin_record(cpu, pc, a64_operation_type(insn, word, cpu->sampling.types), r);
	soft_sample_length(cpu, r);
	r->flags |= SPE_OP_MISSPECULATED;
	r->events = 0;
	r->timestamp = soft_sample_timestamp(cpu);
}

bool soft_sample_micro_op(struct soft_cpu *cpu, const struct soft_op *op, struct a64_micro_op micro,
			  struct soft_sample *s)
{
	const struct a64_operation other = a64_operation_type(NULL, op->word, cpu->sampling.types);
	struct spe_op *r = &s->record;

	if (micro.kind == A64_MICRO_OP_WHOLE)
		return soft_sample_before(cpu, op, s);
	begin_sample(cpu, op, soft_classify(cpu, op), s);
	r->timestamp = soft_sample_timestamp(cpu);
	if (micro.kind == A64_MICRO_OP_ADDRESS) {
		r->type_header = other.header;
		r->type_payload = other.payload;
		r->flags = other.flags;
	} else if (!cpu->sys.pstate.il) {
		(void)data_access(cpu, op, &a64_table[soft_classify(cpu, op)->id], s);
		r->data_va += micro.part * (uint64_t)s->element;
	}
	return false; /* whether the instruction generates an exception is yet to be seen */
}

bool soft_branch_taken(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return branch_outcome(cpu, soft_decode(op->word), op->word) == SPE_OP_TAKEN;
}

bool soft_changes_flow(struct soft_cpu *cpu, const struct soft_op *op, enum spe_branch_kind *kind)
{
	const struct soft_class *class = soft_classify(cpu, op);

	*kind = SPE_BRANCH_ISB;
	if (class->id == A64_ISB || op->kind == SOFT_system)
		return class->id == A64_ISB;
	*kind = SPE_BRANCH_TAKEN;
	return class->flow != A64_FLOW_NONE && soft_branch_taken(cpu, op);
}

/* Would an operation at EL2 be profiled, too, with EL1's present controls? */
static bool profiles_el2(struct spe_unit *spe)
{
	return spe_owning_el(spe) == 2 && spe_read(spe, SYSREG_PMSCR_EL2) & PMSCR_EL2_E2SPE;
}

/*
 * An MRS or MSR that FEAT_NV2 turned into a load or store is sampled as such (Arm ARM D18.2). The
 * address is EL2's: the record has it only if EL2 may be profiled.
 */
static void system_memory(struct soft_cpu *cpu, struct soft_sample *s, bool excepted)
{
	const struct soft_nvmem *access = &cpu->sys.nvmem;
	struct spe_op *r = &s->record;

	r->type_header = SPE_TYPE_MEMORY;
	r->type_payload = PAYLOAD_SYSTEM | access->write;
	r->flags = SPE_OP_VA_VALID | (access->write ? SPE_OP_STORE : SPE_OP_LOAD);
	r->data_va = access->va;
	s->data_el = 2;
	s->status = 31;
	s->wrote = access->write;
	data_outcome(cpu, s, excepted ? ACCESS_ABORTED : ACCESS_MADE,
		     cpu->sampling.walks != s->walks);
	if (cpu->sys.spe && !profiles_el2(cpu->sys.spe))
		r->flags &= ~(uint32_t)(SPE_OP_VA_VALID | SPE_OP_PA_VALID);
}

void soft_sample_ended(struct soft_cpu *cpu, struct soft_sample *s, bool excepted,
		       unsigned int class)
{
	struct spe_op *r = &s->record;

	if (cpu->sys.nvmem.accessed)
		system_memory(cpu, s, excepted);
	else if (r->flags & SPE_OP_VA_VALID)
		data_outcome(cpu, s, access_end(excepted, class), cpu->sampling.walks != s->walks);
	if (excepted) {
		arm_model_excepted(r);
	} else if (r->flags & SPE_OP_TAKEN) {
		const unsigned int el = cpu->sys.pstate.el;
		const struct arm_security_state security = arm_security_at(&cpu->sys.controls, el);

		r->target = soft_branch_address(&cpu->sys, cpu->pc);
		r->target_el = (uint8_t)el;
		r->target_ns = security.ns;
		r->target_nse = security.nse;
	}
}

/* Only the room in the buffer's page counts. No samples wait: the unit is up to date. */
static void find_room(struct soft_cpu *cpu)
{
	static const struct soft_tlb_entry none = {.read = SOFT_NO_PAGE, .write = SOFT_NO_PAGE};
	const uint64_t va = spe_read(cpu->sys.spe, SYSREG_PMBPTR_EL1);
	const uint64_t room = spe_room(cpu->sys.spe), page = SOFT_PAGE_SIZE - va % SOFT_PAGE_SIZE;

	if (room == UINT64_MAX) {
		cpu->sampling.room.count = SOFT_SAMPLES + 1;
		cpu->sampling.room.entry = &none;
		cpu->sampling.room.page = SOFT_NO_PAGE;
		return;
	}
	cpu->sampling.room.count =
		(unsigned int)((room < page ? room : page) >> cpu->sampling.record_max);
	cpu->sampling.room.entry = soft_profile_entry(cpu, va);
	cpu->sampling.room.page = va & SOFT_PAGE_MASK;
}

/* The buffer has room for all waiting records, in a page that the fast path into it knows. */
static inline bool record_is_harmless(const struct soft_cpu *cpu)
{
	return cpu->sampling.waiting < cpu->sampling.room.count &&
	       cpu->sampling.room.entry->write == cpu->sampling.room.page;
}

/*
 * Will op's outcome be the same whatever the operations before it in its block do, unless they make
 * the fast loop stop or the TLB forget? Then its record is complete now.
 */
static bool certain(struct soft_cpu *cpu, const struct soft_op *op, const struct a64_insn *insn,
		    struct soft_sample *s)
{
	struct spe_op *r = &s->record;

	if (op->kind >= SOFT_MEMORY_FIRST)
		return r->ns && !r->nse && certain_access(cpu, op, s);
	if (!(r->flags & SPE_OP_BRANCH))
		return true;
	if (op->kind != SOFT_b && op->kind != SOFT_bl)
		return false;
	r->flags |= SPE_OP_TAKEN;
	r->target_el = r->el;
	return a64_branch_target(insn, op->word, r->pc, &r->target);
}

/* How to record an operation that will be selected without stopping before it. */
enum soft_wait {
	SOFT_WAIT_NOT,
	SOFT_WAIT_BLOCK, /* when its block is finished: soft_sample_deferred() */
	SOFT_WAIT_KNOWN, /* it is complete, if the fast loop gets there without walking tables */
};

/* Is there another selection in this run after the present one, and room for its record? */
static bool goes_on(const struct soft_cpu *cpu)
{
	return cpu->sampling.spacing && cpu->sampling.waiting < SOFT_SAMPLES &&
	       cpu->sampling.spacing < (uint64_t)(cpu->sampling.run_limit - cpu->run);
}

/* The rest of sample_wait(), if knowing that op is executed is not enough. */
static __attribute__((noinline)) enum soft_wait wait_for_outcome(struct soft_cpu *cpu,
								 const struct soft_op *op,
								 const struct soft_class *class,
								 struct soft_sample *s)
{
	const struct a64_insn *insn = &a64_table[class->id];

	if (op->kind >= SOFT_MEMORY_FIRST) {
		if (!s->late)
			(void)data_access(cpu, op, insn, s);
	} else if (insn->operation == A64_OP_CONDITIONAL) {
		s->record.flags |= branch_outcome(cpu, insn, op->word) & SPE_OP_NOT_TAKEN;
	}
	return !s->late && goes_on(cpu) && certain(cpu, op, insn, s) ? SOFT_WAIT_KNOWN
								     : SOFT_WAIT_BLOCK;
}

SOFT_INLINE enum soft_wait sample_wait(struct soft_cpu *cpu, const struct soft_op *from,
				       const struct soft_op *op, const struct soft_class *class)
{
	struct soft_sample *s = soft_sample_next(cpu);
	const bool known = class->known_from <= from->index;

	if (!class->deferrable || !(known || class->known_late) || !record_is_harmless(cpu) ||
	    (class->observed_fp && cpu->fp_trapped))
		return SOFT_WAIT_NOT;
	s->late = !known;
	s->position = cpu->run;
	s->record = cpu->sampling.usual;
	s->record.pc = soft_op_pc(op);
	s->record.timestamp = cpu->sampling.begin + (uint64_t)cpu->run;
	s->record.flags = class->flags;
	s->record.type_header = class->header;
	s->record.type_payload = class->payload;
	cpu->sampling.walked = false;
	if (!class->plain)
		return wait_for_outcome(cpu, op, class, s);
	return known && goes_on(cpu) ? SOFT_WAIT_KNOWN : SOFT_WAIT_BLOCK;
}

/* The first sample of several, or of op. */
static __attribute__((noinline)) enum soft_wait
first_wait(struct soft_cpu *cpu, const struct soft_op *from, const struct soft_op *op)
{
	if (cpu->sampling.waiting == 0)
		find_room(cpu);
	return sample_wait(cpu, from, op, soft_classify(cpu, op));
}

/* The path of most samples, without calls. */
int64_t soft_sample_plan(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const struct soft_class *classes = soft_block_of(op)->classes + op->index;
	enum soft_wait wait;

	do {
		if (cpu->run >= cpu->sampling.run_limit)
			return ~n;
		wait = SOFT_UNLIKELY(cpu->sampling.waiting == 0 || !classes[n].known)
			       ? first_wait(cpu, op, op + n)
			       : sample_wait(cpu, op, op + n, &classes[n]);
		if (wait == SOFT_WAIT_NOT)
			return ~n;
		if (wait == SOFT_WAIT_BLOCK) {
			cpu->sampling.deferred = op + n;
			return n;
		}
		n += soft_sample_foretell(cpu);
	} while (op->rest > n);
	return n;
}

bool soft_sample_here(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_sample *s = soft_sample_next(cpu);

	if (cpu->run >= cpu->sampling.run_limit)
		return false;
	if (cpu->sampling.waiting == 0)
		find_room(cpu);
	if (!record_is_harmless(cpu) || !goes_on(cpu) ||
	    !sample_known(cpu, op, soft_classify(cpu, op), s, false))
		return false;
	s->position = cpu->run;
	s->record.timestamp = cpu->sampling.begin + (uint64_t)cpu->run;
	return true;
}

void soft_sample_deferred(struct soft_cpu *cpu, const struct soft_op *op, bool excepted)
{
	const struct soft_class *class = &soft_block_of(op)->classes[op->index];
	const struct a64_insn *insn = &a64_table[class->id];
	struct soft_sample *s = &cpu->sampling.samples[cpu->sampling.waiting++];
	struct spe_op *r = &s->record;

	cpu->sampling.deferred = NULL;
	if (op->kind >= SOFT_MEMORY_FIRST) {
		if (s->late)
			(void)data_access(cpu, op, insn, s);
		data_outcome(cpu, s, access_end(excepted, cpu->fault.ec), cpu->sampling.walked);
	} else if (class->flags & SPE_OP_BRANCH) {
		/* A branch ends its block: registers, flags and PC are still as it left them. */
		r->flags |= branch_outcome(cpu, insn, op->word);
		r->target_el = r->el;
		if (r->flags & SPE_OP_TAKEN)
			r->target = soft_branch_address(&cpu->sys, cpu->pc);
	}
	if (excepted)
		r->events |= SPE_EVENT_EXCEPTION;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A sampled operation for spe_sample(): before it executes, and its outcome. */
#ifndef VSPE_SOFT_SAMPLING_SAMPLE_H
#define VSPE_SOFT_SAMPLING_SAMPLE_H

#include "a64/a64.h"
#include "base/splitmix.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"

/* Is nothing known of op before it was executed: which exception, and which registers? */
static inline bool soft_by_outcome(const struct soft_op *op)
{
	return op->kind == SOFT_system || op->kind == SOFT_call || op->kind == SOFT_sve;
}

/* The place of va in RAM or ROM, if the TLB has it. */
static inline uint64_t soft_tlb_pa(const struct soft_cpu *cpu, uint64_t va)
{
	const struct engine_ram *ram = &cpu->vm->host.ram, *rom = &cpu->vm->host.rom;
	const uintptr_t at = (uintptr_t)va + soft_tlb_entry(cpu, va)->add;

	if (SOFT_UNLIKELY(at - (uintptr_t)ram->host >= ram->size))
		return rom->base + (at - (uintptr_t)rom->host);
	return ram->base + (at - (uintptr_t)ram->host);
}

/*
 * Will the fast loop find the access of op, a load or store of ops.def, at va in the TLB? last: the
 * address of its last transfer, of element bytes.
 */
static inline bool soft_certain_access(const struct soft_cpu *cpu, const struct soft_op *op,
				       uint64_t va, uint64_t last, unsigned int element, bool write)
{
	const struct soft_tlb_entry *entry = soft_tlb_entry(cpu, va);

	return !(op->aux & SOFT_AUX_UNPRIVILEGED) &&
	       !(op->kind >= SOFT_MEMORY_VECTOR && cpu->fp_slow) &&
	       !(op->rn == SOFT_X_SP && cpu->x[SOFT_X_SP] & cpu->sp_mask) &&
	       (last & (SOFT_PAGE_MASK | (element - 1))) == (write ? entry->write : entry->read);
}

/* The first call of soft_classify() for an operation. */
const struct soft_class *soft_classify_first(const struct soft_cpu *cpu, const struct soft_op *op);

/*
 * op's properties for a sample, and for the PMU. Inline, as each sample needs it, and usually finds
 * it known.
 */
static inline const struct soft_class *soft_classify(const struct soft_cpu *cpu,
						     const struct soft_op *op)
{
	const struct soft_class *class = &soft_block_of(op)->classes[op->index];

	return SOFT_LIKELY(class->known) ? class : soft_classify_first(cpu, op);
}

/*
 * op is selected and about to execute. true: the record is complete, as its outcome is already
 * known. false: complete it with soft_sample_after().
 */
bool soft_sample_before(struct soft_cpu *cpu, const struct soft_op *op, struct soft_sample *s);

/* The same for one micro-op of op (a64_micro_ops()). */
bool soft_sample_micro_op(struct soft_cpu *cpu, const struct soft_op *op, struct a64_micro_op micro,
			  struct soft_sample *s);

/* a64_read_register: ctx is the soft_cpu. */
static inline uint64_t soft_sample_register(const void *ctx, unsigned int n)
{
	const struct soft_cpu *cpu = ctx;

	return cpu->x[n == 31 ? SOFT_X_SP : n];
}

/* A random number that depends on nothing but how many operations were executed. */
static inline uint64_t soft_sample_random(const struct soft_cpu *cpu)
{
	uint64_t number = cpu->ops + (cpu->run ? (uint64_t)(cpu->run - cpu->left) : 0);

	return splitmix_next(&number);
}

/* vector.c: the effective vector length, if r is of an SVE instruction. */
void soft_sample_length(const struct soft_cpu *cpu, struct spe_op *r);

/* What is known of an SVE instruction before it executes. */
void soft_sample_vector(struct soft_cpu *cpu, const struct a64_insn *insn, uint32_t word,
			struct soft_sample *s);

/* The timestamp of an operation that is selected here and now. */
uint64_t soft_sample_timestamp(const struct soft_cpu *cpu);

/* soft_sample_before() without a timestamp; works without a profiling unit, too. */
bool soft_sample_known(struct soft_cpu *cpu, const struct soft_op *op,
		       const struct soft_class *class, struct soft_sample *s);

/*
 * A record of the instruction word at pc on a path that turned out to be wrong: it has no result,
 * no address and no event (Arm ARM D17.6.7). insn: its row; NULL: it is "other". The caller sets
 * latencies.
 */
void soft_sample_wrong(const struct soft_cpu *cpu, uint64_t pc, const struct a64_insn *insn,
		       uint32_t word, struct spe_op *r);

/*
 * The data address of the instruction word at pc, one of the software CPU; PRFM has one, too.
 * Registers are as before it. false: none.
 */
bool soft_data_address(const struct soft_cpu *cpu, uint32_t word, uint64_t pc, uint64_t *va);

/* Where a data access went. */
struct soft_accessed {
	uint64_t pa;
	bool there, ram; /* there: false if its translation is gone */
};

/* For the access at va that was just made as el, the current Exception level or another. */
struct soft_accessed soft_sample_place(struct soft_cpu *cpu, uint64_t va, bool write,
				       unsigned int el);

/* The micro-ops of op. */
unsigned int soft_micro_ops(struct soft_cpu *cpu, const struct soft_op *op,
			    struct a64_micro_op ops[A64_MICRO_OPS_MAX]);

/*
 * op is about to execute: must spe_branch() be called once it has, without exception? Exception
 * entry and return call it where they are carried out.
 */
bool soft_changes_flow(struct soft_cpu *cpu, const struct soft_op *op, enum spe_branch_kind *kind);

/* Does op, a branch, branch? Registers and flags are as before it, or as it has left them. */
bool soft_branch_taken(const struct soft_cpu *cpu, const struct soft_op *op);

/*
 * What to subtract from the machine's counter for the timestamp of an operation that is selected
 * here.
 */
uint64_t soft_sample_offset(const struct soft_cpu *cpu);

/*
 * The operation has executed, and generated an exception of a class or not; a data abort is in
 * cpu->fault. PC is where execution continues.
 */
void soft_sample_ended(struct soft_cpu *cpu, struct soft_sample *s, bool excepted,
		       unsigned int class);

/* The same; the exception was taken. */
static inline void soft_sample_after(struct soft_cpu *cpu, struct soft_sample *s, bool excepted)
{
	soft_sample_ended(cpu, s, excepted, arm_ec_of(cpu->sys.esr[cpu->sys.pstate.el]));
}

/* Begin a run in which soft_sample_plan() may be called: set what its records have in common. */
void soft_sample_begin_run(struct soft_cpu *cpu);

/* The place of the next sample to wait. */
static inline struct soft_sample *soft_sample_next(struct soft_cpu *cpu)
{
	return &cpu->sampling.samples[cpu->sampling.waiting];
}

/*
 * n operations may be executed until the next selection, and the block that is entered at op has
 * more. The selected operation can be recorded without stopping before it if its outcome is known
 * now, or will still be known when its block is finished, and if writing the record can have no
 * other effect. If it is known now, the record waits, and the run continues to the next selection.
 * Otherwise it is soft_cpu.sampling.deferred, and all of the block must be executed. Returns how
 * many operations may then be executed until the next selection; or, if it cannot be recorded in
 * any of these ways, that number's complement.
 */
int64_t soft_sample_plan(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

/*
 * The record of the operation after the requested ones is complete. It waits, and the run continues
 * to the next selection. Returns how many operations away that is.
 */
static inline int64_t soft_sample_foretell(struct soft_cpu *cpu)
{
	const int64_t more = (int64_t)cpu->sampling.spacing;

	cpu->sampling.foretold = cpu->run;
	cpu->sampling.waiting++;
	cpu->run += more;
	cpu->left += more;
	return more;
}

/*
 * op is selected, and about to execute. Is its record complete now, and may it wait, with another
 * selection in this run after it? Then it is in cpu->sampling.samples[cpu->sampling.waiting].
 */
bool soft_sample_here(struct soft_cpu *cpu, const struct soft_op *op);

/*
 * op, whose record was deferred, has executed in the fast loop's last block, and generated the
 * exception in cpu->fault or not: add what was not known then.
 */
void soft_sample_deferred(struct soft_cpu *cpu, const struct soft_op *op, bool excepted);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU of the software CPU, shared by all of soft/ and by nothing else. Its direct members belong
 * to the fast loop; any code that executes an operation, or part of one, writes them. The other
 * members are in rooms, which only these files write; others read. tools/writers compares the table
 * with them.
 *
 *	stop		run/ops.c, run/stop.c, run/stretch.c
 *	sampling	sampling/sample.c, sampling/sample.h, sampling/tell.c; mem/tlb.c,
 *			run/state.c
 *	loop		run/engine.c, run/execute.c, run/execute_system.c, run/state.c;
 *			sys/draw.c, sys/pmu.h, sys/sys_pmu.c
 *	model		model/model.c; mem/memory.c, mem/tlb.c, mem/touched.c
 *	end		run/engine.c, run/execute_system.c, run/state.c
 *	views		mem/code.c, mem/memory.c, mem/tlb.c; run/block.c, run/execute.c,
 *			run/state.c
 *	sys		sys/, and whoever carries out what it says
 *	vm, index	run/engine.c
 */
#ifndef VSPE_SOFT_CPU_H
#define VSPE_SOFT_CPU_H

#include "model/machine.h"
#include "soft/fp/lanes.h"
#include "soft/samples.h"
#include "soft/sys/sys.h"
#include "soft/vm.h"

/* Slots of soft_cpu.x after X0 to X30. */
#define SOFT_X_ZERO  31 /* XZR as a source: always 0 */
#define SOFT_X_SINK  32 /* XZR as a destination: never read */
#define SOFT_X_SP    33 /* the stack pointer in use */
#define SOFT_X_COUNT 34

/* How the flags are held: as the operands of the operation that set them, or as flags. */
enum soft_flags {
	SOFT_FLAGS_NZCV,  /* flag_a holds N, Z, C, V as bits 3 to 0 */
	SOFT_FLAGS_SUB64, /* of flag_a - flag_b */
	SOFT_FLAGS_SUB32,
	SOFT_FLAGS_ADD64, /* of flag_a + flag_b */
	SOFT_FLAGS_ADD32,
	SOFT_FLAGS_LOGIC64, /* N and Z of flag_a */
	SOFT_FLAGS_LOGIC32,
};

/* Why the fast loop was left. */
enum soft_leave {
	SOFT_LEAVE_STOP,   /* at is the next operation, not yet executed */
	SOFT_LEAVE_BLOCK,  /* at is the first of a block that the budget is not enough for */
	SOFT_LEAVE_LINK,   /* pc is the next; *slot is for its block, if in the same page */
	SOFT_LEAVE_SYSTEM, /* at is an operation that the run loop executes */
	SOFT_LEAVE_FAULT,  /* at was executed and generated the exception in fault */
};

/* The exclusive monitor, by physical address and value. */
struct soft_monitor {
	bool set;
	bool watched; /* no TLB lets a store to its page go the fast way: mem/monitor.h */
	uint8_t size; /* bytes: 1 to 16 */
	uint64_t pa;
	uint64_t value[2];
};

/* Bits of soft_cpu.attention. */
#define SOFT_ATTENTION_IRQ  (1u << 0) /* the IRQ input is high */
#define SOFT_ATTENTION_EXIT (1u << 1) /* request_exit */
#define SOFT_ATTENTION_CODE (1u << 2) /* blocks were dropped, perhaps the one being executed */

/* What a stretch of the fast loop has executed of each class: run/counted.h. */
struct soft_counted {
	struct soft_tally sum;		/* of the blocks that were entered */
	uint64_t taken;			/* branches from one to the next */
	uint64_t fall_through;		/* soft_block.fall_through of the last one */
	const struct soft_block *block; /* the last one */
};

/* System instructions that the fast loop repeats: run/system.h. */
#define SOFT_REPEATS 16

/* An exception that was taken, for a report if it was the guest's end. */
struct soft_cause {
	uint64_t pc, esr, far;
	uint8_t el; /* it was taken from */
	uint8_t to; /* ... and to */
};

/* UNDEFINED instructions so few operations apart are a storm. */
#define SOFT_STORM_APART 4096
#define SOFT_STORM_MIN	 1000 /* below, it may be code that finds out what there is */
struct soft_storm {
	uint64_t count;
	uint64_t last; /* soft_cpu.ops at the last one */
	/* The first one: */
	uint64_t pc;
	uint32_t word;
	uint8_t el;
};

/* Operations that were changed to stop the fast loop, and their originals: run/stop.h. */
struct soft_stop {
	struct soft_op *op;
	soft_handler *run, **unfused[2], *unfused_run[2];
	soft_handler *sampled; /* soft_passing.selection: runs the block up to the stop; or NULL */
};

/* State of the run loop between turns, and of one vCPU that concerns others. */
struct soft_loop {
	struct engine_exit *exit; /* of the call in progress */
	bool exiting;
	bool single_step; /* one operation a turn */
	bool exact;	  /* profiling or the model may ask for one operation at a time */
	bool event;	  /* the event register of WFE */
	bool stepped, stepped_exclusive; /* software step: since the last exception return */
	uint64_t pmu_stop; /* ops at which the PMU has to be looked at: soft/sys/pmu.h */
	uint64_t draws;	   /* of soft_may() and soft_draw_next(), up to now */
};

/*
 * What an instruction accessed in lines of memory, each once for loads and once for stores, in the
 * order of its elements: of SVE, as many as a gather of words has, each of which crosses one; of
 * FEAT_MOPS, those of 4 KiB, loads and stores.
 */
#define SOFT_TOUCHED (SOFT_VL_MAX / 2 + 2)
struct soft_touched {
	uint16_t count;
	bool gathers; /* it is a gather */
	struct soft_touch {
		uint64_t va;
		uint8_t size; /* bytes of the line, from va on */
		bool holes;   /* ... but not all of them */
		bool write;
		uint8_t el; /* as that */
	} at[SOFT_TOUCHED];
};

/* What the machine model has to learn, and whether it knows where the vCPU is. */
struct soft_modelled {
	bool observed; /* soft_model.observers has it as of the last soft_context_changed() */
	/* A block that DC ZVA zeroed, set by the function that executes it. */
	struct {
		bool done;
		uint64_t va, pa;
	} zeroed;
	struct soft_touched touched;
};

/* What the fast loop asks before it tells a model with --model warm: model/warm.h. */
#define SOFT_WARM_FILLS 4
struct soft_warm {
	bool on;		   /* operations are shown; not while one is shown on its own */
	const uint8_t *lines;	   /* model_cache.filter of L1D, by a line's host address >> 6 */
	const uint8_t *code_lines; /* ... of L1I, by the number of a line of RAM */
	uint64_t code_epoch;	   /* as long as it stays, pages that were shown are in the TLB */
	struct model_branch *branch;
	uint64_t data_epoch; /* model_tlb.epoch of data that the software TLB knows of */
	uint8_t regime;	     /* of the code, and whether tables translate it */
	bool tables;
	uint8_t fills; /* of the software TLB since the model was shown something, in this view */
	uint8_t view;
	uint64_t filled[SOFT_WARM_FILLS]; /* the first of them: pages */
};

/* For the report at the end. */
struct soft_end {
	struct soft_cause stuck_by; /* what led to a vector that cannot be executed */
	uint64_t stuck_ops;	    /* ops when a vector could not be executed */
	unsigned int stuck;	    /* ... so many times in a row */
	struct soft_storm storm;
};

struct soft_cpu {
	/* The fast loop's: */
	uint64_t x[SOFT_X_COUNT];
	uint64_t flag_a, flag_b;
	uint32_t flag_kind; /* enum soft_flags */
	uint32_t attention; /* SOFT_ATTENTION_*: seen after operations that may have set it */
	uint64_t sp_mask;   /* bits of SP that have to be 0 in an access based on it: 15 or 0 */
	struct soft_tlb_entry *tlb;		  /* the current view's entries */
	struct soft_jump *jumps;		  /* the current EL's */
	const struct soft_tlb_entry *profile_tlb; /* the view's of the profiling buffer's owner */
	uint64_t pc;
	bool repeats[SOFT_REPEATS]; /* by enum soft_repeat: run/system.h */
	uint64_t repeat_values[SOFT_REPEATS];
	bool guarded;	  /* views.code[EL].guarded */
	bool fp_trapped;  /* FP and SIMD instructions are, at the current Exception level */
	bool sve_trapped; /* SVE's are, by its own controls or those of FP */
	bool fp_slow;	  /* ... or their memory accesses have to be aligned */
	bool all_aligned; /* accesses of general registers have to be: SCTLR_ELx.A */
	bool fp_usual;	  /* only if float_is_usual(&sys.fp) */
	uint16_t vl;	  /* bytes of a vector of SVE here: 16 to SOFT_VL_MAX; 0 without SVE */
	bool upper[32];	  /* Zn may be other than 0 above its first 128 bits */
	/* Segment c of Zn is z[c][n]; segment 0 is Vn. */
	_Alignas(16) union {
		union soft_vector v[32];
		union soft_vector z[SOFT_SEGMENTS][32];
	};
	union soft_predicate p[SOFT_PREDICATES];

	/* the fast loop's result */
	enum soft_leave leave;
	const struct soft_op *at; /* valid between runs: the next operation, or NULL: look pc up */
	const struct soft_op **slot;
	int64_t budget;		     /* between handlers that do not tail-call */
	int64_t left;		     /* operations of this run not executed; exact in callbacks */
	struct soft_exception fault; /* generated by an operation, not yet taken */
	int64_t run;		     /* operations asked of the fast loop; 0 outside */
	uint64_t ops;		     /* executed before this run */
	bool unfinished; /* the function that returned false is to be called again: no fault */
	struct soft_counted counted;
	struct soft_monitor monitor;
	struct soft_warm warm;

	/* Rooms: */
	struct soft_stop stop;
	struct soft_sampling sampling;
	struct soft_loop loop;
	struct soft_modelled model;
	struct soft_end end;
	struct soft_sys sys;

	/* For good: */
	struct soft_vm *vm;
	unsigned int index;

	/*
	 * The fast loop's, and large: soft_tlb_entry.add of the last access of each load of
	 * translated code, by the load's place here.
	 */
	uintptr_t adds[SOFT_ADDS];
	struct soft_views views; /* last, as it is large: translated code reaches what is before */
};

static inline struct soft_sys *soft_sys(struct soft_cpu *cpu)
{
	return &cpu->sys;
}

static inline const struct engine_host *soft_host(const struct soft_cpu *cpu)
{
	return &cpu->vm->host;
}

static inline unsigned int soft_index(const struct soft_cpu *cpu)
{
	return cpu->index;
}

/* n 0..30 */
static inline uint64_t *soft_x(struct soft_cpu *cpu, unsigned int n)
{
	return &cpu->x[n];
}

/* The stack pointer in use. */
static inline uint64_t *soft_sp(struct soft_cpu *cpu)
{
	return &cpu->x[SOFT_X_SP];
}

/* Of the current instruction. */
static inline uint64_t soft_get_pc(const struct soft_cpu *cpu)
{
	return cpu->pc;
}

static inline void soft_set_pc(struct soft_cpu *cpu, uint64_t pc)
{
	cpu->pc = pc;
	cpu->at = NULL;
	cpu->slot = NULL;
}

/*
 * The machine model's counts of this vCPU, by enum model_event, for a PMU; NULL if the model does
 * not see all of its operations.
 */
static inline const uint64_t *soft_model_counts(const struct soft_cpu *cpu)
{
	const struct soft_model *model = cpu->vm->model;

	return model && model->mode == MODEL_FULL ? model->machine->cores[cpu->index].counts : NULL;
}

#endif

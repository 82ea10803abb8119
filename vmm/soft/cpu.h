/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU of the software CPU: registers, lazy flags, software TLB, decoded blocks and what passes
 * between the fast loop and the code around it. All of soft/ shares it, and nobody else looks.
 */
#ifndef VSPE_SOFT_CPU_H
#define VSPE_SOFT_CPU_H

#include "arm/model_machine.h"
#include "arm/model_mode.h"
#include "soft/fp/lanes.h"
#include "soft/sys/sys.h"
#include "soft/sys/unknown.h"

/*
 * Dispatch: handlers tail-call each other. Where the compiler cannot promise that (no optimisation,
 * or a sanitizer's bookkeeping at the end of each function), each handler returns the next
 * operation to a loop instead.
 */
#ifndef SOFT_TAIL_CALLS
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SOFT_TAIL_CALLS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define SOFT_TAIL_CALLS 0
#else
#define SOFT_TAIL_CALLS 1
#endif
#else
#define SOFT_TAIL_CALLS 1
#endif
#endif

#define SOFT_LIKELY(x)	 __builtin_expect(!!(x), 1)
#define SOFT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define SOFT_PAGE_SHIFT 12
#define SOFT_PAGE_SIZE	(UINT64_C(1) << SOFT_PAGE_SHIFT)
#define SOFT_PAGE_MASK	(~(SOFT_PAGE_SIZE - 1)) /* the bits that choose a page */

/* Slots of soft_cpu.x behind X0 to X30. */
#define SOFT_X_ZERO  31 /* XZR as a source: always 0 */
#define SOFT_X_SINK  32 /* XZR as a destination: never read */
#define SOFT_X_SP    33 /* the stack pointer in use */
#define SOFT_X_COUNT 34

struct soft_op;
struct soft_cpu;

/*
 * A handler executes op and goes on to the next one. budget: operations that may still be executed
 * after the current block is finished. The returned operation is for the loop that replaces tail
 * calls.
 */
typedef const struct soft_op *soft_handler(struct soft_cpu *cpu, const struct soft_op *op,
					   int64_t budget);

/* A decoded operation. The last one of a block is followed by a struct soft_links in the same
 * space. */
struct soft_op {
	soft_handler *run;
	uint8_t rd, rn, rm, ra; /* slots of soft_cpu.x, or small operands */
	uint16_t aux;		/* shift amounts and the like */
	uint8_t rest; /* operations from this one to the end of the block, both included */
	bool joined;  /* run executes the operation behind it too */
	uint64_t imm;
	uint16_t kind;	/* enum soft_kind */
	uint16_t index; /* in its block */
	uint32_t word;	/* the instruction */
};

/* Where a block continues: [1] the taken side of a conditional branch, [0] all else. */
struct soft_links {
	const struct soft_op *next[2]; /* NULL until looked up; only within a page */
	uint64_t target[2];
};

/* What an operation is for a sample: one per operation of a block, filled in when first sampled. */
struct soft_class {
	bool known;
	bool deferrable;	 /* its record can be made when its block is finished */
	uint8_t header, payload; /* operation type packet */
	uint8_t flags;		 /* SPE_OP_BRANCH, _LOAD, _STORE */
	uint8_t flow;		 /* enum a64_flow */
	uint8_t moves;		 /* FEAT_MOPS: SPE_OP_LOAD and _STORE, whatever a record shows */
	/*
	 * What its address or outcome is made of: the index since which its block has not changed
	 * that, and whether it is still there at the block's end.
	 */
	bool plain; /* ... of nothing: it has no address and no outcome */
	uint8_t known_from;
	bool known_late;
	bool observed;	  /* the observing loop may execute it (observe.h) ... */
	bool observed_fp; /* ... unless FP and SIMD instructions are trapped */
	bool calm;	  /* ... whatever is trapped, and it accesses no memory */
	bool prefetches;  /* PRFM */
	uint16_t id;	  /* enum a64_id; A64_COUNT: undefined */
	/* Of a translated block: its code that has the operation recorded on the way, and how often
	 * that was wanted before there was any. */
	uint8_t stops;
	soft_handler *sampled;
};

/* How many operations there are of each class that a PMU counts: run/counted.h. */
struct soft_tally {
	uint64_t word[2];
};

/* Values of soft_block.behind that are no address. */
#define SOFT_BEHIND_NOTHING 1 /* it always branches */
#define SOFT_BEHIND_EITHER  3 /* where it goes on, branch or not, is the same */

/* Where the host code of a block goes on in it: a handler of one of its operations. */
struct soft_entry {
	soft_handler *run;
	uint16_t index; /* of the operation */
};

/* A jump in the code of a block, to where a block that it leads to is entered. */
struct soft_site {
	struct soft_site *next;
	uint8_t *jump; /* where it is written */
};

struct soft_block {
	uint64_t va, pa;
	struct soft_block *hash_next; /* of the same hash value */
	struct soft_block **hash_at;  /* what leads to it: a guest can make all have one value */
	struct soft_block *page_next; /* in the same page of RAM, or dropped too */
	struct soft_class *classes;   /* of ops[0] to ops[count - 1] */
	struct soft_links *links;     /* behind the operations; NULL: it ends without */
	uint16_t count;
	bool stale; /* dropped: its memory was written or invalidated */
	/* With a translator: jit/jit.h. */
	uint8_t heat;		    /* how often it was executed, until it is translated */
	uint8_t entry_count;	    /* 0: it is not */
	soft_handler *cold;	    /* of ops[0] until then */
	struct soft_entry *entries; /* the first one is of ops[0] */
	const uint8_t *chained;	    /* where code of its page goes on here; NULL: by ops[0].run */
	const uint8_t *found;	    /* ... and code that looked it up; never NULL */
	struct soft_site *sites;    /* ... which is to go on at chained, once that is there */
	/* While classes are counted: run/counted.h. */
	soft_handler *counted; /* that of ops[0], which has another; NULL: it has its own */
	struct soft_tally tally;
	uint64_t behind; /* where it goes on unless it branches */
	struct soft_op ops[];
};

/* One page of the software TLB: a hit needs one compare and yields the host's address. */
struct soft_tlb_entry {
	uint64_t read;	/* virtual page that may be read, or SOFT_NO_PAGE */
	uint64_t write; /* the same for writes */
	uintptr_t add;	/* host address minus virtual address */
	bool device;	/* Device memory: unaligned accesses fault */
};

#define SOFT_NO_PAGE (~UINT64_C(0)) /* never equal to a page address */
/*
 * Set in write of a page that may be written but holds decoded code, or another vCPU's exclusive
 * monitor: then the fast path does not match, and the slow one drops the code or the monitor. What
 * the TLB has does not depend on what was decoded.
 */
#define SOFT_WATCHED  UINT64_C(0x800)
#define SOFT_TLB_SIZE 4096
#define SOFT_TLB_LOG  256
#define SOFT_ADDS     1024
#define SOFT_VICTIMS  256 /* 2 to the 8th: soft_tlb_victim() */

/*
 * What mappings larger than a page cover, as TLB maintenance has addresses: without a tag. Nothing
 * if low > high. Their pages are entered one by one; one address has all of them dropped.
 */
struct soft_large {
	uint64_t low, high;
};

struct soft_tlb {
	struct soft_tlb_entry entries[SOFT_TLB_SIZE];
	uint16_t filled[SOFT_TLB_LOG]; /* entries filled since the last flush: a flush is cheap */
	unsigned int fills;
	/* Pages that others took the places of, in another order; none while evicted is false. */
	struct soft_tlb_entry victims[SOFT_VICTIMS];
	bool evicted;
	struct soft_large large;
};

/*
 * The translations that a software TLB can hold, by who accesses. EL0's are of EL1&0 or, in a host,
 * of EL2&0; EL2's are of EL2 or of EL2&0. What may change under a view is soft_cpu.regimes.
 */
enum soft_view {
	SOFT_VIEW_EL0,	   /* EL0, and LDTR/STTR */
	SOFT_VIEW_EL1,	   /* EL1 with PSTATE.PAN 0, and the profiling buffer */
	SOFT_VIEW_EL1_PAN, /* EL1 with PSTATE.PAN 1 */
	SOFT_VIEW_EL2,	   /* EL2 with PSTATE.PAN 0, the profiling buffer, accesses by VNCR_EL2 */
	SOFT_VIEW_EL2_PAN,
	SOFT_VIEW_EL3,
	SOFT_VIEWS,
};

/*
 * What the translations of the regime that belongs to EL1, EL2 or EL3 follow from, besides memory:
 * while this is the same, so are they. Registers and bits that do not count there are 0.
 */
struct soft_regime_key {
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair, hcr, scr, vtcr, vttbr, vstcr, vsttbr;
};

/*
 * Jump cache: virtual address to block for indirect and page-crossing branches. An entry that was
 * emptied keeps the block: where it is executed again, it is mostly in that place.
 */
struct soft_jump {
	uint64_t pc;
	const struct soft_op *op; /* or NULL */
};

#define SOFT_JUMPS    65536
#define SOFT_JUMP_LOG 8192 /* as SOFT_TLB_LOG */

/*
 * Where an address belongs: also by its upper bits, as a program and its libraries have functions
 * at the same offsets.
 */
static inline unsigned int soft_jump_index(uint64_t pc)
{
	return (unsigned int)((pc >> 2 ^ pc >> 16) % SOFT_JUMPS);
}

/*
 * Instruction-side TLB: virtual page to physical page. It keeps every page since it was emptied,
 * and is emptied when it is full: so whatever leads to a decoded block, or on in it, leads to a
 * page that is here, and which fetches are translated anew depends on nothing but the addresses
 * fetched from.
 */
struct soft_code_page_map {
	uint64_t va, pa; /* pa with SOFT_MAP_BITS */
};

/* FEAT_BTI: GP is 1 in the descriptor; and the size of what it maps, as its logarithm. That is 0,
 * not known, where a machine was saved by a vspe that did not keep it. */
#define SOFT_GUARDED	 UINT64_C(1)
#define SOFT_MAPS(shift) ((uint64_t)(shift) << 1)
#define SOFT_MAPPED(pa)	 ((pa) >> 1 & 63)
#define SOFT_MAP_BITS	 (SOFT_MAPS(63) | SOFT_GUARDED)

#define SOFT_ITLB_PAGES 1024
#define SOFT_ITLB_SLOTS (2 * SOFT_ITLB_PAGES) /* a hash table */

struct soft_code_view {
	struct soft_jump jumps[SOFT_JUMPS];
	uint16_t filled[SOFT_JUMP_LOG];
	unsigned int fills;
	bool leads; /* a jump has a block, emptied or not */
	struct soft_code_page_map itlb[SOFT_ITLB_SLOTS];
	uint16_t pages[SOFT_ITLB_PAGES]; /* its slots in use, in the order of filling */
	unsigned int page_count;
	bool guarded; /* some page is */
	struct soft_large large;
};

/* How the flags are held: the operands of what set them, or the flags. */
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
	SOFT_LEAVE_LINK,   /* pc is the next; *slot wants its block if that lies in the same page */
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

/* A sampled operation on its way: sample.h. */
struct soft_sample {
	int64_t position; /* if deferred: operations of the run before it */
	struct spe_op record;
	uint64_t walks;	      /* soft_cpu.walks before */
	uint64_t last;	      /* address of the last register's transfer */
	unsigned int element; /* bytes of one register */
	bool wrote;	      /* the data access is a write */
	uint8_t data_el;
	uint8_t status; /* the register that says whether a store-exclusive failed, or 31 */
	bool late;	/* if deferred: its address has yet to be computed */
};

/* What a stretch of the fast loop has executed of each class: run/counted.h. */
struct soft_counted {
	struct soft_tally sum;		/* of the blocks that were entered */
	uint64_t taken;			/* branches from one to the next */
	uint64_t behind;		/* soft_block.behind of the last one */
	const struct soft_block *block; /* the last one */
};

/* System instructions that the fast loop repeats: run/system.h. */
#define SOFT_REPEATS 16

/* Samples that may wait for the profiling unit. */
#define SOFT_SAMPLES 32

struct soft_vm;

/* An exception as it was taken, to be told when it was the guest's end. */
struct soft_cause {
	uint64_t pc, esr, far;
	uint8_t el; /* it was taken from */
	uint8_t to; /* ... and to */
};

/* UNDEFINED instructions, few operations apart from each other. */
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

struct soft_cpu {
	uint64_t x[SOFT_X_COUNT];
	uint64_t flag_a, flag_b;
	uint32_t flag_kind; /* enum soft_flags */
	uint32_t attention; /* SOFT_ATTENTION_*: seen behind operations that may have set it */
	uint64_t sp_mask;   /* bits of SP that have to be 0 in an access based on it: 15 or 0 */
	struct soft_tlb_entry *tlb;		  /* the current view's entries */
	struct soft_jump *jumps;		  /* the current EL's */
	const struct soft_tlb_entry *profile_tlb; /* the view's of the profiling buffer's owner */
	uint64_t pc;
	bool repeats[SOFT_REPEATS]; /* by enum soft_repeat: run/system.h */
	uint64_t repeat_values[SOFT_REPEATS];
	union soft_vector v[32];
	bool guarded;	  /* code[EL].guarded */
	bool fp_trapped;  /* FP and SIMD instructions are, at the current Exception level */
	bool fp_slow;	  /* ... or their memory accesses have to be aligned */
	bool all_aligned; /* accesses of general registers have to be: SCTLR_ELx.A */
	bool fp_usual;	  /* only if float_is_usual(&sys.fp) */
	/* soft_tlb_entry.add as loads of translated code had it last, by their places there. */
	uintptr_t adds[SOFT_ADDS];

	/* the fast loop's result */
	enum soft_leave leave;
	const struct soft_op *at; /* valid between runs: the next operation, or NULL: look pc up */
	const struct soft_op **slot;
	int64_t budget;		     /* between handlers that do not tail-call */
	int64_t left;		     /* operations of this run not executed; exact in callbacks */
	struct soft_exception fault; /* generated by an operation, not yet taken */

	/* operations changed for a stop, and what they were */
	struct soft_op *stop_op;
	soft_handler *stop_run, **unfused[2], *unfused_run[2];
	soft_handler *sampled; /* soft_passing.selection: runs the block up to the stop; or NULL */
	int64_t run;	       /* operations asked of the fast loop; 0 outside */
	int64_t told;	       /* of this run, those that the profiling unit knows of */
	/*
	 * The operation behind those asked for is selected. If that makes no difference it is
	 * recorded when its block is finished, and the run goes on to the next selection, up to
	 * run_limit operations in all.
	 */
	const struct soft_op *deferred;
	/*
	 * Samples of this run that the profiling unit does not know of yet, for it to be given many
	 * at once; and deferred's, as far as it is known.
	 */
	struct soft_sample samples[SOFT_SAMPLES + 1];
	const struct spe_op *records[SOFT_SAMPLES + 1]; /* their records */
	unsigned int waiting;				/* how many, without deferred's */
	/*
	 * What all records of this run begin with, and how many may wait, by the buffer's room, for
	 * as long as its page is in the software TLB.
	 */
	struct spe_op usual;
	struct {
		unsigned int count;
		const struct soft_tlb_entry *entry;
		uint64_t page;
	} room;
	uint64_t spacing; /* spe_spacing_fixed() */
	uint64_t begin;	  /* the counter when the run began */
	int64_t foretold; /* position of a sample that was complete before its block; or 0 */
	bool walked;	  /* deferred's translation was not in the software TLB */
	int64_t run_limit;
	uint64_t ops;	   /* executed before this run */
	uint64_t pmu_stop; /* ops at which the PMU has to be looked at: soft/sys/pmu.h */
	struct soft_counted counted;
	struct soft_monitor monitor;
	uint64_t walks; /* translations that the software TLB did not have */
	bool event;	/* the event register of WFE */
	bool single_step;
	bool spe_irq;			 /* as last told to the machine */
	unsigned int types;		 /* A64_TYPE_*: payloads that the profiling unit has */
	bool micro_ops;			 /* the population is of micro-ops: no FEAT_SPE_ArchInst */
	bool exact;			 /* profiling may ask for one operation at a time */
	bool follows_isb;		 /* spe_config.pbt_isb */
	uint8_t record_max;		 /* spe_config.max_size */
	bool stepped, stepped_exclusive; /* software step: since the last exception return */
	bool unfinished;    /* the function that returned false is to be called again: no fault */
	uint64_t stuck_ops; /* ops when a vector could not be executed */
	unsigned int stuck; /* ... so many times in a row */
	struct engine_exit *exit; /* of the call in progress */
	bool exiting;

	struct soft_sys sys;
	struct soft_vm *vm;
	/* The entries that LDTR and STTR have, so many bytes behind tlb. */
	ptrdiff_t unprivileged_tlb;
	unsigned int index;
	struct soft_tlb tlbs[SOFT_VIEWS];
	struct soft_code_view code[4];	   /* by EL */
	struct soft_regime_key regimes[4]; /* what the views were filled under, by EL; not [0] */
	bool host;			   /* EL0's views are of EL2&0 */
	bool observed; /* soft_model.observers has it as of the last soft_context_changed() */
	/* DC ZVA zeroed a block: set by who does it, for the machine model. */
	struct {
		bool done;
		uint64_t va, pa;
	} zeroed;

	/* What is told at the end, and no state of the guest's. */
	struct soft_cause stuck_by; /* what led to a vector that cannot be executed */
	struct soft_storm storm;
	uint64_t draws; /* of soft_may() and soft_draw_next(), up to now */
};

/* A page of RAM that holds decoded code. */
struct soft_code_page {
	struct soft_block *blocks;
	uint64_t lines; /* which 64-byte lines blocks were decoded from */
};

#define SOFT_BLOCK_HASH (1u << 16)
#define SOFT_BLOCK_OPS	64		      /* operations in a block at most */
#define SOFT_ARENA	(UINT64_C(128) << 20) /* bytes of decoded blocks; full means all are dropped */

struct soft_model {
	enum model_mode mode;
	uint32_t window;       /* with MODEL_SAMPLED: operations before a sampled one */
	bool begins;	       /* what is restored has no state of it */
	struct model *machine; /* in memory, which is malloc'ed */
	void *memory;
	struct soft_needs *needs;	 /* what operations need, as they were last asked for */
	struct soft_observer *observers; /* of each vCPU: soft_observer() */
};

/* Bytes of host code. */
#define SOFT_JIT_CODE ((size_t)32 << 20)

struct soft_jit {
	/* Enters the fast loop at op, with what generated code needs. */
	void (*enter)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	struct soft_code_memory *memory;
	uint8_t *writable, *executable; /* the same memory, which no address both writes and runs */
	size_t first, used;		/* bytes; blocks have theirs from first on */
	const uint8_t *by_run;		/* soft_block.found of blocks without code */
	const uint8_t *unaligned[2];	/* what code calls for an access, a read or a write */
	bool lzcnt, bmi, lahf;		/* the host has that; bmi: BMI1 and BMI2 */
	bool sse4, fma;			/* ... SSE4.2, FMA3 */
	bool rounds;			/* it rounds to nearest, and flushes nothing */
	bool flat;			/* soft_tlb_is_flat(), as it was not long ago */
	uint8_t hot;			/* executions of a block behind which it is translated */
	unsigned int expecting;		/* loads that have a place in soft_cpu.adds */
	bool told;			/* at the end: */
	uint64_t blocks, operations, bytes, nanoseconds;
	uint64_t sampled; /* blocks, translated once more: soft_jit_sampled() */
};

/*
 * What the fast loop asks of the run loop, which is above it, where an operation is selected or a
 * block is to be found: run/stretch.h.
 */
struct soft_passing {
	int64_t (*selection)(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);
	int64_t (*stop)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	const struct soft_op *(*link)(struct soft_cpu *cpu, int64_t budget);
};

struct soft_vm {
	const struct soft_passing *passing;
	struct engine_host host;
	struct soft_cpu **cpus;
	unsigned int count;
	struct soft_code_page
		*pages; /* one per page of guest physical memory from pages_base to RAM's end */
	uint64_t pages_base;
	struct soft_block **hash;
	uint8_t *arena;
	uint64_t arena_used;
	struct soft_block *dropped; /* soft_code_written() */
	bool drop_all;		    /* drop every block before the next lookup */
	bool monitored;		    /* another vCPU than the one that runs has a monitor */
	uint64_t isa;		    /* optional instructions: sys/isa.h */
	bool counted;		    /* blocks have tallies: run/counted.h */
	struct soft_model *model;   /* NULL: arm/model.h */
	struct soft_jit *jit;	    /* NULL: all is interpreted */
	struct soft_unknown unknown;
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
 * What the machine model has counted of this vCPU, by enum model_event, for a PMU; or NULL, if it
 * does not see all of its operations.
 */
static inline const uint64_t *soft_model_counts(const struct soft_cpu *cpu)
{
	const struct soft_model *model = cpu->vm->model;

	return model && model->mode == MODEL_FULL ? model->machine->cores[cpu->index].counts : NULL;
}

static inline uint8_t *soft_within(const struct engine_ram *ram, uint64_t pa, uint64_t size)
{
	const uint64_t offset = pa - ram->base;

	return offset < ram->size && size <= ram->size - offset ? ram->host + offset : NULL;
}

/* Host address of RAM at physical address pa, or NULL; size bytes from it on lie in RAM. */
static inline uint8_t *soft_ram(const struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	return soft_within(&vm->host.ram, pa, size);
}

/* The same of what can be read: RAM or ROM. */
static inline const uint8_t *soft_memory(const struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	const uint8_t *host = soft_ram(vm, pa, size);

	return host ? host : soft_within(&vm->host.rom, pa, size);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoded operations, and their blocks. */
#ifndef VSPE_SOFT_OP_H
#define VSPE_SOFT_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Dispatch: handlers tail-call each other. If the compiler cannot guarantee that (no optimisation,
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

struct soft_op;
struct soft_cpu;

/*
 * A handler executes op and goes on to the next one. budget: operations that may still be executed
 * after the current block is finished. The returned operation is for the loop that replaces tail
 * calls.
 */
typedef const struct soft_op *soft_handler(struct soft_cpu *cpu, const struct soft_op *op,
					   int64_t budget);

/*
 * A decoded operation. After the last one of a block there is a struct soft_links in the same
 * space.
 */
struct soft_op {
	soft_handler *run;
	uint8_t rd, rn, rm, ra; /* slots of soft_cpu.x, or small operands */
	uint16_t aux;		/* shift amounts and the like */
	uint8_t rest;	  /* operations from this one to the end of the block, both included */
	bool joined : 1;  /* run executes the operation after it too */
	bool fetches : 1; /* --model warm: it begins a block, or a line of memory */
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

/*
 * An operation's properties for a sample: one per operation of a block, filled in when first
 * sampled.
 */
struct soft_class {
	bool known;
	bool deferrable;	 /* its record can be made when its block is finished */
	uint8_t header, payload; /* operation type packet */
	uint8_t flags;		 /* SPE_OP_BRANCH, _LOAD, _STORE */
	uint8_t flow;		 /* enum a64_flow */
	uint8_t moves;		 /* FEAT_MOPS: SPE_OP_LOAD and _STORE, whatever a record shows */
	/*
	 * The inputs of its address or outcome: the index since which its block has not changed
	 * them, and whether they are unchanged at the block's end.
	 */
	bool plain; /* ... of nothing: it has no address and no outcome */
	uint8_t known_from;
	bool known_late;
	bool observed;	  /* its address is all that a model is shown of it ... */
	bool observed_fp; /* ... unless FP and SIMD instructions are trapped */
	bool prefetches;  /* PRFM */
	uint16_t id;	  /* enum a64_id; A64_COUNT: undefined */
	/*
	 * In a translated block: its code that records the operation in passing, and how often that
	 * was needed before the code existed.
	 */
	uint8_t stops;
	soft_handler *sampled;
};

/* The number of operations of each class that a PMU counts: run/counted.h. */
struct soft_tally {
	uint64_t word[2];
};

/* Values of soft_block.fall_through that are no address. */
#define SOFT_FALL_THROUGH_NEVER	 1 /* it always branches */
#define SOFT_FALL_THROUGH_EITHER 3 /* where it goes on, branch or not, is the same */

/* Where the host code of a block resumes: the handler of one of its operations. */
struct soft_entry {
	soft_handler *run;
	uint16_t index; /* of the operation */
};

/* A jump in the code of a block, to the entry of a block that follows it. */
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
	struct soft_links *links;     /* after the operations; NULL: it ends without */
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
	uint64_t warm; /* --model warm: soft_warm.code_epoch when its page was last shown */
	/* While classes are counted: run/counted.h. */
	soft_handler *counted; /* that of ops[0], which has another; NULL: it has its own */
	struct soft_tally tally;
	uint64_t fall_through; /* where it goes on unless it branches */
	struct soft_op ops[];
};

/* A page of RAM that holds decoded code. */
struct soft_code_page {
	struct soft_block *blocks;
	uint64_t lines; /* which 64-byte lines blocks were decoded from */
};

#define SOFT_BLOCK_HASH (1u << 16)
#define SOFT_BLOCK_OPS	64		      /* operations in a block at most */
#define SOFT_ARENA	(UINT64_C(128) << 20) /* bytes of decoded blocks; full means all are dropped */

static inline const struct soft_block *soft_block_of(const struct soft_op *op)
{
	return (const struct soft_block *)((const char *)(op - op->index) -
					   offsetof(struct soft_block, ops));
}

static inline uint64_t soft_op_pc(const struct soft_op *op)
{
	return soft_block_of(op)->va + 4 * (uint64_t)op->index;
}

#endif

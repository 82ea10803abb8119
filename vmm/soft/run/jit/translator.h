/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block on its way to host code. Guest registers are in host registers from their first use on,
 * until something else may look at them: a handler, a function, the end of the block.
 */
#ifndef VSPE_SOFT_RUN_JIT_TRANSLATOR_H
#define VSPE_SOFT_RUN_JIT_TRANSLATOR_H

#include <string.h>

#include "soft/run/jit/jit.h"
#include "soft/model/warm.h"
#include "soft/run/jit/host.h"
#include "soft/run/block.h"
#include "soft/run/join.h"

#define NO_FLAGS (-1)
#define NO_REG	 0xff
#define NO_SLOT	 0xff

/*
 * A trace: blocks of a page that the code passes through, each entered as by its links. This is its
 * maximum length.
 */
#define TRACE_BLOCKS 8
#define TRACE_OPS    96

/* An uncommon path, after the code of all blocks. */
struct stub {
	uint8_t *jump; /* to it */
	const struct soft_op *op;
	soft_handler *run;     /* goes on there, with op; NULL: it is there already */
	soft_handler *with_op; /* ... and goes on there */
	bool sets_pc;	       /* soft_cpu.pc is the target */
	bool links;	       /* op is the place of links, and side of them is gone to */
	uint8_t side;
	/*
	 * NULL, or where the code continues if an unaligned access may be made: its address is in a
	 * register, and all of it is in the page of entry[side].
	 */
	const uint8_t *back;
	uint8_t address, last;
	/* NULL, or where the code continues if the block at op may be executed after all. */
	const uint8_t *again;
	/* NULL, or where it continues when an element of soft_cpu.adds has been learnt. */
	const uint8_t *learnt;
	uint16_t place;
	/*
	 * With --model warm: tell is called before the code at tells goes on, or again, as of
	 * start; run executes op if tell returns SOFT_PASS_NOT.
	 */
	int64_t (*tell)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	const uint8_t *tells;
	const struct soft_block *start_op_of;
	uint8_t start_slot[HOST_REGISTERS];
	/* NULL, or where it continues after a call of soft_run_vector(); another jump to here. */
	const uint8_t *behind;
	uint8_t *other;
	const struct soft_block *block, *op_of; /* as they were at the jump */
	uint32_t dirty;
	uint8_t slot[HOST_REGISTERS];
};

struct translator {
	struct jit_code code;
	const struct soft_jit *jit;
	const struct soft_block *root;	/* where the code begins */
	const struct soft_block *block; /* of at */
	const struct soft_block *op_of; /* whose first operation is in its register; NULL: any */
	uint8_t reg[SOFT_X_COUNT];	/* where the value of a slot of soft_cpu.x is, or NO_REG */
	uint8_t slot[HOST_REGISTERS];	/* whose value a host register has, or NO_SLOT */
	uint32_t dirty, pinned;		/* bits by register: newer than its slot; needed now */
	const struct soft_op *at;	/* the one that is being generated */
	int flags;			/* enum soft_flags as they are certain to be, or NO_FLAGS */
	int guess;			/* ... then: as they are to be expected, or NO_FLAGS */
	uint64_t used, defined;		/* slots, bits */
	/* The operands of the flags: slots that still have them, or NO_SLOT. */
	uint8_t flag_slot[2];
	bool forgot; /* registers were given up, to a function or a handler */
	bool looped; /* something leads back to the root */
	uint8_t *
		head; /* NULL, or where the code goes on then, with all registers in their places */
	/* The blocks after the root, how many there may be, and which is next, or NULL. */
	const struct soft_block *trace[TRACE_BLOCKS], *next;
	unsigned int trace_count, trace_max, trace_ops;
	bool (*has_templates)(const struct soft_block *block); /* all its operations have */
	bool goes_on; /* at the end of the present one, at side goes_to of its links */
	uint8_t goes_to;
	bool failed; /* the last of them has an operation that a template gave up */
	/* soft_passing.stop, and the operation to call it before, or NULL. */
	int64_t (*pass_stop)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	const struct soft_op *sampled;
	bool is_sampled;  /* ... was, or is */
	bool fp_allowed;  /* that FP and SIMD instructions are not trapped was checked */
	bool sve_allowed; /* ... and those of SVE */
	bool sve_length;  /* ... and that vectors have soft_jit.vl */
	bool sp_aligned;  /* ... and that SP is, if it has to be; what has changed it since left it
			     so */
	unsigned int stub_count, expecting;
	bool warm; /* --model warm */
	/* As they were before the operation at at. */
	uint8_t *start;
	const struct soft_block *start_op_of;
	uint8_t start_slot[HOST_REGISTERS];
	bool chains;	  /* may go on in the code of other blocks */
	uint8_t *chained; /* soft_block.chained, where it is written */
	uint8_t *body;	  /* ... and the code after it, where handlers jump to; or NULL */
	struct {
		uint8_t *jump;
		const struct soft_block *to;
	} sites[2 * (TRACE_BLOCKS + 1)]; /* that wait for a block's code */
	unsigned int site_count;
	unsigned int entry_count;
	/* From here on only the counted elements are valid: t_begin(). */
	struct soft_entry entries[SOFT_BLOCK_OPS + 1];
	struct stub stubs[8 * TRACE_OPS];
};

/* Begin to generate at code; the trace may pass through so many more blocks. */
static inline void t_begin(struct translator *t, const struct soft_jit *jit,
			   const struct soft_block *block, bool chains, unsigned int trace_max,
			   uint8_t *code)
{
	memset(t, 0, offsetof(struct translator, entries));
	t->jit = jit;
	t->root = t->block = block;
	t->chains = chains;
	t->warm = jit->warm;
	t->trace_max = trace_max;
	t->code.at = t->code.from = code;
	t->code.end = jit->writable + SOFT_JIT_CODE;
}

/*
 * Generate the code of op. False: there is no template, and nothing was generated. *next is the
 * operation after it, or NULL after a branch, when all registers are where handlers expect them.
 */
typedef bool soft_template(struct translator *t, const struct soft_op *op, unsigned int width,
			   unsigned int arg);

struct template_row {
	soft_template *emit;
	uint16_t arg;
	uint8_t width; /* 32 or 64 */
	bool ends;     /* the block */
};
const struct template_row *soft_template_of(const struct soft_op *op);

/* A register with the value of a slot, which keeps it until the next operation. */
unsigned int t_use(struct translator *t, unsigned int slot);
/* The same for a new value, which the caller generates. */
unsigned int t_define(struct translator *t, unsigned int slot);
/* Store all values to their slots. No flag of the host changes. */
void t_flush(struct translator *t);
/* Store the registers of dirty, bits, to the slots that they had. No flag of the host changes. */
void t_store(struct translator *t, uint32_t dirty, const uint8_t *slot);
/* From now on no register has the value of a slot. */
void t_forget(struct translator *t);

/*
 * The register of an operand of the flags, 0 or 1, or NO_REG: only soft_cpu has it. The slots are
 * those that had these values when the flags were set.
 */
unsigned int t_flag_reg(const struct translator *t, unsigned int operand);
void t_set_flag_slots(struct translator *t, unsigned int first, unsigned int second);

/*
 * A trace that leads back to its root keeps its registers. It begins with all slots that it uses;
 * those that it defines are newer than memory from the first time on. They must fit: t_fits().
 */
void t_begin_loop(struct translator *t, uint64_t used, uint64_t defined);
bool t_fits(uint64_t used);

/* The code from op on may be entered by handlers. */
void t_begin_entry(struct translator *t, const struct soft_op *op);

/* Where other blocks of the page enter this one: make the budget what entries expect. */
void t_begin_chained(struct translator *t);
/* The code goes on in t->next. */
void t_begin_next(struct translator *t);

/* op is executed by run. */
void t_leave(struct translator *t, const struct soft_op *op, soft_handler *run);

/* Generate the uncommon paths, after the block's code. */
void t_put_stubs(struct translator *t);

/* The handler of an access that is not the common case. */
soft_handler *t_slow(const struct soft_op *op);

/*
 * At a jump that was just generated: run executes op, or with_op does if op is already in its
 * register.
 */
void t_leave_to(struct translator *t, uint8_t *jump, const struct soft_op *op, soft_handler *run);

/*
 * The same for a jump that is taken if the entry of the software TLB, for reads or writes, is not
 * for an address's page, or if the access is not aligned. If it need not be aligned, and all of it
 * is in that page, the code continues here, except for ordered and atomic accesses.
 */
void t_leave_unaligned(struct translator *t, uint8_t *jump, const struct soft_op *op, bool write,
		       unsigned int address, unsigned int last);

/*
 * With --model warm, at a jump that is taken if the model has to see op's access: show it,
 * and execute op again, or by its handler. After t_put_offset(): such a jump.
 */
void t_tell_access(struct translator *t, uint8_t *jump, const struct soft_op *op);
void t_put_line(struct translator *t, const struct soft_op *op, bool write, unsigned int address,
		unsigned int bytes);
/* op begins a block or a line: tell the model, unless it knows. */
void t_put_fetch(struct translator *t, const struct soft_op *op);

/* The next place of soft_cpu.adds. At a jump that is taken if its value is not the expected one. */
unsigned int t_place(struct translator *t);
void t_learn(struct translator *t, uint8_t *jump, unsigned int place);

/*
 * At a jump, and another one or NULL: op, of SOFT_vector, was not executed. Call its function
 * instead of the code from the jumps up to here. That code must have got its registers before them,
 * and the flags must be held as the function leaves them.
 */
void t_call_instead(struct translator *t, uint8_t *jump, uint8_t *other, const struct soft_op *op);

/*
 * The operation in its register becomes that of the block. Returns how many bytes later op is. No
 * flag of the host changes.
 */
int32_t t_distance(struct translator *t, const struct soft_op *op);
/* It is op, from now on. */
void t_point_to(struct translator *t, const struct soft_op *op);

/*
 * op's immediate, if a template may put it into the code: it must be so small that no guest can
 * choose what the host could execute.
 */
bool t_small(const struct soft_op *op, unsigned int width, int32_t *imm);

/*
 * End the block: it always continues at side 0 of the links at the place of op; or at the target.
 */
void t_end(struct translator *t, const struct soft_op *links);
void t_jump(struct translator *t, const struct soft_op *op);

/*
 * Begin the block's end, before it branches or not: no flag of the host changes. Then the jump
 * taken leads to side 1 of the links at the place of op, and the code after it to side 0.
 */
void t_begin_end(struct translator *t);
void t_end_if(struct translator *t, const struct soft_op *links, uint8_t *taken);

#endif

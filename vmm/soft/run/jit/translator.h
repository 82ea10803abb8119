/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block on its way to host code. Guest registers are in host registers from their first use on,
 * up to where something else may look at them: a handler, a function, the end of the block.
 */
#ifndef VSPE_SOFT_RUN_JIT_TRANSLATOR_H
#define VSPE_SOFT_RUN_JIT_TRANSLATOR_H

#include <string.h>

#include "soft/run/jit/jit.h"
#include "soft/run/jit/host.h"
#include "soft/run/block.h"
#include "soft/run/join.h"

#define NO_FLAGS (-1)
#define NO_REG	 0xff
#define NO_SLOT	 0xff

/*
 * A trace: blocks of a page that the code goes through, each entered as it is by its links. It is
 * no longer than this.
 */
#define TRACE_BLOCKS 8
#define TRACE_OPS    96

/* A way out of the common one, behind the code of all blocks. */
struct stub {
	uint8_t *jump; /* to it */
	const struct soft_op *op;
	soft_handler *run;     /* goes on there, with op; NULL: it is there already */
	soft_handler *with_op; /* ... and goes on there */
	bool sets_pc;	       /* soft_cpu.pc is the target */
	bool links;	       /* op is the place of links, and side of them is gone to */
	uint8_t side;
	/* NULL, or where the code goes on if an access may be made though it is not aligned: whose
	 * address is in a register, of entry[side], up to its last byte. */
	const uint8_t *back;
	uint8_t address, last;
	/* NULL, or where the code goes on if the block at op may be executed after all. */
	const uint8_t *again;
	/* NULL, or where it goes on when an element of soft_cpu.adds has been learnt. */
	const uint8_t *learnt;
	uint16_t place;
	/* NULL, or where it goes on behind a call of soft_run_vector(); another jump to here. */
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
	/* The blocks behind the root, how many there may be, and which is next, or NULL. */
	const struct soft_block *trace[TRACE_BLOCKS], *next;
	unsigned int trace_count, trace_max, trace_ops;
	bool (*has_templates)(const struct soft_block *block); /* all its operations have */
	bool goes_on; /* at the end of the present one, at side goes_to of its links */
	uint8_t goes_to;
	bool failed; /* the last of them has an operation that a template gave up */
	/* soft_passing.stop, and the operation before which it is to be called, or NULL. */
	int64_t (*pass_stop)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	const struct soft_op *sampled;
	bool is_sampled; /* ... was, or is */
	bool fp_allowed; /* that FP and SIMD instructions are not trapped was checked */
	bool sp_aligned; /* ... and that SP is, if it has to be; what has changed it since left it
			    so */
	unsigned int stub_count, expecting;
	bool chains;	  /* may go on in the code of other blocks */
	uint8_t *chained; /* soft_block.chained, where it is written */
	uint8_t *body;	  /* ... and what is behind it, where handlers come to by a jump; or NULL */
	struct {
		uint8_t *jump;
		const struct soft_block *to;
	} sites[2 * (TRACE_BLOCKS + 1)]; /* that wait for a block's code */
	unsigned int site_count;
	unsigned int entry_count;
	/* From here on there is what the counts say: t_begin(). */
	struct soft_entry entries[SOFT_BLOCK_OPS + 1];
	struct stub stubs[8 * TRACE_OPS];
};

/* Nothing is generated yet, and to be written at code; that goes through so many blocks more. */
static inline void t_begin(struct translator *t, const struct soft_jit *jit,
			   const struct soft_block *block, bool chains, unsigned int trace_max,
			   uint8_t *code)
{
	memset(t, 0, offsetof(struct translator, entries));
	t->jit = jit;
	t->root = t->block = block;
	t->chains = chains;
	t->trace_max = trace_max;
	t->code.at = t->code.from = code;
	t->code.end = jit->writable + SOFT_JIT_CODE;
}

/*
 * Generate the code of op. False: there is no template, and nothing was generated. *next is the
 * operation behind, or NULL behind a branch; all registers are where handlers expect them then.
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

/* The register of a slot, with its value; it stays there until the next operation. */
unsigned int t_use(struct translator *t, unsigned int slot);
/* The same for a new value, which the caller is to generate. */
unsigned int t_define(struct translator *t, unsigned int slot);
/* All slots have their values. No flag of the host changes. */
void t_flush(struct translator *t);
/* No register has the value of a slot. */
void t_forget(struct translator *t);

/* The register that has an operand of the flags, 0 or 1, or NO_REG: it is in soft_cpu alone. The
 * slots are those whose values they were when they were set. */
unsigned int t_flag_reg(const struct translator *t, unsigned int operand);
void t_set_flag_slots(struct translator *t, unsigned int first, unsigned int second);

/*
 * A trace that leads back to its root keeps its registers: it begins with all slots that it uses,
 * those that it defines being newer than memory from the first time on. They have to fit: t_fits().
 */
void t_begin_loop(struct translator *t, uint64_t used, uint64_t defined);
bool t_fits(uint64_t used);

/* The code from op on, which handlers may go on to. */
void t_begin_entry(struct translator *t, const struct soft_op *op);

/* Where other blocks of the page go on in this one: the budget is made what entries expect. */
void t_begin_chained(struct translator *t);
/* The code goes on in t->next. */
void t_begin_next(struct translator *t);

/* op is executed by run. */
void t_leave(struct translator *t, const struct soft_op *op, soft_handler *run);

/* All that is behind the block's code: the ways out. */
void t_put_stubs(struct translator *t);

/* Where an access goes that is not the common one. */
soft_handler *t_slow(const struct soft_op *op);

/* At a jump that was just generated: op is to be executed by run, or where it is there already, by
 * with_op. */
void t_leave_to(struct translator *t, uint8_t *jump, const struct soft_op *op, soft_handler *run);

/*
 * The same where the entry of the software TLB, of reads or writes, is not of an address's page, or
 * the access is not aligned. Where it need not be, and is of that page up to its last byte, the
 * code goes on here, but of ordered and atomic ones.
 */
void t_leave_unaligned(struct translator *t, uint8_t *jump, const struct soft_op *op, bool write,
		       unsigned int address, unsigned int last);

/* The next place of soft_cpu.adds; at a jump, what it has is not what was expected. */
unsigned int t_place(struct translator *t);
void t_learn(struct translator *t, uint8_t *jump, unsigned int place);

/*
 * At a jump, and another one or NULL: op, of SOFT_vector, was not executed, and its function is to
 * be called instead of the code up to here. What that code needs of registers it has asked for
 * before them, and the flags are held as the function leaves them.
 */
void t_call_instead(struct translator *t, uint8_t *jump, uint8_t *other, const struct soft_op *op);

/* The operation in its register is that of the block, which op is so many bytes behind. No flag of
 * the host changes. */
int32_t t_distance(struct translator *t, const struct soft_op *op);
/* It is op, from now on. */
void t_point_to(struct translator *t, const struct soft_op *op);

/* op's immediate, where a template may have it in the code: small enough that no guest chooses what
 * the host could execute. */
bool t_small(const struct soft_op *op, unsigned int width, int32_t *imm);

/* The block ends, and always goes on at side 0 of the links that are in the place of op; or at the
 * target. */
void t_end(struct translator *t, const struct soft_op *links);
void t_jump(struct translator *t, const struct soft_op *op);

/* The block's end, before it branches or not: no flag of the host changes. Then the jump taken
 * leads to side 1 of the links that are in the place of op, and what is behind it to side 0. */
void t_begin_end(struct translator *t);
void t_end_if(struct translator *t, const struct soft_op *links, uint8_t *taken);

#endif

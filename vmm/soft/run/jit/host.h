/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translator's interface to the host, implemented in one folder per host. Besides the registers
 * of the pool there are three that the host's code uses for nothing else:
 *
 *	the vCPU, the first operation of the block, and the budget, as handlers have them
 *	the target: where a branch leads to, of host_look_up() and host_set_pc(); or an address, or
 *		an old value in memory
 *
 * and others for the duration of one operation. These functions return a jump's place, which stands
 * for it.
 */
#ifndef VSPE_SOFT_RUN_JIT_HOST_H
#define VSPE_SOFT_RUN_JIT_HOST_H

#include "soft/cpu.h"
#include "soft/fp/vector.h"
#include "soft/run/jit/code.h"

/* Registers that slots may be in, by number; all are below HOST_REGISTERS. */
#define HOST_REGISTERS 32
extern const uint8_t host_pool[];
extern const unsigned int host_pool_size;

/* Generate soft_jit.enter, which enters the fast loop; and find out about the host. */
void host_put_entry(struct jit_code *code);
void host_probe(struct soft_jit *jit);
/* Generate soft_jit.unaligned, if the host has it. */
void host_put_unaligned(struct jit_code *code, struct soft_jit *jit);
/* size bytes at executable have been written by another address: make them executable. */
void host_written(const uint8_t *executable, size_t size);

/* Handlers enter code here: set up its other registers. */
void host_enter(struct jit_code *code);

/* A register is loaded from the 8 bytes at offset in the vCPU. No flag changes. */
void host_load_value(struct jit_code *code, unsigned int reg, size_t offset);

/* Move between a register and a slot of soft_cpu.x. No flag changes. */
void host_load(struct jit_code *code, unsigned int reg, unsigned int slot);
void host_store(struct jit_code *code, unsigned int reg, unsigned int slot);

/* The operation moves by so many bytes; it becomes op. */
void host_move_op(struct jit_code *code, int32_t distance);
void host_set_op(struct jit_code *code, const struct soft_op *op);

/* Continue at a handler; at that of the operation, whose block has been paid for. */
void host_go_to(struct jit_code *code, soft_handler *run);
void host_run(struct jit_code *code);

/* Continue at the address distance bytes before the operation; the budget stays. */
void host_go_to_found(struct jit_code *code, size_t distance);

/*
 * Reduce the budget by a number, or by the operation's rest. Returns a jump, taken if it is below
 * 0.
 */
uint8_t *host_spend(struct jit_code *code, unsigned int count);
uint8_t *host_spend_rest(struct jit_code *code);

/* A jump, taken unless soft_op.run is run in the operation distance bytes from the present one. */
uint8_t *host_unless_run(struct jit_code *code, soft_handler *run, int32_t distance);

/*
 * The operation becomes that of a link, which is distance bytes from the present one. Returns a
 * jump, taken before it changes if there is none.
 */
uint8_t *host_follow(struct jit_code *code, int32_t distance);

/* The same with the jump cache for the target. */
uint8_t *host_look_up(struct jit_code *code);
/*
 * The same if the target is the 8 bytes at distance from the operation, whose place in the jump
 * cache is index.
 */
uint8_t *host_look_up_at(struct jit_code *code, int32_t distance, unsigned int index);
/* soft_cpu.pc is the target. */
void host_set_pc(struct jit_code *code);

/*
 * Call stop with the operation and the budget, which its result replaces. Afterwards the operation
 * is first. Returns a jump, taken if the result is SOFT_PASS_NOT.
 */
uint8_t *host_call_stop(struct jit_code *code,
			int64_t (*stop)(struct soft_cpu *, const struct soft_op *, int64_t),
			const struct soft_op *first);

/* The target becomes reg; reg becomes the 8 bytes at distance from the operation. */
void host_set_target(struct jit_code *code, unsigned int reg);
void host_load_field(struct jit_code *code, unsigned int reg, int32_t distance);

/* Call a function with the operation. Afterwards the operation is first. */
void host_call_vector(struct jit_code *code, soft_vector_function *function,
		      const struct soft_op *first);
/* v[n] becomes the bytes at distance from the operation: both halves, or the lower one. */
void host_set_vector(struct jit_code *code, unsigned int n, int32_t distance, bool both);
/* A jump, taken if the bool at offset flag in the vCPU is set. */
uint8_t *host_if_set(struct jit_code *code, size_t flag);
/* A jump, taken unless those bits of the 32 at offset in the vCPU that mask has are value. */
uint8_t *host_unless_bits(struct jit_code *code, size_t offset, uint32_t mask, uint32_t value);
/* The bool at offset flag in the vCPU becomes true. No flag changes. */
void host_set_flag(struct jit_code *code, size_t flag);
/* reg += by, which is below 4096 either way. */
void host_add(struct jit_code *code, unsigned int reg, int32_t by);

/*
 * Accesses of memory, in this order: an address is computed, in a register that is returned
 * (t_put_address()), looked up (t_put_entry(), t_put_offset()), accessed at an offset (these), and
 * may become the new value of a register. arg: T_ACCESS(), or the bytes of v[n].
 */
void host_access(struct jit_code *code, bool load, unsigned int arg, unsigned int width,
		 unsigned int reg, unsigned int address, unsigned int offset);
void host_access_vector(struct jit_code *code, bool load, unsigned int n, unsigned int address,
			unsigned int offset, unsigned int bytes);
void host_take_target(struct jit_code *code, unsigned int reg);

/*
 * Atomic accesses of an address as above, whose register does not change: the target becomes the
 * old value in memory, or the status of a store-exclusive. how: enum t_atomic.
 */
void host_exchange(struct jit_code *code, unsigned int how, unsigned int bytes, unsigned int reg,
		   unsigned int address);
void host_compare_and_swap(struct jit_code *code, unsigned int bytes, unsigned int expected,
			   unsigned int reg, unsigned int address);
void host_load_exclusive(struct jit_code *code, unsigned int bytes, unsigned int address);
void host_store_exclusive(struct jit_code *code, unsigned int bytes, unsigned int reg,
			  unsigned int address);
/*
 * After t_put_entry(): a jump, taken unless an unaligned access may be made. All of its bytes must
 * be in the page that the entry lets be read or written, in Normal memory.
 */
uint8_t *host_unless_unaligned(struct jit_code *code, const struct soft_jit *jit, bool write,
			       unsigned int address, unsigned int last);

/*
 * After t_put_expected_offset(): the value to add is another one, which the element of
 * soft_cpu.adds gets.
 */
void host_learn(struct jit_code *code, unsigned int place);

/*
 * With --model warm. Jumps, taken if the model has to see it: the fetch of a line of RAM, by its
 * number; a block, whose soft_block.warm is at seen; bytes of data at an address, after
 * t_put_offset(), unless they are certain to be in one line.
 */
uint8_t *host_unless_fetched(struct jit_code *code, uint64_t line);
uint8_t *host_unless_seen(struct jit_code *code, const uint64_t *seen);
uint8_t *host_if_crosses(struct jit_code *code, unsigned int address, unsigned int bytes);
uint8_t *host_unless_line(struct jit_code *code, unsigned int address, bool write);
/* Train the predictor: the conditional branch at pc was taken, or not. Changes the target. */
void host_train(struct jit_code *code, uint64_t pc, bool taken);
/* The target becomes soft_cpu.pc. */
void host_get_pc(struct jit_code *code);

/*
 * A jump to the place that host_here() sets later, the present one; or a jump back. host_set_link()
 * may change a host_link() while it is executed, so both of its targets must be right.
 */
uint8_t *host_link(struct jit_code *code);
void host_set_link(uint8_t *jump, const uint8_t *to);
/* Invert the condition of a jump. */
void host_invert(uint8_t *jump);
void host_here(struct jit_code *code, uint8_t *jump);
void host_jump_back(struct jit_code *code, const uint8_t *to);

#endif

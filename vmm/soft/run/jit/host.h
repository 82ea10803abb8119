/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the translator asks of the host: a folder each. Besides the registers of the pool there are
 * three that no code of the host uses otherwise:
 *
 *	the vCPU, the first operation of the block, and the budget, as handlers have them
 *	the target: where a branch leads to, of host_look_up() and host_set_pc(); or an address, or
 *		what was there
 *
 * and others for an operation alone. A jump is known by its place, which these functions return.
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

/* The function that enters the fast loop, soft_jit.enter; and what there is to know of the host. */
void host_put_entry(struct jit_code *code);
void host_probe(struct soft_jit *jit);
/* soft_jit.unaligned, where the host has that. */
void host_put_unaligned(struct jit_code *code, struct soft_jit *jit);
/* size bytes at executable were written, by another address: they are to be executed. */
void host_written(const uint8_t *executable, size_t size);

/* Where handlers go on in code: what it has in registers besides is made. */
void host_enter(struct jit_code *code);

/* A register is the 8 bytes of the vCPU so far behind its beginning. No flag changes. */
void host_load_value(struct jit_code *code, unsigned int reg, size_t offset);

/* Between a register and a slot of soft_cpu.x. No flag changes. */
void host_load(struct jit_code *code, unsigned int reg, unsigned int slot);
void host_store(struct jit_code *code, unsigned int reg, unsigned int slot);

/* The operation moves by so many bytes; it is op. */
void host_move_op(struct jit_code *code, int32_t distance);
void host_set_op(struct jit_code *code, const struct soft_op *op);

/* Go on at a handler; at that of the operation, whose block has been paid for. */
void host_go_to(struct jit_code *code, soft_handler *run);
void host_run(struct jit_code *code);

/* Go on at the address that is distance bytes before the operation; the budget is as it is. */
void host_go_to_found(struct jit_code *code, size_t distance);

/* The budget is less by a number, or by the operation's rest: a jump, if it is less than 0. */
uint8_t *host_spend(struct jit_code *code, unsigned int count);
uint8_t *host_spend_rest(struct jit_code *code);

/* A jump, unless soft_op.run is run in the operation distance bytes from the present one. */
uint8_t *host_unless_run(struct jit_code *code, soft_handler *run, int32_t distance);

/* The operation is that of a link, which is distance bytes from the present one: a jump, before it
 * changes, if there is none. */
uint8_t *host_follow(struct jit_code *code, int32_t distance);

/* The same of the jump cache for the target. */
uint8_t *host_look_up(struct jit_code *code);
/* The same where the target is the 8 bytes that are distance bytes from the operation, which have
 * the index'th place there. */
uint8_t *host_look_up_at(struct jit_code *code, int32_t distance, unsigned int index);
/* soft_cpu.pc is the target. */
void host_set_pc(struct jit_code *code);

/*
 * Call stop with the operation and the budget, which is what it returns; the operation is first
 * then. A jump, if that is SOFT_PASS_NOT.
 */
uint8_t *host_call_stop(struct jit_code *code,
			int64_t (*stop)(struct soft_cpu *, const struct soft_op *, int64_t),
			const struct soft_op *first);

/* The target is reg; reg is the 8 bytes that are distance bytes from the operation. */
void host_set_target(struct jit_code *code, unsigned int reg);
void host_load_field(struct jit_code *code, unsigned int reg, int32_t distance);

/* Call a function with the operation, which is first then. */
void host_call_vector(struct jit_code *code, soft_vector_function *function,
		      const struct soft_op *first);
/* v[n] is what is distance bytes from the operation: both halves, or the lower one. */
void host_set_vector(struct jit_code *code, unsigned int n, int32_t distance, bool both);
/* A jump if a bool of the vCPU, so far behind its beginning, is set. */
uint8_t *host_if_set(struct jit_code *code, size_t flag);

/*
 * Accesses of memory, in this order: an address is worked out, in a register that is returned
 * (t_put_address()), looked up (t_put_entry(), t_put_offset()), accessed so many bytes further on
 * (these), and may be the new value of a register. arg: T_ACCESS(), or the bytes of v[n].
 */
void host_access(struct jit_code *code, bool load, unsigned int arg, unsigned int width,
		 unsigned int reg, unsigned int address, unsigned int offset);
void host_access_vector(struct jit_code *code, bool load, unsigned int n, unsigned int address,
			unsigned int offset, unsigned int bytes);
void host_take_target(struct jit_code *code, unsigned int reg);

/*
 * Accesses that are atomic, of an address as above, without its register changing: the target is
 * what was in memory, or of a store-exclusive its status. how: enum t_atomic.
 */
void host_exchange(struct jit_code *code, unsigned int how, unsigned int bytes, unsigned int reg,
		   unsigned int address);
void host_compare_and_swap(struct jit_code *code, unsigned int bytes, unsigned int expected,
			   unsigned int reg, unsigned int address);
void host_load_exclusive(struct jit_code *code, unsigned int bytes, unsigned int address);
void host_store_exclusive(struct jit_code *code, unsigned int bytes, unsigned int reg,
			  unsigned int address);
/*
 * Behind t_put_entry(): a jump, unless an access may be made that is not aligned. Its bytes, up to
 * the last, are of the page that the entry lets be read or written, of Normal memory.
 */
uint8_t *host_unless_unaligned(struct jit_code *code, const struct soft_jit *jit, bool write,
			       unsigned int address, unsigned int last);

/* Behind t_put_expected_offset(): what is to be added is another value, which the element of
 * soft_cpu.adds has from now on. */
void host_learn(struct jit_code *code, unsigned int place);

/*
 * A jump to a place that is told later, by host_here(): the present one; or back. host_link() is
 * one that host_set_link() changes while it may be executed, with either of its targets right.
 */
uint8_t *host_link(struct jit_code *code);
void host_set_link(uint8_t *jump, const uint8_t *to);
/* A jump that is taken is not any more, and the other way round. */
void host_invert(uint8_t *jump);
void host_here(struct jit_code *code, uint8_t *jump);
void host_jump_back(struct jit_code *code, const uint8_t *to);

#endif

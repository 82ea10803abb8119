/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fast loop: the handlers of the operations in ops.def. A handler that meets a case for which
 * it has no quick answer (a TLB miss, an unaligned access, device memory, flags not in the expected
 * form) continues in another handler, so that it needs no stack frame.
 */
#include "soft/arithmetic.h"
#include "soft/run/block.h"
#include "soft/flags.h"
#include "soft/fp/vector.h"
#include "soft/jit.h"
#include "soft/mem/memory.h"
#include "soft/model/warm.h"
#include "soft/run/landing.h"
#include "soft/run/ops.h"
#include "soft/mem/pauth.h"
#include "soft/sampling/sample.h"
#include "soft/run/system.h"

#include <string.h>

#if defined(__clang__) && SOFT_TAIL_CALLS
#define TAIL __attribute__((musttail)) return
#else
#define TAIL return
#endif

#define HANDLER(name)                                                                     \
	static const struct soft_op *name(struct soft_cpu *cpu, const struct soft_op *op, \
					  int64_t budget)

/* A handler that must not be inlined into others: it would cost them a stack frame. */
#define SLOW_HANDLER(name) __attribute__((noinline)) HANDLER(name)

#define X(field) (cpu->x[op->field])

/* Vn of this field was written. */
#define CLEAR_UPPER(field) soft_clear_upper(cpu, op->field)

#if SOFT_TAIL_CALLS
#define GO(next_op)                                    \
	do {                                           \
		const struct soft_op *go_ = (next_op); \
		TAIL go_->run(cpu, go_, budget);       \
	} while (0)
#else
#define GO(next_op)                   \
	do {                          \
		cpu->budget = budget; \
		return (next_op);     \
	} while (0)
#endif

#define NEXT GO(op + 1)

/* Enter the block that starts with first: only here the budget is checked. */
#define ENTER(first)                                           \
	do {                                                   \
		const struct soft_op *enter_ = (first);        \
		budget -= enter_->rest;                        \
		if (SOFT_UNLIKELY(budget < 0))                 \
			TAIL leave_block(cpu, enter_, budget); \
		GO(enter_);                                    \
	} while (0)

/* Continue on side 0 or 1 of the links at link_op. */
#define JUMP(link_op, side)                                                                  \
	do {                                                                                 \
		const struct soft_op *links_ = (link_op);                                    \
		const struct soft_op *to_ = ((const struct soft_links *)links_)->next[side]; \
		if (SOFT_UNLIKELY(cpu->warm.on))                                             \
			TAIL warm_link_##side(cpu, links_, budget);                          \
		if (SOFT_UNLIKELY(!to_))                                                     \
			TAIL follow_##side(cpu, links_, budget);                             \
		ENTER(to_);                                                                  \
	} while (0)

#define BRANCH_IF(link_op, condition)     \
	do {                              \
		if (condition)            \
			JUMP(link_op, 1); \
		else                      \
			JUMP(link_op, 0); \
	} while (0)

#define JUMP_TO(address)                                                           \
	do {                                                                       \
		const uint64_t to_ = (address);                                    \
		const struct soft_jump *jump_ = &cpu->jumps[soft_jump_index(to_)]; \
		if (SOFT_UNLIKELY(cpu->warm.on)) {                                 \
			cpu->pc = to_;                                             \
			TAIL warm_jump(cpu, op, budget);                           \
		}                                                                  \
		if (SOFT_UNLIKELY(jump_->pc != to_)) {                             \
			cpu->pc = to_;                                             \
			TAIL leave_jump(cpu, op, budget);                          \
		}                                                                  \
		ENTER(jump_->op);                                                  \
	} while (0)

/* With FEAT_BTI; op->aux is SOFT_BTYPE_*. */
#define JUMP_TYPED(address)                                                                    \
	do {                                                                                   \
		const uint64_t to_ = (address);                                                \
		const struct soft_jump *jump_ = &cpu->jumps[soft_jump_index(to_)];             \
		if (SOFT_UNLIKELY(cpu->warm.on)) {                                             \
			cpu->pc = to_;                                                         \
			TAIL warm_typed(cpu, op, budget);                                      \
		}                                                                              \
		if (SOFT_UNLIKELY(                                                             \
			    jump_->pc != to_ ||                                                \
			    (cpu->guarded && !soft_lands_always(jump_->op->word, op->aux)))) { \
			cpu->pc = to_;                                                         \
			TAIL leave_typed(cpu, op, budget);                                     \
		}                                                                              \
		ENTER(jump_->op);                                                              \
	} while (0)

/* cpu->pc = the authenticated target of a branch. */
#define AUTHENTICATE()                                                 \
	do {                                                           \
		cpu->left = budget + op->rest;                         \
		if (SOFT_UNLIKELY(!soft_authenticate_branch(cpu, op))) \
			TAIL leave_fault(cpu, op, budget);             \
	} while (0)

#define JUMP_AUTHENTICATED(address)          \
	do {                                 \
		if (op->aux)                 \
			JUMP_TYPED(address); \
		JUMP_TO(address);            \
	} while (0)

/* Leaving. The returned NULL ends the loop that replaces tail calls. */

/* Execute the block at op by soft_cpu.stop.sampled, if it is set. */
SLOW_HANDLER(go_on_sampled)
{
	soft_handler *run = cpu->stop.sampled;

	if (!run)
		return NULL;
	cpu->stop.sampled = NULL;
	budget = cpu->budget;
	TAIL run(cpu, op, budget);
}

/* The block that starts with op does not fit: an operation of it is selected, or the run ends. */
static int64_t pass_block(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	const int64_t left = cpu->vm->passing->selection(cpu, op, budget + op->rest);

	if (left == SOFT_PASS_NOT)
		return SOFT_PASS_NOT;
	cpu->budget = left - op->rest;
	return SOFT_UNLIKELY(cpu->stop.sampled != NULL) ? SOFT_PASS_NOT : cpu->budget;
}

SLOW_HANDLER(leave_block)
{
	budget = pass_block(cpu, op, budget);
	if (SOFT_UNLIKELY(budget == SOFT_PASS_NOT))
		TAIL go_on_sampled(cpu, op, budget);
	GO(op);
}

/* After a branch to cpu->pc. */
SLOW_HANDLER(find_block)
{
	op = cpu->vm->passing->link(cpu, budget);
	if (op)
		ENTER(op);
	cpu->leave = SOFT_LEAVE_LINK;
	cpu->left = budget;
	return NULL;
}

SLOW_HANDLER(leave_jump)
{
	cpu->slot = NULL;
	TAIL find_block(cpu, op, budget);
}

SLOW_HANDLER(leave_typed)
{
	cpu->sys.pstate.btype = soft_btype_behind(cpu, op);
	TAIL leave_jump(cpu, op, budget);
}

/* op is the place of the links. */
static void find_link(struct soft_cpu *cpu, const struct soft_op *op, unsigned int side)
{
	const struct soft_links *links = (const struct soft_links *)op;

	cpu->pc = links->target[side];
	/* links stay in a page: one translation of the fetch is valid for both ends */
	cpu->slot = NULL;
	if (!((cpu->pc ^ soft_block_of(op - 1)->va) & SOFT_PAGE_MASK))
		cpu->slot = (const struct soft_op **)(uintptr_t)&links->next[side];
}

SLOW_HANDLER(leave_system)
{
	cpu->leave = SOFT_LEAVE_SYSTEM;
	cpu->at = op;
	cpu->left = budget + op->rest;
	return NULL;
}

SLOW_HANDLER(leave_fault)
{
	cpu->leave = SOFT_LEAVE_FAULT;
	cpu->at = op;
	cpu->left = budget + op->rest - 1;
	return NULL;
}

/* Leave after op, which is not the last of its block, or only SOFT_fall follows. */
SLOW_HANDLER(leave_behind)
{
	op++;
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->left = budget + op->rest;
	cpu->pc = soft_op_pc(op);
	cpu->at = op->rest ? op : NULL;
	return NULL;
}

const struct soft_op *soft_stop(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	budget = cpu->vm->passing->stop(cpu, op, budget);
	if (budget == SOFT_PASS_NOT)
		return NULL;
	GO(op);
}

const struct soft_op *soft_stale(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	cpu->pc = soft_op_pc(op);
	TAIL leave_jump(cpu, op, budget + op->rest);
}

/*
 * The addresses leave open whether the last block branched to op's: look at its last operation. A
 * vCPU without a PMU does not use its last block, which may be stale.
 */
SLOW_HANDLER(count_nearest)
{
	struct soft_counted *counted = &cpu->counted;
	const struct soft_block *last = counted->block;

	counted->fall_through = soft_block_of(op)->va;
	counted->taken += cpu->sys.pmu && soft_branch_taken(cpu, &last->ops[last->count - 1]);
	TAIL soft_count_block(cpu, op, budget);
}

const struct soft_op *soft_count_block(struct soft_cpu *cpu, const struct soft_op *op,
				       int64_t budget)
{
	const struct soft_block *block =
		(const struct soft_block *)((const char *)op - offsetof(struct soft_block, ops));
	struct soft_counted *counted = &cpu->counted;

	if (block->va != counted->fall_through) {
		if (SOFT_UNLIKELY(counted->fall_through == SOFT_FALL_THROUGH_EITHER))
			TAIL count_nearest(cpu, op, budget);
		counted->taken++;
	}
	counted->fall_through = block->fall_through;
	counted->block = block;
	counted->sum.word[0] += block->tally.word[0];
	counted->sum.word[1] += block->tally.word[1];
	TAIL block->counted(cpu, op, budget);
}

/* A direct branch without a link: to another page, or not yet looked up. */
#define FOLLOW(side)                                                               \
	SLOW_HANDLER(follow_##side)                                                \
	{                                                                          \
		const uint64_t to = ((const struct soft_links *)op)->target[side]; \
		const struct soft_jump *jump = &cpu->jumps[soft_jump_index(to)];   \
                                                                                   \
		if (SOFT_UNLIKELY(jump->pc != to)) {                               \
			find_link(cpu, op, side);                                  \
			TAIL find_block(cpu, op, budget);                          \
		}                                                                  \
		ENTER(jump->op);                                                   \
	}
FOLLOW(0)
FOLLOW(1)

/* The same of the branch before the links, with --model warm: tell the model. */
#define WARM_LINK(side)                                                                 \
	SLOW_HANDLER(warm_link_##side)                                                  \
	{                                                                               \
		const struct soft_op *to = ((const struct soft_links *)op)->next[side]; \
                                                                                        \
		soft_warm_branch(cpu, op - 1, side);                                    \
		if (SOFT_UNLIKELY(!to))                                                 \
			TAIL follow_##side(cpu, op, budget);                            \
		ENTER(to);                                                              \
	}
WARM_LINK(0)
WARM_LINK(1)

/* A branch to cpu->pc. */
SLOW_HANDLER(warm_jump)
{
	const struct soft_jump *jump = &cpu->jumps[soft_jump_index(cpu->pc)];

	soft_warm_jump(cpu, op);
	if (SOFT_UNLIKELY(jump->pc != cpu->pc))
		TAIL leave_jump(cpu, op, budget);
	ENTER(jump->op);
}

SLOW_HANDLER(warm_typed)
{
	const struct soft_jump *jump = &cpu->jumps[soft_jump_index(cpu->pc)];

	soft_warm_jump(cpu, op);
	if (SOFT_UNLIKELY(jump->pc != cpu->pc ||
			  (cpu->guarded && !soft_lands_always(jump->op->word, op->aux))))
		TAIL leave_typed(cpu, op, budget);
	ENTER(jump->op);
}

SLOW_HANDLER(go_on_told)
{
	soft_handler *const run = cpu->vm->passing->alone(op);

	budget = cpu->budget;
	TAIL run(cpu, op, budget);
}

const struct soft_op *soft_fetch_first(struct soft_cpu *cpu, const struct soft_op *op,
				       int64_t budget)
{
	soft_handler *const run = cpu->vm->passing->alone(op);

	soft_warm_fetch(cpu, op);
	TAIL run(cpu, op, budget);
}

/* Make the flags explicit and try again. */
SLOW_HANDLER(settle_flags)
{
	soft_handler *alone;

	soft_set_flags(cpu, soft_flags(cpu));
	if (SOFT_LIKELY(op->run != soft_count_block && (!cpu->warm.lines || cpu->warm.on)))
		GO(op);
	/* Its block was counted already, or it executes alone: soft_enter(). */
	alone = cpu->vm->passing->alone(op);
	TAIL alone(cpu, op, budget);
}

SLOW_HANDLER(call_function)
{
	cpu->left = budget + op->rest;
	if (SOFT_UNLIKELY(!(cpu->warm.on ? soft_warm_call(cpu, op)
					 : ((soft_function *)(uintptr_t)op->imm)(cpu, op))))
		TAIL leave_fault(cpu, op, budget);
	if (SOFT_UNLIKELY(cpu->attention))
		TAIL leave_behind(cpu, op, budget);
	NEXT;
}

SLOW_HANDLER(zero_block)
{
	cpu->left = budget + op->rest;
	if (SOFT_UNLIKELY(!soft_zero_block(cpu, cpu->x[a64_rt(op->word)])))
		TAIL leave_fault(cpu, op, budget);
	soft_warm_zeroed(cpu);
	if (SOFT_UNLIKELY(cpu->attention))
		TAIL leave_behind(cpu, op, budget);
	NEXT;
}

HANDLER(execute_system)
{
	if (!cpu->repeats[op->aux])
		TAIL leave_system(cpu, op, budget);
	if (op->aux == SOFT_REPEAT_ZERO)
		TAIL zero_block(cpu, op, budget);
	cpu->x[op->rd] = cpu->repeat_values[op->aux];
	NEXT;
}

SLOW_HANDLER(leave_trapped)
{
	cpu->left = budget + op->rest;
	(void)(op->kind == SOFT_sve ? soft_sve_allowed(cpu) : soft_fp_allowed(cpu));
	TAIL leave_fault(cpu, op, budget);
}

HANDLER(call_vector)
{
	if (SOFT_UNLIKELY(cpu->fp_trapped))
		TAIL leave_trapped(cpu, op, budget);
	((soft_vector_function *)(uintptr_t)op->imm)(cpu, op);
	if (SOFT_UNLIKELY(cpu->upper[op->rd]))
		soft_clear_written(cpu, op);
	NEXT;
}

HANDLER(call_sve)
{
	if (SOFT_UNLIKELY(cpu->sve_trapped))
		TAIL leave_trapped(cpu, op, budget);
	((soft_vector_function *)(uintptr_t)op->imm)(cpu, op);
	NEXT;
}

/* aux: imm is in both halves */
HANDLER(set_vector)
{
	if (SOFT_UNLIKELY(cpu->fp_trapped))
		TAIL leave_trapped(cpu, op, budget);
	cpu->v[op->rd].d[0] = op->imm;
	cpu->v[op->rd].d[1] = op->aux ? op->imm : 0;
	CLEAR_UPPER(rd);
	NEXT;
}

const struct soft_op *soft_slow_memory(struct soft_cpu *cpu, const struct soft_op *op,
				       int64_t budget)
{
	if (cpu->warm.on && soft_warm_line(cpu, op)) {
		soft_handler *const fast = soft_handler_of(op->kind);

		TAIL fast(cpu, op, budget);
	}
	cpu->left = budget + op->rest;
	if (SOFT_UNLIKELY(
		    !(cpu->warm.on ? soft_warm_memory(cpu, op) : soft_memory_operation(cpu, op))))
		TAIL leave_fault(cpu, op, budget);
	if (SOFT_UNLIKELY(cpu->attention))
		TAIL leave_behind(cpu, op, budget);
	NEXT;
}

/* Names that a row's expression may use. */
#define ROR(x, by) (WIDTH == 64 ? ROR64((uint64_t)(x), (by)) : ROR32((uint32_t)(x), (by)))
#define OPERANDS_32          \
	typedef uint32_t T;  \
	typedef int32_t S;   \
	enum { WIDTH = 32 }; \
	OPERANDS
#define OPERANDS_64          \
	typedef uint64_t T;  \
	typedef int64_t S;   \
	enum { WIDTH = 64 }; \
	OPERANDS
#define OPERANDS                                                                        \
	const T n = (T)X(rn), m = (T)X(rm), a = (T)X(ra), d = (T)X(rd), i = (T)op->imm; \
	const unsigned int k = op->aux;                                                 \
	(void)(S)0, (void)n, (void)m, (void)a, (void)d, (void)i, (void)k

#define FLAGS(how, first, second)       \
	do {                            \
		cpu->flag_kind = (how); \
		cpu->flag_a = (first);  \
		cpu->flag_b = (second); \
	} while (0)

/* Whether each condition holds after a comparison of a with b. */
#define HOLDS_FUNCTIONS(c, mask, e, ...)                          \
	static inline bool holds_##c##_64(uint64_t a, uint64_t b) \
	{                                                         \
		typedef uint64_t T;                               \
		typedef int64_t S;                                \
		(void)(T)(S)0;                                    \
		return e;                                         \
	}                                                         \
	static inline bool holds_##c##_32(uint32_t a, uint32_t b) \
	{                                                         \
		typedef uint32_t T;                               \
		typedef int32_t S;                                \
		(void)(T)(S)0;                                    \
		return e;                                         \
	}
SOFT_CONDITIONS(HOLDS_FUNCTIONS, )

#define HOLDS(c, a, b) \
	(WIDTH == 64 ? holds_##c##_64(a, b) : holds_##c##_32((uint32_t)(a), (uint32_t)(b)))

/* holds = does condition c hold, from lazy flags of a comparison or from settled flags? */
#define EVALUATE(holds, c, mask)                                                              \
	do {                                                                                  \
		if (SOFT_LIKELY(cpu->flag_kind == SOFT_FLAGS_SUB64))                          \
			holds = holds_##c##_64(cpu->flag_a, cpu->flag_b);                     \
		else if (SOFT_LIKELY(cpu->flag_kind == SOFT_FLAGS_SUB32))                     \
			holds = holds_##c##_32((uint32_t)cpu->flag_a, (uint32_t)cpu->flag_b); \
		else if (cpu->flag_kind == SOFT_FLAGS_NZCV)                                   \
			holds = (mask) >> cpu->flag_a & 1;                                    \
		else                                                                          \
			TAIL settle_flags(cpu, op, budget);                                   \
	} while (0)

#define SLOW TAIL soft_slow_memory(cpu, op, budget)

/*
 * The body of an operation that continues with the next one: do_<name>, false if the slow path is
 * needed. Bodies are separate from their handlers because PAIR uses them too.
 */
#define BODY(name) static inline bool do_##name(struct soft_cpu *cpu, const struct soft_op *op)
#define STRAIGHT_HANDLER(name)                          \
	HANDLER(name)                                   \
	{                                               \
		if (SOFT_UNLIKELY(!do_##name(cpu, op))) \
			SLOW;                           \
		NEXT;                                   \
	}

#define WIDTH_BODY(name, width, ...) \
	BODY(name##_##width)         \
	{                            \
		OPERANDS_##width;    \
		__VA_ARGS__          \
		return true;         \
	}                            \
	STRAIGHT_HANDLER(name##_##width)
#define WIDTH_BODIES(name, ...)           \
	WIDTH_BODY(name, 32, __VA_ARGS__) \
	WIDTH_BODY(name, 64, __VA_ARGS__)

/* One handler of a given width; the body follows. */
#define WIDTH_HANDLER(name, width, ...) \
	HANDLER(name##_##width)         \
	{                               \
		OPERANDS_##width;       \
		__VA_ARGS__             \
	}
#define WIDTH_HANDLERS(name, ...)            \
	WIDTH_HANDLER(name, 32, __VA_ARGS__) \
	WIDTH_HANDLER(name, 64, __VA_ARGS__)

#define ALU(name, e) WIDTH_BODIES(name, X(rd) = (T)(e);)
#define ADDS(name, e)                                                                     \
	WIDTH_BODIES(name, const T second = (T)(e);                                       \
		     FLAGS(WIDTH == 64 ? SOFT_FLAGS_ADD64 : SOFT_FLAGS_ADD32, n, second); \
		     X(rd) = (T)(n + second);)
#define SUBS(name, e)                                                                     \
	WIDTH_BODIES(name, const T second = (T)(e);                                       \
		     FLAGS(WIDTH == 64 ? SOFT_FLAGS_SUB64 : SOFT_FLAGS_SUB32, n, second); \
		     X(rd) = (T)(n - second);)
#define CMP(name, e)                                \
	WIDTH_BODIES(name, const T second = (T)(e); \
		     FLAGS(WIDTH == 64 ? SOFT_FLAGS_SUB64 : SOFT_FLAGS_SUB32, n, second);)
#define LOGS(name, e)                                                                    \
	WIDTH_BODIES(name, const T r = (T)(e);                                           \
		     FLAGS(WIDTH == 64 ? SOFT_FLAGS_LOGIC64 : SOFT_FLAGS_LOGIC32, r, 0); \
		     X(rd) = r;)
#define CARRIED(name, e)                                                                          \
	WIDTH_HANDLERS(name,                                                                      \
		       if (cpu->flag_kind != SOFT_FLAGS_NZCV) TAIL settle_flags(cpu, op, budget); \
		       const unsigned int c = cpu->flag_a >> 1 & 1; X(rd) = (e); NEXT;)
#define TEST(name, e) WIDTH_HANDLERS(name, BRANCH_IF(op + 1, e);)
#define OP(name, ...) HANDLER(name) __VA_ARGS__
#define SIMPLE(name, e)      \
	BODY(name)           \
	{                    \
		X(rd) = (e); \
		return true; \
	}                    \
	STRAIGHT_HANDLER(name)

#define SELECT_C(c, mask, e, name, other)                                   \
	WIDTH_HANDLERS(name##_##c, const T otherwise = (other); bool holds; \
		       EVALUATE(holds, c, mask); X(rd) = holds ? n : otherwise; NEXT;)
#define SELECT(name, e) SOFT_CONDITIONS(SELECT_C, name, e)

#define COMPARE_C(c, mask, e, name, how, second)                                                   \
	WIDTH_HANDLERS(name##_##c, const T operand = (second); bool holds;                         \
		       EVALUATE(holds, c, mask);                                                   \
		       if (holds) FLAGS(WIDTH == 64 ? SOFT_FLAGS_##how##64 : SOFT_FLAGS_##how##32, \
					n, operand);                                               \
		       else soft_set_flags(cpu, k); NEXT;)
#define COMPARE(name, how, e) SOFT_CONDITIONS(COMPARE_C, name, how, e)

#define BRANCH_C(c, mask, e, name)        \
	HANDLER(name##_##c)               \
	{                                 \
		bool holds;               \
                                          \
		EVALUATE(holds, c, mask); \
		BRANCH_IF(op + 1, holds); \
	}
#define BRANCHES(name) SOFT_CONDITIONS(BRANCH_C, name)

/* Fused: the links come after the branch, which keeps its handler at op + 1. */
#define FUSED_C(c, mask, condition, name, second, store)                                      \
	WIDTH_HANDLERS(name##_##c, const T b = (T)(second);                                   \
		       FLAGS(WIDTH == 64 ? SOFT_FLAGS_SUB64 : SOFT_FLAGS_SUB32, n, b); store; \
		       BRANCH_IF(op + 2, HOLDS(c, n, b));)
#define FUSED_CMP(name, e)  SOFT_CONDITIONS(FUSED_C, name, e, (void)0)
#define FUSED_SUBS(name, e) SOFT_CONDITIONS(FUSED_C, name, e, X(rd) = (T)(n - b))
#define FUSED_LOGS_C(name, e, condition)                                                   \
	WIDTH_HANDLERS(name, const T r = (T)(e);                                           \
		       FLAGS(WIDTH == 64 ? SOFT_FLAGS_LOGIC64 : SOFT_FLAGS_LOGIC32, r, 0); \
		       X(rd) = r; BRANCH_IF(op + 2, condition);)
#define FUSED_LOGS(name, e)                \
	FUSED_LOGS_C(name##_eq, e, r == 0) \
	FUSED_LOGS_C(name##_ne, e, r != 0)

/* Addresses, and the changes of the base after a successful access. */
#define SP		(cpu->x[SOFT_X_SP])
#define ADDRESS_off	(X(rn) + op->imm)
#define ADDRESS_pre	ADDRESS_off
#define ADDRESS_post	(X(rn))
#define SHIFT_OF(op)	((op)->aux & SOFT_AUX_SHIFT)
#define ADDRESS_lsl	(X(rn) + (X(rm) << SHIFT_OF(op)))
#define ADDRESS_ext	(X(rn) + extend_register(X(rm), op->ra, SHIFT_OF(op)))
#define ADDRESS_off_sp	(SP + op->imm)
#define ADDRESS_pre_sp	ADDRESS_off_sp
#define ADDRESS_post_sp SP
#define ADDRESS_lsl_sp	(SP + (X(rm) << SHIFT_OF(op)))
#define ADDRESS_ext_sp	(SP + extend_register(X(rm), op->ra, SHIFT_OF(op)))
#define CHECK_off
#define CHECK_pre
#define CHECK_post
#define CHECK_lsl
#define CHECK_ext
#define CHECK_SP                              \
	if (SOFT_UNLIKELY(SP & cpu->sp_mask)) \
		return false;
#define CHECK_off_sp  CHECK_SP
#define CHECK_pre_sp  CHECK_SP
#define CHECK_post_sp CHECK_SP
#define CHECK_lsl_sp  CHECK_SP
#define CHECK_ext_sp  CHECK_SP
#define AFTER_off
#define AFTER_pre  X(rn) = va;
#define AFTER_post X(rn) = va + op->imm;
#define AFTER_lsl
#define AFTER_ext
#define AFTER_off_sp
#define AFTER_pre_sp  SP = va;
#define AFTER_post_sp SP = va + op->imm;
#define AFTER_lsl_sp
#define AFTER_ext_sp

/*
 * p = the host's address of va. The last byte must be in the page of the TLB entry, and va must be
 * aligned to size: one compare checks both. last is va, or where the second of a pair starts.
 */
#define TRANSLATE(p, side, last, size)                                                       \
	uint8_t *p;                                                                          \
	do {                                                                                 \
		const struct soft_tlb_entry *entry_ =                                        \
			&cpu->tlb[(va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE];                  \
		if (SOFT_UNLIKELY(((last) & (SOFT_PAGE_MASK | ((size)-1))) != entry_->side)) \
			return false;                                                        \
		p = (uint8_t *)(uintptr_t)(va + entry_->add);                                \
	} while (0)

#define LOAD_F(form, name, M, R)                                 \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
		M value;                                         \
                                                                 \
		TRANSLATE(p, read, va, sizeof(M));               \
		memcpy(&value, p, sizeof(M));                    \
		AFTER_##form X(rd) = (uint64_t)(R)value;         \
		return true;                                     \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)
#define STORE_F(form, name, M)                                   \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
		const M value = (M)X(rd);                        \
                                                                 \
		TRANSLATE(p, write, va, sizeof(M));              \
		memcpy(p, &value, sizeof(M));                    \
		AFTER_##form return true;                        \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)
#define LOAD_PAIR_F(form, name, M, R)                            \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
		M value[2];                                      \
                                                                 \
		TRANSLATE(p, read, va + sizeof(M), sizeof(M));   \
		memcpy(&value[0], p, sizeof(M));                 \
		memcpy(&value[1], p + sizeof(M), sizeof(M));     \
		AFTER_##form X(rd) = (uint64_t)(R)value[0];      \
		X(ra) = (uint64_t)(R)value[1];                   \
		return true;                                     \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)
#define STORE_PAIR_F(form, name, M)                              \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
		const M first = (M)X(rd), second = (M)X(ra);     \
                                                                 \
		TRANSLATE(p, write, va + sizeof(M), sizeof(M));  \
		memcpy(p, &first, sizeof(M));                    \
		memcpy(p + sizeof(M), &second, sizeof(M));       \
		AFTER_##form return true;                        \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)

/*
 * Vector registers: p as above, but va may be unaligned in a page of Normal memory, which is more
 * common than with other registers.
 */
#define TRANSLATE_UNALIGNED(p, side, element, size)                                     \
	uint8_t *p;                                                                     \
	do {                                                                            \
		const struct soft_tlb_entry *entry_ =                                   \
			&cpu->tlb[(va >> SOFT_PAGE_SHIFT) % SOFT_TLB_SIZE];             \
		if (SOFT_UNLIKELY(cpu->fp_slow ||                                       \
				  ((va + (size)-1) & SOFT_PAGE_MASK) != entry_->side || \
				  (va & SOFT_PAGE_MASK) != entry_->side ||              \
				  (va & ((element)-1) && entry_->device)))              \
			return false;                                                   \
		p = (uint8_t *)(uintptr_t)(va + entry_->add);                           \
	} while (0)

#define LOAD_VECTOR_F(form, name, B)                             \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
		union soft_vector value = {.d = {0, 0}};         \
                                                                 \
		TRANSLATE_UNALIGNED(p, read, B, B);              \
		memcpy(&value, p, B);                            \
		AFTER_##form cpu->v[op->rd] = value;             \
		CLEAR_UPPER(rd);                                 \
		return true;                                     \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)
#define STORE_VECTOR_F(form, name, B)                            \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
                                                                 \
		TRANSLATE_UNALIGNED(p, write, B, B);             \
		memcpy(p, &cpu->v[op->rd], B);                   \
		AFTER_##form return true;                        \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)
#define LOAD_PAIR_VECTOR_F(form, name, B)                                \
	BODY(name##_##form)                                              \
	{                                                                \
		CHECK_##form const uint64_t va = ADDRESS_##form;         \
		union soft_vector first = {.d = {0, 0}}, second = first; \
                                                                         \
		TRANSLATE_UNALIGNED(p, read, B, 2 * (B));                \
		memcpy(&first, p, B);                                    \
		memcpy(&second, p + (B), B);                             \
		AFTER_##form cpu->v[op->rd] = first;                     \
		cpu->v[op->ra] = second;                                 \
		CLEAR_UPPER(rd);                                         \
		CLEAR_UPPER(ra);                                         \
		return true;                                             \
	}                                                                \
	STRAIGHT_HANDLER(name##_##form)
#define STORE_PAIR_VECTOR_F(form, name, B)                       \
	BODY(name##_##form)                                      \
	{                                                        \
		CHECK_##form const uint64_t va = ADDRESS_##form; \
                                                                 \
		TRANSLATE_UNALIGNED(p, write, B, 2 * (B));       \
		memcpy(p, &cpu->v[op->rd], B);                   \
		memcpy(p + (B), &cpu->v[op->ra], B);             \
		AFTER_##form return true;                        \
	}                                                        \
	STRAIGHT_HANDLER(name##_##form)

#define LOAD(name, M, R)	   SOFT_FORMS(LOAD_F, name, M, R)
#define STORE(name, M)		   SOFT_FORMS(STORE_F, name, M)
#define LOAD_PAIR(name, M, R)	   SOFT_PAIR_FORMS(LOAD_PAIR_F, name, M, R)
#define STORE_PAIR(name, M)	   SOFT_PAIR_FORMS(STORE_PAIR_F, name, M)
#define LOAD_VECTOR(name, B)	   SOFT_FORMS(LOAD_VECTOR_F, name, B)
#define STORE_VECTOR(name, B)	   SOFT_FORMS(STORE_VECTOR_F, name, B)
#define LOAD_PAIR_VECTOR(name, B)  SOFT_PAIR_FORMS(LOAD_PAIR_VECTOR_F, name, B)
#define STORE_PAIR_VECTOR(name, B) SOFT_PAIR_FORMS(STORE_PAIR_VECTOR_F, name, B)

#include "soft/run/ops.def"

#define NAME(name) [SOFT_##name] = name,
static soft_handler *const handlers[SOFT_KINDS] = {
#include "soft/op_names.def"
};

static const struct soft_op *end(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	(void)cpu, (void)op, (void)budget;
	return NULL;
}

const struct soft_ends soft_ends = {
	.left = end,
	.block = leave_block,
	.follow = {follow_0, follow_1},
	.jump = leave_jump,
	.pass = pass_block,
	.passed = go_on_sampled,
	.told = go_on_told,
};

soft_handler *soft_handler_of(enum soft_kind kind)
{
	return handlers[kind];
}

/*
 * Two operations in one handler: there is no dispatch in between, which the host would have to
 * predict.
 */
#define PAIR(first, second)                              \
	HANDLER(first##_then_##second)                   \
	{                                                \
		if (SOFT_UNLIKELY(!do_##first(cpu, op))) \
			SLOW;                            \
		TAIL second(cpu, op + 1, budget);        \
	}
#include "soft/run/pairs.def"
#undef PAIR

soft_handler *soft_handler_of_pair(enum soft_kind first, enum soft_kind second)
{
	static const struct {
		uint16_t first, second;
		soft_handler *run;
	} pairs[] = {
#define PAIR(first, second) {SOFT_##first, SOFT_##second, first##_then_##second},
#include "soft/run/pairs.def"
#undef PAIR
	};

	for (size_t n = 0; n < sizeof(pairs) / sizeof(pairs[0]); n++) {
		if (pairs[n].first == first && pairs[n].second == second)
			return pairs[n].run;
	}
	return NULL;
}

void soft_enter(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
#if SOFT_TAIL_CALLS
	if (SOFT_UNLIKELY(cpu->warm.lines &&
			  !cpu->warm.on)) /* op alone, which is shown on its own */
		(void)cpu->vm->passing->alone(op)(cpu, op, budget);
	else if (cpu->vm->jit)
		cpu->vm->jit->enter(cpu, op, budget);
	else
		(void)op->run(cpu, op, budget);
#else
	cpu->budget = budget;
	while (op)
		op = op->run(cpu, op, cpu->budget);
#endif
}

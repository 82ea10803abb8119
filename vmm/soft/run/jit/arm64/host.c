/* SPDX-License-Identifier: BSD-2-Clause */
/* The translator's interface to a host, on arm64: see host.h, and operands.h for the registers. */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

/* Called functions preserve the first nine. */
const uint8_t host_pool[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 3,
			     4,	 5,  6,	 7,  8,	 9,  10, 11, 12, 13};
const unsigned int host_pool_size = sizeof(host_pool) / sizeof(host_pool[0]);

#define PAIRS	6 /* X19 to X30, which are kept */
#define D_PAIRS 4 /* ... and D8 to D15 */

static void put_kept(struct jit_code *code, enum arm64_form pair, enum arm64_form d_pair)
{
	for (unsigned int n = 0; n < PAIRS; n++)
		arm64_emit(code, pair, 64, 19 + 2 * n, A_SP, 20 + 2 * n, 2 * n);
	for (unsigned int n = 0; n < D_PAIRS; n++)
		arm64_emit(code, d_pair, 64, 8 + 2 * n, A_SP, 9 + 2 * n, 2 * (PAIRS + n));
}

/* Handlers leave X28 and the like alone; generated code uses them. */
void host_put_entry(struct jit_code *code)
{
	arm64_emit(code, ARM64_sub_imm, 64, A_SP, A_SP, 0, 16 * (PAIRS + D_PAIRS));
	put_kept(code, ARM64_stp, ARM64_stp_d);
	a_copy(code, 64, A_CPU_KEPT, A_CPU);
	arm64_emit(code, ARM64_ldr_x_at, 64, A_TARGET, A_OP, 0, offsetof(struct soft_op, run) / 8);
	arm64_emit(code, ARM64_blr, 64, 0, A_TARGET, 0, 0);
	put_kept(code, ARM64_ldp, ARM64_ldp_d);
	arm64_emit(code, ARM64_add_imm, 64, A_SP, A_SP, 0, 16 * (PAIRS + D_PAIRS));
	arm64_emit(code, ARM64_ret, 64, 0, A_RETURN, 0, 0);
}

void host_probe(struct soft_jit *jit)
{
	uint64_t fpcr;

	__asm__("mrs %0, fpcr" : "=r"(fpcr));
	jit->rounds = fpcr == 0;
}

/*
 * Move what was written from the data cache to where instructions are fetched from, invalidate the
 * instruction caches of all processors, and resynchronize this one. A thread that moves to another
 * processor gets there by an exception return, which is as good. The data cache does not depend on
 * which address was used.
 */
void host_written(const uint8_t *executable, size_t size)
{
	char *begin = (char *)(uintptr_t)executable;

	__builtin___clear_cache(begin, begin + size);
}

void host_enter(struct jit_code *code)
{
	(void)code;
}

_Static_assert(offsetof(struct soft_cpu, x) == 0, "slots are at the vCPU's beginning");

void host_load_value(struct jit_code *code, unsigned int reg, size_t offset)
{
	a_load_cpu(code, reg, offset);
}

void host_load(struct jit_code *code, unsigned int reg, unsigned int slot)
{
	a_load_cpu(code, reg, 8 * (size_t)slot);
}

void host_store(struct jit_code *code, unsigned int reg, unsigned int slot)
{
	a_store_cpu(code, reg, 8 * (size_t)slot);
}

_Static_assert(SOFT_BLOCK_OPS * sizeof(struct soft_op) < 4096, "a distance has 12 bits");

void host_move_op(struct jit_code *code, int32_t distance)
{
	if (distance < 0)
		arm64_emit(code, ARM64_sub_imm, 64, A_OP, A_OP, 0, (unsigned int)-distance);
	else
		arm64_emit(code, ARM64_add_imm, 64, A_OP, A_OP, 0, (unsigned int)distance);
}

void host_set_op(struct jit_code *code, const struct soft_op *op)
{
	arm64_move(code, A_OP, (uintptr_t)op);
}

void host_go_to(struct jit_code *code, soft_handler *run)
{
	arm64_move(code, A_TARGET, (uintptr_t)run);
	arm64_emit(code, ARM64_br, 64, 0, A_TARGET, 0, 0);
}

void host_load_field(struct jit_code *code, unsigned int reg, int32_t distance)
{
	arm64_emit(code, ARM64_ldr_x_at, 64, reg, A_OP, 0, (unsigned int)distance / 8);
}

void host_run(struct jit_code *code)
{
	host_load_field(code, A_TARGET, offsetof(struct soft_op, run));
	arm64_emit(code, ARM64_br, 64, 0, A_TARGET, 0, 0);
}

void host_go_to_found(struct jit_code *code, size_t distance)
{
	arm64_emit(code, ARM64_sub_imm, 64, A_TARGET, A_OP, 0, (unsigned int)distance);
	arm64_emit(code, ARM64_ldr_x_at, 64, A_TARGET, A_TARGET, 0, 0);
	arm64_emit(code, ARM64_br, 64, 0, A_TARGET, 0, 0);
}

uint8_t *host_spend(struct jit_code *code, unsigned int count)
{
	arm64_emit(code, ARM64_subs_imm, 64, A_BUDGET, A_BUDGET, 0, count);
	return arm64_jump_if(code, A_LT);
}

uint8_t *host_spend_rest(struct jit_code *code)
{
	arm64_emit(code, ARM64_ldrb_at, 64, A_FIRST, A_OP, 0, offsetof(struct soft_op, rest));
	arm64_emit(code, ARM64_subs, 64, A_BUDGET, A_BUDGET, A_FIRST, 0);
	return arm64_jump_if(code, A_LT);
}

uint8_t *host_unless_run(struct jit_code *code, soft_handler *run, int32_t distance)
{
	arm64_move(code, A_FIRST, (uintptr_t)run);
	host_load_field(code, A_SECOND, distance + (int32_t)offsetof(struct soft_op, run));
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_FIRST, A_SECOND, 0);
	return arm64_jump_if(code, A_NE);
}

uint8_t *host_follow(struct jit_code *code, int32_t distance)
{
	uint8_t *jump;

	host_load_field(code, A_TARGET, distance);
	jump = arm64_jump_zero(code, 64, A_TARGET, true);
	a_copy(code, 64, A_OP, A_TARGET);
	return jump;
}

_Static_assert(sizeof(struct soft_jump) == 16 && SOFT_JUMPS == 65536, "an index of 16 bits");
_Static_assert(offsetof(struct soft_jump, pc) == 0 && offsetof(struct soft_jump, op) == 8,
	       "a pair");

/* X17 is the index. */
static uint8_t *put_probe(struct jit_code *code)
{
	uint8_t *jump;

	a_load_cpu(code, A_SECOND, offsetof(struct soft_cpu, jumps));
	arm64_emit(code, ARM64_add, 64, A_FIRST, A_SECOND, A_FIRST, ARM64_SHIFT(0, 4));
	arm64_emit(code, ARM64_ldp, 64, A_SECOND, A_FIRST, A_THIRD, 0);
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_TARGET, A_SECOND, 0);
	jump = arm64_jump_if(code, A_NE);
	a_copy(code, 64, A_OP, A_THIRD);
	return jump;
}

uint8_t *host_look_up(struct jit_code *code)
{
	arm64_emit(code, ARM64_eor, 64, A_FIRST, A_TARGET, A_TARGET, ARM64_SHIFT(1, 14));
	arm64_emit(code, ARM64_ubfm, 64, A_FIRST, A_FIRST, 0, ARM64_FIELD_OF(2, 17));
	return put_probe(code);
}

uint8_t *host_look_up_at(struct jit_code *code, int32_t distance, unsigned int index)
{
	host_load_field(code, A_TARGET, distance);
	arm64_move(code, A_FIRST, index);
	return put_probe(code);
}

void host_set_pc(struct jit_code *code)
{
	a_store_cpu(code, A_TARGET, offsetof(struct soft_cpu, pc));
}

void host_set_target(struct jit_code *code, unsigned int reg)
{
	a_copy(code, 64, A_TARGET, reg);
}

/*
 * Call the function in X16. Afterwards all is as before, except that the operation is first, and
 * that the budget is the result if result is set.
 */
static void put_call(struct jit_code *code, const struct soft_op *first, bool result)
{
	arm64_emit(code, ARM64_stp_pre, 64, A_BUDGET, A_SP, A_RETURN, (unsigned int)-2);
	arm64_emit(code, ARM64_blr, 64, 0, A_TARGET, 0, 0);
	arm64_emit(code, ARM64_ldp_post, 64, A_BUDGET, A_SP, A_RETURN, 2);
	if (result)
		a_copy(code, 64, A_BUDGET, 0);
	a_copy(code, 64, A_CPU, A_CPU_KEPT);
	host_set_op(code, first);
}

_Static_assert(SOFT_PASS_NOT < -INT64_MAX, "the comparison with 1 overflows");

uint8_t *host_call_stop(struct jit_code *code,
			int64_t (*stop)(struct soft_cpu *, const struct soft_op *, int64_t),
			const struct soft_op *first)
{
	arm64_move(code, A_TARGET, (uintptr_t)stop);
	put_call(code, first, true);
	arm64_emit(code, ARM64_subs_imm, 64, ARM64_ZR, A_BUDGET, 0, 1);
	return arm64_jump_if(code, A_VS);
}

void host_call_vector(struct jit_code *code, soft_vector_function *function,
		      const struct soft_op *first)
{
	arm64_move(code, A_TARGET, (uintptr_t)function);
	put_call(code, first, false);
}

uint8_t *host_if_set(struct jit_code *code, size_t flag)
{
	arm64_emit(code, ARM64_ldrb_at, 64, A_FIRST, A_CPU, 0, (unsigned int)flag);
	return arm64_jump_zero(code, 32, A_FIRST, false);
}

/* They are among the 8 bytes at a multiple of 8. */
uint8_t *host_unless_bits(struct jit_code *code, size_t offset, uint32_t mask, uint32_t value)
{
	const unsigned int shift = 8 * (offset & 7);

	a_load_cpu(code, A_FIRST, offset);
	arm64_move(code, A_SECOND, (uint64_t)mask << shift);
	arm64_emit(code, ARM64_and, 64, A_FIRST, A_FIRST, A_SECOND, 0);
	arm64_move(code, A_SECOND, (uint64_t)value << shift);
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_FIRST, A_SECOND, 0);
	return arm64_jump_if(code, A_NE);
}

void host_set_flag(struct jit_code *code, size_t flag)
{
	arm64_move(code, A_FIRST, 1);
	arm64_emit(code, ARM64_strb_at, 64, A_FIRST, A_CPU, 0, (unsigned int)flag);
}

void host_add(struct jit_code *code, unsigned int reg, int32_t by)
{
	arm64_emit(code, by < 0 ? ARM64_sub_imm : ARM64_add_imm, 64, reg, reg, 0,
		   (unsigned int)(by < 0 ? -by : by));
}

/* It is in the code. */
void host_put_unaligned(struct jit_code *code, struct soft_jit *jit)
{
	(void)code, (void)jit;
}

/* X15 is the page of the entry still. */
uint8_t *host_unless_unaligned(struct jit_code *code, const struct soft_jit *jit, bool write,
			       unsigned int address, unsigned int last)
{
	(void)jit, (void)write;
	arm64_emit(code, ARM64_add_imm, 64, A_THIRD, address, 0, last);
	arm64_emit(code, ARM64_and_imm, 64, A_THIRD, A_THIRD, 0, page_mask(1));
	arm64_emit(code, ARM64_sub, 64, A_THIRD, A_THIRD, A_SECOND, 0);
	arm64_emit(code, ARM64_ldrb_at, 64, A_SECOND, A_FIRST, 0,
		   offsetof(struct soft_tlb_entry, device));
	arm64_emit(code, ARM64_orr, 64, A_THIRD, A_THIRD, A_SECOND, 0);
	arm64_emit(code, ARM64_ldrb_at, 64, A_SECOND, A_CPU, 0,
		   offsetof(struct soft_cpu, all_aligned));
	arm64_emit(code, ARM64_orr, 64, A_THIRD, A_THIRD, A_SECOND, 0);
	return arm64_jump_zero(code, 64, A_THIRD, false);
}

void host_learn(struct jit_code *code, unsigned int place)
{
	a_store_cpu(code, A_THIRD, last_add(place));
	a_copy(code, 64, A_FIRST, A_THIRD);
}

/* A B may be changed into another one while it is executed (Arm ARM B2.2.5). */
uint8_t *host_link(struct jit_code *code)
{
	return arm64_jump(code);
}

void host_set_link(uint8_t *jump, const uint8_t *to)
{
	arm64_set_jump(jump, to);
}

void host_invert(uint8_t *jump)
{
	arm64_invert(jump);
}

void host_here(struct jit_code *code, uint8_t *jump)
{
	arm64_here(code, jump);
}

void host_jump_back(struct jit_code *code, const uint8_t *to)
{
	uint8_t *jump = arm64_jump(code);

	if (!jit_full(code))
		arm64_set_jump(jump, to);
}

static size_t warm_at(size_t member)
{
	return offsetof(struct soft_cpu, warm) + member;
}

uint8_t *host_unless_fetched(struct jit_code *code, uint64_t line)
{
	a_load_cpu(code, A_FIRST, warm_at(offsetof(struct soft_warm, code_lines)));
	arm64_move(code, A_SECOND, line);
	arm64_emit(code, ARM64_ldrb, 32, A_SECOND, A_FIRST, A_SECOND, 0);
	return arm64_jump_zero(code, 32, A_SECOND, true);
}

uint8_t *host_unless_seen(struct jit_code *code, const uint64_t *seen)
{
	arm64_move(code, A_FIRST, (uintptr_t)seen);
	arm64_emit(code, ARM64_ldr_x_at, 64, A_FIRST, A_FIRST, 0, 0);
	a_load_cpu(code, A_SECOND, warm_at(offsetof(struct soft_warm, code_epoch)));
	arm64_emit(code, ARM64_subs, 64, ARM64_ZR, A_FIRST, A_SECOND, 0);
	return arm64_jump_if(code, A_NE);
}

uint8_t *host_if_crosses(struct jit_code *code, unsigned int address, unsigned int bytes)
{
	arm64_emit(code, ARM64_and_imm, 64, A_SECOND, address, 0, 1 << 12 | (MODEL_LINE_SHIFT - 1));
	arm64_emit(code, ARM64_subs_imm, 64, ARM64_ZR, A_SECOND, 0, MODEL_LINE - bytes);
	return arm64_jump_if(code, A_HI);
}

uint8_t *host_unless_line(struct jit_code *code, unsigned int address, bool write)
{
	arm64_emit(code, ARM64_add, 64, A_SECOND, address, A_FIRST, 0);
	arm64_emit(code, ARM64_ubfm, 64, A_SECOND, A_SECOND, 0,
		   ARM64_FIELD_OF(MODEL_LINE_SHIFT, 63));
	a_load_cpu(code, A_THIRD, warm_at(offsetof(struct soft_warm, lines)));
	arm64_emit(code, ARM64_ldrb, 32, A_SECOND, A_THIRD, A_SECOND, 0);
	if (!write)
		return arm64_jump_zero(code, 32, A_SECOND, true);
	arm64_emit(code, ARM64_subs_imm, 32, ARM64_ZR, A_SECOND, 0, MODEL_MODIFIED);
	return arm64_jump_if(code, A_NE);
}

/* A member of the predictor in A_FIRST, of 4 bytes. */
static void load_word(struct jit_code *code, unsigned int reg, size_t offset)
{
	arm64_emit(code, ARM64_ldr_w_at, 32, reg, A_FIRST, 0, (unsigned int)(offset / 4));
}

void host_train(struct jit_code *code, uint64_t pc, bool taken)
{
	a_load_cpu(code, A_FIRST, warm_at(offsetof(struct soft_warm, branch)));
	load_word(code, A_SECOND, offsetof(struct model_branch, history));
	arm64_move(code, A_THIRD, pc >> 2 & 0xffff);
	arm64_emit(code, ARM64_eor, 32, A_THIRD, A_THIRD, A_SECOND, 0);
	load_word(code, A_TARGET, offsetof(struct model_branch, counter_mask));
	arm64_emit(code, ARM64_and, 32, A_THIRD, A_THIRD, A_TARGET, 0);
	arm64_emit(code, ARM64_ldr_x_at, 64, A_TARGET, A_FIRST, 0,
		   offsetof(struct model_branch, counters) / 8);
	arm64_emit(code, ARM64_add, 64, A_TARGET, A_TARGET, A_THIRD, 0);
	arm64_emit(code, ARM64_ldrb_at, 32, A_THIRD, A_TARGET, 0, 0);
	if (taken) { /* one more, below 3 */
		arm64_emit(code, ARM64_subs_imm, 32, ARM64_ZR, A_THIRD, 0, 3);
		arm64_emit(code, ARM64_csinc, 32, A_THIRD, A_THIRD, A_THIRD, A_CS);
	} else { /* one less, above 0 */
		arm64_emit(code, ARM64_subs_imm, 32, A_THIRD, A_THIRD, 0, 1);
		arm64_emit(code, ARM64_csel, 32, A_THIRD, A_THIRD, ARM64_ZR, A_CS);
	}
	arm64_emit(code, ARM64_strb, 32, A_THIRD, A_TARGET, ARM64_ZR, 0);
	arm64_emit(code, ARM64_add, 32, A_SECOND, A_SECOND, A_SECOND, 0);
	if (taken)
		arm64_emit(code, ARM64_add_imm, 32, A_SECOND, A_SECOND, 0, 1);
	load_word(code, A_THIRD, offsetof(struct model_branch, history_mask));
	arm64_emit(code, ARM64_and, 32, A_SECOND, A_SECOND, A_THIRD, 0);
	arm64_emit(code, ARM64_str_w_at, 32, A_SECOND, A_FIRST, 0,
		   offsetof(struct model_branch, history) / 4);
}

void host_get_pc(struct jit_code *code)
{
	a_load_cpu(code, A_TARGET, offsetof(struct soft_cpu, pc));
}

#endif

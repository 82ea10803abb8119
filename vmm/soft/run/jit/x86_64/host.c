/* SPDX-License-Identifier: BSD-2-Clause */
/* The translator's interface to a host, on x86-64: see host.h, and operands.h for the registers. */
#include "soft/run/jit/x86_64/operands.h"

#if SOFT_JIT

#include <cpuid.h>

/* Called functions preserve the first five. */
const uint8_t host_pool[] = {RBX, R12, R13, R14, R15, R8, R9, R10};
const unsigned int host_pool_size = sizeof(host_pool) / sizeof(host_pool[0]);

/* Handlers leave RBP and the like alone; generated code uses them. */
void host_put_entry(struct jit_code *code)
{
	static const uint8_t kept[] = {RBX, RBP, R12, R13, R14, R15};
	const size_t count = sizeof(kept) / sizeof(kept[0]);

	for (size_t n = 0; n < count; n++)
		x86_push(code, kept[n]);
	x86_emit(code, X86_sub_imm8, 64, 0, x86_reg(RSP), 8);
	x86_emit(code, X86_mov_to, 64, RDI, x86_reg(RBP), 0);
	x86_emit(code, X86_call, 64, 0, x86_at(RSI, offsetof(struct soft_op, run)), 0);
	x86_emit(code, X86_add_imm8, 64, 0, x86_reg(RSP), 8);
	for (size_t n = count; n > 0; n--)
		x86_pop(code, kept[n - 1]);
	x86_ret(code);
}

/* MXCSR without its flags: no exception is unmasked, nothing is flushed, RC is to nearest. */
#define MXCSR_CONTROL 0xffc0
#define MXCSR_USUAL   0x1f80

/* CPUID.80000001H:ECX[5] and [0], which clang before 17 has no name for. */
void host_probe(struct soft_jit *jit)
{
	unsigned int a, b, c = 0, d;

	if (!__get_cpuid(0x80000001, &a, &b, &c, &d))
		c = 0;
	jit->lzcnt = c >> 5 & 1;
	jit->lahf = c & 1;
	jit->bmi = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	jit->sse4 = __builtin_cpu_supports("sse4.2");
	jit->fma = __builtin_cpu_supports("fma");
	jit->rounds = (__builtin_ia32_stmxcsr() & MXCSR_CONTROL) == MXCSR_USUAL;
}

/* The processor notices by itself what is written. */
void host_written(const uint8_t *executable, size_t size)
{
	(void)executable, (void)size;
}

void host_enter(struct jit_code *code)
{
	x86_emit(code, X86_mov, 64, RDI, x86_at(RBP, offsetof(struct soft_cpu, tlb)), 0);
}

static void put_vcpu(struct jit_code *code)
{
	x86_emit(code, X86_mov, 64, RDI, x86_reg(RBP), 0);
}

static struct x86_operand slot_at(unsigned int slot)
{
	return x86_at(RBP, (int32_t)(offsetof(struct soft_cpu, x) + 8 * slot));
}

void host_load_value(struct jit_code *code, unsigned int reg, size_t offset)
{
	x86_emit(code, X86_mov, 64, reg, x86_at(RBP, (int32_t)offset), 0);
}

void host_load(struct jit_code *code, unsigned int reg, unsigned int slot)
{
	x86_emit(code, X86_mov, 64, reg, slot_at(slot), 0);
}

void host_store(struct jit_code *code, unsigned int reg, unsigned int slot)
{
	x86_emit(code, X86_mov_to, 64, reg, slot_at(slot), 0);
}

void host_move_op(struct jit_code *code, int32_t distance)
{
	if (distance < 0)
		x86_emit(code, X86_sub_imm32, 64, 0, x86_reg(RSI), -distance);
	else
		x86_emit(code, X86_add_imm32, 64, 0, x86_reg(RSI), distance);
}

void host_set_op(struct jit_code *code, const struct soft_op *op)
{
	x86_move(code, RSI, (uintptr_t)op);
}

void host_go_to(struct jit_code *code, soft_handler *run)
{
	put_vcpu(code);
	x86_move(code, RAX, (uintptr_t)run);
	x86_emit(code, X86_jmp, 64, 0, x86_reg(RAX), 0);
}

void host_run(struct jit_code *code)
{
	put_vcpu(code);
	x86_emit(code, X86_jmp, 64, 0, x86_at(RSI, offsetof(struct soft_op, run)), 0);
}

void host_go_to_found(struct jit_code *code, size_t distance)
{
	x86_emit(code, X86_jmp, 64, 0, x86_at(RSI, -(int32_t)distance), 0);
}

uint8_t *host_spend(struct jit_code *code, unsigned int count)
{
	x86_emit(code, X86_sub_imm8, 64, 0, x86_reg(RDX), (int32_t)count);
	return x86_jump_if(code, X86_L);
}

uint8_t *host_spend_rest(struct jit_code *code)
{
	x86_emit(code, X86_movzx8, 32, RCX, x86_at(RSI, offsetof(struct soft_op, rest)), 0);
	x86_emit(code, X86_sub_to, 64, RCX, x86_reg(RDX), 0);
	return x86_jump_if(code, X86_L);
}

uint8_t *host_unless_run(struct jit_code *code, soft_handler *run, int32_t distance)
{
	x86_move(code, RCX, (uintptr_t)run);
	x86_emit(code, X86_cmp_to, 64, RCX,
		 x86_at(RSI, distance + (int32_t)offsetof(struct soft_op, run)), 0);
	return x86_jump_if(code, X86_NE);
}

uint8_t *host_follow(struct jit_code *code, int32_t distance)
{
	uint8_t *jump;

	x86_emit(code, X86_mov, 64, RAX, x86_at(RSI, distance), 0);
	x86_emit(code, X86_test_to, 64, RAX, x86_reg(RAX), 0);
	jump = x86_jump_if(code, X86_E);
	x86_emit(code, X86_mov_to, 64, RAX, x86_reg(RSI), 0);
	return jump;
}

_Static_assert(sizeof(struct soft_jump) == 16, "an index is shifted by four");

uint8_t *host_look_up(struct jit_code *code)
{
	uint8_t *jump;

	x86_emit(code, X86_mov_to, 32, RAX, x86_reg(RCX), 0);
	x86_emit(code, X86_shr_imm8, 32, 0, x86_reg(RCX), 14);
	x86_emit(code, X86_xor_to, 32, RAX, x86_reg(RCX), 0);
	x86_emit(code, X86_shl_imm8, 32, 0, x86_reg(RCX), 2);
	x86_emit(code, X86_and_imm32, 32, 0, x86_reg(RCX), (SOFT_JUMPS - 1) << 4);
	x86_emit(code, X86_add, 64, RCX, x86_at(RBP, offsetof(struct soft_cpu, jumps)), 0);
	x86_emit(code, X86_cmp, 64, RAX, x86_at(RCX, offsetof(struct soft_jump, pc)), 0);
	jump = x86_jump_if(code, X86_NE);
	x86_emit(code, X86_mov, 64, RSI, x86_at(RCX, offsetof(struct soft_jump, op)), 0);
	return jump;
}

uint8_t *host_look_up_at(struct jit_code *code, int32_t distance, unsigned int index)
{
	const int32_t place = (int32_t)(index * sizeof(struct soft_jump));
	uint8_t *jump;

	host_load_field(code, RAX, distance);
	x86_emit(code, X86_mov, 64, RCX, x86_at(RBP, offsetof(struct soft_cpu, jumps)), 0);
	x86_emit(code, X86_cmp, 64, RAX,
		 x86_at(RCX, place + (int32_t)offsetof(struct soft_jump, pc)), 0);
	jump = x86_jump_if(code, X86_NE);
	x86_emit(code, X86_mov, 64, RSI,
		 x86_at(RCX, place + (int32_t)offsetof(struct soft_jump, op)), 0);
	return jump;
}

void host_set_pc(struct jit_code *code)
{
	x86_emit(code, X86_mov_to, 64, RAX, x86_at(RBP, offsetof(struct soft_cpu, pc)), 0);
}

void host_set_target(struct jit_code *code, unsigned int reg)
{
	x86_emit(code, X86_mov, 64, RAX, x86_reg(reg), 0);
}

void host_load_field(struct jit_code *code, unsigned int reg, int32_t distance)
{
	x86_emit(code, X86_mov, 64, reg, x86_at(RSI, distance), 0);
}

_Static_assert(SOFT_PASS_NOT < -INT64_MAX, "the comparison with 1 overflows");

uint8_t *host_call_stop(struct jit_code *code,
			int64_t (*stop)(struct soft_cpu *, const struct soft_op *, int64_t),
			const struct soft_op *first)
{
	put_vcpu(code);
	x86_emit(code, X86_sub_imm8, 64, 0, x86_reg(RSP), 8);
	x86_move(code, RAX, (uintptr_t)stop);
	x86_emit(code, X86_call, 64, 0, x86_reg(RAX), 0);
	x86_emit(code, X86_add_imm8, 64, 0, x86_reg(RSP), 8);
	x86_emit(code, X86_mov, 64, RDX, x86_reg(RAX), 0);
	host_enter(code);
	host_set_op(code, first);
	x86_emit(code, X86_cmp_imm8, 64, 0, x86_reg(RDX), 1); /* the one less than which is not */
	return x86_jump_if(code, X86_O);
}

void host_call_vector(struct jit_code *code, soft_vector_function *function,
		      const struct soft_op *first)
{
	put_vcpu(code);
	x86_push(code, RDX);
	x86_move(code, RAX, (uintptr_t)function);
	x86_emit(code, X86_call, 64, 0, x86_reg(RAX), 0);
	x86_pop(code, RDX);
	host_enter(code);
	host_set_op(code, first);
}

uint8_t *host_if_set(struct jit_code *code, size_t flag)
{
	x86_emit(code, X86_cmp8_imm8, 32, 0, x86_at(RBP, (int32_t)flag), 0);
	return x86_jump_if(code, X86_NE);
}

uint8_t *host_unless_bits(struct jit_code *code, size_t offset, uint32_t mask, uint32_t value)
{
	x86_emit(code, X86_mov, 32, R11, x86_at(RBP, (int32_t)offset), 0);
	if (mask != UINT32_MAX)
		x86_emit(code, X86_and_imm32, 32, 0, x86_reg(R11), (int32_t)mask);
	x86_emit(code, X86_cmp_imm32, 32, 0, x86_reg(R11), (int32_t)value);
	return x86_jump_if(code, X86_NE);
}

void host_set_flag(struct jit_code *code, size_t flag)
{
	x86_move(code, R11, 1);
	x86_emit(code, X86_mov_to8, 32, R11, x86_at(RBP, (int32_t)flag), 0);
}

void host_add(struct jit_code *code, unsigned int reg, int32_t by)
{
	x86_emit(code, X86_add_imm32, 64, 0, x86_reg(reg), by);
}

/*
 * Checks the address of an access's last byte, in R11, and its entry. ZF: the access may be made.
 */
static const uint8_t *put_unaligned(struct jit_code *code, size_t side)
{
	const uint8_t *begin = code->at;
	uint8_t *other, *device;

	x86_emit(code, X86_and_imm32, 64, 0, x86_reg(R11), (int32_t)SOFT_PAGE_MASK);
	x86_emit(code, X86_cmp, 64, R11, entry_at(side), 0);
	other = x86_jump_if(code, X86_NE);
	x86_emit(code, X86_cmp8_imm8, 32, 0, entry_at(offsetof(struct soft_tlb_entry, device)), 0);
	device = x86_jump_if(code, X86_NE);
	x86_emit(code, X86_cmp8_imm8, 32, 0, x86_at(RBP, offsetof(struct soft_cpu, all_aligned)),
		 0);
	x86_here(code, other);
	x86_here(code, device);
	x86_ret(code);
	return begin;
}

void host_put_unaligned(struct jit_code *code, struct soft_jit *jit)
{
	jit->unaligned[0] = put_unaligned(code, offsetof(struct soft_tlb_entry, read));
	jit->unaligned[1] = put_unaligned(code, offsetof(struct soft_tlb_entry, write));
}

uint8_t *host_unless_unaligned(struct jit_code *code, const struct soft_jit *jit, bool write,
			       unsigned int address, unsigned int last)
{
	x86_emit(code, X86_lea, 64, R11, x86_at(address, (int32_t)last), 0);
	x86_call(code, jit->unaligned[write]);
	return x86_jump_if(code, X86_NE);
}

void host_learn(struct jit_code *code, unsigned int place)
{
	x86_emit(code, X86_mov_to, 64, R11, last_add(place), 0);
	x86_emit(code, X86_mov, 64, RCX, x86_reg(R11), 0);
}

/* Its last four bytes, which are changed at once, must be in one line of the cache. */
uint8_t *host_link(struct jit_code *code)
{
	const uintptr_t place = ((uintptr_t)code->at + 1) % 64;

	if (place > 60)
		x86_nop(code, (unsigned int)(64 - place));
	return x86_jump(code);
}

void host_set_link(uint8_t *jump, const uint8_t *to)
{
	x86_set_jump(jump, to);
}

void host_invert(uint8_t *jump)
{
	x86_invert(jump);
}

void host_here(struct jit_code *code, uint8_t *jump)
{
	x86_here(code, jump);
}

void host_jump_back(struct jit_code *code, const uint8_t *to)
{
	x86_jump_back(code, to);
}

static struct x86_operand warm_at(size_t member)
{
	return x86_at(RBP, (int32_t)(offsetof(struct soft_cpu, warm) + member));
}

uint8_t *host_unless_fetched(struct jit_code *code, uint64_t line)
{
	x86_emit(code, X86_mov, 64, R11, warm_at(offsetof(struct soft_warm, code_lines)), 0);
	x86_emit(code, X86_cmp8_imm8, 32, 0, x86_at(R11, (int32_t)line), 0);
	return x86_jump_if(code, X86_E);
}

uint8_t *host_unless_seen(struct jit_code *code, const uint64_t *seen)
{
	x86_move(code, R11, (uintptr_t)seen);
	x86_emit(code, X86_mov, 64, RCX, warm_at(offsetof(struct soft_warm, code_epoch)), 0);
	x86_emit(code, X86_cmp, 64, RCX, x86_at(R11, 0), 0);
	return x86_jump_if(code, X86_NE);
}

uint8_t *host_if_crosses(struct jit_code *code, unsigned int address, unsigned int bytes)
{
	x86_emit(code, X86_mov, 32, R11, x86_reg(address), 0);
	x86_emit(code, X86_and_imm8, 32, 0, x86_reg(R11), 63);
	x86_emit(code, X86_cmp_imm8, 32, 0, x86_reg(R11), (int32_t)(64 - bytes));
	return x86_jump_if(code, X86_A);
}

uint8_t *host_unless_line(struct jit_code *code, unsigned int address, bool write)
{
	x86_emit(code, X86_lea, 64, R11, x86_indexed(address, RCX, 0), 0);
	x86_emit(code, X86_shr_imm8, 64, 0, x86_reg(R11), MODEL_LINE_SHIFT);
	x86_emit(code, X86_add, 64, R11, warm_at(offsetof(struct soft_warm, lines)), 0);
	x86_emit(code, X86_cmp8_imm8, 32, 0, x86_at(R11, 0), write ? MODEL_MODIFIED : 0);
	return x86_jump_if(code, write ? X86_NE : X86_E);
}

/* Counters saturate: the carry of a comparison with the limit is what is added or taken back. */
void host_train(struct jit_code *code, uint64_t pc, bool taken)
{
	const struct x86_operand history = x86_at(R11, offsetof(struct model_branch, history));

	x86_emit(code, X86_mov, 64, R11, warm_at(offsetof(struct soft_warm, branch)), 0);
	x86_emit(code, X86_mov, 32, RCX, history, 0);
	x86_emit(code, X86_mov, 32, RAX, x86_reg(RCX), 0);
	x86_emit(code, X86_xor_imm32, 32, 0, x86_reg(RAX), (int32_t)(pc >> 2 & 0xffff));
	x86_emit(code, X86_and, 32, RAX, x86_at(R11, offsetof(struct model_branch, counter_mask)),
		 0);
	x86_emit(code, X86_add, 64, RAX, x86_at(R11, offsetof(struct model_branch, counters)), 0);
	x86_emit(code, taken ? X86_cmp8_imm8 : X86_sub8_imm8, 32, 0, x86_at(RAX, 0), taken ? 3 : 1);
	x86_emit(code, X86_adc8_imm8, 32, 0, x86_at(RAX, 0), 0);
	x86_emit(code, X86_lea, 32, RCX, x86_indexed(RCX, RCX, taken), 0);
	x86_emit(code, X86_and, 32, RCX, x86_at(R11, offsetof(struct model_branch, history_mask)),
		 0);
	x86_emit(code, X86_mov_to, 32, RCX, history, 0);
}

void host_get_pc(struct jit_code *code)
{
	x86_emit(code, X86_mov, 64, RAX, x86_at(RBP, offsetof(struct soft_cpu, pc)), 0);
}

#endif

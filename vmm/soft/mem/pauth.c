/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of FEAT_PAuth: see pauth.h. */
#include "soft/mem/pauth.h"

#include "soft/mem/memory.h"
#include "soft/sys/pauth.h"

/* May a key be used here, if it is enabled? false: cpu->fault is the trap. */
static bool use_key(struct soft_cpu *cpu, enum soft_key_name name, bool *enabled)
{
	const unsigned int level = soft_key_trap(&cpu->sys);

	*enabled = soft_key_enabled(&cpu->sys, name);
	if (!*enabled || level == 0)
		return true;
	cpu->fault = (struct soft_exception){.ec = ARM_EC_PAUTH, .target_el = (uint8_t)level};
	return false;
}

static bool authenticate(struct soft_cpu *cpu, uint64_t *pointer, uint64_t modifier,
			 enum soft_key_name name, bool combined)
{
	bool enabled;

	if (!use_key(cpu, name, &enabled))
		return false;
	if (!enabled || soft_authenticate(&cpu->sys, pointer, modifier, name, combined))
		return true;
	cpu->fault = (struct soft_exception){.ec = ARM_EC_PAC_FAIL, .iss = (uint32_t)name};
	return false;
}

bool soft_op_authenticate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const enum soft_key_name name = op->aux & 3;
	const uint64_t modifier = cpu->x[op->rn];
	uint64_t pointer = cpu->x[op->rm];
	bool enabled;

	if (op->aux & SOFT_AUTHENTICATE) {
		if (!authenticate(cpu, &pointer, modifier, name, false))
			return false;
	} else {
		if (!use_key(cpu, name, &enabled))
			return false;
		if (enabled)
			pointer = soft_sign(&cpu->sys, pointer, modifier, name);
	}
	cpu->x[op->rd] = pointer;
	return true;
}

bool soft_op_strip(struct soft_cpu *cpu, const struct soft_op *op)
{
	cpu->x[op->rd] = soft_strip(&cpu->sys, cpu->x[op->rm], op->aux);
	return true;
}

bool soft_op_sign_generic(struct soft_cpu *cpu, const struct soft_op *op)
{
	bool enabled;

	if (!use_key(cpu, SOFT_KEY_GA, &enabled))
		return false;
	cpu->x[op->rd] = soft_sign_generic(&cpu->sys, cpu->x[op->rn], cpu->x[op->rm]);
	return true;
}

/* S:imm9, in doublewords. */
static uint64_t load_offset(uint32_t word)
{
	const struct a64_load_authenticated f = a64_get_load_authenticated(word);

	return (f.low - (uint64_t)f.sign * 512) * 8;
}

static enum soft_key_name load_key(uint32_t word)
{
	return a64_get_load_authenticated(word).b ? SOFT_KEY_DB : SOFT_KEY_DA;
}

uint64_t soft_authenticated_address(const struct soft_cpu *cpu, const struct soft_op *op)
{
	const enum soft_key_name name = load_key(op->word);
	uint64_t base = cpu->x[op->rn];

	if (soft_key_enabled(&cpu->sys, name))
		(void)soft_authenticate(&cpu->sys, &base, 0, name, true);
	return base + load_offset(op->word);
}

/*
 * If Rt is the base that is written back, the base is written last: the architecture leaves a
 * choice.
 */
bool soft_op_load_authenticated(struct soft_cpu *cpu, const struct soft_op *op)
{
	uint64_t base = cpu->x[op->rn], value = 0;
	struct soft_bytes bytes = {.size = 8, .element = 8, .data = (uint8_t *)&value};

	if (!authenticate(cpu, &base, 0, load_key(op->word), true) || !soft_check_sp(cpu, op->rn))
		return false;
	bytes.va = base + load_offset(op->word);
	if (!soft_move_bytes(cpu, &bytes))
		return false;
	cpu->x[op->rd] = value;
	if (a64_get_load_authenticated(op->word).pre)
		cpu->x[op->rn] = bytes.va;
	return true;
}

bool soft_authenticate_branch(struct soft_cpu *cpu, const struct soft_op *op)
{
	uint64_t target = cpu->x[op->rn];

	if (!authenticate(cpu, &target, cpu->x[op->rm], op->ra ? SOFT_KEY_IB : SOFT_KEY_IA, true))
		return false;
	cpu->pc = target;
	return true;
}

bool soft_authenticate_return(struct soft_cpu *cpu, uint64_t *target, unsigned int b)
{
	return authenticate(cpu, target, cpu->x[SOFT_X_SP], b ? SOFT_KEY_IB : SOFT_KEY_IA, true);
}

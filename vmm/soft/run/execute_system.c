/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations that change more than registers and memory, and synchronous exceptions, between
 * two runs of the fast loop: calls, returns, waits, system instructions (Arm ARM C6.2, D1.3).
 */
#include "a64/a64.h"
#include "arm/missing.h"
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "soft/run/execute.h"
#include "soft/mem/pauth.h"
#include "soft/run/system.h"
#include "soft/mem/memory.h"
#include "soft/mem/tlb.h"

#include <inttypes.h>
#include <stdio.h>

static void leave_run(struct soft_cpu *cpu, enum engine_exit_reason reason)
{
	cpu->loop.exit->reason = reason;
	cpu->loop.exiting = true;
}

/* The exception that was just taken. */
static void note_cause(struct soft_cpu *cpu, uint64_t pc, uint8_t from)
{
	const uint8_t to = cpu->sys.pstate.el;

	cpu->end.stuck_by = (struct soft_cause){
		.pc = pc, .esr = cpu->sys.esr[to], .far = cpu->sys.far[to], .el = from, .to = to};
}

/* The first exception killed the guest; those of the vector follow from it. */
static void say_stuck(struct soft_cpu *cpu)
{
	const struct soft_cause *by = &cpu->end.stuck_by;
	const unsigned int el = cpu->sys.pstate.el;
	char first[160] = "";

	if (by->pc != cpu->pc)
		snprintf(first, sizeof(first),
			 "%s at PC 0x%" PRIx64 " EL%u (ESR_EL%u 0x%" PRIx64 ", FAR_EL%u 0x%" PRIx64
			 "), and ",
			 arm_syndrome_name(by->esr), by->pc, by->el, by->to, by->esr, by->to,
			 by->far);
	snprintf(cpu->loop.exit->why, sizeof(cpu->loop.exit->why),
		 "%sthe exception vector at 0x%" PRIx64
		 " generates an exception itself (ESR_EL%u 0x%" PRIx64 ", FAR_EL%u 0x%" PRIx64 ")",
		 first, cpu->pc, el, cpu->sys.esr[el], el, cpu->sys.far[el]);
}

/*
 * If the exception's vector is at the address that generated it, and nothing was executed since the
 * last time, this will go on for ever.
 */
void soft_take_fault(struct soft_cpu *cpu)
{
	const struct soft_exception fault = cpu->fault;
	const uint64_t pc = cpu->pc;
	const uint8_t from = cpu->sys.pstate.el;

	cpu->at = NULL;
	soft_take_exception(cpu, &fault, pc);
	soft_context_changed(cpu);
	if (cpu->pc != pc || cpu->ops - cpu->end.stuck_ops > 1) {
		cpu->end.stuck = 0;
		note_cause(cpu, pc, from);
	}
	cpu->end.stuck_ops = cpu->ops;
	if (cpu->pc != pc || ++cpu->end.stuck < 2)
		return;
	say_stuck(cpu);
	leave_run(cpu, ENGINE_EXIT_LOST);
}

void soft_note_undefined(struct soft_cpu *cpu, uint64_t pc, uint32_t word)
{
	const unsigned int el = cpu->sys.pstate.el;
	struct soft_storm *storm = &cpu->end.storm;

	if (cpu->sys.esr[el] >> 26 != ARM_EC_UNKNOWN)
		return;
	if (storm->count == 0 || cpu->ops - storm->last > SOFT_STORM_APART)
		*storm = (struct soft_storm){
			.pc = pc,
			.word = word,
			.el = (uint8_t)arm_field(cpu->sys.spsr[el], SPSR_ELx_EL),
		};
	storm->count++;
	storm->last = cpu->ops;
}

bool soft_describe_storm(const struct soft_cpu *cpu, char *text, size_t size)
{
	const struct soft_storm *storm = &cpu->end.storm;
	const char *feature = arm_missing_feature(storm->word);

	if (storm->count < SOFT_STORM_MIN || cpu->ops - storm->last > SOFT_STORM_APART)
		return false;
	snprintf(text, size,
		 "vCPU %u has taken %" PRIu64
		 " UNDEFINED exceptions in a row, the first for 0x%08" PRIx32 " at PC 0x%" PRIx64
		 " EL%u%s%s",
		 cpu->index, storm->count, storm->word, storm->pc, storm->el,
		 feature ? ", which needs " : "", feature ? feature : "");
	return true;
}

static bool take_undefined(struct soft_cpu *cpu)
{
	cpu->fault = (struct soft_exception){.ec = ARM_EC_UNKNOWN};
	soft_take_fault(cpu);
	return false;
}

/*
 * until: the register of WFET and WFIT, or -1. The machine lets these go on as it does WFE, which
 * may be before their time (Arm ARM D1.7), so that it needs to know nothing of the time.
 */
static bool wait_for_event(struct soft_cpu *cpu, bool wfe, int until)
{
	bool awake = wfe ? cpu->loop.event : soft_wakes(&cpu->sys);

	if (wfe)
		cpu->loop.event = false;
	if (!awake && until >= 0)
		awake = soft_timed_out(cpu, until == 31 ? 0 : cpu->x[until]);
	if (!awake) {
		if (soft_wait_trap(cpu, wfe, until) != SOFT_DONE)
			return false;
		if (!soft_may(cpu, wfe ? SOFT_MAY_WFE_END : SOFT_MAY_WFI_END))
			leave_run(cpu, wfe || until >= 0 ? ENGINE_EXIT_WFE : ENGINE_EXIT_WFI);
	}
	cpu->pc += 4;
	return true;
}

static void send_event(struct soft_cpu *cpu, bool everywhere)
{
	for (unsigned int n = 0; n < cpu->vm->count; n++) {
		struct soft_cpu *to = cpu->vm->cpus[n];

		if (to && (everywhere || to == cpu))
			to->loop.event = true;
	}
	cpu->pc += 4;
}

static bool system_instruction(struct soft_cpu *cpu, const struct soft_op *op)
{
	cpu->sys.nvmem.accessed = false;
	if (soft_system_instruction(cpu, op->word) != SOFT_DONE)
		return false;
	if (op->aux != SOFT_REPEAT_NOT && !cpu->sys.nvmem.accessed) {
		cpu->repeats[op->aux] = true;
		cpu->repeat_values[op->aux] = cpu->x[op->rd];
	}
	cpu->pc += 4;
	return true;
}

static bool take_exception(struct soft_cpu *cpu, const struct soft_exception *exception,
			   uint64_t elr)
{
	soft_take_exception(cpu, exception, elr);
	return false;
}

/* SVC, HVC, SMC: carry out what soft_svc_call() and so on say. */
static bool call_instruction(struct soft_cpu *cpu, uint32_t word, enum arm_ec ec,
			     enum soft_call outcome)
{
	struct soft_exception exception = {.ec = (uint8_t)ec, .iss = a64_imm16(word)};

	switch (outcome) {
	case SOFT_CALL_TRAPPED:
		exception.target_el = 2;
		return take_exception(cpu, &exception, cpu->pc);
	case SOFT_CALL_TAKEN:
		/* the step is over before the exception saves PSTATE */
		if (soft_step_active(&cpu->sys))
			cpu->sys.pstate.ss = false;
		return take_exception(cpu, &exception, cpu->pc + 4);
	case SOFT_CALL_MACHINE:
		cpu->pc += 4;
		cpu->loop.exit->call_imm = (uint16_t)exception.iss;
		leave_run(cpu, ec == ARM_EC_HVC ? ENGINE_EXIT_HVC : ENGINE_EXIT_SMC);
		return true;
	default: return take_undefined(cpu);
	}
}

static bool breakpoint_instruction(struct soft_cpu *cpu, uint32_t word)
{
	const struct soft_exception exception = {.ec = ARM_EC_BRK, .iss = a64_imm16(word)};

	return take_exception(cpu, &exception, cpu->pc);
}

/* ERETAA and ERETAB authenticate the return address. */
static bool exception_return(struct soft_cpu *cpu, uint32_t word)
{
	const bool authenticates = word != A64_WORD_ERET;
	const unsigned int b = a64_get_branch_authenticated(word).b;
	const struct soft_exception trap = {
		.ec = ARM_EC_ERET, .target_el = 2, .iss = authenticates ? 2 | b : 0};
	uint64_t target = cpu->sys.elr[cpu->sys.pstate.el];

	switch (soft_eret_call(&cpu->sys)) {
	case SOFT_CALL_ALLOWED: break;
	case SOFT_CALL_TRAPPED: return take_exception(cpu, &trap, cpu->pc);
	default: return take_undefined(cpu);
	}
	if (authenticates && !soft_authenticate_return(cpu, &target, b))
		return take_exception(cpu, &cpu->fault, cpu->pc);
	soft_exception_return(cpu, target);
	cpu->loop.event = true;
	cpu->loop.stepped = false;
	return true;
}

static bool profiling_barrier(struct soft_cpu *cpu)
{
	struct spe_unit *spe = cpu->sys.spe;
	struct soft_exception trap = {.target_el = 2};
	struct spe_syndrome syndrome;

	if (spe && spe_psb_csync_trapped(spe, cpu->sys.hfgitr_el2, &syndrome)) {
		trap.ec = syndrome.ec;
		trap.iss = syndrome.iss;
		return take_exception(cpu, &trap, cpu->pc);
	}
	/*
	 * Every record was written when its operation was sampled, but a fault may still be
	 * waiting.
	 */
	if (spe) {
		spe_synchronize(spe);
		cpu->attention |= SOFT_ATTENTION_IRQ;
	}
	cpu->pc += 4;
	return true;
}

bool soft_execute_system(struct soft_cpu *cpu, const struct soft_op *op)
{
	switch (op->imm) {
	case A64_SVC: return call_instruction(cpu, op->word, ARM_EC_SVC, soft_svc_call(&cpu->sys));
	case A64_HVC: return call_instruction(cpu, op->word, ARM_EC_HVC, soft_hvc_call(&cpu->sys));
	case A64_SMC: return call_instruction(cpu, op->word, ARM_EC_SMC, soft_smc_call(&cpu->sys));
	case A64_BRK: return breakpoint_instruction(cpu, op->word);
	case A64_ERET:
	case A64_ERETAA: return exception_return(cpu, op->word);
	case A64_WFI: return wait_for_event(cpu, false, -1);
	case A64_WFE: return wait_for_event(cpu, true, -1);
	case A64_WFIT: return wait_for_event(cpu, false, (int)a64_rt(op->word));
	case A64_WFET: return wait_for_event(cpu, true, (int)a64_rt(op->word));
	case A64_SEV: send_event(cpu, true); return true;
	case A64_SEVL: send_event(cpu, false); return true;
	case A64_PSB_CSYNC: return profiling_barrier(cpu);
	case A64_MSR_SPSEL:
	case A64_MSR_DAIFSET:
	case A64_MSR_DAIFCLR:
	case A64_MSR_PAN:
	case A64_MSR_UAO:
	case A64_MSR_DIT:
	case A64_MSR_SSBS:
	case A64_MSR_PM:
	case A64_DC_ZVA:
	case A64_SYS:
	case A64_SYSL:
	case A64_MSR:
	case A64_MRS: return system_instruction(cpu, op);
	default: /* HLT, DCPSn and DRPS outside Debug state, unallocated words */
		return take_undefined(cpu);
	}
}

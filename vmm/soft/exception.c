/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exception entry to EL1 and return from it, for an implementation in which EL1 is the highest
 * Exception level (Arm ARM D1.3, D1.4), with software step (D2.12) and trapped waits.
 */
#include "soft/mmu.h"
#include "soft/sys_private.h"

/* SPSR_EL1 in AArch64 state. */
#define SPSR_PAN     (UINT64_C(1) << 22)
#define SPSR_SS	     (UINT64_C(1) << 21)
#define SPSR_IL	     (UINT64_C(1) << 20)
#define SPSR_AARCH32 (UINT64_C(1) << 4)

/* Vector offsets: the kind of exception, and where it comes from. */
#define VECTOR_SYNC	0x000
#define VECTOR_IRQ	0x080
#define VECTOR_FIQ	0x100
#define VECTOR_SERROR	0x180
#define VECTOR_FROM_SP0 0x000
#define VECTOR_FROM_SPX 0x200
#define VECTOR_FROM_EL0 0x400

static uint64_t *sp_bank(struct soft_sys *sys)
{
	return sys->pstate.el == 0 || !sys->pstate.sp ? &sys->sp[0] : &sys->sp[1];
}

void soft_set_mode(struct soft_cpu *cpu, unsigned int el, bool sp)
{
	struct soft_sys *sys = soft_sys(cpu);
	bool moved = sys->pstate.el != el;

	*sp_bank(sys) = *soft_sp(cpu);
	sys->pstate.el = (uint8_t)el;
	sys->pstate.sp = sp;
	*soft_sp(cpu) = *sp_bank(sys);
	if (!moved)
		return;
	sys->controls.el = (uint8_t)el;
	if (sys->spe)
		spe_update(sys->spe, &sys->controls);
}

static uint64_t current_spsr(struct soft_cpu *cpu)
{
	const struct soft_pstate *pstate = &soft_sys(cpu)->pstate;

	return (soft_get_nzcv(cpu) & UINT64_C(0xf0000000)) | (pstate->pan ? SPSR_PAN : 0) |
	       (pstate->ss ? SPSR_SS : 0) | (pstate->il ? SPSR_IL : 0) |
	       (uint64_t)pstate->daif << 6 | (uint64_t)pstate->el << 2 | (pstate->sp & 1u);
}

/* The program flow is about to go to va at el. Before soft_set_mode(), which moves the unit there.
 */
static void tell_flow(struct soft_sys *sys, enum spe_branch_kind kind, uint64_t va, unsigned int el)
{
	const struct spe_target target = {.va = va, .el = (uint8_t)el, .ns = true};

	if (sys->spe)
		spe_branch(sys->spe, kind, &target);
}

/* The vCPU is at the vector afterwards; ESR_EL1 and FAR_EL1 are the caller's. */
static void enter(struct soft_cpu *cpu, unsigned int vector, uint64_t elr)
{
	struct soft_sys *sys = soft_sys(cpu);
	unsigned int from = VECTOR_FROM_EL0;
	uint64_t to;

	if (sys->pstate.el != 0)
		from = sys->pstate.sp ? VECTOR_FROM_SPX : VECTOR_FROM_SP0;
	sys->spsr[1] = current_spsr(cpu);
	sys->elr[1] = elr;
	sys->pstate.daif = 0xf;
	sys->pstate.il = false;
	sys->pstate.ss = false;
	if (!(sys->sctlr[1] & SCTLR_SPAN))
		sys->pstate.pan = true;
	to = soft_branch_address(sys, sys->vbar[1] + from + vector);
	tell_flow(sys, SPE_BRANCH_EXCEPTION, to, 1);
	soft_set_mode(cpu, 1, true);
	soft_set_pc(cpu, to);
}

/* The class as reported: those that come in pairs say with bit 0 that PSTATE.EL does not change. */
static unsigned int reported_class(const struct soft_sys *sys, unsigned int ec)
{
	switch (ec & ~1u) {
	case SOFT_EC_FETCH_ABORT:
	case SOFT_EC_DATA_ABORT:
	case SOFT_EC_STEP:
	case 0x30: /* breakpoint */
	case 0x34: /* watchpoint */ return (ec & ~1u) | (sys->pstate.el != 0);
	default: return ec;
	}
}

void soft_take_exception(struct soft_cpu *cpu, const struct soft_exception *exception, uint64_t elr)
{
	struct soft_sys *sys = soft_sys(cpu);

	if (exception->has_far)
		sys->far[1] = exception->far;
	sys->esr[1] = (uint64_t)reported_class(sys, exception->ec) << 26 | ESR_IL |
		      (exception->iss & UINT32_C(0x1ffffff));
	enter(cpu, VECTOR_SYNC, elr);
}

void soft_take_irq(struct soft_cpu *cpu, uint64_t elr)
{
	enter(cpu, VECTOR_IRQ, elr);
}

void soft_take_fiq(struct soft_cpu *cpu, uint64_t elr)
{
	enter(cpu, VECTOR_FIQ, elr);
}

void soft_take_serror(struct soft_cpu *cpu, uint64_t elr)
{
	/* IDS is 1: the rest of the ISS is IMPLEMENTATION DEFINED, and says nothing. */
	soft_sys(cpu)->esr[1] = UINT64_C(0x2f) << 26 | ESR_IL | UINT64_C(1) << 24;
	enter(cpu, VECTOR_SERROR, elr);
}

/* Debug exceptions other than BRK are generated at el with this PSTATE.D (Arm ARM D2.4). */
static bool debug_enabled(const struct soft_sys *sys, unsigned int el, bool d_masked)
{
	if (sys->os_lock || (sys->osdlr_el1 & 1))
		return false;
	return el == 0 || ((sys->mdscr_el1 & MDSCR_KDE) && !d_masked);
}

bool soft_step_active(const struct soft_sys *sys)
{
	return (sys->mdscr_el1 & MDSCR_SS) &&
	       debug_enabled(sys, sys->pstate.el, sys->pstate.daif & 8);
}

void soft_take_step(struct soft_cpu *cpu, bool stepped, bool exclusive, uint64_t elr)
{
	struct soft_exception step = {.ec = SOFT_EC_STEP, .iss = SOFT_FSC_DEBUG};

	if (stepped)
		step.iss |= UINT32_C(1) << 24 | (exclusive ? UINT32_C(1) << 6 : 0); /* ISV, EX */
	soft_take_exception(cpu, &step, elr);
}

uint64_t soft_branch_address(const struct soft_sys *sys, uint64_t target)
{
	const uint64_t top = UINT64_C(0xff) << 56;

	if (!mmu_tagged(sys->tcr[1], target))
		return target;
	return (target & UINT64_C(1) << 55) ? target | top : target & ~top;
}

/* To EL2, EL3 or AArch32, none of which is there, or to no mode at all (Arm ARM D1.4.4). */
static bool illegal_return(uint64_t spsr)
{
	unsigned int mode = spsr & 0xf;

	return (spsr & SPSR_AARCH32) || !(mode == 0x0 || mode == 0x4 || mode == 0x5);
}

void soft_exception_return(struct soft_cpu *cpu)
{
	struct soft_sys *sys = soft_sys(cpu);
	uint64_t spsr = sys->spsr[1], elr = sys->elr[1];
	bool illegal = illegal_return(spsr);
	unsigned int el = illegal ? sys->pstate.el : spsr >> 2 & 3;
	bool d_masked = spsr & UINT64_C(1) << 9;
	uint64_t to = illegal ? elr : soft_branch_address(sys, elr);

	/* A step starts with a return from where stepping is off to where it is on. */
	sys->pstate.ss = (sys->mdscr_el1 & MDSCR_SS) && !soft_step_active(sys) &&
			 debug_enabled(sys, el, d_masked) && (spsr & SPSR_SS);
	sys->pstate.daif = spsr >> 6 & 0xf;
	sys->pstate.pan = spsr & SPSR_PAN;
	soft_set_nzcv(cpu, spsr & UINT32_C(0xf0000000));
	tell_flow(sys, SPE_BRANCH_RETURN, to, el);
	if (illegal) {
		sys->pstate.il = true;
	} else {
		sys->pstate.il = spsr & SPSR_IL;
		soft_set_mode(cpu, el, spsr & 1);
	}
	soft_clear_exclusive(cpu);
	soft_set_pc(cpu, to);
}

enum soft_outcome soft_wait_trap(struct soft_cpu *cpu, bool wfe)
{
	struct soft_sys *sys = soft_sys(cpu);
	struct soft_exception trap = {.ec = SOFT_EC_WFX};

	if (sys->pstate.el != 0 || (sys->sctlr[1] & (wfe ? SCTLR_NTWE : SCTLR_NTWI)))
		return SOFT_DONE;
	/* CV is 1, COND is AL; TI says which. */
	trap.iss = UINT32_C(0x1e) << 20 | (wfe ? 1 : 0);
	soft_take_exception(cpu, &trap, soft_get_pc(cpu));
	return SOFT_EXCEPTION;
}

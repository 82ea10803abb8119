/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system side of the software CPU: PSTATE, EL1 system registers, exceptions, translation
 * regimes. It neither decodes instructions nor caches: its callers own cpu.h and the TLB.
 *
 * The seam between the two halves of soft/: sys.h, sys*.c, exception.c, regime.c, idregs.c on one
 * side, cpu.h and the interpreter on the other. AArch64 of Armv8.1 is implemented, without floating
 * point and AArch32, with the Exception levels of struct engine_levels.
 *
 * Before it calls any function here that takes a struct soft_cpu, the interpreter has accounted for
 * (spe_advance) every operation up to and including the current one: registers and profiling may
 * change in the call.
 */
#ifndef VSPE_SOFT_SYS_H
#define VSPE_SOFT_SYS_H

#include "arm/levels.h"
#include "soft/fp/float.h"
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "arm/walk.h"
#include "engine.h"
#include "soft/sys/qarma.h"

struct soft_cpu; /* cpu.h: contains struct soft_sys sys */
struct soft_pmu; /* pmu.h */

#define SOFT_BREAKPOINTS 6 /* ID_AA64DFR0_EL1.BRPs, plus 1: as on Arm's cores, and for BSA */
#define SOFT_WATCHPOINTS 4 /* WRPs, plus 1 */
/* Breakpoints that can match context: the last ones (CTX_CMPs, plus 1). */
#define SOFT_CONTEXT_BREAKPOINTS 2
#define SOFT_ZVA_SIZE		 64 /* bytes of DC ZVA: DCZID_EL0.BS */
#define SOFT_MONITOR_LOG	 4  /* log2 of the words of an exclusives granule: CTR_EL0.ERG */
#define SOFT_KEYS		 5  /* APIA, APIB, APDA, APDB, APGA */

/* PSTATE without the condition flags, which the interpreter computes lazily. */
struct soft_pstate {
	uint8_t el;   /* 0 to 3 */
	uint8_t sp;   /* SPSel */
	uint8_t daif; /* D=8 A=4 I=2 F=1 */
	bool il, ss, pan;
	bool pm; /* FEAT_SPE_EXC: Profiling exceptions are masked */
	bool uao, dit, ssbs;
	uint8_t btype; /* 0 to 3 */
};

struct soft_sys {
	struct soft_pstate pstate;
	/*
	 * Registers that exist for more than one Exception level, by level: SP_EL0 to SP_EL3
	 * (except the one in use, which is in soft_sp()), ELR_EL1 to ELR_EL3 and so on. Places of
	 * levels without such a register are not used.
	 */
	uint64_t sp[4], elr[4], spsr[4], esr[4], far[4];
	uint64_t sctlr[4], tcr[4], ttbr0[4], ttbr1[4], mair[4], vbar[4], contextidr[4], tpidr[4];
	uint64_t par_el1, cpacr_el1;
	uint64_t tpidrro_el0, cntkctl_el1, csselr_el1;
	uint64_t mdscr_el1, mdccint_el1, osdlr_el1, dbgprcr_el1, claim_tags;
	uint64_t oseccr_el1;
	uint64_t dbgbvr[SOFT_BREAKPOINTS], dbgbcr[SOFT_BREAKPOINTS];
	uint64_t dbgwvr[SOFT_WATCHPOINTS], dbgwcr[SOFT_WATCHPOINTS];
	bool os_lock;		     /* OSLSR_EL1.OSLK */
	bool serror;		     /* a physical SError interrupt is pending */
	bool irq_level, fiq_level;   /* the PE's inputs, for ISR_EL1; the engine sets them */
	bool virq_level, vfiq_level; /* of the virtual CPU interface; the engine sets them */
	uint64_t mpidr, midr, rvbar;
	/* EL2 */
	uint64_t cptr_el2, hpfar_el2, vtcr_el2, vttbr_el2, vncr_el2, vpidr_el2, vmpidr_el2,
		cnthctl_el2, cntvoff_el2, cntpoff_el2;
	uint64_t hfgrtr_el2, hfgwtr_el2, hfgitr_el2;
	uint64_t hcrx_el2; /* FEAT_HCX; SCR_EL3.HXEn may turn it off */
	uint64_t zcr[4];   /* FEAT_SVE: of EL1 to EL3 */
	uint64_t cptr_el3, gptbr_el3, gpccr_el3, mfar_el3; /* EL3 */
	uint64_t vstcr_el2, vsttbr_el2;			   /* FEAT_SEL2 */
	uint64_t ich_hcr_el2;	       /* the machine's, as last written: it traps here */
	uint64_t sent_voff, sent_poff; /* the timers' offsets that the machine knows */
	/*
	 * FEAT_NV2 turned the current MRS or MSR into a load or store at va, made as EL2 would. Set
	 * by the function that carries it out, read and cleared for a sample of the instruction.
	 */
	struct soft_nvmem {
		bool accessed, write;
		uint64_t va;
	} nvmem;
	struct engine_levels levels;
	uint64_t isa;			 /* optional instructions: isa.h */
	uint16_t sve_vl;		 /* bytes of the longest vector of SVE */
	uint64_t random;		 /* of RNDR and RNDRRS: base/splitmix.h */
	struct soft_key keys[SOFT_KEYS]; /* FEAT_PAuth: by enum soft_key_name of pauth.h */
	/*
	 * For sysreg_route() and spe_update(). HCR_EL2, MDCR_EL2, MDCR_EL3, SCR_EL3 and the HDFG*
	 * registers are kept only here; el is kept equal to pstate.el. After any change
	 * soft_controls_changed() must be called.
	 */
	struct sysreg_controls controls;
	struct float_state fp; /* FPCR, FPSR */
	struct spe_unit *spe;  /* NULL without SPE */
	struct soft_pmu *pmu;  /* NULL without a PMU */
};

enum soft_outcome {
	SOFT_DONE,
	SOFT_EXCEPTION, /* taken: PC, PSTATE and the rest are those of the vector */
};

/*
 * A synchronous exception to be taken. ec is an enum arm_ec; of a pair of classes either may be
 * given, the one that fits PSTATE.EL is reported. ESR_ELx.IL is 1, as every instruction has 32
 * bits.
 */
struct soft_exception {
	uint8_t ec;
	uint8_t target_el; /* 0: where the class is routed to (HCR_EL2.TGE, MDCR_EL2.TDE...) */
	bool has_far;	   /* FAR_ELx = far: aborts, PC alignment, watchpoints */
	bool has_ipa;	   /* HPFAR_EL2 = ipa: stage 2 aborts that report it */
	bool ipa_ns;	   /* ... HPFAR_EL2.NS: of Secure state's Non-secure IPA space */
	uint32_t iss;
	uint64_t far, ipa;
};

/*
 * Are instructions of floating-point and Advanced SIMD, and accesses to FPCR and FPSR, trapped here
 * (CheckFPAdvSIMDEnabled64())? Then *exception must be taken.
 */
bool soft_fp_trapped(const struct soft_sys *sys, struct soft_exception *exception);

/* The same of instructions of SVE (CheckSVEEnabled()), and of accesses to ZCR_ELx. */
bool soft_sve_trapped(const struct soft_sys *sys, struct soft_exception *exception);
bool soft_zcr_trapped(const struct soft_sys *sys, struct soft_exception *exception);

/*
 * Bytes of a vector of SVE at the present Exception level: a power of two from 16 to
 * soft_sys.sve_vl, the longest that ZCR_ELx let it have. 0 without SVE.
 */
unsigned int soft_sve_length(const struct soft_sys *sys);

/*
 * FEAT_MOPS: are the instructions of memory copy and set enabled here (CheckMOPSEnabled())?
 * Otherwise they are UNDEFINED. The level of their exceptions: soft_exception.target_el.
 */
bool soft_mops_enabled(const struct soft_sys *sys);
unsigned int soft_mops_target(const struct soft_sys *sys);

/* elr is the preferred return address. */
void soft_take_exception(struct soft_cpu *cpu, const struct soft_exception *exception,
			 uint64_t elr);

/* Asynchronous exceptions, by falling priority. */
enum soft_interrupt {
	SOFT_INTERRUPT_NONE,
	SOFT_INTERRUPT_SERROR,
	SOFT_INTERRUPT_PROFILING, /* FEAT_SPE_EXC */
	SOFT_INTERRUPT_FIQ,
	SOFT_INTERRUPT_IRQ,
	SOFT_INTERRUPT_VSERROR,
	SOFT_INTERRUPT_VFIQ,
	SOFT_INTERRUPT_VIRQ,
};

/* Take it, whatever soft_pending_interrupt() says. This ends an SError interrupt. */
void soft_take_interrupt(struct soft_cpu *cpu, enum soft_interrupt which, uint64_t elr);

/* The level that soft_take_exception() takes it to. */
unsigned int soft_exception_target(const struct soft_sys *sys,
				   const struct soft_exception *exception);
/* The same for an asynchronous exception; 0 if there is no Profiling exception. */
unsigned int soft_interrupt_target(const struct soft_sys *sys, enum soft_interrupt which);
/* May it be taken here, if it is asserted: routed to this level or a higher one, and not masked? */
bool soft_interrupt_unmasked(const struct soft_sys *sys, enum soft_interrupt which);
/* The one to take before the next operation. */
enum soft_interrupt soft_pending_interrupt(const struct soft_sys *sys);
/* Does an asserted one end a WFI, masked by PSTATE or not? */
bool soft_wakes(const struct soft_sys *sys);
/* ISR_EL1 as it reads now: it shows virtual interrupts where these replace the physical ones. */
uint64_t soft_isr(const struct soft_sys *sys);

/*
 * ERET at EL1 to EL3 to target, with illegal exception returns; sets PC. The caller has tested
 * PSTATE.IL and traps.
 */
void soft_exception_return(struct soft_cpu *cpu, uint64_t target);

/* The outcome of an instruction that generates an exception or calls upwards. */
enum soft_call {
	SOFT_CALL_UNDEFINED,
	SOFT_CALL_TRAPPED, /* to EL2, before it executes */
	SOFT_CALL_TAKEN,   /* its own exception: the return address is after it */
	SOFT_CALL_MACHINE, /* the software above is the machine */
	SOFT_CALL_ALLOWED, /* of ERET */
};

enum soft_call soft_svc_call(const struct soft_sys *sys);
enum soft_call soft_hvc_call(const struct soft_sys *sys);
enum soft_call soft_smc_call(const struct soft_sys *sys);
/* HCR_EL2.NV, HFGITR_EL2.ERET. */
enum soft_call soft_eret_call(const struct soft_sys *sys);

/*
 * WFI, or WFE that would wait: takes the trap of SCTLR_EL1.{nTWI,nTWE}, HCR_EL2.{TWI,TWE} or
 * SCR_EL3.{TWI,TWE}, at soft_get_pc(). until: the number of the register of WFIT and WFET, or -1.
 */
enum soft_outcome soft_wait_trap(struct soft_cpu *cpu, bool wfe, int until);
/* FEAT_WFxT: has CNTVCT_EL0, as it reads at this Exception level, reached this value? */
bool soft_timed_out(struct soft_cpu *cpu, uint64_t until);

/* spe_update(), after a change of soft_sys.controls. */
void soft_controls_changed(struct soft_cpu *cpu);
/* Report the effective CNTVOFF_EL2 and CNTPOFF_EL2 to the machine, if they changed. */
void soft_timer_offsets(struct soft_cpu *cpu);

/* Is nothing asserted that could become an asynchronous exception? Cheap. */
static inline bool soft_interrupts_quiet(const struct soft_sys *sys)
{
	return !(sys->irq_level | sys->fiq_level | sys->virq_level | sys->vfiq_level |
		 sys->serror) &&
	       !(sys->controls.hcr_el2 & (HCR_EL2_VSE | HCR_EL2_VI | HCR_EL2_VF));
}

/* Are debug exceptions other than BRK's generated here (Arm ARM D2.4)? */
bool soft_debug_enabled(const struct soft_sys *sys);

/*
 * Software step (Arm ARM D2.12). While soft_step_active(), before each operation: if PSTATE.SS is 0
 * call soft_take_step() instead of executing it; else execute that single operation, and set
 * PSTATE.SS to 0 before it takes an SVC or when it has finished. stepped: an operation was executed
 * since the last exception return; exclusive: it was a load-exclusive.
 */
bool soft_step_active(const struct soft_sys *sys);
void soft_take_step(struct soft_cpu *cpu, bool stepped, bool exclusive, uint64_t elr);

/*
 * The address that a branch to target goes to: tag bits are replaced if the translation regime's
 * TCR_ELx.TBIn says so.
 */
uint64_t soft_branch_address(const struct soft_sys *sys, uint64_t target);

/*
 * Warm reset, to SP_ELx of levels.start with DAIF masked and the MMU off, and with the controls of
 * higher levels as their software would set them for its guest. Keeps sys->spe (which the caller
 * has reset) and the interrupt lines; the caller sets rvbar afterwards.
 */
void soft_sys_reset(struct soft_sys *sys, const struct engine_vcpu_config *config);

/*
 * The value that MRS of encoding, SYSREG_ENCODING(3, 0, 0, CRm, op2) with CRm 1 to 7, reads: the ID
 * registers; unallocated ones read as zero.
 */
uint64_t soft_id_register(const struct soft_sys *sys, uint32_t encoding);

#endif

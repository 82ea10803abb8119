/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system side of the software CPU: PSTATE, EL1 system registers, exceptions, stage 1 translation.
 * No instruction decoding and no caching here: cpu.h and the TLB are the callers' business.
 * DRAFT of the contract between the two halves of soft/: sys.h, sys*.c, exception.c, mmu.c, idregs.c
 * on one side, cpu.h and the interpreter on the other.
 */
#ifndef VSPE_SOFT_SYS_H
#define VSPE_SOFT_SYS_H

#include "engine.h"

struct soft_cpu; /* cpu.h: contains struct soft_sys sys */

/* PSTATE but the condition flags, which the interpreter computes lazily. */
struct soft_pstate {
	uint8_t el;	/* 0 or 1 (2 and 3 with a later issue) */
	uint8_t sp;	/* SPSel */
	uint8_t daif;	/* D=8 A=4 I=2 F=1 */
	bool il, ss, pan, uao;
};

struct soft_sys {
	struct soft_pstate pstate;
	uint64_t sp_el0, sp_el1; /* the SP in use lives in the interpreter; see soft_sp_bank() */
	uint64_t elr_el1, spsr_el1, esr_el1, far_el1, par_el1;
	uint64_t sctlr_el1, actlr_el1, cpacr_el1, tcr_el1, ttbr0_el1, ttbr1_el1, mair_el1, amair_el1;
	uint64_t vbar_el1, contextidr_el1, tpidr_el0, tpidrro_el0, tpidr_el1, cntkctl_el1;
	uint64_t mdscr_el1, csselr_el1, afsr0_el1, afsr1_el1;
	/* LOR, debug and the rest: owned by sys.c */
	uint64_t mpidr, midr;
	struct sysreg_controls controls; /* for sysreg_route() and spe_update(); kept equal to the above */
	struct spe_unit *spe;		 /* NULL without SPE */
};

/* What the interpreter has to do after a system register write or a system instruction. */
#define SOFT_AFTER_CONTEXT (1u << 0) /* translation or EL changed: look up the next block anew */
#define SOFT_AFTER_TLB	   (1u << 1) /* drop cached translations as soft_tlbi says */
#define SOFT_AFTER_IRQ	   (1u << 2) /* DAIF or an interrupt line may have changed: test for interrupts */
#define SOFT_AFTER_BUDGET  (1u << 3) /* spe_budget changed */

enum soft_outcome {
	SOFT_DONE,
	SOFT_EXCEPTION, /* taken: PC, PSTATE and the rest are those of the vector */
};

/*
 * Exceptions. class is ESR_ELx.EC, iss the ISS with IL added by the callee (always 1 but for...).
 * Taken to EL1 with ELR = the address given (the preferred return address).
 */
void soft_take_exception(struct soft_cpu *cpu, unsigned int ec, uint32_t iss, bool il, uint64_t elr);
/* The same with FAR_EL1 = far: aborts, PC alignment, watchpoints. */
void soft_take_abort(struct soft_cpu *cpu, unsigned int ec, uint32_t iss, uint64_t far, uint64_t elr);
void soft_take_irq(struct soft_cpu *cpu, uint64_t elr);
/* ERET, with illegal exception returns; sets PC. */
void soft_exception_return(struct soft_cpu *cpu);

/* MRS, MSR (register), MSR (immediate), SYS, SYSL, as decoded from the word; after = SOFT_AFTER_*. */
enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word, uint32_t *after);

/* Stage 1 translation. */
enum soft_access { SOFT_READ, SOFT_WRITE, SOFT_EXECUTE };

struct soft_translation {
	uint64_t pa;	     /* of va */
	uint64_t page_mask;  /* size of the block or page that maps it, minus 1 (at least 0xfff) */
	bool readable_el0, writable_el0, executable_el0; /* after PAN-independent permissions */
	bool readable_el1, writable_el1, executable_el1; /* PAN, WXN applied where they belong */
	bool device;	     /* Device memory: unaligned accesses fault */
	bool global;	     /* nG == 0 */
	uint16_t asid;
	/* on a fault: */
	bool fault;
	uint8_t fsc;	     /* DFSC/IFSC */
	bool on_walk;	     /* S1PTW-like: an external abort on the walk */
};

/*
 * Walk for an access of kind access at exception level el (unprivileged: LDTR/STTR at EL1 use el 0).
 * Does permission checks for that access; hardware update of AF/DBM where TCR_EL1.HA/HD say so.
 * Reads tables through cpu->host RAM. Returns !t->fault. Has no other side effect.
 */
bool soft_translate(struct soft_cpu *cpu, uint64_t va, enum soft_access access, unsigned int el,
		    struct soft_translation *t);

/* What a TLBI asks to drop. */
struct soft_tlbi {
	bool all;
	bool by_va, by_asid;
	uint64_t va;
	uint16_t asid;
	bool all_cpus; /* the IS forms */
};

void soft_sys_reset(struct soft_sys *sys, const struct engine_vcpu_config *config);

/* Provided by the interpreter for the system side. */
uint32_t soft_get_nzcv(const struct soft_cpu *cpu); /* bits [31:28] */
void soft_set_nzcv(struct soft_cpu *cpu, uint32_t nzcv);
uint64_t *soft_x(struct soft_cpu *cpu, unsigned int n);	 /* n 0..30 */
uint64_t *soft_sp(struct soft_cpu *cpu);		 /* the SP in use */
void soft_set_pc(struct soft_cpu *cpu, uint64_t pc);
uint64_t soft_get_pc(const struct soft_cpu *cpu);	 /* of the current instruction */
struct soft_sys *soft_sys(struct soft_cpu *cpu);
const struct engine_host *soft_host(const struct soft_cpu *cpu);
unsigned int soft_index(const struct soft_cpu *cpu);
/* Drop cached translations; ask for the vCPUs that share the VM when tlbi->all_cpus. */
void soft_tlb_invalidate(struct soft_cpu *cpu, const struct soft_tlbi *tlbi);
/* IC IVAU/IALLU*: drop decoded blocks of the line at va (or all). */
void soft_code_invalidate(struct soft_cpu *cpu, uint64_t va, bool all);
void soft_zero_block(struct soft_cpu *cpu, uint64_t va); /* unused hooks are deleted at integration */

#endif

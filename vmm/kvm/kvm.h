/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The KVM engine, for its own files: a virtual machine on /dev/kvm of an arm64 host, its vCPUs, and
 * what answers their accesses to the registers of SPE, which KVM itself has no way to leave to us
 * (Documentation/virt/kvm/api.rst of the Linux kernel).
 */
#ifndef VSPE_KVM_KVM_H
#define VSPE_KVM_KVM_H

#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "engine.h"
#include "kvm/trap/access.h"
#include "kvm/step/plan.h"
#include "kvm/trap/scan.h"
#include "kvm/tuning.h"
#include "kvm/count/stats.h"
#include "arm/model_core.h"
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "arm/walk.h"

/* Sent to the thread of a vCPU to make KVM_RUN return; blocked everywhere else. */
#define KVM_KICK SIGUSR1

/* What a perf event counts (calibrate.c). */
struct kvm_costs {
	unsigned int multiplier; /* events an instruction */
	uint64_t skid;		 /* of its interrupt, in instructions, at worst */
	bool noisy;		 /* two measurements were not the same */
	/* Of instructions that end in an exception or an exit: are they counted, too? */
	bool brk, mmio, svc, undefined, abort, system;
	enum kvm_verdict answered[KVM_ANSWERED_KINDS];
	uint64_t stat_at[KVM_ANSWERED_KINDS]; /* in the file of KVM's statistics, or 0 */
	bool vectors; /* the guest's own exceptions can be seen, where they are not counted */
};

struct engine_vm {
	struct engine_host host;
	struct kvm_costs costs; /* with a perf event */
	unsigned int cpus;
	int kvm, fd, gic; /* file descriptors, or -1 */
	enum arm_pmu_version pmu;
	size_t run_size;       /* of struct kvm_run as it is mapped */
	atomic_int line_error; /* errno of a KVM_IRQ_LINE that failed, or 0 */
	enum kvm_trap_method trap;
	bool list_sites;
	struct kvm_model *model;		    /* or NULL: arm/model.h */
	atomic_uint_fast64_t sites[KVM_SITE_KINDS]; /* that were found */
	bool breakpoints;			    /* accesses are caught at the vectors */
	uint32_t brk_base;			    /* patch.c */
	_Atomic uint64_t brks[KVM_BRK_SPAN / 64];   /* immediates that an access has got */
	atomic_uint vbar_writes;
	struct engine_vcpu **vcpu;
};

/* What of the guest's registers is known since it last ran. */
struct kvm_known {
	bool place, regime;
	bool rough; /* pstate has old flags */
	uint64_t pc, pstate;
	uint64_t vbar, mdscr; /* with the regime's */
	uint64_t sctlr, tcr, ttbr0, ttbr1, mair;
};

/* A perf event on the thread of a vCPU (counter.c). */
struct kvm_counter {
	int fd;		   /* or -1 */
	bool user, kernel; /* counts EL0, EL1 */
	bool enabled;
	uint64_t period;	     /* events from one of its interrupts to the next */
	bool counting;		     /* what it counts now is to be believed */
	uint64_t overflows, in_vain; /* its interrupts; those that came while nothing was counted */
	uint64_t last;
	uint64_t trapped; /* instructions since then that the event has not counted */
	uint64_t owed;	  /* operations that have passed behind a selected one that was missed */
	int stats;	  /* KVM's, or -1 */
	uint64_t told[KVM_ANSWERED_KINDS]; /* by them, as read last */
};

/* The monitor of an exclusive access that is emulated (exclusive.c). */
struct kvm_monitor {
	bool set;
	uint64_t pa, value[2];
	unsigned int size; /* bytes of one register */
	bool pair;
};

/* A path of instructions that is stepped over at once (block.c). */
struct kvm_block {
	struct kvm_plan plan; /* length 0: there is none */
	unsigned int vectors; /* to which an exception may lead from it: the first of them */
	uint64_t vector[4];   /* ... is that of synchronous exceptions */
	const uint8_t *code;  /* the code at code_va, up to the ends of its page; or NULL */
	uint64_t code_va;
};

/* A selected operation, or one for a machine model, before it executes (sample.c). */
struct kvm_selected {
	bool collected;
	uint32_t word;
	const struct a64_insn *insn;
	struct spe_op op;
	unsigned int size; /* bytes of the data access */
	unsigned int data_el;
	bool failed; /* a store-exclusive that was none */
	/* With a machine model (model.c). */
	bool shown;			/* it has seen the fetch, of this: */
	uint32_t shown_word;		/* not our BRK, but what that stands for */
	struct model_prefetch prefetch; /* of a PRFM: va is 0 if it asks for nothing */
	uint64_t xt;			/* of a SYS */
	uint32_t held;			/* model_core_fetch() */
	uint64_t dispatched;		/* in that cycle */
};

/* The machine model of a VM (model.c). vCPUs come to it one after the other, as the host has it. */
struct kvm_model {
	struct model *machine;
	void *memory; /* in which it is */
	pthread_mutex_t lock;
};

/* Breakpoints at the vectors of EL1 (vectors.c). */
struct kvm_vectors {
	uint64_t vbar;	     /* VBAR_EL1, as it was known last */
	uint64_t scanned;    /* the one whose code was scanned last (patch.c) */
	uint64_t armed;	     /* where the breakpoints are; KVM_UNARMED */
	unsigned int count;  /* how many, 0x200 apart */
	unsigned int look;   /* exits until the next look at VBAR_EL1 */
	unsigned int period; /* of those, in exits */
	bool over;	     /* the guest is at a vector, and is to execute its first instruction */
};

#define KVM_UNARMED UINT64_MAX

/* Vectors with a breakpoint: at 0x000 (SP_EL0) and 0x200 (SP_EL1) of the table; ... */
#define KVM_VECTORS_OWN	    2
#define KVM_VECTORS_COUNTED 4 /* ... and those from EL0: 0x400 (AArch64) and 0x600 (AArch32) */

/* Breakpoints and watchpoints of the guest's own, beside those at the vectors (debug.c). */
struct kvm_own_debug {
	bool live;		  /* MDSCR_EL1.MDE, as it was known last */
	bool ss;		  /* MDSCR_EL1.SS: it steps itself, and so do we (D2.12) */
	bool active, pstate_ss;	  /* the step at which it is; PSTATE.SS, which KVM has for itself */
	bool executed, exclusive; /* ESR_EL1.ISS.{ISV,EX} of the step that was done */
	uint64_t eret_spsr;
	bool stale;			       /* they are to be read again, and KVM to be told */
	unsigned int breakpoints, watchpoints; /* that the PE has */
	uint64_t bvr[KVM_ARM_MAX_DBG_REGS], bcr[KVM_ARM_MAX_DBG_REGS];
	uint64_t wvr[KVM_ARM_MAX_DBG_REGS], wcr[KVM_ARM_MAX_DBG_REGS];
};

/* Pages from which EL0 cannot execute, so that EL1 does (trap.c). */
#define KVM_EL1_PAGES 8

struct kvm_el1_page {
	uint64_t page;
	unsigned int left; /* traps until it is looked at again */
};

struct engine_vcpu {
	struct engine_vm *vm;
	unsigned int index;
	int fd;
	struct kvm_run *run;
	int error; /* errno of the first call for this vCPU that failed, and what it was */
	const char *failed;

	pthread_t thread; /* valid while running */
	atomic_bool running, stop;
	atomic_bool look; /* whether it makes progress */
	bool stuck;	  /* it seemed to make none when looked at last */
	bool prepared;	  /* its thread has set up the signals */

	uint32_t debug;	  /* kvm_guest_debug.control as last set */
	bool stepping;	  /* each instruction comes back */
	bool completing;  /* an access to a device is answered, and its instruction not done */
	bool watched;	  /* a reset by the kernel would be noticed (power.c) */
	bool mid_step;	  /* kvm_step_before() was there, kvm_step_after() not yet */
	bool step_always; /* --kvm-trap step */
	bool aside;	  /* the guest's own breakpoints are out of the way, for the one step */
	bool masked;	  /* interrupts are, for the one step; PSTATE.{I,F} were: */
	uint64_t unmasked;
	bool profiling; /* is enabled, or would be at the other Exception level */
	struct kvm_sampler sampler;
	struct kvm_counter counter;
	uint64_t displaced; /* times that a breakpoint of the guest had to make room for ours */
	uint64_t skid;	    /* operations by which selected ones were missed */
	uint64_t ops;	    /* operations seen: stepped or emulated */
	struct kvm_known known;
	struct kvm_block block;
	struct kvm_vectors vectors;
	struct kvm_own_debug own;
	struct kvm_el1_page el1_pages[KVM_EL1_PAGES];
	struct kvm_monitor monitor;
	struct kvm_selected selected;

	struct spe_unit *spe; /* or NULL */
	struct spe_unit unit;
	struct sysreg_controls controls;
	bool irq;		   /* as last told to the machine */
	uint64_t id[KVM_ID_COUNT]; /* ID_AA64DFR<n>_EL1 for the guest */
	bool has_pan, has_mte;
	uint8_t pa_bits;	       /* of the guest's translation, as its ID registers have it */
	struct arm_walk_features walk; /* ... too */
};

#endif

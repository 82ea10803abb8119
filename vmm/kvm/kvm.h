/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvspe-kvm, for its own files: the part of a virtual machine and its vCPUs that answers their
 * accesses to the registers of SPE, which KVM itself cannot leave to its user
 * (Documentation/virt/kvm/api.rst of the Linux kernel), and that counts and samples their
 * operations.
 */
#ifndef VSPE_KVM_KVM_H
#define VSPE_KVM_KVM_H

#include <linux/kvm.h>
#include <stdatomic.h>
#include <vspe/kvm.h>

#include "kvm/host/host.h"
#include "kvm/trap/access.h"
#include "kvm/step/plan.h"
#include "kvm/trap/scan.h"
#include "kvm/count/stats.h"
#include "arm/registers.h"
#include "arm/syndrome.h"
#include "arm/walk.h"

/* How operations are counted while profiling is enabled: of struct vspe_kvm_config. */
struct kvm_sampler {
	bool perf;   /* a perf event, and single steps for the last of them; else all are stepped */
	bool cycles; /* the event is PERF_COUNT_HW_CPU_CYCLES, else PERF_COUNT_HW_INSTRUCTIONS */
	unsigned int multiplier; /* events in an instruction, 1 or more */
	unsigned int margin;	 /* instructions that are stepped before a selected one */
	int signal;
	bool signal_is_set_up;
};

/* What a perf event counts (calibrate.c). */
struct kvm_costs {
	unsigned int multiplier; /* events an instruction */
	uint64_t skid;		 /* of its interrupt, in instructions, at worst */
	bool noisy;		 /* two measurements were not the same */
	/* Instructions that end in an exception or an exit: are they counted, too? */
	bool brk, mmio, svc, undefined, abort, system;
	enum kvm_verdict answered[KVM_ANSWERED_KINDS];
	uint64_t stat_at[KVM_ANSWERED_KINDS]; /* in the file of KVM's statistics, or 0 */
	bool vectors; /* the guest's own exceptions can be seen, where they are not counted */
};

/*
 * Sees each operation that is stepped, in addition to the unit: before it is fetched at code, after
 * kvm_sample_before(), and when all of vcpu->selected.op is known except what the watcher may add.
 */
struct kvm_watcher {
	void (*before)(struct vspe_kvm_vcpu *vcpu, const uint8_t *code);
	void (*after)(struct vspe_kvm_vcpu *vcpu, bool excepted);
	/* The operation is selected: does it collide? If not, it is in flight from here on. */
	bool (*collides)(struct vspe_kvm_vcpu *vcpu);
	void (*reset)(struct vspe_kvm_vcpu *vcpu);
};

struct vspe_kvm {
	struct vspe_kvm_callbacks callbacks;
	void *ctx;		      /* of them */
	struct vspe_kvm_region first; /* of the regions */
	struct vspe_kvm_region *regions;
	size_t region_count;
	struct kvm_costs costs; /* with a perf event */
	struct kvm_sampler sampler;
	unsigned int cpus;
	uint32_t intid;
	int kvm, fd; /* file descriptors */
	enum vspe_kvm_trap trap;
	const struct kvm_watcher *watcher;		 /* or NULL */
	void *watching;					 /* the watcher's */
	atomic_uint_fast64_t sites[VSPE_KVM_SITE_KINDS]; /* that were found */
	bool breakpoints;				 /* accesses are caught at the vectors */
	bool based;					 /* brk_base was chosen */
	uint32_t brk_base;				 /* patch.c */
	_Atomic uint64_t brks[KVM_BRK_SPAN / 64];	 /* immediates that an access has got */
	atomic_uint vbar_writes;
	struct vspe_kvm_vcpu **vcpu;
};

/* What is known of the guest's registers since it last ran. */
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
	uint64_t owed;	  /* operations that have passed after a selected one that was missed */
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

/* A path of instructions that is run at once instead of stepped (block.c). */
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
	bool ram;    /* the access was made, in RAM */
	bool shown;  /* the watcher has seen it */
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

/*
 * The guest's breakpoints and watchpoints, which share the PE's with those at the vectors
 * (debug.c).
 */
struct kvm_own_debug {
	bool live;		  /* MDSCR_EL1.MDE, as it was known last */
	bool ss;		  /* MDSCR_EL1.SS: it steps itself, and so do we (D2.12) */
	bool active, pstate_ss;	  /* the step at which it is; PSTATE.SS, which KVM has for itself */
	bool executed, exclusive; /* ESR_EL1.ISS.{ISV,EX} of the step that was done */
	uint64_t eret_spsr;
	bool stale;			       /* they must be read again, and given to KVM */
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

struct vspe_kvm_vcpu {
	struct vspe_kvm *vm;
	unsigned int index;
	struct kvm_calls calls;
	struct kvm_run *run;
	char why[128]; /* calls.error and calls.failed, for vspe_kvm_why() */

	bool prepared; /* its thread has set up the signal */

	uint32_t debug;	  /* kvm_guest_debug.control as last set */
	bool stepping;	  /* each instruction comes back */
	bool completing;  /* an access to a device is answered, and its instruction not done */
	bool watched;	  /* a reset by the kernel would be noticed (power.c) */
	bool mid_step;	  /* kvm_step_before() was there, kvm_step_after() not yet */
	bool step_always; /* VSPE_KVM_TRAP_STEP */
	bool aside;	  /* the guest's own breakpoints are out of the way, for the one step */
	bool masked;	  /* interrupts are, for the one step; PSTATE.{I,F} were: */
	uint64_t unmasked;
	bool profiling; /* is enabled, or would be at the other Exception level */
	struct kvm_sampler sampler;
	struct kvm_counter counter;
	uint64_t displaced; /* times that a breakpoint of vspe displaced one of the guest */
	uint64_t skid;	    /* operations by which selected ones were missed */
	uint64_t ops;	    /* operations seen: stepped or emulated */
	struct kvm_known known;
	struct kvm_block block;
	struct kvm_vectors vectors;
	struct kvm_own_debug own;
	struct kvm_el1_page el1_pages[KVM_EL1_PAGES];
	struct kvm_monitor monitor;
	struct kvm_selected selected;

	struct spe_unit *spe; /* unit; NULL while the event is tried */
	struct spe_unit unit;
	struct sysreg_controls controls;
	bool irq;		   /* the last level that was set */
	uint64_t id[KVM_ID_COUNT]; /* ID_AA64DFR<n>_EL1 for the guest */
	bool has_pan, has_mte;
	uint8_t pa_bits;	       /* of the guest's translation, as its ID registers have it */
	struct arm_walk_features walk; /* ... too */
};

#endif

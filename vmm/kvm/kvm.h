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
	int kvm, fd, gic;      /* file descriptors, or -1 */
	size_t run_size;       /* of struct kvm_run as it is mapped */
	atomic_int line_error; /* errno of a KVM_IRQ_LINE that failed, or 0 */
	enum kvm_trap_method trap;
	bool list_sites;
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

/* A selected operation, before it executes (sample.c). */
struct kvm_selected {
	bool collected;
	uint32_t word;
	const struct a64_insn *insn;
	struct spe_op op;
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
	bool aside;	  /* the guest\'s own breakpoints are out of the way, for the one step */
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

/* vm.c */
int kvm_vm_open(struct engine_vm *vm, char *why, size_t size);
int kvm_vm_finish(struct engine_vm *vm, char *why, size_t size); /* when all vCPUs are there */
int kvm_vcpu_open(struct engine_vcpu *vcpu, char *why, size_t size);

/* probe.c: 0, or -1 and why. */
int kvm_probe(char *why, size_t size);
int kvm_check(int kvm, char *why, size_t size);
int kvm_grant(struct engine_wish *wish, char *why, size_t size); /* engine.h */
/* For KVM_CREATE_VM: the default, or the fewer bits of guest physical addresses that there are. */
unsigned long kvm_vm_type(int kvm);

/*
 * registers.c. A failed access is remembered in vcpu->error, and ends the run; it reads as 0.
 */
/* The register that arm/registers.def has an encoding of, by its name. */
#define KVM_SYSREG(name) \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM64_SYSREG | (uint64_t)ARM_##name)
#define KVM_CORE(member)                                       \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 (__builtin_offsetof(struct kvm_regs, member) / sizeof(__u32)))
/* X0 to X30, or the stack pointer of the current Exception level for 31. */
uint64_t kvm_x(struct engine_vcpu *vcpu, unsigned int n);
void kvm_set_x(struct engine_vcpu *vcpu, unsigned int n, uint64_t value); /* 31: XZR */
uint64_t kvm_get(struct engine_vcpu *vcpu, uint64_t id);
void kvm_set(struct engine_vcpu *vcpu, uint64_t id, uint64_t value);
bool kvm_has(struct engine_vcpu *vcpu, uint64_t id);
/* false: KVM does not take it, and nothing has failed. */
bool kvm_try_set(struct engine_vcpu *vcpu, uint64_t id, uint64_t value);
/* The same of a register that there may not be. */
/* 0 if KVM does not know it, as an old kernel some ID registers. */
uint64_t kvm_get_if_there(struct engine_vcpu *vcpu, uint64_t id);
void kvm_fail(struct engine_vcpu *vcpu, const char *what);
/* PC and PSTATE, read once. */
void kvm_place(struct engine_vcpu *vcpu);
/* The same, but NZCV and BTYPE in known.pstate may be old. */
void kvm_rough_place(struct engine_vcpu *vcpu);
void kvm_go(struct engine_vcpu *vcpu, uint64_t pc, uint64_t pstate);
/* The guest is about to run: nothing is known any more, but perhaps the translation regime. */
void kvm_forget(struct engine_vcpu *vcpu, bool regime);

#define PSTATE_EL(pstate) arm_field(pstate, SPSR_ELx_EL)

/* exception.c: synchronous exceptions to EL1 that KVM did not take. */
void kvm_take_exception(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss);

/* run.c */
void kvm_vcpu_run(struct engine_vcpu *vcpu, struct engine_exit *exit);
void kvm_request_exit(struct engine_vcpu *vcpu);
/* Once, in the thread of the vCPU: kicks are for KVM_RUN alone. And take those that are waiting. */
void kvm_prepare(struct engine_vcpu *vcpu);
void kvm_drain_kicks(struct engine_vcpu *vcpu);
/* Single-step or not, as vcpu->stepping says; software breakpoints come to us with SPE. */
void kvm_set_debug(struct engine_vcpu *vcpu);

/* From any thread. */
void kvm_look(struct engine_vcpu *vcpu);

/*
 * power.c. Can a reset of this vCPU be noticed? After every change of the unit, and after the
 * guest ran: the unit is reset if the vCPU was.
 */
bool kvm_power_can(struct engine_vcpu *vcpu);
void kvm_power_watch(struct engine_vcpu *vcpu);
bool kvm_power_look(struct engine_vcpu *vcpu);
/* Will it never execute an instruction again? With a line for engine_exit.why. */
bool kvm_is_lost(struct engine_vcpu *vcpu, char *why, size_t size);

/* trap.c: KVM_EXIT_DEBUG. */
void kvm_trap(struct engine_vcpu *vcpu);
/*
 * The answer to an access at el, with its part in the counts of the unit; the guest stays where it
 * is, so that kvm_answered() has to follow. false: it is UNDEFINED.
 */
bool kvm_answer(struct engine_vcpu *vcpu, const struct kvm_access *access, unsigned int el,
		bool *selected);
void kvm_answered(struct engine_vcpu *vcpu, bool done, bool selected);
/* Answer an access of access.h that the guest is at. */
void kvm_emulate(struct engine_vcpu *vcpu, const struct kvm_access *access);
/*
 * debug.c: a breakpoint or watchpoint has matched, as KVM tells of it. Is it the guest's own, and
 * enabled? Then a step is at its end, and the guest takes the exception.
 */
bool kvm_own_debug_matches(struct engine_vcpu *vcpu);
void kvm_own_debug_take(struct engine_vcpu *vcpu, uint32_t ec, uint32_t iss);
void kvm_debug_init(struct engine_vcpu *vcpu);
/* The guest writes the register that is access.h's debug. */
void kvm_debug_write(struct engine_vcpu *vcpu, unsigned int debug, uint64_t value);
/*
 * Before a step, and after it: excepted or interrupted, or executed. true: the guest has taken a
 * Software Step exception instead.
 */
bool kvm_own_step_before(struct engine_vcpu *vcpu);
void kvm_own_step_at(struct engine_vcpu *vcpu, uint32_t word);
void kvm_own_step_after(struct engine_vcpu *vcpu, uint32_t word, bool excepted);
/* It may have written one without us. */
void kvm_debug_look(struct engine_vcpu *vcpu);
/* Put the guest's own beside count breakpoints of ours at at[], whose control is bcr. */
void kvm_debug_fill(struct engine_vcpu *vcpu, struct kvm_guest_debug *debug, const uint64_t *at,
		    unsigned int count, uint64_t bcr);
/* Told after every change of the unit: its interrupt, and whether to step. */
void kvm_spe_changed(struct engine_vcpu *vcpu);

/*
 * patch.c. Put BRKs in the place of accesses in what is loaded, also in signed modules or not.
 */
void kvm_patch_loaded(struct engine_vm *vm, bool modules);
/* site.c: word at pa was an access, or what is compressed, and this became of it. */
void kvm_site_found(struct engine_vm *vm, uint64_t pa, uint32_t word, enum kvm_site_kind what);
/* Is imm of a BRK that stands for an access? */
bool kvm_own_brk(const struct engine_vm *vm, uint16_t imm, struct kvm_access *access);
/* The guest has executed word, an access that is at the host's address at: a BRK from now on. */
void kvm_patch_met(struct engine_vcpu *vcpu, uint8_t *at, uint32_t word,
		   const struct kvm_access *access);
/*
 * Patch the accesses in the code at the vectors, before the guest executes one: where handlers are,
 * ELR_EL1, SPSR_EL1 and ESR_EL1 matter, which the guest loses to KVM where a breakpoint catches it.
 */
void kvm_patch_vectors(struct engine_vcpu *vcpu, uint64_t vbar);
/* What stands for a write of VBAR_EL1 becomes that again. */
void kvm_patch_undo(struct engine_vcpu *vcpu, uint8_t *at, const struct kvm_access *access);

/* vectors.c. Can the host have breakpoints at the vectors? How many there are, otherwise. */
bool kvm_vectors_can(const struct engine_vm *vm, unsigned int *breakpoints);
bool kvm_vectors_can_count(const struct engine_vm *vm);
/* How many there are to be, and whether for the counter's sake. */
unsigned int kvm_vectors_wanted(struct engine_vcpu *vcpu);
bool kvm_vectors_counting(const struct engine_vcpu *vcpu);
/* Will there ever be some? */
bool kvm_vectors_may(const struct engine_vm *vm);
/* The guest is at its vector, and whoever has put it there has seen to that. */
void kvm_vectors_entered(struct engine_vcpu *vcpu);
/* Is this exit the hit of one? And what is to be done then. */
bool kvm_vectors_exit(struct engine_vcpu *vcpu);
void kvm_vectors_hit(struct engine_vcpu *vcpu);
/* After the guest ran: does VBAR_EL1 have to be looked at? */
void kvm_vectors_follow(struct engine_vcpu *vcpu);
/* The guest writes to it. */
void kvm_vectors_set(struct engine_vcpu *vcpu, uint64_t vbar);
/*
 * Where code at va is in RAM, by the registers of the regime as they were last read, or read now.
 * NULL: el cannot execute there.
 */
uint8_t *kvm_code(struct engine_vcpu *vcpu, uint64_t va, unsigned int el);
void kvm_know_code(struct engine_vcpu *vcpu, uint64_t va);

/* counter.c: with a perf event, before the guest runs and after it did: exited, or interrupted. */
void kvm_count_before(struct engine_vcpu *vcpu);
void kvm_count_after(struct engine_vcpu *vcpu, bool exited);
/* Open vcpu->counter: with the interrupt of its event a kick of this thread. */
void kvm_counter_open(struct engine_vcpu *vcpu, bool user, bool kernel, uint64_t period);
void kvm_counter_close(struct engine_vcpu *vcpu);
/* The signal of the event was there. */
void kvm_count_overflow(struct engine_vcpu *vcpu);
void kvm_describe_counting(const struct engine_vm *vm, char *text, size_t size);
/* The guest was at an instruction that it did not complete: it is to be counted if nobody has. */
void kvm_count_trapped(struct engine_vcpu *vcpu);
/* At a vector, after an exception of this class from EL1 or EL0. */
void kvm_count_exception(struct engine_vcpu *vcpu, uint32_t ec, bool from_el1);
/* It is an access that is answered, and counted with its answer. */
void kvm_count_answered(struct engine_vcpu *vcpu);
/* An event for this thread: what vcpu->sampler says. -1: see vcpu->error. */
int kvm_event_open(struct engine_vcpu *vcpu, bool user, bool kernel, uint64_t period);
uint64_t kvm_event_count(struct engine_vcpu *vcpu);

/*
 * answered.c. Find the statistics, once for all vCPUs of the host; read one, 0 for one that is not
 * there; and how many instructions KVM has answered since the last time, of those to be added.
 */
void kvm_answered_find(struct engine_vcpu *vcpu, struct kvm_costs *costs);
uint64_t kvm_answered_read(struct engine_vcpu *vcpu, uint64_t at);
uint64_t kvm_answered_since(struct engine_vcpu *vcpu);
void kvm_answered_close(struct engine_vcpu *vcpu);

/*
 * calibrate.c, in a machine with the GIC of the one given. -1: the event is no measure of
 * instructions, and why.
 */
int kvm_calibrate(const struct engine_vm *like, const struct kvm_sampler *sampler,
		  struct kvm_costs *costs, char *why, size_t size);

/*
 * alarm.c: kicks of this thread, every so many milliseconds or none, for a vCPU that has no thread
 * of its own. false: see vcpu->error, and there is nothing to close.
 */
struct kvm_alarm {
	timer_t timer;
	sigset_t before;
};
bool kvm_alarm_open(struct engine_vcpu *vcpu, struct kvm_alarm *alarm);
void kvm_alarm_every(const struct kvm_alarm *alarm, unsigned int milliseconds);
void kvm_alarm_close(struct engine_vcpu *vcpu, struct kvm_alarm *alarm);

/* skid.c: the worst skid, in instructions, of some tries with a loop at start. See vcpu->error. */
uint64_t kvm_measure_skid(struct engine_vcpu *vcpu, const struct kvm_alarm *alarm, uint64_t start);

/* step.c: before a single step. false: the instruction was emulated, and nothing is to run. */
bool kvm_step_before(struct engine_vcpu *vcpu);
/* After it: the guest is at the next instruction. */
void kvm_step_after(struct engine_vcpu *vcpu);

/* The step has not come to its end, and will not: the guest is where it was. */
void kvm_step_break(struct engine_vcpu *vcpu);

/* Is the exception that was just taken of a fetch? That is no operation. */
bool kvm_fetch_aborted(struct engine_vcpu *vcpu);

/*
 * block.c. Before the instruction at code, which the guest is at and which is not the selected one:
 * true if a path of them is to be stepped over.
 */
bool kvm_block_before(struct engine_vcpu *vcpu, const uint8_t *code);
void kvm_block_arm(const struct engine_vcpu *vcpu, struct kvm_guest_debug *debug);
/* At one of its breakpoints; or it is over before that. */
void kvm_block_after(struct engine_vcpu *vcpu);
void kvm_block_stop(struct engine_vcpu *vcpu);

/* sample.c: see spe_sample(). */
void kvm_sample_before(struct engine_vcpu *vcpu, uint32_t word, bool fetched);
void kvm_sample_after(struct engine_vcpu *vcpu, bool excepted);
/* The operation that kvm_sample_before() has seen is a member of the population. */
void kvm_operation(struct engine_vcpu *vcpu, bool excepted);

/* exclusive.c: a load or store exclusive, done at once. false: let the hardware do it. */
bool kvm_exclusive(struct engine_vcpu *vcpu, uint32_t word);

/* translate.c: through the guest's own tables. */
bool kvm_translate(struct engine_vcpu *vcpu, uint64_t va, enum arm_access access, unsigned int el,
		   struct arm_translation *t);
/* size bytes of RAM at pa, or NULL. */
uint8_t *kvm_ram(const struct engine_vcpu *vcpu, uint64_t pa, size_t size);
/* What is there, up to the end of its page; or NULL. */
const uint8_t *kvm_fetch(struct engine_vcpu *vcpu, uint64_t pc, unsigned int el, uint32_t *word);
struct spe_write_result kvm_spe_write(void *ctx, uint8_t owning_el, uint64_t va,
				      const uint8_t *bytes, size_t size);
/* FEAT_SPE_nVM: at an address that is the guest's physical one, and that KVM calls intermediate. */
struct spe_write_result kvm_spe_write_untranslated(void *ctx, const struct spe_untranslated *to,
						   const uint8_t *bytes, size_t size);

#endif

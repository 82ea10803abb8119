/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine runs the vCPUs of one virtual machine, and calls the machine for everything outside the
 * PE. The software CPU is one, KVM is another.
 *
 * Threads: an engine calls the machine back only from inside vcpu_run of the vCPU concerned. The
 * machine calls vcpu_run of a concurrent engine in a separate thread for each vCPU.
 */
#ifndef VSPE_ENGINE_H
#define VSPE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vspe/spe.h>

#include "arm/encoding.h"
#include "model/nodes.h"
#include <vspe/pmu.h>

struct engine_vm;
struct engine_vcpu;
struct state; /* base/state.h */

/* Guest RAM: contiguous, page-aligned, owned by the machine for the life of the engine. */
struct engine_ram {
	uint64_t base; /* guest physical address */
	uint64_t size; /* bytes */
	uint8_t *host;
};

/* The answer of a machine callback. */
enum engine_answer {
	ENGINE_OK,
	ENGINE_NONE, /* nothing there: external abort for MMIO, UNDEFINED for a system register */
};

/* Guest physical addresses, end excluded; empty: there is none. */
struct engine_range {
	uint64_t start, end;
};

/* The guest's interrupt controller. */
enum engine_gic { ENGINE_GIC_ANY, ENGINE_GIC_V2, ENGINE_GIC_V3 };
#define ENGINE_GICV2_CPUS 8u /* CPU interfaces at most (Arm IHI 0048, 1.2) */

/* What the machine provides to the engine. Every callback gets ctx and the index of the vCPU. */
struct engine_host {
	void *ctx;
	struct engine_ram ram;
	const struct model_nodes *nodes; /* of RAM, for --model; NULL: it is all the same */
	/*
	 * Memory that the guest can only read and execute, its base and size multiples of 4096. On
	 * the host it is as far from RAM as it is for the guest. Size 0: there is none, as with a
	 * concurrent engine.
	 */
	struct engine_ram rom;
	int device; /* what engine.open gave, or -1; the machine's, which outlives its VMs */
	struct engine_range image, initrd; /* where they are in it before the first instruction */
	/* Where a concurrent engine puts its GIC, of which version: guest physical addresses. */
	enum engine_gic gic;
	uint64_t gic_distributor, gic_redistributors, gic_cpu_interfaces;
	/* MMIO: an access outside RAM, size 1, 2, 4 or 8 bytes, naturally aligned. */
	enum engine_answer (*mmio_read)(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
					uint64_t *value);
	enum engine_answer (*mmio_write)(void *ctx, unsigned int cpu, uint64_t pa,
					 unsigned int size, uint64_t value);
	/*
	 * System registers that belong to devices: ICC_* and ICH_* of the GIC, CNT* of the generic
	 * timer. encoding is SYSREG_ENCODING() of the register that is accessed after redirection
	 * (CNTV_CTL_EL0 at EL2 with E2H is CNTHV_CTL_EL2), with ENGINE_SYSREG_VIRTUAL if the name
	 * ICC_* means the virtual CPU interface, ICV_*. The engine traps and checks by Exception
	 * level; it passes on only accesses that are allowed.
	 *
	 * CNTPCT_EL0 is the physical count, and CNTVCT_EL0 is that less CNTVOFF_EL2. If offsets do
	 * not apply, the engine reads another register or adds them itself; CNTVOFF_EL2 and
	 * CNTPOFF_EL2 are written with the offset in effect for the EL1 timers.
	 */
	enum engine_answer (*sysreg_read)(void *ctx, unsigned int cpu, uint32_t encoding,
					  uint64_t *value);
	enum engine_answer (*sysreg_write)(void *ctx, unsigned int cpu, uint32_t encoding,
					   uint64_t value);
	/* CNTPCT now, for SPE timestamps: exact to the operation being executed. */
	uint64_t (*counter)(void *ctx, unsigned int cpu);
	/*
	 * A line for the user, without newline, that an option of the engine has requested. May be
	 * NULL.
	 */
	void (*note)(void *ctx, const char *line);
	/* The SPE buffer interrupt line changed. */
	void (*spe_irq)(void *ctx, unsigned int cpu, bool level);
	/* size bytes of records were written to the guest's buffer, in order. May be NULL. */
	void (*spe_data)(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
	/* The level of the PMU's overflow interrupt request changed. Needed with a PMU. */
	void (*pmu_irq)(void *ctx, unsigned int cpu, bool level);
	/*
	 * An SPE PMU event (0x4000 SAMPLE_POP ...) happened count times, for statistics: the engine
	 * updates the guest's PMU. NULL: no statistics; spe_stats() has the totals anyway.
	 */
	void (*pmu_event)(void *ctx, unsigned int cpu, uint16_t event, uint64_t count);
};

/* Ored to the encoding of an ICC_* register: the virtual one. */
#define ENGINE_SYSREG_VIRTUAL (UINT32_C(1) << 16)

enum engine_exit_reason {
	ENGINE_EXIT_BUDGET, /* max_ops were executed, or request_exit was called */
	ENGINE_EXIT_WFI, /* the vCPU waits for an interrupt; call again when one may be pending */
	ENGINE_EXIT_WFE, /* like WFI, or when another vCPU did SEV; a yield is a legal answer */
	ENGINE_EXIT_HVC, /* HVC #imm executed; PC is after it. X0.. hold a PSCI call */
	ENGINE_EXIT_SMC, /* the same of SMC #imm,  */
	ENGINE_EXIT_OFF, /* the guest powered the machine off, by a call that the engine answered */
	ENGINE_EXIT_RESET, /* the same with a reset */
	ENGINE_EXIT_LOST, /* the guest can make no progress: its vectors cannot be fetched. why says
			     it */
	ENGINE_EXIT_ERROR, /* the engine failed; why says it */
};

struct engine_exit {
	enum engine_exit_reason reason;
	uint16_t call_imm;
	bool warm; /* for ENGINE_EXIT_RESET: memory keeps its contents */
	char why[320];
};

enum engine_security { ENGINE_NON_SECURE, ENGINE_SECURE, ENGINE_REALM };

/*
 * The Exception levels of a vCPU. The levels above the one that the guest starts at belong to the
 * machine: it answers HVC (start 1) and SMC (start 1 or 2), and sets their controls so that nothing
 * is trapped and SPE belongs to the guest.
 */
struct engine_levels {
	uint8_t start; /* 1 to 3; EL3 is in Secure state or, with rme, Root state */
	bool el2, el3; /* are implemented */
	bool sel2;     /* FEAT_SEL2: EL2 exists in Secure state too */
	bool rme;      /* FEAT_RME: only what SPE's ownership and traps need */
	enum engine_security
		security; /* of EL2 and EL1 at the start; needs el3 unless Non-secure */
};

/* What a machine needs from its engine. */
struct engine_wish {
	enum engine_gic gic;
	unsigned int cpus;
	uint64_t ram_end; /* the first guest physical address after RAM */
	struct engine_levels levels;
	enum pmu_version pmu;
	const struct spe_config *spe;	    /* NULL: no SPE */
	const struct engine_tuning *tuning; /* for this engine; NULL: the default */
};

/*
 * The options of `vspe run` that not all engines have. Their values are in a tuning, whose contents
 * only that engine knows: tuning_size bytes that begin as a copy of tuning_default, and may be
 * copied. The engine's options.toml has the words for users.
 */
struct engine_tuning;

struct engine_option {
	const char *name; /* without the two hyphens; NULL ends a table */
	bool has_value;
	/* 0; or -1, and what is wrong with value: a line without newline. value: or NULL. */
	int (*take)(struct engine_tuning *tuning, const char *value, char *what, size_t size);
};

/*
 * What an engine counts of a run in addition to the counts of all engines, at indexes that only the
 * engine knows. Over resets the machine adds up the counts, and keeps the last words.
 */
#define ENGINE_COUNTS 40
#define ENGINE_WORDS  3

struct engine_account {
	uint64_t counts[ENGINE_COUNTS];
	char words[ENGINE_WORDS][400]; /* empty: nothing to say */
};

/* Receives an engine's account: lines for people, counts and words by name. */
struct engine_listener {
	void *ctx;
	void (*line)(void *ctx, const char *line);
	void (*count)(void *ctx, const char *name, uint64_t value);
	void (*word)(void *ctx, const char *name, const char *text);
};

struct engine_vcpu_config {
	unsigned int index; /* 0-based; its affinity is arm_affinity() */
	uint32_t midr;
	struct engine_levels levels;
	const struct spe_config *spe; /* NULL: no SPE, PMSVer reads 0 */
	enum pmu_version pmu;
	uint64_t seed;			    /* of the random numbers of FEAT_RNG */
	const struct engine_tuning *tuning; /* NULL: the default one; valid during the call */
};

struct engine {
	const char *name; /* as in --engine */
	const struct engine_option *options;
	size_t tuning_size;
	const struct engine_tuning *tuning_default;
	/*
	 * Is such a machine possible on any host? 0, or -1 and a line that begins with the option
	 * of `vspe run` that is too much.
	 */
	int (*check)(const struct engine_wish *wish, char *why, size_t size);
	/*
	 * Take from the host what a sandbox forbids later, by the tuning. The engine does without
	 * what it cannot get. NULL: it needs nothing.
	 */
	void (*reserve)(const struct engine_tuning *tuning);
	/*
	 * The option that makes the engine write a file of unlimited size, if it was used, or NULL.
	 * NULL: there is no such option.
	 */
	const char *(*endless)(void);
	/*
	 * Adjust the tuning to the core of that name (vspe/spe_core.h), after all options. 0; or
	 * -1, and a line that begins with the option that is wrong. NULL: it does not depend on the
	 * core.
	 */
	int (*tuning_core)(struct engine_tuning *tuning, const char *core, char *why, size_t size);
	/*
	 * Save or load the part of a tuning that belongs to the machine; an empty one is the
	 * default. It is loaded into a copy of tuning_default. NULL: no part does.
	 */
	void (*tuning_state)(struct engine_tuning *tuning, struct state *state);
	/*
	 * Options of a machine that is restored: options that are not given get the saved values.
	 * 0; or -1 with the option that contradicts in given, and the saved value in has, of size
	 * bytes each. NULL with tuning_state.
	 */
	int (*tuning_adopt)(struct engine_tuning *tuning, const struct engine_tuning *saved,
			    char *given, char *has, size_t size);
	/*
	 * Does a tuning choose at random what the architecture leaves open? Then the random numbers
	 * start at *seed, which is otherwise not written. NULL: never.
	 */
	bool (*tuning_seed)(const struct engine_tuning *tuning, uint64_t *seed);
	/*
	 * Has the tuning a machine model, which knows where data comes from? NULL: never.
	 */
	bool (*tuning_models)(const struct engine_tuning *tuning);
	/*
	 * How often a line that a vCPU wrote has moved between the caches of the machine model's
	 * vCPUs. It depends on the guest alone; what it starts at is of no account. NULL: no
	 * model, or a concurrent engine.
	 */
	uint64_t (*line_moves)(const struct engine_vm *vm);
	/*
	 * The vCPUs run at the same time, by the host's clock, and the GIC, the timers and PSCI are
	 * the engine's own. Then max_ops, vcpu_irq and its kind, and the callbacks for system
	 * registers and the count are not used, and vcpu_request_exit may come from any thread.
	 */
	bool concurrent;
	/* Guests read engine_vcpu_config.midr; otherwise the host's MIDR_EL1. */
	bool own_midr;
	/* 0 if it can run here; otherwise -1 and why (a line without newline). */
	int (*probe)(char *why, size_t size);
	/*
	 * Can the host provide such a machine? 0, with a GIC chosen if any will do; -EINVAL and
	 * why, beginning with the option of `vspe run` that is too much; another negative errno and
	 * why, if the host provides no machine. NULL: all can be had, with a GICv3.
	 */
	int (*grant)(struct engine_wish *wish, char *why, size_t size);
	/*
	 * Open what all VMs of a machine are made of, for engine_host.device: afterwards nothing is
	 * opened by its path. A descriptor, which the caller closes, or -1 and why. NULL: nothing
	 * needs to be opened.
	 */
	int (*open)(char *why, size_t size);
	/* sandbox_need of base/sandbox.h: what it does beyond memory and time. */
	unsigned int needs;
	struct engine_vm *(*create)(const struct engine_host *host, unsigned int cpus);
	struct engine_vcpu *(*vcpu_create)(struct engine_vm *vm,
					   const struct engine_vcpu_config *config, char *why,
					   size_t size);
	/*
	 * Warm reset to levels.start with SP_ELx, the MMU off and DAIF masked, at pc, with x0.
	 */
	void (*vcpu_reset)(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0);
	/* Execute at most max_ops operations. */
	void (*vcpu_run)(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit);
	/* Operations executed by this vCPU since creation; exact also inside a callback. */
	uint64_t (*vcpu_ops)(const struct engine_vcpu *vcpu);
	/* n 0..30: Xn; 31: PC. */
	uint64_t (*vcpu_get)(const struct engine_vcpu *vcpu, unsigned int n);
	void (*vcpu_set)(struct engine_vcpu *vcpu, unsigned int n, uint64_t value);
	/* VBAR_ELx of the Exception level that the vCPU is at; 0 at EL0. NULL: not known. */
	uint64_t (*vcpu_vectors)(const struct engine_vcpu *vcpu);
	/* Level of the PE's IRQ input. Taken before the next operation when unmasked. */
	void (*vcpu_irq)(struct engine_vcpu *vcpu, bool level);
	/* The same for the FIQ input (Group 0 interrupts of the GIC); before IRQ when both are
	 * high. */
	void (*vcpu_fiq)(struct engine_vcpu *vcpu, bool level);
	/* The outputs of the virtual CPU interface: virtual IRQ and virtual FIQ. */
	void (*vcpu_virq)(struct engine_vcpu *vcpu, bool level);
	void (*vcpu_vfiq)(struct engine_vcpu *vcpu, bool level);
	/*
	 * Of a concurrent engine: by how many operations selected ones were missed, so that a later
	 * operation was sampled.
	 */
	uint64_t (*vcpu_skid)(const struct engine_vcpu *vcpu);
	/*
	 * Add what was counted to account, only of a concurrent engine with SPE; and pass an
	 * account to the listener. NULL: nothing is counted.
	 */
	void (*account)(const struct engine_vm *vm, struct engine_account *account);
	void (*tell)(const struct engine_account *account, const struct engine_listener *to);
	/*
	 * How many of its counts, the first ones, depend only on the guest: a machine is saved with
	 * them.
	 */
	unsigned int account_saved;
	/* Of a concurrent engine: level of an input of its GIC, a PPI of that vCPU or an SPI. */
	void (*irq_line)(struct engine_vm *vm, unsigned int cpu, unsigned int intid, bool level);
	/* Return from vcpu_run with ENGINE_EXIT_BUDGET after the current operation. */
	void (*vcpu_request_exit)(struct engine_vcpu *vcpu);
	/*
	 * Of a concurrent engine, from any thread: see whether the vCPU makes progress, and return
	 * from vcpu_run with ENGINE_EXIT_LOST if it never will.
	 */
	void (*vcpu_look)(struct engine_vcpu *vcpu);
	/* A one-line description of where the vCPU is (PC, EL, ESR, FAR), for error messages. */
	void (*vcpu_describe)(const struct engine_vcpu *vcpu, char *text, size_t size);
	/*
	 * Is it in a storm of UNDEFINED exceptions? Then text is a line about it, for a guest that
	 * never ends. NULL: the engine does not see them.
	 */
	bool (*vcpu_storm)(const struct engine_vcpu *vcpu, char *text, size_t size);
	/*
	 * Save or load the vCPU between two runs: all of its state but RAM that its future depends
	 * on. It is loaded into one that was just made with the same configuration, in a VM none of
	 * whose vCPUs has run. NULL: this engine cannot. After a failure (state->failed) the vCPU
	 * must not be run.
	 */
	void (*vcpu_state)(struct engine_vcpu *vcpu, struct state *state);
	/* The vCPU's unit, or NULL. */
	struct spe_unit *(*vcpu_spe)(struct engine_vcpu *vcpu);
	void (*destroy)(struct engine_vm *vm);
	/*
	 * The reason why this engine cannot honour a configuration of SPE (a line without newline;
	 * static storage), with the field's name in *field, or NULL. vcpu_create refuses it too.
	 * NULL for all that spe_config_check() accepts.
	 */
	const char *(*spe_lacks)(const struct spe_config *config, const char **field);
};

extern const struct engine engine_soft;
/* On a host that is not arm64 its probe says so, and everything else is missing. */
extern const struct engine engine_kvm;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libvspe-kvm: FEAT_SPE for the guests of a KVM program on arm64 Linux.
 *
 * KVM keeps the registers of SPE from its guests and has no exit for them (Linux,
 * Documentation/virt/kvm/api.rst). This library catches the accesses with BRKs in the guest's code,
 * breakpoints at its vectors or single steps; counts its operations with single steps or a perf
 * event; and passes both to a unit of libvspe (vspe/spe.h), whose records it writes to the guest's
 * memory through the guest's own tables. docs/libvspe-kvm.md is the guide.
 *
 * The program keeps its loop. There is one object for a VM, and one for each vCPU:
 *
 *	vspe_kvm_config_defaults(&config, sizeof(config));
 *	config.kvm, config.vm, config.regions ... = what the program has
 *	vspe_kvm_create(&vm, &config, why, sizeof(why));
 *	vspe_kvm_vcpu_create(&vcpu, vm, 0, vcpu_fd, run, &spe_config, why, sizeof(why));
 *	vspe_kvm_patch(vm, ranges, 1);			the code that the program has loaded
 *	for (;;) {
 *		result = vspe_kvm_before_run(vcpu);
 *		if (result == VSPE_KVM_RUN) {
 *			error = ioctl(vcpu_fd, KVM_RUN, 0) < 0 ? errno : 0;
 *			result = vspe_kvm_after_run(vcpu, error);
 *		}
 *		if (result < 0)
 *			fail with vspe_kvm_why(vcpu)
 *		if (result == VSPE_KVM_YOURS)
 *			the exit, or the error, as without this library
 *	}
 *
 * It uses all of KVM_SET_GUEST_DEBUG and, with several vCPUs, DBGVCR32_EL2, which shows that PSCI
 * has reset one. It reads and writes registers between two runs, calls KVM_RUN with immediate_exit
 * if an access to a device has to be finished before a step, and changes words of the guest's code.
 *
 * Threads: it starts none. Calls for a vCPU come from that vCPU's thread, and vCPUs may run at the
 * same time. Calls for a VM come while no vCPU runs, except vspe_kvm_sites(), which may come at any
 * time.
 *
 * Signals: none with VSPE_KVM_SAMPLER_STEP. With VSPE_KVM_SAMPLER_PERF the event ends KVM_RUN with
 * vspe_kvm_config.signal.
 *
 * Ownership: file descriptors, the mapping of struct kvm_run and the guest's memory are the
 * caller's, and have to stay until the objects are destroyed. Other pointers are not needed after a
 * call returns. Returned strings are in static storage, or in the vCPU until its next call.
 *
 * The guest is at EL1 and EL0, in AArch64 state at EL1; its PE has neither EL2 nor EL3 for it.
 */
#ifndef VSPE_KVM_H
#define VSPE_KVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vspe/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe-kvm.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

struct kvm_run; /* linux/kvm.h */
struct vspe_kvm;
struct vspe_kvm_vcpu;

/*
 * Errors, returned negated.
 */

#define VSPE_KVM_ESIZE 1
/* VSPE_KVM_ESIZE: struct vspe_kvm_config has another size than this library's: the caller was
 * compiled with the headers of another version. */
#define VSPE_KVM_EVALUE 2
/* VSPE_KVM_EVALUE: a value of an argument, which why names, that is out of its range. */
#define VSPE_KVM_EMEMORY 3
/* VSPE_KVM_EMEMORY: there is no memory for the object. */
#define VSPE_KVM_ECALL 4
/* VSPE_KVM_ECALL: a system call failed; why says which, and with what. */
#define VSPE_KVM_EBREAKPOINTS 5
/* VSPE_KVM_EBREAKPOINTS: VSPE_KVM_TRAP_BREAKPOINT, and KVM has less than two breakpoints. */
#define VSPE_KVM_EEVENT 6
/* VSPE_KVM_EEVENT: VSPE_KVM_SAMPLER_PERF, and the event cannot be had, or is no measure of
 * instructions on this host. */
#define VSPE_KVM_ESPE 7
/* VSPE_KVM_ESPE: a configuration of the unit that spe_config_check() refuses, or that no guest of
 * KVM can be given (vspe_kvm_lacks()). */
#define VSPE_KVM_ERESET 8
/* VSPE_KVM_ERESET: several vCPUs, and no DBGVCR32_EL2, by which a reset by PSCI is noticed. */
#define VSPE_KVM_ENATIVE 9
/* VSPE_KVM_ENATIVE: the kernel gives this vCPU SPE itself: see vspe_kvm_native(). */
#define VSPE_KVM_ERANGE 10
/* VSPE_KVM_ERANGE: a range that is not within one region of the guest's memory. */
#define VSPE_KVM_ERROR_MAX 10

/* One line of text for an error of this file, negative or positive; static storage, never NULL. */
const char *vspe_kvm_strerror(int error);

/*
 * The VM.
 */

/* How accesses to the registers of SPE, and to the ID registers that show it, are caught. */
enum vspe_kvm_trap {
	VSPE_KVM_TRAP_AUTO,	  /* patch and breakpoint; without breakpoints of the host, patch */
	VSPE_KVM_TRAP_PATCH,	  /* BRKs in their place, in the ranges of vspe_kvm_patch() */
	VSPE_KVM_TRAP_BREAKPOINT, /* breakpoints at EL1's vectors, to which KVM sends an access, in
				     code from anywhere; vspe_kvm_patch() for what KVM answers
				     itself: ID registers and PMBIDR_EL1 */
	VSPE_KVM_TRAP_STEP,	  /* every instruction is stepped: exact, and slow */
};

/* How operations are counted while profiling is enabled. */
enum vspe_kvm_sampler {
	VSPE_KVM_SAMPLER_STEP, /* each is stepped: exact, and slow */
	VSPE_KVM_SAMPLER_PERF, /* a perf event of the host, and steps for the last ones before a
				  selected operation */
};

/* The event of VSPE_KVM_SAMPLER_PERF. */
enum vspe_kvm_event {
	VSPE_KVM_EVENT_INSTRUCTIONS, /* PERF_COUNT_HW_INSTRUCTIONS */
	VSPE_KVM_EVENT_CYCLES, /* PERF_COUNT_HW_CPU_CYCLES, where so many are an instruction */
};

/* As many instructions as the event's interrupt is found to be late, and then some. */
#define VSPE_KVM_MARGIN_MEASURED UINT32_MAX
#define VSPE_KVM_MARGIN_MAX	 1000000u
#define VSPE_KVM_MULTIPLIER_MAX	 1000u
#define VSPE_KVM_CPUS_MAX	 4096u

/* A piece of the guest's memory that may be read and written: RAM, as a memory slot has it. */
struct vspe_kvm_region {
	uint64_t base; /* guest physical address, a multiple of 4096 */
	uint64_t size; /* bytes, a multiple of 4096 */
	void *host;    /* where it is in this process */
};

/* What becomes of an access in the guest's code. */
enum vspe_kvm_site_kind {
	VSPE_KVM_SITE_PATCHED,	  /* it became a BRK before the guest ran */
	VSPE_KVM_SITE_DATA,	  /* left alone: what is around it is no code */
	VSPE_KVM_SITE_SIGNED,	  /* left alone: it is in a signed kernel module */
	VSPE_KVM_SITE_COMPRESSED, /* not an access, but what is compressed and not looked into */
	VSPE_KVM_SITE_MET,	  /* it became a BRK while the guest ran */
	VSPE_KVM_SITE_KINDS
};

/*
 * What the library calls. ctx is that of struct vspe_kvm_config, and cpu the index of the vCPU.
 * Called in the thread of a call of this file for that vCPU, and calls nothing of this file but
 * vspe_kvm_operations(). Each may be NULL.
 */
struct vspe_kvm_callbacks {
	/*
	 * The level of the buffer interrupt, PMBIRQ, has changed; it is low at first. NULL: the
	 * library calls KVM_IRQ_LINE, for vspe_kvm_config.intid of the vCPU; the VM needs a GIC of
	 * KVM's then.
	 */
	void (*irq)(void *ctx, unsigned int cpu, bool level);
	/*
	 * The time for a record: the count that kind asks for. NULL: the guest's own counter, as
	 * its CNTVCT_EL0 reads, or the host's for the physical one.
	 */
	uint64_t (*counter)(void *ctx, unsigned int cpu, enum spe_timestamp kind);
	/* size bytes of records have been written to the guest's buffer, in this order. */
	void (*data)(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size);
	/*
	 * An access was found at the guest physical address pa, which was word, and this became of
	 * it. Also called by vspe_kvm_patch(), and from the thread of any vCPU.
	 */
	void (*site)(void *ctx, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind kind);
	/* An event of the PMU, 0x4000 SAMPLE_POP and so on, has happened count times. */
	void (*pmu_event)(void *ctx, unsigned int cpu, uint16_t event, uint64_t count);
};

struct vspe_kvm_config {
	size_t size;	   /* of this struct, as vspe_kvm_config_defaults() has set it */
	int kvm;	   /* the file descriptor of /dev/kvm */
	int vm;		   /* that of KVM_CREATE_VM */
	unsigned int cpus; /* vCPUs that the VM will have, 1 to VSPE_KVM_CPUS_MAX */
	const struct vspe_kvm_region *regions; /* copied; they do not overlap */
	size_t region_count;		       /* 1 or more */
	enum vspe_kvm_trap trap;
	enum vspe_kvm_sampler sampler;
	/* With VSPE_KVM_SAMPLER_PERF: */
	enum vspe_kvm_event event;
	uint32_t multiplier; /* events in an instruction, 1 to VSPE_KVM_MULTIPLIER_MAX */
	uint32_t margin;     /* instructions that are stepped before a selected one, to
				VSPE_KVM_MARGIN_MAX; or VSPE_KVM_MARGIN_MEASURED */
	/*
	 * The signal of the event, SIGUSR1 by default. It is for KVM_RUN alone: the first
	 * vspe_kvm_before_run() of a vCPU blocks it in its thread, which has to stay the same from
	 * then on, and has KVM let it through (KVM_SET_SIGNAL_MASK); vspe_kvm_after_run() takes
	 * pending ones. No handler is set up or needed. The program may send it to that thread to
	 * end a KVM_RUN, and sees EINTR; it has to remember why.
	 */
	int signal;
	/* The program has set that signal up itself, in the thread of each vCPU. */
	bool signal_is_set_up;
	uint32_t intid; /* of the buffer interrupt without callbacks.irq: a PPI, 16 to 31 */
	void *ctx;	/* of the callbacks */
	struct vspe_kvm_callbacks callbacks;
};

/*
 * The defaults: one vCPU, VSPE_KVM_TRAP_AUTO, VSPE_KVM_SAMPLER_STEP, instructions, multiplier 1, a
 * margin that is measured, SIGUSR1, PPI 21, no callbacks. File descriptors and regions are the
 * caller's to set. size: sizeof(struct vspe_kvm_config). 0, or -VSPE_KVM_ESIZE.
 */
int vspe_kvm_config_defaults(struct vspe_kvm_config *config, size_t size);

/*
 * Make the object of a VM, before its vCPUs run; its memory slots may be set up before or later.
 * With VSPE_KVM_SAMPLER_PERF the event is tried with a small VM of the library's own, in this
 * thread, which takes some milliseconds. 0; or a negative error and why, a line of text without
 * newline, in size bytes.
 */
int vspe_kvm_create(struct vspe_kvm **vm, const struct vspe_kvm_config *config, char *why,
		    size_t size);

/* Destroy it, and the vCPUs that it still has; NULL is nothing. Code stays patched. */
void vspe_kvm_destroy(struct vspe_kvm *vm);

enum vspe_kvm_range_kind {
	VSPE_KVM_RANGE_CODE,	      /* an image, as it is executed */
	VSPE_KVM_RANGE_INITRD,	      /* cpio archives for Linux, but for signed kernel modules */
	VSPE_KVM_RANGE_INITRD_SIGNED, /* these too: they lose their signature */
};

/* Something that is loaded: guest physical addresses, within one region. */
struct vspe_kvm_range {
	uint64_t base;
	uint64_t size; /* bytes */
	enum vspe_kvm_range_kind kind;
};

/*
 * Put BRKs in the place of the accesses in what is loaded, before the guest executes it. Pass all
 * ranges in one call if possible: the immediates of the BRKs are chosen so that no BRK in the
 * ranges of the first call has one. Does nothing with VSPE_KVM_TRAP_STEP. vspe_kvm_sites() has the
 * result. 0, or -VSPE_KVM_ERANGE with nothing patched.
 */
int vspe_kvm_patch(struct vspe_kvm *vm, const struct vspe_kvm_range *ranges, size_t count);

/* How accesses are trapped in effect: "patch and breakpoint", "patch", "breakpoint" or "step". */
const char *vspe_kvm_trap_name(const struct vspe_kvm *vm);

/* How many accesses of each kind were found so far. */
void vspe_kvm_sites(const struct vspe_kvm *vm, uint64_t counts[VSPE_KVM_SITE_KINDS]);

/*
 * How operations are counted, and what was found out about the event: a line of text without
 * newline, in size bytes.
 */
void vspe_kvm_describe_counting(const struct vspe_kvm *vm, char *text, size_t size);

/*
 * The vCPUs.
 */

/*
 * What in a configuration KVM cannot give to a guest: the reason, in static storage, with the
 * member's name in *field; or NULL. vspe_kvm_vcpu_create() refuses it.
 */
const char *vspe_kvm_lacks(const struct spe_config *config, const char **field);

/*
 * Does the kernel give SPE to this vCPU, a file descriptor after KVM_ARM_VCPU_INIT? 1 if its
 * ID_AA64DFR0_EL1.PMSVer is not 0 and KVM_GET_ONE_REG knows PMSCR_EL1: vspe_kvm_vcpu_create()
 * refuses it. 0 if not, as on all kernels up to Linux 6.12. PMSVer alone is not enough: a kernel
 * may leave the host's in a guest's register, and make the accesses UNDEFINED.
 */
int vspe_kvm_native(int fd);

/*
 * Make the object of vCPU index, 0 to cpus - 1, after KVM_ARM_VCPU_INIT and all that changes its ID
 * registers. fd: of KVM_CREATE_VCPU. run: its mapping. spe: the configuration of its
 * unit. 0; or a negative error and why, a line of text without newline, in size bytes.
 */
int vspe_kvm_vcpu_create(struct vspe_kvm_vcpu **vcpu, struct vspe_kvm *vm, unsigned int index,
			 int fd, struct kvm_run *run, const struct spe_config *spe, char *why,
			 size_t size);

/* Destroy it; NULL is nothing. */
void vspe_kvm_vcpu_destroy(struct vspe_kvm_vcpu *vcpu);

/* What vspe_kvm_before_run() and vspe_kvm_after_run() return if they do not fail. */
enum vspe_kvm_result {
	VSPE_KVM_RUN,	/* call KVM_RUN now, and then vspe_kvm_after_run() */
	VSPE_KVM_AGAIN, /* an instruction was executed for the guest, or KVM_RUN's exit was
			   answered: go on with vspe_kvm_before_run() */
	VSPE_KVM_YOURS, /* the exit in struct kvm_run, or the error of KVM_RUN, is the program's */
};

/*
 * Before KVM_RUN, once an exit for a device (KVM_EXIT_MMIO) has been answered in struct kvm_run:
 * arm what is needed. VSPE_KVM_RUN; VSPE_KVM_AGAIN, which a guest can cause for ever, so a program
 * should check each time whether to stop; or a negative error, and vspe_kvm_why().
 */
int vspe_kvm_before_run(struct vspe_kvm_vcpu *vcpu);

/*
 * After KVM_RUN. error: its errno if it failed, or 0. VSPE_KVM_AGAIN; VSPE_KVM_YOURS; or a negative
 * error, and vspe_kvm_why(). EINTR and EAGAIN are the program's, and no failure: a stepped
 * instruction may be unfinished then, with PSTATE.{I,F} set for it, so leave the registers alone
 * until another exit.
 */
int vspe_kvm_after_run(struct vspe_kvm_vcpu *vcpu, int error);

/* What failed last, a line of text without newline; "" if nothing has. A failed vCPU stays so. */
const char *vspe_kvm_why(const struct vspe_kvm_vcpu *vcpu);

/* The program has written registers of the vCPU, other than as the answer to an exit. */
void vspe_kvm_vcpu_changed(struct vspe_kvm_vcpu *vcpu);

/*
 * The program has reset the vCPU (KVM_ARM_VCPU_INIT): a Warm reset of the unit. What PSCI in the
 * kernel resets is noticed without this.
 */
void vspe_kvm_vcpu_reset(struct vspe_kvm_vcpu *vcpu);

/*
 * Its unit, which is the library's, for spe_stats(), spe_read() and the other functions that only
 * look, while the vCPU does not run.
 */
struct spe_unit *vspe_kvm_unit(struct vspe_kvm_vcpu *vcpu);

/*
 * Operations of the guest that were counted so far: those while profiling was enabled, and those
 * that were stepped or answered. Exact inside a callback, too.
 */
uint64_t vspe_kvm_operations(const struct vspe_kvm_vcpu *vcpu);

struct vspe_kvm_stats {
	uint64_t operations; /* as vspe_kvm_operations() */
	uint64_t skid;	     /* operations by which selected ones were missed; 0: all is exact */
	uint64_t interrupts; /* of the perf event */
	uint64_t in_vain;    /* of those, while nothing was counted */
	uint64_t displaced;  /* breakpoints of the guest that made room for the library's */
};

void vspe_kvm_stats(const struct vspe_kvm_vcpu *vcpu, struct vspe_kvm_stats *stats);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

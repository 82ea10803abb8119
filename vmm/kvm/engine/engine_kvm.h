/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The KVM engine, for its own files: a virtual machine on /dev/kvm of an arm64 host, and its vCPUs.
 * libvspe-kvm provides SPE, by vspe/kvm.h.
 */
#ifndef VSPE_KVM_ENGINE_H
#define VSPE_KVM_ENGINE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <vspe/kvm.h>

#include "arm/registers.h"
#include "engine.h"
#include "kvm/engine/tuning.h"
#include "kvm/host/host.h"
#include "kvm/model/model.h"

/* Sent to the thread of a vCPU to make KVM_RUN return; blocked everywhere else. */
#define KVM_KICK SIGUSR1

struct engine_vm {
	struct engine_host host;
	unsigned int cpus;
	int kvm, fd, gic; /* file descriptors, or -1 */
	enum pmu_version pmu;
	size_t run_size;	 /* of struct kvm_run as it is mapped */
	atomic_int line_error;	 /* errno of a KVM_IRQ_LINE that failed, or 0 */
	struct vspe_kvm *spe;	 /* or NULL */
	struct kvm_model *model; /* or NULL: arm/model.h */
	struct engine_vcpu **vcpu;
};

struct engine_vcpu {
	struct engine_vm *vm;
	unsigned int index;
	struct kvm_calls calls;
	struct kvm_run *run;
	struct vspe_kvm_vcpu *spe; /* or NULL */

	pthread_t thread; /* valid while running */
	atomic_bool running, stop;
	atomic_bool look; /* whether it makes progress */
	bool stuck;	  /* it seemed to make none when looked at last */
	bool prepared;	  /* its thread has set up the signals */
};

/* run.c */
void kvm_vcpu_run(struct engine_vcpu *vcpu, struct engine_exit *exit);
void kvm_request_exit(struct engine_vcpu *vcpu);
void kvm_look(struct engine_vcpu *vcpu); /* from any thread */

/* site.c: for struct vspe_kvm_callbacks, a line of --kvm-sites; ctx: the engine's VM. */
void kvm_tell_site(void *ctx, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind kind);

/*
 * pmu.c: the PMU that KVM gives a vCPU with KVM_ARM_VCPU_PMU_V3. vm: a VM in which a vCPU may be
 * made to find out its version. 0, or -EINVAL and why.
 */
int kvm_grant_pmu(int vm, enum pmu_version wish, char *why, size_t size);
/* Before anything reads the vCPU's ID registers. 0, or -1 and why. */
int kvm_pmu_choose(int vcpu, enum pmu_version version, char *why, size_t size);
/* Once all vCPUs and the GIC exist. 0, or -1 and why. */
int kvm_pmu_finish(struct engine_vm *vm, char *why, size_t size);

/* probe.c: 0, or -1 and why. */
int kvm_probe(char *why, size_t size);
int kvm_open(char *why, size_t size);				 /* engine.h */
int kvm_grant(struct engine_wish *wish, char *why, size_t size); /* engine.h */

#endif

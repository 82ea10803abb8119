/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM_RUN and what it returns for. A kick is a signal that is blocked but for the time in KVM_RUN,
 * where KVM_SET_SIGNAL_MASK lets it through: one that comes before waits there, so that none is
 * lost and no handler is needed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/step/step.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

#define SIGSET_BYTES 8 /* the kernel's sigset_t on arm64 */

/* DBGBCR<n>_EL1: E, PMC of EL1, BAS of a whole instruction; an unlinked address match. */
#define BREAKPOINT_EL1 (DBGBCR_EL1_E | ARM_VALUE(DBGBCR_EL1_PMC, 1) | DBGBCR_EL1_BAS)

static void kick_set(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, KVM_KICK);
}

/* Once, in the thread of the vCPU. */
void kvm_prepare(struct engine_vcpu *vcpu)
{
	union {
		struct kvm_signal_mask mask;
		uint8_t bytes[sizeof(struct kvm_signal_mask) + SIGSET_BYTES];
	} inside = {.mask = {.len = SIGSET_BYTES}};
	sigset_t kick, before;

	vcpu->thread = pthread_self();
	vcpu->prepared = true;
	kick_set(&kick);
	(void)pthread_sigmask(SIG_BLOCK, &kick, &before);
	(void)sigdelset(&before, KVM_KICK);
	memcpy(inside.mask.sigset, &before, SIGSET_BYTES);
	if (ioctl(vcpu->fd, KVM_SET_SIGNAL_MASK, &inside) < 0)
		kvm_fail(vcpu, "KVM_SET_SIGNAL_MASK");
}

void kvm_drain_kicks(struct engine_vcpu *vcpu)
{
	const struct timespec none = {0};
	siginfo_t info;
	sigset_t kick;

	kick_set(&kick);
	while (sigtimedwait(&kick, &info, &none) > 0)
		/* What comes from a file descriptor, and from no thread. */
		if (info.si_code > 0)
			kvm_count_overflow(vcpu);
}

static void kick_vcpu(struct engine_vcpu *vcpu)
{
	if (atomic_load(&vcpu->running))
		(void)pthread_kill(vcpu->thread, KVM_KICK);
}

void kvm_request_exit(struct engine_vcpu *vcpu)
{
	atomic_store(&vcpu->stop, true);
	kick_vcpu(vcpu);
}

void kvm_look(struct engine_vcpu *vcpu)
{
	atomic_store(&vcpu->look, true);
	kick_vcpu(vcpu);
}

void kvm_set_debug(struct engine_vcpu *vcpu)
{
	const bool step = vcpu->stepping || vcpu->vectors.over || vcpu->aside;
	const bool block = vcpu->stepping && !vcpu->aside && vcpu->block.plan.length > 0;
	struct kvm_guest_debug debug = {0};
	uint64_t armed = KVM_UNARMED, at[KVM_ARM_MAX_DBG_REGS];
	unsigned int vectors = 0;

	if (vcpu->spe)
		debug.control = KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_USE_SW_BP;
	if (block)
		kvm_block_arm(vcpu, &debug);
	else if (step)
		debug.control |= KVM_GUESTDBG_ENABLE | KVM_GUESTDBG_SINGLESTEP |
				 (vcpu->aside ? KVM_GUESTDBG_USE_HW : 0);
	else
		vectors = kvm_vectors_wanted(vcpu);
	if (vectors > 0)
		armed = vcpu->vectors.vbar;
	/* The ends of a block are others each time. */
	if (!block && debug.control == vcpu->debug && armed == vcpu->vectors.armed &&
	    vectors == vcpu->vectors.count && !(vectors > 0 && vcpu->own.stale))
		return;
	vcpu->debug = debug.control;
	vcpu->vectors.armed = armed;
	vcpu->vectors.count = vectors;
	for (unsigned int n = 0; n < vectors; n++)
		at[n] = armed + n * UINT64_C(0x200);
	if (vectors > 0) {
		debug.control |= KVM_GUESTDBG_USE_HW;
		kvm_debug_fill(vcpu, &debug, at, vectors, BREAKPOINT_EL1);
	}
	if (ioctl(vcpu->fd, KVM_SET_GUEST_DEBUG, &debug) < 0)
		kvm_fail(vcpu, "KVM_SET_GUEST_DEBUG");
}

/* The access that the vCPU was at ends in an external abort. */
static void abort_access(struct engine_vcpu *vcpu)
{
	struct kvm_vcpu_events events = {0};

	if (ioctl(vcpu->fd, KVM_GET_VCPU_EVENTS, &events) < 0) {
		kvm_fail(vcpu, "KVM_GET_VCPU_EVENTS");
		return;
	}
	events.exception.ext_dabt_pending = 1;
	if (ioctl(vcpu->fd, KVM_SET_VCPU_EVENTS, &events) < 0)
		kvm_fail(vcpu, "KVM_SET_VCPU_EVENTS");
}

static bool is_size(uint32_t len)
{
	return len == 1 || len == 2 || len == 4 || len == 8;
}

static void answer_mmio(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;
	struct kvm_run *run = vcpu->run;
	const uint64_t pa = run->mmio.phys_addr;
	const uint32_t len = run->mmio.len;
	enum engine_answer answer = ENGINE_NONE;
	uint64_t value = 0;

	if (!is_size(len) || pa % len != 0) {
		abort_access(vcpu);
		return;
	}
	if (run->mmio.is_write) {
		memcpy(&value, run->mmio.data, len);
		answer = host->mmio_write(host->ctx, vcpu->index, pa, len, value);
	} else {
		answer = host->mmio_read(host->ctx, vcpu->index, pa, len, &value);
		memcpy(run->mmio.data, &value, len);
	}
	if (answer == ENGINE_NONE)
		abort_access(vcpu);
}

static void set_why(struct engine_exit *exit, enum engine_exit_reason reason, const char *why)
{
	exit->reason = reason;
	(void)snprintf(exit->why, sizeof(exit->why), "%s", why);
}

/* false: vcpu_run is to return. */
static bool system_event(const struct kvm_run *run, struct engine_exit *exit)
{
	switch (run->system_event.type) {
	case KVM_SYSTEM_EVENT_SHUTDOWN: exit->reason = ENGINE_EXIT_OFF; return false;
	case KVM_SYSTEM_EVENT_RESET: exit->reason = ENGINE_EXIT_RESET; return false;
	default: set_why(exit, ENGINE_EXIT_LOST, "the guest says that it crashed"); return false;
	}
}

/* The same. */
static bool handle_exit(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	const struct kvm_run *run = vcpu->run;

	switch (run->exit_reason) {
	case KVM_EXIT_MMIO:
		kvm_count_trapped(vcpu);
		vcpu->completing = true;
		answer_mmio(vcpu);
		return true;
	case KVM_EXIT_ARM_NISV: abort_access(vcpu); return true;
	case KVM_EXIT_DEBUG: kvm_trap(vcpu); return true;
	case KVM_EXIT_INTR: return true;
	case KVM_EXIT_SYSTEM_EVENT: return system_event(run, exit);
	case KVM_EXIT_FAIL_ENTRY:
		exit->reason = ENGINE_EXIT_ERROR;
		(void)snprintf(exit->why, sizeof(exit->why),
			       "KVM_EXIT_FAIL_ENTRY: reason 0x%" PRIx64,
			       (uint64_t)run->fail_entry.hardware_entry_failure_reason);
		return false;
	default:
		exit->reason = ENGINE_EXIT_ERROR;
		(void)snprintf(exit->why, sizeof(exit->why), "KVM_RUN: exit reason %u",
			       run->exit_reason);
		return false;
	}
}

/* KVM does the rest of an access to a device when the guest runs again; here it only enters. */
static void complete_access(struct engine_vcpu *vcpu)
{
	vcpu->run->immediate_exit = 1;
	if (ioctl(vcpu->fd, KVM_RUN, 0) < 0 && errno != EINTR && errno != EAGAIN)
		kvm_fail(vcpu, "KVM_RUN");
	vcpu->run->immediate_exit = 0;
	vcpu->completing = false;
	kvm_forget(vcpu, false);
}

/* Let the guest run until it exits. false: vcpu_run is to return. */
static bool enter_guest(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	int result;

	if (vcpu->sampler.perf && !vcpu->mid_step)
		kvm_count_before(vcpu);
	if (vcpu->stepping && !vcpu->mid_step) {
		if (vcpu->completing)
			complete_access(vcpu);
		if (!kvm_step_before(vcpu))
			return true;
		vcpu->mid_step = true;
	}
	kvm_set_debug(vcpu);
	if (atomic_load(&vcpu->vm->line_error)) {
		errno = atomic_load(&vcpu->vm->line_error);
		kvm_fail(vcpu, "KVM_IRQ_LINE");
	}
	if (vcpu->error)
		return true;
	kvm_forget(vcpu, !vcpu->stepping);
	vcpu->completing = false;
	result = ioctl(vcpu->fd, KVM_RUN, 0);
	if (result < 0) {
		if (errno == EINTR)
			kvm_drain_kicks(vcpu);
		else if (errno != EAGAIN)
			kvm_fail(vcpu, "KVM_RUN");
	}
	if (vcpu->watched && kvm_power_look(vcpu))
		kvm_spe_changed(vcpu);
	if (vcpu->sampler.perf)
		kvm_count_after(vcpu, result == 0);
	if (atomic_exchange(&vcpu->look, false) &&
	    kvm_is_lost(vcpu, exit->why, sizeof(exit->why))) {
		exit->reason = ENGINE_EXIT_LOST;
		return false;
	}
	if (result < 0)
		return true;
	kvm_vectors_follow(vcpu);
	return handle_exit(vcpu, exit);
}

void kvm_vcpu_run(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	bool go_on = true;

	exit->reason = ENGINE_EXIT_BUDGET;
	if (!vcpu->prepared)
		kvm_prepare(vcpu);
	atomic_store(&vcpu->running, true);
	while (go_on && !vcpu->error && !atomic_exchange(&vcpu->stop, false))
		go_on = enter_guest(vcpu, exit);
	atomic_store(&vcpu->running, false);
	if (!vcpu->error)
		return;
	exit->reason = ENGINE_EXIT_ERROR;
	(void)snprintf(exit->why, sizeof(exit->why), "%s: %s", vcpu->failed, strerror(vcpu->error));
}

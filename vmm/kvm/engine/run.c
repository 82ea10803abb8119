/* SPDX-License-Identifier: BSD-2-Clause */
/* KVM_RUN and its exits, except for SPE. A kick is a signal for KVM_RUN alone (kvm/host/host.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kvm/engine/engine_kvm.h"

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

/*
 * Will it never execute an instruction again? KVM lets a guest take exceptions for ever. The
 * vector's first instruction generates the exception that leads to it: at the last look, and still
 * now.
 */
static bool is_lost(struct engine_vcpu *vcpu, char *why, size_t size)
{
	const uint64_t pstate = kvm_calls_get(&vcpu->calls, KVM_CORE(regs.pstate));
	const bool before = vcpu->stuck;
	uint64_t vector;

	vcpu->stuck = false;
	if (arm_field(pstate, SPSR_ELx_EL) != 1)
		return false;
	vector = kvm_calls_get(&vcpu->calls, KVM_SYSREG(VBAR_EL1)) +
		 (pstate & SPSR_ELx_SP ? 0x200 : 0);
	vcpu->stuck = kvm_calls_get(&vcpu->calls, KVM_CORE(regs.pc)) == vector &&
		      kvm_calls_get(&vcpu->calls, KVM_CORE(elr_el1)) == vector;
	if (!vcpu->stuck || !before || vcpu->calls.error)
		return false;
	(void)snprintf(why, size,
		       "the exception vector at 0x%" PRIx64 " generates an exception itself",
		       vector);
	return true;
}

/* End the vCPU's access in an external abort. */
static void abort_access(struct engine_vcpu *vcpu)
{
	struct kvm_vcpu_events events = {0};

	if (ioctl(vcpu->calls.fd, KVM_GET_VCPU_EVENTS, &events) < 0) {
		kvm_calls_fail(&vcpu->calls, "KVM_GET_VCPU_EVENTS");
		return;
	}
	events.exception.ext_dabt_pending = 1;
	if (ioctl(vcpu->calls.fd, KVM_SET_VCPU_EVENTS, &events) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_VCPU_EVENTS");
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
	case KVM_SYSTEM_EVENT_RESET:
		exit->reason = ENGINE_EXIT_RESET;
		exit->warm = run->system_event.ndata > 0 &&
			     run->system_event.data[0] & KVM_SYSTEM_EVENT_RESET_FLAG_PSCI_RESET2;
		return false;
	default: set_why(exit, ENGINE_EXIT_LOST, "the guest says that it crashed"); return false;
	}
}

/* The same. */
static bool handle_exit(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	const struct kvm_run *run = vcpu->run;

	switch (run->exit_reason) {
	case KVM_EXIT_MMIO: answer_mmio(vcpu); return true;
	case KVM_EXIT_ARM_NISV: abort_access(vcpu); return true;
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

/* The result of libvspe-kvm; false: vcpu_run must return, as it failed. */
static bool is_well(struct engine_vcpu *vcpu, int result, struct engine_exit *exit)
{
	if (result >= 0)
		return true;
	set_why(exit, ENGINE_EXIT_ERROR, vspe_kvm_why(vcpu->spe));
	return false;
}

/* Let the guest run until it exits. false: vcpu_run must return. */
static bool enter_guest(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	int result = vcpu->spe ? vspe_kvm_before_run(vcpu->spe) : VSPE_KVM_RUN;
	int error;

	if (result != VSPE_KVM_RUN)
		return is_well(vcpu, result, exit);
	if (atomic_load(&vcpu->vm->line_error)) {
		errno = atomic_load(&vcpu->vm->line_error);
		kvm_calls_fail(&vcpu->calls, "KVM_IRQ_LINE");
		return true;
	}
	error = ioctl(vcpu->calls.fd, KVM_RUN, 0) < 0 ? errno : 0;
	result = VSPE_KVM_YOURS;
	if (vcpu->spe)
		result = vspe_kvm_after_run(vcpu->spe, error);
	if (result < 0)
		return is_well(vcpu, result, exit);
	if (error == EINTR) {
		(void)kvm_signal_drain(KVM_KICK);
	} else if (error && error != EAGAIN) {
		errno = error;
		kvm_calls_fail(&vcpu->calls, "KVM_RUN");
	}
	if (atomic_exchange(&vcpu->look, false) && is_lost(vcpu, exit->why, sizeof(exit->why))) {
		exit->reason = ENGINE_EXIT_LOST;
		return false;
	}
	return error || result != VSPE_KVM_YOURS || handle_exit(vcpu, exit);
}

/* Once, in the thread of the vCPU: kicks are for KVM_RUN alone. */
static void prepare(struct engine_vcpu *vcpu)
{
	vcpu->thread = pthread_self();
	vcpu->prepared = true;
	if (kvm_signal_set_up(vcpu->calls.fd, KVM_KICK) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_SIGNAL_MASK");
}

void kvm_vcpu_run(struct engine_vcpu *vcpu, struct engine_exit *exit)
{
	bool go_on = true;

	exit->reason = ENGINE_EXIT_BUDGET;
	if (!vcpu->prepared)
		prepare(vcpu);
	atomic_store(&vcpu->running, true);
	while (go_on && !vcpu->calls.error && !atomic_exchange(&vcpu->stop, false))
		go_on = enter_guest(vcpu, exit);
	atomic_store(&vcpu->running, false);
	if (!vcpu->calls.error)
		return;
	exit->reason = ENGINE_EXIT_ERROR;
	(void)snprintf(exit->why, sizeof(exit->why), "%s: %s", vcpu->calls.failed,
		       strerror(vcpu->calls.error));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting the guest's instructions with a perf event on the vCPU's thread. The guest runs freely
 * until it is near the operation to be selected, and is then stepped there, as an event's interrupt
 * comes late. The event does not count instructions that end in an exit to vspe: they are added.
 * perf_event_open(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kvm/count/count.h"
#include "../../../sysreg/assertion.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

#ifndef F_SETSIG
#define F_SETSIG    10
#define F_SETOWN_EX 15
#define F_OWNER_TID 0
struct f_owner_ex {
	int type;
	pid_t pid;
};
#endif

void kvm_counter_close(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->counter.fd >= 0)
		(void)close(vcpu->counter.fd);
	vcpu->counter.fd = -1;
}

void kvm_count_overflow(struct vspe_kvm_vcpu *vcpu, unsigned int times)
{
	vcpu->counter.overflows += times;
	if (!vcpu->counter.counting)
		vcpu->counter.in_vain += times;
}

uint64_t kvm_event_count(struct vspe_kvm_vcpu *vcpu)
{
	uint64_t value = 0;

	if (read(vcpu->counter.fd, &value, sizeof(value)) != sizeof(value)) {
		/* End of file: the PMU has no counter for a pinned event. */
		errno = EBUSY;
		kvm_calls_fail(&vcpu->calls, "the perf event");
	}
	return value;
}

int kvm_event_open(struct vspe_kvm_vcpu *vcpu, bool user, bool kernel, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = vcpu->sampler.cycles ? PERF_COUNT_HW_CPU_CYCLES
					       : PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = period,
		.wakeup_events = 1,
		.pinned = 1,
		.exclude_host = 1,
		.exclude_user = !user,
		.exclude_kernel = !kernel,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		kvm_calls_fail(&vcpu->calls,
			       errno == EACCES || errno == EPERM
				       ? "perf_event_open, for which kernel.perf_event_paranoid "
					 "has to be 1 or less"
				       : "perf_event_open");
	return fd;
}

/* From now on. */
static void start_counter(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->counter.last = kvm_event_count(vcpu);
	(void)kvm_answered_since(vcpu);
}

void kvm_counter_open(struct vspe_kvm_vcpu *vcpu, bool user, bool kernel, uint64_t period)
{
	const struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
	struct kvm_counter *counter = &vcpu->counter;

	kvm_counter_close(vcpu);
	counter->fd = kvm_event_open(vcpu, user, kernel, period);
	if (counter->fd < 0)
		return;
	if (fcntl(counter->fd, F_SETOWN_EX, &owner) < 0 ||
	    fcntl(counter->fd, F_SETSIG, vcpu->sampler.signal) < 0 ||
	    fcntl(counter->fd, F_SETFL, O_ASYNC | O_NONBLOCK) < 0) {
		kvm_calls_fail(&vcpu->calls, "fcntl of the perf event");
		return;
	}
	counter->user = user;
	counter->kernel = kernel;
	counter->enabled = true;
	start_counter(vcpu);
}

/* Operations up to and including the selected one, in any place that counts. */
static uint64_t budget_at(struct vspe_kvm_vcpu *vcpu, bool kernel)
{
	if (vcpu->controls.el != kernel) {
		vcpu->controls.el = kernel;
		spe_update(vcpu->spe, &vcpu->controls);
	}
	return spe_budget(vcpu->spe);
}

/*
 * n operations have passed, none of which may be the selected one. If that has been passed, it is
 * late by so many. They are owed to the interval that follows, so that only this one is late.
 */
static void pass_operations(struct vspe_kvm_vcpu *vcpu, uint64_t n)
{
	const uint64_t left = budget_at(vcpu, vcpu->counter.kernel);

	vspe_assert_of(left != 0, n, vcpu->ops);
	if (n >= left) {
		vcpu->skid += n - left + 1;
		vcpu->counter.owed += n - left + 1;
		n = left - 1;
	}
	if (n > 0)
		(void)spe_advance(vcpu->spe, n);
	vcpu->ops += n;
}

/* The operation that was missed has been selected: operations that passed after it count now. */
static void pay_owed(struct vspe_kvm_vcpu *vcpu)
{
	const uint64_t owed = vcpu->counter.owed;

	vcpu->counter.owed = 0;
	pass_operations(vcpu, owed);
}

/* How many operations before the selected one the event may count; 0: none, as it is too near. */
static uint64_t event_distance(uint64_t left, unsigned int margin)
{
	return left > margin + UINT64_C(1) ? left - 1 - margin : 0;
}

/*
 * While nothing is profiled the event is idle: it causes no interrupts, and its counter of the PMU
 * is free. This costs a call for each change, not for each exit.
 */
static void turn_event(struct vspe_kvm_vcpu *vcpu, bool on)
{
	struct kvm_counter *counter = &vcpu->counter;

	if (counter->fd < 0 || counter->enabled == on)
		return;
	counter->enabled = on;
	if (ioctl(counter->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0)
		kvm_calls_fail(&vcpu->calls, "PERF_EVENT_IOC_ENABLE");
}

/* Nothing is to be counted for now. */
static void stop_counting(struct vspe_kvm_vcpu *vcpu)
{
	vcpu->counter.counting = false;
	turn_event(vcpu, false);
}

/* Step the rest: left operations, during which the event must not interrupt again. */
static void step_rest(struct vspe_kvm_vcpu *vcpu, uint64_t left)
{
	struct kvm_counter *counter = &vcpu->counter;

	vcpu->stepping = true;
	counter->counting = false;
	/*
	 * Each step may be an instruction that is counted twice, and the count starts anywhere in a
	 * period.
	 */
	if (counter->period <= 4 * left * vcpu->sampler.multiplier)
		turn_event(vcpu, false);
}

static void count_to(struct vspe_kvm_vcpu *vcpu, bool user, bool kernel, uint64_t period)
{
	struct kvm_counter *counter = &vcpu->counter;

	if (counter->fd < 0 || counter->user != user || counter->kernel != kernel) {
		kvm_counter_open(vcpu, user, kernel, period);
	} else {
		if (ioctl(counter->fd, PERF_EVENT_IOC_PERIOD, &period) < 0)
			kvm_calls_fail(&vcpu->calls, "PERF_EVENT_IOC_PERIOD");
		turn_event(vcpu, true);
		if (!counter->counting && !vcpu->calls.error)
			start_counter(vcpu);
	}
	counter->period = period;
	counter->counting = true;
}

void kvm_count_before(struct vspe_kvm_vcpu *vcpu)
{
	struct kvm_counter *counter = &vcpu->counter;
	const uint64_t pmscr = spe_read(vcpu->spe, SYSREG_PMSCR_EL1);
	const bool user = pmscr & PMSCR_EL1_E0SPE, kernel = pmscr & PMSCR_EL1_E1SPE;
	uint64_t left, away;

	if (counter->trapped > 0 && counter->counting)
		pass_operations(vcpu, counter->trapped);
	counter->trapped = 0;
	vcpu->stepping = vcpu->step_always || vcpu->own.ss;
	left = vcpu->stepping || !vcpu->profiling ? UINT64_MAX : budget_at(vcpu, kernel);
	/* Disabled, or the buffer is full: only an access can change that. */
	if (left == UINT64_MAX) {
		stop_counting(vcpu);
		vcpu->ops += counter->owed;
		counter->owed = 0;
		return;
	}
	if (counter->owed > 0 && left > 1) {
		pay_owed(vcpu);
		left = budget_at(vcpu, kernel);
	}
	away = event_distance(left, vcpu->sampler.margin);
	if (away == 0)
		step_rest(vcpu, left);
	else
		count_to(vcpu, user, kernel, away * vcpu->sampler.multiplier);
}

/* Does the event count what the guest executes at its present place? */
static bool counts_here(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_counter *counter = &vcpu->counter;

	if (!counter->counting || counter->user == counter->kernel)
		return counter->counting;
	kvm_place(vcpu);
	return PSTATE_EL(vcpu->known.pstate) ? counter->kernel : counter->user;
}

/*
 * May the event have counted the instruction of this exit? It is held back: the function that
 * answers the exit counts it, with the answer to an access or by kvm_count_trapped().
 */
static bool holds_back(const struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_costs *costs = &vcpu->vm->costs;
	const struct kvm_run *run = vcpu->run;

	switch (run->exit_reason) {
	case KVM_EXIT_MMIO: return costs->mmio;
	case KVM_EXIT_DEBUG: return costs->brk && arm_ec_of(run->debug.arch.hsr) == ARM_EC_BRK;
	default: return false;
	}
}

void kvm_count_after(struct vspe_kvm_vcpu *vcpu, bool exited)
{
	struct kvm_counter *counter = &vcpu->counter;
	const unsigned int multiplier = vcpu->sampler.multiplier;
	uint64_t passed;

	if (!counter->counting)
		return;
	passed = (kvm_event_count(vcpu) - counter->last) / multiplier;
	/* The part of an instruction that remains is for the next time. */
	counter->last += passed * multiplier;
	if (exited && passed > 0 && holds_back(vcpu) && counts_here(vcpu))
		passed--;
	/* At a vector: kvm_count_exception() knows the exception, and whether it was counted. */
	if (exited && passed > 0 && vcpu->run->exit_reason == KVM_EXIT_DEBUG &&
	    kvm_vectors_exit(vcpu)) {
		passed--;
		counter->trapped++;
	}
	pass_operations(vcpu, passed + kvm_answered_since(vcpu));
}

void kvm_count_trapped(struct vspe_kvm_vcpu *vcpu)
{
	if (counts_here(vcpu))
		vcpu->counter.trapped++;
}

/* Must an instruction with an exception of this class be added to what the event counts? */
static bool is_left_out(const struct kvm_costs *costs, uint32_t ec)
{
	switch (ec) {
	case ARM_EC_UNKNOWN:
	case ARM_EC_FP:
	case ARM_EC_BRANCH_TARGET:
	case ARM_EC_ILLEGAL_STATE:
	case ARM_EC_SYSREG: return !costs->undefined;
	case ARM_EC_SVC32:
	case ARM_EC_SVC: return !costs->svc;
	case ARM_EC_DATA_ABORT:
	case ARM_EC_DATA_ABORT | ARM_EC_SAME_EL:
	case ARM_EC_SP_ALIGNMENT:
	case ARM_EC_WATCHPOINT: return !costs->abort;
	default: return false; /* fetches that fail are no instructions */
	}
}

void kvm_count_exception(struct vspe_kvm_vcpu *vcpu, uint32_t ec, bool from_el1)
{
	struct kvm_counter *counter = &vcpu->counter;

	if ((from_el1 ? counter->kernel : counter->user) && is_left_out(&vcpu->vm->costs, ec))
		counter->trapped++;
}

void kvm_count_answered(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->counter.counting && vcpu->counter.kernel && vcpu->counter.trapped > 0)
		vcpu->counter.trapped--;
}

/* Append an item to a list that begins with what; *first: it is the first. */
static void list_kind(char *text, size_t size, const char *what, const char *item, bool *first)
{
	const size_t length = strlen(text);

	(void)snprintf(text + length, size - length, "%s %s", *first ? what : ",", item);
	*first = false;
}

/*
 * The instructions that KVM answers itself, and others that are counted once too often or too
 * rarely.
 */
static void describe_kinds(const struct kvm_costs *costs, char *text, size_t size)
{
	static const char added[] = "; added by KVM's statistics:";
	static const char doubtful[] = "; while profiled may be miscounted:";
	const enum kvm_verdict gic = costs->answered[KVM_ANSWERED_MMIO];
	const enum kvm_verdict hvc = costs->answered[KVM_ANSWERED_HVC];
	const enum kvm_verdict wfi = costs->answered[KVM_ANSWERED_WFI];
	bool first = true;

	if (gic == KVM_VERDICT_ADDED)
		list_kind(text, size, added, "accesses to the GIC", &first);
	if (hvc == KVM_VERDICT_ADDED)
		list_kind(text, size, added, "HVC", &first);
	if (wfi == KVM_VERDICT_ADDED)
		list_kind(text, size, added, "WFI", &first);
	first = true;
	if (gic == KVM_VERDICT_WRONG)
		list_kind(text, size, doubtful, "accesses to the GIC", &first);
	if (hvc != KVM_VERDICT_COUNTED)
		list_kind(text, size, doubtful, hvc == KVM_VERDICT_ADDED ? "SMC" : "calls", &first);
	if (wfi != KVM_VERDICT_COUNTED)
		list_kind(text, size, doubtful, wfi == KVM_VERDICT_ADDED ? "WFE" : "WFI and WFE",
			  &first);
	if (!costs->system)
		list_kind(text, size, doubtful, "registers KVM traps", &first);
	if (!costs->vectors && !(costs->svc && costs->undefined && costs->abort))
		list_kind(text, size, doubtful, "the guest's own exceptions", &first);
}

static void describe_event(const struct kvm_costs *costs, unsigned int margin, uint64_t overflows,
			   uint64_t in_vain, char *text, size_t size)
{
	(void)snprintf(text, size,
		       "%s, %u events an instruction; interrupts %" PRIu64 ", in vain %" PRIu64
		       "; late by at most %" PRIu64 " when tried, margin %u",
		       costs->noisy ? "not exact, as the event does not repeat" : "exact",
		       costs->multiplier, overflows, in_vain, costs->skid, margin);
	describe_kinds(costs, text, size);
}

void vspe_kvm_describe_counting(const struct vspe_kvm *vm, char *text, size_t size)
{
	const struct kvm_costs *costs = &vm->costs;
	uint64_t overflows = 0, in_vain = 0, displaced = 0;

	for (unsigned int i = 0; i < vm->cpus; i++) {
		displaced += vm->vcpu[i] ? vm->vcpu[i]->displaced : 0;
		overflows += vm->vcpu[i] ? vm->vcpu[i]->counter.overflows : 0;
		in_vain += vm->vcpu[i] ? vm->vcpu[i]->counter.in_vain : 0;
	}
	if (costs->multiplier == 0)
		(void)snprintf(text, size, "every instruction is stepped: exact");
	else
		describe_event(costs, vm->vcpu[0] ? vm->vcpu[0]->sampler.margin : 0, overflows,
			       in_vain, text, size);
	if (displaced > 0)
		(void)snprintf(text + strlen(text), size - strlen(text),
			       "; breakpoints of the guest that made room for ours %" PRIu64,
			       displaced);
}

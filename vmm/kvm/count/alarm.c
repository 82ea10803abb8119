/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer's signals for a vCPU: see kvm/count/alarm.h. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kvm/count/alarm.h"
#include "kvm/pe/pe.h"

/* glibc 2.36 has no name for it: sigevent(7). */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool kvm_alarm_open(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = vcpu->sampler.signal};
	sigset_t blocked;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &alarm->timer) < 0) {
		kvm_calls_fail(&vcpu->calls, "timer_create");
		return false;
	}
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, vcpu->sampler.signal);
	(void)pthread_sigmask(SIG_BLOCK, &blocked, &alarm->before);
	if (kvm_signal_set_up(vcpu->calls.fd, vcpu->sampler.signal) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_SIGNAL_MASK");
	return true;
}

void kvm_alarm_every(const struct kvm_alarm *alarm, unsigned int milliseconds)
{
	const struct timespec period = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000L,
	};
	const struct itimerspec when = {.it_value = period, .it_interval = period};

	(void)timer_settime(alarm->timer, 0, &when, NULL);
}

void kvm_alarm_close(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm)
{
	(void)timer_delete(alarm->timer);
	/* A pending one would end the process once the signal is unblocked. */
	(void)kvm_signal_drain(vcpu->sampler.signal);
	(void)pthread_sigmask(SIG_SETMASK, &alarm->before, NULL);
}

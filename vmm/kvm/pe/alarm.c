/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kicks for a vCPU that is run outside of its thread's loop, where nobody else would end a KVM_RUN
 * that does not end: a timer, and the signals as they are in that loop, until it is closed.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kvm/pe/pe.h"

/* glibc 2.36 has no name for it: sigevent(7). */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool kvm_alarm_open(struct engine_vcpu *vcpu, struct kvm_alarm *alarm)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = KVM_KICK};
	sigset_t kick;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &alarm->timer) < 0) {
		kvm_fail(vcpu, "timer_create");
		return false;
	}
	(void)sigemptyset(&kick);
	(void)sigaddset(&kick, KVM_KICK);
	(void)pthread_sigmask(SIG_BLOCK, &kick, &alarm->before);
	kvm_prepare(vcpu);
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

void kvm_alarm_close(struct engine_vcpu *vcpu, struct kvm_alarm *alarm)
{
	(void)timer_delete(alarm->timer);
	/* Where it is not blocked any more, it would end the process. */
	kvm_drain_kicks(vcpu);
	(void)pthread_sigmask(SIG_SETMASK, &alarm->before, NULL);
}

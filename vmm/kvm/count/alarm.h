/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals for this thread, every so many milliseconds or none, for a vCPU that is run outside its
 * thread's loop, where nothing else would end a KVM_RUN that does not return. Until it is closed,
 * the signals are set up as in that loop.
 */
#ifndef VSPE_KVM_ALARM_H
#define VSPE_KVM_ALARM_H

#include <signal.h>
#include <time.h>

#include "kvm/kvm.h"

struct kvm_alarm {
	timer_t timer;
	sigset_t before;
};

/* false: see vcpu->calls.error; nothing has to be closed. */
bool kvm_alarm_open(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm);
void kvm_alarm_every(const struct kvm_alarm *alarm, unsigned int milliseconds);
void kvm_alarm_close(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm);

#endif

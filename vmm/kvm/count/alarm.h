/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals for this thread, every so many milliseconds or none, for a vCPU that is run outside of
 * its thread's loop, where nobody else would end a KVM_RUN that does not end; and the signals as
 * they are in that loop, until it is closed.
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

/* false: see vcpu->calls.error, and there is nothing to close. */
bool kvm_alarm_open(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm);
void kvm_alarm_every(const struct kvm_alarm *alarm, unsigned int milliseconds);
void kvm_alarm_close(struct vspe_kvm_vcpu *vcpu, struct kvm_alarm *alarm);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations counted by a perf event of the host. */
#ifndef VSPE_KVM_COUNT_H
#define VSPE_KVM_COUNT_H

#include "kvm/count/alarm.h"
#include "kvm/pe/pe.h"

/*
 * counter.c: with a perf event, before the guest runs and after it has exited, or was interrupted.
 */
void kvm_count_before(struct vspe_kvm_vcpu *vcpu);
void kvm_count_after(struct vspe_kvm_vcpu *vcpu, bool exited);
/* Open vcpu->counter: the interrupt of its event is a signal for this thread. */
void kvm_counter_open(struct vspe_kvm_vcpu *vcpu, bool user, bool kernel, uint64_t period);
void kvm_counter_close(struct vspe_kvm_vcpu *vcpu);
/* The event's signal arrived so many times. */
void kvm_count_overflow(struct vspe_kvm_vcpu *vcpu, unsigned int times);
/* The guest was at an instruction that it did not complete: count it, unless that has been done. */
void kvm_count_trapped(struct vspe_kvm_vcpu *vcpu);
/* At a vector, after an exception of this class from EL1 or EL0. */
void kvm_count_exception(struct vspe_kvm_vcpu *vcpu, uint32_t ec, bool from_el1);
/* The access is answered, and counted with its answer. */
void kvm_count_answered(struct vspe_kvm_vcpu *vcpu);
/* An event for this thread, by vcpu->sampler. -1: see vcpu->calls.error. */
int kvm_event_open(struct vspe_kvm_vcpu *vcpu, bool user, bool kernel, uint64_t period);
uint64_t kvm_event_count(struct vspe_kvm_vcpu *vcpu);

/*
 * calibrate.c, in a separate machine on /dev/kvm. -1: the event is no measure of instructions, and
 * why.
 */
int kvm_calibrate(int kvm, const struct kvm_sampler *sampler, struct kvm_costs *costs, char *why,
		  size_t size);

/*
 * skid.c: the worst skid, in instructions, of a few tries with a loop at start. See
 * vcpu->calls.error.
 */
uint64_t kvm_measure_skid(struct vspe_kvm_vcpu *vcpu, const struct kvm_alarm *alarm,
			  uint64_t start);

#endif

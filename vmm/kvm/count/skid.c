/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measuring the skid of an event on this host: a guest that loops runs until the event's interrupt
 * has made it exit, several times, each with another period.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/count/skid.h"

#define TRIES	    24u
#define PERIOD	    2003u /* instructions; a step longer each time, so that no tries are alike */
#define PERIOD_STEP 37u
#define PATIENCE    5 /* seconds until an interrupt that does not come is given up */

/* Events until the guest was out, or 0. */
static uint64_t run_once(struct vspe_kvm_vcpu *vcpu, uint64_t start, uint64_t period,
			 const struct timespec *until)
{
	const uint64_t before = vcpu->counter.overflows;
	uint64_t events = 0;

	kvm_counter_open(vcpu, true, true, period);
	kvm_set(vcpu, KVM_CORE(regs.pc), start);
	while (!vcpu->calls.error && vcpu->counter.overflows == before) {
		struct timespec now;

		(void)clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > until->tv_sec) {
			errno = ETIME;
			kvm_calls_fail(&vcpu->calls, "the interrupt of the event");
		} else if (ioctl(vcpu->calls.fd, KVM_RUN, 0) == 0) {
			errno = EPROTO;
			kvm_calls_fail(&vcpu->calls, "the guest that measures skid");
		} else if (errno == EINTR) {
			kvm_count_overflow(vcpu, kvm_signal_drain(vcpu->sampler.signal));
		} else if (errno != EAGAIN) {
			kvm_calls_fail(&vcpu->calls, "KVM_RUN");
		}
	}
	if (!vcpu->calls.error)
		events = kvm_event_count(vcpu);
	kvm_counter_close(vcpu);
	return events;
}

uint64_t kvm_measure_skid(struct vspe_kvm_vcpu *vcpu, const struct kvm_alarm *alarm, uint64_t start)
{
	const unsigned int multiplier = vcpu->sampler.multiplier;
	struct timespec until;
	uint64_t worst = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE;
	kvm_alarm_every(alarm, 1000);
	for (unsigned int n = 0; n < TRIES && !vcpu->calls.error; n++) {
		const uint64_t period = (uint64_t)(PERIOD + n * PERIOD_STEP) * multiplier;
		const uint64_t events = run_once(vcpu, start, period, &until);
		const uint64_t skid = kvm_skid_of(events, period, multiplier);

		/* The first one only lets the host get used to it. */
		if (n > 0 && skid > worst)
			worst = skid;
	}
	kvm_alarm_every(alarm, 0);
	return worst;
}

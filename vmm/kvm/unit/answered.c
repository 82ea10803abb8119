/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that KVM answers itself (accesses to its GIC, HVC, WFI) and that the perf event
 * leaves out: KVM's statistics of the vCPU say how many there were. Calls come from EL1. The origin
 * of the others is unknown; they are counted as EL1's, where drivers and idle loops are.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kvm/pe/pe.h"
#include "kvm/unit/unit.h"

static const char *const names[KVM_ANSWERED_KINDS] = {
	[KVM_ANSWERED_MMIO] = "mmio_exit_kernel",
	[KVM_ANSWERED_HVC] = "hvc_exit_stat",
	[KVM_ANSWERED_WFI] = "wfi_exit_stat",
};

/* false: the host has none. */
static bool open_stats(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->counter.stats < 0 &&
	    ioctl(vcpu->vm->kvm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) > 0)
		vcpu->counter.stats = ioctl(vcpu->calls.fd, KVM_GET_STATS_FD, NULL);
	return vcpu->counter.stats >= 0;
}

void kvm_answered_close(struct vspe_kvm_vcpu *vcpu)
{
	if (vcpu->counter.stats >= 0)
		(void)close(vcpu->counter.stats);
	vcpu->counter.stats = -1;
}

void kvm_answered_find(struct vspe_kvm_vcpu *vcpu, struct kvm_costs *costs)
{
	uint8_t header[KVM_STATS_HEADER], *descriptors;
	struct kvm_stats stats;
	ssize_t size;

	if (!open_stats(vcpu) ||
	    pread(vcpu->counter.stats, header, sizeof(header), 0) != sizeof(header) ||
	    !kvm_stats_header(header, &stats))
		return;
	descriptors = malloc(kvm_stats_descriptors_size(&stats));
	if (!descriptors)
		return;
	size = pread(vcpu->counter.stats, descriptors, kvm_stats_descriptors_size(&stats),
		     (off_t)stats.descriptors_at);
	for (unsigned int kind = 0; size > 0 && kind < KVM_ANSWERED_KINDS; kind++) {
		const uint64_t at = kvm_stats_find(&stats, descriptors, (size_t)size, names[kind]);
		uint64_t value;

		if (pread(vcpu->counter.stats, &value, sizeof(value), (off_t)at) == sizeof(value))
			costs->stat_at[kind] = at;
	}
	free(descriptors);
}

uint64_t kvm_answered_read(struct vspe_kvm_vcpu *vcpu, uint64_t at)
{
	uint64_t value = 0;

	if (at == 0)
		return 0;
	if (!open_stats(vcpu) ||
	    pread(vcpu->counter.stats, &value, sizeof(value), (off_t)at) != sizeof(value)) {
		errno = EIO;
		kvm_calls_fail(&vcpu->calls, "KVM_GET_STATS_FD");
	}
	return value;
}

uint64_t kvm_answered_since(struct vspe_kvm_vcpu *vcpu)
{
	const struct kvm_costs *costs = &vcpu->vm->costs;
	struct kvm_counter *counter = &vcpu->counter;
	uint64_t since = 0;

	for (unsigned int kind = 0; counter->kernel && kind < KVM_ANSWERED_KINDS; kind++) {
		uint64_t now;

		if (costs->answered[kind] != KVM_VERDICT_ADDED)
			continue;
		now = kvm_answered_read(vcpu, costs->stat_at[kind]);
		since += now - counter->told[kind];
		counter->told[kind] = now;
	}
	return since;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers, attributes and interrupt lines, by file descriptors. */
#include <errno.h>
#include <sys/ioctl.h>

#include "kvm/host/host.h"

void kvm_calls_fail(struct kvm_calls *calls, const char *what)
{
	if (calls->error)
		return;
	calls->error = errno;
	calls->failed = what;
}

uint64_t kvm_calls_get(struct kvm_calls *calls, uint64_t id)
{
	uint64_t value = 0;

	if (!kvm_read_one(calls->fd, id, &value))
		kvm_calls_fail(calls, "KVM_GET_ONE_REG");
	return value;
}

void kvm_calls_set(struct kvm_calls *calls, uint64_t id, uint64_t value)
{
	if (!kvm_write_one(calls->fd, id, value))
		kvm_calls_fail(calls, "KVM_SET_ONE_REG");
}

int kvm_set_attribute(int fd, uint32_t group, uint64_t attribute, const void *value)
{
	const struct kvm_device_attr attr = {
		.group = group, .attr = attribute, .addr = (uintptr_t)value};

	return ioctl(fd, KVM_SET_DEVICE_ATTR, &attr);
}

int kvm_set_line(int vm, unsigned int cpu, unsigned int intid, bool level)
{
	const bool ppi = intid < 32;
	const struct kvm_irq_level line = {
		.irq = (uint32_t)(ppi ? KVM_ARM_IRQ_TYPE_PPI : KVM_ARM_IRQ_TYPE_SPI)
			       << KVM_ARM_IRQ_TYPE_SHIFT |
		       (ppi ? cpu & KVM_ARM_IRQ_VCPU_MASK : 0) << KVM_ARM_IRQ_VCPU_SHIFT |
		       (ppi ? cpu >> 8 & KVM_ARM_IRQ_VCPU2_MASK : 0) << KVM_ARM_IRQ_VCPU2_SHIFT |
		       intid,
		.level = level,
	};

	return ioctl(vm, KVM_IRQ_LINE, &line);
}

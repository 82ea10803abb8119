/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes and interrupt lines, by file descriptors. */
#include <sys/ioctl.h>

#include "kvm/host/host.h"

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

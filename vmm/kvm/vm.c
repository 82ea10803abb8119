/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a virtual machine: its memory, its vCPUs, its interrupt controller. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm/kvm.h"

#define INTERRUPTS 64u /* SGIs, PPIs and as many SPIs: the fewest that KVM takes */

static int fail(const char *what, char *why, size_t size)
{
	(void)snprintf(why, size, "%s: %s", what, strerror(errno));
	return -1;
}

int kvm_vm_open(struct engine_vm *vm, char *why, size_t size)
{
	const struct engine_ram *ram = &vm->host.ram;
	const struct kvm_userspace_memory_region region = {
		.guest_phys_addr = ram->base,
		.memory_size = ram->size,
		.userspace_addr = (uintptr_t)ram->host,
	};
	struct kvm_enable_cap nisv = {.cap = KVM_CAP_ARM_NISV_TO_USER};
	int run_size;

	vm->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (vm->kvm < 0)
		return fail("/dev/kvm", why, size);
	if (kvm_check(vm->kvm, why, size) < 0)
		return -1;
	run_size = ioctl(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (run_size < (int)sizeof(struct kvm_run))
		return fail("KVM_GET_VCPU_MMAP_SIZE", why, size);
	vm->run_size = (size_t)run_size;
	vm->fd = ioctl(vm->kvm, KVM_CREATE_VM, 0);
	if (vm->fd < 0)
		return fail("KVM_CREATE_VM", why, size);
	if (ioctl(vm->fd, KVM_ENABLE_CAP, &nisv) < 0)
		return fail("KVM_CAP_ARM_NISV_TO_USER", why, size);
	/* Larger pages make the walks of stage 2 shorter; a host without them does as well. */
	(void)madvise(ram->host, ram->size, MADV_HUGEPAGE);
	if (ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		return fail("KVM_SET_USER_MEMORY_REGION", why, size);
	return 0;
}

int kvm_vcpu_open(struct engine_vcpu *vcpu, char *why, size_t size)
{
	struct engine_vm *vm = vcpu->vm;
	struct kvm_vcpu_init init;
	void *run;

	vcpu->fd = ioctl(vm->fd, KVM_CREATE_VCPU, vcpu->index);
	if (vcpu->fd < 0)
		return fail("KVM_CREATE_VCPU", why, size);
	if (ioctl(vm->fd, KVM_ARM_PREFERRED_TARGET, &init) < 0)
		return fail("KVM_ARM_PREFERRED_TARGET", why, size);
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	if (vcpu->index > 0)
		init.features[0] |= 1u << KVM_ARM_VCPU_POWER_OFF;
	if (ioctl(vcpu->fd, KVM_ARM_VCPU_INIT, &init) < 0)
		return fail("KVM_ARM_VCPU_INIT", why, size);
	run = mmap(NULL, vm->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
	if (run == MAP_FAILED)
		return fail("mmap of a vCPU", why, size);
	vcpu->run = run;
	return 0;
}

static int set_attribute(int fd, uint32_t group, uint64_t attribute, const void *value)
{
	const struct kvm_device_attr attr = {
		.group = group, .attr = attribute, .addr = (uintptr_t)value};

	return ioctl(fd, KVM_SET_DEVICE_ATTR, &attr);
}

int kvm_vm_finish(struct engine_vm *vm, char *why, size_t size)
{
	struct kvm_create_device gic = {.type = KVM_DEV_TYPE_ARM_VGIC_V3};
	const uint64_t distributor = vm->host.gic_distributor;
	const uint64_t redistributors = vm->host.gic_redistributors;
	const uint32_t interrupts = INTERRUPTS;

	if (ioctl(vm->fd, KVM_CREATE_DEVICE, &gic) < 0) {
		(void)snprintf(why, size, "the host's KVM has no GICv3 for guests: %s",
			       strerror(errno));
		return -1;
	}
	vm->gic = (int)gic.fd;
	if (set_attribute(vm->gic, KVM_DEV_ARM_VGIC_GRP_NR_IRQS, 0, &interrupts) < 0)
		return fail("KVM_DEV_ARM_VGIC_GRP_NR_IRQS", why, size);
	if (set_attribute(vm->gic, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST,
			  &distributor) < 0)
		return fail("KVM_VGIC_V3_ADDR_TYPE_DIST", why, size);
	if (set_attribute(vm->gic, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST,
			  &redistributors) < 0)
		return fail("KVM_VGIC_V3_ADDR_TYPE_REDIST", why, size);
	if (set_attribute(vm->gic, KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL) < 0)
		return fail("KVM_DEV_ARM_VGIC_CTRL_INIT", why, size);
	return 0;
}

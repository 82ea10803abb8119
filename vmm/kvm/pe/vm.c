/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a virtual machine: its memory, its vCPUs, its interrupt controller. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm/pe/pe.h"

#define INTERRUPTS 64u /* SGIs, PPIs and as many SPIs: the fewest that KVM takes */

static int fail_call(const char *what, char *why, size_t size)
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

	run_size = ioctl(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (run_size < (int)sizeof(struct kvm_run))
		return fail_call("KVM_GET_VCPU_MMAP_SIZE", why, size);
	vm->run_size = (size_t)run_size;
	vm->fd = ioctl(vm->kvm, KVM_CREATE_VM, kvm_vm_type(vm->kvm));
	if (vm->fd < 0)
		return fail_call("KVM_CREATE_VM", why, size);
	if (ioctl(vm->fd, KVM_ENABLE_CAP, &nisv) < 0)
		return fail_call("KVM_CAP_ARM_NISV_TO_USER", why, size);
	/* Larger pages make the walks of stage 2 shorter; a host without them does as well. */
	(void)madvise(ram->host, ram->size, MADV_HUGEPAGE);
	if (ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		return fail_call("KVM_SET_USER_MEMORY_REGION", why, size);
	return 0;
}

int kvm_vcpu_open(struct engine_vcpu *vcpu, char *why, size_t size)
{
	struct engine_vm *vm = vcpu->vm;
	struct kvm_vcpu_init init;
	void *run;

	vcpu->fd = ioctl(vm->fd, KVM_CREATE_VCPU, vcpu->index);
	if (vcpu->fd < 0)
		return fail_call("KVM_CREATE_VCPU", why, size);
	if (ioctl(vm->fd, KVM_ARM_PREFERRED_TARGET, &init) < 0)
		return fail_call("KVM_ARM_PREFERRED_TARGET", why, size);
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	if (vm->pmu != ARM_PMU_NONE)
		init.features[0] |= 1u << KVM_ARM_VCPU_PMU_V3;
	if (vcpu->index > 0)
		init.features[0] |= 1u << KVM_ARM_VCPU_POWER_OFF;
	if (ioctl(vcpu->fd, KVM_ARM_VCPU_INIT, &init) < 0)
		return fail_call("KVM_ARM_VCPU_INIT", why, size);
	run = mmap(NULL, vm->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
	if (run == MAP_FAILED)
		return fail_call("mmap of a vCPU", why, size);
	vcpu->run = run;
	return 0;
}

/* A step of making the GIC: an attribute, and its name for messages. */
struct attribute {
	uint32_t group;
	uint64_t attribute;
	const void *value;
	const char *name;
};

#define ATTRIBUTE(group, attribute, value)                      \
	{                                                       \
		group, attribute, value, #group ", " #attribute \
	}

static int make_gic(struct engine_vm *vm, uint32_t type, const struct attribute *attributes,
		    size_t count, char *why, size_t size)
{
	struct kvm_create_device gic = {.type = type};

	if (ioctl(vm->fd, KVM_CREATE_DEVICE, &gic) < 0)
		return fail_call("KVM_CREATE_DEVICE of the GIC", why, size);
	vm->gic = (int)gic.fd;
	for (size_t i = 0; i < count; i++)
		if (kvm_set_attribute(vm->gic, attributes[i].group, attributes[i].attribute,
				      attributes[i].value) < 0)
			return fail_call(attributes[i].name, why, size);
	return 0;
}

int kvm_vm_finish(struct engine_vm *vm, char *why, size_t size)
{
	const uint32_t interrupts = INTERRUPTS;
	const struct attribute v2[] = {
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_NR_IRQS, 0, &interrupts),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V2_ADDR_TYPE_DIST,
			  &vm->host.gic_distributor),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V2_ADDR_TYPE_CPU,
			  &vm->host.gic_cpu_interfaces),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL),
	};
	const struct attribute v3[] = {
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_NR_IRQS, 0, &interrupts),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST,
			  &vm->host.gic_distributor),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST,
			  &vm->host.gic_redistributors),
		ATTRIBUTE(KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL),
	};

	if (vm->host.gic == ENGINE_GIC_V2)
		return make_gic(vm, KVM_DEV_TYPE_ARM_VGIC_V2, v2, sizeof(v2) / sizeof(v2[0]), why,
				size);
	return make_gic(vm, KVM_DEV_TYPE_ARM_VGIC_V3, v3, sizeof(v3) / sizeof(v3[0]), why, size);
}

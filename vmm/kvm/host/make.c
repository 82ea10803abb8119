/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a virtual machine: its memory, its vCPUs, its interrupt controller. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm/host/host.h"

#define INTERRUPTS	 64u /* SGIs, PPIs and as many SPIs: the fewest that KVM takes */
#define DEFAULT_IPA_BITS 40  /* of a virtual machine of type 0 */

static int fail_call(const char *what, char *why, size_t size)
{
	(void)snprintf(why, size, "%s: %s", what, strerror(errno));
	return -1;
}

/*
 * Hosts with fewer bits refuse the default; more would cost a level of stage 2, and are not needed.
 */
unsigned int kvm_ipa_bits(int kvm)
{
	const int bits = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_VM_IPA_SIZE);

	return bits > 0 && bits < DEFAULT_IPA_BITS ? (unsigned int)bits : DEFAULT_IPA_BITS;
}

bool kvm_has_gic(int vm, uint32_t type)
{
	struct kvm_create_device gic = {.type = type, .flags = KVM_CREATE_DEVICE_TEST};

	return ioctl(vm, KVM_CREATE_DEVICE, &gic) == 0;
}

int kvm_make_vm(int kvm, const struct kvm_userspace_memory_region *ram, char *why, size_t size)
{
	const unsigned int bits = kvm_ipa_bits(kvm);
	const int vm =
		ioctl(kvm, KVM_CREATE_VM,
		      bits < DEFAULT_IPA_BITS ? KVM_VM_TYPE_ARM_IPA_SIZE((unsigned long)bits) : 0);

	if (vm < 0)
		return fail_call("KVM_CREATE_VM", why, size);
	if (!ram)
		return vm;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, ram) == 0)
		return vm;
	(void)fail_call("KVM_SET_USER_MEMORY_REGION", why, size);
	(void)close(vm);
	return -1;
}

int kvm_run_size(int kvm, char *why, size_t size)
{
	const int run_size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	if (run_size < (int)sizeof(struct kvm_run))
		return fail_call("KVM_GET_VCPU_MMAP_SIZE", why, size);
	return run_size;
}

int kvm_make_vcpu(int vm, unsigned int index, uint32_t features, char *why, size_t size)
{
	const int vcpu = ioctl(vm, KVM_CREATE_VCPU, index);
	struct kvm_vcpu_init init;
	const char *failed = NULL;

	if (vcpu < 0)
		return fail_call("KVM_CREATE_VCPU", why, size);
	if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) < 0)
		failed = "KVM_ARM_PREFERRED_TARGET";
	init.features[0] |= features;
	if (!failed && ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) < 0)
		failed = "KVM_ARM_VCPU_INIT";
	if (!failed)
		return vcpu;
	(void)fail_call(failed, why, size);
	(void)close(vcpu);
	return -1;
}

struct kvm_run *kvm_map_run(int vcpu, size_t run_size, char *why, size_t size)
{
	void *run = mmap(NULL, run_size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);

	if (run != MAP_FAILED)
		return run;
	(void)fail_call("mmap of a vCPU", why, size);
	return NULL;
}

int kvm_make_gic(int vm, uint32_t type, const uint64_t address[2], char *why, size_t size)
{
	const bool v2 = type == KVM_DEV_TYPE_ARM_VGIC_V2;
	const uint32_t interrupts = INTERRUPTS;
	const struct {
		uint32_t group;
		uint64_t attribute;
		const void *value;
		const char *name;
	} attributes[] = {
		{KVM_DEV_ARM_VGIC_GRP_NR_IRQS, 0, &interrupts, "KVM_DEV_ARM_VGIC_GRP_NR_IRQS"},
		{KVM_DEV_ARM_VGIC_GRP_ADDR,
		 v2 ? KVM_VGIC_V2_ADDR_TYPE_DIST : KVM_VGIC_V3_ADDR_TYPE_DIST, &address[0],
		 v2 ? "KVM_VGIC_V2_ADDR_TYPE_DIST" : "KVM_VGIC_V3_ADDR_TYPE_DIST"},
		{KVM_DEV_ARM_VGIC_GRP_ADDR,
		 v2 ? KVM_VGIC_V2_ADDR_TYPE_CPU : KVM_VGIC_V3_ADDR_TYPE_REDIST, &address[1],
		 v2 ? "KVM_VGIC_V2_ADDR_TYPE_CPU" : "KVM_VGIC_V3_ADDR_TYPE_REDIST"},
		{KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL,
		 "KVM_DEV_ARM_VGIC_CTRL_INIT"},
	};
	struct kvm_create_device gic = {.type = type};

	if (ioctl(vm, KVM_CREATE_DEVICE, &gic) < 0)
		return fail_call("KVM_CREATE_DEVICE of the GIC", why, size);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (kvm_set_attribute((int)gic.fd, attributes[i].group, attributes[i].attribute,
				      attributes[i].value) == 0)
			continue;
		(void)fail_call(attributes[i].name, why, size);
		(void)close((int)gic.fd);
		return -1;
	}
	return (int)gic.fd;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual machine by KVM, which uses most of EL2: stage 2, traps, the virtual CPU interface of
 * the GIC, the virtual timer and its offset. Its guest is vm.S.
 */
#include <linux/kvm.h>

#include "kvm.h"
#include "user.h"
#include "vm.h"

#define VM_SIZE	     0x10000
#define VM_EXITS_MAX 100
#define REG_PC	     (KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | KVM_REG_ARM_CORE_REG(regs.pc))

extern const char vm_image[], vm_image_end[];

static char vm_ram[VM_SIZE] __attribute__((aligned(0x10000)));

static long set_attribute(long fd, uint32_t group, uint64_t attr, uint64_t *value)
{
	struct kvm_device_attr attribute = {.group = group, .attr = attr, .addr = (uintptr_t)value};

	return control(fd, KVM_SET_DEVICE_ATTR, &attribute);
}

/* A vCPU with PSCI and a GICv3, at the start of the image. Its file, or a negative error. */
static long make_vcpu(long vm)
{
	struct kvm_userspace_memory_region ram = {.guest_phys_addr = VM_RAM,
						  .memory_size = VM_SIZE,
						  .userspace_addr = (uintptr_t)vm_ram};
	struct kvm_create_device gic = {.type = KVM_DEV_TYPE_ARM_VGIC_V3};
	uint64_t dist = VM_GICD, redist = VM_GICR, pc = VM_RAM;
	struct kvm_one_reg reg = {.id = REG_PC, .addr = (uintptr_t)&pc};
	struct kvm_vcpu_init init = {0};
	long vcpu;

	for (ptrdiff_t i = 0; i < vm_image_end - vm_image; i++)
		vm_ram[i] = vm_image[i];
	vcpu = control(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0 || control(vm, KVM_SET_USER_MEMORY_REGION, &ram) < 0 ||
	    control(vm, KVM_CREATE_DEVICE, &gic) < 0 ||
	    set_attribute(gic.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_DIST, &dist) ||
	    set_attribute(gic.fd, KVM_DEV_ARM_VGIC_GRP_ADDR, KVM_VGIC_V3_ADDR_TYPE_REDIST,
			  &redist) ||
	    control(vm, KVM_ARM_PREFERRED_TARGET, &init) < 0)
		return -1;
	init.features[0] |= 1u << KVM_ARM_VCPU_PSCI_0_2;
	if (control(vcpu, KVM_ARM_VCPU_INIT, &init) < 0 ||
	    set_attribute(gic.fd, KVM_DEV_ARM_VGIC_GRP_CTRL, KVM_DEV_ARM_VGIC_CTRL_INIT, NULL) ||
	    control(vcpu, KVM_SET_ONE_REG, &reg) < 0)
		return -1;
	return vcpu;
}

/* Run to a system event, which is returned, or -1. */
static long run_vcpu(long vcpu, const struct kvm_run *run, uint64_t reports[REPORTS])
{
	for (unsigned int i = 0; i < VM_EXITS_MAX; i++) {
		uint64_t at, value = 0;

		if (control(vcpu, KVM_RUN, 0) < 0)
			return -1;
		if (run->exit_reason == KVM_EXIT_SYSTEM_EVENT)
			return run->system_event.type;
		if (run->exit_reason != KVM_EXIT_MMIO || !run->mmio.is_write)
			return -1;
		at = (run->mmio.phys_addr - VM_REPORT) / 8;
		for (unsigned int byte = 0; byte < 8; byte++)
			value |= (uint64_t)run->mmio.data[byte] << (8 * byte);
		if (at < REPORTS)
			reports[at] = value;
	}
	return -1;
}

void test_kvm(long kvm)
{
	uint64_t reports[REPORTS] = {0}, midr, count;
	long vm, vcpu, size, map, event;

	point(control(kvm, KVM_GET_API_VERSION, 0) == KVM_API_VERSION, "KVM has its API", 0);
	vm = control(kvm, KVM_CREATE_VM, 0);
	vcpu = make_vcpu(vm);
	size = control(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	map = call(__NR_mmap, 0, size, PROT_RW, MAP_SHARED, vcpu, 0);
	point(vm >= 0 && vcpu >= 0 && map > 0, "it makes a virtual machine", (uint64_t)vcpu);
	if (vcpu < 0 || map < 0)
		return;
	event = run_vcpu(vcpu, (const struct kvm_run *)map, reports);
	__asm__ volatile("mrs %0, midr_el1" : "=r"(midr));
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	point(reports[REPORT_EL] == 1 << 2, "its guest is at EL1", reports[REPORT_EL]);
	point(reports[REPORT_MIDR] == midr, "... on this CPU", reports[REPORT_MIDR]);
	point(reports[REPORT_COUNT] != 0 && reports[REPORT_COUNT] < count,
	      "... whose virtual counter began with the machine", reports[REPORT_COUNT]);
	point(reports[REPORT_TIMER] == 27, "... whose virtual timer interrupts",
	      reports[REPORT_TIMER]);
	point(reports[REPORT_SGI] == 5, "... as do its software generated interrupts",
	      reports[REPORT_SGI]);
	point(event == KVM_SYSTEM_EVENT_SHUTDOWN, "... and which powers off", (uint64_t)event);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of KVM that need only file descriptors: making a virtual machine, registers, signals. The
 * engine of vspe and the library share them.
 */
#ifndef VSPE_KVM_HOST_H
#define VSPE_KVM_HOST_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* make.c. Bits of guest physical addresses: the default, or fewer if the host has fewer. */
unsigned int kvm_ipa_bits(int kvm);
/* Does KVM have such a GIC, KVM_DEV_TYPE_ARM_VGIC_V<n>, for guests of that VM? */
bool kvm_has_gic(int vm, uint32_t type);
/*
 * Each makes a part: 0 or a descriptor, or -1 and why. A VM with RAM in one slot; a vCPU with
 * features (bits of KVM_ARM_VCPU_*) and its mapping; a GIC with as few interrupts as KVM accepts,
 * its distributor at address[0] and its redistributors or CPU interfaces at address[1], once all
 * vCPUs exist.
 */
int kvm_make_vm(int kvm, const struct kvm_userspace_memory_region *ram, char *why, size_t size);
int kvm_run_size(int kvm, char *why, size_t size);
int kvm_make_vcpu(int vm, unsigned int index, uint32_t features, char *why, size_t size);
struct kvm_run *kvm_map_run(int vcpu, size_t run_size, char *why, size_t size);
int kvm_make_gic(int vm, uint32_t type, const uint64_t address[2], char *why, size_t size);

/* Registers of a vCPU, by KVM's number. false: see errno. */
static inline bool kvm_read_one(int vcpu, uint64_t id, uint64_t *value)
{
	const struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)value};

	return ioctl(vcpu, KVM_GET_ONE_REG, &reg) == 0;
}

static inline bool kvm_write_one(int vcpu, uint64_t id, uint64_t value)
{
	const struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)&value};

	return ioctl(vcpu, KVM_SET_ONE_REG, &reg) == 0;
}

/*
 * calls.c. Calls for one vCPU. The first call that fails is remembered, and ends the run. A
 * register that cannot be read is 0.
 */
struct kvm_calls {
	int fd;
	int error;	    /* errno of the first one that failed, or 0 ... */
	const char *failed; /* ... and what it was */
};

void kvm_calls_fail(struct kvm_calls *calls, const char *what); /* with errno */
uint64_t kvm_calls_get(struct kvm_calls *calls, uint64_t id);
void kvm_calls_set(struct kvm_calls *calls, uint64_t id, uint64_t value);

/*
 * The number of a register of arm/registers.def, by its name; and of a member of struct kvm_regs.
 */
#define KVM_SYSREG(name) \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM64_SYSREG | (uint64_t)ARM_##name)
#define KVM_CORE(member)                                       \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
	 (__builtin_offsetof(struct kvm_regs, member) / sizeof(__u32)))
#define KVM_X(n) (KVM_CORE(regs.regs[0]) + 2 * (uint64_t)(n)) /* n: 0 to 30 */

/* KVM_SET_DEVICE_ATTR of a vCPU or a device. 0, or -1 and errno. */
int kvm_set_attribute(int fd, uint32_t group, uint64_t attribute, const void *value);
/* Set the level of an input of KVM's GIC, a PPI of that vCPU or an SPI. 0, or -1 and errno. */
int kvm_set_line(int vm, unsigned int cpu, unsigned int intid, bool level);

/*
 * signal.c. A signal that is blocked except during KVM_RUN, where KVM_SET_SIGNAL_MASK lets it
 * through. One that comes earlier stays pending, so none is lost and no handler is needed. Call
 * this in the thread of the vCPU: 0, or -1 and errno.
 */
int kvm_signal_set_up(int vcpu, int signal);
/* Take all pending ones. Returns how many came from a file descriptor, and not from a thread. */
unsigned int kvm_signal_drain(int signal);

#endif

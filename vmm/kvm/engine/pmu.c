/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest's PMU is KVM's own. The engine only chooses its version, and its interrupt. What it
 * counts, and for whom, is between the guest and KVM (Documentation/virt/kvm/devices/vcpu.rst of
 * the Linux kernel).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kvm/engine/engine_kvm.h"

#include "arm/pmu_words.h"

#define DFR0	  ARM64_SYS_REG(3, 0, 0, 5, 0) /* ID_AA64DFR0_EL1 */
#define PMU_INTID 23			       /* as vmm/device/pmu.c has it */

/* The word of a version, even of one that vspe does not know. */
static const char *word_of(enum pmu_version version)
{
	if (version == PMU_V3)
		return "v3";
	return strcmp(arm_pmu_word(version), "off") == 0 ? "another" : arm_pmu_word(version);
}

/* Make the vCPU report version. Linux before 6.3 reports only its own. */
static int choose(int vcpu, enum pmu_version version, char *why, size_t size)
{
	uint64_t dfr0 = 0;
	enum pmu_version has;

	(void)kvm_read_one(vcpu, DFR0, &dfr0);
	has = (enum pmu_version)arm_field(dfr0, ID_AA64DFR0_EL1_PMUVer);
	if (version == ARM_PMU_HOST || version == has ||
	    (version < has &&
	     kvm_write_one(vcpu, DFR0,
			   (dfr0 & ~ID_AA64DFR0_EL1_PMUVer) |
				   ARM_VALUE(ID_AA64DFR0_EL1_PMUVer, (uint64_t)version))))
		return 0;
	(void)snprintf(why, size, "--pmu %s: the host's KVM gives its guests a PMU of version %s%s",
		       arm_pmu_word(version), word_of(has), version < has ? ", and no other" : "");
	return -EINVAL;
}

int kvm_grant_pmu(int vm, enum pmu_version wish, char *why, size_t size)
{
	char text[128];
	int vcpu, result;

	if (ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_ARM_PMU_V3) <= 0) {
		(void)snprintf(why, size,
			       "--pmu %s: the host's KVM has no KVM_CAP_ARM_PMU_V3: the host's own "
			       "kernel has found no PMU",
			       arm_pmu_word(wish));
		return -EINVAL;
	}
	vcpu = kvm_make_vcpu(vm, 0, 1u << KVM_ARM_VCPU_PMU_V3, text, sizeof(text));
	if (vcpu < 0) {
		(void)snprintf(why, size, "--pmu %s: KVM_ARM_VCPU_PMU_V3: %s", arm_pmu_word(wish),
			       text);
		return -EINVAL;
	}
	result = choose(vcpu, wish, why, size);
	(void)close(vcpu);
	return result;
}

int kvm_pmu_choose(int vcpu, enum pmu_version version, char *why, size_t size)
{
	return version != PMU_NONE && choose(vcpu, version, why, size) < 0 ? -1 : 0;
}

int kvm_pmu_finish(struct engine_vm *vm, char *why, size_t size)
{
	const int intid = PMU_INTID;

	for (unsigned int i = 0; vm->pmu != PMU_NONE && i < vm->cpus; i++) {
		const int fd = vm->vcpu[i]->calls.fd;

		if (kvm_set_attribute(fd, KVM_ARM_VCPU_PMU_V3_CTRL, KVM_ARM_VCPU_PMU_V3_IRQ,
				      &intid) < 0 ||
		    kvm_set_attribute(fd, KVM_ARM_VCPU_PMU_V3_CTRL, KVM_ARM_VCPU_PMU_V3_INIT,
				      NULL) < 0) {
			(void)snprintf(why, size, "KVM_ARM_VCPU_PMU_V3_CTRL of vCPU %u: %s", i,
				       strerror(errno));
			return -1;
		}
	}
	return 0;
}

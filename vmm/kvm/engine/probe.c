/* SPDX-License-Identifier: BSD-2-Clause */
/* Can guests run on this host's KVM? If not, why. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kvm/engine/engine_kvm.h"

/* What the engine needs, and the version of Linux that brought it to arm64. */
static const struct {
	int capability;
	const char *name, *since;
} kvm_capabilities[] = {
	{KVM_CAP_USER_MEMORY, "KVM_CAP_USER_MEMORY", "3.11"},
	{KVM_CAP_ONE_REG, "KVM_CAP_ONE_REG", "3.11"},
	{KVM_CAP_DEVICE_CTRL, "KVM_CAP_DEVICE_CTRL", "3.12"},
	{KVM_CAP_ARM_PSCI_0_2, "KVM_CAP_ARM_PSCI_0_2", "3.16"},
	{KVM_CAP_SET_GUEST_DEBUG, "KVM_CAP_SET_GUEST_DEBUG", "4.2"},
	{KVM_CAP_ARM_NISV_TO_USER, "KVM_CAP_ARM_NISV_TO_USER", "5.5"},
	{KVM_CAP_ARM_INJECT_EXT_DABT, "KVM_CAP_ARM_INJECT_EXT_DABT", "5.5"},
};

static int check_kvm(int kvm, char *why, size_t size)
{
	const int version = ioctl(kvm, KVM_GET_API_VERSION, 0);

	if (version != KVM_API_VERSION) {
		(void)snprintf(why, size, "/dev/kvm: version %d of the API, not %d", version,
			       KVM_API_VERSION);
		return -1;
	}
	for (size_t i = 0; i < sizeof(kvm_capabilities) / sizeof(kvm_capabilities[0]); i++) {
		if (ioctl(kvm, KVM_CHECK_EXTENSION, kvm_capabilities[i].capability) <= 0) {
			(void)snprintf(why, size,
				       "the host's KVM has no %s, which came with Linux %s; 5.5 or "
				       "later is needed",
				       kvm_capabilities[i].name, kvm_capabilities[i].since);
			return -1;
		}
	}
	return 0;
}

static const char *open_hint(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO: return ": the host's kernel has no KVM, or was not started at EL2";
	case EACCES:
	case EPERM: return ": its group, kvm as a rule, may open it";
	default: return "";
	}
}

int kvm_open(char *why, size_t size)
{
	const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (kvm < 0)
		(void)snprintf(why, size, "/dev/kvm: %s%s", strerror(errno), open_hint(errno));
	if (kvm < 0 || check_kvm(kvm, why, size) == 0)
		return kvm;
	(void)close(kvm);
	return -1;
}

int kvm_probe(char *why, size_t size)
{
	const int kvm = kvm_open(why, size);

	if (kvm < 0)
		return -1;
	(void)close(kvm);
	return 0;
}

static int grant_gic(int vm, struct engine_wish *wish, char *why, size_t size)
{
	const bool v3 = kvm_has_gic(vm, KVM_DEV_TYPE_ARM_VGIC_V3);
	const bool v2 = kvm_has_gic(vm, KVM_DEV_TYPE_ARM_VGIC_V2);

	if (!v2 && !v3) {
		(void)snprintf(why, size, "the host's KVM has no GIC for guests");
		return -ENODEV;
	}
	if ((wish->gic == ENGINE_GIC_V3 && !v3) || (wish->gic == ENGINE_GIC_V2 && !v2)) {
		(void)snprintf(why, size, "--irqchip gicv%c: the host's KVM has only a GICv%c",
			       v3 ? '2' : '3', v3 ? '3' : '2');
		return -EINVAL;
	}
	if (wish->gic == ENGINE_GIC_ANY)
		wish->gic = v3 ? ENGINE_GIC_V3 : ENGINE_GIC_V2;
	return 0;
}

static int grant_size(int kvm, int vm, const struct engine_wish *wish, char *why, size_t size)
{
	const int most = ioctl(vm, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS);
	const unsigned int bits = kvm_ipa_bits(kvm);

	if (wish->gic == ENGINE_GIC_V2 && wish->cpus > ENGINE_GICV2_CPUS) {
		(void)snprintf(why, size,
			       "--cpus %u: a GICv2, which is what the host's KVM has, has %u CPU "
			       "interfaces",
			       wish->cpus, ENGINE_GICV2_CPUS);
		return -EINVAL;
	}
	if (most > 0 && wish->cpus > (unsigned int)most) {
		(void)snprintf(why, size, "--cpus %u: the host's KVM has %d vCPUs at most",
			       wish->cpus, most);
		return -EINVAL;
	}
	if ((wish->ram_end - 1) >> bits) {
		(void)snprintf(why, size,
			       "--mem: memory ends at 0x%" PRIx64 ", and guests of the host's KVM "
			       "have physical addresses of %u bits",
			       wish->ram_end, bits);
		return -EINVAL;
	}
	return 0;
}

int kvm_grant(struct engine_wish *wish, char *why, size_t size)
{
	const int kvm = kvm_open(why, size);
	const int vm = kvm < 0 ? -1 : kvm_make_vm(kvm, NULL, why, size);
	int result = -ENODEV;

	if (vm >= 0) {
		result = grant_gic(vm, wish, why, size);
		if (result == 0)
			result = grant_size(kvm, vm, wish, why, size);
		if (result == 0 && wish->pmu != PMU_NONE)
			result = kvm_grant_pmu(vm, wish->pmu, why, size);
		(void)close(vm);
	}
	if (kvm >= 0)
		(void)close(kvm);
	return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Can guests run on this host's KVM? If not, why. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kvm/kvm.h"

/* What the engine cannot do without. */
static const struct {
	int capability;
	const char *name;
} kvm_capabilities[] = {
	{KVM_CAP_USER_MEMORY, "KVM_CAP_USER_MEMORY"},
	{KVM_CAP_ONE_REG, "KVM_CAP_ONE_REG"},
	{KVM_CAP_DEVICE_CTRL, "KVM_CAP_DEVICE_CTRL"},
	{KVM_CAP_ARM_PSCI_0_2, "KVM_CAP_ARM_PSCI_0_2"},
	{KVM_CAP_SET_GUEST_DEBUG, "KVM_CAP_SET_GUEST_DEBUG"},
	{KVM_CAP_ARM_NISV_TO_USER, "KVM_CAP_ARM_NISV_TO_USER"},
	{KVM_CAP_ARM_INJECT_EXT_DABT, "KVM_CAP_ARM_INJECT_EXT_DABT"},
};

int kvm_check(int kvm, char *why, size_t size)
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
				       "the host's KVM has no %s; Linux 5.5 and later have it",
				       kvm_capabilities[i].name);
			return -1;
		}
	}
	return 0;
}

int kvm_probe(char *why, size_t size)
{
	const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int result;

	if (kvm < 0) {
		(void)snprintf(why, size, "/dev/kvm: %s%s", strerror(errno),
			       errno == ENOENT ? ": the host's kernel has no KVM, or was not "
						 "started at EL2"
					       : "");
		return -1;
	}
	result = kvm_check(kvm, why, size);
	(void)close(kvm);
	return result;
}

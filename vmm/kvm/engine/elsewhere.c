/* SPDX-License-Identifier: BSD-2-Clause */
/* The KVM engine on hosts other than arm64 Linux: --engine kvm says that there is none. */
#include <stdio.h>
#include <sys/utsname.h>

#include "kvm/engine/tuning.h"

static int probe_host(char *why, size_t size)
{
	struct utsname host;

	if (uname(&host) < 0)
		(void)snprintf(host.machine, sizeof(host.machine), "unknown");
	(void)snprintf(why, size, "KVM runs arm64 guests on arm64 hosts only; this vspe is for %s",
		       host.machine);
	return -1;
}

const struct engine engine_kvm = {
	.name = "kvm",
	.concurrent = true,
	.options = kvm_options,
	.tuning_size = sizeof(struct engine_tuning),
	.tuning_default = &kvm_tuning_default,
	.tuning_core = kvm_tuning_core,
	.check = kvm_check_wish,
	.probe = probe_host,
};

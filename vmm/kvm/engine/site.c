/* SPDX-License-Identifier: BSD-2-Clause */
/* The fate of the accesses that were found, as --kvm-sites reports it. */
#include <inttypes.h>
#include <stdio.h>

#include "a64/a64.h"
#include "kvm/engine/engine_kvm.h"

static const char *site_register(uint32_t word)
{
	const uint32_t encoding = a64_encoding(word);
	const char *name = sysreg_name(sysreg_find(encoding));

	if (encoding == SYSREG_ENCODING(3, 0, 12, 0, 0))
		return "VBAR_EL1";
	/* Those that are not a register of SPE are ID registers with fields of SPE. */
	return name ? name : "ID_AA64DFR<n>_EL1";
}

void kvm_tell_site(void *ctx, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind kind)
{
	static const char *const become[VSPE_KVM_SITE_KINDS] = {
		[VSPE_KVM_SITE_DATA] = ": left alone, as data",
		[VSPE_KVM_SITE_SIGNED] = ": left alone, in a signed kernel module",
		[VSPE_KVM_SITE_MET] = ": patched while the guest ran",
	};
	const struct engine_vm *vm = ctx;
	char line[128];

	if (kind == VSPE_KVM_SITE_COMPRESSED)
		(void)snprintf(line, sizeof(line), "0x%" PRIx64 ": compressed, and not looked into",
			       pa);
	else
		(void)snprintf(line, sizeof(line), "0x%" PRIx64 ": %s %s%s", pa,
			       a64_read(word) ? "MRS" : "MSR", site_register(word),
			       become[kind] ? become[kind] : "");
	vm->host.note(vm->host.ctx, line);
}

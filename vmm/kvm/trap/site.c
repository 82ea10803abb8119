/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of the accesses that were found: counted, and noted for --kvm-sites. */
#include <inttypes.h>
#include <stdio.h>

#include "a64/a64.h"
#include "kvm/trap/trap.h"

static const char *site_register(uint32_t word)
{
	const uint32_t encoding = a64_encoding(word);
	const char *name = sysreg_name(sysreg_find(encoding));

	if (encoding == SYSREG_ENCODING(3, 0, 12, 0, 0))
		return "VBAR_EL1";
	/* Those of no register of SPE are ID registers that tell of it. */
	return name ? name : "ID_AA64DFR<n>_EL1";
}

void kvm_site_found(struct engine_vm *vm, uint64_t pa, uint32_t word, enum kvm_site_kind what)
{
	static const char *const become[KVM_SITE_KINDS] = {
		[KVM_SITE_DATA] = ": left alone, as data",
		[KVM_SITE_SIGNED] = ": left alone, in a signed kernel module",
		[KVM_SITE_MET] = ": patched while the guest ran",
	};
	char line[128];

	atomic_fetch_add(&vm->sites[what], 1);
	if (!vm->list_sites || !vm->host.note)
		return;
	if (what == KVM_SITE_COMPRESSED)
		(void)snprintf(line, sizeof(line), "0x%" PRIx64 ": compressed, and not looked into",
			       pa);
	else
		(void)snprintf(line, sizeof(line), "0x%" PRIx64 ": %s %s%s", pa,
			       a64_read(word) ? "MRS" : "MSR", site_register(word),
			       become[what] ? become[what] : "");
	vm->host.note(vm->host.ctx, line);
}

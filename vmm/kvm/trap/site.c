/* SPDX-License-Identifier: BSD-2-Clause */
/* The fate of the accesses that were found: counted, and reported. */
#include "kvm/trap/trap.h"

void kvm_site_found(struct vspe_kvm *vm, uint64_t pa, uint32_t word, enum vspe_kvm_site_kind what)
{
	atomic_fetch_add(&vm->sites[what], 1);
	if (vm->callbacks.site)
		vm->callbacks.site(vm->ctx, pa, word, what);
}

void vspe_kvm_sites(const struct vspe_kvm *vm, uint64_t counts[VSPE_KVM_SITE_KINDS])
{
	for (unsigned int i = 0; i < VSPE_KVM_SITE_KINDS; i++)
		counts[i] = atomic_load(&vm->sites[i]);
}

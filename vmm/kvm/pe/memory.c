/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory in this process. */
#include "kvm/pe/pe.h"

uint8_t *kvm_ram_beyond(const struct vspe_kvm *vm, uint64_t pa, size_t size)
{
	for (size_t i = 1; i < vm->region_count; i++) {
		const struct vspe_kvm_region *region = &vm->regions[i];
		const uint64_t offset = pa - region->base;

		if (pa >= region->base && offset <= region->size && size <= region->size - offset)
			return (uint8_t *)region->host + offset;
	}
	return NULL;
}

/* host is what kvm_ram() has given. */
uint64_t kvm_ram_address(const struct vspe_kvm *vm, const void *host)
{
	for (size_t i = 0; i < vm->region_count; i++) {
		const struct vspe_kvm_region *region = &vm->regions[i];
		const uintptr_t offset = (uintptr_t)host - (uintptr_t)region->host;

		if ((uintptr_t)host >= (uintptr_t)region->host && offset < region->size)
			return region->base + offset;
	}
	return 0;
}

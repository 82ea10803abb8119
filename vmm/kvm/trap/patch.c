/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which accesses get BRKs, before the guest starts and while it runs. A BRK says which access it
 * stands for, but a guest may use such BRKs itself. So immediates are chosen that nothing loaded
 * uses, and a BRK that no access ever got is the guest's.
 */
#include <string.h>

#include "a64/a64.h"
#include "../../../sysreg/assertion.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/trap/scan.h"

#define PAGE	     4096u
#define VECTOR_PAGES 2u /* the table of 2 KiB, and the code after it that its entries share */

/* A part of RAM that is scanned. */
struct part {
	struct vspe_kvm *vm;
	uint64_t pa;
};

/* The whole words of a range. */
static uint8_t *bytes_of(const struct vspe_kvm *vm, const struct vspe_kvm_range *range,
			 uint64_t *pa, size_t *size)
{
	const uint64_t end = range->base + range->size;

	*pa = (range->base + 3) & ~UINT64_C(3);
	*size = end > *pa ? end - *pa : 0;
	return *size > 0 ? kvm_ram(vm, *pa, *size) : NULL;
}

static void choose_base(struct vspe_kvm *vm, const struct vspe_kvm_range *ranges, size_t count)
{
	uint8_t used[8192] = {0};
	uint64_t pa;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		const uint8_t *bytes = bytes_of(vm, &ranges[i], &pa, &size);

		if (bytes)
			kvm_scan_brks(bytes, size, used);
	}
	vm->brk_base = kvm_choose_base(used);
	vm->based = true;
}

static void know_brk(struct vspe_kvm *vm, uint32_t brk)
{
	uint16_t imm;

	(void)kvm_is_brk(brk, &imm);
	imm = (uint16_t)(imm - vm->brk_base);
	vspe_assert_of(imm < KVM_BRK_SPAN, imm, vm->brk_base);
	atomic_fetch_or(&vm->brks[imm / 64], UINT64_C(1) << imm % 64);
}

static void tell_site(void *ctx, const struct kvm_site *site)
{
	const struct part *part = ctx;
	struct kvm_access access;

	if (site->what == VSPE_KVM_SITE_PATCHED && (kvm_access_decode(site->word, &access) ||
						    kvm_access_decode_vbar(site->word, &access) ||
						    kvm_access_decode_debug(site->word, &access)))
		know_brk(part->vm, kvm_access_brk(&access, part->vm->brk_base));
	kvm_site_found(part->vm, part->pa + site->offset, site->word, site->what);
}

int vspe_kvm_patch(struct vspe_kvm *vm, const struct vspe_kvm_range *ranges, size_t count)
{
	struct part part = {.vm = vm};
	struct kvm_scan scan = {
		.untrapped = vm->trap == VSPE_KVM_TRAP_BREAKPOINT,
		.vectors = vm->breakpoints,
		.mdscr = true,
		.debug = kvm_vectors_may(vm),
		.log = tell_site,
		.ctx = &part,
	};

	if (vm->trap == VSPE_KVM_TRAP_STEP)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!kvm_ram(vm, ranges[i].base, ranges[i].size))
			return -VSPE_KVM_ERANGE;
	if (!vm->based)
		choose_base(vm, ranges, count);
	scan.base = vm->brk_base;
	for (size_t i = 0; i < count; i++) {
		size_t size;
		uint8_t *bytes = bytes_of(vm, &ranges[i], &part.pa, &size);

		scan.modules = ranges[i].kind == VSPE_KVM_RANGE_INITRD_SIGNED;
		if (bytes && ranges[i].kind == VSPE_KVM_RANGE_CODE)
			(void)kvm_scan(&scan, bytes, size);
		else if (bytes)
			(void)kvm_scan_initrd(&scan, bytes, size);
	}
	return 0;
}

bool kvm_own_brk(const struct vspe_kvm *vm, uint16_t imm, struct kvm_access *access)
{
	const uint32_t own = imm - vm->brk_base;

	return kvm_access_of_brk(imm, vm->brk_base, access) &&
	       atomic_load_explicit(&vm->brks[own / 64], memory_order_relaxed) >> own % 64 & 1;
}

/*
 * Other vCPUs may be executing the word: it changes at once, and a vCPU that has fetched the old
 * one still finds it UNDEFINED. Clean to the point of coherency, for a guest that runs without
 * caches.
 */
static bool replace_word(uint32_t *at, uint32_t from, uint32_t to)
{
	if (!__atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	__asm__ volatile("dc cvac, %0\n\tdsb ish\n\tic ivau, %0\n\tdsb ish\n\tisb"
			 :
			 : "r"(at)
			 : "memory");
	return true;
}

void kvm_patch_met(struct vspe_kvm_vcpu *vcpu, uint8_t *at, uint32_t word,
		   const struct kvm_access *access)
{
	struct vspe_kvm *vm = vcpu->vm;
	const uint32_t brk = kvm_access_brk(access, vm->brk_base);

	know_brk(vm, brk);
	if (replace_word((uint32_t *)(void *)at, word, brk))
		kvm_site_found(vm, kvm_ram_address(vm, at), word, VSPE_KVM_SITE_MET);
}

/* A page of guest RAM that the guest may be executing. */
struct page {
	struct vspe_kvm_vcpu *vcpu;
	uint8_t *at;
};

static void patch_site(void *ctx, const struct kvm_site *site)
{
	const struct page *page = ctx;
	struct kvm_access access;

	if (site->what == VSPE_KVM_SITE_PATCHED && kvm_access_decode(site->word, &access))
		kvm_patch_met(page->vcpu, page->at + site->offset, site->word, &access);
}

void kvm_patch_vectors(struct vspe_kvm_vcpu *vcpu, uint64_t vbar)
{
	uint8_t copy[PAGE];
	struct page page = {.vcpu = vcpu};
	const struct kvm_scan scan = {.base = vcpu->vm->brk_base, .log = patch_site, .ctx = &page};

	kvm_know_code(vcpu, vbar);
	for (unsigned int n = 0; n < VECTOR_PAGES; n++) {
		page.at = kvm_code(vcpu, (vbar & ~(uint64_t)(PAGE - 1)) + n * PAGE, 1);
		if (!page.at)
			continue;
		/* An access that is found is replaced in place, if it is still there. */
		memcpy(copy, page.at, PAGE);
		(void)kvm_scan(&scan, copy, PAGE);
	}
}

void kvm_patch_undo(struct vspe_kvm_vcpu *vcpu, uint8_t *at, const struct kvm_access *access)
{
	const uint32_t encoding = SYSREG_ENCODING(3, 0, 12, 0, 0);

	(void)replace_word((uint32_t *)(void *)at, kvm_access_brk(access, vcpu->vm->brk_base),
			   A64_WORD_MSR | a64_put_encoding(encoding) | access->rt);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which accesses get BRKs, before the guest starts and while it runs. A BRK says which access it
 * stands for, but a guest may have such BRKs of its own: their immediates are chosen so that
 * nothing that is loaded uses them, and one that no access ever got is the guest's.
 */
#include <string.h>

#include "a64/a64.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/trap/scan.h"

#define PAGE	     4096u
#define VECTOR_PAGES 2u /* the table of 2 KiB, and the code that its entries share behind it */

/* A part of RAM that is scanned. */
struct part {
	struct engine_vm *vm;
	uint64_t pa;
};

static uint8_t *bytes_of(const struct engine_vm *vm, const struct engine_range *range, uint64_t *pa,
			 size_t *size)
{
	*pa = (range->start + 3) & ~UINT64_C(3);
	*size = range->end > *pa ? range->end - *pa : 0;
	return vm->host.ram.host + (*pa - vm->host.ram.base);
}

static void choose_base(struct engine_vm *vm)
{
	const struct engine_range *const ranges[] = {&vm->host.image, &vm->host.initrd};
	uint8_t used[8192] = {0};
	uint64_t pa;
	size_t size;

	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *bytes = bytes_of(vm, ranges[i], &pa, &size);

		kvm_scan_brks(bytes, size, used);
	}
	vm->brk_base = kvm_choose_base(used);
}

static void know_brk(struct engine_vm *vm, uint32_t brk)
{
	uint16_t imm;

	(void)kvm_is_brk(brk, &imm);
	imm = (uint16_t)(imm - vm->brk_base);
	atomic_fetch_or(&vm->brks[imm / 64], UINT64_C(1) << imm % 64);
}

static void tell_site(void *ctx, const struct kvm_site *site)
{
	const struct part *part = ctx;
	struct kvm_access access;

	if (site->what == KVM_SITE_PATCHED && (kvm_access_decode(site->word, &access) ||
					       kvm_access_decode_vbar(site->word, &access) ||
					       kvm_access_decode_debug(site->word, &access)))
		know_brk(part->vm, kvm_access_brk(&access, part->vm->brk_base));
	kvm_site_found(part->vm, part->pa + site->offset, site->word, site->what);
}

void kvm_patch_loaded(struct engine_vm *vm, bool modules)
{
	struct part part = {.vm = vm};
	struct kvm_scan scan = {
		.untrapped = vm->trap == KVM_TRAP_BREAKPOINT,
		.vectors = vm->breakpoints,
		.mdscr = true,
		.debug = kvm_vectors_may(vm),
		.modules = modules,
		.log = tell_site,
		.ctx = &part,
	};
	uint8_t *bytes;
	size_t size;

	choose_base(vm);
	scan.base = vm->brk_base;
	bytes = bytes_of(vm, &vm->host.image, &part.pa, &size);
	(void)kvm_scan(&scan, bytes, size);
	bytes = bytes_of(vm, &vm->host.initrd, &part.pa, &size);
	(void)kvm_scan_initrd(&scan, bytes, size);
}

bool kvm_own_brk(const struct engine_vm *vm, uint16_t imm, struct kvm_access *access)
{
	const uint32_t own = imm - vm->brk_base;

	return kvm_access_of_brk(imm, vm->brk_base, access) &&
	       atomic_load_explicit(&vm->brks[own / 64], memory_order_relaxed) >> own % 64 & 1;
}

/*
 * Other vCPUs may be executing the word: it changes at once, and whoever has fetched the old one
 * still sees it UNDEFINED. Clean to the point of coherency, for a guest that runs without caches.
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

void kvm_patch_met(struct engine_vcpu *vcpu, uint8_t *at, uint32_t word,
		   const struct kvm_access *access)
{
	struct engine_vm *vm = vcpu->vm;
	const uint32_t brk = kvm_access_brk(access, vm->brk_base);

	know_brk(vm, brk);
	if (replace_word((uint32_t *)(void *)at, word, brk))
		kvm_site_found(vm, vm->host.ram.base + (uint64_t)(at - vm->host.ram.host), word,
			       KVM_SITE_MET);
}

/* A page of guest RAM that the guest may be executing. */
struct page {
	struct engine_vcpu *vcpu;
	uint8_t *at;
};

static void patch_site(void *ctx, const struct kvm_site *site)
{
	const struct page *page = ctx;
	struct kvm_access access;

	if (site->what == KVM_SITE_PATCHED && kvm_access_decode(site->word, &access))
		kvm_patch_met(page->vcpu, page->at + site->offset, site->word, &access);
}

void kvm_patch_vectors(struct engine_vcpu *vcpu, uint64_t vbar)
{
	uint8_t copy[PAGE];
	struct page page = {.vcpu = vcpu};
	const struct kvm_scan scan = {.base = vcpu->vm->brk_base, .log = patch_site, .ctx = &page};

	kvm_know_code(vcpu, vbar);
	for (unsigned int n = 0; n < VECTOR_PAGES; n++) {
		page.at = kvm_code(vcpu, (vbar & ~(uint64_t)(PAGE - 1)) + n * PAGE, 1);
		if (!page.at)
			continue;
		/* What is found is replaced where it is, if it is still there. */
		memcpy(copy, page.at, PAGE);
		(void)kvm_scan(&scan, copy, PAGE);
	}
}

void kvm_patch_undo(struct engine_vcpu *vcpu, uint8_t *at, const struct kvm_access *access)
{
	const uint32_t encoding = SYSREG_ENCODING(3, 0, 12, 0, 0);

	(void)replace_word((uint32_t *)(void *)at, kvm_access_brk(access, vcpu->vm->brk_base),
			   A64_WORD_MSR | a64_put_encoding(encoding) | access->rt);
}

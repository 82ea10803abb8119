/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: KVM's engine searches an image or an initrd of any bytes for accesses before the guest
 * runs; the first byte chooses what it does. It changes only words that it reported, each to a BRK
 * that says what it replaces, and the end of a module's signature.
 */
#include "input.h"

#include <string.h>

#include "kvm/trap/scan.h"

struct found {
	const uint8_t *before;
	size_t size, patched;
	uint8_t *seen; /* a byte for each: where a word was to be patched */
};

/* Called before a word changes. */
static void log_site(void *ctx, const struct kvm_site *site)
{
	struct found *found = ctx;
	uint32_t word;

	require(site->what < VSPE_KVM_SITE_KINDS && site->offset < found->size);
	if (site->what == VSPE_KVM_SITE_COMPRESSED)
		return;
	require(site->offset <= found->size - 4);
	memcpy(&word, found->before + site->offset, 4);
	require(word == site->word);
	if (site->what != VSPE_KVM_SITE_PATCHED)
		return;
	memset(found->seen + site->offset, 1, 4);
	found->patched++;
}

/* Patched words map to what they replaced; nothing else changed except the end of a signature. */
static void check(const struct found *found, const uint8_t *after, bool modules)
{
	struct kvm_access access;
	uint32_t word;
	uint16_t imm;

	for (size_t i = 0; i < found->size; i++) {
		if (!found->seen[i]) {
			require(after[i] == found->before[i] ||
				(modules && found->before[i] == '\n' && after[i] == ' '));
			continue;
		}
		memcpy(&word, after + i, 4);
		require(kvm_is_brk(word, &imm) && kvm_access_of_brk(imm, KVM_BRK_BASE, &access));
		require(kvm_access_brk(&access, KVM_BRK_BASE) == word);
		i += 3;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct found found = {0};
	const struct kvm_scan scan = {
		.base = KVM_BRK_BASE,
		.untrapped = size && bytes[0] & 1,
		.vectors = size && bytes[0] & 2,
		.mdscr = size && bytes[0] & 4,
		.debug = size && bytes[0] & 8,
		.is_signed = size && bytes[0] & 16,
		.modules = size && bytes[0] & 32,
		.log = log_site,
		.ctx = &found,
	};
	uint8_t used[8192] = {0}, *after, *seen;
	size_t patched;

	if (size < 5)
		return 0;
	/* The sanitizer sees accesses after the end. */
	found.size = size - 1;
	found.before = bytes + 1;
	after = malloc(found.size);
	found.seen = seen = calloc(1, found.size);
	require(after && seen);
	memcpy(after, found.before, found.size);
	kvm_scan_brks(after, found.size, used);
	(void)kvm_choose_base(used);
	if (bytes[0] & 64)
		patched = kvm_scan(&scan, after, found.size);
	else
		patched = kvm_scan_initrd(&scan, after, found.size);
	require(patched == found.patched);
	check(&found, after, scan.modules);
	free(after);
	free(seen);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scan for accesses: see scan.h. A word of data may look like one: of random data, one word in
 * five million does. So its neighbours have to be instructions, too.
 */
#include "kvm/trap/scan.h"
#include "../../../sysreg/assertion.h"

#include <string.h>

#include "a64/a64.h"

#define NEIGHBOURS 3 /* on either side */

static uint32_t word_at(const uint8_t *bytes, size_t offset)
{
	return (uint32_t)bytes[offset] | (uint32_t)bytes[offset + 1] << 8 |
	       (uint32_t)bytes[offset + 2] << 16 | (uint32_t)bytes[offset + 3] << 24;
}

/* Could the word be an instruction? Nearly all of a kernel's are among those that soft executes. */
static bool is_instruction(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && (insn->executed || insn->group == A64_GROUP_VECTOR);
}

/*
 * All words around it must be instructions. Code ends in padding, which is zero or NOPs, so words
 * beyond the first zero on a side do not count; but a neighbour on one side must count.
 */
static bool is_code(const uint8_t *bytes, size_t size, size_t offset)
{
	unsigned int seen = 0;

	for (int side = -1; side <= 1; side += 2) {
		for (unsigned int n = 1; n <= NEIGHBOURS; n++) {
			const size_t distance = n * (size_t)4;
			uint32_t word;

			if (side < 0 ? distance > offset : offset + distance + 4 > size)
				break;
			word = word_at(bytes, side < 0 ? offset - distance : offset + distance);
			if (word == 0)
				break;
			if (!is_instruction(word))
				return false;
			seen++;
		}
	}
	return seen > 0;
}

static void store_word(uint8_t *at, uint32_t word)
{
	for (unsigned int i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> (i * 8));
}

static bool is_wanted(const struct kvm_scan *scan, uint32_t word, struct kvm_access *access)
{
	if (kvm_access_decode(word, access))
		return !scan->untrapped || !kvm_access_traps(access);
	if (kvm_access_decode_debug(word, access))
		return scan->debug || (scan->mdscr && access->debug == KVM_DEBUG_MDSCR);
	return scan->vectors && kvm_access_decode_vbar(word, access);
}

size_t kvm_scan(const struct kvm_scan *scan, uint8_t *bytes, size_t size)
{
	struct kvm_access access;
	size_t patched = 0;

	for (size_t offset = 0; offset + 4 <= size; offset += 4) {
		struct kvm_site site = {.offset = offset, .word = word_at(bytes, offset)};

		if (!is_wanted(scan, site.word, &access))
			continue;
		site.what = VSPE_KVM_SITE_PATCHED;
		if (!is_code(bytes, size, offset))
			site.what = VSPE_KVM_SITE_DATA;
		else if (scan->is_signed)
			site.what = VSPE_KVM_SITE_SIGNED;
		if (scan->log)
			scan->log(scan->ctx, &site);
		if (site.what != VSPE_KVM_SITE_PATCHED)
			continue;
		store_word(bytes + offset, kvm_access_brk(&access, scan->base));
		patched++;
	}
	return patched;
}

void kvm_scan_brks(const uint8_t *bytes, size_t size, uint8_t used[8192])
{
	uint16_t imm;

	for (size_t offset = 0; offset + 4 <= size; offset += 4)
		if (kvm_is_brk(word_at(bytes, offset), &imm) && is_code(bytes, size, offset))
			used[imm / 8] |= (uint8_t)(1u << imm % 8);
}

uint32_t kvm_choose_base(const uint8_t used[8192])
{
	uint32_t base;

	for (unsigned int n = 0; (base = kvm_brk_base(n)) != 0; n++) {
		bool free = true;

		vspe_assert_of(base % 8 == 0 && base + KVM_BRK_SPAN <= 65536, base, n);
		/* They are multiples of 8. */
		for (uint32_t at = base / 8; at < (base + KVM_BRK_SPAN) / 8; at++)
			free = free && used[at] == 0;
		if (free)
			return base;
	}
	return KVM_BRK_BASE;
}

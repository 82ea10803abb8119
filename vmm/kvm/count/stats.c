/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM's statistics of a vCPU: a header, descriptors with names of one size, and the data. Nothing
 * in it is used before its bounds are checked.
 */
#include "kvm/count/stats.h"

#include <string.h>

#define NAME_MOST	 1024u
#define DESCRIPTORS_MOST 4096u

/* struct kvm_stats_desc, without its name. */
#define DESCRIPTOR  16u
#define TYPE_MASK   0xfu
#define TYPE_COUNT  0u /* cumulative */
#define OFFSET_MOST (UINT32_C(1) << 24)

static uint32_t load_word(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint16_t load_half(const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

bool kvm_stats_header(const uint8_t header[KVM_STATS_HEADER], struct kvm_stats *stats)
{
	*stats = (struct kvm_stats){
		.name_size = load_word(header + 4),
		.descriptors = load_word(header + 8),
		.descriptors_at = load_word(header + 16),
		.data_at = load_word(header + 20),
	};
	return stats->name_size > 0 && stats->name_size <= NAME_MOST && stats->descriptors > 0 &&
	       stats->descriptors <= DESCRIPTORS_MOST &&
	       stats->descriptors_at >= KVM_STATS_HEADER && stats->data_at >= KVM_STATS_HEADER;
}

size_t kvm_stats_descriptors_size(const struct kvm_stats *stats)
{
	return (size_t)stats->descriptors * (DESCRIPTOR + stats->name_size);
}

uint64_t kvm_stats_find(const struct kvm_stats *stats, const uint8_t *descriptors, size_t size,
			const char *name)
{
	const size_t each = DESCRIPTOR + stats->name_size, length = strlen(name);

	if (length >= stats->name_size)
		return 0;
	for (size_t n = 0; n < stats->descriptors && size / each > n; n++) {
		const uint8_t *at = descriptors + n * each;
		const uint32_t offset = load_word(at + 8);

		/* With its 0, which is in bounds. */
		if (memcmp(at + DESCRIPTOR, name, length + 1) != 0)
			continue;
		if ((load_word(at) & TYPE_MASK) != TYPE_COUNT || load_half(at + 6) != 1 ||
		    offset % 8 != 0 || offset > OFFSET_MOST)
			return 0;
		return stats->data_at + offset;
	}
	return 0;
}

enum kvm_verdict kvm_judge_answered(uint64_t events, uint64_t others, unsigned int multiplier,
				    uint64_t grown)
{
	if (events == others + multiplier)
		return KVM_VERDICT_COUNTED;
	return events == others && grown == 1 ? KVM_VERDICT_ADDED : KVM_VERDICT_WRONG;
}

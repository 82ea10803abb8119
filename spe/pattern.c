/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that are alike. Most records of a program differ from an earlier one only in addresses
 * and time: copy the earlier one, and replace these.
 */
#include "internal.h"

#define ADDRESS FIELD(55, 0) /* of a packet; the byte above has the state */

static inline void put64(uint8_t *p, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	__builtin_memcpy(p, &value, sizeof(value));
}

/* The byte above an address. */
static uint64_t state_at(const uint8_t *p)
{
	return (uint64_t)p[7] << 56;
}

_Static_assert(offsetof(struct spe_op, extra) ==
		       offsetof(struct spe_op, events) + SPE_PATTERN_KEY * sizeof(uint64_t),
	       "what a record is made of besides addresses and the time is together");

static inline uint64_t key_at(const struct spe_op *op, unsigned int i)
{
	uint64_t part;

	__builtin_memcpy(&part, (const uint8_t *)&op->events + i * sizeof(part), sizeof(part));
	return part;
}

/* Without a loop, which would be most of it. */
static inline bool has_key(const struct spe_pattern *pattern, const struct spe_op *op)
{
	_Static_assert(SPE_PATTERN_KEY == 5, "all of its parts");
	return ((pattern->key[0] ^ key_at(op, 0)) | (pattern->key[1] ^ key_at(op, 1)) |
		(pattern->key[2] ^ key_at(op, 2)) | (pattern->key[3] ^ key_at(op, 3)) |
		(pattern->key[4] ^ key_at(op, 4))) == 0;
}

/* Not inlined: the other way needs fewer registers. */
static __attribute__((noinline)) size_t make_pattern(struct spe_patterns *patterns, unsigned int n,
						     const struct spe_format *format,
						     const struct spe_flight *flight,
						     const struct spe_op *op, uint64_t events,
						     uint8_t *record)
{
	struct spe_pattern *pattern = &patterns->of[n];
	const size_t size =
		spe_record_build_places(format, flight, op, events, record, &pattern->at);

	patterns->made &= ~(1u << n);
	if (size > SPE_PATTERN_SIZE)
		return size;
	patterns->made |= 1u << n;
	for (unsigned int i = 0; i < SPE_PATTERN_KEY; i++)
		pattern->key[i] = key_at(op, i);
	pattern->size = (uint8_t)size;
	__builtin_memcpy(pattern->record, record, SPE_PATTERN_SIZE);
	pattern->pc = state_at(record + pattern->at.pc);
	pattern->target = state_at(record + pattern->at.target);
	pattern->data_pa = state_at(record + pattern->at.data_pa);
	return size;
}

size_t spe_record_build_like(struct spe_patterns *patterns, const struct spe_format *format,
			     const struct spe_flight *flight, const struct spe_op *op,
			     uint64_t events, uint8_t *record)
{
	/* What most often tells operations apart: their type, and whether they were not taken. */
	const unsigned int low = (op->type_payload ^ (op->flags & SPE_OP_NOT_TAKEN) >> 5) & 7;
	const unsigned int n = (6 * (op->type_header & 3u) + low) % SPE_PATTERNS;
	const struct spe_pattern *pattern = &patterns->of[n];

	if (!(patterns->made >> n & 1) || !has_key(pattern, op))
		return make_pattern(patterns, n, format, flight, op, events, record);
	__builtin_memcpy(record, pattern->record, SPE_PATTERN_SIZE);
	put64(record + pattern->at.pc, (op->pc & ADDRESS) | pattern->pc);
	put64(record + pattern->at.target, (op->target & ADDRESS) | pattern->target);
	put64(record + pattern->at.data_va, op->data_va);
	put64(record + pattern->at.data_pa, (op->data_pa & ADDRESS) | pattern->data_pa);
	put64(record + pattern->at.timestamp, op->timestamp);
	return pattern->size;
}

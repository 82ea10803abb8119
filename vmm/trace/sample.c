// SPDX-License-Identifier: BSD-2-Clause
/* A record's packets by what they mean: see sample.h. */
#include "trace/sample.h"

uint64_t sample_address(uint64_t bits)
{
	const uint64_t high = UINT64_C(0xff) << 56;

	return bits >> 55 & 1 ? bits | high : bits & ~high;
}

static void read_address(struct sample *sample, uint8_t index, uint64_t payload)
{
	switch (index) {
	case RECORD_PC:
		sample->pc = sample_address(record_address_bits(payload));
		sample->el = (uint8_t)record_address_el(payload);
		sample->ns = record_address_ns(payload);
		sample->nse = record_address_nse(payload);
		break;
	case RECORD_TARGET: sample->target = sample_address(record_address_bits(payload)); break;
	case RECORD_PREVIOUS_TARGET:
		sample->previous_target = sample_address(record_address_bits(payload));
		break;
	case RECORD_DATA_VA: sample->va = payload; break;
	case RECORD_DATA_PA: sample->pa = record_address_bits(payload); break;
	default: break;
	}
}

/* The bit of SAMPLE_HAS_ for a packet, or 0 if nobody asks for it. */
static unsigned int bit_of(const struct record_packet *packet)
{
	static const unsigned int addresses[] = {SAMPLE_HAS_PC, SAMPLE_HAS_TARGET, SAMPLE_HAS_VA,
						 SAMPLE_HAS_PA, SAMPLE_HAS_PREVIOUS_TARGET};

	switch (packet->kind) {
	case RECORD_ADDRESS:
		return packet->index < sizeof(addresses) / sizeof(*addresses)
			       ? addresses[packet->index]
			       : 0;
	case RECORD_COUNTER:
		return packet->index < SAMPLE_LATENCIES ? SAMPLE_HAS_LATENCY << packet->index : 0;
	case RECORD_CONTEXT: return SAMPLE_HAS_CONTEXT << (packet->index & 1);
	case RECORD_DATA_SOURCE: return SAMPLE_HAS_SOURCE;
	case RECORD_OPERATION: return SAMPLE_HAS_OPERATION;
	case RECORD_TIMESTAMP: return SAMPLE_HAS_TIME;
	case RECORD_EVENTS: return SAMPLE_HAS_EVENTS;
	default: return 0;
	}
}

static void read_packet(struct sample *sample, const struct record_packet *packet)
{
	switch (packet->kind) {
	case RECORD_ADDRESS: read_address(sample, packet->index, packet->payload); break;
	case RECORD_COUNTER: sample->latency[packet->index] = (uint16_t)packet->payload; break;
	case RECORD_CONTEXT: sample->context[packet->index & 1] = (uint32_t)packet->payload; break;
	case RECORD_DATA_SOURCE: sample->source = (uint16_t)packet->payload; break;
	case RECORD_OPERATION:
		sample->class = (enum record_class)packet->index;
		sample->operation = (uint8_t)packet->payload;
		break;
	case RECORD_TIMESTAMP: sample->time = packet->payload; break;
	case RECORD_EVENTS: sample->events = packet->payload; break;
	default: break;
	}
}

void sample_read(const uint8_t *bytes, size_t size, struct sample *sample)
{
	struct record_packet packet;
	size_t length;

	*sample = (struct sample){0};
	for (size_t at = 0; at < size; at += length) {
		unsigned int bit;

		length = record_packet_read(bytes + at, size - at, &packet);
		if (!length)
			return;
		bit = bit_of(&packet);
		if (bit && !(sample->has & bit)) {
			sample->has |= bit;
			read_packet(sample, &packet);
		}
	}
}

bool sample_passes(const struct sample_filter *filter, int32_t cpu, const struct sample *sample)
{
	if (filter->by_cpu && (cpu < 0 || (uint32_t)cpu != filter->cpu))
		return false;
	return !filter->by_el || (sample->has & SAMPLE_HAS_PC && sample->el == filter->el);
}

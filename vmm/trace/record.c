// SPDX-License-Identifier: BSD-2-Clause
/*
 * Framing of sample records, format 0: which header begins which packet, how long it is, and where
 * a record ends (Arm ARM D18.1.1, the header tables of D18.2).
 */
#include "trace/record.h"

#include <string.h>

struct header_rule {
	uint8_t mask, match;
	uint8_t kind;	    /* enum record_packet_kind */
	uint8_t index_mask; /* bits of the header that are the packet's index */
};

/* First byte of a packet with a short header. */
static const struct header_rule short_headers[] = {
	{0xff, 0x01, RECORD_END, 0},	   {0xff, 0x71, RECORD_TIMESTAMP, 0},
	{0xcf, 0x42, RECORD_EVENTS, 0},	   {0xef, 0x43, RECORD_DATA_SOURCE, 0},
	{0xff, 0x48, RECORD_OPERATION, 3}, {0xff, 0x49, RECORD_OPERATION, 3},
	{0xff, 0x4a, RECORD_OPERATION, 3}, {0xfe, 0x64, RECORD_CONTEXT, 1},
	{0xf8, 0x98, RECORD_COUNTER, 7},   {0xf8, 0xb0, RECORD_ADDRESS, 7},
};

/* Second byte of an extended header: only counters and addresses have one. */
static const struct header_rule extended_headers[] = {
	{0xf8, 0x98, RECORD_COUNTER, 7},
	{0xf8, 0xb0, RECORD_ADDRESS, 7},
};

static const struct header_rule *find_rule(const struct header_rule *rules, size_t count,
					   uint8_t header)
{
	for (size_t i = 0; i < count; i++) {
		if ((header & rules[i].mask) == rules[i].match)
			return &rules[i];
	}
	return NULL;
}

/* D18.1: headers below 0x40 have no payload, all others say its size in bits [5:4]. */
static size_t payload_size(uint8_t header)
{
	return header < 0x40 ? 0 : (size_t)1 << (header >> 4 & 3);
}

static size_t read_padding(const uint8_t *bytes, size_t size, struct record_packet *packet)
{
	size_t run = 1;

	while (run < size && !bytes[run])
		run++;
	packet->kind = RECORD_PADDING;
	return run;
}

size_t record_packet_read(const uint8_t *bytes, size_t size, struct record_packet *packet)
{
	const struct header_rule *rule;
	uint8_t index_high = 0;
	size_t header = 1;

	memset(packet, 0, sizeof(*packet));
	if (!size)
		return 0;
	if (!bytes[0])
		return read_padding(bytes, size, packet);

	if (bytes[0] >= 0x20 && bytes[0] < 0x40) {
		header = 2;
		if (size < header)
			return 0;
		/* Only 0x20 to 0x23 are assigned: their low bits are index[4:3]. */
		rule = bytes[0] > 0x23 ? NULL : find_rule(extended_headers, 2, bytes[1]);
		index_high = (uint8_t)((bytes[0] & 3) << 3);
	} else {
		rule = find_rule(short_headers, sizeof(short_headers) / sizeof(*short_headers),
				 bytes[0]);
	}

	packet->payload_size = (uint8_t)payload_size(bytes[header - 1]);
	if (size - header < packet->payload_size)
		return 0;
	for (size_t i = 0; i < packet->payload_size; i++)
		packet->payload |= (uint64_t)bytes[header + i] << (8 * i);
	packet->kind = rule ? (enum record_packet_kind)rule->kind : RECORD_UNKNOWN;
	packet->index = rule ? (uint8_t)(index_high | (bytes[header - 1] & rule->index_mask)) : 0;
	return header + packet->payload_size;
}

size_t record_find(const uint8_t *bytes, size_t size, struct record_span *span)
{
	struct record_packet packet;
	size_t at = 0, length;

	while (at < size && !bytes[at])
		at++;
	*span = (struct record_span){.start = at};
	while (at < size && span->size < RECORD_SIZE_MAX) {
		length = record_packet_read(bytes + at, size - at, &packet);
		if (!length) {
			/* Cut off: all that is left belongs to the unfinished record. */
			span->size = size - span->start;
			return size;
		}
		at += length;
		span->size = at - span->start;
		if (packet.kind == RECORD_END || packet.kind == RECORD_TIMESTAMP) {
			span->complete = true;
			break;
		}
	}
	return at;
}

static void count_packet(struct record_totals *totals, const struct record_packet *packet,
			 size_t length)
{
	totals->packets[packet->kind]++;
	switch (packet->kind) {
	case RECORD_PADDING: totals->padding += length; break;
	case RECORD_UNKNOWN: totals->unknown += length; break;
	case RECORD_OPERATION: totals->classes[packet->index]++; break;
	case RECORD_EVENTS:
		for (unsigned int bit = 0; bit < 64; bit++)
			totals->events[bit] += packet->payload >> bit & 1;
		break;
	case RECORD_ADDRESS:
		if (packet->index == RECORD_PC)
			totals->el[record_address_el(packet->payload)]++;
		break;
	default: break;
	}
}

void record_count(struct record_totals *totals, const uint8_t *bytes, size_t size)
{
	struct record_packet packet;
	bool open = false; /* packets since the last end */
	size_t at = 0, length;

	totals->bytes += size;
	while (at < size) {
		length = record_packet_read(bytes + at, size - at, &packet);
		if (!length) {
			totals->unknown += size - at;
			open = true;
			break;
		}
		at += length;
		count_packet(totals, &packet, length);
		if (packet.kind == RECORD_END || packet.kind == RECORD_TIMESTAMP) {
			totals->records++;
			open = false;
		} else if (packet.kind != RECORD_PADDING) {
			open = true;
		}
	}
	totals->incomplete += open;
}

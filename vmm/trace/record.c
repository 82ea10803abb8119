/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts each kind of packet: see record.h. */
#include "trace/record.h"

static void count_packet(struct record_totals *totals, const struct spe_packet *packet,
			 size_t length)
{
	totals->packets[packet->kind]++;
	switch (packet->kind) {
	case SPE_PACKET_PADDING: totals->padding += length; break;
	case SPE_PACKET_UNKNOWN: totals->unknown += length; break;
	case SPE_PACKET_OPERATION: totals->classes[packet->index]++; break;
	case SPE_PACKET_EVENTS:
		for (unsigned int bit = 0; bit < 64; bit++)
			totals->events[bit] += packet->payload >> bit & 1;
		break;
	case SPE_PACKET_ADDRESS:
		if (packet->index == SPE_ADDRESS_PC)
			totals->el[record_address_el(packet->payload)]++;
		break;
	default: break;
	}
}

void record_count(struct record_totals *totals, const uint8_t *bytes, size_t size)
{
	struct spe_packet packet;
	bool open = false; /* packets since the last end */
	size_t at = 0, length;

	totals->bytes += size;
	while (at < size) {
		length = spe_packet_read(bytes + at, size - at, &packet);
		if (!length) {
			totals->unknown += size - at;
			open = true;
			break;
		}
		at += length;
		count_packet(totals, &packet, length);
		if (packet.kind == SPE_PACKET_END || packet.kind == SPE_PACKET_TIMESTAMP) {
			totals->records++;
			open = false;
		} else if (packet.kind != SPE_PACKET_PADDING) {
			open = true;
		}
	}
	totals->incomplete += open;
}

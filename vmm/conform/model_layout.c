/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in the layouts of cores, stated a second time after docs/cores.md: the place of each
 * packet in a record.
 */
#include "conform/model_op.h"

#include <string.h>

struct order {
	enum spe_packet_kind kind;
	unsigned int index; /* ANY of an operation type */
};

#define ANY 9

static const struct order kunpeng920[] = {
	{SPE_PACKET_ADDRESS, 0}, {SPE_PACKET_COUNTER, 1},     {SPE_PACKET_COUNTER, 0},
	{SPE_PACKET_EVENTS, 0},	 {SPE_PACKET_OPERATION, ANY}, {SPE_PACKET_ADDRESS, 1},
	{SPE_PACKET_ADDRESS, 2}, {SPE_PACKET_COUNTER, 2},     {SPE_PACKET_ADDRESS, 3},
	{SPE_PACKET_CONTEXT, 0}, {SPE_PACKET_CONTEXT, 1},
};
static const struct order fvp[] = {
	{SPE_PACKET_CONTEXT, 0}, {SPE_PACKET_CONTEXT, 1}, {SPE_PACKET_OPERATION, ANY},
	{SPE_PACKET_ADDRESS, 1}, {SPE_PACKET_ADDRESS, 2}, {SPE_PACKET_ADDRESS, 3},
	{SPE_PACKET_COUNTER, 2}, {SPE_PACKET_EVENTS, 0},  {SPE_PACKET_ADDRESS, 0},
	{SPE_PACKET_COUNTER, 0},
};

/* The bytes of a packet with a short header (Table D18-1). */
static size_t put_packet(uint8_t *to, const struct spe_packet *packet)
{
	static const uint8_t headers[SPE_PACKET_KINDS] = {
		[SPE_PACKET_END] = 0x01,       [SPE_PACKET_TIMESTAMP] = 0x71,
		[SPE_PACKET_EVENTS] = 0x42,    [SPE_PACKET_DATA_SOURCE] = 0x43,
		[SPE_PACKET_OPERATION] = 0x48, [SPE_PACKET_CONTEXT] = 0x64,
		[SPE_PACKET_COUNTER] = 0x98,   [SPE_PACKET_ADDRESS] = 0xb0,
	};
	uint8_t header = (uint8_t)(headers[packet->kind] + packet->index);

	if (packet->kind == SPE_PACKET_EVENTS)
		header |= (uint8_t)(__builtin_ctz(packet->payload_size) << 4);
	to[0] = header;
	for (unsigned int i = 0; i < packet->payload_size; i++)
		to[1 + i] = (uint8_t)(packet->payload >> 8 * i);
	return 1u + packet->payload_size;
}

/* Offsets in the record. What follows Events moves with their size. */
static size_t neoverse_place(const struct spe_packet *packet, size_t events)
{
	switch (packet->kind) {
	case SPE_PACKET_ADDRESS:
		return packet->index == 0 ? 0 : packet->index == 3 ? 40 + events : 28 + events;
	case SPE_PACKET_CONTEXT: return packet->index == 0 ? 9 : 14;
	case SPE_PACKET_OPERATION: return 19;
	case SPE_PACKET_EVENTS: return 21;
	case SPE_PACKET_COUNTER:
		return packet->index == 2 ? 37 + events : (packet->index ? 22 : 25) + events;
	case SPE_PACKET_DATA_SOURCE: return 49 + events;
	case SPE_PACKET_END: return 63;
	default: return 55; /* a timestamp */
	}
}

static const struct spe_packet *find_packet(const struct spe_packet *packets, size_t count,
					    const struct order *which)
{
	for (size_t i = 0; i < count; i++)
		if (packets[i].kind == which->kind &&
		    (which->index == ANY || packets[i].index == which->index))
			return &packets[i];
	return NULL;
}

/* Packets in order. In a branch of Kunpeng 920 the place of a translation stays empty. */
static size_t put_in_order(uint8_t *to, const struct spe_packet *packets, size_t count,
			   const struct order *order, size_t orders)
{
	const struct order operation = {SPE_PACKET_OPERATION, ANY};
	const struct spe_packet *type = find_packet(packets, count, &operation), *packet;
	size_t at = 0;

	for (size_t i = 0; i < orders; i++) {
		packet = find_packet(packets, count, &order[i]);
		if (packet)
			at += put_packet(to + at, packet);
		else if (order == kunpeng920 && order[i].kind == SPE_PACKET_COUNTER &&
			 type->index == RECORD_BRANCH)
			at += 3;
	}
	return at;
}

size_t model_layout(const struct spe_config *c, const struct spe_packet *packets, size_t count,
		    uint8_t bytes[MODEL_LAYOUT_MAX])
{
	const struct spe_packet *last = &packets[count - 1];
	const size_t end = 1u + last->payload_size, align = (size_t)1 << c->align;
	size_t size;

	memset(bytes, 0, MODEL_LAYOUT_MAX);
	switch (c->layout) {
	case SPE_LAYOUT_NEOVERSE:
		for (size_t i = 0; i < count; i++)
			(void)put_packet(bytes + neoverse_place(&packets[i], c->events_size),
					 &packets[i]);
		return 64;
	case SPE_LAYOUT_KUNPENG920:
		size = put_in_order(bytes, packets, count, kunpeng920,
				    sizeof(kunpeng920) / sizeof(kunpeng920[0]));
		size = (size + end + align - 1) / align * align;
		(void)put_packet(bytes + size - end, last);
		return size;
	default:
		size = put_in_order(bytes, packets, count, fvp, sizeof(fvp) / sizeof(fvp[0]));
		(void)put_packet(bytes + size, last);
		return (size + end + align - 1) / align * align;
	}
}

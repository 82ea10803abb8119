/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser of sample records: see record.h. Some guests spend most of their time here, so it
 * takes few branches: engines that look at every instruction are slow at those.
 */
#include "record.h"

/* Short headers, of packets that struct record has a place for. */
#define PACKET_NONE	 0
#define PACKET_PC	 1
#define PACKET_TARGET	 2
#define PACKET_VA	 3
#define PACKET_PA	 4
#define PACKET_TYPE	 5
#define PACKET_EVENTS	 6
#define PACKET_TIMESTAMP 7
#define PACKET_CONTEXT	 8
#define PACKET_CONTEXT2	 9
#define PACKET_SOURCE	 10
#define PACKET_LATENCY	 11
#define PACKET_ISSUE	 12
#define PACKET_XLAT	 13
#define PACKETS		 14

static const uint8_t packet_of[256] = {
	[0x42] = PACKET_EVENTS,	 [0x52] = PACKET_EVENTS,   [0x62] = PACKET_EVENTS,
	[0x72] = PACKET_EVENTS,	 [0x43] = PACKET_SOURCE,   [0x53] = PACKET_SOURCE,
	[0x63] = PACKET_SOURCE,	 [0x73] = PACKET_SOURCE,   [0x48] = PACKET_TYPE,
	[0x49] = PACKET_TYPE,	 [0x4a] = PACKET_TYPE,	   [0x4b] = PACKET_TYPE,
	[0x64] = PACKET_CONTEXT, [0x65] = PACKET_CONTEXT2, [0x71] = PACKET_TIMESTAMP,
	[0x98] = PACKET_LATENCY, [0x99] = PACKET_ISSUE,	   [0x9a] = PACKET_XLAT,
	[0xb0] = PACKET_PC,	 [0xb1] = PACKET_TARGET,   [0xb2] = PACKET_VA,
	[0xb3] = PACKET_PA,
};

static const uint32_t has_packet[PACKETS] = {
	[PACKET_PC] = RECORD_PC,
	[PACKET_TARGET] = RECORD_TARGET,
	[PACKET_VA] = RECORD_VA,
	[PACKET_PA] = RECORD_PA,
	[PACKET_TYPE] = RECORD_TYPE,
	[PACKET_EVENTS] = RECORD_EVENTS,
	[PACKET_TIMESTAMP] = RECORD_TIMESTAMP,
	[PACKET_CONTEXT] = RECORD_CONTEXT,
	[PACKET_CONTEXT2] = RECORD_CONTEXT2,
	[PACKET_SOURCE] = RECORD_SOURCE,
	[PACKET_LATENCY] = RECORD_LATENCY,
	[PACKET_ISSUE] = RECORD_ISSUE,
	[PACKET_XLAT] = RECORD_XLAT,
};

static uint64_t load_payload(const uint8_t *p, size_t bytes)
{
	uint64_t value = 0;

	if (bytes == 8)
		__builtin_memcpy(&value, p, 8);
	while (bytes < 8 && bytes-- > 0)
		value = value << 8 | p[bytes];
	return value;
}

/* An address packet has 56 bits of an address; code of EL1 and data there is in the upper half. */
static uint64_t extend_address(uint64_t payload)
{
	uint64_t address = payload & 0xffffffffffffff;

	return address >> 55 ? address | UINT64_C(0xff) << 56 : address;
}

/* Padding before a record. */
static size_t skip_padding(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (size - at >= 8) {
		uint64_t word;

		__builtin_memcpy(&word, bytes + at, 8);
		if (word != 0)
			break;
		at += 8;
	}
	while (at < size && bytes[at] == 0)
		at++;
	return at;
}

static void fill_record(struct record *r, uint32_t has, const uint64_t *payload)
{
	*r = (struct record){
		.has = has,
		.pc = extend_address(payload[PACKET_PC]),
		.el = payload[PACKET_PC] >> 61 & 3,
		.ns = payload[PACKET_PC] >> 63,
		.nse = payload[PACKET_PC] >> 60 & 1,
		.pa_ns = payload[PACKET_PA] >> 63,
		.pa_nse = payload[PACKET_PA] >> 60 & 1,
		.target = extend_address(payload[PACKET_TARGET]),
		.va = extend_address(payload[PACKET_VA]),
		.pa = payload[PACKET_PA] & 0xffffffffffffff,
		.events = payload[PACKET_EVENTS],
		.timestamp = payload[PACKET_TIMESTAMP],
		.context = (uint32_t)payload[PACKET_CONTEXT],
		.context2 = (uint32_t)payload[PACKET_CONTEXT2],
		.latency = (uint16_t)payload[PACKET_LATENCY],
		.issue = (uint16_t)payload[PACKET_ISSUE],
		.xlat = (uint16_t)payload[PACKET_XLAT],
		.source = (uint16_t)payload[PACKET_SOURCE],
		.type_header = (uint8_t)(payload[PACKET_TYPE] >> 8),
		.type = (uint8_t)payload[PACKET_TYPE],
	};
}

static void clear_payloads(uint64_t payload[PACKETS])
{
#pragma GCC unroll 14
	for (unsigned int i = 0; i < PACKETS; i++)
		*(volatile uint64_t *)&payload[i] = 0;
}

/* The payload of an operation type includes its header. */
static uint64_t with_header(uint8_t packet, uint8_t header, uint64_t value)
{
	return packet == PACKET_TYPE ? value | (uint64_t)header << 8 : value;
}

/* Packets that do not end the record and have a short header, while there is room for any. */
static size_t read_plain(const uint8_t *bytes, size_t size, uint64_t payload[PACKETS],
			 uint32_t *has)
{
	const uint8_t *at = bytes, *most = size < 9 ? bytes : bytes + size - 8;
	uint32_t found = 0;

	while (at < most) {
		uint8_t header = *at, packet = packet_of[header];
		unsigned int length = 1u << (header >> 4 & 3);
		uint64_t value;

		if (header < 0x40 || packet == PACKET_TIMESTAMP)
			break;
		__builtin_memcpy(&value, at + 1, 8);
		value = value << (64 - 8 * length) >> (64 - 8 * length);
		payload[packet] = with_header(packet, header, value);
		found |= has_packet[packet];
		at += 1 + length;
	}
	*has |= found;
	return (size_t)(at - bytes);
}

/* Read packets up to the end of the record; returns the number of bytes, or -1. */
static long read_packets(const uint8_t *bytes, size_t size, uint64_t payload[PACKETS],
			 uint32_t *has)
{
	size_t at = read_plain(bytes, size, payload, has);

	while (at < size) {
		uint8_t header = bytes[at++], packet;
		bool above = false; /* an index of 8 and more */
		size_t length;

		if (header < 0x40) {
			if (header == 0x01) {
				*has |= RECORD_END;
				return (long)at;
			}
			/* Padding, as real cores have it inside a record (D18.1.3). */
			if (header == 0) {
				at += skip_padding(bytes + at, size - at);
				at += read_plain(bytes + at, size - at, payload, has);
				continue;
			}
			if (header < 0x20 || at == size || bytes[at] < 0x40)
				return -1;
			above = header & 3;
			header = bytes[at++];
		}
		length = (size_t)1 << (header >> 4 & 3);
		if (length > size - at)
			return -1;
		packet = above ? PACKET_NONE : packet_of[header];
		payload[packet] = with_header(packet, header, load_payload(bytes + at, length));
		*has |= has_packet[packet];
		at += length;
		if (packet == PACKET_TIMESTAMP)
			return (long)at;
	}
	return -1;
}

long record_parse(const uint8_t *bytes, size_t size, struct record *record)
{
	size_t padding = skip_padding(bytes, size);
	uint64_t payload[PACKETS];
	uint32_t has = 0;
	long length = 0;

	clear_payloads(payload);
	if (padding < size)
		length = read_packets(bytes + padding, size - padding, payload, &has);
	fill_record(record, has, payload);
	return length > 0 ? (long)padding + length : length;
}

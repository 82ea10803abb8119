/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser of sample records: see record.h.
 */
#include "record.h"

static uint64_t load(const uint8_t *p, size_t bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | p[bytes];
	return value;
}

/* An address packet has 56 bits of an address; code of EL1 and data there is in the upper half. */
static uint64_t extend(uint64_t payload)
{
	uint64_t address = payload & 0xffffffffffffff;

	return address >> 55 ? address | UINT64_C(0xff) << 56 : address;
}

static void address_packet(struct record *r, unsigned int index, uint64_t payload)
{
	switch (index) {
	case 0:
		r->has |= RECORD_PC;
		r->pc = extend(payload);
		r->el = payload >> 61 & 3;
		r->ns = payload >> 63;
		r->nse = payload >> 60 & 1;
		break;
	case 1:
		r->has |= RECORD_TARGET;
		r->target = extend(payload);
		break;
	case 2:
		r->has |= RECORD_VA;
		r->va = extend(payload);
		break;
	case 3:
		r->has |= RECORD_PA;
		r->pa = payload & 0xffffffffffffff;
		r->pa_ns = payload >> 63;
		r->pa_nse = payload >> 60 & 1;
		break;
	default: break;
	}
}

static void counter_packet(struct record *r, unsigned int index, uint64_t payload)
{
	switch (index) {
	case 0:
		r->has |= RECORD_LATENCY;
		r->latency = (uint16_t)payload;
		break;
	case 1:
		r->has |= RECORD_ISSUE;
		r->issue = (uint16_t)payload;
		break;
	case 2:
		r->has |= RECORD_XLAT;
		r->xlat = (uint16_t)payload;
		break;
	default: break;
	}
}

static void packet(struct record *r, uint8_t header, unsigned int extension, uint64_t payload)
{
	unsigned int index = (header & 7u) | extension << 3;

	if ((header & 0xf8) == 0xb0) {
		address_packet(r, index, payload);
	} else if ((header & 0xf8) == 0x98) {
		counter_packet(r, index, payload);
	} else if ((header & 0xcf) == 0x42) {
		r->has |= RECORD_EVENTS;
		r->events = payload;
	} else if ((header & 0xcf) == 0x43) {
		r->has |= RECORD_SOURCE;
		r->source = (uint16_t)payload;
	} else if ((header & 0xfc) == 0x48) {
		r->has |= RECORD_TYPE;
		r->type_header = header;
		r->type = (uint8_t)payload;
	} else if (header == 0x64) {
		r->has |= RECORD_CONTEXT;
		r->context = (uint32_t)payload;
	} else if (header == 0x65) {
		r->has |= RECORD_CONTEXT2;
		r->context2 = (uint32_t)payload;
	} else if (header == 0x71) {
		r->has |= RECORD_TIMESTAMP;
		r->timestamp = payload;
	}
}

long record_parse(const uint8_t *bytes, size_t size, struct record *record)
{
	size_t at = 0;

	*record = (struct record){0};
	while (at < size && bytes[at] == 0)
		at++;
	if (at == size)
		return 0;
	while (at < size) {
		uint8_t header = bytes[at++];
		unsigned int extension = 0;
		size_t payload;

		if (header == 0x01) {
			record->has |= RECORD_END;
			return (long)at;
		}
		if (header < 0x20) /* padding inside a record would be an error */
			return -1;
		if (header < 0x40) {
			extension = header & 3;
			if (at == size)
				return -1;
			header = bytes[at++];
		}
		payload = (size_t)1 << (header >> 4 & 3);
		if (header < 0x40 || payload > size - at)
			return -1;
		packet(record, header, extension, load(bytes + at, payload));
		at += payload;
		if (header == 0x71)
			return (long)at;
	}
	return -1;
}

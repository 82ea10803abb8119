/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte encodings of the perf.data format: little-endian on every host.
 */
#include "trace/perf_format.h"

#include <string.h>

void perf_format_append(struct perf_format_event *event, const void *bytes, size_t size)
{
	if (size > sizeof(event->bytes) - event->size)
		return;
	memcpy(event->bytes + event->size, bytes, size);
	event->size += size;
}

uint8_t *perf_format_put_u64(uint8_t *bytes, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	return bytes + 8;
}

static void append_number(struct perf_format_event *event, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	perf_format_append(event, bytes, size);
}

void perf_format_u32(struct perf_format_event *event, uint32_t value)
{
	append_number(event, value, 4);
}

void perf_format_u64(struct perf_format_event *event, uint64_t value)
{
	append_number(event, value, 8);
}

void perf_format_string(struct perf_format_event *event, const char *string, size_t unit)
{
	static const uint8_t zero[64];
	size_t size = strlen(string) + 1;

	perf_format_append(event, string, size);
	perf_format_append(event, zero, (unit - size % unit) % unit);
}

void perf_format_counted_string(struct perf_format_event *event, const char *string)
{
	const size_t unit = 64; /* as perf pads them */

	perf_format_u32(event, (uint32_t)((strlen(string) / unit + 1) * unit));
	perf_format_string(event, string, unit);
}

void perf_format_event_begin(struct perf_format_event *event, uint32_t type, uint16_t misc)
{
	event->size = 0;
	perf_format_u32(event, type);
	append_number(event, misc, 2);
	append_number(event, 0, 2); /* size: perf_format_event_size() */
}

size_t perf_format_event_size(struct perf_format_event *event)
{
	event->bytes[6] = (uint8_t)event->size;
	event->bytes[7] = (uint8_t)(event->size >> 8);
	return event->size;
}

static uint64_t get_number(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

uint16_t perf_format_get_u16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | (unsigned int)bytes[1] << 8);
}

uint32_t perf_format_get_u32(const uint8_t *bytes)
{
	return (uint32_t)get_number(bytes, 4);
}

uint64_t perf_format_get_u64(const uint8_t *bytes)
{
	return get_number(bytes, 8);
}

int perf_format_section(const uint8_t *header, unsigned int feature)
{
	const uint64_t bits = perf_format_get_u64(header + PERF_FORMAT_FEATURES_AT);
	int row = 0;

	if (!(bits >> feature & 1))
		return -1;
	for (unsigned int bit = 0; bit < feature; bit++)
		row += (int)(bits >> bit & 1);
	return row;
}

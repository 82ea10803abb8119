/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * <vspe/decode.h>: packets to members, one at a time, and what is said of damage. The bytes are
 * written out from the tables of Arm ARM D18.1 and D18.2.
 */
#include "fixture.h"
#include <vspe/decode.h>

/* The record that is all of these bytes. */
static struct spe_record read_all(const uint8_t *bytes, size_t size)
{
	struct spe_record record;

	eq(spe_record_read(bytes, size, &record), size);
	eq(record.offset, record.padding);
	eq(record.padding + record.size, size);
	return record;
}

#define READ(...)                                             \
	({                                                    \
		static const uint8_t bytes[] = {__VA_ARGS__}; \
		read_all(bytes, sizeof(bytes));               \
	})

static void is_code(const struct spe_target *to, uint64_t va, unsigned int el, bool ns, bool nse)
{
	eq(to->va, va);
	eq(to->el, el);
	eq(to->ns, ns);
	eq(to->nse, nse);
}

/* The example of the header. */
Test(decode, the_example)
{
	const struct spe_record r = READ(0x98, 0x0c, 0x00, 0xb0, 0x34, 0x12, 0x00, 0x08, 0x00, 0x80,
					 0xff, 0xa0, 0xb2, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00, 0xff,
					 0xff, 0x49, 0x00, 0x52, 0x06, 0x00, 0x01);

	eq(r.size, 27);
	eq(r.has, SPE_HAS_TOTAL_LATENCY | SPE_HAS_PC | SPE_HAS_DATA_VA | SPE_HAS_OPERATION |
			  SPE_HAS_EVENTS);
	eq(r.damage, 0);
	eq(r.total_latency, 12);
	is_code(&r.pc, UINT64_C(0xffff800008001234), 1, true, false);
	eq(r.data_va, UINT64_C(0xffff000012345678));
	eq(r.type_header, SPE_TYPE_MEMORY);
	eq(r.type_payload, 0);
	eq(r.events, SPE_EVENT_RETIRED | SPE_EVENT_L1D_ACCESS);
	eq(r.events_size, 2);
}

Test(decode, addresses_of_instructions)
{
	const struct spe_record r = READ(0xb0, 1, 2, 3, 4, 5, 6, 0x7f, 0xf0, 0xb1, 1, 2, 3, 4, 5, 6,
					 0x80, 0x40, 0xb4, 9, 0, 0, 0, 0, 0, 0, 0x80, 0x01);

	eq(r.has, SPE_HAS_PC | SPE_HAS_TARGET | SPE_HAS_PREVIOUS);
	is_code(&r.pc, UINT64_C(0x007f060504030201), 3, true, true);
	is_code(&r.target, UINT64_C(0xff80060504030201), 2, false, false);
	is_code(&r.previous, 9, 0, true, false);
	eq(r.damage, 0);
}

/* A tag of the VA stays; the PA's fields are apart. */
Test(decode, addresses_of_data)
{
	const struct spe_record r =
		READ(0xb2, 1, 0, 0, 0, 0, 0, 0, 0x5a, 0xb3, 2, 0, 0, 0, 0, 0, 0x91, 0xdb, 0x01);

	eq(r.has, SPE_HAS_DATA_VA | SPE_HAS_DATA_PA);
	eq(r.data_va, UINT64_C(0x5a00000000000001));
	eq(spe_untagged(r.data_va), 1);
	eq(spe_untagged(UINT64_C(0x5a80000000000001)), UINT64_C(0xff80000000000001));
	eq(r.data_pa, UINT64_C(0x0091000000000002));
	eq(r.pa_ns, true);
	eq(r.pa_nse, true);
	eq(r.tag_checked, true);
	eq(r.tag, 0xb);
}

Test(decode, counters)
{
	const struct spe_record r = READ(0x98, 1, 0x10, 0x99, 2, 0x20, 0x9a, 3, 0x30, 0x9c, 0xff,
					 0xff, 0x20, 0x9b, 5, 0, 0x23, 0x9f, 6, 0, 0x01);

	eq(r.has, SPE_HAS_TOTAL_LATENCY | SPE_HAS_ISSUE_LATENCY | SPE_HAS_TRANSLATION_LATENCY |
			  SPE_HAS_ALTERNATE_LATENCY | SPE_HAS_EXTRA);
	eq(r.total_latency, 0x1001);
	eq(r.issue_latency, 0x2002);
	eq(r.translation_latency, 0x3003);
	eq(r.alternate_latency, 0xffff);
	eq(r.extra_count, 2);
	eq(r.extra[0].address, false);
	eq(r.extra[0].index, 3);
	eq(r.extra[0].value, 5);
	eq(r.extra[1].index, 31);
	eq(r.extra[1].value, 6);
}

/* More packets of other indexes than there is place for: counted, and the first are there. */
Test(decode, extra_packets)
{
	struct spe_record r;
	uint8_t bytes[16 * 10 + 1];
	uint8_t *p = bytes;

	for (unsigned int i = 16; i < 32; i++) {
		*p++ = (uint8_t)(0x20 + i / 8);
		*p++ = (uint8_t)(0xb0 + i % 8);
		memset(p, (int)i, 8);
		p += 8;
	}
	*p = 0x01;
	r = read_all(bytes, sizeof(bytes));
	eq(r.has, SPE_HAS_EXTRA);
	eq(r.damage, 0);
	eq(r.extra_count, 16);
	for (unsigned int i = 0; i < SPE_EXTRA_MAX; i++) {
		eq(r.extra[i].address, true);
		eq(r.extra[i].index, 16 + i);
		eq(r.extra[i].value, UINT64_C(0x0101010101010101) * (16 + i));
	}
}

Test(decode, contexts_and_time)
{
	const struct spe_record r =
		READ(0x64, 1, 2, 3, 0xf4, 0x65, 5, 6, 7, 0xf8, 0x71, 1, 2, 3, 4, 5, 6, 7, 0x88);

	eq(r.has, SPE_HAS_CONTEXTIDR_EL1 | SPE_HAS_CONTEXTIDR_EL2 | SPE_HAS_TIMESTAMP);
	eq(r.contextidr_el1, 0xf4030201);
	eq(r.contextidr_el2, 0xf8070605);
	eq(r.timestamp, UINT64_C(0x8807060504030201));
	eq(r.damage, 0);
}

/* RULE("D18.2.6/size") */
Test(decode, events_of_every_size)
{
	for (unsigned int log = 0; log < 4; log++) {
		uint8_t bytes[10] = {(uint8_t)(0x42 | log << 4)};
		const size_t size = (size_t)1 << log;
		struct spe_record r;

		memset(bytes + 1, 0xa5, size);
		bytes[1 + size] = 0x01;
		r = read_all(bytes, size + 2);
		eq(r.has, SPE_HAS_EVENTS);
		eq(r.events_size, size);
		eq(r.events, UINT64_C(0xa5a5a5a5a5a5a5a5) >> (64 - 8 * size));
	}
}

/* One byte or two; 63 and 73 are not assigned. */
Test(decode, data_sources)
{
	struct spe_record r = READ(0x43, 0x8e, 0x01);

	eq(r.has, SPE_HAS_DATA_SOURCE);
	eq(r.data_source, 0x8e);
	eq(r.source_size, 1);
	r = READ(0x53, 0x34, 0x12, 0x01);
	eq(r.data_source, 0x1234);
	eq(r.source_size, 2);
	r = READ(0x63, 1, 2, 3, 4, 0x73, 1, 2, 3, 4, 5, 6, 7, 8, 0x01);
	eq(r.has, 0);
	eq(r.unknown_packets, 2);
	eq(r.unknown_bytes, 14);
	eq(r.damage, SPE_DAMAGE_UNKNOWN);
}

Test(decode, operations)
{
	for (unsigned int header = 0x48; header <= 0x4b; header++) {
		const uint8_t bytes[] = {(uint8_t)header, 0x5d, 0x01};
		const struct spe_record r = read_all(bytes, sizeof(bytes));

		eq(r.has, header < 0x4b ? SPE_HAS_OPERATION : 0);
		eq(r.type_header, header < 0x4b ? header : 0);
		eq(r.type_payload, header < 0x4b ? 0x5d : 0);
	}
}

/* RULE("D18.1/packets") RULE("D18.1.1/sizes") */
Test(decode, packets_have_the_size_that_their_header_says)
{
	uint8_t bytes[12] = {0};
	struct spe_packet packet;

	for (unsigned int first = 1; first < 256; first++) {
		for (unsigned int second = 0; second < 256; second++) {
			const bool extended = first >= 0x20 && first < 0x40;
			const unsigned int last = extended ? second : first;
			size_t size = extended ? 2 : 1;

			size += last < 0x40 ? 0 : (size_t)1 << (last >> 4 & 3);
			bytes[0] = (uint8_t)first;
			bytes[1] = (uint8_t)second;
			eq(spe_packet_read(bytes, sizeof(bytes), &packet), size);
			eq(spe_packet_read(bytes, size, &packet), size);
			eq(spe_packet_read(bytes, size - 1, &packet), 0);
		}
	}
	eq(spe_packet_read(bytes + 2, 10, &packet), 10);
	eq(packet.kind, SPE_PACKET_PADDING);
}

/* RULE("D18.1.3/unknown") */
Test(decode, unknown_packets)
{
	/* 0x40 (1 byte), 0x24 0x98 (not an index), 0x20 0x42 (no extended Events), 0x02 */
	const struct spe_record r =
		READ(0x40, 0xff, 0x24, 0x98, 0xff, 0xff, 0x20, 0x42, 0xff, 0x02, 0x98, 7, 0, 0x01);

	eq(r.has, SPE_HAS_TOTAL_LATENCY);
	eq(r.damage, SPE_DAMAGE_UNKNOWN);
	eq(r.unknown_packets, 4);
	eq(r.unknown_bytes, 10);
	eq(r.total_latency, 7);
}

/* Of two packets of a kind the first one counts. */
Test(decode, repeated_packets)
{
	struct spe_record r = READ(0x98, 1, 0, 0x42, 2, 0x98, 3, 0, 0x52, 4, 0, 0x01);

	eq(r.total_latency, 1);
	eq(r.events, 2);
	eq(r.events_size, 1);
	eq(r.repeated, SPE_HAS_TOTAL_LATENCY | SPE_HAS_EVENTS);
	eq(r.damage, SPE_DAMAGE_REPEATED);
	r = READ(0x9e, 1, 0, 0x20, 0x9e, 2, 0, 0xb6, 1, 2, 3, 4, 5, 6, 7, 8, 0x01);
	eq(r.repeated, SPE_HAS_EXTRA);
	eq(r.extra_count, 2);
	eq(r.extra[0].value, 1);
	eq(r.extra[1].address, true);
}

/* RULE("D18.1.3/framing") */
Test(decode, padding_before_and_within)
{
	struct spe_record r = READ(0, 0, 0, 0x48, 0, 0, 0, 0x42, 2, 0, 0x01);

	eq(r.padding, 3);
	eq(r.size, 8);
	eq(r.has, SPE_HAS_OPERATION | SPE_HAS_EVENTS);
	eq(r.damage, 0);
	r = READ(0, 0, 0, 0, 0, 0, 0, 0, 0);
	eq(r.size, 0);
	eq(r.padding, 9);
	eq(r.damage, 0);
	eq(spe_record_read(NULL, 0, &r), 0);
	eq(r.size, 0);
	eq(r.damage, 0);
}

/* 2048 bytes without an end are cut there; a packet is not divided. */
Test(decode, a_run_without_an_end)
{
	uint8_t bytes[3000];
	struct spe_record r;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 9 ? 0x80 : 0xb2;
	eq(spe_record_read(bytes, sizeof(bytes), &r), 2043);
	eq(r.damage, SPE_DAMAGE_NO_END | SPE_DAMAGE_TOO_LONG | SPE_DAMAGE_REPEATED);
	eq(r.size, 2043);
	/* As soon as it is known that there is no place for it. */
	eq(spe_record_read(bytes, 2044, &r), 2043);
	eq(r.cut_bytes, 0);
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 0x02;
	eq(spe_record_read(bytes, sizeof(bytes), &r), SPE_RECORD_MAX);
	eq(r.damage, SPE_DAMAGE_NO_END | SPE_DAMAGE_TOO_LONG | SPE_DAMAGE_UNKNOWN);
	/* The largest record that there is */
	bytes[SPE_RECORD_MAX - 1] = 0x01;
	eq(spe_record_read(bytes, sizeof(bytes), &r), SPE_RECORD_MAX);
	eq(r.damage, SPE_DAMAGE_UNKNOWN);
	bytes[SPE_RECORD_MAX - 1] = 0x20;
	eq(spe_record_read(bytes, SPE_RECORD_MAX, &r), SPE_RECORD_MAX);
	eq(r.damage, SPE_DAMAGE_NO_END | SPE_DAMAGE_CUT_PACKET | SPE_DAMAGE_UNKNOWN);
	eq(r.cut_bytes, 1);
}

Test(decode, a_decoder_of_other_headers_is_refused)
{
	struct spe_decoder decoder = {0};
	struct spe_record record;
	size_t taken = 5;

	eq(spe_decoder_read(&decoder, NULL, 0, true, &record, 1, &taken), -SPE_EDECODER);
	eq(taken, 0);
	eq(spe_decoder_init(&decoder, sizeof(decoder) - 1, sizeof(record)), -SPE_ESIZE);
	eq(spe_decoder_init(&decoder, sizeof(decoder), sizeof(record) - 1), -SPE_ESIZE);
	eq(spe_decoder_init(&decoder, sizeof(decoder), sizeof(record) + 1), -SPE_ESIZE);
	eq(spe_decoder_init(&decoder, sizeof(decoder) + 1, sizeof(record)), 0);
	eq(spe_decoder_read(&decoder, NULL, 0, true, &record, 1, &taken), 0);
}

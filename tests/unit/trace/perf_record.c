/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record parser against Arm ARM D18.1 and D18.2: packet sizes, indexes, where records end, and
 * the words for every payload. The rules are written out here a second time, from the tables.
 */
#include "../compare.h"
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

/* D18.1: the first byte says the size; 0x20 to 0x3F say that the second one does. */
static size_t expected_size(uint8_t first, uint8_t second)
{
	uint8_t header = first;
	size_t size = 1;

	if ((first & 0xe0) == 0x20) {
		header = second;
		size = 2;
	}
	if (header & 0xc0) {
		switch (header & 0x30) {
		case 0x00: return size + 1;
		case 0x10: return size + 2;
		case 0x20: return size + 4;
		default: return size + 8;
		}
	}
	return size;
}

/* RULE("D18.1/packets") RULE("D18.1.1/sizes") RULE("D18.1.3/unknown") */
Test(record, packets_have_the_size_that_their_header_says)
{
	struct spe_packet packet;
	uint8_t bytes[16];

	memset(bytes, 0xa5, sizeof(bytes));
	for (unsigned int first = 1; first < 256; first++) {
		for (unsigned int second = 0; second < 256; second++) {
			size_t size = expected_size((uint8_t)first, (uint8_t)second);

			bytes[0] = (uint8_t)first;
			bytes[1] = (uint8_t)second;
			cr_assert_eq(spe_packet_read(bytes, sizeof(bytes), &packet), size,
				     "header %02x %02x", first, second);
			/* One byte less is a cut packet. */
			cr_assert_eq(spe_packet_read(bytes, size - 1, &packet), 0);
		}
	}
}

struct kind_row {
	uint8_t header;
	enum spe_packet_kind kind;
	uint8_t index;
};

/* RULE("D18.1.4.1/short-headers") */
Test(record, short_headers_are_those_of_the_table)
{
	static const struct kind_row rows[] = {
		{0x01, SPE_PACKET_END, 0},
		{0x42, SPE_PACKET_EVENTS, 0},
		{0x52, SPE_PACKET_EVENTS, 0},
		{0x62, SPE_PACKET_EVENTS, 0},
		{0x72, SPE_PACKET_EVENTS, 0},
		{0x43, SPE_PACKET_DATA_SOURCE, 0},
		{0x53, SPE_PACKET_DATA_SOURCE, 0},
		{0x48, SPE_PACKET_OPERATION, RECORD_OTHER},
		{0x49, SPE_PACKET_OPERATION, RECORD_LOAD_STORE},
		{0x4a, SPE_PACKET_OPERATION, RECORD_BRANCH},
		{0x64, SPE_PACKET_CONTEXT, 0},
		{0x65, SPE_PACKET_CONTEXT, 1},
		{0x71, SPE_PACKET_TIMESTAMP, 0},
	};
	uint8_t bytes[16] = {0};
	struct spe_packet packet;

	for (unsigned int header = 1; header < 256; header++) {
		enum spe_packet_kind kind = SPE_PACKET_UNKNOWN;
		uint8_t index = 0;

		if ((header & 0xe0) == 0x20)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			if (rows[i].header == header) {
				kind = rows[i].kind;
				index = rows[i].index;
			}
		}
		if (header >= 0x98 && header <= 0x9f) {
			kind = SPE_PACKET_COUNTER;
			index = (uint8_t)(header - 0x98);
		} else if (header >= 0xb0 && header <= 0xb7) {
			kind = SPE_PACKET_ADDRESS;
			index = (uint8_t)(header - 0xb0);
		}
		bytes[0] = (uint8_t)header;
		cr_assert_gt(spe_packet_read(bytes, sizeof(bytes), &packet), 0);
		cr_assert_eq(packet.kind, kind, "header %02x", header);
		cr_assert_eq(packet.index, index, "header %02x", header);
	}
}

/* RULE("D18.1.4.2/extended-headers") */
Test(record, extended_headers_give_indexes_up_to_31)
{
	struct spe_packet packet;
	uint8_t bytes[16] = {0};

	for (unsigned int index = 0; index < 32; index++) {
		bytes[0] = (uint8_t)(0x20 + index / 8);
		bytes[1] = (uint8_t)(0x98 + index % 8);
		bytes[2] = 0x34;
		bytes[3] = 0x12;
		cr_assert_eq(spe_packet_read(bytes, 4, &packet), 4);
		cr_assert_eq(packet.kind, SPE_PACKET_COUNTER);
		cr_assert_eq(packet.index, index);
		cr_assert_eq(packet.payload, 0x1234);
		bytes[1] = (uint8_t)(0xb0 + index % 8);
		cr_assert_eq(spe_packet_read(bytes, 10, &packet), 10);
		cr_assert_eq(packet.kind, SPE_PACKET_ADDRESS);
		cr_assert_eq(packet.index, index);
	}
	/* Index bits beyond 4 do not exist; nor do other packets with this header. */
	bytes[0] = 0x24;
	bytes[1] = 0x98;
	spe_packet_read(bytes, 16, &packet);
	cr_assert_eq(packet.kind, SPE_PACKET_UNKNOWN);
	bytes[0] = 0x20;
	bytes[1] = 0x42;
	cr_assert_eq(spe_packet_read(bytes, 16, &packet), 3);
	cr_assert_eq(packet.kind, SPE_PACKET_UNKNOWN);
}

/* RULE("D18.1.2/order") */
Test(record, payloads_are_little_endian)
{
	static const uint8_t bytes[] = {0x71, 1, 2, 3, 4, 5, 6, 7, 8};
	struct spe_packet packet;

	cr_assert_eq(spe_packet_read(bytes, sizeof(bytes), &packet), 9);
	cr_assert_eq(packet.payload, UINT64_C(0x0807060504030201));
}

/* RULE("D18.1.2/records") */
Test(record, a_record_ends_with_timestamp_or_end)
{
	static const uint8_t bytes[] = {0, 0, 0x48, 0x00, 0x01, 0, 0, 0,    0x71, 1,
					2, 3, 4,    5,	  6,	7, 8, 0x98, 9,	  0};
	struct spe_record found;
	size_t at;

	at = spe_record_read(bytes, sizeof(bytes), &found);
	cr_assert_eq(at, 5);
	cr_assert(record_is_complete(&found));
	cr_assert_eq(found.padding, 2);
	cr_assert_eq(found.size, 3);
	at += spe_record_read(bytes + at, sizeof(bytes) - at, &found);
	cr_assert_eq(at, 17);
	cr_assert(record_is_complete(&found));
	cr_assert_eq(found.padding, 3);
	cr_assert_eq(found.size, 9);
	at += spe_record_read(bytes + at, sizeof(bytes) - at, &found);
	cr_assert_eq(at, sizeof(bytes));
	cr_assert_eq(record_is_complete(&found), false);
	cr_assert_eq(found.padding, 0);
	cr_assert_eq(found.size, 3);
}

/* A record as Neoverse N1 has it: padding inside it is no end, and one run of it a packet. */
Test(record, padding_inside_a_record)
{
	static const uint8_t bytes[128] = {
		[0] = 0xb0, [8] = 0xa0,	 [19] = 0x48, [21] = 0x52, [22] = 2,	[24] = 0x99,
		[25] = 1,   [27] = 0x98, [28] = 2,    [55] = 0x71, [56] = 0x55, [127] = 0x01,
	};
	struct record_totals totals = {0};
	struct spe_packet packet;
	struct spe_record found;

	cr_assert_eq(spe_record_read(bytes, sizeof(bytes), &found), 64);
	cr_assert(record_is_complete(&found));
	cr_assert_eq(found.padding, 0);
	cr_assert_eq(found.size, 64);
	cr_assert_eq(spe_packet_read(bytes + 9, 55, &packet), 10);
	cr_assert_eq(packet.kind, SPE_PACKET_PADDING);
	record_count(&totals, bytes, 64);
	cr_assert_eq(totals.records, 1);
	cr_assert_eq(totals.incomplete, 0);
	cr_assert_eq(totals.padding, 35);
	cr_assert_eq(totals.packets[SPE_PACKET_PADDING], 2);
	cr_assert_eq(totals.unknown, 0);
}

Test(record, padding_alone_is_no_record)
{
	static const uint8_t zero[100];
	struct spe_record found;

	cr_assert_eq(spe_record_read(zero, sizeof(zero), &found), 100);
	cr_assert_eq(record_is_complete(&found), false);
	cr_assert_eq(found.size, 0);
}

Test(record, a_run_without_end_stops_at_the_largest_record)
{
	uint8_t bytes[2 * SPE_RECORD_MAX];
	struct spe_record found;

	memset(bytes, 0x48, sizeof(bytes)); /* operation packets with payload 0x48 */
	cr_assert_eq(spe_record_read(bytes, sizeof(bytes), &found), SPE_RECORD_MAX);
	cr_assert_eq(record_is_complete(&found), false);
	cr_assert_eq(found.size, SPE_RECORD_MAX);
}

Test(record, counts_are_of_what_is_there)
{
	static const uint8_t bytes[] = {
		0x98, 5,    0,				     /* counter */
		0xb0, 0,    0,	  8,	0x40, 0, 0, 0, 0xa0, /* PC at EL1 */
		0x49, 0x01, 0x42, 0x82, 0x01, 0, 0, /* store, events 1 and 7, end, padding */
		0xb0, 0,    0,	  8,	0x40, 0, 0, 0, 0x80, /* PC at EL0 */
		0x4a, 0x00, 0x03, 0x71, 1,    2, 3, 4, 5,
		6,    7,    8, /* branch, unknown, timestamp */
		0x71, 1,       /* cut */
	};
	struct record_totals totals = {0};

	record_count(&totals, bytes, sizeof(bytes));
	cr_assert_eq(totals.records, 2);
	cr_assert_eq(totals.incomplete, 1);
	cr_assert_eq(totals.bytes, sizeof(bytes));
	cr_assert_eq(totals.padding, 2);
	cr_assert_eq(totals.unknown, 3);
	cr_assert_eq(totals.classes[RECORD_LOAD_STORE], 1);
	cr_assert_eq(totals.classes[RECORD_BRANCH], 1);
	cr_assert_eq(totals.el[0], 1);
	cr_assert_eq(totals.el[1], 1);
	cr_assert_eq(totals.events[1], 1);
	cr_assert_eq(totals.events[7], 1);
	cr_assert_eq(totals.packets[SPE_PACKET_ADDRESS], 2);
}

struct words_row {
	uint8_t header;
	uint64_t payload;
	const char *words;
};

/* D18.2.5 and the other payload tables; one row for each line of them. */
static const struct words_row words[] = {
	{0x48, 0x00, "OTHER INSN-OTHER"},
	{0x48, 0x01, "OTHER COND-SELECT"},
	{0x48, 0x02, "OTHER INSN-OTHER FP"},
	{0x48, 0x04, "OTHER INSN-OTHER ASE"},
	{0x48, 0x08, "SVE-OTHER EVLEN 32"},
	{0x48, 0x1e, "SVE-OTHER EVLEN 64 FP PRED"},
	{0x48, 0x68, "SVE-OTHER EVLEN 2048"},
	{0x48, 0x78, "SVE-OTHER EVLEN >2048"},
	{0x48, 0x88, "SME-OTHER ETS 128"},
	{0x48, 0x8e, "SME-OTHER ETS 256 FP"},
	{0x48, 0xfc, "SME-OTHER ETS ZA"},
	{0x48, 0x10, "OTHER ?0x10"},
	{0x49, 0x00, "LD GP-REG"},
	{0x49, 0x01, "ST GP-REG"},
	{0x49, 0x04, "LD SIMD-FP"},
	{0x49, 0x02, "LD"},
	{0x49, 0x07, "ST AT"},
	{0x49, 0x0b, "ST EXCL"},
	{0x49, 0x12, "LD AR"},
	{0x49, 0x1a, "LD EXCL AR"},
	{0x49, 0x16, "LD AT AR"},
	{0x49, 0x11, "ST UNSPEC-REG"},
	{0x49, 0x14, "LD MTE-TAG"},
	{0x49, 0x31, "ST NV-SYSREG"},
	{0x49, 0x20, "LD MEMCPY"},
	{0x49, 0x21, "ST MEMCPY"},
	{0x49, 0x25, "ST MEMSET"},
	{0x49, 0x08, "LD SVE EVLEN 32"},
	{0x49, 0xad, "ST SVE EVLEN 128 PRED SG"},
	{0x49, 0x40, "LD GCS"},
	{0x49, 0x45, "ST GCS COMM"},
	{0x49, 0x24, "LD ?0x24"},
	{0x4a, 0x00, "B"},
	{0x4a, 0x01, "B COND"},
	{0x4a, 0x02, "B IND"},
	{0x4a, 0x0e, "B IND GCS CR-BL"},
	{0x4a, 0x12, "B IND CR-RET"},
	{0x4a, 0x18, "B CR-NON-BL-RET"},
	{0x4a, 0x80, "B ?0x80"},
	{0x98, 12, "LAT 12 TOT"},
	{0x99, 0xfff, "LAT 4095 ISSUE"},
	{0x9a, 1, "LAT 1 XLAT"},
	{0x9c, 2, "LAT 2 ALT-ISSUE"},
	{0x9b, 2, "LAT 2 (3)"},
	{0xb0, UINT64_C(0xa000000040080000), "PC 0x40080000 el1 ns=1"},
	{0xb1, UINT64_C(0x00ff800012345678), "TGT 0xff800012345678 el0 ns=0"},
	{0xb4, UINT64_C(0xd0000000000000a0), "PBT 0xa0 el2 ns=1 nse=1"},
	{0xb2, UINT64_C(0xff00000000001000), "VA 0xff00000000001000"},
	{0xb3, UINT64_C(0xc500000041000000), "PA 0x41000000 ns=1 ch=1 pat=5"},
	{0xb6, 16, "ADDR 0x10 (6)"},
	{0x64, 0x77, "CONTEXT 0x77 el1"},
	{0x65, 0x78, "CONTEXT 0x78 el2"},
	{0x71, UINT64_C(18446744073709551615), "TS 18446744073709551615"},
	{0x43, 8, "DATA-SOURCE 8"},
	{0x53, 0x108, "DATA-SOURCE 264"},
	{0x42, 0x00, "EV"},
	{0x42, 0xff,
	 "EV EXCEPTION-GEN RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS TLB-REFILL NOT-TAKEN MISPRED"},
	{0x52, 0x1f00, "EV LLC-ACCESS LLC-REFILL REMOTE-ACCESS ALIGNMENT E[12]"},
	{0x62, 0x3ff0000,
	 "EV TXN SVE-PARTIAL-PRED SVE-EMPTY-PRED L2D-ACCESS L2D-MISS HITM LFB SNOOPED "
	 "STREAMING-SVE SMCU"},
	{0x72, UINT64_C(1) << 63, "EV E[63]"},
	{0x01, 0, "END"},
	{0x00, 0, "PAD"},
	{0x40, 0x12, "UNKNOWN 0x12"},
};

Test(record, every_payload_has_its_words)
{
	char text[RECORD_TEXT_MAX];
	struct spe_packet packet;
	uint8_t bytes[9];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		bytes[0] = words[i].header;
		for (unsigned int b = 0; b < 8; b++)
			bytes[1 + b] = (uint8_t)(words[i].payload >> (8 * b));
		spe_packet_read(bytes, sizeof(bytes), &packet);
		cr_assert_str_eq(record_packet_describe(&packet, text, sizeof(text)),
				 words[i].words);
	}
}

Test(record, no_payload_overruns_the_longest_text)
{
	char text[RECORD_TEXT_MAX], small[5];
	struct spe_packet packet = {
		.kind = SPE_PACKET_EVENTS, .payload_size = 8, .payload = UINT64_MAX};

	cr_assert_lt(strlen(record_packet_describe(&packet, text, sizeof(text))), sizeof(text) - 1);
	cr_assert_str_eq(record_packet_describe(&packet, small, sizeof(small)), "EV E");
}

/* Random bytes: all of them are accounted for, in order, whatever they are. */
Test(record, every_byte_of_any_input_is_accounted_for)
{
	uint8_t bytes[4096];
	uint32_t random = 12345;

	for (unsigned int round = 0; round < 500; round++) {
		struct record_totals totals = {0}, parts = {0};
		struct spe_record found;
		size_t at = 0;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(random >> 24);
		}
		while (at < sizeof(bytes)) {
			size_t length = spe_record_read(bytes + at, sizeof(bytes) - at, &found);

			cr_assert_eq(length, found.padding + found.size);
			cr_assert_gt(length, 0);
			record_count(&parts, bytes + at, length);
			at += length;
		}
		cr_assert_eq(at, sizeof(bytes));
		record_count(&totals, bytes, sizeof(bytes));
		cr_assert_eq(totals.bytes, sizeof(bytes));
		cr_assert_eq(parts.bytes, sizeof(bytes));
		cr_assert_eq(totals.records, parts.records);
		cr_assert_eq(totals.unknown, parts.unknown);
		cr_assert_eq(totals.packets[SPE_PACKET_EVENTS], parts.packets[SPE_PACKET_EVENTS]);
	}
}

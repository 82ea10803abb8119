/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: records from any bytes, by libvspe's decoder. The first bytes choose the size of the
 * pieces, and how many records have room. Pieces give the same as all bytes at once, every byte is
 * accounted for, and the fields of each record agree.
 */
#include "input.h"

#include <string.h>
#include <vspe/decode.h>

#define ROOM 8

struct walk {
	const uint8_t *bytes;
	size_t size, at; /* at: the end of what spe_record_read() has read */
};

static void check_record(const struct spe_record *r)
{
	const uint32_t damage = r->damage;

	require(r->size > 0 && r->size <= SPE_RECORD_MAX);
	require(!(r->repeated & ~r->has));
	require(!r->repeated == !(damage & SPE_DAMAGE_REPEATED));
	require(!r->unknown_packets == !(damage & SPE_DAMAGE_UNKNOWN));
	require(!r->unknown_bytes == !r->unknown_packets);
	require(!r->cut_bytes == !(damage & SPE_DAMAGE_CUT_PACKET));
	require(r->cut_bytes <= 9 && r->unknown_bytes + r->cut_bytes <= r->size);
	require(!(damage & (SPE_DAMAGE_TOO_LONG | SPE_DAMAGE_CUT_PACKET)) ||
		damage & SPE_DAMAGE_NO_END);
	require(!(r->has & SPE_HAS_TIMESTAMP) || !(damage & SPE_DAMAGE_NO_END));
	require(!r->extra_count == !(r->has & SPE_HAS_EXTRA));
}

/* The next record, as in memory. */
static void compare_record(struct walk *walk, const struct spe_record *got)
{
	struct spe_record expected;
	const size_t length =
		spe_record_read(walk->bytes + walk->at, walk->size - walk->at, &expected);

	expected.offset += walk->at;
	require(!memcmp(&expected, got, sizeof(expected)));
	require(length == got->padding + got->size);
	walk->at += length;
}

/* The packets of a record fill it. */
static void check_packets(const uint8_t *bytes, const struct spe_record *r)
{
	struct spe_packet packet;
	size_t at = 0, length;

	while (at < r->size && (length = spe_packet_read(bytes + at, r->size - at, &packet))) {
		require(packet.payload_size < length || packet.kind == SPE_PACKET_PADDING);
		at += length;
	}
	require(r->size - at == r->cut_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct spe_record records[ROOM];
	struct spe_decoder decoder;
	struct walk walk;
	size_t piece, room, at = 0, taken;
	bool end;
	int n;

	if (size < 2)
		return 0;
	piece = 1 + (bytes[0] & 0x80 ? (bytes[0] & 0x7fu) * 64 : bytes[0]);
	room = 1 + bytes[1] % ROOM;
	walk = (struct walk){.bytes = bytes + 2, .size = size - 2};
	require(!spe_decoder_init(&decoder, sizeof(decoder), sizeof(records[0])));
	do {
		const size_t next = walk.size - at < piece ? walk.size - at : piece;
		/* A separate copy, so that a sanitizer sees reads beyond it. */
		uint8_t *copy = malloc(next ? next : 1);

		require(copy);
		memcpy(copy, walk.bytes + at, next);
		end = at + next == walk.size;
		n = spe_decoder_read(&decoder, next ? copy : NULL, next, end, records, room,
				     &taken);
		free(copy);
		require(n >= 0 && (size_t)n <= room && taken <= next);
		require((size_t)n == room || taken == next);
		for (int i = 0; i < n; i++) {
			check_record(&records[i]);
			compare_record(&walk, &records[i]);
			check_packets(walk.bytes + records[i].offset, &records[i]);
		}
		at += taken;
	} while (!end || (size_t)n == room);
	require(at == walk.size);
	(void)spe_record_read(walk.bytes + walk.at, walk.size - walk.at, &records[0]);
	require(records[0].size == 0);
	return 0;
}

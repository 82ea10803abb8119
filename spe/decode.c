/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading sample records (Arm ARM D18.1, D18.2): see decode.h. The packets are described here
 * again, independently of record.c, which writes them. The tests check one against the other.
 */
#include <vspe/decode.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LE64(x) __builtin_bswap64(x)
#else
#define LE64(x) (x)
#endif

/* The longest packet: an extended header and 8 bytes. */
#define PACKET_MAX 10

/* "spe_dec" */
#define MAGIC UINT64_C(0x6365645f657073)

struct decoder {
	uint64_t magic;
	uint64_t at;		   /* offset after the last record that came out */
	uint8_t carry[PACKET_MAX]; /* the beginning of a packet that is not complete yet */
	uint8_t carried;
	struct spe_record record; /* what there is of it: its packets, and the padding before */
} __attribute__((may_alias));

_Static_assert(sizeof(struct decoder) <= SPE_DECODER_SIZE, "SPE_DECODER_SIZE is too small");

static struct decoder *decoder_of(struct spe_decoder *opaque)
{
	return (struct decoder *)opaque;
}

/* D18.1: headers below 0x40 have no payload, all others say its size in bits [5:4]. */
static inline unsigned int payload_size(uint8_t header)
{
	return header < 0x40 ? 0 : 1u << (header >> 4 & 3);
}

static inline bool is_extended(uint8_t header)
{
	return (header & 0xe0) == 0x20;
}

/* Bytes of the packet that begins here, which is no padding; 0: not enough of it is there. */
static inline size_t packet_size(const uint8_t *bytes, size_t size)
{
	if (!is_extended(bytes[0]))
		return 1 + payload_size(bytes[0]);
	return size < 2 ? 0 : 2 + payload_size(bytes[1]);
}

/* D18.1.4.1, the table of short headers. */
static inline enum spe_packet_kind short_kind(uint8_t header)
{
	switch (header) {
	case 0x01: return SPE_PACKET_END;
	case 0x42:
	case 0x52:
	case 0x62:
	case 0x72: return SPE_PACKET_EVENTS;
	case 0x43:
	case 0x53: return SPE_PACKET_DATA_SOURCE;
	case 0x48:
	case 0x49:
	case 0x4a: return SPE_PACKET_OPERATION;
	case 0x64:
	case 0x65: return SPE_PACKET_CONTEXT;
	case 0x71: return SPE_PACKET_TIMESTAMP;
	default: break;
	}
	switch (header & 0xf8) {
	case 0x98: return SPE_PACKET_COUNTER;
	case 0xb0: return SPE_PACKET_ADDRESS;
	default: return SPE_PACKET_UNKNOWN;
	}
}

/* Bits of the header that are the index, by kind. */
static const uint8_t index_masks[SPE_PACKET_KINDS] = {
	[SPE_PACKET_OPERATION] = 3,
	[SPE_PACKET_CONTEXT] = 1,
	[SPE_PACKET_COUNTER] = 7,
	[SPE_PACKET_ADDRESS] = 7,
};

static inline uint64_t load_payload(const uint8_t *bytes, unsigned int size, size_t room)
{
	uint64_t value = 0;

	if (room >= 8 && size) {
		__builtin_memcpy(&value, bytes, 8);
		return LE64(value) & UINT64_MAX >> (64 - 8 * size);
	}
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

/* A complete packet of length bytes, in room bytes of input. */
static inline void read_packet(const uint8_t *bytes, size_t length, size_t room,
			       struct spe_packet *packet)
{
	const size_t header = is_extended(bytes[0]) ? 2 : 1;
	const uint8_t last = bytes[header - 1];

	packet->payload_size = (uint8_t)(length - header);
	packet->payload = load_payload(bytes + header, packet->payload_size, room - header);
	packet->kind = short_kind(last);
	packet->index = last & index_masks[packet->kind];
	if (header == 1)
		return;
	/* D18.1.4.2: only counters and addresses have one, and only 0x20 to 0x23 are assigned:
	 * their low bits are index[4:3]. */
	if (bytes[0] <= 0x23 &&
	    (packet->kind == SPE_PACKET_COUNTER || packet->kind == SPE_PACKET_ADDRESS)) {
		packet->index |= (uint8_t)((bytes[0] & 3) << 3);
	} else {
		packet->kind = SPE_PACKET_UNKNOWN;
		packet->index = 0;
	}
}

static inline size_t padding_size(const uint8_t *bytes, size_t size)
{
	size_t run = 0;
	uint64_t eight;

	for (; size - run >= sizeof(eight); run += sizeof(eight)) {
		__builtin_memcpy(&eight, bytes + run, sizeof(eight));
		if (eight)
			break;
	}
	while (run < size && !bytes[run])
		run++;
	return run;
}

size_t spe_packet_read(const uint8_t *bytes, size_t size, struct spe_packet *packet)
{
	size_t length;

	*packet = (struct spe_packet){0};
	if (!size)
		return 0;
	if (!bytes[0])
		return padding_size(bytes, size);
	length = packet_size(bytes, size);
	if (!length || length > size)
		return 0;
	read_packet(bytes, length, size, packet);
	return length;
}

uint64_t spe_untagged(uint64_t va)
{
	const uint64_t top = UINT64_MAX << 56;

	return va >> 55 & 1 ? va | top : va & ~top;
}

/* Is this the record's first packet of the kind? */
static inline bool is_first(struct spe_record *record, uint32_t bit)
{
	if (record->has & bit) {
		record->repeated |= bit;
		record->damage |= SPE_DAMAGE_REPEATED;
		return false;
	}
	record->has |= bit;
	return true;
}

static inline void take_code(struct spe_record *record, uint32_t bit, struct spe_target *to,
			     uint64_t payload)
{
	if (!is_first(record, bit))
		return;
	to->va = spe_untagged(payload);
	to->el = payload >> SPE_ADDRESS_EL_LSB & 3;
	to->ns = payload >> SPE_ADDRESS_NS_BIT & 1;
	to->nse = payload >> SPE_ADDRESS_NSE_BIT & 1;
}

static void take_extra(struct spe_record *record, bool address, const struct spe_packet *packet)
{
	const unsigned int count = record->extra_count;
	struct spe_extra *extra = record->extra;

	for (unsigned int i = 0; i < count && i < SPE_EXTRA_MAX; i++) {
		if (extra[i].address == address && extra[i].index == packet->index) {
			record->repeated |= SPE_HAS_EXTRA;
			record->damage |= SPE_DAMAGE_REPEATED;
			return;
		}
	}
	record->has |= SPE_HAS_EXTRA;
	if (count < UINT8_MAX)
		record->extra_count++;
	if (count >= SPE_EXTRA_MAX)
		return;
	extra[count].address = address;
	extra[count].index = packet->index;
	extra[count].value = packet->payload;
}

static void take_physical(struct spe_record *record, uint64_t payload)
{
	if (!is_first(record, SPE_HAS_DATA_PA))
		return;
	record->data_pa = payload & ((UINT64_C(1) << SPE_ADDRESS_WIDTH) - 1);
	record->pa_ns = payload >> SPE_ADDRESS_NS_BIT & 1;
	record->pa_nse = payload >> SPE_ADDRESS_NSE_BIT & 1;
	record->tag_checked = payload >> SPE_ADDRESS_CHECKED & 1;
	record->tag = payload >> SPE_ADDRESS_TAG_LSB & 15;
}

static inline void take_address(struct spe_record *record, const struct spe_packet *packet)
{
	const uint64_t payload = packet->payload;

	switch (packet->index) {
	case SPE_ADDRESS_PC: take_code(record, SPE_HAS_PC, &record->pc, payload); break;
	case SPE_ADDRESS_TARGET: take_code(record, SPE_HAS_TARGET, &record->target, payload); break;
	case SPE_ADDRESS_PREVIOUS:
		take_code(record, SPE_HAS_PREVIOUS, &record->previous, payload);
		break;
	case SPE_ADDRESS_DATA_VA:
		if (is_first(record, SPE_HAS_DATA_VA))
			record->data_va = payload;
		break;
	case SPE_ADDRESS_DATA_PA: take_physical(record, payload); break;
	default: take_extra(record, true, packet); break;
	}
}

static inline void take_counter(struct spe_record *record, const struct spe_packet *packet)
{
	const uint16_t cycles = (uint16_t)packet->payload;

	switch (packet->index) {
	case SPE_COUNTER_TOTAL:
		if (is_first(record, SPE_HAS_TOTAL_LATENCY))
			record->total_latency = cycles;
		break;
	case SPE_COUNTER_ISSUE:
		if (is_first(record, SPE_HAS_ISSUE_LATENCY))
			record->issue_latency = cycles;
		break;
	case SPE_COUNTER_TRANSLATION:
		if (is_first(record, SPE_HAS_TRANSLATION_LATENCY))
			record->translation_latency = cycles;
		break;
	case SPE_COUNTER_ALTERNATE:
		if (is_first(record, SPE_HAS_ALTERNATE_LATENCY))
			record->alternate_latency = cycles;
		break;
	default: take_extra(record, false, packet); break;
	}
}

static void take_context(struct spe_record *record, const struct spe_packet *packet)
{
	const bool el2 = packet->index;

	if (is_first(record, el2 ? SPE_HAS_CONTEXTIDR_EL2 : SPE_HAS_CONTEXTIDR_EL1))
		*(el2 ? &record->contextidr_el2 : &record->contextidr_el1) =
			(uint32_t)packet->payload;
}

/* A packet of length bytes, which is neither padding nor an end. */
static inline void take_packet(struct spe_record *record, const struct spe_packet *packet,
			       size_t length)
{
	switch (packet->kind) {
	case SPE_PACKET_ADDRESS: take_address(record, packet); break;
	case SPE_PACKET_COUNTER: take_counter(record, packet); break;
	case SPE_PACKET_OPERATION:
		if (is_first(record, SPE_HAS_OPERATION)) {
			record->type_header = (uint8_t)(SPE_TYPE_OTHER + packet->index);
			record->type_payload = (uint8_t)packet->payload;
		}
		break;
	case SPE_PACKET_EVENTS:
		if (is_first(record, SPE_HAS_EVENTS)) {
			record->events = packet->payload;
			record->events_size = packet->payload_size;
		}
		break;
	case SPE_PACKET_CONTEXT: take_context(record, packet); break;
	case SPE_PACKET_DATA_SOURCE:
		if (is_first(record, SPE_HAS_DATA_SOURCE)) {
			record->data_source = (uint16_t)packet->payload;
			record->source_size = packet->payload_size;
		}
		break;
	case SPE_PACKET_TIMESTAMP:
		record->has |= SPE_HAS_TIMESTAMP;
		record->timestamp = packet->payload;
		break;
	case SPE_PACKET_UNKNOWN:
		record->damage |= SPE_DAMAGE_UNKNOWN;
		record->unknown_packets++;
		record->unknown_bytes = (uint16_t)(record->unknown_bytes + length);
		break;
	case SPE_PACKET_PADDING:
	case SPE_PACKET_END: break;
	}
}

/* Padding within a record, of at most size bytes. */
static size_t take_padding(struct spe_record *record, const uint8_t *bytes, size_t size)
{
	const size_t room = SPE_RECORD_MAX - record->size;
	const size_t run = padding_size(bytes, size < room ? size : room);

	record->size += (uint32_t)run;
	return run;
}

/*
 * The whole packets of a record, with the padding before the first of them. Returns how many bytes
 * they are. *over: the record has its end, or is as long as one can be. Otherwise what is left is
 * less than a packet.
 */
static size_t take_packets(struct spe_record *record, const uint8_t *bytes, size_t size, bool *over)
{
	size_t at = 0, length;

	*over = false;
	if (!record->size) {
		at = padding_size(bytes, size);
		record->padding += at;
	}
	while (at < size) {
		struct spe_packet packet;

		if (!bytes[at]) {
			at += take_padding(record, bytes + at, size - at);
		} else {
			length = packet_size(bytes + at, size - at);
			if (length > SPE_RECORD_MAX - record->size)
				break;
			if (!length || length > size - at)
				return at;
			read_packet(bytes + at, length, size - at, &packet);
			take_packet(record, &packet, length);
			record->size += (uint32_t)length;
			at += length;
			if (packet.kind == SPE_PACKET_TIMESTAMP || packet.kind == SPE_PACKET_END) {
				*over = true;
				return at;
			}
		}
		if (record->size == SPE_RECORD_MAX)
			break;
	}
	if (at == size && record->size < SPE_RECORD_MAX)
		return at;
	record->damage |= SPE_DAMAGE_NO_END | SPE_DAMAGE_TOO_LONG;
	*over = true;
	return at;
}

/* The buffer ends; so many bytes are left, less than a packet. */
static void take_end(struct spe_record *record, size_t left)
{
	record->size += (uint32_t)left;
	record->cut_bytes = (uint8_t)left;
	record->damage |= SPE_DAMAGE_NO_END | (left ? SPE_DAMAGE_CUT_PACKET : 0);
}

size_t spe_record_read(const uint8_t *bytes, size_t size, struct spe_record *record)
{
	size_t at;
	bool over;

	__builtin_memset(record, 0, sizeof(*record));
	at = take_packets(record, bytes, size, &over);
	if (!over && (record->size || at < size))
		take_end(record, size - at);
	record->offset = record->padding;
	return (size_t)record->padding + record->size;
}

int spe_decoder_init(struct spe_decoder *decoder, size_t size, size_t record_size)
{
	if (size < SPE_DECODER_SIZE || record_size != sizeof(struct spe_record))
		return -SPE_ESIZE;
	__builtin_memset(decoder, 0, sizeof(*decoder));
	decoder_of(decoder)->magic = MAGIC;
	return 0;
}

void spe_decoder_begin(struct spe_decoder *decoder, uint64_t offset)
{
	struct decoder *d = decoder_of(decoder);

	d->at = offset;
	d->carried = 0;
	__builtin_memset(&d->record, 0, sizeof(d->record));
}

/* The record is over. */
static void give_record(struct decoder *d, struct spe_record *to)
{
	d->record.offset = d->at + d->record.padding;
	d->at = d->record.offset + d->record.size;
	__builtin_memcpy(to, &d->record, sizeof(*to));
	__builtin_memset(&d->record, 0, sizeof(d->record));
}

/* Complete the carried packet, if there are enough bytes. Returns how many it took. */
static size_t fill_carry(struct decoder *d, const uint8_t *bytes, size_t size)
{
	size_t taken = 0, length;

	for (;;) {
		length = packet_size(d->carry, d->carried);
		if (taken == size || (length && d->carried >= length))
			return taken;
		d->carry[d->carried++] = bytes[taken++];
	}
}

/* A packet that was too long for the previous record is carried, and may be complete. */
static bool carries_packet(const struct decoder *d)
{
	const size_t length = d->carried ? packet_size(d->carry, d->carried) : 0;

	return length && d->carried >= length;
}

/* Take bytes up to the end of a record, or all. *over: it ended. */
static size_t take_bytes(struct decoder *d, const uint8_t *bytes, size_t size, bool *over)
{
	size_t at;

	if (d->carried) {
		at = fill_carry(d, bytes, size);
		if (take_packets(&d->record, d->carry, d->carried, over))
			d->carried = 0;
		return at;
	}
	at = take_packets(&d->record, bytes, size, over);
	if (*over)
		return at;
	d->carried = (uint8_t)(size - at);
	if (d->carried)
		__builtin_memcpy(d->carry, bytes + at, d->carried);
	return size;
}

int spe_decoder_read(struct spe_decoder *decoder, const uint8_t *bytes, size_t size, bool end,
		     struct spe_record *records, size_t count, size_t *taken)
{
	struct decoder *d = decoder_of(decoder);
	size_t at = 0;
	int n = 0;
	bool over;

	*taken = 0;
	if (d->magic != MAGIC)
		return -SPE_EDECODER;
	if (!size)
		bytes = d->carry; /* not NULL, and not read */
	if (count > INT32_MAX)
		count = INT32_MAX;
	while ((size_t)n < count && (at < size || carries_packet(d))) {
		at += take_bytes(d, bytes + at, size - at, &over);
		if (over)
			give_record(d, &records[n++]);
	}
	*taken = at;
	if (!end || (size_t)n == count)
		return n;
	if (d->record.size || d->carried) {
		take_end(&d->record, d->carried);
		give_record(d, &records[n++]);
	}
	spe_decoder_begin(decoder, d->at + d->record.padding);
	return n;
}

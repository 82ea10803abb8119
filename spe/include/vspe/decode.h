/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample records, read: from the bytes of a profiling buffer to one struct a record. Follows the
 * Arm ARM (DDI 0487), D18.1 (packets, records) and D18.2 (payloads), format 0, FEAT_SPE to
 * FEAT_SPEv1p5. It needs no unit, and reads the records of any PE.
 *
 * Bytes come in pieces of any size, and go into a decoder, which keeps what it has of a record. The
 * same records come out whatever the sizes of the pieces:
 *
 *	struct spe_decoder decoder;
 *	struct spe_record records[64];
 *	size_t taken;
 *	int n;
 *
 *	spe_decoder_init(&decoder, sizeof(decoder), sizeof(records[0]));
 *	while ((size = read_piece(bytes)) > 0)
 *		for (at = 0; at < size; at += taken) {
 *			n = spe_decoder_read(&decoder, bytes + at, size - at, false, records, 64,
 *					     &taken);
 *			use(records, n);
 *		}
 *	do {
 *		n = spe_decoder_read(&decoder, NULL, 0, true, records, 64, &taken);
 *		use(records, n);
 *	} while (n == 64);
 *
 * An example. The record of a load, as it is in a buffer, 27 bytes:
 *
 *	98 0c 00			Counter 0: total_latency is 12 cycles
 *	b0 34 12 00 08 00 80 ff a0	Address 0: pc.va is 0xffff800008001234, pc.el 1, pc.ns true
 *	b2 78 56 34 12 00 00 ff ff	Address 2: data_va is 0xffff000012345678
 *	49 00				Operation Type: type_header is SPE_TYPE_MEMORY
 *	52 06 00			Events: 0x6, RETIRED and L1D_ACCESS; events_size is 2
 *	01				End: the record is over
 *
 * has is SPE_HAS_TOTAL_LATENCY, PC, DATA_VA, OPERATION and EVENTS; all other members are 0, but
 * size. Where records have 64 bytes, the next 37 are zero: they are the padding of the next record.
 *
 * Nothing about the bytes is trusted. What is wrong with a record is in its damage; what can be
 * read of it is there, and the next record is found.
 *
 * Threads: a decoder takes one call at a time. Decoders have nothing in common.
 *
 * Ownership: what a pointer argument points to is the caller's, and no longer needed when the call
 * returns: a decoder keeps no pointer. It may be moved by memcpy(), and ends without a call.
 */
#ifndef VSPE_DECODE_H
#define VSPE_DECODE_H

#include <vspe/spe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported by libvspe.so, whatever -fvisibility says where this is included. */
#pragma GCC visibility push(default)

/*
 * Packets.
 */

enum spe_packet_kind {
	SPE_PACKET_PADDING, /* zero bytes that follow each other, as many as there are */
	SPE_PACKET_END,
	SPE_PACKET_TIMESTAMP,
	SPE_PACKET_EVENTS,
	SPE_PACKET_DATA_SOURCE,
	SPE_PACKET_OPERATION, /* index is the header less SPE_TYPE_OTHER: 0 to 2 */
	SPE_PACKET_CONTEXT,   /* index 0: CONTEXTIDR_EL1, 1: CONTEXTIDR_EL2 */
	SPE_PACKET_COUNTER,   /* index 0 to 31: enum spe_counter_index */
	SPE_PACKET_ADDRESS,   /* index 0 to 31: enum spe_address_index */
	SPE_PACKET_UNKNOWN,   /* a header that format 0 does not assign; its size is still known */
};

/* How many kinds of packets there are. */
#define SPE_PACKET_KINDS 10

/* Indexes of Counter packets (D18.2.3); 6, 7 and 16 to 31 are IMPLEMENTATION DEFINED. */
enum spe_counter_index {
	SPE_COUNTER_TOTAL = 0,
	SPE_COUNTER_ISSUE = 1,
	SPE_COUNTER_TRANSLATION = 2,
	SPE_COUNTER_ALTERNATE = 4,
};

/* Indexes of Address packets (D18.2.1); 6, 7 and 16 to 31 are IMPLEMENTATION DEFINED. */
enum spe_address_index {
	SPE_ADDRESS_PC = 0,
	SPE_ADDRESS_TARGET = 1,
	SPE_ADDRESS_DATA_VA = 2,
	SPE_ADDRESS_DATA_PA = 3,
	SPE_ADDRESS_PREVIOUS = 4,
};

/* Where the fields of the payload of an Address packet are, but of that of the data's VA. */
enum spe_address_field {
	SPE_ADDRESS_WIDTH = 56,	  /* the address, from bit 0 on */
	SPE_ADDRESS_TAG_LSB = 56, /* data's PA: 4 bits, FEAT_MTE2 */
	SPE_ADDRESS_NSE_BIT = 60, /* FEAT_RME */
	SPE_ADDRESS_EL_LSB = 61,  /* 2 bits, of an address of instructions */
	SPE_ADDRESS_CHECKED = 62, /* data's PA: the access was tag checked, FEAT_MTE2 */
	SPE_ADDRESS_NS_BIT = 63,
};

/* One packet. */
struct spe_packet {
	enum spe_packet_kind kind;
	uint8_t index;	      /* where the kind has one, else 0 */
	uint8_t payload_size; /* bytes: 0, 1, 2, 4 or 8 */
	uint64_t payload;     /* zero-extended */
};

/*
 * The packet at the start of size bytes, into *packet (D18.1.1). Returns how many bytes it has,
 * header included; 0 if it goes beyond the end, and with a size of 0. A packet of unknown kind is
 * stepped over by the size that its header says, so that packets newer than this library do no
 * harm.
 */
size_t spe_packet_read(const uint8_t *bytes, size_t size, struct spe_packet *packet);

/*
 * A virtual address as programs have it: bits [63:56] are bit 55. For the PC and targets, which
 * have other fields there (a struct spe_record has them like this), and for data_va without its
 * tag.
 */
uint64_t spe_untagged(uint64_t va);

/*
 * Records.
 */

/* The most bytes of a record: the largest that PMSIDR_EL1.MaxSize can say is 2 KB. */
#define SPE_RECORD_MAX 2048

/* Bits of spe_record.has and repeated: packets, by the member that says what is in them. */
#define SPE_HAS_PC		    0x1u
#define SPE_HAS_TARGET		    0x2u
#define SPE_HAS_DATA_VA		    0x4u
#define SPE_HAS_DATA_PA		    0x8u
#define SPE_HAS_PREVIOUS	    0x10u
#define SPE_HAS_CONTEXTIDR_EL1	    0x20u
#define SPE_HAS_CONTEXTIDR_EL2	    0x40u
#define SPE_HAS_TOTAL_LATENCY	    0x80u
#define SPE_HAS_ISSUE_LATENCY	    0x100u
#define SPE_HAS_TRANSLATION_LATENCY 0x200u
#define SPE_HAS_ALTERNATE_LATENCY   0x400u
#define SPE_HAS_EVENTS		    0x800u
#define SPE_HAS_OPERATION	    0x1000u
#define SPE_HAS_DATA_SOURCE	    0x2000u
#define SPE_HAS_TIMESTAMP	    0x4000u
#define SPE_HAS_EXTRA		    0x8000u

/* Bits of spe_record.damage. None of them can come of a PE that wrote all of a record. */
#define SPE_DAMAGE_UNKNOWN    0x1u  /* packets of unknown kind: unknown_packets, unknown_bytes */
#define SPE_DAMAGE_NO_END     0x2u  /* it has neither a Timestamp nor an End packet */
#define SPE_DAMAGE_TOO_LONG   0x4u  /* ... within SPE_RECORD_MAX bytes, and is cut there */
#define SPE_DAMAGE_CUT_PACKET 0x8u  /* ... as the buffer ends within a packet: cut_bytes */
#define SPE_DAMAGE_REPEATED   0x10u /* packets that were there already: repeated */

/*
 * A record. A member is 0 without its bit in has. Of several packets of one kind and index the
 * first one counts, and repeated has its bit. Members have the names of struct spe_op; an empty
 * line separates the packets.
 */
struct spe_record {
	uint64_t offset;  /* of its first byte, in the buffer */
	uint64_t padding; /* zero bytes between it and the record before */
	uint32_t size;	  /* bytes, padding within it included: 1 to SPE_RECORD_MAX */
	uint32_t has;	  /* SPE_HAS_* */

	uint32_t damage;	  /* SPE_DAMAGE_*; 0: none */
	uint32_t repeated;	  /* SPE_HAS_* */
	uint16_t unknown_packets; /* of unknown kind, ... */
	uint16_t unknown_bytes;	  /* ... and their bytes, headers included */
	uint8_t cut_bytes;	  /* of a packet that the end of the buffer cut: 0 to 9 */

	uint8_t type_header;  /* SPE_TYPE_OTHER, SPE_TYPE_MEMORY or SPE_TYPE_BRANCH (D18.2.7) */
	uint8_t type_payload; /* ... and what SPE_TYPE_* and D18.2.7 say of it */

	uint8_t events_size; /* bytes of the Events packet: 1, 2, 4 or 8 (D18.2.6) */
	uint64_t events;     /* its bits; those beyond its size are 0 */

	struct spe_target pc;	    /* of the operation, as spe_untagged() (D18.2.1) */
	struct spe_target target;   /* of a branch or exception return, and the state there */
	struct spe_target previous; /* of the taken branch before (FEAT_SPE_PBT) */

	uint64_t data_va; /* with its top byte as in the packet: a tag, IMPLEMENTATION DEFINED */

	uint64_t data_pa;   /* bits [55:0] */
	bool pa_ns, pa_nse; /* its physical address space: {NSE, NS} */
	bool tag_checked;   /* the access was, against tag (FEAT_MTE2) */
	uint8_t tag;	    /* 4 bits */

	uint8_t source_size;  /* bytes of the Data Source packet: 1 or 2 (D18.2.4) */
	uint16_t data_source; /* IMPLEMENTATION DEFINED, by MIDR_EL1 */

	uint16_t total_latency; /* cycles, saturated by the PE at 12 or 16 bits (D18.2.3) */
	uint16_t issue_latency;
	uint16_t translation_latency;
	uint16_t alternate_latency; /* to issue, in cycles of the alternate clock */

	uint32_t contextidr_el1; /* D18.2.2 */
	uint32_t contextidr_el2;

	uint64_t timestamp; /* of the counter that PMSCR_ELx.PCT says (D18.2.9) */

	uint8_t extra_count; /* Counter and Address packets of other indexes; 255: or more */
	struct spe_extra extra[SPE_EXTRA_MAX]; /* the first of them, in their order */
};

/*
 * The first record of size bytes, into *record, as if a buffer ended there: for bytes that
 * are in memory at once. offset counts from bytes. Returns how many bytes were passed, padding and
 * record; with nothing but padding the record's size is 0. Without damage, or with TOO_LONG, it is
 * the same whatever follows; with NO_END alone more bytes may complete it.
 */
size_t spe_record_read(const uint8_t *bytes, size_t size, struct spe_record *record);

/*
 * A decoder. What is in it is the library's business; it is here with its size so that it can be
 * allocated anywhere. The size is part of the binary interface.
 */
#define SPE_DECODER_SIZE 448 /* bytes */
struct spe_decoder {
	uint64_t opaque[SPE_DECODER_SIZE / 8];
} __attribute__((may_alias));

/*
 * Set up a decoder, at offset 0 of a buffer. size and record_size are sizeof(struct spe_decoder)
 * and sizeof(struct spe_record), of the caller's headers. Returns 0, or -SPE_ESIZE; then the
 * decoder must not be used.
 */
int spe_decoder_init(struct spe_decoder *decoder, size_t size, size_t record_size);

/*
 * A buffer begins, at this offset, which its records count from. What the decoder has of a record
 * of another buffer is dropped. Not needed for the first buffer, if it is at 0, nor after the end
 * of one: the offsets of the next then go on, as those of an AUX trace do.
 */
void spe_decoder_begin(struct spe_decoder *decoder, uint64_t offset);

/*
 * The next bytes of a buffer, size of them. end: the buffer ends with them, so that a record
 * without an end is not glued to the next buffer, but comes out as it is. Records go to records[],
 * at most count of them, which is at least 1. Returns how many, and in *taken how many of the bytes
 * are done with. Fewer than count: all bytes are taken and, with end, the buffer is over; bytes may
 * be NULL if size is 0. Otherwise call again, with the bytes that are left and the same end.
 *
 * Padding after the last record of a buffer is in no record. -SPE_EDECODER: nothing was done.
 */
int spe_decoder_read(struct spe_decoder *decoder, const uint8_t *bytes, size_t size, bool end,
		     struct spe_record *records, size_t count, size_t *taken);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

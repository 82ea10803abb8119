/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading Statistical Profiling sample records, format 0 (Arm ARM D18.1 and D18.2): packets, the
 * records they form, and how often each kind was seen. `vspe decode`, `--stats` and the perf.data
 * writer share it. The bytes come from a guest or a file: nothing about them is trusted.
 */
#ifndef VSPE_TRACE_RECORD_H
#define VSPE_TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PMSIDR_EL1.MaxSize ends at 2 KB: a longer run of packets without an end is damage. */
#define RECORD_SIZE_MAX 2048u

/* Enough for every text of record_packet_describe(). */
#define RECORD_TEXT_MAX 1024u

enum record_packet_kind {
	RECORD_PADDING, /* a run of zero bytes, of any length */
	RECORD_END,
	RECORD_TIMESTAMP,
	RECORD_EVENTS,
	RECORD_DATA_SOURCE,
	RECORD_OPERATION, /* index is enum record_class */
	RECORD_CONTEXT,	  /* index 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2 */
	RECORD_COUNTER,	  /* index 0 to 31 */
	RECORD_ADDRESS,	  /* index 0 to 31 */
	RECORD_UNKNOWN,	  /* a header that format 0 does not assign; its size is still defined */
	RECORD_KINDS,
};

/* Operation classes, the low bits of the header of an Operation Type packet. */
enum record_class { RECORD_OTHER, RECORD_LOAD_STORE, RECORD_BRANCH, RECORD_CLASSES };

/* Indexes of Address packets. */
enum record_address {
	RECORD_PC,
	RECORD_TARGET,
	RECORD_DATA_VA,
	RECORD_DATA_PA,
	RECORD_PREVIOUS_TARGET,
};

struct record_packet {
	enum record_packet_kind kind;
	uint8_t index;
	uint8_t payload_size; /* bytes: 0, 1, 2, 4 or 8 */
	uint64_t payload;     /* zero-extended */
};

/*
 * The packet at the start of size bytes. Returns the bytes it takes, or 0 when it goes beyond the
 * end (or size is 0). Packets of unknown kind are delimited by the sizes of D18.1, so that a reader
 * steps over packets newer than itself.
 */
size_t record_packet_read(const uint8_t *bytes, size_t size, struct record_packet *packet);

/* Fields of the payload of an Address packet with index 0, 1, 3 or 4. */
static inline uint64_t record_address_bits(uint64_t payload)
{
	return payload & UINT64_C(0x00ffffffffffffff);
}

static inline unsigned int record_address_el(uint64_t payload)
{
	return (unsigned int)(payload >> 61) & 3;
}

static inline bool record_address_ns(uint64_t payload)
{
	return payload >> 63;
}

static inline bool record_address_nse(uint64_t payload)
{
	return payload >> 60 & 1;
}

/* Where a record lies. */
struct record_span {
	size_t start;  /* of its first packet, behind leading padding */
	size_t size;   /* bytes up to and including its Timestamp or End packet */
	bool complete; /* false: no end was found in size bytes, or within RECORD_SIZE_MAX */
};

/*
 * Find the first record. Returns the bytes passed, padding included: span->start + span->size.
 * Only padding left: span->size is 0. With complete false and fewer than RECORD_SIZE_MAX bytes in
 * the span, more input may complete the record.
 */
size_t record_find(const uint8_t *bytes, size_t size, struct record_span *span);

/* What was seen. Zero-initialise. */
struct record_totals {
	uint64_t records;    /* with an end */
	uint64_t incomplete; /* runs of packets without one */
	uint64_t bytes;
	uint64_t padding; /* bytes */
	uint64_t unknown; /* bytes in packets of unknown kind, and behind the last whole packet */
	uint64_t packets[RECORD_KINDS]; /* padding: runs */
	uint64_t classes[RECORD_CLASSES];
	uint64_t events[64]; /* by bit of the Events payload */
	uint64_t el[4];	     /* by EL of the PC */
};

/* Count one span of packets, as record_find() delimits it, or any run of bytes. */
void record_count(struct record_totals *totals, const uint8_t *bytes, size_t size);

/* Short name of an event bit, as perf prints it where perf does; NULL when it has none. */
const char *record_event_name(unsigned int bit);
/* "other", "load/store", "branch". */
const char *record_class_name(enum record_class class);
/* The words of an Operation Type payload ("LD GP-REG"). Returns text. */
const char *record_operation_describe(enum record_class class, uint8_t payload, char *text,
				      size_t size);
/* One line without newline, in the words of `perf report -D`. Returns text. */
const char *record_packet_describe(const struct record_packet *packet, char *text, size_t size);

#endif

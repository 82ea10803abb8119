/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tools need of sample records in addition to <vspe/decode.h>: counts of each kind of
 * packet, and words. The bytes come from a guest or a file, and nothing about them is trusted.
 */
#ifndef VSPE_TRACE_RECORD_H
#define VSPE_TRACE_RECORD_H

#include <vspe/decode.h>

/* Enough for every text of record_packet_describe(). */
#define RECORD_TEXT_MAX 1024u

/* Operation classes: the index of an Operation Type packet. */
enum record_class {
	RECORD_OTHER = SPE_TYPE_OTHER - SPE_TYPE_OTHER,
	RECORD_LOAD_STORE = SPE_TYPE_MEMORY - SPE_TYPE_OTHER,
	RECORD_BRANCH = SPE_TYPE_BRANCH - SPE_TYPE_OTHER,
	RECORD_CLASSES,
};

/* Fields of the payload of an Address packet with index 0, 1, 3 or 4. */
static inline uint64_t record_address_bits(uint64_t payload)
{
	return payload & ((UINT64_C(1) << SPE_ADDRESS_WIDTH) - 1);
}

static inline unsigned int record_address_el(uint64_t payload)
{
	return (unsigned int)(payload >> SPE_ADDRESS_EL_LSB) & 3;
}

static inline bool record_address_ns(uint64_t payload)
{
	return payload >> SPE_ADDRESS_NS_BIT & 1;
}

static inline bool record_address_nse(uint64_t payload)
{
	return payload >> SPE_ADDRESS_NSE_BIT & 1;
}

static inline bool record_address_checked(uint64_t payload)
{
	return payload >> SPE_ADDRESS_CHECKED & 1;
}

static inline unsigned int record_address_tag(uint64_t payload)
{
	return (unsigned int)(payload >> SPE_ADDRESS_TAG_LSB) & 15;
}

/* Is what spe_record_read() found complete? Padding alone is not. */
static inline bool record_is_complete(const struct spe_record *record)
{
	return record->size && !(record->damage & SPE_DAMAGE_NO_END);
}

/* ... or may it become complete with bytes that are still to come? */
static inline bool record_goes_on(const struct spe_record *record)
{
	return (record->damage & (SPE_DAMAGE_NO_END | SPE_DAMAGE_TOO_LONG)) == SPE_DAMAGE_NO_END;
}

/* The counts. Zero-initialise. */
struct record_totals {
	uint64_t records;    /* with an end */
	uint64_t incomplete; /* runs of packets without one */
	uint64_t bytes;
	uint64_t padding; /* bytes */
	uint64_t unknown; /* bytes in packets of unknown kind, and after the last whole packet */
	uint64_t packets[SPE_PACKET_KINDS]; /* padding: runs */
	uint64_t classes[RECORD_CLASSES];
	uint64_t events[64]; /* by bit of the Events payload */
	uint64_t el[4];	     /* by EL of the PC */
};

/* Count one span of packets, as spe_record_read() delimits it, or any run of bytes. */
void record_count(struct record_totals *totals, const uint8_t *bytes, size_t size);

/* Short name of an event bit, perf's name if it has one; NULL when it has none. */
const char *record_event_name(unsigned int bit);
/* "other", "load/store", "branch". */
const char *record_class_name(enum record_class class);
/* The words of an Operation Type payload ("LD GP-REG"). Returns text. */
const char *record_operation_describe(enum record_class class, uint8_t payload, char *text,
				      size_t size);
/* One line without newline, in the words of `perf report -D`. Returns text. */
const char *record_packet_describe(const struct spe_packet *packet, char *text, size_t size);

#endif

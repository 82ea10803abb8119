/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sample record says, as one struct (Arm ARM D18.2): the packets of format 0 by what they
 * mean. Of several packets of one kind and index the first one counts.
 */
#ifndef VSPE_TRACE_SAMPLE_H
#define VSPE_TRACE_SAMPLE_H

#include "trace/record.h"

/* Counters that have a meaning: indexes of Counter packets. */
enum sample_latency { SAMPLE_TOTAL, SAMPLE_ISSUE, SAMPLE_TRANSLATION, SAMPLE_LATENCIES };

/* Which members a record has. A latency, an address, a context: from the bit given, by index. */
enum {
	SAMPLE_HAS_LATENCY = 1u << 0, /* 3 */
	SAMPLE_HAS_PC = 1u << 3,
	SAMPLE_HAS_TARGET = 1u << 4,
	SAMPLE_HAS_VA = 1u << 5,
	SAMPLE_HAS_PA = 1u << 6,
	SAMPLE_HAS_CONTEXT = 1u << 7, /* 2: CONTEXTIDR_EL1, CONTEXTIDR_EL2 */
	SAMPLE_HAS_SOURCE = 1u << 9,
	SAMPLE_HAS_OPERATION = 1u << 10,
	SAMPLE_HAS_TIME = 1u << 11,
	SAMPLE_HAS_EVENTS = 1u << 12,
	SAMPLE_HAS_PREVIOUS_TARGET = 1u << 13,
};

/* Events that a report asks for, by their bit (D18.2, Events packet). */
#define SAMPLE_RETIRED	     (UINT64_C(1) << 1)
#define SAMPLE_NOT_TAKEN     (UINT64_C(1) << 6)
#define SAMPLE_MISPREDICTED  (UINT64_C(1) << 7)
#define SAMPLE_TRANSACTIONAL (UINT64_C(1) << 16)

struct sample {
	unsigned int has;
	uint64_t pc, target;	  /* VA[55:0], bit 55 extended to the bits above */
	uint64_t previous_target; /* the same, of the taken branch before */
	uint8_t el;		  /* of pc */
	bool ns, nse;		  /* of pc */
	uint8_t operation;	  /* payload */
	enum record_class class;
	uint64_t va, pa; /* pa: bits [55:0] of its packet, without the Security state */
	uint64_t events; /* 0 without that packet */
	uint64_t time;
	uint32_t context[2];
	uint16_t latency[SAMPLE_LATENCIES]; /* cycles */
	uint16_t source;
};

/* Has it, a branch, retired? Otherwise it was on a path that the program did not take. */
static inline bool sample_has_retired(const struct sample *sample)
{
	return !(sample->has & SAMPLE_HAS_EVENTS) || sample->events & SAMPLE_RETIRED;
}

/* Read a record of size bytes. What is no packet is passed over. */
void sample_read(const uint8_t *bytes, size_t size, struct sample *sample);

/* An address of an instruction as programs have it: bit 55 in the bits above. */
uint64_t sample_address(uint64_t bits);

/* Records of which a command speaks. Zero-initialise for all. */
struct sample_filter {
	bool by_el, by_cpu;
	unsigned int el, cpu;
};

/* Does it pass? A record without a PC has no Exception level, one with a cpu of -1 no CPU. */
bool sample_passes(const struct sample_filter *filter, int32_t cpu, const struct sample *sample);

#endif

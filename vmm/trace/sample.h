/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample record in the form that the report uses: what <vspe/decode.h> reads, with latencies and
 * contexts by index.
 */
#ifndef VSPE_TRACE_SAMPLE_H
#define VSPE_TRACE_SAMPLE_H

#include "trace/record.h"

/* Counters that have a meaning: indexes of Counter packets. */
enum sample_latency { SAMPLE_TOTAL, SAMPLE_ISSUE, SAMPLE_TRANSLATION, SAMPLE_LATENCIES };

/*
 * Which members are there: spe_record.has. For a latency or a context, the bit given plus its
 * index.
 */
enum {
	SAMPLE_HAS_LATENCY = SPE_HAS_TOTAL_LATENCY,
	SAMPLE_HAS_PC = SPE_HAS_PC,
	SAMPLE_HAS_TARGET = SPE_HAS_TARGET,
	SAMPLE_HAS_VA = SPE_HAS_DATA_VA,
	SAMPLE_HAS_PA = SPE_HAS_DATA_PA,
	SAMPLE_HAS_CONTEXT = SPE_HAS_CONTEXTIDR_EL1,
	SAMPLE_HAS_SOURCE = SPE_HAS_DATA_SOURCE,
	SAMPLE_HAS_OPERATION = SPE_HAS_OPERATION,
	SAMPLE_HAS_TIME = SPE_HAS_TIMESTAMP,
	SAMPLE_HAS_EVENTS = SPE_HAS_EVENTS,
	SAMPLE_HAS_PREVIOUS_TARGET = SPE_HAS_PREVIOUS,
};
_Static_assert(SPE_HAS_TOTAL_LATENCY << SAMPLE_TRANSLATION == SPE_HAS_TRANSLATION_LATENCY &&
		       SPE_HAS_CONTEXTIDR_EL1 << 1 == SPE_HAS_CONTEXTIDR_EL2,
	       "bits by index");

/* Events that a report needs, by their bit (D18.2, Events packet). */
#define SAMPLE_RETIRED	     (UINT64_C(1) << 1)
#define SAMPLE_NOT_TAKEN     (UINT64_C(1) << 6)
#define SAMPLE_MISPREDICTED  (UINT64_C(1) << 7)
#define SAMPLE_TRANSACTIONAL (UINT64_C(1) << 16)

struct sample {
	unsigned int has;
	uint64_t pc, target;	  /* VA[55:0], bit 55 extended to the bits above */
	uint64_t previous_target; /* the same, for the previous taken branch */
	uint8_t el;		  /* of pc */
	bool ns, nse;		  /* of pc */
	uint8_t operation;	  /* payload */
	enum record_class class;
	uint64_t data;	 /* va without its tag, later the address of dsos.h */
	uint64_t va, pa; /* pa: bits [55:0] of its packet, without the Security state */
	uint64_t events; /* 0 without that packet */
	uint64_t time;
	uint32_t context[2];
	uint16_t latency[SAMPLE_LATENCIES]; /* cycles */
	uint16_t source;
};

/* Has this branch retired? Otherwise it was on a path that the program did not take. */
static inline bool sample_has_retired(const struct sample *sample)
{
	return !(sample->has & SAMPLE_HAS_EVENTS) || sample->events & SAMPLE_RETIRED;
}

void sample_read(const struct spe_record *record, struct sample *sample);

/* An address of an instruction as programs see it: bit 55 copied to the bits above. */
static inline uint64_t sample_address(uint64_t bits)
{
	return spe_untagged(bits);
}

/* Which records a command is about. Zero-initialise for all. */
struct sample_filter {
	bool by_el, by_cpu;
	unsigned int el, cpu;
};

/* Does it pass? A record without a PC has no Exception level, and one with a cpu of -1 no CPU. */
bool sample_passes(const struct sample_filter *filter, int32_t cpu, const struct sample *sample);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sample records, format 0 (Arm ARM D18.1, D18.2).
 */
#ifndef GUEST_RECORD_H
#define GUEST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which packets a record has. */
#define RECORD_PC	 (1u << 0)
#define RECORD_TARGET	 (1u << 1)
#define RECORD_VA	 (1u << 2)
#define RECORD_PA	 (1u << 3)
#define RECORD_TYPE	 (1u << 4)
#define RECORD_EVENTS	 (1u << 5)
#define RECORD_TIMESTAMP (1u << 6)
#define RECORD_END	 (1u << 7)
#define RECORD_CONTEXT	 (1u << 8)
#define RECORD_SOURCE	 (1u << 9)
#define RECORD_LATENCY	 (1u << 10)
#define RECORD_ISSUE	 (1u << 11)
#define RECORD_XLAT	 (1u << 12)
#define RECORD_CONTEXT2	 (1u << 13)

#define TYPE_OTHER  0x48
#define TYPE_MEMORY 0x49
#define TYPE_BRANCH 0x4a

struct record {
	uint32_t has;	 /* RECORD_* */
	uint64_t pc;	 /* as an address of the upper or lower half again */
	unsigned int el; /* of the PC */
	bool ns, nse;	 /* of the PC */
	bool pa_ns, pa_nse;
	uint64_t target, va, pa, events, timestamp;
	uint32_t context, context2; /* CONTEXTIDR_EL1, CONTEXTIDR_EL2 */
	uint16_t latency, issue, xlat, source;
	uint8_t type_header, type;
};

/*
 * The first record in size bytes. The bytes that it and the padding before it take; 0 if there is
 * only padding; negative if there is no whole record.
 */
long record_parse(const uint8_t *bytes, size_t size, struct record *record);

#endif

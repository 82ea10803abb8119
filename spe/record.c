/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample record: the packets of Arm ARM D18.2 in the order of J1.78. A pure function of an
 * operation and of what was decided about its record.
 *
 * This runs once a sample: every packet is one or two stores of fixed size, and there is no loop.
 */
#include "internal.h"

#define PACKET_END	    0x01
#define PACKET_EVENTS	    0x42 /* | log2(size) << 4 */
#define PACKET_DATA_SOURCE  0x43 /* | log2(size) << 4 */
#define PACKET_TYPE_OTHER   0x48
#define PACKET_TYPE_MEMORY  0x49
#define PACKET_TYPE_BRANCH  0x4a
#define PACKET_CONTEXT_EL1  0x64
#define PACKET_CONTEXT_EL2  0x65
#define PACKET_TIMESTAMP    0x71
#define PACKET_COUNTER(n)   (0x98 + (n))
#define PACKET_ADDRESS(n)   (0xb0 + (n))
#define ADDRESS_PC	    0
#define ADDRESS_TARGET	    1
#define ADDRESS_DATA_VA	    2
#define ADDRESS_DATA_PA	    3
#define COUNTER_TOTAL	    0
#define COUNTER_ISSUE	    1
#define COUNTER_TRANSLATION 2

/* The first bytes of a record are zeroed at once, so that padding to this size costs nothing. */
#define USUAL_SIZE 64

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LE16(x) __builtin_bswap16(x)
#define LE32(x) __builtin_bswap32(x)
#define LE64(x) __builtin_bswap64(x)
#else
#define LE16(x) (x)
#define LE32(x) (x)
#define LE64(x) (x)
#endif

static inline uint8_t *put8(uint8_t *p, uint8_t header, uint8_t payload)
{
	p[0] = header;
	p[1] = payload;
	return p + 2;
}

/* The builtin: a call to memcpy for a few bytes would cost more than the rest. */
static inline uint8_t *put16(uint8_t *p, uint8_t header, uint16_t payload)
{
	uint16_t le = LE16(payload);

	p[0] = header;
	__builtin_memcpy(p + 1, &le, sizeof(le));
	return p + 3;
}

static inline uint8_t *put32(uint8_t *p, uint8_t header, uint32_t payload)
{
	uint32_t le = LE32(payload);

	p[0] = header;
	__builtin_memcpy(p + 1, &le, sizeof(le));
	return p + 5;
}

static inline uint8_t *put64(uint8_t *p, uint8_t header, uint64_t payload)
{
	uint64_t le = LE64(payload);

	p[0] = header;
	__builtin_memcpy(p + 1, &le, sizeof(le));
	return p + 9;
}

/* An instruction's address with its state: NS in bit 63, EL in [62:61], NSE in 60. */
static inline uint64_t code_address(uint64_t va, bool ns, unsigned int el, bool nse)
{
	return (va & FIELD(55, 0)) | (uint64_t)ns << 63 | (uint64_t)(el & 3) << 61 |
	       (uint64_t)nse << 60;
}

static inline uint8_t *put_counter(uint8_t *p, unsigned int n, uint16_t value, uint16_t max)
{
	return put16(p, (uint8_t)PACKET_COUNTER(n), value < max ? value : max);
}

static inline uint8_t *put_address(uint8_t *p, unsigned int n, uint64_t value)
{
	return put64(p, (uint8_t)PACKET_ADDRESS(n), value);
}

static inline uint8_t *put_events(uint8_t *p, unsigned int size, uint64_t events)
{
	switch (size) {
	case 1: return put8(p, PACKET_EVENTS, (uint8_t)events);
	case 2: return put16(p, PACKET_EVENTS | 1 << 4, (uint16_t)events);
	case 4: return put32(p, PACKET_EVENTS | 2 << 4, (uint32_t)events);
	default: return put64(p, PACKET_EVENTS | 3 << 4, events);
	}
}

/* Classes whose features are not there are reported as they are on a PE without the feature. */
static inline uint8_t type_payload(const struct spe_format *format, const struct spe_op *op)
{
	switch (op->type_header) {
	case PACKET_TYPE_OTHER: return op->type_payload & 0x01;	 /* FP, ASIMD are FEAT_SPE_FPF's */
	case PACKET_TYPE_BRANCH: return op->type_payload & 0x03; /* CR is FEAT_SPE_CRR's */
	default: break;
	}
	if (!format->unspecified && (op->type_payload & 0xfe) == 0x10)
		return op->type_payload & 0x01;
	return op->type_payload;
}

/* D18.2: a data source is of a load that got its data. */
static inline bool has_source(const struct spe_op *op)
{
	uint32_t both = SPE_OP_LOAD | SPE_OP_VA_VALID;

	return (op->flags & both) == both && !(op->events & EVENT_EXCEPTION);
}

size_t spe_record_build(const struct spe_format *format, const struct spe_shape *shape,
			const struct spe_op *op, uint64_t events, uint8_t *record)
{
	uint32_t taken = SPE_OP_BRANCH | SPE_OP_TAKEN;
	/* Without FEAT_GCS a branch has no data access: the sizes of spe_record_max() rely on it.
	 */
	bool data = (op->flags & (SPE_OP_VA_VALID | SPE_OP_BRANCH)) == SPE_OP_VA_VALID;
	uint8_t *p = record;
	size_t size, padded;

	__builtin_memset(record, 0, USUAL_SIZE);
	if (shape->context1)
		p = put32(p, PACKET_CONTEXT_EL1, op->contextidr_el1);
	if (shape->context2)
		p = put32(p, PACKET_CONTEXT_EL2, op->contextidr_el2);
	p = put_counter(p, COUNTER_TOTAL, op->total_latency, format->count_max);
	p = put_counter(p, COUNTER_ISSUE, op->issue_latency, format->count_max);
	if (data)
		p = put_counter(p, COUNTER_TRANSLATION, op->translation_latency, format->count_max);
	p = put_address(p, ADDRESS_PC, code_address(op->pc, op->ns, op->el, op->nse));
	if ((op->flags & taken) == taken)
		p = put_address(
			p, ADDRESS_TARGET,
			code_address(op->target, op->target_ns, op->target_el, op->target_nse));
	if (data) {
		p = put_address(p, ADDRESS_DATA_VA, op->data_va);
		if (shape->pa && (op->flags & SPE_OP_PA_VALID))
			p = put_address(p, ADDRESS_DATA_PA,
					code_address(op->data_pa, op->ns, 0, op->nse));
		if (format->source_size == 1 && has_source(op))
			p = put8(p, PACKET_DATA_SOURCE, (uint8_t)op->data_source);
		else if (format->source_size == 2 && has_source(op))
			p = put16(p, PACKET_DATA_SOURCE | 1 << 4, op->data_source);
	}
	p = put8(p, op->type_header, type_payload(format, op));
	p = put_events(p, format->events_size, events);
	if (shape->timestamp != SPE_TIMESTAMP_NONE)
		p = put64(p, PACKET_TIMESTAMP, op->timestamp);
	else
		*p++ = PACKET_END;

	size = (size_t)(p - record);
	padded = (size + format->align_mask) & ~(size_t)format->align_mask;
	if (padded > USUAL_SIZE) {
		size_t from = size > USUAL_SIZE ? size : USUAL_SIZE;

		__builtin_memset(record + from, 0, padded - from);
	}
	return padded;
}

size_t spe_record_max(const struct spe_config *config)
{
	const size_t context = 5, counter = 3, address = 9, type = 2, timestamp = 9;
	size_t source = config->lds ? 1u + config->source_size : 0;
	size_t common = 2 * context + type + 1u + config->events_size + timestamp;
	size_t load = common + 3 * counter + 3 * address + source;
	size_t branch = common + 2 * counter + 2 * address;

	return load > branch ? load : branch;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample record: the packets of Arm ARM D18.2 in the order of J1.78, or in that of a core. A pure
 * function of an operation and of the decisions about its record.
 *
 * This runs once per sample: every packet is one or two stores of fixed size, and only the layouts
 * of cores have a loop.
 */
#include "internal.h"
#include "../sysreg/assertion.h"

#define PACKET_END	    0x01
#define PACKET_EVENTS	    0x42 /* | log2(size) << 4 */
#define PACKET_DATA_SOURCE  0x43 /* | log2(size) << 4 */
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
#define ADDRESS_PREVIOUS    4
#define COUNTER_TRANSLATION 2
#define COUNTER_ALTERNATE   4

/* An extended header: index[4:3] in the first byte, index[2:0] in the second. */
#define PACKET_EXTENDED(n) (0x20 + ((n) >> 3))

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
	return (va & FIELD(55, 0)) | (ns ? FIELD(63, 63) : 0) | (uint64_t)(el & 3) << 61 |
	       (nse ? FIELD(60, 60) : 0);
}

static inline uint8_t *put_counter(uint8_t *p, const struct spe_format *format, bool usual,
				   unsigned int n, uint64_t value)
{
	uint16_t saturated = value < format->count_max ? (uint16_t)value : format->count_max;

	if (!usual && (n > 7 || format->extended))
		*p++ = (uint8_t)PACKET_EXTENDED(n);
	return put16(p, (uint8_t)PACKET_COUNTER(n & 7), saturated);
}

static inline uint8_t *put_address(uint8_t *p, const struct spe_format *format, bool usual,
				   unsigned int n, uint64_t value)
{
	if (!usual && (n > 7 || format->extended))
		*p++ = (uint8_t)PACKET_EXTENDED(n);
	return put64(p, (uint8_t)PACKET_ADDRESS(n & 7), value);
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

/*
 * Classes whose features are missing are reported as on a PE without the feature, by the rows of
 * D18.2.7: SVE as SIMD&FP, the rest as unspecified registers (from v1p1 on) or else as general
 * registers.
 */
static uint8_t sve_length(const struct spe_format *format, uint8_t payload)
{
	/* more than 2048 bits: FEAT_SPE_SME only */
	return (payload & 0x70) == 0x70 && !format->sme ? payload & 0xef : payload;
}

static __attribute__((noinline)) uint8_t memory_payload(const struct spe_format *format,
							uint8_t payload)
{
	const uint8_t store = payload & 0x01, unspecified = format->unspecified ? 0x10 : 0;

	if (payload & 0x02)
		return payload & 0x1f; /* atomic, exclusive, acquire or release */
	if (payload & 0x08) {
		if (!format->sve)
			return 0x04 | store;
		if (!store && !format->predicated_loads)
			payload &= 0xfb;
		return sve_length(format, payload);
	}
	switch (payload & 0xfe) {
	case 0x00:
	case 0x04:
	case 0x30: return payload; /* general, SIMD&FP, and system registers in memory */
	case 0x14: return format->tags ? payload : unspecified | store;
	case 0x20: return format->moved ? payload : unspecified | store;
	case 0x24: return format->moved && store ? payload : unspecified | store;
	case 0x40:
	case 0x44: return format->gcs ? payload : unspecified | store;
	default: return unspecified | store;
	}
}

static uint8_t other_payload(const struct spe_format *format, uint8_t payload)
{
	if (!(payload & 0x08))
		return payload & format->other_mask;
	if (payload & 0x80)
		return format->sme ? payload & 0xfe : 0;
	return format->sve_data ? sve_length(format, payload & 0xfe) : 0;
}

/* With FEAT_SPE_CRR "not recorded" is not permitted: such a branch is neither call nor return. */
static inline uint8_t branch_payload(const struct spe_format *format, uint8_t payload)
{
	payload &= format->branch_mask;
	return (format->branch_mask & 0x18) && !(payload & 0x18) ? payload | 0x18 : payload;
}

static inline uint8_t type_payload(const struct spe_format *format, const struct spe_op *op)
{
	switch (op->type_header) {
	case SPE_TYPE_OTHER: return other_payload(format, op->type_payload);
	case SPE_TYPE_BRANCH: return branch_payload(format, op->type_payload);
	default: break;
	}
	return op->type_payload <= 1 ? op->type_payload : memory_payload(format, op->type_payload);
}

/*
 * D18.2.1: NS and NSE are the address's, which may be in another state than the operation. CH and
 * PAT need FEAT_MTE2.
 */
static inline uint64_t data_physical(const struct spe_format *format, bool usual,
				     const struct spe_op *op)
{
	const bool non_secure = op->flags & SPE_OP_PA_NON_SECURE;
	uint64_t payload =
		code_address(op->data_pa, op->ns || non_secure, 0, op->nse && !non_secure);

	if (!usual && format->mte) {
		payload |= (uint64_t)(op->tag & 15) << 56;
		if (op->flags & SPE_OP_TAG_CHECKED)
			payload |= BIT(62);
	}
	return payload;
}

static uint8_t *put_extra(uint8_t *p, const struct spe_format *format, const struct spe_op *op,
			  bool address)
{
	for (unsigned int i = 0; i < op->extra_count && i < format->extra_packets; i++) {
		const struct spe_extra *extra = &op->extra[i];
		const unsigned int n = extra->index;

		if (extra->address != address || n > 31 || (n < 16 && n != 6 && n != 7))
			continue;
		p = address ? put_address(p, format, false, n, extra->value)
			    : put_counter(p, format, false, n, extra->value);
	}
	return p;
}

static uint8_t *put_previous(uint8_t *p, const struct spe_format *format,
			     const struct spe_flight *flight, const struct spe_op *op)
{
	const struct spe_target *to = &flight->previous;

	if (!format->previous || !flight->previous_valid ||
	    !(format->previous_all || op->flags & SPE_OP_BRANCH) ||
	    (format->previous_taken &&
	     (op->flags & (SPE_OP_BRANCH | SPE_OP_TAKEN)) == SPE_OP_BRANCH))
		return p;
	return put_address(p, format, false, ADDRESS_PREVIOUS,
			   code_address(to->va, to->ns, to->el, to->nse));
}

/* Packets of addresses, and the last one, which may be the timestamp. */
struct places {
	uint8_t *pc, *target, *data_va, *data_pa, *last;
};

/* The addresses of the data. usual is a constant, and so is whether at is NULL: see build(). */
static inline __attribute__((always_inline)) uint8_t *
put_data(uint8_t *p, const struct spe_format *format, const struct spe_shape *shape,
	 const struct spe_op *op, bool usual, struct places *at)
{
	if (at)
		at->data_va = p;
	p = put_address(p, format, usual, ADDRESS_DATA_VA, op->data_va);
	if (!shape->pa || !(op->flags & SPE_OP_PA_VALID))
		return p;
	if (at)
		at->data_pa = p;
	return put_address(p, format, usual, ADDRESS_DATA_PA, data_physical(format, usual, op));
}

/*
 * The packets of a record. usual is a constant: this is compiled once without the packets of
 * spe_format.unusual, and once with them; and likewise for places, which at == NULL excludes.
 */
static inline __attribute__((always_inline)) uint8_t *
build(uint8_t *p, const struct spe_format *format, const struct spe_flight *flight,
      const struct spe_op *op, uint64_t events, bool usual, struct places *at)
{
	const struct spe_shape *shape = &flight->shape;
	const uint32_t taken = SPE_OP_BRANCH | SPE_OP_TAKEN;
	/* Only with FEAT_GCS does a branch access data: spe_record_max() relies on it. */
	const bool data = op->flags & SPE_OP_VA_VALID &&
			  (!(op->flags & SPE_OP_BRANCH) || (!usual && format->gcs));

	if (shape->context1)
		p = put32(p, PACKET_CONTEXT_EL1, op->contextidr_el1);
	if (shape->context2)
		p = put32(p, PACKET_CONTEXT_EL2, op->contextidr_el2);
	p = put_counter(p, format, usual, COUNTER_TOTAL, op->total_latency);
	p = put_counter(p, format, usual, COUNTER_ISSUE, op->issue_latency);
	if (data)
		p = put_counter(p, format, usual, COUNTER_TRANSLATION, op->translation_latency);
	if (!usual && format->alternate)
		p = put_counter(p, format, usual, COUNTER_ALTERNATE, op->alternate_latency);
	if (!usual)
		p = put_extra(p, format, op, false);
	if (at)
		at->pc = p;
	p = put_address(p, format, usual, ADDRESS_PC,
			code_address(op->pc, op->ns, op->el, op->nse));
	if ((op->flags & taken) == taken) {
		if (at)
			at->target = p;
		p = put_address(
			p, format, usual, ADDRESS_TARGET,
			code_address(op->target, op->target_ns, op->target_el, op->target_nse));
	}
	if (data)
		p = put_data(p, format, shape, op, usual, at);
	if (!usual) {
		p = put_previous(p, format, flight, op);
		p = put_extra(p, format, op, true);
	}
	if (data && format->source_size == 1 && spe_has_source(op))
		p = put8(p, PACKET_DATA_SOURCE, (uint8_t)op->data_source);
	else if (data && format->source_size == 2 && spe_has_source(op))
		p = put16(p, PACKET_DATA_SOURCE | 1 << 4, op->data_source);
	p = put8(p, op->type_header, type_payload(format, op));
	p = put_events(p, format->events_size, events);
	if (at)
		at->last = p;
	if (shape->timestamp != SPE_TIMESTAMP_NONE)
		return put64(p, PACKET_TIMESTAMP, op->timestamp);
	*p = PACKET_END;
	return p + 1;
}

/* Most bytes of packets: RECORD_MAX has room for them, whatever the configuration. */
#define LARGEST_COUNTERS  (4 + SPE_EXTRA_MAX)
#define LARGEST_ADDRESSES (5 + SPE_EXTRA_MAX)
_Static_assert(2 * 5 + LARGEST_COUNTERS * 4 + LARGEST_ADDRESSES * 10 + 3 + 2 + 9 + 9 <= RECORD_MAX,
	       "the largest record");

/*
 * Layouts of cores (docs/cores.md): all packets but the last, in their order, and what replaces one
 * that the record does not have.
 */
enum piece {
	PIECE_PC,
	PIECE_CONTEXT_EL1,
	PIECE_CONTEXT_EL2,
	PIECE_TYPE,
	PIECE_EVENTS,
	PIECE_ISSUE,
	PIECE_TOTAL,
	PIECE_ADDRESS, /* virtual address of the data, or target */
	PIECE_TRANSLATION,
	PIECE_PHYSICAL,
	PIECE_SOURCE,
};

struct slot {
	uint8_t piece;	  /* enum piece */
	uint8_t size;	  /* of the packet; 0: as the configuration says */
	bool kept;	  /* without its packet there are size bytes of padding */
	bool kept_branch; /* ... in the record of a branch */
};

#define SLOTS_MAX 11

struct layout {
	struct slot slots[SLOTS_MAX];
	uint8_t count;
	bool pads_before_end; /* the padding to the alignment is before the last packet */
	bool next_is_target;  /* of a branch that is not taken, the next instruction */
	bool plain_top;	      /* the top byte of a data address is zero if it only repeats bit 55 */
};

static const struct layout layouts[] =
	{
		[SPE_LAYOUT_NEOVERSE] =
			{
				.slots = {{PIECE_PC, 9, true, true},
					  {PIECE_CONTEXT_EL1, 5, true, true},
					  {PIECE_CONTEXT_EL2, 5, true, true},
					  {PIECE_TYPE, 2, true, true},
					  {PIECE_EVENTS, 0, true, true},
					  {PIECE_ISSUE, 3, true, true},
					  {PIECE_TOTAL, 3, true, true},
					  {PIECE_ADDRESS, 9, true, true},
					  {PIECE_TRANSLATION, 3, true, true},
					  {PIECE_PHYSICAL, 9, true, true},
					  {PIECE_SOURCE, 2, true, true}},
				.count = 11,
				.pads_before_end = true,
				.next_is_target = true,
				.plain_top = true,
			},
		[SPE_LAYOUT_KUNPENG920] =
			{
				.slots = {{PIECE_PC, 9, false, false},
					  {PIECE_ISSUE, 3, false, false},
					  {PIECE_TOTAL, 3, false, false},
					  {PIECE_EVENTS, 0, false, false},
					  {PIECE_TYPE, 2, false, false},
					  {PIECE_ADDRESS, 9, false, false},
					  {PIECE_TRANSLATION, 3, false, true},
					  {PIECE_PHYSICAL, 9, false, false},
					  {PIECE_CONTEXT_EL1, 5, false, false},
					  {PIECE_CONTEXT_EL2, 5, false, false}},
				.count = 10,
				.pads_before_end = true,
				.next_is_target = true,
				.plain_top = true,
			},
		[SPE_LAYOUT_FVP] =
			{
				.slots = {{PIECE_CONTEXT_EL1, 5, false, false},
					  {PIECE_CONTEXT_EL2, 5, false, false},
					  {PIECE_TYPE, 2, false, false},
					  {PIECE_ADDRESS, 9, false, false},
					  {PIECE_PHYSICAL, 9, false, false},
					  {PIECE_TRANSLATION, 3, false, false},
					  {PIECE_EVENTS, 0, false, false},
					  {PIECE_PC, 9, false, false},
					  {PIECE_TOTAL, 3, false, false}},
				.count = 9,
			},
};

static uint8_t *put_target(uint8_t *p, const struct spe_format *format, const struct spe_op *op)
{
	if (op->flags & SPE_OP_TAKEN)
		return put_address(
			p, format, true, ADDRESS_TARGET,
			code_address(op->target, op->target_ns, op->target_el, op->target_nse));
	if ((op->flags & SPE_OP_NOT_TAKEN) && layouts[format->layout].next_is_target)
		return put_address(p, format, true, ADDRESS_TARGET,
				   code_address(op->pc + 4, op->ns, op->el, op->nse));
	return p;
}

/* The tag if there is one: D18.2.1 does not define the byte of an address without a tag. */
static uint8_t *put_data_va(uint8_t *p, const struct spe_format *format, const struct spe_op *op)
{
	const uint64_t top = op->data_va & FIELD(63, 56);
	const bool repeats = top == (op->data_va & BIT(55) ? FIELD(63, 56) : 0);

	return put_address(p, format, true, ADDRESS_DATA_VA,
			   repeats && layouts[format->layout].plain_top ? op->data_va ^ top
									: op->data_va);
}

static uint8_t *put_piece(uint8_t *p, enum piece piece, const struct spe_format *format,
			  const struct spe_shape *shape, const struct spe_op *op, uint64_t events)
{
	const bool branch = op->flags & SPE_OP_BRANCH;
	const bool data = !branch && op->flags & SPE_OP_VA_VALID;

	switch (piece) {
	case PIECE_PC:
		return put_address(p, format, true, ADDRESS_PC,
				   code_address(op->pc, op->ns, op->el, op->nse));
	case PIECE_CONTEXT_EL1:
		return shape->context1 ? put32(p, PACKET_CONTEXT_EL1, op->contextidr_el1) : p;
	case PIECE_CONTEXT_EL2:
		return shape->context2 ? put32(p, PACKET_CONTEXT_EL2, op->contextidr_el2) : p;
	case PIECE_TYPE: return put8(p, op->type_header, type_payload(format, op));
	case PIECE_EVENTS: return put_events(p, format->events_size, events);
	case PIECE_ISSUE: return put_counter(p, format, true, COUNTER_ISSUE, op->issue_latency);
	case PIECE_TOTAL: return put_counter(p, format, true, COUNTER_TOTAL, op->total_latency);
	case PIECE_ADDRESS:
		return branch ? put_target(p, format, op) : data ? put_data_va(p, format, op) : p;
	case PIECE_TRANSLATION:
		return data ? put_counter(p, format, true, COUNTER_TRANSLATION,
					  op->translation_latency)
			    : p;
	case PIECE_PHYSICAL:
		return data && shape->pa && (op->flags & SPE_OP_PA_VALID)
			       ? put_address(p, format, true, ADDRESS_DATA_PA,
					     data_physical(format, false, op))
			       : p;
	case PIECE_SOURCE:
		return data && format->source_size && spe_has_source(op)
			       ? put8(p, PACKET_DATA_SOURCE, (uint8_t)op->data_source)
			       : p;
	}
	return p;
}

/* More than the packets of any layout. */
#define LAID_OUT_MAX 128

static __attribute__((noinline)) size_t lay_out(const struct spe_format *format,
						const struct spe_flight *flight,
						const struct spe_op *op, uint64_t events,
						uint8_t *record)
{
	const struct layout *layout = &layouts[format->layout];
	const bool timed = flight->shape.timestamp != SPE_TIMESTAMP_NONE;
	const size_t last = timed ? 9 : 1;
	uint8_t *p = record, *next;
	size_t padded;

	__builtin_memset(record, 0, LAID_OUT_MAX);
	for (const struct slot *slot = layout->slots; slot < layout->slots + layout->count;
	     slot++, p = next) {
		next = put_piece(p, (enum piece)slot->piece, format, &flight->shape, op, events);
		if (next == p && (op->flags & SPE_OP_BRANCH ? slot->kept_branch : slot->kept))
			next += slot->size;
	}
	vspe_assert_of((size_t)(p - record) + last <= LAID_OUT_MAX, p - record, format->layout);
	padded = ((size_t)(p - record) + last + format->align_mask) & ~(size_t)format->align_mask;
	if (padded > LAID_OUT_MAX)
		__builtin_memset(record + LAID_OUT_MAX, 0, padded - LAID_OUT_MAX);
	if (layout->pads_before_end)
		p = record + padded - last;
	if (timed)
		(void)put64(p, PACKET_TIMESTAMP, op->timestamp);
	else
		*p = PACKET_END;
	return padded;
}

/* Pad the packets up to p to the alignment. Returns the bytes. */
static inline size_t pad(const struct spe_format *format, uint8_t *record, const uint8_t *p)
{
	size_t size = (size_t)(p - record);
	size_t padded = (size + format->align_mask) & ~(size_t)format->align_mask;
	if (padded > USUAL_SIZE) {
		size_t from = size > USUAL_SIZE ? size : USUAL_SIZE;

		__builtin_memset(record + from, 0, padded - from);
	}
	return padded;
}

/* Not inlined: the usual way needs fewer registers. */
static __attribute__((noinline)) size_t build_unusual(const struct spe_format *format,
						      const struct spe_flight *flight,
						      const struct spe_op *op, uint64_t events,
						      uint8_t *record)
{
	__builtin_memset(record, 0, USUAL_SIZE);
	return pad(format, record, build(record, format, flight, op, events, false, NULL));
}

size_t spe_record_build(const struct spe_format *format, const struct spe_flight *flight,
			const struct spe_op *op, uint64_t events, uint8_t *record)
{
	if (format->unusual)
		return format->layout != SPE_LAYOUT_GENERIC
			       ? lay_out(format, flight, op, events, record)
			       : build_unusual(format, flight, op, events, record);
	__builtin_memset(record, 0, USUAL_SIZE);
	return pad(format, record, build(record, format, flight, op, events, true, NULL));
}

/* The offset after a packet's header; without the packet, the end of the record. */
static uint8_t place_of(const uint8_t *record, const uint8_t *packet)
{
	return packet ? (uint8_t)(packet + 1 - record) : SPE_PATTERN_SIZE;
}

size_t spe_record_build_places(const struct spe_format *format, const struct spe_flight *flight,
			       const struct spe_op *op, uint64_t events, uint8_t *record,
			       struct spe_places *at)
{
	const bool timed = flight->shape.timestamp != SPE_TIMESTAMP_NONE;
	struct places places = {0};
	const uint8_t *end;

	__builtin_memset(record, 0, USUAL_SIZE);
	end = build(record, format, flight, op, events, true, &places);
	*at = (struct spe_places){
		.pc = place_of(record, places.pc),
		.target = place_of(record, places.target),
		.data_va = place_of(record, places.data_va),
		.data_pa = place_of(record, places.data_pa),
		.timestamp = place_of(record, timed ? places.last : NULL),
	};
	return pad(format, record, end);
}

size_t spe_layout_max(const struct spe_config *config)
{
	const struct layout *layout = &layouts[config->layout];
	size_t size = 9;

	for (unsigned int i = 0; i < layout->count; i++)
		size += layout->slots[i].size ? layout->slots[i].size : 1u + config->events_size;
	return size;
}

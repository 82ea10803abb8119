/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * <vspe/decode.h>: the same records whatever the pieces, the ends of buffers, and the values that
 * the encoder was given, with random choices of the configuration.
 */
#include "drive.h"
#include "fixture.h"
#include "../../splitmix.h"
#include <vspe/decode.h>

#define RECORDS 4096
#define BYTES	4096

struct found {
	struct spe_record records[RECORDS];
	size_t count;
};

/* The records of a buffer that arrives in pieces, read into room records at a time. */
static void read_pieces(struct found *found, struct spe_decoder *decoder, const uint8_t *bytes,
			size_t size, size_t piece, size_t room)
{
	size_t at = 0, taken;
	int n;

	do {
		const size_t next = size - at < piece ? size - at : piece;
		const bool end = at + next == size;

		cr_assert_leq(found->count + room, RECORDS, "%zu records", found->count);
		n = spe_decoder_read(decoder, bytes + at, next, end, found->records + found->count,
				     room, &taken);
		cr_assert_geq(n, 0, "%d records of %zu", n, room);
		cr_assert_leq((size_t)n, room, "%d records of %zu", n, room);
		if (taken != next)
			cr_assert_eq((size_t)n, room, "%zu bytes of %zu", taken, next);
		at += taken;
		found->count += (size_t)n;
	} while (at < size || (size_t)n == room);
}

static void start(struct spe_decoder *decoder)
{
	eq(spe_decoder_init(decoder, sizeof(*decoder), sizeof(struct spe_record)), 0);
}

static void same(const struct found *a, const struct found *b, size_t piece)
{
	cr_assert_eq(a->count, b->count, "%zu records in pieces of %zu, %zu in one", a->count,
		     piece, b->count);
	for (size_t i = 0; i < a->count; i++)
		cr_assert_arr_eq(&a->records[i], &b->records[i], sizeof(a->records[i]),
				 "record %zu in pieces of %zu: offset %llu size %u damage 0x%x, "
				 "expected %llu, %u, 0x%x",
				 i, piece, (unsigned long long)a->records[i].offset,
				 a->records[i].size, a->records[i].damage,
				 (unsigned long long)b->records[i].offset, b->records[i].size,
				 b->records[i].damage);
}

/* Packets of all kinds, few of them ends, and some noise. */
static void fill(uint8_t *bytes, size_t size, uint64_t *random, unsigned int noise)
{
	static const uint8_t headers[] = {0x00, 0x00, 0x42, 0x52, 0x62, 0x72, 0x43, 0x53,
					  0x48, 0x49, 0x4a, 0x64, 0x65, 0x98, 0x99, 0x9a,
					  0x9c, 0x9e, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb7,
					  0x21, 0x23, 0x40, 0x01, 0x71, 0x20};

	for (size_t at = 0; at < size;) {
		const uint64_t dice = splitmix64(random);
		size_t left = dice >> 8 & 15;

		bytes[at++] = dice % noise ? headers[(dice >> 16) % sizeof(headers)]
					   : (uint8_t)(dice >> 24);
		for (; left && at < size; left--)
			bytes[at++] = (uint8_t)splitmix64(random);
	}
}

/* All bytes are in one record or padding, in order. */
static void accounted(const struct found *found, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct spe_record *r = &found->records[i];

		eq(r->offset, from + r->padding);
		cr_assert_gt(r->size, 0, "record %zu has %u bytes", i, r->size);
		cr_assert_leq(r->size, SPE_RECORD_MAX, "record %zu has %u bytes", i, r->size);
		from = r->offset + r->size;
	}
	cr_assert_leq(from, to, "records up to %llu of %llu bytes", (unsigned long long)from,
		      (unsigned long long)to);
}

Test(decode_stream, pieces_of_any_size_give_the_same_records)
{
	static struct found whole, pieces;
	static uint8_t bytes[BYTES];
	struct spe_decoder decoder;
	uint64_t random = 1;

	for (unsigned int round = 0; round < 40; round++) {
		fill(bytes, BYTES, &random, round % 4 ? 64 : 2);
		if (round % 8 == 7) /* a long run without an end */
			for (size_t i = 100; i < 3800; i++)
				bytes[i] = bytes[i] == 0x01 || bytes[i] == 0x71 ? 0x02 : bytes[i];
		start(&decoder);
		whole.count = 0;
		read_pieces(&whole, &decoder, bytes, BYTES, BYTES, RECORDS - 1);
		accounted(&whole, 0, BYTES);
		for (size_t piece = 1; piece <= BYTES; piece += piece < 80 ? 1 : 331) {
			start(&decoder);
			pieces.count = 0;
			read_pieces(&pieces, &decoder, bytes, BYTES, piece, 1 + piece % 5);
			same(&pieces, &whole, piece);
		}
	}
}

/* A packet in two pieces does not fit the longest record: it begins the next one. */
Test(decode_stream, a_packet_in_pieces_after_the_longest_record)
{
	static uint8_t bytes[SPE_RECORD_MAX + 1] = {
		[0] = 0x02, [SPE_RECORD_MAX - 1] = 0x20, [SPE_RECORD_MAX] = 0x05};
	static struct found found;
	struct spe_decoder decoder;

	for (size_t room = 1; room < 4; room++) {
		start(&decoder);
		found.count = 0;
		read_pieces(&found, &decoder, bytes, sizeof(bytes), SPE_RECORD_MAX, room);
		eq(found.count, 2);
		eq(found.records[0].size, SPE_RECORD_MAX - 1);
		eq(found.records[0].damage,
		   SPE_DAMAGE_UNKNOWN | SPE_DAMAGE_NO_END | SPE_DAMAGE_TOO_LONG);
		eq(found.records[1].size, 2);
		eq(found.records[1].damage, SPE_DAMAGE_UNKNOWN | SPE_DAMAGE_NO_END);
	}
}

/* ... and bytes that are in memory at once are read without a decoder. */
Test(decode_stream, spe_record_read_gives_the_same_records)
{
	static struct found whole;
	static uint8_t bytes[BYTES];
	struct spe_decoder decoder;
	struct spe_record record;
	uint64_t random = 2;

	for (unsigned int round = 0; round < 40; round++) {
		size_t at = 0;

		fill(bytes, BYTES, &random, round % 2 ? 64 : 2);
		start(&decoder);
		whole.count = 0;
		read_pieces(&whole, &decoder, bytes, BYTES, BYTES, RECORDS - 1);
		for (size_t i = 0; i < whole.count; i++) {
			const size_t length = spe_record_read(bytes + at, BYTES - at, &record);

			record.offset += at;
			at += length;
			cr_assert_arr_eq(&record, &whole.records[i], sizeof(record),
					 "record %zu at %llu, expected %llu", i,
					 (unsigned long long)record.offset,
					 (unsigned long long)whole.records[i].offset);
		}
		(void)spe_record_read(bytes + at, BYTES - at, &record);
		eq(record.size, 0);
	}
}

/* A load of 7 packets, 35 bytes. */
static const uint8_t load[] = {0x64, 1, 2,    3,    4,	  0x98, 9, 0,	 0xb0, 0x34, 0x12, 0,
			       8,    0, 0,    0xff, 0xa0, 0x43, 8, 0x49, 1,    0x62, 2,	   0,
			       0,    0, 0x71, 1,    2,	  3,	4, 5,	 6,    7,    8};

/* A buffer that ends at each byte: the record is cut there, and not joined with the next one. */
Test(decode_stream, each_cut_point)
{
	static struct found found;
	struct spe_decoder decoder;

	for (size_t cut = 1; cut < sizeof(load); cut++) {
		const struct spe_record *r = found.records;
		size_t whole = 0, length;
		struct spe_packet packet;

		while ((length = spe_packet_read(load + whole, cut - whole, &packet)))
			whole += length;
		for (size_t piece = 1; piece <= cut; piece++) {
			start(&decoder);
			found.count = 0;
			read_pieces(&found, &decoder, load, cut, piece, 4);
			read_pieces(&found, &decoder, load, sizeof(load), piece, 4);
			eq(found.count, 2);
			eq(r[0].offset, 0);
			eq(r[0].size, cut);
			eq(r[0].cut_bytes, cut - whole);
			eq(r[0].damage,
			   SPE_DAMAGE_NO_END | (cut > whole ? SPE_DAMAGE_CUT_PACKET : 0));
			eq(!!(r[0].has & SPE_HAS_PC), cut >= 17);
			eq(r[0].timestamp, 0);
			eq(r[1].offset, cut);
			eq(r[1].size, sizeof(load));
			eq(r[1].damage, 0);
			eq(r[1].padding, 0);
			eq(r[1].timestamp, UINT64_C(0x0807060504030201));
		}
	}
}

/* Padding at the end of a buffer belongs to no record; a new buffer gives its offset. */
Test(decode_stream, buffers_begin_and_end)
{
	static const uint8_t first[] = {0, 0, 0x48, 0, 0x01, 0, 0, 0};
	static struct found found;
	struct spe_decoder decoder;
	size_t taken;

	start(&decoder);
	read_pieces(&found, &decoder, first, sizeof(first), 3, 2);
	read_pieces(&found, &decoder, first, sizeof(first), 3, 2);
	eq(found.count, 2);
	eq(found.records[0].offset, 2);
	eq(found.records[0].padding, 2);
	eq(found.records[1].offset, 10);
	eq(found.records[1].padding, 2);
	/* Half a record, and then another buffer. */
	eq(spe_decoder_read(&decoder, load, 20, false, found.records, 4, &taken), 0);
	eq(taken, 20);
	spe_decoder_begin(&decoder, 0x1000);
	found.count = 0;
	read_pieces(&found, &decoder, first, sizeof(first), 8, 2);
	eq(found.count, 1);
	eq(found.records[0].offset, 0x1002);
	eq(found.records[0].damage, 0);
	eq(found.records[0].has, SPE_HAS_OPERATION);
}

/*
 * Round trips.
 */

struct trip {
	struct spe_unit unit;
	struct spe_config config;
	uint8_t bytes[SPE_RECORD_MAX];
	size_t size;
	uint64_t random;
};

static struct spe_write_result keep(void *ctx, uint8_t owning_el, uint64_t va, const uint8_t *bytes,
				    size_t size)
{
	struct trip *trip = ctx;

	(void)owning_el;
	(void)va;
	memcpy(trip->bytes, bytes, size);
	trip->size = size;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static struct spe_write_result keep_not(void *ctx, const struct spe_untranslated *to,
					const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)to;
	(void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_FAULT, .written = 0 * size};
}

static void no_serror(void *ctx)
{
	(void)ctx;
}

static void random_config(struct trip *trip)
{
	struct drive drive = {.dice = splitmix64(&trip->random) | 1};
	struct spe_config *config = &trip->config;

	drive_config(&drive, config);
	config->max_size = 8;
	config->align = (uint8_t)(splitmix64(&trip->random) % 9);
	config->pointer_res0 = 0;
	config->max_buffer = 0;
	config->in_flight = 1;
	config->lifetime = 0;
	config->ignore_writes = false;
	config->events_size = (uint8_t)(1u << splitmix64(&trip->random) % 4);
	config->source_size = (uint8_t)(1 + splitmix64(&trip->random) % 2);
	config->altclk = splitmix64(&trip->random) % 2;
	config->extended_headers = splitmix64(&trip->random) % 2;
	config->extra_packets = 4;
	if (splitmix64(&trip->random) % 3 == 0) {
		const unsigned int core = 1 + splitmix64(&trip->random) % 6;

		if (spe_core(core))
			spe_config_core(config, spe_core(core), spe_core(core)->version);
	}
	eq(spe_config_check(config, NULL), 0);
}

static void begin_trip(struct trip *trip)
{
	const struct spe_host host = {
		.ctx = trip, .write = keep, .write_untranslated = keep_not, .serror = no_serror};
	struct sysreg_controls controls = {.el = 1};

	random_config(trip);
	controls.features = spe_config_features(&trip->config);
	eq(spe_init(&trip->unit, sizeof(trip->unit), &trip->config, &host), 0);
	spe_write(&trip->unit, SYSREG_PMSIRR_EL1, 0x100);
	spe_write(&trip->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | PA | TS | CX);
	spe_write(&trip->unit, SYSREG_PMBPTR_EL1, BUFFER_VA);
	spe_write(&trip->unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + 0x100000) | LIMIT_E);
	spe_update(&trip->unit, &controls);
}

static struct spe_op random_op(struct trip *trip, struct spe_extra *extra)
{
	uint64_t *random = &trip->random;
	const unsigned int kind = splitmix64(random) % 3;
	struct spe_op op = {
		.pc = spe_untagged(splitmix64(random)),
		.el = splitmix64(random) % 3,
		.ns = splitmix64(random) % 2,
		.timestamp = splitmix64(random),
		.events = (splitmix64(random) & 0xa8) | SPE_EVENT_RETIRED,
		.contextidr_el1 = (uint32_t)splitmix64(random),
		.total_latency = (uint16_t)splitmix64(random),
		.issue_latency = (uint16_t)splitmix64(random),
		.alternate_latency = (uint16_t)splitmix64(random),
		.extra_count = 3,
		.extra = extra,
	};

	op.nse = op.ns && splitmix64(random) % 2;
	if (kind == 0) {
		op.type_header = SPE_TYPE_BRANCH;
		op.flags = SPE_OP_BRANCH | SPE_OP_TAKEN;
		op.type_payload = 0x18 | splitmix64(random) % 4;
		op.target = spe_untagged(splitmix64(random));
		op.target_el = splitmix64(random) % 3;
		op.target_ns = splitmix64(random) % 2;
		op.target_nse = op.target_ns && splitmix64(random) % 2;
	} else if (kind == 1) {
		op.type_header = SPE_TYPE_OTHER;
		op.type_payload = splitmix64(random) % 2;
	} else {
		op.type_header = SPE_TYPE_MEMORY;
		op.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID;
		op.flags |= splitmix64(random) % 2 ? SPE_OP_TAG_CHECKED : 0;
		op.flags |= splitmix64(random) % 2 ? SPE_OP_PA_NON_SECURE : 0;
		op.data_va = splitmix64(random);
		op.data_pa = splitmix64(random) >> 8;
		op.translation_latency = (uint16_t)splitmix64(random);
		op.data_source = (uint16_t)splitmix64(random);
		op.tag = splitmix64(random) & 15;
	}
	return op;
}

static uint16_t saturated(const struct trip *trip, uint64_t cycles)
{
	const uint64_t most = (1u << trip->config.count_size) - 1;

	return (uint16_t)(cycles < most ? cycles : most);
}

static void code_is(const struct spe_target *to, const struct spe_target *expected)
{
	eq(to->va, expected->va);
	eq(to->el, expected->el);
	eq(to->ns, expected->ns);
	eq(to->nse, expected->nse);
}

/* What every record has of its operation, in any layout with a place for it. */
static void common_came_back(const struct trip *trip, const struct spe_record *r,
			     const struct spe_op *op)
{
	const struct spe_config *c = &trip->config;
	const uint32_t always = SPE_HAS_PC | SPE_HAS_CONTEXTIDR_EL1 | SPE_HAS_TOTAL_LATENCY |
				SPE_HAS_OPERATION | SPE_HAS_EVENTS | SPE_HAS_TIMESTAMP;
	const bool crr = op->type_header == SPE_TYPE_BRANCH && !c->crr;

	eq(r->damage, 0);
	eq(r->size + r->padding <= trip->size, true);
	eq(r->has & always, always);
	code_is(&r->pc, &(struct spe_target){op->pc, op->el, op->ns, op->nse});
	eq(r->contextidr_el1, op->contextidr_el1);
	eq(r->total_latency, saturated(trip, op->total_latency));
	eq(r->timestamp, op->timestamp);
	eq(r->type_header, op->type_header);
	eq(r->type_payload, crr ? op->type_payload & 3 : op->type_payload);
	eq(r->events_size, c->events_size);
	eq(r->events & 0xaa, op->events & 0xaa);
	eq(!!(r->has & SPE_HAS_ISSUE_LATENCY), c->layout != SPE_LAYOUT_FVP);
	if (r->has & SPE_HAS_ISSUE_LATENCY)
		eq(r->issue_latency, saturated(trip, op->issue_latency));
	eq(!!(r->has & SPE_HAS_ALTERNATE_LATENCY), c->altclk != 0);
	if (c->altclk)
		eq(r->alternate_latency, saturated(trip, op->alternate_latency));
	eq(!!(r->has & SPE_HAS_TARGET), op->type_header == SPE_TYPE_BRANCH);
	if (r->has & SPE_HAS_TARGET)
		code_is(&r->target, &(struct spe_target){op->target, op->target_el, op->target_ns,
							 op->target_nse});
}

static void data_came_back(const struct trip *trip, const struct spe_record *r,
			   const struct spe_op *op)
{
	const uint32_t data = SPE_HAS_DATA_VA | SPE_HAS_DATA_PA | SPE_HAS_TRANSLATION_LATENCY;
	const struct spe_config *c = &trip->config;
	const bool forced = op->flags & SPE_OP_PA_NON_SECURE;

	eq(r->has & data, op->type_header == SPE_TYPE_MEMORY ? data : 0);
	eq(!!(r->has & SPE_HAS_DATA_SOURCE), op->type_header == SPE_TYPE_MEMORY && c->lds);
	if (op->type_header != SPE_TYPE_MEMORY)
		return;
	eq(c->layout == SPE_LAYOUT_GENERIC ? r->data_va : spe_untagged(r->data_va),
	   c->layout == SPE_LAYOUT_GENERIC ? op->data_va : spe_untagged(op->data_va));
	eq(r->data_pa, op->data_pa);
	eq(r->pa_ns, op->ns || forced);
	eq(r->pa_nse, op->nse && !forced);
	eq(r->translation_latency, saturated(trip, op->translation_latency));
	eq(r->tag, c->mte ? op->tag : 0);
	eq(r->tag_checked, c->mte && op->flags & SPE_OP_TAG_CHECKED);
	if (!c->lds)
		return;
	eq(r->source_size, c->source_size);
	eq(r->data_source, c->source_size == 1 ? op->data_source & 0xff : op->data_source);
}

static void extra_came_back(const struct trip *trip, const struct spe_record *r,
			    const struct spe_op *op)
{
	const bool has = trip->config.extra_packets;

	eq(r->extra_count, has ? op->extra_count : 0);
	for (unsigned int i = 0; has && i < op->extra_count; i++) {
		const struct spe_extra *extra = &op->extra[i];

		eq(r->extra[i].address, extra->address);
		eq(r->extra[i].index, extra->index);
		eq(r->extra[i].value,
		   extra->address ? extra->value : saturated(trip, extra->value));
	}
}

static void previous_came_back(const struct trip *trip, const struct spe_record *r,
			       const struct spe_op *op, const struct spe_target *previous)
{
	const struct spe_config *c = &trip->config;
	const bool has = c->pbt && (c->pbt_all || op->type_header == SPE_TYPE_BRANCH);

	eq(!!(r->has & SPE_HAS_PREVIOUS), has);
	if (has)
		code_is(&r->previous, previous);
}

Test(decode_stream, what_the_encoder_was_given_comes_back)
{
	static struct trip trip = {.random = 3};
	static struct found found;
	struct spe_decoder decoder;

	for (unsigned int round = 0; round < 400; round++) {
		begin_trip(&trip);
		for (unsigned int i = 0; i < 20; i++) {
			const struct spe_extra extra[3] = {
				{false, 6, splitmix64(&trip.random)},
				{false, 16 + splitmix64(&trip.random) % 16,
				 splitmix64(&trip.random) % 100},
				{true, 16 + splitmix64(&trip.random) % 16,
				 splitmix64(&trip.random)},
			};
			const struct spe_op op = random_op(&trip, (struct spe_extra *)extra);
			const struct spe_target previous = {spe_untagged(splitmix64(&trip.random)),
							    i % 3, true, i % 2};
			const uint64_t budget = spe_budget(&trip.unit);

			spe_branch(&trip.unit, SPE_BRANCH_TAKEN, &previous);
			eq(spe_advance(&trip.unit, budget), SPE_SELECTED);
			trip.size = 0;
			spe_sample(&trip.unit, &op);
			cr_assert_gt(trip.size, 0, "round %u: no record", round);
			start(&decoder);
			found.count = 0;
			read_pieces(&found, &decoder, trip.bytes, trip.size, 1 + i, 2);
			eq(found.count, 1);
			common_came_back(&trip, found.records, &op);
			data_came_back(&trip, found.records, &op);
			extra_came_back(&trip, found.records, &op);
			previous_came_back(&trip, found.records, &op, &previous);
		}
	}
}

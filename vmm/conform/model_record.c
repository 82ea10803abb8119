/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: compares the packets that Arm ARM D18.2 requires for an operation, listed here, with
 * what vspe decode's reader finds in the bytes that the unit wrote. Source: the Arm ARM.
 */
#include "conform/model_op.h"
#include "trace/record.h"

#include <inttypes.h>
#include <string.h>

#define OPERATIONS     32
#define CONFIGURATIONS 3000
#define PACKETS_MAX    40

#define PMSCR_SPE (UINT64_C(1) << 1)
#define PMSCR_CX  (UINT64_C(1) << 3)
#define PMSCR_PA  (UINT64_C(1) << 4)
#define PMSCR_TS  (UINT64_C(1) << 5)

struct expected {
	struct spe_packet packets[PACKETS_MAX];
	size_t count;
};

/* What a case needs in addition to configuration and operation. */
struct situation {
	const struct spe_config *config;
	const struct spe_op *op;
	const struct spe_target *previous; /* NULL: none */
	uint64_t pmscr_el1, pmscr_el2;
};

static void expect_packet(struct expected *e, enum spe_packet_kind kind, unsigned int index,
			  unsigned int size, uint64_t payload)
{
	e->packets[e->count++] = (struct spe_packet){.kind = kind,
						     .index = (uint8_t)index,
						     .payload_size = (uint8_t)size,
						     .payload = payload};
}

static void expect_counter(struct expected *e, const struct spe_config *c, unsigned int index,
			   uint64_t value)
{
	const uint64_t most = c->count_size == 12 ? 0xfff : 0xffff;

	expect_packet(e, SPE_PACKET_COUNTER, index, 2, value > most ? most : value);
}

/* Bits [55:0] are the address; 63 NS, 62:61 EL, 60 NSE. */
static uint64_t code_address(uint64_t va, unsigned int el, bool ns, bool nse)
{
	uint64_t payload = va % (UINT64_C(1) << 56);

	payload += (uint64_t)el << 61;
	payload += ns ? UINT64_C(1) << 63 : 0;
	payload += nse ? UINT64_C(1) << 60 : 0;
	return payload;
}

static void expect_extra(struct expected *e, const struct situation *s, bool address)
{
	for (unsigned int i = 0; i < s->op->extra_count; i++) {
		const struct spe_extra *x = &s->op->extra[i];

		if (x->address != address)
			continue;
		if (address)
			expect_packet(e, SPE_PACKET_ADDRESS, x->index, 8, x->value);
		else
			expect_counter(e, s->config, x->index, x->value);
	}
}

static void expect_counters(struct expected *e, const struct situation *s)
{
	const struct spe_op *op = s->op;

	expect_counter(e, s->config, 0, op->total_latency);
	expect_counter(e, s->config, 1, op->issue_latency);
	if (op->flags & SPE_OP_VA_VALID)
		expect_counter(e, s->config, 2, op->translation_latency);
	if (s->config->altclk)
		expect_counter(e, s->config, 4, op->alternate_latency);
	expect_extra(e, s, false);
}

/* In some cores' records bits [63:56] of an address without a tag are zero. */
static uint64_t without_sign(uint64_t va)
{
	const uint64_t address = va % (UINT64_C(1) << 56);

	return (int64_t)(va << 8) >> 8 == (int64_t)va ? address : va;
}

static void expect_addresses(struct expected *e, const struct situation *s)
{
	const struct spe_op *op = s->op;
	const bool branch = op->flags & SPE_OP_BRANCH;
	const bool silicon = s->config->layout == SPE_LAYOUT_NEOVERSE ||
			     s->config->layout == SPE_LAYOUT_KUNPENG920;

	expect_packet(e, SPE_PACKET_ADDRESS, 0, 8, code_address(op->pc, op->el, op->ns, op->nse));
	if (branch && (op->flags & SPE_OP_TAKEN))
		expect_packet(
			e, SPE_PACKET_ADDRESS, 1, 8,
			code_address(op->target, op->target_el, op->target_ns, op->target_nse));
	else if (branch && (op->flags & SPE_OP_NOT_TAKEN) && silicon)
		expect_packet(e, SPE_PACKET_ADDRESS, 1, 8,
			      code_address(op->pc + 4, op->el, op->ns, op->nse));
	if (op->flags & SPE_OP_VA_VALID)
		expect_packet(e, SPE_PACKET_ADDRESS, 2, 8,
			      silicon ? without_sign(op->data_va) : op->data_va);
	if ((op->flags & SPE_OP_VA_VALID) && (op->flags & SPE_OP_PA_VALID) &&
	    (s->pmscr_el1 & s->pmscr_el2 & PMSCR_PA)) {
		const bool elsewhere = op->flags & SPE_OP_PA_NON_SECURE;
		uint64_t payload = elsewhere ? code_address(op->data_pa, 0, true, false)
					     : code_address(op->data_pa, 0, op->ns, op->nse);

		if (s->config->mte) {
			payload += (uint64_t)op->tag << 56;
			payload += op->flags & SPE_OP_TAG_CHECKED ? UINT64_C(1) << 62 : 0;
		}
		expect_packet(e, SPE_PACKET_ADDRESS, 3, 8, payload);
	}
	if (s->config->pbt && s->previous && (branch || s->config->pbt_all))
		expect_packet(e, SPE_PACKET_ADDRESS, 4, 8,
			      code_address(s->previous->va, s->previous->el, s->previous->ns,
					   s->previous->nse));
	expect_extra(e, s, true);
}

/* In the order of J1.78. */
static void expect_record(struct expected *e, const struct situation *s)
{
	const struct spe_config *c = s->config;
	const struct spe_op *op = s->op;
	const uint64_t events = model_op_events(c, op);

	e->count = 0;
	if (s->pmscr_el1 & PMSCR_CX)
		expect_packet(e, SPE_PACKET_CONTEXT, 0, 4, op->contextidr_el1);
	if (s->pmscr_el2 & PMSCR_CX)
		expect_packet(e, SPE_PACKET_CONTEXT, 1, 4, op->contextidr_el2);
	expect_counters(e, s);
	expect_addresses(e, s);
	if (c->lds && (op->flags & SPE_OP_LOAD) && (op->flags & SPE_OP_VA_VALID) &&
	    !(op->events & 1))
		expect_packet(e, SPE_PACKET_DATA_SOURCE, 0, c->source_size,
			      c->source_size == 1 ? op->data_source & 0xff : op->data_source);
	expect_packet(e, SPE_PACKET_OPERATION, op->type_header - 0x48u, 1, model_op_type(c, op));
	expect_packet(e, SPE_PACKET_EVENTS, 0, c->events_size,
		      c->events_size == 8 ? events
					  : events % (UINT64_C(1) << (8 * c->events_size)));
	if (s->pmscr_el1 & PMSCR_TS)
		expect_packet(e, SPE_PACKET_TIMESTAMP, 0, 8, op->timestamp);
	else
		expect_packet(e, SPE_PACKET_END, 0, 0, 0);
}

static bool same_packet(const struct spe_packet *a, const struct spe_packet *b)
{
	return a->kind == b->kind && a->payload == b->payload &&
	       a->payload_size == b->payload_size &&
	       (a->index == b->index ||
		(a->kind != SPE_PACKET_OPERATION && a->kind != SPE_PACKET_CONTEXT &&
		 a->kind != SPE_PACKET_COUNTER && a->kind != SPE_PACKET_ADDRESS));
}

/* Compare bytes: padding between packets is part of the layout. */
static bool compare_layouts(const struct unit_bench *bench, const struct situation *s,
			    const struct expected *e, FILE *why)
{
	uint8_t bytes[MODEL_LAYOUT_MAX];
	const size_t size = model_layout(s->config, e->packets, e->count, bytes);

	for (size_t i = 0; i < size && i < bench->record_size; i++)
		if (bench->record[i] != bytes[i]) {
			fprintf(why, "layout %d: byte %zu is 0x%02x, expected 0x%02x\n",
				(int)s->config->layout, i, bench->record[i], bytes[i]);
			return false;
		}
	if (bench->record_size == size)
		return true;
	fprintf(why, "layout %d: %zu bytes, expected %zu\n", (int)s->config->layout,
		bench->record_size, size);
	return false;
}

/* Take a found packet out of the expected ones. The end packet must be last. */
static bool take_packet(struct expected *e, const struct spe_packet *got)
{
	for (size_t i = 0; i < e->count; i++)
		if (same_packet(got, &e->packets[i]) && (i + 1 < e->count || e->count == 1)) {
			memmove(&e->packets[i], &e->packets[i + 1],
				(e->count - i - 1) * sizeof(*got));
			e->count--;
			return true;
		}
	return false;
}

/* The same packets in any order, with padding anywhere among them. */
static bool compare_any_order(const struct unit_bench *bench, struct expected *e, FILE *why)
{
	const size_t align = (size_t)1 << bench->config.align;
	struct spe_packet got;
	char text[RECORD_TEXT_MAX];
	size_t n;

	for (size_t at = 0; at < bench->record_size; at += n) {
		n = spe_packet_read(bench->record + at, bench->record_size - at, &got);
		if (n > 0 && (got.kind == SPE_PACKET_PADDING || take_packet(e, &got)))
			continue;
		fprintf(why, "byte %zu: %s is not expected\n", at,
			n ? record_packet_describe(&got, text, sizeof(text)) : "no packet");
		return false;
	}
	if (e->count == 0 && bench->record_size > 0 && bench->record_size % align == 0)
		return true;
	fprintf(why, "%zu bytes, aligned to %zu; ", bench->record_size, align);
	fprintf(why, "missing: %s\n",
		e->count ? record_packet_describe(&e->packets[0], text, sizeof(text)) : "nothing");
	return false;
}

static bool compare_records(const struct unit_bench *bench, const struct situation *s, FILE *why)
{
	const size_t align = (size_t)1 << s->config->align;
	struct expected e;
	struct spe_packet got;
	char text[RECORD_TEXT_MAX];
	size_t at = 0;

	expect_record(&e, s);
	if (bench->any_order)
		return compare_any_order(bench, &e, why);
	if (s->config->layout != SPE_LAYOUT_GENERIC)
		return compare_layouts(bench, s, &e, why);
	for (size_t i = 0; i < e.count; i++) {
		const size_t n = spe_packet_read(bench->record + at, bench->record_size - at, &got);

		if (n == 0 || !same_packet(&got, &e.packets[i])) {
			fprintf(why, "packet %zu: expected %s\n", i,
				record_packet_describe(&e.packets[i], text, sizeof(text)));
			fprintf(why, "  in the record: %s\n",
				n ? record_packet_describe(&got, text, sizeof(text)) : "nothing");
			return false;
		}
		at += n;
	}
	if (bench->record_size != (at + align - 1) / align * align) {
		fprintf(why, "%zu bytes for packets of %zu, aligned to %zu\n", bench->record_size,
			at, align);
		return false;
	}
	for (; at < bench->record_size; at++)
		if (bench->record[at] != 0) {
			fprintf(why, "padding of 0x%02x\n", bench->record[at]);
			return false;
		}
	return true;
}

static bool run_one(struct unit_bench *bench, const struct situation *where, uint64_t *random,
		    struct model_run *run)
{
	static const uint8_t indexes[] = {6, 16, 7, 31};
	struct spe_extra extra[4];
	struct spe_op op = model_op(where->config, random);
	struct situation s = *where;
	const struct spe_target target = {.va = model_random(random),
					  .el = model_random(random) & 1,
					  .ns = model_random(random) & 1};

	for (unsigned int i = 0; i < 4; i++)
		extra[i] = (struct spe_extra){
			.address = i >= 2, .index = indexes[i], .value = model_random(random)};
	if (s.config->extra_packets) {
		op.extra = extra;
		op.extra_count = 4;
	}
	if (run->subject->unit_branch)
		run->subject->unit_branch(
			bench->unit, &(struct vspe_subject_target){
					     .va = target.va, .el = target.el, .ns = target.ns});
	s.op = &op;
	s.previous = &target;
	if (!unit_select(bench)) {
		fputs("no operation was selected\n", run->why);
		return false;
	}
	bench->record_size = 0;
	unit_sample(bench, &op);
	return compare_records(bench, &s, run->why);
}

/* EL2 exists and does not own the buffer: both contexts and both PA bits matter. */
static bool run_configuration(struct unit_bench *bench, uint64_t *random, struct model_run *run)
{
	const uint64_t r = model_random(random);
	const struct situation s = {.config = &bench->config,
				    .pmscr_el1 = r & (PMSCR_CX | PMSCR_PA | PMSCR_TS),
				    .pmscr_el2 = r >> 8 & (PMSCR_CX | PMSCR_PA | PMSCR_TS)};

	unit_prepare(bench, run->subject, SPE_V1P0);
	model_config(&bench->config, random);
	bench->pe.features = VSPE_SUBJECT_EL2;
	bench->pe.mdcr_el2 = UINT64_C(3) << 12;
	if (!unit_start(bench, 1 << 8, run->why))
		return false;
	unit_write(bench, SYSREG_PMSCR_EL1, s.pmscr_el1 | PMSCR_SPE);
	unit_write(bench, SYSREG_PMSCR_EL2, s.pmscr_el2);
	for (unsigned int k = 0; k < OPERATIONS; k++, run->cases++)
		if (!run_one(bench, &s, random, run)) {
			fprintf(run->why, "v1p%d, operation %u\n", (int)bench->config.version - 1,
				k);
			return false;
		}
	return true;
}

static bool run_records(struct model_run *run)
{
	uint64_t random = 0x5245434f;

	for (unsigned int i = 0; i < CONFIGURATIONS; i++) {
		struct unit_bench bench;
		const bool right = run_configuration(&bench, &random, run);

		unit_end(&bench);
		if (!right) {
			fprintf(run->why, "configuration %u\n", i);
			return false;
		}
	}
	return true;
}

const struct model models_record[] = {
	{"record: packets, order, sizes and padding, all versions and layouts", run_records,
	 MODEL_SAMPLES},
	{0},
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random configurations and operations. Sources: the Arm ARM for valid combinations; its section
 * 10.5 for operation types; its sections 5.4 and 10.4 for events.
 */
#include "conform/model_op.h"

#define BIT(n)		(UINT64_C(1) << (n))
#define BITS(high, low) ((UINT64_MAX >> (63 - (high))) & (UINT64_MAX << (low)))

/* A core's layout has no place for what only other cores have. */
static void lay_out(struct spe_config *c, enum spe_layout layout)
{
	c->layout = layout;
	c->pbt = c->extended_headers = false;
	c->altclk = c->extra_packets = 0;
	c->source_size = 1;
	if (layout != SPE_LAYOUT_NEOVERSE) {
		c->lds = false;
		return;
	}
	c->align = c->max_size = 6;
	if (c->events_size == 8)
		c->events_size = 4;
}

void model_config(struct spe_config *c, uint64_t *random)
{
	const uint64_t r = model_random(random);
	const bool v1p4 = r % 6 >= 4;

	spe_config_defaults(c, (enum spe_version)(SPE_V1P0 + r % 6));
	c->max_size = 8;
	c->align = r >> 8 & 7;
	c->count_size = r >> 11 & 1 ? 12 : 16;
	c->events_size = (uint8_t)(1u << (r >> 12 & 3));
	c->source_size = r >> 14 & 1 ? 1 : 2;
	c->lds = r >> 15 & 1;
	c->fds = v1p4 && (r >> 16 & 1);
	c->eft = c->fpf = r >> 17 & 1;
	c->pbt = c->version >= SPE_V1P2 && (r >> 18 & 1);
	c->pbt_all = r >> 19 & 1;
	c->altclk = r >> 20 & 1 ? 15 : 0;
	c->sve = r >> 21 & 1;
	c->mte = r >> 22 & 1;
	c->extended_headers = r >> 23 & 1;
	c->extra_packets = r >> 24 & 1 ? 4 : 0;
	c->empty_filter = r >> 25 & 1 ? SPE_EMPTY_FILTER_NO_SAMPLES : SPE_EMPTY_FILTER_IGNORED;
	c->sources = UINT64_MAX;
	c->events = BITS(10, 8) | BITS(15, 12) | BITS(63, 48) | BIT(2) | BIT(4);
	c->events |= v1p4 ? BITS(23, 19) : BITS(31, 24);
	c->events &= model_random(random);
	if ((r >> 26 & 7) < 3)
		lay_out(c, (enum spe_layout)(SPE_LAYOUT_NEOVERSE + (r >> 26 & 7)));
}

/* Rows of section 10.5 that exist in every version, or with the feature. */
static const struct type {
	uint32_t flags;
	enum spe_version from;
	uint8_t header, payload;
	bool sve, mte;
} types[] = {
	{0, SPE_V1P0, 0x48, 0x00, false, false},
	{0, SPE_V1P0, 0x48, 0x01, false, false},
	{SPE_OP_FP | SPE_OP_SIMD, SPE_V1P1, 0x48, 0x3e, true, false},
	{SPE_OP_SIMD, SPE_V1P1, 0x48, 0x5c, true, false},
	{SPE_OP_SIMD, SPE_V1P1, 0x48, 0x78, true, false},
	{SPE_OP_LOAD, SPE_V1P0, 0x49, 0x00, false, false},
	{SPE_OP_STORE, SPE_V1P0, 0x49, 0x01, false, false},
	{SPE_OP_LOAD | SPE_OP_SIMD, SPE_V1P0, 0x49, 0x04, false, false},
	{SPE_OP_STORE | SPE_OP_FP, SPE_V1P0, 0x49, 0x05, false, false},
	{SPE_OP_LOAD, SPE_V1P0, 0x49, 0x12, false, false},
	{SPE_OP_STORE, SPE_V1P0, 0x49, 0x1b, false, false},
	{SPE_OP_LOAD | SPE_OP_STORE, SPE_V1P0, 0x49, 0x06, false, false},
	{SPE_OP_LOAD, SPE_V1P1, 0x49, 0x10, false, false},
	{SPE_OP_STORE, SPE_V1P1, 0x49, 0x11, false, false},
	{SPE_OP_STORE, SPE_V1P3, 0x49, 0x15, false, true},
	{SPE_OP_LOAD, SPE_V1P3, 0x49, 0x20, false, false},
	{SPE_OP_STORE, SPE_V1P3, 0x49, 0x25, false, false},
	{SPE_OP_STORE, SPE_V1P0, 0x49, 0x31, false, false},
	{SPE_OP_LOAD | SPE_OP_SIMD, SPE_V1P1, 0x49, 0xb8, true, false},
	{SPE_OP_LOAD | SPE_OP_SIMD, SPE_V1P1, 0x49, 0x3c, true, false},
	{SPE_OP_STORE | SPE_OP_SIMD, SPE_V1P1, 0x49, 0x4d, true, false},
	{SPE_OP_BRANCH, SPE_V1P0, 0x4a, 0x00, false, false},
	{SPE_OP_BRANCH, SPE_V1P0, 0x4a, 0x01, false, false},
	{SPE_OP_BRANCH, SPE_V1P0, 0x4a, 0x02, false, false},
	{SPE_OP_BRANCH, SPE_V1P0, 0x4a, 0x08, false, false},
	{SPE_OP_BRANCH, SPE_V1P0, 0x4a, 0x12, false, false},
};

static const struct type *pick_type(const struct spe_config *c, uint64_t *random)
{
	for (;;) {
		const struct type *t =
			&types[model_random(random) % (sizeof(types) / sizeof(types[0]))];

		if (c->version >= t->from && (!t->sve || c->sve) && (!t->mte || c->mte))
			return t;
	}
}

struct spe_op model_op(const struct spe_config *c, uint64_t *random)
{
	const struct type *t = pick_type(c, random);
	const uint64_t r = model_random(random);
	struct spe_op op = {
		.pc = model_random(random),
		.target = model_random(random),
		.data_va = model_random(random),
		.data_pa = model_random(random),
		.timestamp = model_random(random),
		.events = model_random_sparse(random, 2),
		.contextidr_el1 = (uint32_t)model_random(random),
		.contextidr_el2 = (uint32_t)(model_random(random)),
		.flags = t->flags,
		.total_latency = (uint16_t)(r >> (r >> 60 & 15) & 0xffff),
		.issue_latency = (uint16_t)(r >> 8),
		.translation_latency = (uint16_t)(r >> 16),
		.alternate_latency = (uint16_t)(r >> 24),
		.data_source = (uint16_t)(r >> 32),
		.type_header = t->header,
		.type_payload = t->payload,
		.el = r >> 48 & 1,
		.target_el = r >> 49 & 1,
		.ns = r >> 50 & 1,
		.nse = r >> 51 & 1,
		.target_ns = r >> 52 & 1,
		.target_nse = r >> 53 & 1,
		.tag = r >> 54 & 15,
	};

	if ((t->flags & SPE_OP_BRANCH) && (r & 1))
		op.flags |= SPE_OP_TAKEN;
	else if (r & 2)
		op.flags |= SPE_OP_NOT_TAKEN;
	if ((t->flags & (SPE_OP_LOAD | SPE_OP_STORE)) && (r & 12)) {
		op.flags |= SPE_OP_VA_VALID;
		op.flags |= r & 16 ? SPE_OP_PA_VALID : 0;
		op.flags |= r & 32 ? SPE_OP_TAG_CHECKED : 0;
		op.flags |= r & 64 ? SPE_OP_PA_NON_SECURE : 0;
	}
	return op;
}

/*
 * FEAT_SPE_CRR classifies each branch as a call (01), a return (10) or neither (11). From v1p2 on
 * SVE's loads have PRED.
 */
uint64_t model_op_type(const struct spe_config *c, const struct spe_op *op)
{
	const bool sve_load = op->type_header == 0x49 && (op->type_payload & 0x0b) == 0x08;

	if (op->type_header == 0x4a && c->crr)
		return op->type_payload + (op->type_payload < 8 ? 0x18 : 0);
	if (op->type_header == 0x4a)
		return op->type_payload % 8;
	/* A length of 7 needs FEAT_SPE_SME, which no configuration here has: it becomes 6. */
	if (op->type_header == 0x48 && (op->type_payload & 0xf8) == 0x78)
		return op->type_payload - 0x10;
	if (sve_load && c->version < SPE_V1P2 && (op->type_payload & 4))
		return op->type_payload - 4;
	return op->type_payload;
}

/* Events that depend on version and features, the same in records and in filters. */
static uint64_t common_events(const struct spe_config *c)
{
	const bool v1p4 = c->version >= SPE_V1P4;
	uint64_t events = BIT(3) | BIT(5) | BIT(7);

	events |= c->events & (BITS(10, 8) | BITS(15, 12) | BITS(63, 48));
	events |= v1p4 ? BIT(2) | BIT(4) : c->events & (BIT(2) | BIT(4));
	if (c->version >= SPE_V1P1)
		events |= BIT(11) | (c->sve ? BIT(17) | BIT(18) : 0);
	return events | (c->events & (v1p4 ? BITS(23, 19) : BITS(31, 24)));
}

uint64_t model_events(const struct spe_config *c)
{
	return common_events(c) | BIT(0) | BIT(1) | BIT(6);
}

uint64_t model_filter_events(const struct spe_config *c)
{
	return common_events(c) | (c->version >= SPE_V1P2 ? BIT(6) : 0);
}

uint64_t model_op_events(const struct spe_config *c, const struct spe_op *op)
{
	uint64_t events = op->events & model_events(c) & ~BIT(6);

	/* Every operation of the population is architecturally executed. */
	events |= BIT(1);
	return op->flags & SPE_OP_NOT_TAKEN ? events | BIT(6) : events;
}

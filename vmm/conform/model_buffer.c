// SPDX-License-Identifier: BSD-2-Clause
/*
 * The profiling buffer: what PMBSR_EL1 and PMBPTR_EL1 are to be after each record, by Arm ARM D17.8
 * and D17.9, beside what the unit makes of the same writes. Records have 64 bytes here.
 * FEAT_SPE_EXC is another matter: EL1 owns the buffer and gets every event.
 */
#include "conform/model.h"
#include "conform/unit.h"

#include <inttypes.h>

#define CONFIGURATIONS 4000
#define STEPS	       60
#define SIZE	       UINT64_C(64)
#define START	       UINT64_C(0x200000)
#define LIMIT	       (START + UINT64_C(0x1000))
#define E	       UINT64_C(1)

#define COLL (UINT64_C(1) << 16)
#define S    (UINT64_C(1) << 17)
#define EA   (UINT64_C(1) << 18)
#define DL   (UINT64_C(1) << 19)

struct buffer_bench {
	struct unit_bench bench; /* first: what its callbacks get */
	struct spe_write_result next;
	unsigned int serrors;
};

/* What software is to see. */
struct buffer_view {
	uint64_t pointer, status;
	uint64_t waiting;  /* a syndrome that is not there yet */
	unsigned int left; /* samples until it is */
	unsigned int serrors;
	bool enabled; /* PMBLIMITR_EL1.E */
};

static struct spe_write_result end_as_told(void *ctx, uint8_t owning_el, uint64_t va,
					   const uint8_t *bytes, size_t size)
{
	struct buffer_bench *b = ctx;

	(void)owning_el;
	(void)va;
	(void)bytes;
	if (b->next.status == SPE_WRITE_OK)
		b->next.written = size;
	return b->next;
}

static void raise_serror(void *ctx)
{
	struct buffer_bench *b = ctx;

	b->serrors++;
}

/* The syndrome of an event takes the place of the one before; COLL, EA and DL stay. */
static void report(struct buffer_view *v, uint64_t syndrome)
{
	v->status = (v->status & (COLL | EA | DL)) | S | syndrome;
	v->waiting = 0;
}

/* EC and what goes with it: 0x1E without a code, 0x25 of stage 2, 0x24 otherwise. */
static uint64_t abort_class(const struct spe_write_result *r, uint64_t code)
{
	if (r->gpc)
		return UINT64_C(0x1e) << 26;
	return (r->stage2 ? UINT64_C(0x25) : UINT64_C(0x24)) << 26 | code;
}

/* After a record there has to be room for the largest. */
static void go_behind(struct buffer_view *v)
{
	v->pointer += SIZE;
	if (v->pointer > LIMIT - SIZE)
		report(v, 1);
}

static void expect_fault(struct buffer_view *v, const struct spe_config *c,
			 const struct spe_write_result *r)
{
	const bool permission = !r->gpc && r->fsc >= 0x0c && r->fsc <= 0x0f;
	uint64_t syndrome = abort_class(r, r->fsc);

	if (permission)
		syndrome |= (uint64_t)(r->mss2 & (r->stage2 ? 0x1e0 : 0x60)) << 32;
	if (c->walk_ea && !r->gpc && r->fsc >= 0x12 && r->fsc <= 0x17)
		syndrome |= EA;
	v->pointer += r->written;
	syndrome |= r->written ? DL : 0;
	v->waiting = S | syndrome;
	v->left = c->fault_lag;
	if (v->left == 0)
		report(v, v->waiting);
}

static void expect_abort(struct buffer_view *v, const struct spe_config *c,
			 const struct spe_write_result *r)
{
	switch (c->external_abort) {
	case SPE_ABORT_SYNC:
		v->pointer += r->written;
		report(v, EA | abort_class(r, 0x10) | (r->written ? DL : 0));
		break;
	case SPE_ABORT_ASYNC:
		v->pointer += r->written;
		report(v, EA | DL | abort_class(r, 0x11));
		break;
	case SPE_ABORT_SERROR:
		v->serrors++;
		go_behind(v);
		break;
	case SPE_ABORT_IGNORE: go_behind(v); break;
	}
}

/* A record is due. */
static void expect_record(struct buffer_view *v, const struct spe_config *c,
			  const struct spe_write_result *r)
{
	if (!v->enabled) {
		if (c->late_record == SPE_LATE_EVENT && !(v->status & S))
			report(v, DL);
	} else if (v->waiting) {
		if (--v->left == 0)
			report(v, v->waiting);
	} else if (r->status == SPE_WRITE_FAULT) {
		expect_fault(v, c, r);
	} else if (r->status == SPE_WRITE_EXTERNAL_ABORT) {
		expect_abort(v, c, r);
	} else {
		go_behind(v);
	}
}

static struct spe_write_result any_result(uint64_t *random)
{
	static const uint8_t codes[] = {0x00, 0x07, 0x09, 0x0c, 0x0f, 0x12,
					0x14, 0x17, 0x21, 0x28, 0x30};
	const uint64_t r = model_random(random);

	return (struct spe_write_result){
		.status = r % 8 < 5    ? SPE_WRITE_OK
			  : r % 8 == 5 ? SPE_WRITE_EXTERNAL_ABORT
				       : SPE_WRITE_FAULT,
		.written = r >> 8 & 1 ? r >> 16 & 63 : 0,
		.fsc = codes[(r >> 24) % sizeof(codes)],
		.stage2 = r >> 32 & 1,
		.gpc = (r >> 33 & 7) == 0,
		.mss2 = (uint16_t)(r >> 40 & 0x1e0),
	};
}

static void any_config(struct spe_config *c, uint64_t *random)
{
	const uint64_t r = model_random(random);
	const bool reports = c->version < SPE_V1P3;

	c->exc = false;
	c->incomplete = true;
	c->pbt = false;
	c->external_abort = reports ? (enum spe_external_abort)(r & 3)
			    : r & 1 ? SPE_ABORT_IGNORE
				    : SPE_ABORT_SERROR;
	c->walk_ea = r >> 2 & 1;
	c->late_record = r >> 3 & 1 ? SPE_LATE_EVENT : SPE_LATE_DISCARDED;
	c->fault_lag = c->version >= SPE_V1P5 ? r >> 4 & 3 : 0;
}

/* Software begins anew: what it does after an event, and before the first. */
static void restart(struct buffer_bench *b, struct buffer_view *v, uint64_t random)
{
	v->pointer = LIMIT - SIZE * (1 + random % 8) - (random & 0x80 ? random >> 16 & 63 : 0);
	v->status = random >> 8 & (COLL | EA | DL);
	v->enabled = true;
	spe_write(&b->bench.unit, SYSREG_PMBPTR_EL1, v->pointer);
	spe_write(&b->bench.unit, SYSREG_PMBSR_EL1, v->status);
	spe_write(&b->bench.unit, SYSREG_PMBLIMITR_EL1, LIMIT | E);
}

static bool same(struct buffer_bench *b, const struct buffer_view *v, FILE *why)
{
	const uint64_t status = spe_read(&b->bench.unit, SYSREG_PMBSR_EL1);
	const uint64_t pointer = spe_read(&b->bench.unit, SYSREG_PMBPTR_EL1);
	const bool enabled = spe_enabled(&b->bench.unit);

	if (status == v->status && pointer == v->pointer && b->serrors == v->serrors &&
	    enabled == (v->enabled && !(v->status & S)))
		return true;
	fprintf(why, "expected PMBSR_EL1 0x%" PRIx64 ", PMBPTR_EL1 0x%" PRIx64 ", %u SErrors\n",
		v->status, v->pointer, v->serrors);
	fprintf(why, "  in the unit: 0x%" PRIx64 ", 0x%" PRIx64 ", %u; profiling is %s\n", status,
		pointer, b->serrors, enabled ? "enabled" : "disabled");
	return false;
}

/* One operation is sampled; now and then the buffer is disabled meanwhile, or PSB CSYNC comes. */
static bool step(struct buffer_bench *b, struct buffer_view *v, uint64_t *random, FILE *why)
{
	const struct spe_op op = {.pc = 0x1000, .type_header = 0x48, .el = 1, .ns = true};
	const uint64_t r = model_random(random);

	if (v->status & S || !v->enabled)
		restart(b, v, r);
	b->next = any_result(random);
	if (!unit_select(&b->bench)) {
		fputs("no operation was selected\n", why);
		return false;
	}
	if ((r >> 40 & 15) == 0) {
		spe_write(&b->bench.unit, SYSREG_PMBLIMITR_EL1, LIMIT);
		v->enabled = false;
		if (v->waiting)
			report(v, v->waiting);
	}
	spe_sample(&b->bench.unit, &op);
	expect_record(v, &b->bench.config, &b->next);
	if ((r >> 48 & 7) == 0) {
		spe_synchronize(&b->bench.unit);
		if (v->waiting)
			report(v, v->waiting);
	}
	return same(b, v, why);
}

static bool run_buffer(uint64_t *cases, FILE *why)
{
	uint64_t random = 0x42554646;

	*cases = 0;
	for (unsigned int i = 0; i < CONFIGURATIONS; i++) {
		struct buffer_bench b = {.serrors = 0};
		struct buffer_view v = {.enabled = false};

		unit_prepare(&b.bench, (enum spe_version)(SPE_V1P0 + i % 6));
		any_config(&b.bench.config, &random);
		b.bench.host.write = end_as_told;
		b.bench.host.serror = raise_serror;
		if (unit_start(&b.bench, 1 << 8)) {
			fprintf(why, "configuration %u is refused\n", i);
			return false;
		}
		restart(&b, &v, model_random(&random));
		for (unsigned int k = 0; k < STEPS; k++, ++*cases)
			if (!step(&b, &v, &random, why)) {
				fprintf(why, "v1p%u, configuration %u, record %u\n", i % 6, i, k);
				return false;
			}
	}
	return true;
}

const struct model models_buffer[] = {
	{"buffer: events, syndromes and pointer after each record, all versions", run_buffer},
	{0},
};

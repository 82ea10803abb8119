/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiling buffer: compares PMBSR_EL1 and PMBPTR_EL1 after each record, as Arm ARM D17.8 and
 * D17.9 require them, with the unit after the same writes. Records have as many bytes as the unit
 * wrote. FEAT_SPE_EXC is not tested here: EL1 owns the buffer and gets every event.
 */
#include "conform/model.h"
#include "conform/unit.h"

#include <inttypes.h>

#define CONFIGURATIONS 4000
#define STEPS	       60
#define START	       UINT64_C(0x200000)
#define LIMIT	       (START + UINT64_C(0x8000))
#define E	       UINT64_C(1)

#define COLL (UINT64_C(1) << 16)
#define S    (UINT64_C(1) << 17)
#define EA   (UINT64_C(1) << 18)
#define DL   (UINT64_C(1) << 19)

struct buffer_bench {
	struct unit_bench bench;
	struct vspe_subject_write next;
	uint64_t pointer; /* where the last record went, and ... */
	size_t size;	  /* ... its size in bytes; 0: none was written */
	unsigned int serrors;
};

/* What software should see. */
struct buffer_view {
	uint64_t pointer, status;
	uint64_t waiting;  /* a syndrome that is not visible yet */
	unsigned int left; /* samples until it is visible */
	unsigned int serrors;
	bool enabled;	      /* PMBLIMITR_EL1.E */
	uint64_t align, room; /* of records, and for the largest record */
	uint64_t size;	      /* of the present one */
};

static struct vspe_subject_write end_as_told(void *ctx, uint64_t va, const uint8_t *bytes,
					     size_t size)
{
	struct buffer_bench *b = ctx;

	(void)bytes;
	b->pointer = va;
	b->size = size;
	/* A fault within a record comes after its first byte, and not after its last. */
	if (size > 0 && b->next.written >= size)
		b->next.written = (uint32_t)size - 1;
	return b->next;
}

/* No interval here is random. */
static uint8_t zero(void *ctx)
{
	(void)ctx;
	return 0;
}

static void ignore_event(void *ctx, uint16_t event, uint64_t count)
{
	(void)ctx, (void)event, (void)count;
}

static void raise_serror(void *ctx)
{
	struct buffer_bench *b = ctx;

	b->serrors++;
}

/* The syndrome of an event replaces the previous one; COLL, EA and DL stay. */
static void report(struct buffer_view *v, uint64_t syndrome)
{
	v->status = (v->status & (COLL | EA | DL)) | S | syndrome;
	v->waiting = 0;
}

/* EC and its code: 0x1E without a code, 0x25 of stage 2, 0x24 otherwise. */
static uint64_t abort_class(const struct vspe_subject_write *r, uint64_t code)
{
	if (r->gpc)
		return UINT64_C(0x1e) << 26;
	return (r->stage2 ? UINT64_C(0x25) : UINT64_C(0x24)) << 26 | code;
}

/* Keep the part of a record before a fault, if the PE does. */
static uint64_t keep_part(struct buffer_view *v, const struct spe_config *c,
			  const struct vspe_subject_write *r)
{
	if (c->partial == SPE_PARTIAL_REWOUND || r->written == 0)
		return 0;
	v->pointer += r->written;
	return DL;
}

/* Move past a record. After it there must be room for the largest. */
static void go_behind(struct buffer_view *v)
{
	v->pointer += v->size;
	if (v->pointer > LIMIT - v->room)
		report(v, 1);
}

static void expect_fault(struct buffer_view *v, const struct spe_config *c,
			 const struct vspe_subject_write *r)
{
	const bool permission = !r->gpc && r->fsc >= 0x0c && r->fsc <= 0x0f;
	uint64_t syndrome = abort_class(r, r->fsc);

	if (permission)
		syndrome |= (uint64_t)(r->mss2 & (r->stage2 ? 0x1e0 : 0x60)) << 32;
	if (c->walk_ea && !r->gpc && r->fsc >= 0x12 && r->fsc <= 0x17)
		syndrome |= EA;
	syndrome |= keep_part(v, c, r);
	v->waiting = S | syndrome;
	v->left = c->fault_lag;
	if (v->left == 0)
		report(v, v->waiting);
}

static void expect_abort(struct buffer_view *v, const struct spe_config *c,
			 const struct vspe_subject_write *r)
{
	switch (c->external_abort) {
	case SPE_ABORT_SYNC: report(v, EA | abort_class(r, 0x10) | keep_part(v, c, r)); break;
	case SPE_ABORT_ASYNC:
		(void)keep_part(v, c, r);
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
			  const struct vspe_subject_write *r)
{
	if (!v->enabled) {
		if (c->late_record == SPE_LATE_EVENT && !(v->status & S))
			report(v, DL);
	} else if (v->waiting) {
		if (--v->left == 0)
			report(v, v->waiting);
	} else if (r->status == VSPE_SUBJECT_WRITE_FAULT) {
		expect_fault(v, c, r);
	} else if (r->status == VSPE_SUBJECT_WRITE_EXTERNAL_ABORT) {
		expect_abort(v, c, r);
	} else {
		go_behind(v);
	}
}

static struct vspe_subject_write any_result(uint64_t *random)
{
	static const uint8_t codes[] = {0x00, 0x07, 0x09, 0x0c, 0x0f, 0x12,
					0x14, 0x17, 0x21, 0x28, 0x30};
	const uint64_t r = model_random(random);

	return (struct vspe_subject_write){
		.status = r % 8 < 5    ? VSPE_SUBJECT_WRITE_OK
			  : r % 8 == 5 ? VSPE_SUBJECT_WRITE_EXTERNAL_ABORT
				       : VSPE_SUBJECT_WRITE_FAULT,
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
	c->partial = r >> 6 & 3 ? SPE_PARTIAL_KEPT : SPE_PARTIAL_REWOUND;
}

/* Software starts again, as it does after an event, and at the beginning. */
static void restart(struct buffer_bench *b, struct buffer_view *v, uint64_t random)
{
	v->pointer = LIMIT - v->room * (1 + random % 8);
	/* Also between two multiples of the alignment, where a fault may have left it. */
	v->pointer -= random & 0x80 ? random >> 16 & (v->align - 1) : 0;
	v->status = random >> 8 & (COLL | EA | DL);
	v->enabled = true;
	unit_write(&b->bench, SYSREG_PMBPTR_EL1, v->pointer);
	unit_write(&b->bench, SYSREG_PMBSR_EL1, v->status);
	unit_write(&b->bench, SYSREG_PMBLIMITR_EL1, LIMIT | E);
}

static bool same(struct buffer_bench *b, const struct buffer_view *v, FILE *why)
{
	const uint64_t status = unit_read(&b->bench, SYSREG_PMBSR_EL1);
	const uint64_t pointer = unit_read(&b->bench, SYSREG_PMBPTR_EL1);
	const bool stopped = v->status & S, enabled = v->enabled && !stopped;
	const struct vspe_subject *s = b->bench.subject;

	if (status == v->status && pointer == v->pointer && b->serrors == v->serrors &&
	    (!s->unit_enabled || s->unit_enabled(b->bench.unit) == enabled) &&
	    (!s->unit_interrupt || s->unit_interrupt(b->bench.unit) == stopped))
		return true;
	fprintf(why, "expected PMBSR_EL1 0x%" PRIx64 ", PMBPTR_EL1 0x%" PRIx64 ", %u SErrors\n",
		v->status, v->pointer, v->serrors);
	fprintf(why, "  profiling %s, PMBIRQ %s\n", enabled ? "enabled" : "disabled",
		stopped ? "high" : "low");
	fprintf(why, "  in the unit: 0x%" PRIx64 ", 0x%" PRIx64 ", %u SErrors\n", status, pointer,
		b->serrors);
	if (s->unit_enabled)
		fprintf(why, "  profiling %s\n",
			s->unit_enabled(b->bench.unit) ? "enabled" : "disabled");
	if (s->unit_interrupt)
		fprintf(why, "  PMBIRQ %s\n", s->unit_interrupt(b->bench.unit) ? "high" : "low");
	return false;
}

/* A record must be where PMBPTR_EL1 was, with a valid size; or there must be none. */
static bool right_place(const struct buffer_bench *b, const struct buffer_view *v, FILE *why)
{
	const bool due = v->enabled && !v->waiting;

	if (due ? b->size > 0 && b->size <= v->room && b->size % v->align == 0 &&
			    b->pointer == v->pointer
		: b->size == 0)
		return true;
	fprintf(why, "expected %s at 0x%" PRIx64 ", written were %zu bytes at 0x%" PRIx64 "\n",
		due ? "a record" : "nothing", v->pointer, b->size, b->pointer);
	return false;
}

/* Sample one operation. Now and then disable the buffer meanwhile, or execute PSB CSYNC. */
static bool step(struct buffer_bench *b, struct buffer_view *v, uint64_t *random, FILE *why)
{
	const struct spe_op op = {.pc = 0x1000, .type_header = 0x48, .el = 1, .ns = true};
	const uint64_t r = model_random(random);

	if (v->status & S || !v->enabled)
		restart(b, v, r);
	b->next = any_result(random);
	b->size = 0;
	if (!unit_select(&b->bench)) {
		fputs("no operation was selected\n", why);
		return false;
	}
	if ((r >> 40 & 15) == 0) {
		unit_write(&b->bench, SYSREG_PMBLIMITR_EL1, LIMIT);
		v->enabled = false;
		if (v->waiting)
			report(v, v->waiting);
	}
	unit_sample(&b->bench, &op);
	v->size = b->size;
	if (!right_place(b, v, why))
		return false;
	expect_record(v, &b->bench.config, &b->next);
	if ((r >> 48 & 7) == 0) {
		if (b->bench.subject->unit_synchronize)
			b->bench.subject->unit_synchronize(b->bench.unit);
		if (v->waiting)
			report(v, v->waiting);
	}
	return same(b, v, why);
}

static bool run_configuration(struct buffer_bench *b, unsigned int i, uint64_t *random,
			      struct model_run *run)
{
	struct buffer_view v = {.enabled = false};

	unit_prepare(&b->bench, run->subject, (enum spe_version)(SPE_V1P0 + i % 6));
	any_config(&b->bench.config, random);
	if (!run->subject->unit_synchronize)
		b->bench.config.fault_lag = 0;
	b->bench.host.ctx = b;
	b->bench.host.write = end_as_told;
	b->bench.host.serror = raise_serror;
	b->bench.random_own = b->bench.pmu_events = false;
	b->bench.host.random = zero;
	b->bench.host.pmu_event = ignore_event;
	if (!unit_start(&b->bench, 1 << 8, run->why))
		return false;
	v.align = UINT64_C(1) << b->bench.config.align;
	v.room = UINT64_C(1) << b->bench.config.max_size;
	restart(b, &v, model_random(random));
	for (unsigned int k = 0; k < STEPS; k++, run->cases++)
		if (!step(b, &v, random, run->why)) {
			fprintf(run->why, "v1p%d, record %u\n", (int)b->bench.config.version - 1,
				k);
			return false;
		}
	return true;
}

static bool run_buffer(struct model_run *run)
{
	uint64_t random = 0x42554646;

	for (unsigned int i = 0; i < CONFIGURATIONS; i++) {
		struct buffer_bench b = {.serrors = 0};
		const bool right = run_configuration(&b, i, &random, run);

		unit_end(&b.bench);
		if (!right) {
			fprintf(run->why, "configuration %u\n", i);
			return false;
		}
	}
	return true;
}

const struct model models_buffer[] = {
	{"buffer: events, syndromes and pointer after each record, all versions", run_buffer,
	 MODEL_SAMPLES},
	{0},
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the filters with a statement of them that checks one bit after the other. Source: the
 * Arm ARM (J1.75, J1.84 to J1.87).
 */
#include "conform/model_op.h"

#include <inttypes.h>

#define OPERATIONS     64
#define CONFIGURATIONS 3000
#define FILTERS	       5 /* registers */

/* PMSFCR_EL1 */
enum { FE = 0, FT = 1, FL = 2, FNE = 3, FDS = 4, TYPE = 16, MASK = 48 };

struct filters {
	const struct spe_config *config;
	uint64_t fcr, evfr, nevfr, latfr, dsfr; /* as written */
};

static bool bit_of(uint64_t value, unsigned int n)
{
	return value >> n & 1;
}

/* The fields. */
static bool field_value(const struct filters *f, unsigned int n)
{
	const struct spe_config *c = f->config;

	switch (n) {
	case FNE: return c->version >= SPE_V1P2 && bit_of(f->fcr, n);
	case FDS: return c->fds && bit_of(f->fcr, n);
	case TYPE + 3:
	case TYPE + 4:
	case MASK:
	case MASK + 1:
	case MASK + 2:
	case MASK + 3:
	case MASK + 4: return c->eft && bit_of(f->fcr, n);
	default: return bit_of(f->fcr, n);
	}
}

static unsigned int minimum_latency(const struct filters *f)
{
	return (unsigned int)f->latfr & (f->config->count_size == 12 ? 0xfff : 0xffff);
}

/* The test for set events, whether or not it is enabled. asked counts the bits it depends on. */
static bool set_passes(const struct filters *f, uint64_t events, unsigned int *asked)
{
	bool passes = true;

	*asked = 0;
	for (unsigned int n = 0; n < 64; n++)
		if (bit_of(model_filter_events(f->config), n) && bit_of(f->evfr, n)) {
			++*asked;
			if (!bit_of(events, n))
				passes = false;
		}
	return passes;
}

static bool clear_passes(const struct filters *f, uint64_t events, unsigned int *asked)
{
	bool passes = true;

	*asked = 0;
	if (f->config->version < SPE_V1P2)
		return true;
	for (unsigned int n = 0; n < 64; n++)
		if (bit_of(model_filter_events(f->config), n) && bit_of(f->nevfr, n)) {
			++*asked;
			if (bit_of(events, n))
				passes = false;
		}
	return passes;
}

/*
 * is_op: if types without a mask are named, one of them must be there; those with a mask must match
 * exactly.
 */
static bool is_op(const struct filters *f, const struct spe_op *op, bool *asked)
{
	static const uint32_t flags[] = {SPE_OP_BRANCH, SPE_OP_LOAD, SPE_OP_STORE, SPE_OP_FP,
					 SPE_OP_SIMD};
	bool named = false, found = false, as_named = true;

	*asked = false;
	for (unsigned int i = 0; i < 5; i++) {
		const bool is = op->flags & flags[i];
		const bool type = field_value(f, TYPE + i), mask = field_value(f, MASK + i);

		*asked = *asked || type || mask;
		if (mask) {
			if (is != type)
				as_named = false;
		} else if (type) {
			named = true;
			found = found || is;
		}
	}
	return (!named || found) && as_named;
}

static bool has_source(const struct filters *f, const struct spe_op *op)
{
	return f->config->lds && (op->flags & SPE_OP_LOAD) && (op->flags & SPE_OP_VA_VALID) &&
	       !bit_of(op->events, 0);
}

static bool is_recorded(const struct filters *f, const struct spe_op *op, uint64_t events)
{
	const bool empty_rejects = f->config->empty_filter == SPE_EMPTY_FILTER_NO_SAMPLES;
	unsigned int set, clear;
	bool types;
	const bool set_ok = set_passes(f, events, &set), clear_ok = clear_passes(f, events, &clear);
	const bool type_ok = is_op(f, op, &types);

	if (field_value(f, FE) && (!set_ok || (set == 0 && empty_rejects)))
		return false;
	if (field_value(f, FNE) && (!clear_ok || (clear == 0 && empty_rejects)))
		return false;
	/* With EFT a filter without types still has a result. */
	if (field_value(f, FT) && !types && !f->config->eft) {
		if (empty_rejects)
			return false;
	} else if (field_value(f, FT) && !type_ok) {
		return false;
	}
	if (field_value(f, FL) &&
	    (op->total_latency < minimum_latency(f) || (minimum_latency(f) == 0 && empty_rejects)))
		return false;
	return !(field_value(f, FDS) && has_source(f, op) &&
		 !bit_of(f->dsfr, op->data_source & 63));
}

/* How often each event of unit_pmu_events should count for an operation. */
static void expect_events(const struct filters *f, const struct spe_op *op, uint64_t events,
			  uint64_t *count)
{
	const bool v1p2 = f->config->version >= SPE_V1P2;
	unsigned int asked;
	bool types;
	const bool type_ok = is_op(f, op, &types);

	count[0] += is_recorded(f, op, events);
	count[1] += v1p2 && (op->flags & SPE_OP_BRANCH);
	count[2] += v1p2 && (op->flags & SPE_OP_LOAD);
	count[3] += v1p2 && (op->flags & SPE_OP_STORE);
	count[4] += v1p2 && type_ok && types;
	count[5] += v1p2 && set_passes(f, events, &asked) && clear_passes(f, events, &asked);
	count[6] += v1p2 && op->total_latency >= minimum_latency(f);
	count[7] += f->config->fds && has_source(f, op) && bit_of(f->dsfr, op->data_source & 63);
	count[8] += f->config->eft && (op->flags & SPE_OP_FP);
	count[9] += f->config->eft && (op->flags & SPE_OP_SIMD);
}

/* Few bits, so that some operations pass; now and then none. */
static uint64_t few_bits(uint64_t *random)
{
	const uint64_t r = model_random_sparse(random, 5);

	return model_random(random) & 7 ? r : 0;
}

/* The last register written may be any of them, and its value is in effect from then on. */
static void write_filters(struct unit_bench *bench, const struct filters *f, unsigned int last)
{
	const struct {
		enum sysreg_id reg;
		uint64_t value;
	} writes[FILTERS] = {
		{SYSREG_PMSFCR_EL1, f->fcr},	 {SYSREG_PMSEVFR_EL1, f->evfr},
		{SYSREG_PMSNEVFR_EL1, f->nevfr}, {SYSREG_PMSLATFR_EL1, f->latfr},
		{SYSREG_PMSDSFR_EL1, f->dsfr},
	};

	for (unsigned int i = 1; i <= FILTERS; i++)
		unit_write(bench, writes[(last + i) % FILTERS].reg,
			   writes[(last + i) % FILTERS].value);
}

static struct filters choose_filters(struct unit_bench *bench, uint64_t *random)
{
	const uint64_t r = model_random(random);
	struct filters f = {.config = &bench->config};

	f.fcr = (r & 31) | (r >> 8 & 31) << TYPE | (r >> 16 & 31 & (r >> 21)) << MASK;
	f.fcr |= r & (UINT64_C(7) << 5); /* RES0 */
	f.evfr = few_bits(random) & ~UINT64_C(2);
	f.nevfr = few_bits(random) & ~UINT64_C(2);
	f.latfr = r >> 32 & 3 ? r >> 36 & 0xff : r >> 36 & 0xffff;
	f.latfr = r >> 34 & 3 ? f.latfr : 0;
	f.dsfr = model_random(random);
	write_filters(bench, &f, (unsigned int)(r >> 59) % FILTERS);
	return f;
}

static bool compare_counts(const struct unit_bench *bench, const struct filters *f,
			   const struct spe_op *op, const uint64_t *want, FILE *why)
{
	for (unsigned int i = 0; bench->pmu_events && i < UNIT_PMU_EVENTS; i++) {
		if (bench->pmu[i] == want[i])
			continue;
		fprintf(why,
			"event 0x%04x counted %" PRIu64 " times, the model has %" PRIu64
			"\nv1p%d, PMSFCR 0x%" PRIx64 ", PMSEVFR 0x%" PRIx64 ", PMSNEVFR 0x%" PRIx64
			", PMSLATFR 0x%" PRIx64 ", PMSDSFR 0x%" PRIx64 "\noperation: flags 0x%x, "
			"events 0x%" PRIx64 ", latency %u, source 0x%x\n",
			unit_pmu_events[i], bench->pmu[i], want[i], (int)f->config->version - 1,
			f->fcr, f->evfr, f->nevfr, f->latfr, f->dsfr, op->flags, op->events,
			op->total_latency, op->data_source);
		return false;
	}
	if (bench->writes == want[0])
		return true;
	fprintf(why, "%" PRIu64 " records written, %" PRIu64 " operations pass\n", bench->writes,
		want[0]);
	return false;
}

/* Run one configuration of filters, and add the number of operations that pass to *passed. */
static bool run_configuration(struct unit_bench *bench, uint64_t *random, uint64_t *passed,
			      struct model_run *run)
{
	const struct filters f = choose_filters(bench, random);
	uint64_t want[UNIT_PMU_EVENTS] = {0};

	for (unsigned int k = 0; k < OPERATIONS; k++) {
		struct spe_op op = model_op(&bench->config, random);

		/* Random values rarely hit the smallest that passes. */
		if (k % 8 == 0)
			op.total_latency = (uint16_t)minimum_latency(&f);
		if (!unit_select(bench)) {
			fputs("no operation was selected\n", run->why);
			return false;
		}
		unit_sample(bench, &op);
		expect_events(&f, &op, model_op_events(&bench->config, &op), want);
		run->cases++;
		if (!compare_counts(bench, &f, &op, want, run->why))
			return false;
	}
	*passed += want[0];
	return true;
}

static bool run_filters(struct model_run *run)
{
	uint64_t random = 0x46494c54, passed = 0;

	for (unsigned int i = 0; i < CONFIGURATIONS; i++) {
		struct unit_bench bench;
		bool right;

		unit_prepare(&bench, run->subject, SPE_V1P0);
		model_config(&bench.config, &random);
		right = unit_start(&bench, 1 << 8, run->why) &&
			run_configuration(&bench, &random, &passed, run);
		unit_end(&bench);
		if (!right) {
			fprintf(run->why, "configuration %u\n", i);
			return false;
		}
	}
	/* Neither all nor nothing passed. */
	if (passed > run->cases / 20 && passed < run->cases / 20 * 19)
		return true;
	fprintf(run->why, "%" PRIu64 " of %" PRIu64 " pass: the cases say nothing\n", passed,
		run->cases);
	return false;
}

const struct model models_filter[] = {
	{"filter: events, types, latency and data source, all versions", run_filters,
	 MODEL_SAMPLES},
	{0},
};

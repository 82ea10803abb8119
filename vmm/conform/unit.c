/* SPDX-License-Identifier: BSD-2-Clause */
/* The unit that the models are compared with. */
#include "conform/unit.h"

#include <inttypes.h>
#include <string.h>

#include "conform/subject.h"

#define BUFFER_START  UINT64_C(0x100000)
#define BUFFER_END    UINT64_C(0x40000000)
#define LIMIT_E	      UINT64_C(1)
#define PMSCR_E1SPE   UINT64_C(2)
#define SAMPLE_POP    0x4000
#define SELECTION_MAX (UINT64_C(1) << 33) /* members, by far */

const uint16_t unit_pmu_events[UNIT_PMU_EVENTS] = {
	0x4002, /* SAMPLE_FILTRATE */
	0x812a, /* SAMPLE_FEED_BR, then _LD, _ST, _OP, _EVENT and _LAT */
	0x812b, 0x812c, 0x812d, 0x812e, 0x812f, 0x8122, /* SAMPLE_FEED_DS */
	0x8348,						/* SAMPLE_FEED_FP, then _SIMD */
	0x8349,
};

uint8_t unit_random(uint64_t *state)
{
	return (uint8_t)(model_random(state) >> 40);
}

static struct vspe_subject_write take_record(void *ctx, uint64_t va, const uint8_t *bytes,
					     size_t size)
{
	struct unit_bench *bench = ctx;

	(void)va;
	bench->record_size = size < UNIT_RECORD_MAX ? size : UNIT_RECORD_MAX;
	memcpy(bench->record, bytes, bench->record_size);
	bench->writes++;
	return (struct vspe_subject_write){.status = VSPE_SUBJECT_WRITE_OK};
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct unit_bench *bench = ctx;

	bench->population += event == SAMPLE_POP ? count : 0;
	for (unsigned int i = 0; i < UNIT_PMU_EVENTS; i++)
		if (event == unit_pmu_events[i])
			bench->pmu[i] += count;
}

static uint8_t next_random(void *ctx)
{
	return unit_random(&((struct unit_bench *)ctx)->state);
}

static void ignore_serror(void *ctx)
{
	(void)ctx;
}

void unit_prepare(struct unit_bench *bench, const struct vspe_subject *subject,
		  enum spe_version version)
{
	memset(bench, 0, sizeof(*bench));
	bench->subject = subject;
	spe_config_defaults(&bench->config, version);
	bench->random_own = true;
	bench->pmu_events = true;
	bench->host = (struct vspe_subject_host){.ctx = bench,
						 .write = take_record,
						 .random = next_random,
						 .pmu_event = count_event,
						 .serror = ignore_serror};
	bench->pe.el = 1;
}

/* Members with the same meaning in both structs. */
#define MEMBERS(X)          \
	X(ernd)             \
	X(lds)              \
	X(fds)              \
	X(crr)              \
	X(pbt)              \
	X(eft)              \
	X(pbt_all)          \
	X(sve)              \
	X(mte)              \
	X(extended_headers) \
	X(walk_ea)          \
	X(count_size)       \
	X(events_size)      \
	X(source_size)      \
	X(max_size) X(align) X(altclk) X(extra_packets) X(fault_lag) X(events) X(seed)

static struct vspe_subject_config ask_for(const struct unit_bench *bench)
{
	const struct spe_config *c = &bench->config;

	return (struct vspe_subject_config){
#define GIVE(name) .name = c->name,
		MEMBERS(GIVE)
#undef GIVE
			.version = (uint8_t)c->version,
		.reload_after_tail = c->reload == SPE_RELOAD_AFTER_TAIL,
		.empty_filter_rejects = c->empty_filter == SPE_EMPTY_FILTER_NO_SAMPLES,
		.partial_rewound = c->partial == SPE_PARTIAL_REWOUND,
		.late_event = c->late_record == SPE_LATE_EVENT,
		.random_own = bench->random_own,
		.pmu_events = bench->pmu_events,
		.layout = (uint8_t)c->layout,
		.external_abort = (uint8_t)c->external_abort,
	};
}

/* EL1 owns the buffer and gets each event as an interrupt. */
static void leave_to_el1(struct spe_config *c)
{
	c->incomplete = true;
	c->exc = false;
}

/* Take the subject's description of itself. False if no PE can be like that. */
static bool take_answer(struct unit_bench *bench, const struct vspe_subject_config *is, FILE *why)
{
	struct spe_config *c = &bench->config;
	const char *field;
	int error;

	if (c->version != (enum spe_version)is->version) {
		spe_config_defaults(c, (enum spe_version)is->version);
		leave_to_el1(c);
		c->sources = UINT64_MAX;
	}
#define TAKE(name) c->name = is->name;
	MEMBERS(TAKE)
#undef TAKE
	c->fpf = is->eft;
	c->reload = is->reload_after_tail ? SPE_RELOAD_AFTER_TAIL : SPE_RELOAD_BEFORE_TAIL;
	c->empty_filter =
		is->empty_filter_rejects ? SPE_EMPTY_FILTER_NO_SAMPLES : SPE_EMPTY_FILTER_IGNORED;
	c->partial = is->partial_rewound ? SPE_PARTIAL_REWOUND : SPE_PARTIAL_KEPT;
	c->late_record = is->late_event ? SPE_LATE_EVENT : SPE_LATE_DISCARDED;
	bench->any_order = is->layout == VSPE_SUBJECT_LAYOUT_ANY;
	c->layout = bench->any_order ? SPE_LAYOUT_GENERIC : (enum spe_layout)is->layout;
	c->external_abort = (enum spe_external_abort)is->external_abort;
	bench->random_own = is->random_own;
	bench->pmu_events = is->pmu_events;
	error = spe_config_check(c, &field);
	if (error)
		fprintf(why, "the unit's configuration, %s: %s\n", field, spe_strerror(error));
	return !error;
}

bool unit_start(struct unit_bench *bench, uint64_t pmsirr, FILE *why)
{
	const struct vspe_subject *s = bench->subject;
	struct vspe_subject_config config;

	leave_to_el1(&bench->config);
	bench->config.pbt = bench->config.pbt && s->unit_branch;
	config = ask_for(bench);
	bench->pe.features |= spe_config_features(&bench->config);
	bench->unit = s->unit_create(s->ctx, &bench->pe, &config, &bench->host);
	if (!bench->unit) {
		fputs("unit_create() makes no unit\n", why);
		return false;
	}
	if (!take_answer(bench, &config, why))
		return false;
	unit_write(bench, SYSREG_PMSIRR_EL1, pmsirr);
	unit_write(bench, SYSREG_PMSCR_EL1, PMSCR_E1SPE);
	unit_write(bench, SYSREG_PMBPTR_EL1, BUFFER_START);
	unit_write(bench, SYSREG_PMBLIMITR_EL1, BUFFER_END | LIMIT_E);
	return true;
}

void unit_end(struct unit_bench *bench)
{
	if (bench->unit && bench->subject->unit_destroy)
		bench->subject->unit_destroy(bench->unit);
	bench->unit = NULL;
}

uint64_t unit_read(struct unit_bench *bench, enum sysreg_id reg)
{
	return bench->subject->unit_read(bench->unit, subject_stated_encoding(reg));
}

void unit_write(struct unit_bench *bench, enum sysreg_id reg, uint64_t value)
{
	bench->subject->unit_write(bench->unit, subject_stated_encoding(reg), value);
}

bool unit_advance(struct unit_bench *bench, uint64_t n)
{
	return bench->subject->unit_advance(bench->unit, n);
}

void unit_abandon(struct unit_bench *bench)
{
	if (bench->subject->unit_sample)
		bench->subject->unit_sample(bench->unit, NULL);
}

void unit_sample(struct unit_bench *bench, const struct spe_op *op)
{
	struct vspe_subject_extra extra[SPE_EXTRA_MAX];
	const struct vspe_subject_operation o = {
#define GIVE(name) .name = op->name,
		GIVE(pc) GIVE(target) GIVE(data_va) GIVE(data_pa) GIVE(timestamp) GIVE(events)
			GIVE(contextidr_el1) GIVE(contextidr_el2) GIVE(flags) GIVE(total_latency)
				GIVE(issue_latency) GIVE(translation_latency)
					GIVE(alternate_latency) GIVE(data_source) GIVE(type_header)
						GIVE(type_payload) GIVE(el) GIVE(target_el) GIVE(ns)
							GIVE(nse) GIVE(target_ns) GIVE(target_nse)
								GIVE(tag) GIVE(extra_count)
#undef GIVE
									.extra = extra};

	for (unsigned int i = 0; i < op->extra_count && i < SPE_EXTRA_MAX; i++)
		extra[i] = (struct vspe_subject_extra){op->extra[i].address, op->extra[i].index,
						       op->extra[i].value};
	bench->subject->unit_sample(bench->unit, &o);
}

uint64_t unit_select(struct unit_bench *bench)
{
	const struct vspe_subject *s = bench->subject;

	/* The buffer never fills. */
	if (unit_read(bench, SYSREG_PMBPTR_EL1) > BUFFER_END / 2)
		unit_write(bench, SYSREG_PMBPTR_EL1, BUFFER_START);
	if (s->unit_budget) {
		const uint64_t n = s->unit_budget(bench->unit);

		return n > 0 && n < SELECTION_MAX && unit_advance(bench, n) ? n : 0;
	}
	/* No test needs a longer interval. */
	for (uint64_t n = 1; n < UINT64_C(1) << 26; n++)
		if (unit_advance(bench, 1))
			return n;
	return 0;
}

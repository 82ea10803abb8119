/* SPDX-License-Identifier: BSD-2-Clause */
/* The test points of a subject: what each does, and their list. */
#include "conform/suite.h"

#include <inttypes.h>
#include <string.h>

#include "conform/model.h"
#include "conform/pmu_statement.h"

#define DIRECTION(write) ((write) ? "write" : "read")

const char *suite_word(const struct suite_subject *subject)
{
	return subject->path ? "subject" : "library";
}

/* How to reproduce a point that vspe explain cannot show: no register access, or another's code. */
static void print_only(const struct suite_point *point, FILE *details)
{
	const char *path = point->subject->path;

	fprintf(details, "  reproduce: vspe conform %s%s%s--only '%s %s'\n",
		path ? "--subject '" : "", path ? path : "", path ? "' " : "", point->group,
		point->name);
}

/*
 * An access, and how to see it again. For the library vspe explain shows it; for a subject, why
 * another outcome is expected.
 */
static void print_difference(const struct suite_point *point, const struct difference *d,
			     FILE *details)
{
	const struct suite_subject *subject = point->subject;
	const char *label = subject->path ? "explained" : "reproduce";

	fputs("  expected: ", details);
	subject_print_outcome(d->expected, details);
	fprintf(details, "\n  %s:  ", suite_word(subject));
	subject_print_outcome(d->got, details);
	fprintf(details, "\n  %s: ", subject_is_pmu(point->reg) ? "state" : label);
	subject_print_state(&d->controls, point->reg, point->write, d->rt, details);
	fputc('\n', details);
	if (subject->path && !point->accessor)
		print_only(point, details);
}

static void skip_point(struct suite_result *result, const char *why)
{
	result->status = SUITE_SKIPPED;
	snprintf(result->what, sizeof(result->what), "%s", why);
}

static void result_of(struct suite_result *result, const struct exploration *e, FILE *details,
		      const struct suite_point *point)
{
	result->cases = e->combinations;
	result->aarch32 = e->aarch32;
	snprintf(result->what, sizeof(result->what), "%" PRIu64 " %scombinations of %u bits",
		 e->combinations, e->sampled ? "of the " : "", e->bits);
	if (e->too_wide) {
		result->status = SUITE_SKIPPED;
		snprintf(result->what, sizeof(result->what), "depends on %u bits", e->bits);
		fprintf(details, "more than %d bits are not tried\n",
			subject_is_pmu(point->reg) ? EXPLORE_BITS_PMU : EXPLORE_BITS_MAX);
		return;
	}
	if (e->combinations == 0)
		skip_point(result, "no PE of the subject's is ever there");
	if (e->different == 0)
		return;
	result->status = SUITE_FAILED;
	fprintf(details, "%" PRIu64 " of them differ; the first:\n", e->different);
	print_difference(point, &e->first, details);
}

/* Compare every combination with a reference. */
static void run_accesses(const struct suite_point *point, const struct reference *reference,
			 atomic_ullong *done, struct suite_result *result, FILE *details)
{
	const char *cannot = subject_cannot_route(point->subject->is, point->reg);
	struct exploration e;

	if (cannot) {
		skip_point(result, cannot);
		return;
	}
	explore(point->subject->is, reference, point->reg, point->write, point->el, done, &e);
	result_of(result, &e, details, point);
}

static void run_statement(const struct suite_point *point, atomic_ullong *done,
			  struct suite_result *result, FILE *details)
{
	run_accesses(point, &reference_statement, done, result, details);
}

static void run_page(const struct suite_point *point, atomic_ullong *done,
		     struct suite_result *result, FILE *details)
{
	const struct reference reference = {.decide = page_decide, .ctx = point->accessor};

	run_accesses(point, &reference, done, result, details);
}

static void run_skip(const struct suite_point *point, atomic_ullong *done,
		     struct suite_result *result, FILE *details)
{
	(void)done;
	result->status = SUITE_SKIPPED;
	snprintf(result->what, sizeof(result->what), "cannot be read");
	fprintf(details, "%s:%u: %s\n", point->skip_file, point->skip_line, point->skip_text);
}

static const char *counters_lack(const struct vspe_subject *s)
{
	if (!s->counters_create)
		return "the subject has no counters_create";
	if (!s->counters_access)
		return "the subject has no counters_access";
	if (!s->counters_advance)
		return "the subject has no counters_advance";
	return s->counters_interrupt ? NULL : "the subject has no counters_interrupt";
}

/* What the model needs and the subject lacks; or NULL. */
static const char *model_lacks(const struct vspe_subject *s, const struct model *model)
{
	if (model->needs == MODEL_COUNTERS)
		return counters_lack(s);
	if (!s->unit_create)
		return "the subject has no unit_create";
	if (!s->unit_read)
		return "the subject has no unit_read";
	if (!s->unit_write)
		return "the subject has no unit_write";
	if (!s->unit_advance)
		return "the subject has no unit_advance";
	return model->needs == MODEL_SAMPLES && !s->unit_sample ? "the subject has no unit_sample"
								: NULL;
}

static void run_model(const struct suite_point *point, atomic_ullong *done,
		      struct suite_result *result, FILE *details)
{
	struct model_run run = {.subject = point->subject->is,
				.why = details,
				.skipped = model_lacks(point->subject->is, point->model)};

	if (!run.skipped && !point->model->run(&run)) {
		result->status = SUITE_FAILED;
		print_only(point, details);
	}
	result->cases = run.cases;
	if (run.skipped)
		skip_point(result, run.skipped);
	else
		snprintf(result->what, sizeof(result->what), "%" PRIu64 " cases", run.cases);
	atomic_fetch_add_explicit(done, run.cases, memory_order_relaxed);
}

/* What an access reaches if nothing traps it, by the second statement. */
static struct vspe_subject_outcome open_outcome(const union world_controls *u, unsigned int reg,
						bool write)
{
	struct outcome landing = {.kind = SYSREG_DIRECT, .reg = (enum sysreg_id)reg};
	struct world w = world_of_controls(u);
	struct outcome stated;

	w.m = (uint8_t)subject_index(reg);
	stated = subject_state(&w, reg, write);
	/* The statement's PE has fewer counters than this one. */
	if (stated.kind == SYSREG_DIRECT || !subject_has(reg, write) || u->pe.el < 3)
		landing = stated;
	return subject_expected(landing, reg, write, 0);
}

/*
 * The encoding of a register, from the page or the Arm ARM. If nothing traps, its MRS and MSR reach
 * it, and those that do not exist do not.
 */
static void run_encoding(const struct suite_point *point, atomic_ullong *done,
			 struct suite_result *result, FILE *details)
{
	const struct vspe_subject *s = point->subject->is;
	const struct page_accessor *a = point->accessor;
	const uint32_t encoding = a ? a->encoding : subject_stated_encoding(point->reg);
	const union world_controls u = subject_open_pe(s);
	const char *cannot = subject_cannot_route(s, point->reg);

	(void)done;
	if (cannot) {
		skip_point(result, cannot);
		return;
	}
	result->cases = 1;
	for (unsigned int write = 0; write < 2; write++) {
		const struct vspe_subject_access access = {.encoding = encoding, .write = write};
		const struct vspe_subject_outcome want = open_outcome(&u, point->reg, write);
		struct vspe_subject_outcome got;

		if (a && a->write != write)
			continue;
		got = subject_ask(s, point->reg, &u, access);
		if (subject_agrees(&got, &want))
			continue;
		result->status = SUITE_FAILED;
		fprintf(details, "encoding 0x%04" PRIx32 ", %s of %s where nothing is in the way\n",
			encoding, write ? "MSR" : "MRS", subject_name(point->reg));
		fputs("  expected: ", details);
		subject_print_outcome(want, details);
		fprintf(details, "\n  %s:  ", suite_word(point->subject));
		subject_print_outcome(got, details);
		fputc('\n', details);
		if (!a)
			print_only(point, details);
		return;
	}
}

/* In AArch32 state no register is accessible, whatever the controls are. */
static void run_aarch32(const struct suite_point *point, atomic_ullong *done,
			struct suite_result *result, FILE *details)
{
	const struct vspe_subject *s = point->subject->is;
	const uint32_t levels = VSPE_SUBJECT_EL2 | VSPE_SUBJECT_EL3;
	const char *cannot = subject_cannot_route(s, point->reg);
	uint64_t state = point->reg;

	(void)done;
	if (!cannot && s->limits & VSPE_SUBJECT_NO_AARCH32)
		cannot = "the subject has no AArch32 state";
	if (cannot) {
		skip_point(result, cannot);
		return;
	}
	for (unsigned int n = 0; n < 4096; n++) {
		struct difference d = {.controls.pe = {.features = ((uint32_t)model_random(&state) &
								    ~VSPE_SUBJECT_SECURE) |
								   levels,
						       .el = n & 3,
						       .aarch32 = true,
						       .hcr_el2 = model_random(&state),
						       .mdcr_el2 = model_random(&state),
						       .mdcr_el3 = model_random(&state),
						       /* Non-secure */
						       .scr_el3 = model_random(&state) | 1},
				       .expected.kind = VSPE_SUBJECT_UNDEFINED,
				       .rt = n >> 3 & 31};
		struct suite_point shown = *point;

		subject_limit(s, &d.controls);
		shown.write = n >> 2 & 1;
		d.got = subject_ask(s, point->reg, &d.controls,
				    (struct vspe_subject_access){
					    .encoding = subject_stated_encoding(point->reg),
					    .write = shown.write,
					    .rt = d.rt});
		result->cases++;
		if (subject_agrees(&d.got, &d.expected))
			continue;
		result->status = SUITE_FAILED;
		print_difference(&shown, &d, details);
		return;
	}
}

/*
 * If NSPB and the register's own field both trap to EL3, only an explanation shows which one did:
 * the outcome is the same.
 */
static void run_order(const struct suite_point *point, atomic_ullong *done,
		      struct suite_result *result, FILE *details)
{
	const struct vspe_subject *s = point->subject->is;
	const uint32_t fgt = VSPE_SUBJECT_FEAT_FGT | VSPE_SUBJECT_FEAT_FGT2;
	const char *cannot = subject_cannot_route(s, point->reg);

	(void)done;
	if (!cannot && !s->spe_condition)
		cannot = "the subject has no spe_condition";
	if (!cannot && s->features_never & VSPE_SUBJECT_EL3)
		cannot = "the subject has no EL3";
	if (cannot) {
		skip_point(result, cannot);
		return;
	}
	for (unsigned int n = 0; n < 8; n++) {
		union world_controls u = {.pe = {.features = UINT32_MAX & ~fgt,
						 .el = 1 + (n & 1),
						 .halted = n & 4,
						 .edscr_sdd = n & 4,
						 .el3_trap_has_priority_sdd = true,
						 .mdcr_el2 = UINT64_C(3) << WORLD_MDCR_EL2_E2PB_LSB,
						 .scr_el3 = 1 /* Non-secure */}};
		const struct vspe_subject_access access = {
			.encoding = subject_stated_encoding(point->reg), .write = n & 2};
		const char *want = statement_el3_order((enum sysreg_id)point->reg, u.pe.el);
		char text[256] = "";

		subject_limit(s, &u);
		if (!want || u.pe.features & fgt)
			continue;
		result->cases++;
		s->spe_condition(s->ctx, &u.pe, &access, text, sizeof(text));
		text[sizeof(text) - 1] = '\0';
		if (strstr(text, want))
			continue;
		result->status = SUITE_FAILED;
		fprintf(details, "expected %s to decide, %s: %s\n  %s: ", want,
			suite_word(point->subject), text[0] ? text : "nothing",
			point->subject->path ? "explained" : "reproduce");
		subject_print_state(&u, point->reg, access.write, 0, details);
		fputc('\n', details);
		return;
	}
}

static void add_models(struct suite *suite, const struct model *models)
{
	for (; models->name; models++)
		suite_add(suite,
			  (struct suite_point){.group = "model", .run = run_model, .model = models},
			  "%s", models->name);
}

/* Points for each direction from each level, and for the encoding. */
static void add_register(struct suite *suite, unsigned int reg)
{
	const char *name = subject_name(reg);

	for (unsigned int n = 0; n < 8; n++)
		suite_add(suite,
			  (struct suite_point){.group = "exhaustive",
					       .run = run_statement,
					       .reg = reg,
					       .write = n & 4,
					       .el = n & 3},
			  "%s %s EL%u", name, DIRECTION(n & 4), n & 3);
	suite_add(suite, (struct suite_point){.group = "table", .run = run_encoding, .reg = reg},
		  "%s encoding", name);
}

/* Of the event counters' registers, the first and last that exist, and those after them. */
static bool is_shown(unsigned int reg)
{
	const unsigned int n = subject_index(reg);

	return n == 0 || n == PMU_STATED_COUNTERS - 1 || n == PMU_STATED_COUNTERS || n == 30;
}

static void build_statement(struct suite *suite)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		const enum sysreg_id reg = (enum sysreg_id)i;
		const char *name = sysreg_name(reg);

		add_register(suite, reg);
		suite_add(suite,
			  (struct suite_point){.group = "table", .run = run_aarch32, .reg = reg},
			  "%s AArch32", name);
		if (statement_el3_order(reg, 1) || statement_el3_order(reg, 2))
			suite_add(suite,
				  (struct suite_point){
					  .group = "table", .run = run_order, .reg = reg},
				  "%s order of EL3's traps", name);
	}
	for (unsigned int reg = SUBJECT_PMU; reg < SUBJECT_COUNT; reg++)
		if (is_shown(reg))
			add_register(suite, reg);
	add_models(suite, models_interval);
	add_models(suite, models_filter);
	add_models(suite, models_record);
	add_models(suite, models_buffer);
	add_models(suite, models_random);
	add_models(suite, models_counters);
}

static void add_skip(struct suite *suite, const char *file, unsigned int line, const char *text,
		     const char *what)
{
	suite_add(suite,
		  (struct suite_point){.group = "page",
				       .run = run_skip,
				       .reg = SUBJECT_NONE,
				       .skip_file = file,
				       .skip_line = line,
				       .skip_text = text},
		  "%s:%u %s", file, line, what);
}

/* Points for an accessor from each level. If it is for all event counters, for each of these. */
static void add_accessor(struct suite *suite, const struct page_accessor *a)
{
	struct suite_point point = {
		.group = "page", .run = run_page, .write = a->write, .accessor = a};

	for (point.reg = a->reg; subject_first(point.reg) == a->reg; point.reg++)
		for (point.el = 0; point.el < 4; point.el++)
			suite_add(suite, point, "%s:%u %s %s EL%u", a->file, a->line,
				  subject_name(point.reg), DIRECTION(a->write), point.el);
}

static void build_pages(struct suite *suite)
{
	for (size_t i = 0; i < suite->pages->count; i++) {
		const struct page_accessor *a = &suite->pages->accessors[i];
		struct suite_point point = {
			.group = "table", .run = run_encoding, .reg = a->reg, .accessor = a};
		char what[64];

		snprintf(what, sizeof(what), "%s %s", a->name ? a->name : subject_name(a->reg),
			 DIRECTION(a->write));
		if (a->name && a->program) {
			suite_add_cpu(suite, a);
			continue;
		}
		if (!a->program) {
			add_skip(suite, a->file, a->problem.line, a->problem.text, what);
			continue;
		}
		add_accessor(suite, a);
		if (a->encoded)
			suite_add(suite, point, "%s:%u %s encoding", a->file, a->line, what);
		else if (subject_first(a->reg + 1) != a->reg) /* whose encoding has m in it */
			add_skip(suite, a->file, a->line, "the page gives no encoding", what);
	}
	for (size_t i = 0; i < suite->pages->problem_count; i++) {
		const struct page_problem *p = &suite->pages->problems[i];

		add_skip(suite, p->file, p->line, p->text, "page");
	}
}

void suite_build(struct suite *suite, const struct suite_subject *subject,
		 const struct page_set *pages, bool strict)
{
	*suite = (struct suite){.subject = subject, .pages = pages, .strict = strict};
	if (pages)
		build_pages(suite);
	else
		build_statement(suite);
}

size_t suite_not_covered(const struct suite *suite, const char *indent, FILE *out)
{
	bool covered[SUBJECT_COUNT][2] = {{false}};
	size_t lines = 0;

	for (size_t i = 0; i < suite->count; i++) {
		const struct suite_point *p = &suite->points[i];

		if ((p->run == run_page || p->run == run_statement) && p->reg < SUBJECT_COUNT)
			covered[p->reg][p->write] = true;
	}
	for (unsigned int reg = 0; reg < SUBJECT_COUNT; reg++) {
		const bool read = subject_has(reg, false) && !covered[reg][0];
		const bool write = subject_has(reg, true) && !covered[reg][1];

		if ((!read && !write) || subject_index(reg))
			continue;
		fprintf(out, "%s%s%s%s of %s\n", indent, read ? "reads" : "",
			read && write ? " and " : "", write ? "writes" : "", subject_name(reg));
		lines++;
	}
	return lines;
}

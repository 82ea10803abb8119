/* SPDX-License-Identifier: BSD-2-Clause */
/* The PE under the pseudocode: what its functions ask of it, answered from tables. */
#include "conform/functions_machine.h"
#include "conform/model_op.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FE_FNE UINT64_C(9) /* of PMSFCR_EL1 */

const uint16_t functions_events[FUNCTIONS_EVENTS] = {
	0x4000, 0x4001, 0x4002, 0x4003,			/* SAMPLE_POP, FEED, FILTRATE, COLLISION */
	0x812a, 0x812b, 0x812c, 0x812d, 0x812e, 0x812f, /* FEED_BR, LD, ST, OP, EVENT, LAT */
	0x8122, 0x8123,					/* FEED_DS, BUFFER_FULL */
	0x8348, 0x8349,					/* FEED_FP, FEED_SIMD */
};

bool functions_has_event(const struct spe_config *c, unsigned int event)
{
	switch (functions_events[event]) {
	case 0x8122: return c->fds;
	case 0x8123: return c->version >= SPE_V1P4;
	case 0x8348:
	case 0x8349: return c->eft;
	default: return functions_events[event] < 0x5000 || c->version >= SPE_V1P2;
	}
}

static const char *const call_names[FUNCTIONS_CALLS] = {
	[CALL_START] = "SPEStartSample",
	[CALL_COLLECT] = "SPEToCollectSample",
	[CALL_COMPLETE] = "SPECompleteSample",
	[CALL_RESET] = "SPEResetSampleStorage",
	[CALL_CYCLE] = "SPECycle",
	[CALL_EVENT] = "SPEEvent",
	[CALL_BRANCH] = "SPEBranch",
	[CALL_START_COUNTER] = "SPEStartCounter",
	[CALL_STOP_COUNTER] = "SPEStopCounter",
	[CALL_LOAD_STORE] = "SPESampleLoadStore",
	[CALL_OTHER] = "SPESampleOpOther",
	[CALL_GENERAL] = "SPESampleGeneralPurposeLoadStore",
	[CALL_EXTENDED] = "SPESampleExtendedLoadStore",
	[CALL_SIMD_FP] = "SPESampleSIMDFPLoadStore",
	[CALL_SVE] = "SPESampleOpSVESMELoadStore",
	[CALL_SVE_OTHER] = "SPESampleOpSVEOther",
	[CALL_COPY] = "SPESampleMemCopy",
	[CALL_SET] = "SPESampleMemSet",
};

/* ---- hooks */

static bool is_word(const struct asl_value *v, unsigned int count)
{
	return count > 0 && v->kind == ASL_STRING;
}

static bool has_feature(const struct spe_config *c, const char *name)
{
	const struct {
		const char *name;
		bool has;
	} features[] = {
		{"FEAT_SPE", true},
		{"FEAT_SPEv1p1", c->version >= SPE_V1P1},
		{"FEAT_SPEv1p2", c->version >= SPE_V1P2},
		{"FEAT_SPEv1p3", c->version >= SPE_V1P3},
		{"FEAT_SPEv1p4", c->version >= SPE_V1P4},
		{"FEAT_SPEv1p5", c->version >= SPE_V1P5},
		{"FEAT_SPE_FnE", c->version >= SPE_V1P2},
		{"FEAT_SPE_ERnd", c->ernd},
		{"FEAT_SPE_FDS", c->fds},
		{"FEAT_SPE_CRR", c->crr},
		{"FEAT_SPE_PBT", c->pbt},
		{"FEAT_SPE_EFT", c->eft},
		{"FEAT_SPE_FPF", c->fpf},
		{"FEAT_SPE_LDS", c->lds},
		{"FEAT_SVE", c->sve},
		{"FEAT_MTE2", c->mte},
		{"FEAT_Secure", true},
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (!strcmp(name, features[i].name))
			return features[i].has;
	return false;
}

static bool feature(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		    unsigned int count, struct asl_value *result)
{
	const struct functions_machine *m = ctx;

	(void)code;
	if (!is_word(arguments, count))
		return false;
	*result = asl_boolean(has_feature(m->config, arguments->u.string));
	return true;
}

static bool pmu_event(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		      unsigned int count, struct asl_value *result)
{
	struct functions_machine *m = ctx;

	(void)code;
	(void)result;
	if (!count || arguments->kind != ASL_BITS)
		return false;
	for (unsigned int i = 0; i < FUNCTIONS_EVENTS; i++)
		if (arguments->u.bits == functions_events[i])
			m->events[i] += functions_has_event(m->config, i);
	return true;
}

static bool random_byte(void *ctx, struct asl_code *code, const struct asl_value *arguments,
			unsigned int count, struct asl_value *result)
{
	struct functions_machine *m = ctx;

	(void)code;
	(void)arguments;
	*result = asl_bits_value(8, unit_random(&m->random));
	return !count;
}

/* Only for which half of a copy is sampled: either is right, and the operation follows it. */
static bool random_boolean(void *ctx, struct asl_code *code, const struct asl_value *arguments,
			   unsigned int count, struct asl_value *result)
{
	const struct functions_machine *m = ctx;

	(void)code;
	(void)arguments;
	*result = asl_boolean(m->op && m->op->pc & 1);
	return !count;
}

/* One event is to be set and to be clear: no operation passes. */
static bool contradicts(struct functions_machine *m)
{
	const uint64_t both = machine_get(m, "PMSEVFR_EL1") & machine_get(m, "PMSNEVFR_EL1");

	return (machine_get(m, "PMSFCR_EL1") & FE_FNE) == FE_FNE &&
	       (both & model_filter_events(m->config));
}

static bool unpredictable_boolean(void *ctx, struct asl_code *code,
				  const struct asl_value *arguments, unsigned int count,
				  struct asl_value *result)
{
	struct functions_machine *m = ctx;

	if (!is_word(arguments, count))
		return false;
	if (strcmp(arguments->u.string, "Unpredictable_BADPMSFCR") != 0)
		return asl_code_fail(code, "nothing says what %s is bound to", arguments->u.string);
	*result = asl_boolean(contradicts(m) ||
			      m->config->empty_filter == SPE_EMPTY_FILTER_NO_SAMPLES);
	return true;
}

static bool security_state(void *ctx, struct asl_code *code, const struct asl_value *arguments,
			   unsigned int count, struct asl_value *result)
{
	struct functions_machine *m = ctx;

	(void)code;
	(void)arguments;
	*result = machine_member(m, !m->ns ? "SS_Secure" : m->nse ? "SS_Realm" : "SS_NonSecure");
	return !count;
}

static bool has_source(const struct functions_machine *m)
{
	const uint32_t needs = SPE_OP_LOAD | SPE_OP_VA_VALID;

	return m->config->lds && (m->op->flags & needs) == needs && !(m->op->events & 1);
}

/* Numbers of the operation, for functions that the prelude wraps. */
static bool operation(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		      unsigned int count, struct asl_value *result)
{
	const struct functions_machine *m = ctx;

	(void)code;
	if (!is_word(arguments, count) || !m->op)
		return false;
	if (!strcmp(arguments->u.string, "pc"))
		*result = asl_bits_value(64, m->op->pc);
	else if (!strcmp(arguments->u.string, "time"))
		*result = asl_bits_value(64, m->op->timestamp);
	else if (!strcmp(arguments->u.string, "tag"))
		*result = asl_bits_value(4, m->op->tag);
	else if (!strcmp(arguments->u.string, "source"))
		*result = asl_bits_value(16, m->op->data_source);
	else if (!strcmp(arguments->u.string, "has source"))
		*result = asl_boolean(has_source(m));
	else
		return false;
	return true;
}

/* A byte of a record: 0, or the end that the record comes to: 1 an abort, 2 an external abort. */
static bool store(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		  unsigned int count, struct asl_value *result)
{
	struct functions_machine *m = ctx;
	const bool fault = m->write.status == VSPE_SUBJECT_WRITE_FAULT;
	const bool abort = m->write.status == VSPE_SUBJECT_WRITE_EXTERNAL_ABORT &&
			   m->config->external_abort != SPE_ABORT_IGNORE;
	const bool here = m->bytes == m->write.written;

	(void)code;
	(void)arguments;
	*result = asl_number(!here ? 0 : fault ? 1 : abort ? 2 : 0);
	m->bytes++;
	return !count;
}

/* What came of the write: its FSC, and bits of MSS2. */
static bool write_status(void *ctx, struct asl_code *code, const struct asl_value *arguments,
			 unsigned int count, struct asl_value *result)
{
	const struct functions_machine *m = ctx;
	const bool fault = m->write.status == VSPE_SUBJECT_WRITE_FAULT;

	(void)code;
	if (!is_word(arguments, count))
		return false;
	if (!strcmp(arguments->u.string, "fsc"))
		*result = asl_bits_value(6, fault ? m->write.fsc : 0x10);
	else if (!strcmp(arguments->u.string, "mss2"))
		*result = asl_bits_value(16, m->write.mss2);
	else if (!strcmp(arguments->u.string, "stage2"))
		*result = asl_boolean(m->write.stage2);
	else
		return false;
	return true;
}

static bool serror(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		   unsigned int count, struct asl_value *result)
{
	struct functions_machine *m = ctx;

	(void)code;
	(void)arguments;
	(void)count;
	(void)result;
	m->serrors++;
	return true;
}

static const struct asl_hook hooks[] = {
	{"IsFeatureImplemented", feature},
	{"PMUEvent", pmu_event},
	{"SPEGetRandomInterval", random_byte},
	{"SPEGetRandomBoolean", random_boolean},
	{"ConstrainUnpredictableBool", unpredictable_boolean},
	{"CurrentSecurityState", security_state},
	{"PendSErrorInterrupt", serror},
	{"MachineOperation", operation},
	{"MachineStore", store},
	{"MachineWrite", write_status},
};

static const char *const words[] = {
	"FEAT_", "Unpredictable_", "InterruptID_", "CrossTriggerIn_", "HIGH", "LOW", NULL};

/* ---- what the text leaves to the implementation */

struct binding {
	const char *text, *to;
};

static const struct binding bindings[] = {
	{"SPE mask", "config.events"},
	{"SPE EVENTS", "the operation's events that config.events has"},
	{"SPE 16bit counters", "config.count_size is 16"},
	{"SPE Events packet payload size", "config.events_size"},
	{"SPE Data Source packet payload size", "config.source_size"},
	{"SPE get prev br if not br", "config.pbt_all"},
	{"SPE prev br on eret", "TRUE: the embedder says what was taken"},
	{"SPE prev br on exception", "TRUE"},
	{"SPE prev br on isb", "TRUE"},
	{"SPE PAT for tag unchecked access zero", "FALSE"},
	{"SPE non-tbi tag is zero", "FALSE"},
	{"Report SPE ExtAbort on TTW as fault", "not config.walk_ea"},
	{"Report SPE ExtAbort as SError", "config.external_abort is SERROR"},
	{"Report SPE ExtAbort asynchronously", "config.external_abort is ASYNC"},
	{"Unpredictable_BADPMSFCR", "config.empty_filter is NO_SAMPLES"},
	{"... of one event set and clear", "TRUE"},
	{"SPEGetRandomInterval()", "host.random, the same bytes for both"},
	{"where COUNT is reloaded", "before the tail: config.reload"},
};

void functions_print_bindings(FILE *out)
{
	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++)
		fprintf(out, "# %-38s %s\n", bindings[i].text, bindings[i].to);
}

static bool defined(void *ctx, const char *text, struct asl_value *value)
{
	const struct functions_machine *m = ctx;
	const struct spe_config *c = m->config;
	const struct {
		const char *text;
		uint64_t value;
	} values[] = {
		{"SPE mask", c->events},
		{"SPE EVENTS", m->op ? m->op->events & c->events : 0},
		{"SPE 16bit counters", c->count_size == 16},
		{"SPE Events packet payload size", c->events_size},
		{"SPE Data Source packet payload size", c->source_size},
		{"SPE get prev br if not br", c->pbt_all},
		{"SPE prev br on eret", 1},
		{"SPE prev br on exception", 1},
		{"SPE prev br on isb", 1},
		{"SPE PAT for tag unchecked access zero", 0},
		{"SPE non-tbi tag is zero", 0},
		{"Report SPE ExtAbort on TTW as fault", !c->walk_ea},
		{"Report SPE ExtAbort as SError", c->external_abort == SPE_ABORT_SERROR},
		{"Report SPE ExtAbort asynchronously", c->external_abort == SPE_ABORT_ASYNC},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (strcmp(text, values[i].text) != 0)
			continue;
		if (value->kind == ASL_BOOLEAN)
			*value = asl_boolean(values[i].value);
		else if (value->kind == ASL_NUMBER)
			*value = asl_number((asl_int128)values[i].value);
		else if (value->kind == ASL_BITS)
			*value = asl_bits_value(value->width, values[i].value);
		return true;
	}
	return false;
}

/* ---- life */

static bool read_texts(struct functions_machine *m, const struct functions_text *text)
{
	struct asl_error error;

	if (!asl_code_read(m->code, "the machine", functions_prelude, strlen(functions_prelude),
			   false, &error)) {
		fprintf(m->why, "the machine:%u: %s\n", error.line, error.text);
		return false;
	}
	for (size_t i = 0; i < text->count; i++) {
		const struct functions_file *f = &text->files[i];

		/* What the machine declares is not taken from the text. */
		if (!asl_code_read(m->code, f->path, f->bytes, f->size, true, &error)) {
			fprintf(m->why, "%s:%u: %s\n", f->path, error.line, error.text);
			return false;
		}
	}
	if (asl_code_link(m->code, &error))
		return true;
	fprintf(m->why, "line %u: %s\n", error.line, error.text);
	return false;
}

bool machine_open(struct functions_machine *m, const struct functions_text *text, FILE *why)
{
	*m = (struct functions_machine){.why = why};
	m->host = (struct asl_host){.ctx = m,
				    .hooks = hooks,
				    .hook_count = sizeof(hooks) / sizeof(hooks[0]),
				    .words = words,
				    .defined = defined};
	m->code = asl_code_new(&m->host);
	if (!read_texts(m, text))
		return false;
	for (unsigned int i = 0; i < FUNCTIONS_CALLS; i++)
		m->calls[i] = asl_code_function(m->code, call_names[i]);
	if (m->calls[CALL_START] >= 0 || m->calls[CALL_COLLECT] >= 0)
		return true;
	fputs("neither SPEStartSample() nor SPEToCollectSample() is in the text\n", why);
	return false;
}

void machine_close(struct functions_machine *m)
{
	asl_code_free(m->code);
	m->code = NULL;
}

static bool note(struct functions_machine *m)
{
	if (!m->failed)
		fprintf(m->why, "%s\n", asl_code_error(m->code));
	m->failed = true;
	return false;
}

bool machine_start(struct functions_machine *m, const struct spe_config *config)
{
	m->config = config;
	m->op = NULL;
	m->ns = true;
	m->nse = false;
	m->serrors = 0;
	m->failed = false;
	m->write = (struct vspe_subject_write){.status = VSPE_SUBJECT_WRITE_OK};
	memset(m->events, 0, sizeof(m->events));
	if (!asl_code_start(m->code))
		return note(m);
	if (m->calls[CALL_RESET] >= 0)
		machine_call(m, CALL_RESET, NULL, 0);
	return !m->failed;
}

bool machine_call(struct functions_machine *m, enum functions_call which,
		  const struct asl_value *arguments, unsigned int count)
{
	struct asl_value result = {0};

	if (m->failed)
		return false;
	if (m->calls[which] < 0) {
		fprintf(m->why, "%s() is not in the text\n", call_names[which]);
		m->failed = true;
		return false;
	}
	if (!asl_code_call(m->code, m->calls[which], arguments, count, &result))
		return note(m);
	return result.kind == ASL_BOOLEAN && result.u.boolean;
}

/* ---- variables */

static struct asl_value *variable(struct functions_machine *m, const char *name)
{
	struct asl_value *v = m->failed ? NULL : asl_code_variable(m->code, name);

	if (!v && !m->failed) {
		fprintf(m->why, "%s is not in the text\n", name);
		m->failed = true;
	}
	return v;
}

static uint64_t number_of(const struct asl_value *v)
{
	switch (v->kind) {
	case ASL_BOOLEAN: return v->u.boolean;
	case ASL_NUMBER: return (uint64_t)v->u.integer;
	case ASL_BITS: return (uint64_t)v->u.bits;
	default: return 0;
	}
}

static void set_number(struct asl_value *v, uint64_t value)
{
	if (v->kind == ASL_BOOLEAN)
		v->u.boolean = value != 0;
	else if (v->kind == ASL_NUMBER)
		v->u.integer = (asl_int128)value;
	else if (v->kind == ASL_BITS)
		v->u.bits = value & asl_mask(v->width);
}

uint64_t machine_get(struct functions_machine *m, const char *name)
{
	const struct asl_value *v = variable(m, name);

	return v ? number_of(v) : 0;
}

void machine_set(struct functions_machine *m, const char *name, uint64_t value)
{
	struct asl_value *v = variable(m, name);

	if (v)
		set_number(v, value);
}

static struct asl_value *element(struct functions_machine *m, const char *name, unsigned int i)
{
	struct asl_value *v = variable(m, name);

	return v && v->kind == ASL_ARRAY && i < v->count ? &v->u.parts[i] : NULL;
}

uint64_t machine_get_element(struct functions_machine *m, const char *name, unsigned int i)
{
	const struct asl_value *v = element(m, name, i);

	return v ? number_of(v) : 0;
}

void machine_set_element(struct functions_machine *m, const char *name, unsigned int i,
			 uint64_t value)
{
	struct asl_value *v = element(m, name, i);

	if (v)
		set_number(v, value);
}

static struct asl_value *part_of(struct functions_machine *m, const char *name, const char *part)
{
	struct asl_value *v = variable(m, name);

	return v ? asl_code_part(m->code, v, part) : NULL;
}

void machine_set_part(struct functions_machine *m, const char *name, const char *part,
		      uint64_t value)
{
	struct asl_value *v = part_of(m, name, part);

	if (v)
		set_number(v, value);
}

struct asl_value machine_member(struct functions_machine *m, const char *member)
{
	const struct asl_value *v = variable(m, member);

	return v ? *v : (struct asl_value){.kind = ASL_NOTHING};
}

void machine_set_member(struct functions_machine *m, const char *name, const char *part,
			const char *member)
{
	struct asl_value *v = part_of(m, name, part);

	if (v)
		*v = machine_member(m, member);
}

bool machine_is_member(struct functions_machine *m, const char *name, const char *part,
		       const char *member)
{
	const struct asl_value *v = part_of(m, name, part);

	return v && !strcmp(asl_code_member(m->code, v), member);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same for a unit and for the functions: registers, members of the population, sampled
 * operations, ends of writes to the buffer; and a comparison of all that software sees.
 */
#include "conform/functions_pair.h"
#include "conform/model_op.h"

#include <inttypes.h>
#include <string.h>

#define START	     UINT64_C(0x200000)
#define LIMIT	     UINT64_C(0x208000)
#define E	     UINT64_C(1)
#define SR_COLL	     (UINT64_C(1) << 16)
#define SR_S	     (UINT64_C(1) << 17)
#define SR_DL	     (UINT64_C(1) << 19)
#define RETIRED	     (UINT64_C(1) << 1)
#define PMSCR_SPE    UINT64_C(3)
#define MEMBERS_MOST 1200u

enum {
	QUESTION_TAIL,
	QUESTION_BOTH,
	QUESTION_PREVIOUS,
	QUESTION_LOSS,
	QUESTION_FULL,
	QUESTION_RETIRED
};

const struct functions_question functions_questions[FUNCTIONS_QUESTIONS] = {
	[QUESTION_TAIL] = {"tail",
			   "with RND 0 ECOUNT stays (J1.1.1.124), and goes down (D17.3.4.3)"},
	[QUESTION_BOTH] = {"both", "both counters at zero on one member draw another tail "
				   "(J1.1.1.124), and select it as well (D17.3.4.3)"},
	[QUESTION_PREVIOUS] = {"previous", "only taken branches have the previous branch's target "
					   "(J1.1.1.73), and all (D17.5, D18.2.1)"},
	[QUESTION_LOSS] = {"loss", "a fault within a record leaves DL (J1.3.4.3), and sets it "
				   "(D17.8.3)"},
	[QUESTION_FULL] = {"full", "SAMPLE_BUFFER_FULL counts after a fault (J1.1.1.76), and only "
				   "with its event (D17.8.2)"},
	[QUESTION_RETIRED] = {"retired", "filters test event 1 (J1.1.1.85), and ignore it where "
					 "all operations retire (PMSEVFR_EL1)"},
};

#define TRACE(p, ...)                                     \
	do {                                              \
		if ((p)->trace)                           \
			fprintf((p)->trace, __VA_ARGS__); \
	} while (0)

/* ---- the unit's side */

static struct vspe_subject_write take_record(void *ctx, uint64_t va, const uint8_t *bytes,
					     size_t size)
{
	struct functions_pair *p = ctx;

	p->address = va;
	p->size = size < UNIT_RECORD_MAX ? size : UNIT_RECORD_MAX;
	memcpy(p->record, bytes, p->size);
	/* A fault within a record comes after its first byte, and not after its last. */
	if (size > 0 && p->next.written >= size)
		p->next.written = (uint32_t)size - 1;
	return p->next;
}

static void count_event(void *ctx, uint16_t event, uint64_t count)
{
	struct functions_pair *p = ctx;

	for (unsigned int i = 0; i < FUNCTIONS_EVENTS; i++)
		if (event == functions_events[i])
			p->events[i] += count;
}

static uint8_t next_random(void *ctx)
{
	return unit_random(&((struct functions_pair *)ctx)->bench.state);
}

static void count_serror(void *ctx)
{
	((struct functions_pair *)ctx)->serrors++;
}

/* A configuration that the text can be bound to. */
static void any_config(struct spe_config *c, enum spe_version version, uint64_t *random)
{
	uint64_t r;

	do
		model_config(c, random);
	while (c->version != version || c->layout != SPE_LAYOUT_GENERIC);
	r = model_random(random);
	c->extended_headers = false;
	c->extra_packets = 0;
	c->ernd = r & 1;
	c->reload = SPE_RELOAD_BEFORE_TAIL;
	c->partial = SPE_PARTIAL_KEPT;
	c->fault_lag = 0;
	c->external_abort = version < SPE_V1P3 ? (enum spe_external_abort)(r >> 8 & 3)
			    : r >> 8 & 1       ? SPE_ABORT_IGNORE
					       : SPE_ABORT_SERROR;
	/* The text has one choice for aborts on walks and on the write. */
	c->walk_ea = c->external_abort == SPE_ABORT_SYNC && (r >> 10 & 1);
}

/* ---- registers */

static const struct shared {
	enum sysreg_id reg;
	const char *name;
} shared[] = {
	{SYSREG_PMSIRR_EL1, "PMSIRR_EL1"},	 {SYSREG_PMSCR_EL1, "PMSCR_EL1"},
	{SYSREG_PMSCR_EL2, "PMSCR_EL2"},	 {SYSREG_PMSFCR_EL1, "PMSFCR_EL1"},
	{SYSREG_PMSEVFR_EL1, "PMSEVFR_EL1"},	 {SYSREG_PMSNEVFR_EL1, "PMSNEVFR_EL1"},
	{SYSREG_PMSLATFR_EL1, "PMSLATFR_EL1"},	 {SYSREG_PMSDSFR_EL1, "PMSDSFR_EL1"},
	{SYSREG_PMSIDR_EL1, "PMSIDR_EL1"},	 {SYSREG_PMBIDR_EL1, "PMBIDR_EL1"},
	{SYSREG_PMBLIMITR_EL1, "PMBLIMITR_EL1"}, {SYSREG_PMBPTR_EL1, "PMBPTR_EL1"},
	{SYSREG_PMBSR_EL1, "PMBSR_EL1"},
};

static bool is_here(const struct functions_pair *p, enum sysreg_id reg)
{
	if (reg == SYSREG_PMSNEVFR_EL1)
		return p->bench.config.version >= SPE_V1P2;
	return reg != SYSREG_PMSDSFR_EL1 || p->bench.config.fds;
}

/* The functions get what the unit's register reads as; E[1] is one of the questions. */
static void share(struct functions_pair *p, enum sysreg_id reg)
{
	const bool events = reg == SYSREG_PMSEVFR_EL1 || reg == SYSREG_PMSNEVFR_EL1;
	const uint64_t mask = events ? ~RETIRED : UINT64_MAX;

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (shared[i].reg == reg && is_here(p, reg))
			machine_set(p->m, shared[i].name, unit_read(&p->bench, reg) & mask);
}

/* E[1] of a filter is ignored where no operation fails to retire; the text has it always. */
static bool asks_retired(struct functions_pair *p)
{
	struct unit_bench *b = &p->bench;

	return (unit_read(b, SYSREG_PMSEVFR_EL1) & RETIRED) ||
	       (is_here(p, SYSREG_PMSNEVFR_EL1) && (unit_read(b, SYSREG_PMSNEVFR_EL1) & RETIRED));
}

static void write_both(struct functions_pair *p, enum sysreg_id reg, uint64_t value)
{
	if (!is_here(p, reg))
		return;
	unit_write(&p->bench, reg, value);
	share(p, reg);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (shared[i].reg == reg)
			TRACE(p, "  write %s 0x%" PRIx64 "\n", shared[i].name, value);
}

static void write_counters(struct functions_pair *p, uint64_t count, uint64_t ecount)
{
	const uint64_t value = count | (p->bench.config.ernd ? ecount << 56 : 0);

	TRACE(p, "  write PMSICR_EL1 0x%" PRIx64 "\n", value);
	unit_write(&p->bench, SYSREG_PMSICR_EL1, value);
	machine_set(p->m, "PMSICR_EL1", value);
}

bool pair_open(struct functions_pair *p, enum spe_version version, uint64_t seed,
	       const char **skipped)
{
	struct unit_bench *b = &p->bench;
	uint64_t random = seed;

	unit_prepare(b, p->bench.subject, version);
	any_config(&b->config, version, &random);
	b->config.pbt = b->config.pbt && p->m->calls[CALL_BRANCH] >= 0;
	b->random_own = false;
	b->state = seed;
	b->host.ctx = p;
	b->host.write = take_record;
	b->host.pmu_event = count_event;
	b->host.random = next_random;
	b->host.serror = count_serror;
	b->pe.features = VSPE_SUBJECT_EL2;
	b->pe.mdcr_el2 = UINT64_C(3) << 12;
	memset(p->events, 0, sizeof(p->events));
	p->serrors = 0;
	p->next = (struct vspe_subject_write){.status = VSPE_SUBJECT_WRITE_OK};
	if (!unit_start(b, 1 << 8 | (seed & 1), p->why))
		return false;
	if (b->random_own || b->any_order || b->config.layout != SPE_LAYOUT_GENERIC ||
	    (b->config.ernd && b->config.reload != SPE_RELOAD_BEFORE_TAIL)) {
		*skipped = "the subject's choices are not those of the text";
		return false;
	}
	if (!machine_start(p->m, &b->config))
		return false;
	p->m->random = seed;
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		share(p, shared[i].reg);
	machine_set(p->m, "MDCR_EL2", UINT64_C(3) << 12);
	machine_set_part(p->m, "PSTATE", "EL", 1);
	write_both(p, SYSREG_PMSCR_EL1, PMSCR_SPE);
	write_both(p, SYSREG_PMBPTR_EL1, START);
	write_both(p, SYSREG_PMBLIMITR_EL1, LIMIT | E);
	p->op = functions_op(&b->config, seed);
	return !p->m->failed;
}

void pair_close(struct functions_pair *p)
{
	unit_end(&p->bench);
}

/* ---- comparison */

static bool differ(struct functions_pair *p, const char *what, uint64_t unit, uint64_t text)
{
	fprintf(p->why, "%s: 0x%" PRIx64 " in the unit, 0x%" PRIx64 " in the text\n", what, unit,
		text);
	return false;
}

static bool same_register(struct functions_pair *p, enum sysreg_id reg, const char *name)
{
	const uint64_t unit = unit_read(&p->bench, reg), text = machine_get(p->m, name);

	return unit == text || differ(p, name, unit, text);
}

static bool same(struct functions_pair *p)
{
	char what[32];

	if (p->m->failed)
		return false;
	for (unsigned int i = 0; p->bench.pmu_events && i < FUNCTIONS_EVENTS; i++) {
		/* Without SPEStartSample() nothing reports the population. */
		if (p->events[i] == p->m->events[i] || p->m->calls[CALL_COMPLETE] < 0 ||
		    !functions_events[i])
			continue;
		snprintf(what, sizeof(what), "PMU event 0x%04x", functions_events[i]);
		return differ(p, what, p->events[i], p->m->events[i]);
	}
	if (p->serrors != p->m->serrors)
		return differ(p, "SErrors", p->serrors, p->m->serrors);
	return same_register(p, SYSREG_PMBSR_EL1, "PMBSR_EL1") &&
	       same_register(p, SYSREG_PMBPTR_EL1, "PMBPTR_EL1") &&
	       same_register(p, SYSREG_PMSICR_EL1, "PMSICR_EL1");
}

/* What both wrote; of a fault, what the text would have written. */
static bool same_record(struct functions_pair *p, uint64_t start)
{
	const size_t text = p->m->bytes ? (size_t)machine_get(p->m, "SPERecordSize") : 0;
	char what[40];

	if (p->size != text)
		return differ(p, "the record's bytes", p->size, text);
	if (p->size && p->address != start)
		return differ(p, "the record's address", p->address, start);
	for (unsigned int i = 0; i < text; i++) {
		const uint64_t byte = machine_get_element(p->m, "SPERecordData", i);

		if (byte == p->record[i])
			continue;
		snprintf(what, sizeof(what), "byte %u of the record", i);
		return differ(p, what, p->record[i], byte);
	}
	p->result->records += text > 0;
	return true;
}

/* ---- members and samples */

/* The PE executes op, which stays there. */
static void set_place(struct functions_pair *p, const struct spe_op *op)
{
	struct functions_machine *m = p->m;

	m->op = op;
	m->ns = op->ns;
	m->nse = op->nse;
	machine_set_part(m, "PSTATE", "EL", op->el);
	machine_set(m, "CONTEXTIDR_EL1", op->contextidr_el1);
	machine_set(m, "CONTEXTIDR_EL2", op->contextidr_el2);
}

static void ask(struct functions_pair *p, unsigned int question)
{
	p->result->questions[question]++;
}

/*
 * The text has a previous branch target in records of taken branches only. D18.2 has one whenever
 * there is one: for all branches, or for all operations (config.pbt_all).
 */
static void answer_previous(struct functions_pair *p)
{
	const uint32_t flags = p->op.op.flags;
	const bool taken = flags & SPE_OP_TAKEN;
	const bool has = !taken && ((flags & SPE_OP_BRANCH) || p->bench.config.pbt_all);

	if (!p->bench.config.pbt || !has || machine_get_element(p->m, "SPESampleAddressValid", 4) ||
	    !machine_get(p->m, "SPESamplePreviousBranchAddressValid"))
		return;
	machine_set_element(p->m, "SPESampleAddress", 4,
			    machine_get(p->m, "SPESamplePreviousBranchAddress"));
	machine_set_element(p->m, "SPESampleAddressValid", 4, 1);
	ask(p, QUESTION_PREVIOUS);
}

/* A fault within a record loses it: D17.8.3 has DL, the text leaves it as it was. */
static void answer_loss(struct functions_pair *p)
{
	const uint64_t unit = unit_read(&p->bench, SYSREG_PMBSR_EL1);

	if (p->next.status != VSPE_SUBJECT_WRITE_FAULT || !p->next.written || !p->size ||
	    (unit ^ machine_get(p->m, "PMBSR_EL1")) != SR_DL || !(unit & SR_DL))
		return;
	machine_set(p->m, "PMBSR_EL1", unit);
	ask(p, QUESTION_LOSS);
}

/* After a fault the text counts SAMPLE_BUFFER_FULL by the pointer, though the event is dropped. */
static void answer_full(struct functions_pair *p, uint64_t full_before)
{
	const unsigned int full = 11;

	if (p->next.status == VSPE_SUBJECT_WRITE_OK || p->m->events[full] == full_before ||
	    p->events[full] == p->m->events[full])
		return;
	p->m->events[full] = p->events[full];
	ask(p, QUESTION_FULL);
}

static void feed_branch(struct functions_pair *p, const struct spe_op *op)
{
	const struct vspe_subject_target target = {
		.va = op->target, .el = op->target_el, .ns = op->target_ns, .nse = op->target_nse};

	if (p->bench.subject->unit_branch && p->bench.config.pbt)
		p->bench.subject->unit_branch(p->bench.unit, &target);
}

static bool complete(struct functions_pair *p)
{
	const uint64_t start = machine_get(p->m, "PMBPTR_EL1"), full = p->m->events[11];
	bool right;

	if (p->m->calls[CALL_COMPLETE] < 0 || !p->bench.subject->unit_sample) {
		unit_abandon(&p->bench);
		return true;
	}
	if (!functions_op_tell(p->m, &p->op))
		return false;
	answer_previous(p);
	if (asks_retired(p))
		ask(p, QUESTION_RETIRED);
	TRACE(p,
	      "  sample: %s, header 0x%02x 0x%02x, flags 0x%x, events 0x%" PRIx64
	      ", latency %u, source 0x%x; write %d after %u bytes\n",
	      functions_op_name(&p->op), p->op.op.type_header, p->op.op.type_payload,
	      p->op.op.flags, p->op.op.events, p->op.op.total_latency, p->op.op.data_source,
	      p->next.status, p->next.written);
	p->size = 0;
	p->m->bytes = 0;
	unit_sample(&p->bench, &p->op.op);
	if (p->op.op.flags & SPE_OP_TAKEN)
		feed_branch(p, &p->op.op);
	p->m->write = p->next;
	machine_call(p->m, CALL_COMPLETE, NULL, 0);
	p->result->samples++;
	answer_loss(p);
	answer_full(p, full);
	right = !p->m->failed && same_record(p, start);
	machine_set_part(p->m, "PSTATE", "EL", 1);
	return right;
}

/* Is the difference one of ECOUNT's questions? Then the text follows the unit. */
static bool answer_tail(struct functions_pair *p, uint64_t before, bool unit, bool text)
{
	const uint32_t count = (uint32_t)before, ecount = (uint32_t)(before >> 56);
	const bool random = machine_get(p->m, "PMSIRR_EL1") & 1;
	const uint64_t after = unit_read(&p->bench, SYSREG_PMSICR_EL1);
	const uint64_t other = after ^ machine_get(p->m, "PMSICR_EL1");

	/* ECOUNT alone differs: it goes down in the unit, and selects at zero. */
	if (p->bench.config.ernd && ecount && !random && other && !(other << 8) &&
	    after >> 56 == ecount - 1 && (unit == text || (unit && ecount == 1))) {
		ask(p, QUESTION_TAIL);
		machine_set(p->m, "PMSICR_EL1", after);
		return true;
	}
	if (p->bench.config.ernd && random && count == 1 && ecount == 1 && unit && !text) {
		ask(p, QUESTION_BOTH);
		return true;
	}
	return unit == text;
}

/* One member of the population; *selected, if both select it. */
static bool member(struct functions_pair *p, bool *selected)
{
	const uint64_t before = machine_get(p->m, "PMSICR_EL1");
	const bool whole = p->m->calls[CALL_START] >= 0;
	/* SPEStartSample() looks itself whether profiling is enabled. */
	const bool enabled = (machine_get(p->m, "PMBLIMITR_EL1") & E) &&
			     !(machine_get(p->m, "PMBSR_EL1") & SR_S);
	bool unit, text = false;

	set_place(p, &p->op.op);
	unit = unit_advance(&p->bench, 1);
	if (whole || enabled)
		text = machine_call(p->m, whole ? CALL_START : CALL_COLLECT, NULL, 0);
	p->result->operations++;
	*selected = unit && text;
	if (p->m->failed)
		return false;
	if (!answer_tail(p, before, unit, text)) {
		fprintf(p->why, "a member of the population: %s by the unit, %s by the text\n",
			unit ? "selected" : "not selected", text ? "selected" : "not selected");
		return false;
	}
	if (unit && !text)
		unit_abandon(&p->bench);
	/* A sample that only the text has is forgotten. */
	if (text && !unit && whole) {
		machine_set(p->m, "SPESampleInFlight", 0);
		machine_call(p->m, CALL_RESET, NULL, 0);
	}
	return !p->m->failed;
}

static bool pass(struct functions_pair *p, unsigned int most, bool until_selected)
{
	bool selected = false;

	TRACE(p, "  up to %u members%s\n", most, until_selected ? " to the next selection" : "");
	for (unsigned int i = 0; i < most && !(selected && until_selected); i++) {
		if (!member(p, &selected) || (selected && !complete(p)))
			return false;
		/* An event ends profiling. */
		if (machine_get(p->m, "PMBSR_EL1") & SR_S)
			return true;
	}
	return true;
}

/* ---- actions */

static struct vspe_subject_write any_end(uint64_t r)
{
	static const uint8_t codes[] = {0x00, 0x07, 0x09, 0x0c, 0x0f, 0x14, 0x17, 0x21};
	const bool stage2 = r >> 32 & 1;

	return (struct vspe_subject_write){
		.status = r % 16 < 11	? VSPE_SUBJECT_WRITE_OK
			  : r % 16 < 13 ? VSPE_SUBJECT_WRITE_EXTERNAL_ABORT
					: VSPE_SUBJECT_WRITE_FAULT,
		.written = r >> 8 & 1 ? r >> 16 & 63 : 0,
		.fsc = codes[(r >> 24) % sizeof(codes)],
		.stage2 = stage2,
		.mss2 = (uint16_t)(r >> 40 & (stage2 ? 0x1e0 : 0x60)),
	};
}

/* Few bits, so that some operations pass; now and then none. */
static uint64_t few_bits(uint64_t *random)
{
	const uint64_t r = model_random_sparse(random, 5);

	return model_random(random) & 7 ? r : 0;
}

static void write_filters(struct functions_pair *p, uint64_t random)
{
	const uint64_t r = model_random(&random);
	const uint64_t fcr = (r & 31) | (r >> 8 & 31) << 16 | (r >> 16 & 31 & r >> 21) << 48;

	write_both(p, SYSREG_PMSFCR_EL1, r >> 40 & 3 ? fcr : 0);
	write_both(p, SYSREG_PMSEVFR_EL1, few_bits(&random));
	write_both(p, SYSREG_PMSNEVFR_EL1, few_bits(&random));
	write_both(p, SYSREG_PMSLATFR_EL1,
		   r >> 32 & 3	 ? r >> 36 & 0xff
		   : r >> 34 & 1 ? r >> 44
				 : 0);
	write_both(p, SYSREG_PMSDSFR_EL1, model_random(&random));
}

/* A branch that is not sampled. */
static void branch(struct functions_pair *p, uint64_t random)
{
	const struct functions_op o = functions_op(&p->bench.config, random);
	struct asl_value arguments[4];

	if (!p->bench.config.pbt)
		return;
	set_place(p, &o.op);
	machine_set_part(p->m, "PSTATE", "EL", o.op.target_el);
	arguments[0] = asl_bits_value(64, o.op.target);
	arguments[1] = machine_member(p->m, "BranchType_DIR");
	arguments[2] = asl_boolean(false);
	arguments[3] = asl_boolean(true);
	TRACE(p, "  a branch to 0x%" PRIx64 " at EL%u\n", o.op.target, o.op.target_el);
	machine_call(p->m, CALL_BRANCH, arguments, 4);
	feed_branch(p, &o.op);
	set_place(p, &p->op.op);
}

static bool switch_off_and_on(struct functions_pair *p, uint64_t bits)
{
	bool selected;

	write_both(p, SYSREG_PMBLIMITR_EL1, LIMIT);
	for (unsigned int i = 0; i < (bits >> 8 & 3); i++)
		if (!member(p, &selected))
			return false;
	if (bits & 1)
		branch(p, bits >> 16);
	if (bits & 2)
		write_counters(p, bits & 4 ? bits >> 16 & 1023 : 0, 0);
	write_both(p, SYSREG_PMBLIMITR_EL1, LIMIT | E);
	return pass(p, 1, false);
}

static bool sample(struct functions_pair *p, uint64_t bits)
{
	p->op = functions_op(&p->bench.config, bits);
	p->next = any_end(model_random(&bits));
	/* Not many members to the next one, as a rule. */
	if (bits & 15)
		write_counters(p, 1 + (bits >> 8 & 7), bits & 4 ? bits >> 16 & 15 : 0);
	return pass(p, MEMBERS_MOST, true);
}

static void restart(struct functions_pair *p, uint64_t bits)
{
	const uint64_t room = UINT64_C(1) << p->bench.config.max_size;
	const uint64_t align = UINT64_C(1) << p->bench.config.align;

	/* What handles an event takes branches, while profiling is disabled. */
	if (machine_get(p->m, "PMBSR_EL1") & SR_S)
		branch(p, bits);
	write_both(p, SYSREG_PMBPTR_EL1,
		   (bits & 1 ? START : LIMIT - room * (1 + (bits >> 8 & 7))) & ~(align - 1));
	write_both(p, SYSREG_PMBSR_EL1, bits >> 16 & (SR_COLL | SR_DL));
}

static bool act(struct functions_pair *p, uint64_t bits)
{
	const uint64_t r = bits >> 4;

	switch (bits & 15) {
	case 0: return switch_off_and_on(p, r);
	case 1: write_counters(p, r & 1 ? r >> 8 & 2047 : 0, r & 2 ? r >> 20 & 255 : 0); break;
	case 2: write_both(p, SYSREG_PMSIRR_EL1, (1 + (r >> 8 & 1)) << 8 | (r & 1)); break;
	case 3: write_filters(p, r); break;
	case 4:
		write_both(p, SYSREG_PMSCR_EL1, PMSCR_SPE | (r & 0x38));
		write_both(p, SYSREG_PMSCR_EL2, r >> 8 & 0x38);
		break;
	case 5:
	case 6: branch(p, r); break;
	case 7: restart(p, r); break;
	case 8: return pass(p, 1 + (r & 63), false);
	default: return sample(p, r);
	}
	/* A load of COUNT is by the next member. */
	return pass(p, 1, false);
}

bool pair_begin(struct functions_pair *p)
{
	return pass(p, 1, false) && same(p);
}

bool pair_step(struct functions_pair *p, uint64_t bits)
{
	if (machine_get(p->m, "PMBSR_EL1") & SR_S) {
		restart(p, bits >> 20);
		if (!pass(p, 1, false))
			return false;
	}
	return act(p, bits) && same(p);
}

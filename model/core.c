/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline of a core of the machine model (Arm ARM D17.4, D18.2, D14). */
#include "core.h"

#include "access.h"

#include "../spe/fields.h"

/* What the operation is, and how it ended; the rest is the machine's. */
#define KEPT_EVENTS                                                   \
	(SPE_EVENT_EXCEPTION | SPE_EVENT_RETIRED | EVENT_MISALIGNED | \
	 SPE_EVENT_PARTIAL_PREDICATE | SPE_EVENT_EMPTY_PREDICATE)

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Latencies have 16 bits in a struct spe_op. */
static uint16_t saturate(uint64_t cycles)
{
	return (uint16_t)(cycles < UINT16_MAX ? cycles : UINT16_MAX);
}

/* What the operation accesses, if it is one place. */
static struct model_piece only_piece(const struct model_facts *facts, const struct spe_op *op)
{
	return (struct model_piece){
		.va = op->data_va,
		.pa = op->data_pa,
		.size = facts->size ? facts->size : 1,
		.place = (uint8_t)facts->place,
		.store = op->flags & SPE_OP_STORE || facts->place == MODEL_ZEROED,
	};
}

/* The cycle in which an operation is dispatched: in order, with a limit per cycle. */
static uint64_t next_dispatch(const struct model_config *config, const struct model_pipe *pipe,
			      uint32_t held)
{
	const uint64_t room = pipe->queue[pipe->queue_at];
	uint64_t at = pipe->front + held;

	if (pipe->dispatched >= config->width && at == pipe->front)
		at++;
	return later(at, room);
}

uint64_t model_core_dispatch(const struct model *model, uint32_t index, uint32_t held)
{
	return next_dispatch(&model->config, &model->cores[index].pipe, held);
}

static uint64_t dispatch(const struct model_config *config, struct model_pipe *pipe, uint32_t held)
{
	const uint64_t at = next_dispatch(config, pipe, held);

	pipe->dispatched = at == pipe->front ? pipe->dispatched + 1 : 1;
	pipe->front = at;
	return at;
}

/*
 * Count the cycles since the last issue in which nothing was issued, as stalls of one side of the
 * pipeline. ready: when the results that the operation needs were there; backend: when there was
 * also a place in the store buffer.
 */
static void count_cycles(struct model_core *core, uint64_t at, uint64_t ready, uint64_t backend)
{
	const uint64_t next = core->pipe.issue + 1, gap = at > next ? at - next : 0;
	uint64_t behind = backend > next ? backend - next : 0;
	uint64_t loads = ready > next ? ready - next : 0; /* the rest: earlier stores */

	behind = behind < gap ? behind : gap;
	loads = loads < behind ? loads : behind;
	core->counts[MODEL_STALL] += gap;
	core->counts[MODEL_STALL_BACKEND] += behind;
	core->counts[MODEL_STALL_BACKEND_ST] += behind - loads;
	core->counts[MODEL_STALL_FRONTEND] += gap - behind;
	core->counts[MODEL_CPU_CYCLES] += at - core->pipe.issue;
}

/* When everything that an operation needs is there. */
static uint64_t results_ready(const struct model_pipe *pipe,
			      const struct a64_register_sets *registers)
{
	uint64_t ready = later(pipe->ready, registers->reads_flags ? pipe->flags : 0);

	for (uint64_t reads = registers->reads; reads; reads &= reads - 1)
		ready = later(ready, pipe->results[__builtin_ctzll(reads)]);
	return ready;
}

/*
 * Its results are there when it is done, but the base of an access earlier: it is just an addition.
 */
static void keep_results(struct model_pipe *pipe, const struct a64_register_sets *registers,
			 uint64_t base, uint64_t done)
{
	for (uint64_t writes = registers->writes; writes; writes &= writes - 1) {
		const int n = __builtin_ctzll(writes);

		pipe->results[n] = registers->base >> n & 1 ? base : done;
	}
	if (registers->writes_flags)
		pipe->flags = done;
}

/* The cycle in which it is issued. store: it needs a place in the store buffer. */
static uint64_t issue(const struct model_config *config, struct model_core *core,
		      const struct model_needs *needs, uint64_t dispatched, bool store)
{
	struct model_pipe *pipe = &core->pipe;
	const uint64_t ready = results_ready(pipe, &needs->registers);
	uint64_t backend = ready, at;

	if (store)
		backend = later(backend, pipe->stores[pipe->store_at]);
	at = later(dispatched + config->issue, later(backend, pipe->issue));
	if (at == pipe->issue && (needs->alone || pipe->issued >= config->width))
		at++;
	count_cycles(core, at, ready, backend);
	pipe->issued = at == pipe->issue ? pipe->issued + 1 : 1;
	if (needs->alone)
		pipe->issued = config->width;
	pipe->issue = at;
	pipe->queue[pipe->queue_at] = at;
	if (++pipe->queue_at == config->queue)
		pipe->queue_at = 0;
	return at;
}

/* A store is done when it is in the store buffer, which writes one line after another. */
static void store_later(const struct model_config *config, struct model_pipe *pipe,
			const struct model_piece *piece, uint64_t done,
			const struct model_data *data)
{
	const uint32_t line = data->access > config->l1d_latency ? data->access : 1;

	pipe->drained = later(pipe->drained, done) + line;
	pipe->stores[pipe->store_at] = pipe->drained;
	pipe->stored[pipe->store_at] = (struct model_stored){piece->pa, piece->size, piece->holes};
	if (++pipe->store_at == config->stores)
		pipe->store_at = 0;
}

unsigned int model_core_in_flight(const struct model_core *core, uint64_t cycle)
{
	unsigned int count = 0;

	for (unsigned int n = 0; n < MODEL_FLIGHTS; n++)
		count += core->pipe.flights[n] > cycle;
	return count;
}

void model_core_fly(struct model_core *core, uint64_t cycle, uint64_t done)
{
	for (unsigned int n = 0; n < MODEL_FLIGHTS; n++) {
		if (core->pipe.flights[n] > cycle)
			continue;
		core->pipe.flights[n] = done;
		return;
	}
}

uint32_t model_core_wrong_count(const struct model_config *config, uint64_t dispatched,
				uint64_t done)
{
	const uint64_t cycles = done - dispatched - 1;

	if (cycles >= config->queue || cycles * config->width >= config->queue)
		return config->queue;
	return (uint32_t)cycles * config->width;
}

static bool predicted(struct model_core *core, const struct model_facts *facts,
		      const struct spe_op *op)
{
	if (facts->flow == A64_FLOW_NONE || facts->excepted)
		return true;
	core->counts[MODEL_BR_PRED] += facts->flow != A64_FLOW_EXCEPTION_RETURN;
	return model_branch_predicted(&core->branch, facts->flow, op->pc, op->flags & SPE_OP_TAKEN,
				      op->target);
}

void model_core_issue_ahead(const struct model *model, uint32_t index, uint32_t held,
			    const struct model_needs *needs, uint64_t counts[MODEL_EVENTS])
{
	struct model_core core = model->cores[index];

	(void)issue(&model->config, &core, needs, dispatch(&model->config, &core.pipe, held),
		    false);
	for (unsigned int event = 0; event < MODEL_EVENTS; event++)
		counts[event] = core.counts[event];
}

/* Is there no other access than that of size and place? One that faults is in the record. */
static bool accesses_once(const struct model_facts *facts)
{
	return !facts->piece_count || facts->excepted;
}

static uint32_t flags_of(const struct model_piece *piece)
{
	return piece->store ? SPE_OP_STORE : SPE_OP_LOAD;
}

/* The same of all pieces. Returns the farthest source. */
static enum model_source access_pieces_only(struct model *model, uint32_t index,
					    const struct model_facts *facts)
{
	enum model_source farthest = MODEL_FROM_L1D, source;

	for (uint32_t n = 0; n < facts->piece_count; n++) {
		source = model_access_only(model, index, facts, &facts->pieces[n]);
		farthest = source > farthest ? source : farthest;
	}
	return farthest;
}

enum model_source model_core_warm(struct model *model, uint32_t index,
				  const struct model_facts *facts, const struct spe_op *op)
{
	const struct model_piece piece = only_piece(facts, op);
	struct model_core *core = &model->cores[index];
	enum model_source source = MODEL_FROM_L1D, pieces;

	core->operations++;
	if (!predicted(core, facts, op))
		core->counts[MODEL_BR_MIS_PRED]++;
	core->way->farthest = MODEL_FROM_L1D;
	if (accesses_once(facts) && (op->flags & SPE_OP_VA_VALID || facts->place == MODEL_ZEROED))
		source = model_access_only(model, index, facts, &piece);
	pieces = access_pieces_only(model, index, facts);
	source = pieces > source ? pieces : source;
	return source > core->way->farthest ? source : (enum model_source)core->way->farthest;
}

/* Is it done as soon as it is in the store buffer? */
static bool is_buffered(const struct model_piece *piece, uint32_t flags)
{
	return piece->place == MODEL_ZEROED ||
	       (piece->place == MODEL_RAM && !(flags & SPE_OP_LOAD));
}

/* What op says of a branch that was mispredicted. */
static void show_prediction(struct model_core *core, const struct model_facts *facts,
			    struct spe_op *op)
{
	if (predicted(core, facts, op))
		return;
	op->events |= SPE_EVENT_MISPREDICTED;
	core->counts[MODEL_BR_MIS_PRED]++;
	core->counts[MODEL_BR_MIS_PRED_RETIRED]++;
}

void model_core_drain(struct model_core *core)
{
	struct model_pipe *pipe = &core->pipe;
	uint64_t last = later(later(pipe->issue, pipe->ready), later(pipe->drained, pipe->flags));

	for (size_t n = 0; n < sizeof(pipe->results) / sizeof(pipe->results[0]); n++)
		last = later(last, pipe->results[n]);
	pipe->front = later(pipe->front, last);
	pipe->dispatched = 0;
}

void model_core_alone(struct model *model, uint32_t index, const struct model_facts *facts,
		      struct spe_op *op)
{
	const struct model_config *config = &model->config;
	const struct model_piece piece = only_piece(facts, op);
	struct model_core *core = &model->cores[index];
	struct model_data data;

	core->operations++;
	op->events &= KEPT_EVENTS;
	op->data_source = 0;
	data = model_access_data(model, index, facts, &piece, op);
	show_prediction(core, facts, op);
	op->issue_latency = saturate(config->issue);
	op->translation_latency = saturate(data.translation);
	op->total_latency =
		saturate((uint64_t)config->issue + data.translation +
			 (is_buffered(&piece, op->flags) ? config->simple : data.access));
}

/* An access that is issued in a cycle. Returns the cycle in which it is done. */
static uint64_t make_access(struct model *model, uint32_t index, const struct model_facts *facts,
			    const struct model_piece *piece, uint64_t issued, struct spe_op *op,
			    struct model_data *data)
{
	const struct model_config *config = &model->config;
	struct model_core *core = &model->cores[index];
	const bool buffered = is_buffered(piece, op->flags);
	uint64_t done;

	core->way->now = issued;
	*data = model_access_data(model, index, facts, piece, op);
	core->way->now = 0;
	done = issued + data->translation + (buffered ? config->simple : data->access);
	if (buffered)
		store_later(config, &core->pipe, piece, done, data);
	return done;
}

/* What is issued in the cycle of the last issue: n of so many accesses of one operation. */
static uint64_t issue_piece(const struct model_config *config, struct model_core *core, uint32_t n,
			    bool buffered)
{
	struct model_pipe *pipe = &core->pipe;
	const bool next = config->ports && n % config->ports == 0;
	uint64_t at = pipe->issue + next;

	if (buffered)
		at = later(at, pipe->stores[pipe->store_at]);
	count_cycles(core, at, 0, at);
	pipe->issued = at == pipe->issue && pipe->issued < config->width ? pipe->issued + 1 : 1;
	pipe->issue = at;
	return at;
}

/* Is it slower than another access of the operation, or as slow and from farther away? */
static bool is_worse(const struct model_data *data, const struct model_data *than)
{
	const uint64_t cycles = (uint64_t)data->translation + data->access;
	const uint64_t others = (uint64_t)than->translation + than->access;

	return cycles > others || (cycles == others && data->source > than->source);
}

/*
 * The accesses of an operation that makes several: the first is issued with it, the others in the
 * same cycle and the next ones. The slowest one is shown, and that of the last one to be done is
 * its latency. Returns when that is.
 */
static uint64_t make_pieces(struct model *model, uint32_t index, const struct model_facts *facts,
			    uint64_t issued, struct spe_op *op, struct model_data *worst)
{
	const struct model_config *config = &model->config;
	struct model_core *core = &model->cores[index];
	const bool stores = !(op->flags & SPE_OP_LOAD);
	uint64_t done = issued + config->simple, loaded = 0, events = 0;
	bool any = false, waits = false;

	for (uint32_t n = 0; n < facts->piece_count; n++) {
		const struct model_piece *piece = &facts->pieces[n];
		struct spe_op shown = {.flags = SPE_OP_VA_VALID | flags_of(piece)};
		struct model_data data;
		uint64_t end;

		if (n)
			issued = issue_piece(config, core, n, is_buffered(piece, shown.flags));
		end = make_access(model, index, facts, piece, issued, &shown, &data);
		done = later(done, end);
		loaded = piece->store ? loaded : later(loaded, end);
		waits |= data.waits;
		if (piece->store != stores)
			continue;
		events |= shown.events & SPE_EVENT_TLB_REFILL;
		if (any && !is_worse(&data, worst))
			continue;
		any = true;
		*worst = data;
		op->data_source = shown.data_source;
		op->events = (op->events & KEPT_EVENTS) | shown.events;
	}
	op->events |= events;
	worst->waits = waits;
	if (facts->gathers && config->gather > config->l1d_latency)
		loaded += config->gather - config->l1d_latency;
	return later(done, loaded);
}

void model_core_execute(struct model *model, uint32_t index, const struct model_facts *facts,
			uint32_t held, struct spe_op *op)
{
	const struct model_config *config = &model->config;
	struct model_core *core = &model->cores[index];
	const struct model_piece piece = only_piece(facts, op);
	const bool once = accesses_once(facts);
	const bool buffered = once ? is_buffered(&piece, op->flags)
				   : is_buffered(facts->pieces, flags_of(facts->pieces));
	uint64_t dispatched, issued, done;
	struct model_data data = {.translation = 0};

	core->operations++;
	op->events &= KEPT_EVENTS;
	op->data_source = 0;
	dispatched = dispatch(config, &core->pipe, held);
	issued = issue(config, core, &facts->needs, dispatched, buffered);
	if (once) {
		done = make_access(model, index, facts, &piece, issued, op, &data);
		(void)access_pieces_only(model, index, facts);
	} else {
		done = make_pieces(model, index, facts, issued, op, &data);
	}
	if (!facts->excepted)
		keep_results(&core->pipe, &facts->needs.registers, issued + config->simple, done);
	if (data.waits)
		core->pipe.ready = later(core->pipe.ready, done);
	show_prediction(core, facts, op);
	if (facts->flush || op->events & SPE_EVENT_MISPREDICTED) {
		core->pipe.front = later(core->pipe.front, done + config->penalty);
		core->pipe.dispatched = 0;
	}
	op->issue_latency = saturate(issued - dispatched);
	op->translation_latency = saturate(data.translation);
	op->total_latency = saturate(done - dispatched);
}

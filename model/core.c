/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline of a core of the machine model (Arm ARM D17.4, D18.2, D14). */
#include "translate.h"

#include "../spe/fields.h"

/* Events of a record that the model sets. */
#define EVENT_LLC_ACCESS    (UINT64_C(1) << 8)
#define EVENT_LLC_MISS	    (UINT64_C(1) << 9)
#define EVENT_REMOTE	    (UINT64_C(1) << 10)
#define EVENT_LATE_PREFETCH (UINT64_C(1) << 12)
/* From v1p4 on, of loads. */
#define EVENT_L2_ACCESS (UINT64_C(1) << 19)
#define EVENT_L2_MISS	(UINT64_C(1) << 20)
#define EVENT_SNOOPED	(UINT64_C(1) << 23)

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

/* What a data access takes, and where its data comes from. */
struct data {
	uint32_t translation, access; /* cycles */
	bool walked;
	bool waits;		  /* following operations wait for its data */
	bool forwarded;		  /* from a store in the store buffer */
	bool late;		  /* the prefetcher asked for it, but not in time */
	enum model_source source; /* of RAM */
	bool remote;		  /* ... which is another chip's */
};

/* Translate a data access: cycles and events are counted. Returns whether no cache has its page. */
static inline bool translate_data(struct model *model, uint32_t index,
				  const struct model_facts *facts, uint64_t va, struct data *data)
{
	struct model_core *core = &model->cores[index];
	struct model_tlb_key key;
	uint64_t page;

	core->counts[MODEL_L1D_TLB]++;
	data->translation = model->config.dtlb_latency;
	if (!facts->data_tables)
		return facts->data_uncached;
	key = model_key_of(core, facts->data_regime, model_untagged(va));
	if (!model_tlb_use(&core->dtlb, &key, &page)) {
		data->translation =
			model_refill(model, index, facts, key.va, true, &data->walked, &page);
		data->waits = true;
	}
	return facts->data_uncached || page & MODEL_TLB_UNCACHED;
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

static enum model_access access_of(const struct model_piece *piece)
{
	return piece->store ? MODEL_STORE : MODEL_LOAD;
}

/* The lines of an access, at most two; the one that takes longest counts. */
static void access_lines(struct model *model, uint32_t index, const struct model_piece *piece,
			 struct data *data)
{
	const enum model_access access = access_of(piece);
	const uint64_t last = piece->pa + piece->size - 1;
	uint64_t pa = piece->pa;
	bool late;

	data->source = model_memory_data(model, index, piece->va, pa, access);
	data->access = model_memory_cycles(model, index, pa, data->source, &data->late);
	/* A second line in the next page counts as the next one of memory. */
	if (model_line_pa(last ^ pa)) {
		const enum model_source second =
			model_memory_data(model, index, piece->va + piece->size - 1, last, access);
		const uint32_t cycles = model_memory_cycles(model, index, last, second, &late);

		if (cycles > data->access || (cycles == data->access && second > data->source)) {
			data->source = second;
			data->access = cycles;
			data->late = late;
			pa = last;
		}
	}
	data->remote = data->source == MODEL_FROM_DRAM && model_memory_is_remote(model, index, pa);
}

/*
 * A load of bytes that the store buffer has yet to write. The last store of any of them forwards
 * its data if it has them all; else the load waits until it is written.
 */
static void load_stored(const struct model_config *config, const struct model_pipe *pipe,
			const struct model_piece *piece, uint64_t now, struct data *data)
{
	uint32_t at = pipe->store_at;

	for (uint32_t n = 0; n < config->stores; n++) {
		const struct model_stored *stored;
		uint64_t before;

		at = (at ? at : config->stores) - 1;
		stored = &pipe->stored[at];
		before = piece->pa - stored->pa;
		if (pipe->stores[at] <= now)
			return; /* it is written, and so are those before it */
		if (before >= stored->size && stored->pa - piece->pa >= piece->size)
			continue;
		data->forwarded = !stored->holes && before < stored->size &&
				  stored->size - before >= piece->size;
		data->access = data->forwarded ? config->forward
					       : (uint32_t)(pipe->stores[at] - now) + data->access;
		data->late = data->late && !data->forwarded;
		return;
	}
}

/* Neoverse cores have one number for all that comes from another chip. */
static void show_remote(struct spe_op *op)
{
	op->events |= EVENT_REMOTE;
	if (op->flags & SPE_OP_LOAD)
		op->data_source = MODEL_FROM_REMOTE;
}

/* The event bits and the data source agree. */
static void show_source(const struct model_config *config, const struct data *data,
			struct spe_op *op)
{
	const enum model_source source = data->source;
	const bool load = op->flags & SPE_OP_LOAD;

	op->events |= SPE_EVENT_L1D_ACCESS;
	if (load)
		op->data_source = (uint16_t)source;
	if (source == MODEL_FROM_L1D)
		return;
	op->events |= SPE_EVENT_L1D_REFILL | (load ? EVENT_L2_ACCESS : 0);
	if (!model_source_accessed_llc(source))
		return;
	op->events |= EVENT_LLC_ACCESS | (load ? EVENT_L2_MISS : 0);
	if (model_source_missed_llc(config, source))
		op->events |= EVENT_LLC_MISS;
	if (source == MODEL_FROM_REMOTE || data->remote)
		show_remote(op);
	if (load && (source == MODEL_FROM_PEER_CORE || source == MODEL_FROM_PEER_CLUSTER ||
		     source == MODEL_FROM_REMOTE))
		op->events |= EVENT_SNOOPED;
}

/* An access that no cache takes part in. */
static void access_outside(uint32_t cycles, struct spe_op *op, struct data *data)
{
	data->access = cycles;
	if (op->flags & SPE_OP_LOAD)
		op->data_source = MODEL_FROM_DRAM;
}

static void access_uncached(const struct model *model, uint32_t index, uint64_t pa,
			    struct spe_op *op, struct data *data)
{
	access_outside(model_memory_latency(model, index, MODEL_FROM_DRAM, pa), op, data);
	if (model_memory_is_remote(model, index, pa))
		show_remote(op);
}

/* The access is in RAM, and caches have it. */
static void access_cached(struct model *model, uint32_t index, const struct model_piece *piece,
			  struct spe_op *op, struct data *data)
{
	const struct model_core *core = &model->cores[index];

	access_lines(model, index, piece, data);
	if (op->flags & SPE_OP_LOAD && model->config.forward && core->way->now)
		load_stored(&model->config, &core->pipe, piece, core->way->now, data);
	show_source(&model->config, data, op);
	op->events |= data->late ? EVENT_LATE_PREFETCH : 0;
}

static struct data access_data(struct model *model, uint32_t index, const struct model_facts *facts,
			       const struct model_piece *piece, struct spe_op *op)
{
	const struct model_config *config = &model->config;
	struct data data = {.access = config->simple};
	bool uncached;

	if (!(op->flags & SPE_OP_VA_VALID) && piece->place != MODEL_ZEROED)
		return data;
	uncached = translate_data(model, index, facts, piece->va, &data);
	model->cores[index].way->now += model->cores[index].way->now ? data.translation : 0;
	op->events |= SPE_EVENT_TLB_ACCESS | (data.walked ? SPE_EVENT_TLB_REFILL : 0);
	if (piece->place == MODEL_DEVICE) {
		access_outside(config->device, op, &data);
		data.waits = true;
	} else if (piece->place >= MODEL_RAM && uncached) {
		access_uncached(model, index, piece->pa, op, &data);
	} else if (piece->place >= MODEL_RAM) {
		access_cached(model, index, piece, op, &data);
	}
	if (op->flags & SPE_OP_LOAD && data.access > config->l1d_latency && !data.forwarded)
		data.waits = true;
	return data;
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
			const struct model_piece *piece, uint64_t done, const struct data *data)
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

/* The effects of access_data() on TLBs and caches. Returns the farther source of two lines. */
static enum model_source access_only(struct model *model, uint32_t index,
				     const struct model_facts *facts,
				     const struct model_piece *piece)
{
	const enum model_access access = access_of(piece);
	const uint64_t last = piece->pa + piece->size - 1;
	enum model_source source, second;
	struct data data;

	if (translate_data(model, index, facts, piece->va, &data) ||
	    (piece->place != MODEL_RAM && piece->place != MODEL_ZEROED))
		return MODEL_FROM_L1D;
	source = model_memory_data(model, index, piece->va, piece->pa, access);
	if (!model_line_pa(last ^ piece->pa))
		return source;
	second = model_memory_data(model, index, piece->va + piece->size - 1, last, access);
	return second > source ? second : source;
}

enum model_source model_core_access(struct model *model, uint32_t index,
				    const struct model_facts *facts, const struct spe_op *op)
{
	const struct model_piece piece = only_piece(facts, op);

	return access_only(model, index, facts, &piece);
}

enum model_source model_core_warm(struct model *model, uint32_t index,
				  const struct model_facts *facts, const struct spe_op *op)
{
	struct model_core *core = &model->cores[index];
	enum model_source source;

	core->operations++;
	if (!predicted(core, facts, op))
		core->counts[MODEL_BR_MIS_PRED]++;
	if (!(op->flags & SPE_OP_VA_VALID) && facts->place != MODEL_ZEROED)
		return MODEL_FROM_L1D;
	core->way->farthest = MODEL_FROM_L1D;
	source = model_core_access(model, index, facts, op);
	return source > core->way->farthest ? source : (enum model_source)core->way->farthest;
}

/* Is it done as soon as it is in the store buffer? */
static bool is_buffered(const struct model_facts *facts, const struct spe_op *op)
{
	return facts->place == MODEL_ZEROED ||
	       (facts->place == MODEL_RAM && !(op->flags & SPE_OP_LOAD));
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
	struct data data;

	core->operations++;
	op->events &= KEPT_EVENTS;
	op->data_source = 0;
	data = access_data(model, index, facts, &piece, op);
	show_prediction(core, facts, op);
	op->issue_latency = saturate(config->issue);
	op->translation_latency = saturate(data.translation);
	op->total_latency = saturate((uint64_t)config->issue + data.translation +
				     (is_buffered(facts, op) ? config->simple : data.access));
}

void model_core_execute(struct model *model, uint32_t index, const struct model_facts *facts,
			uint32_t held, struct spe_op *op)
{
	const struct model_config *config = &model->config;
	struct model_core *core = &model->cores[index];
	const struct model_piece piece = only_piece(facts, op);
	const bool buffered = is_buffered(facts, op);
	uint64_t dispatched, issued, done;
	struct data data;

	core->operations++;
	op->events &= KEPT_EVENTS;
	op->data_source = 0;
	dispatched = dispatch(config, &core->pipe, held);
	issued = issue(config, core, &facts->needs, dispatched, buffered);
	core->way->now = issued;
	data = access_data(model, index, facts, &piece, op);
	core->way->now = 0;
	done = issued + data.translation + (buffered ? config->simple : data.access);
	if (buffered)
		store_later(config, &core->pipe, &piece, done, &data);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* See access.h; Arm ARM D18.2. */
#include "access.h"

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

/* Translate a data access: cycles and events are counted. Returns whether no cache has its page. */
static inline bool translate_data(struct model *model, uint32_t index,
				  const struct model_facts *facts, uint64_t va,
				  struct model_data *data)
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

static enum model_access access_of(const struct model_piece *piece)
{
	return piece->store ? MODEL_STORE : MODEL_LOAD;
}

/* The lines of an access, at most two; the one that takes longest counts. */
static void access_lines(struct model *model, uint32_t index, const struct model_piece *piece,
			 struct model_data *data)
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
			const struct model_piece *piece, uint64_t now, struct model_data *data)
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
static void show_source(const struct model_config *config, const struct model_data *data,
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
static void access_outside(uint32_t cycles, struct spe_op *op, struct model_data *data)
{
	data->access = cycles;
	if (op->flags & SPE_OP_LOAD)
		op->data_source = MODEL_FROM_DRAM;
}

static void access_uncached(const struct model *model, uint32_t index, uint64_t pa,
			    struct spe_op *op, struct model_data *data)
{
	access_outside(model_memory_latency(model, index, MODEL_FROM_DRAM, pa), op, data);
	if (model_memory_is_remote(model, index, pa))
		show_remote(op);
}

/* The access is in RAM, and caches have it. */
static void access_cached(struct model *model, uint32_t index, const struct model_piece *piece,
			  struct spe_op *op, struct model_data *data)
{
	const struct model_core *core = &model->cores[index];

	access_lines(model, index, piece, data);
	/* Stores whose line has left L1D since are written, whatever time it is here. */
	if (op->flags & SPE_OP_LOAD && model->config.forward && core->way->now &&
	    data->source == MODEL_FROM_L1D)
		load_stored(&model->config, &core->pipe, piece, core->way->now, data);
	show_source(&model->config, data, op);
	op->events |= data->late ? EVENT_LATE_PREFETCH : 0;
}

struct model_data model_access_data(struct model *model, uint32_t index,
				    const struct model_facts *facts,
				    const struct model_piece *piece, struct spe_op *op)
{
	const struct model_config *config = &model->config;
	struct model_data data = {.access = config->simple};
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

enum model_source model_access_only(struct model *model, uint32_t index,
				    const struct model_facts *facts,
				    const struct model_piece *piece)
{
	const enum model_access access = access_of(piece);
	const uint64_t last = piece->pa + piece->size - 1;
	enum model_source source, second;
	struct model_data data;

	if (translate_data(model, index, facts, piece->va, &data) ||
	    (piece->place != MODEL_RAM && piece->place != MODEL_ZEROED))
		return MODEL_FROM_L1D;
	source = model_memory_data(model, index, piece->va, piece->pa, access);
	if (!model_line_pa(last ^ piece->pa))
		return source;
	second = model_memory_data(model, index, piece->va + piece->size - 1, last, access);
	return second > source ? second : source;
}

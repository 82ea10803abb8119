/* SPDX-License-Identifier: BSD-2-Clause */
/* libvspe's view of the machine model for its embedders: see vspe/model.h. */
#include <vspe/model.h>

#include "core.h"
#include "upkeep.h"

_Static_assert(MODEL_CONFIG_KEYS <= SPE_MODEL_KEYS_MAX, "there is room for every key");
_Static_assert((int)SPE_MODEL_CLUSTER == (int)MODEL_CLUSTER &&
		       (int)SPE_MODEL_CHIP == (int)MODEL_CHIP,
	       "scopes have the same numbers");
_Static_assert((int)SPE_MODEL_EL10 == (int)MODEL_REGIME_EL10 &&
		       (int)SPE_MODEL_EL20 == (int)MODEL_REGIME_EL20 &&
		       (int)SPE_MODEL_EL2 == (int)MODEL_REGIME_EL2 &&
		       (int)SPE_MODEL_EL3 == (int)MODEL_REGIME_EL3,
	       "regimes have the same numbers");
_Static_assert((int)SPE_MODEL_NOWHERE == (int)MODEL_NOWHERE &&
		       (int)SPE_MODEL_UNACCESSED == (int)MODEL_UNACCESSED &&
		       (int)SPE_MODEL_RAM == (int)MODEL_RAM &&
		       (int)SPE_MODEL_ZEROED == (int)MODEL_ZEROED &&
		       (int)SPE_MODEL_DEVICE == (int)MODEL_DEVICE,
	       "places have the same numbers");
_Static_assert((int)SPE_MODEL_FROM_L1D == (int)MODEL_FROM_L1D &&
		       (int)SPE_MODEL_FROM_L2 == (int)MODEL_FROM_L2 &&
		       (int)SPE_MODEL_FROM_PEER_CORE == (int)MODEL_FROM_PEER_CORE &&
		       (int)SPE_MODEL_FROM_LOCAL_CLUSTER == (int)MODEL_FROM_LOCAL_CLUSTER &&
		       (int)SPE_MODEL_FROM_SYSTEM_CACHE == (int)MODEL_FROM_SYSTEM_CACHE &&
		       (int)SPE_MODEL_FROM_PEER_CLUSTER == (int)MODEL_FROM_PEER_CLUSTER &&
		       (int)SPE_MODEL_FROM_REMOTE == (int)MODEL_FROM_REMOTE &&
		       (int)SPE_MODEL_FROM_DRAM == (int)MODEL_FROM_DRAM,
	       "sources have the same numbers");
_Static_assert(SPE_MODEL_WALK_MAX == MODEL_WALK_MAX, "walks are as long");

const char *spe_model_strerror(int error)
{
	switch (error < 0 ? -error : error) {
	case 0: return "no error";
	case SPE_MODEL_EKEY: return "there is no key of that name";
	case SPE_MODEL_EVALUE: return "the key may not have that value";
	case SPE_MODEL_ESETS: return "the number of sets of a cache is no power of two";
	case SPE_MODEL_EORDER: return "an outer level is faster, or L2 smaller, than an inner one";
	case SPE_MODEL_ECORES: return "no core, or too many";
	case SPE_MODEL_ESIZE: return "fewer bytes than spe_model_size() says";
	case SPE_MODEL_EALIGN: return "the memory is not aligned as a uint64_t is";
	default: return "no error of the model's";
	}
}

/*
 * Configuration.
 */

bool spe_model_key(unsigned int number, struct spe_model_key *key)
{
	const struct model_key *row = &model_keys[number < MODEL_CONFIG_KEYS ? number : 0];

	if (number >= MODEL_CONFIG_KEYS)
		return false;
	*key = (struct spe_model_key){
		.name = row->word,
		.low = row->low,
		.high = row->high,
		.power_of_two = row->kind == MODEL_KEY_POWER || row->kind == MODEL_KEY_SIZE,
	};
	return true;
}

void spe_model_config_defaults(struct spe_model_config *config, const struct spe_core *core)
{
	const struct model_config made = core ? model_config_of(core->name) : model_default;

	*config = (struct spe_model_config){.count = MODEL_CONFIG_KEYS};
	for (size_t key = 0; key < MODEL_CONFIG_KEYS; key++)
		config->values[key] = model_config_value(&made, key);
}

int spe_model_config_set(struct spe_model_config *config, const char *name, uint32_t value)
{
	const size_t key = model_config_find(name);

	if (key == MODEL_CONFIG_KEYS || key >= config->count)
		return -SPE_MODEL_EKEY;
	if (!model_config_allows(key, value))
		return -SPE_MODEL_EVALUE;
	config->values[key] = value;
	return 0;
}

int spe_model_config_get(const struct spe_model_config *config, const char *name, uint32_t *value)
{
	const size_t key = model_config_find(name);

	if (key == MODEL_CONFIG_KEYS || key >= config->count)
		return -SPE_MODEL_EKEY;
	*value = config->values[key];
	return 0;
}

/* Keys that came after a configuration was made have the built-in model's values. */
static struct model_config inside(const struct spe_model_config *config)
{
	struct model_config made = model_default;

	for (size_t key = 0; key < MODEL_CONFIG_KEYS && key < config->count; key++)
		((uint32_t *)&made)[key] = config->values[key];
	return made;
}

static int check(const struct model_config *config, const char **name)
{
	static const uint8_t errors[] = {
		[MODEL_FAULT_RANGE] = SPE_MODEL_EVALUE,
		[MODEL_FAULT_SETS] = SPE_MODEL_ESETS,
		[MODEL_FAULT_ORDER] = SPE_MODEL_EORDER,
	};
	struct model_fault fault;

	if (model_config_check(config, &fault) == 0)
		return 0;
	if (name)
		*name = model_keys[fault.key].word;
	return -errors[fault.kind];
}

int spe_model_config_check(const struct spe_model_config *config, const char **name)
{
	const struct model_config made = inside(config);

	return check(&made, name);
}

/*
 * The model itself: a struct spe_model is a struct model.
 */

static struct model *model_of(struct spe_model *model)
{
	return (struct model *)model;
}

/* Memory that is all the same. */
static const struct model_ram same_ram;

static bool has_core(const struct spe_model *model, unsigned int core)
{
	return core < ((const struct model *)model)->count;
}

static bool is_number_of_cores(unsigned int cores)
{
	return cores >= 1 && cores <= SPE_MODEL_CORES_MAX;
}

size_t spe_model_size(const struct spe_model_config *config, unsigned int cores)
{
	const struct model_config made = inside(config);

	return check(&made, NULL) == 0 && is_number_of_cores(cores)
		       ? model_size(&made, cores, &same_ram)
		       : 0;
}

int spe_model_init(void *memory, size_t size, const struct spe_model_config *config,
		   unsigned int cores, struct spe_model **model)
{
	const struct model_config made = inside(config);
	const int error = check(&made, NULL);

	if (error)
		return error;
	if (!is_number_of_cores(cores))
		return -SPE_MODEL_ECORES;
	if (size < model_size(&made, cores, &same_ram))
		return -SPE_MODEL_ESIZE;
	if ((uintptr_t)memory % sizeof(uint64_t))
		return -SPE_MODEL_EALIGN;
	__builtin_memset(memory, 0, model_size(&made, cores, &same_ram));
	*model = (struct spe_model *)model_init(memory, &made, cores, &same_ram);
	return 0;
}

/* Walk as the embedder does. */
static void walk_tables(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	const struct spe_model_facts *facts = ctx;
	struct spe_model_walk noted = {.count = 0};

	facts->walk(facts->ctx, va, data, &noted);
	walk->count = noted.count < MODEL_WALK_MAX ? noted.count : MODEL_WALK_MAX;
	for (unsigned int n = 0; n < walk->count; n++)
		walk->descriptors[n] = noted.descriptors[n];
	walk->shift = noted.shift;
	walk->uncached = noted.uncached;
	walk->global = noted.global;
}

/* Whatever numbers are given, they are inside of the model's tables. */
static struct model_facts facts_of(const struct spe_model_facts *facts)
{
	return (struct model_facts){
		.needs = {.registers = facts->insn.registers, .alone = facts->single},
		.fetch_pa = facts->fetch_pa,
		.flow = facts->insn.flow,
		.place = facts->place <= MODEL_DEVICE ? (enum model_place)facts->place
						      : MODEL_NOWHERE,
		.size = facts->size,
		.regime = facts->regime % 4,
		.data_regime = facts->data_regime % 4,
		.tables = facts->tables && facts->walk,
		.data_tables = facts->data_tables && facts->walk,
		.uncached = facts->uncached,
		.data_uncached = facts->data_uncached,
		.excepted = facts->excepted,
		.flush = facts->restart,
		.ctx = (void *)facts,
		.walk = walk_tables,
	};
}

void spe_model_context(struct spe_model *model, unsigned int core, enum spe_model_regime regime,
		       uint16_t asid, uint16_t vmid, unsigned int security)
{
	if (has_core(model, core))
		model_core_context(model_of(model), core, (unsigned int)regime % 4,
				   model_context(asid, vmid, security % 4));
}

uint32_t spe_model_fetch(struct spe_model *model, unsigned int core, uint64_t pc,
			 const struct spe_model_facts *facts)
{
	const struct model_facts known = facts_of(facts);

	return has_core(model, core) ? model_core_fetch(model_of(model), core, pc, &known) : 0;
}

void spe_model_execute(struct spe_model *model, unsigned int core,
		       const struct spe_model_facts *facts, uint32_t held, struct spe_op *op)
{
	const struct model_facts known = facts_of(facts);

	if (has_core(model, core))
		model_core_execute(model_of(model), core, &known, held, op);
}

void spe_model_alone(struct spe_model *model, unsigned int core,
		     const struct spe_model_facts *facts, struct spe_op *op)
{
	const struct model_facts known = facts_of(facts);

	if (has_core(model, core))
		model_core_alone(model_of(model), core, &known, op);
}

enum spe_model_source spe_model_warm(struct spe_model *model, unsigned int core,
				     const struct spe_model_facts *facts, const struct spe_op *op)
{
	const struct model_facts known = facts_of(facts);

	if (!has_core(model, core))
		return SPE_MODEL_FROM_L1D;
	return (enum spe_model_source)model_core_warm(model_of(model), core, &known, op);
}

void spe_model_prefetch(struct spe_model *model, unsigned int core,
			const struct spe_model_facts *facts, uint64_t va, uint64_t pa,
			unsigned int prfop)
{
	const struct model_facts known = facts_of(facts);
	struct model_prefetch wanted;

	if (!has_core(model, core) || !model_prefetch_of(prfop, &wanted))
		return;
	wanted.va = va;
	wanted.pa = pa;
	model_core_prefetch(model_of(model), core, &known, &wanted);
}

/*
 * Maintenance.
 */

static void forget_code(struct model *model, unsigned int index, bool all, const uint64_t *pa)
{
	for (uint32_t n = 0; n < model->count; n++)
		if (all || n == index)
			model_memory_forget_code(&model->cores[n], pa);
}

static void forget_pages(struct model *model, unsigned int index, const struct model_upkeep *upkeep,
			 const struct spe_model_sys *sys)
{
	struct model_tlbi tlbi;
	const unsigned int pages =
		model_upkeep_tlbi(upkeep, sys->value, sys->as, sys->ds, sys->security % 4u, &tlbi);

	tlbi.context |= model_context(0, sys->vmid, 0);
	for (unsigned int page = 0; page < pages; page++, tlbi.va += 4096)
		for (uint32_t n = 0; n < model->count; n++)
			if (upkeep->all_cores || n == index)
				model_core_forget(model, n, &tlbi);
}

bool spe_model_sys(struct spe_model *model, unsigned int core, const struct spe_model_sys *sys)
{
	const struct model_upkeep upkeep = model_upkeep_find(sys->encoding);
	struct model *machine = model_of(model);

	if (!has_core(model, core))
		return false;
	switch (upkeep.kind) {
	case MODEL_UPKEEP_DATA:
		if (sys->pa_valid)
			model_memory_maintain(machine, sys->pa, upkeep.what);
		return true;
	case MODEL_UPKEEP_CODE:
		if (sys->pa_valid)
			forget_code(machine, core, upkeep.all_cores, &sys->pa);
		return true;
	case MODEL_UPKEEP_CODE_ALL: forget_code(machine, core, upkeep.all_cores, NULL); return true;
	case MODEL_UPKEEP_TLB: forget_pages(machine, core, &upkeep, sys); return true;
	default: return false;
	}
}

void spe_model_tlbi(struct spe_model *model, unsigned int core, const struct spe_model_tlbi *tlbi)
{
	struct model_tlbi dropped = {.regimes = 0};

	if (!has_core(model, core))
		return;
	if (tlbi)
		dropped = (struct model_tlbi){
			.regimes = tlbi->regimes,
			.context = model_context(tlbi->by_asid ? tlbi->asid : 0, tlbi->vmid,
						 tlbi->security % 4u),
			.any_vmid = tlbi->any_vmid,
			.by_asid = tlbi->by_asid,
			.by_va = tlbi->by_va,
			.va = tlbi->va,
		};
	model_core_forget(model_of(model), core, tlbi ? &dropped : NULL);
}

bool spe_model_count(const struct spe_model *model, unsigned int core, uint16_t event,
		     uint64_t *count)
{
	const enum model_event found = model_event_find(event);

	if (!has_core(model, core) || found == MODEL_EVENTS)
		return false;
	*count = ((const struct model *)model)->cores[core].counts[found];
	return true;
}

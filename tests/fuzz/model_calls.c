/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: a machine model that is shown any operations (<vspe/model.h>). The first bytes choose the
 * machine, then each step has 28: what is called, for which core, and its numbers. Nothing that a
 * guest does stops the model, latencies are those of a level, and no count goes back.
 */
#include "../array.h"
#include "input.h"

#include <string.h>
#include <vspe/model.h>
#include <vspe/pmu.h>

#define CORES 3
#define STEP  28

static const uint16_t events[] = {PMU_CPU_CYCLES,   PMU_L1D_CACHE, PMU_L1D_CACHE_REFILL,
				  PMU_L2D_CACHE,    PMU_LL_CACHE,  PMU_L1I_CACHE,
				  PMU_L2D_CACHE_WB, PMU_DTLB_WALK, PMU_BR_PRED};

/* The walk of an address is made of it: short ones and impossible ones too. */
static void walk(void *ctx, uint64_t va, bool data, struct spe_model_walk *walk)
{
	(void)data;
	walk->count = va >> 12 & 63;
	for (unsigned int n = 0; n < SPE_MODEL_WALK_MAX; n++)
		walk->descriptors[n] = va ^ (uint64_t)n << 12;
	walk->shift = *(const uint8_t *)ctx;
	walk->uncached = va >> 18 & 1;
	walk->global = va >> 19 & 1;
}

/* Small, so that lines and pages are replaced. */
static void choose(struct input *in, struct spe_model_config *config)
{
	static const char *const smallest[] = {
		"l1i.size",	     "l1d.size",       "l2.size",
		"llc.size",	     "itlb.entries",   "dtlb.entries",
		"branch.directions", "branch.targets", "l2tlb.entries"};

	spe_model_config_defaults(config, spe_core((unsigned int)input_number(in, 1) % 8));
	for (unsigned int n = 0; n < ARRAY_SIZE(smallest); n++) {
		struct spe_model_key key;
		unsigned int number = 0;

		while (spe_model_key(number, &key) && strcmp(key.name, smallest[n]) != 0)
			number++;
		(void)spe_model_config_set(config, smallest[n], key.low);
	}
	(void)spe_model_config_set(config, "llc.scope", input_number(in, 1) & 1);
	(void)spe_model_config_set(config, "cluster.cores", 1 + (input_number(in, 1) & 1));
}

static void check_counts(const struct spe_model *model, uint64_t before[CORES][ARRAY_SIZE(events)])
{
	for (unsigned int core = 0; core < CORES; core++) {
		for (unsigned int n = 0; n < ARRAY_SIZE(events); n++) {
			uint64_t count;

			require(spe_model_count(model, core, events[n], &count));
			require(count >= before[core][n]);
			before[core][n] = count;
		}
	}
}

static void maintain(struct spe_model *model, unsigned int core, unsigned int kind,
		     const struct spe_op *op)
{
	const struct spe_model_sys sys = {
		.encoding = (uint32_t)op->target & 0x7fff,
		.value = op->data_va,
		.pa = op->data_pa,
		.pa_valid = kind & 8,
		.as = kind & 16,
		.ds = kind & 32,
		.vmid = (uint16_t)op->pc,
		.security = (uint8_t)kind,
	};
	const struct spe_model_tlbi tlbi = {
		.va = op->data_va,
		.regimes = (unsigned int)op->target,
		.asid = (uint16_t)op->pc,
		.vmid = (uint16_t)op->data_pa,
		.security = (uint8_t)kind,
		.any_vmid = kind & 8,
		.by_asid = kind & 16,
		.by_va = kind & 32,
	};

	if (kind & 64)
		(void)spe_model_sys(model, core, &sys);
	else
		spe_model_tlbi(model, core, kind & 128 ? NULL : &tlbi);
}

static void step(struct spe_model *model, struct input *in)
{
	const unsigned int kind = (unsigned int)input_number(in, 1);
	const unsigned int core = (unsigned int)input_number(in, 1) % (CORES + 1);
	uint8_t shift = (uint8_t)input_number(in, 1);
	const unsigned int more = (unsigned int)input_number(in, 1);
	struct spe_model_facts facts = {
		.place = (uint8_t)(more % 7),
		.size = (uint32_t)input_number(in, 2),
		.regime = shift >> 6,
		.data_regime = (uint8_t)(shift >> 5),
		.tables = more & 8,
		.data_tables = more & 16,
		.data_uncached = more & 32,
		.excepted = more & 64,
		.restart = more & 128,
		.ctx = &shift,
		.walk = kind & 128 ? NULL : walk,
	};
	struct spe_op op = {.flags = (uint32_t)input_number(in, 2) & 0x1e7};
	uint32_t held;

	op.pc = input_number(in, 4);
	op.data_va = input_number(in, 8);
	op.data_pa = input_number(in, 4) << (more & 31);
	op.target = input_number(in, 4);
	facts.fetch_pa = op.data_pa ^ op.pc;
	(void)a64_summarize(&facts.insn, (uint32_t)op.target);
	switch (kind & 7) {
	case 0:
		spe_model_context(model, core, (enum spe_model_regime)(shift & 7), facts.fetch_pa,
				  op.target, more);
		break;
	case 1: maintain(model, core, kind >> 1 | more, &op); break;
	case 2: spe_model_prefetch(model, core, &facts, op.data_va, op.data_pa, shift); break;
	case 3: spe_model_warm(model, core, &facts, &op); break;
	case 4:
		spe_model_alone(model, core, &facts, &op);
		require(core >= CORES || op.issue_latency >= 1);
		require(op.total_latency >= op.issue_latency);
		break;
	default:
		held = spe_model_fetch(model, core, op.pc, &facts);
		spe_model_execute(model, core, &facts, held, &op);
		require(op.total_latency >= op.issue_latency);
		require(!(op.events & SPE_EVENT_L1D_REFILL) || op.events & SPE_EVENT_L1D_ACCESS);
		require(!op.data_source || op.flags & SPE_OP_LOAD);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint64_t counts[CORES][ARRAY_SIZE(events)] = {{0}};
	struct input in = {bytes, bytes + size};
	struct spe_model_config config;
	struct spe_model *model;
	void *memory;
	size_t room;

	choose(&in, &config);
	room = spe_model_size(&config, CORES);
	if (room == 0) {
		require(spe_model_init(&config, 0, &config, CORES, &model) < 0);
		return 0;
	}
	memory = malloc(room);
	require(memory && spe_model_init(memory, room, &config, CORES, &model) == 0);
	while (input_left(&in) >= STEP) {
		step(model, &in);
		check_counts(model, counts);
	}
	free(memory);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See model.h. What changes nothing in the model is left out before it costs a call, as
 * vspe/model.h says: an instruction in the line of the last one, by a comparison in QEMU's
 * translated code, and an access to the last line of its part of L1D (struct seen), as long as no
 * line has come from farther than L2, and no address has changed its meaning. Translation is not
 * shown: a plugin does not see QEMU's walks, and QEMU's TLB is not that of a core
 * (docs/decisions/qemu.md, QEMU-13).
 */
#include "qemu/model.h"

#include "a64/a64.h"
#include "arm/registers.h"

#include <vspe/model.h>

#include <pthread.h>
#include <stdlib.h>

#define LINE_SHIFT 6
#define LINE	   (UINT64_C(1) << LINE_SHIFT)
#define PAGE_SHIFT 12
#define PAGE_MASK  UINT64_C(0xfff)

#define SYS_MASK	  UINT32_C(0xfff8f000)
#define SYS_CACHES	  UINT32_C(0xd5087000) /* CRn 7: DC and IC */
#define ZVA_MASK	  UINT32_C(0xffffffe0)
#define ZVA		  UINT32_C(0xd50b7420)
#define DCZID_EL0_BS_MASK 15u

static struct spe_model *model;
/* The model takes one call at a time, and each vCPU has its thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool shared;
/*
 * How often lines came from farther than L2; atomic. L2 lost others for them, or another core did,
 * and the prefetcher's may be any.
 */
static uint64_t far;
static uint64_t maintained = 1;	      /* how often DC or IC was executed; atomic */
static uint32_t data_sets, code_sets; /* of L1D, of L1I */

static uint32_t sets_of(const struct spe_model_config *config, const char *size, const char *ways)
{
	uint32_t bytes = 0, lines = 1;

	(void)spe_model_config_get(config, size, &bytes);
	(void)spe_model_config_get(config, ways, &lines);
	return bytes / (uint32_t)LINE / lines;
}

/* Lines of one set have the same of these bits of their numbers. */
static uint64_t group_of(uint32_t sets)
{
	return sets < SEEN ? sets - 1 : SEEN - 1;
}

const char *model_begin(unsigned int cores)
{
	struct spe_model_config config;
	size_t size;
	void *memory;
	int error;

	if (!plugin.modelled)
		return NULL;
	spe_model_config_defaults(&config, plugin.core);
	data_sets = sets_of(&config, "l1d.size", "l1d.ways");
	code_sets = sets_of(&config, "l1i.size", "l1i.ways");
	size = spe_model_size(&config, cores);
	memory = malloc(size);
	if (!memory)
		return "model=warm: no memory";
	error = spe_model_init(memory, size, &config, cores, &model);
	shared = cores > 1;
	return error ? spe_model_strerror(error) : NULL;
}

bool model_watches(void)
{
	return model && plugin.counting;
}

static void begin(void)
{
	if (shared)
		pthread_mutex_lock(&lock);
}

static void end(void)
{
	if (shared)
		pthread_mutex_unlock(&lock);
}

/* Is it the operation that is planned, which the model has not timed yet? */
static bool is_planned(const struct vcpu *v, const struct place *place)
{
	const struct plan *plan = &v->plan;

	return plan->any && !plan->timed_any && plan->word == place->word &&
	       !((plan->op.pc ^ place->va) & PAGE_MASK);
}

/* The planned operation, as the model has it. */
static void time_planned(struct vcpu *v, const struct spe_model_facts *facts,
			 const struct spe_op *op)
{
	v->plan.timed = *op;
	v->plan.timed_any = true;
	begin();
	spe_model_alone(model, v->index, facts, &v->plan.timed);
	end();
}

static void came_from_far(void)
{
	__atomic_add_fetch(&far, 1, __ATOMIC_RELAXED);
}

static enum spe_model_source show(const struct vcpu *v, const struct spe_model_facts *facts,
				  const struct spe_op *op)
{
	enum spe_model_source source;

	begin();
	source = spe_model_warm(model, v->index, facts, op);
	if (source > SPE_MODEL_FROM_L2)
		came_from_far();
	end();
	return source;
}

/* The sum of counts that only rise: it changes if one of them does. */
static uint64_t epoch(const struct vcpu *v)
{
	return v->switches + __atomic_load_n(&far, __ATOMIC_RELAXED) +
	       __atomic_load_n(&maintained, __ATOMIC_RELAXED) +
	       __atomic_load_n(&plugin.invalidations, __ATOMIC_RELAXED);
}

static struct seen *seen_of(struct vcpu *v, uint64_t va)
{
	return v->seen[va >> LINE_SHIFT & group_of(data_sets)];
}

/* Does another access of the line change nothing? */
static bool is_seen(struct vcpu *v, uint64_t va, bool store)
{
	const struct seen *seen = seen_of(v, va);
	const uint64_t now = epoch(v);

	for (unsigned int n = 0; n < SEEN_WAYS; n++)
		if (seen[n].line == va >> LINE_SHIFT && seen[n].epoch == now)
			return store <= seen[n].stored;
	return false;
}

/*
 * The line was accessed. again: another access changes nothing. admitted: it is new in its set, of
 * which any other line may be the next to be replaced.
 */
static void see(struct vcpu *v, uint64_t va, uint64_t pa, bool store, bool again, bool admitted)
{
	const struct seen now = {
		.line = va >> LINE_SHIFT,
		.epoch = again ? epoch(v) : 0,
		.set = (uint32_t)(pa >> LINE_SHIFT & (data_sets - 1)),
		.stored = store,
	};
	struct seen *seen = seen_of(v, va);
	unsigned int at = SEEN_WAYS - 1; /* the oldest, or one that is no longer valid */

	for (unsigned int n = 0; n < SEEN_WAYS; n++) {
		if (seen[n].line == now.line || (admitted && seen[n].set == now.set))
			seen[n].epoch = 0;
		if (seen[n].epoch != now.epoch && at == SEEN_WAYS - 1)
			at = n;
	}
	for (; at > 0; at--)
		seen[at] = seen[at - 1];
	seen[0] = now;
}

/* The first instruction of a line that is not the line of the last instruction. */
static void on_line(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const uint64_t line = place->pa >> LINE_SHIFT;
	const uint64_t now = __atomic_load_n(&maintained, __ATOMIC_RELAXED);
	struct fetched *fetched = &v->fetched[line & group_of(code_sets)];
	const struct spe_model_facts facts = {.fetch_pa = place->pa};

	v->score->line = line;
	if (fetched->line == line && fetched->epoch == now)
		return;
	*fetched = (struct fetched){line, now};
	begin();
	if (spe_model_fetch(model, index, place->va, &facts) > 0)
		came_from_far(); /* or from L2 */
	end();
}

/* The planned operation accesses the data. */
static void time_access(struct vcpu *v, const struct spe_model_facts *facts, struct spe_op *op)
{
	struct spe_model_facts whole = *facts;

	whole.size = v->plan.size; /* of all registers */
	op->flags |= v->plan.op.flags;
	op->events = v->plan.op.events;
	time_planned(v, &whole, op);
	came_from_far(); /* it may have */
}

/* Show a data access. Apart from on_data(), which then needs no memory for what is shown. */
static __attribute__((noinline)) void access(struct vcpu *v, qemu_plugin_meminfo_t info,
					     uint64_t va, bool crosses, bool planned)
{
	const struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, va);
	const bool store = qemu_plugin_mem_is_store(info);
	const uint32_t size = 1u << qemu_plugin_mem_size_shift(info);
	struct spe_model_facts facts = {.size = size, .place = SPE_MODEL_DEVICE};
	struct spe_op op = {.flags = SPE_OP_VA_VALID | SPE_OP_PA_VALID, .data_va = va};
	bool admitted = true;

	if (!at)
		return;
	op.data_pa = qemu_plugin_hwaddr_phys_addr(at);
	if (!qemu_plugin_hwaddr_is_io(at))
		facts.place = SPE_MODEL_RAM;
	if (planned) {
		time_access(v, &facts, &op);
	} else {
		op.flags |= store ? SPE_OP_STORE : SPE_OP_LOAD;
		admitted = show(v, &facts, &op) != SPE_MODEL_FROM_L1D;
	}
	if (facts.place == SPE_MODEL_DEVICE)
		return;
	see(v, va, op.data_pa, store, !crosses, admitted);
	if (crosses)
		see(v, va + size - 1, op.data_pa + size - 1, store, false, admitted);
}

/* A data access has been made. */
static void on_data(unsigned int index, qemu_plugin_meminfo_t info, uint64_t va, void *data)
{
	struct vcpu *v = &plugin.vcpus[index];
	const uint64_t last = va + (UINT64_C(1) << qemu_plugin_mem_size_shift(info)) - 1;
	const bool crosses = (va ^ last) >> LINE_SHIFT;
	/* Of a gather, the element that the record shows. */
	const bool planned = is_planned(v, data) && v->plan.op.flags & SPE_OP_VA_VALID &&
			     (!v->plan.vector || va == v->plan.op.data_va);

	if (crosses || planned || !is_seen(v, va, qemu_plugin_mem_is_store(info)))
		access(v, info, va, crosses, planned);
}

/* A block that follows a branch is entered: so it is known where that went to. */
static void on_entry(unsigned int index, void *data)
{
	const struct place *to = data;
	struct vcpu *v = &plugin.vcpus[index];
	const struct place *from = (const struct place *)(uintptr_t)v->score->branch;
	const struct spe_model_facts facts = {.insn.flow = from->flow};
	const bool conditional = from->flow == A64_FLOW_CONDITIONAL;
	const bool taken = !conditional || (from->va + 4 - to->va) & PAGE_MASK;
	const struct spe_op op = {
		.pc = from->va,
		.target = to->va,
		.flags = SPE_OP_BRANCH | (taken ? SPE_OP_TAKEN : SPE_OP_NOT_TAKEN),
	};

	v->score->branch = 0;
	if (is_planned(v, from))
		time_planned(v, &facts, &op);
	else
		(void)show(v, &facts, &op);
}

static void zero(struct vcpu *v, uint64_t va, uint64_t pa)
{
	const uint64_t dczid = register_get(&v->registers, QEMU_DCZID_EL0);
	const uint64_t block = UINT64_C(4) << (dczid & DCZID_EL0_BS_MASK);
	const struct spe_model_facts facts = {.place = SPE_MODEL_ZEROED, .size = LINE};
	struct spe_op op = {.data_va = va & -block, .data_pa = pa & -block};

	for (uint64_t at = 0; at < block; at += LINE, op.data_va += LINE, op.data_pa += LINE)
		(void)show(v, &facts, &op);
}

/* DC or IC is about to be executed. */
static void on_maintenance(unsigned int index, void *data)
{
	const struct place *place = data;
	struct vcpu *v = &plugin.vcpus[index];
	const unsigned int rt = place->word & 31;
	struct spe_model_sys sys = {.encoding = sysreg_encoding_of_word(place->word)};

	if (rt != 31)
		sys.value = register_x(&v->registers, rt);
	sys.pa_valid = qemu_plugin_translate_vaddr(sys.value, &sys.pa);
	__atomic_add_fetch(&maintained, 1, __ATOMIC_RELAXED);
	if ((place->word & ZVA_MASK) == ZVA) {
		if (sys.pa_valid)
			zero(v, sys.value, sys.pa);
		return;
	}
	begin();
	(void)spe_model_sys(model, index, &sys);
	end();
	v->score->line = NO_LINE;
}

static qemu_plugin_u64 entry(size_t offset)
{
	return (qemu_plugin_u64){plugin.scores, offset};
}

/* Does the predictor learn of it? */
static bool is_predicted(enum a64_flow flow)
{
	return flow != A64_FLOW_NONE && flow != A64_FLOW_DIRECT &&
	       flow != A64_FLOW_EXCEPTION_RETURN;
}

static void watch_insn(struct qemu_plugin_insn *insn, struct place *place, bool first)
{
	place->flow = a64_flow(a64_decode(place->word));
	if (place->pa != NO_PA && (first || !(place->va & (LINE - 1))))
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			insn, on_line, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_NE,
			entry(offsetof(struct score, line)), place->pa >> LINE_SHIFT, place);
	if (place->watched)
		qemu_plugin_register_vcpu_mem_cb(insn, on_data, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, place);
	if ((place->word & SYS_MASK) == SYS_CACHES)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_maintenance, QEMU_PLUGIN_CB_R_REGS,
						       place);
	if (is_predicted(place->flow))
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
			insn, QEMU_PLUGIN_INLINE_STORE_U64, entry(offsetof(struct score, branch)),
			(uintptr_t)place);
}

void model_watch(struct qemu_plugin_tb *tb, struct block *block)
{
	uint64_t page = 0;
	bool any = false;

	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_entry, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_NE,
		entry(offsetof(struct score, branch)), 0, &block->at[0]);
	for (uint32_t i = 0; i < block->count; i++) {
		struct place *place = &block->at[i];

		if (i == 0 || !(place->va & PAGE_MASK))
			any = qemu_plugin_translate_vaddr(place->va & ~PAGE_MASK, &page);
		place->pa = any ? page + (place->va & PAGE_MASK) : NO_PA;
		watch_insn(qemu_plugin_tb_get_insn(tb, i), place, i == 0);
	}
}

void model_finish(struct vcpu *v, bool unaccessed, struct spe_op *op)
{
	const struct spe_model_facts facts = {
		.place = unaccessed ? SPE_MODEL_UNACCESSED : SPE_MODEL_NOWHERE,
		.excepted = v->plan.excepted,
	};
	const struct spe_op *timed = &v->plan.timed;

	if (!v->plan.timed_any || v->plan.excepted)
		time_planned(v, &facts, op);
	/* Translation is not modelled. */
	op->events |= timed->events & ~(uint64_t)(SPE_EVENT_TLB_ACCESS | SPE_EVENT_TLB_REFILL);
	op->issue_latency = timed->issue_latency;
	op->translation_latency = 0;
	op->total_latency = (uint16_t)(timed->total_latency - timed->translation_latency);
	op->data_source = timed->data_source;
}

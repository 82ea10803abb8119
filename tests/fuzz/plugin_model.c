/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: what the plugin for QEMU leaves out before the machine model with model=warm. Blocks of
 * loads, stores and branches run on a vCPU as the input says. All of it goes to a second model:
 * both have then counted the same misses.
 */
#include "../array.h"
#include "input.h"

#include <string.h>
#include <vspe/pmu.h>

/* With its variables, which are set again for each input. */
#include "../../qemu/model.c"

#define BLOCKS 8u
#define PLACES 32u

struct plugin plugin;

/* A block as QEMU has it, with the callbacks that it was given. */
struct qemu_plugin_insn {
	const struct place *place;
	qemu_plugin_vcpu_udata_cb_t line;
	qemu_plugin_vcpu_mem_cb_t data;
	qemu_plugin_vcpu_udata_cb_t maintenance;
	uint64_t fetched, branch;
};

struct qemu_plugin_tb {
	qemu_plugin_vcpu_udata_cb_t entry;
	struct qemu_plugin_insn insns[PLACES];
	struct block *block;
};

struct qemu_plugin_hwaddr {
	uint64_t pa;
};

static struct qemu_plugin_tb tbs[BLOCKS];
static struct score score;
static struct vcpu vcpu;
static struct spe_model *plain; /* is shown everything */
static uint64_t xt;

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return (struct qemu_plugin_insn *)&tb->insns[i];
}

void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t call,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond, qemu_plugin_u64 entry,
					       uint64_t value, void *data)
{
	(void)flags, (void)data;
	require(cond == QEMU_PLUGIN_COND_NE && value == 0 &&
		entry.offset == offsetof(struct score, branch));
	tb->entry = call;
}

void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_vcpu_udata_cb_t call,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond cond, qemu_plugin_u64 entry,
						 uint64_t value, void *data)
{
	(void)flags, (void)data;
	require(cond == QEMU_PLUGIN_COND_NE && entry.offset == offsetof(struct score, line));
	insn->line = call;
	insn->fetched = value;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t call,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data)
{
	(void)flags, (void)rw, (void)data;
	insn->data = call;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t call,
					    enum qemu_plugin_cb_flags flags, void *data)
{
	(void)flags, (void)data;
	insn->maintenance = call;
}

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 qemu_plugin_u64 entry, uint64_t value)
{
	require(op == QEMU_PLUGIN_INLINE_STORE_U64 &&
		entry.offset == offsetof(struct score, branch));
	insn->branch = value;
}

/* Two virtual pages of a physical one, and neighbours that are not. */
bool qemu_plugin_translate_vaddr(uint64_t va, uint64_t *pa)
{
	*pa = (va >> 13 << 12 | (va & 0xfff)) ^ (va & UINT64_C(0x1000)) << 9;
	return va >> 40 == 0;
}

struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t va)
{
	static struct qemu_plugin_hwaddr at;

	(void)info;
	return qemu_plugin_translate_vaddr(va, &at.pa) ? &at : NULL;
}

bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *at)
{
	return at->pa >> 34 & 1;
}

uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *at)
{
	return at->pa;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info & 16;
}

unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	return info & 15;
}

uint64_t register_get(const struct registers *registers, enum register_id id)
{
	(void)registers;
	require(id == QEMU_DCZID_EL0);
	return 4;
}

uint64_t register_x(const struct registers *registers, unsigned int n)
{
	(void)registers;
	require(n < 31);
	return xt;
}

static void access_data(const struct qemu_plugin_insn *insn, uint64_t va, bool store,
			unsigned int shift)
{
	struct spe_model_facts facts = {.place = SPE_MODEL_RAM, .size = 1u << shift};
	struct spe_op op = {
		.flags = SPE_OP_VA_VALID | (store ? SPE_OP_STORE : SPE_OP_LOAD),
		.data_va = va,
	};

	insn->data(0, shift | (store ? 16 : 0), va, (void *)insn->place);
	if (!qemu_plugin_translate_vaddr(va, &op.data_pa))
		return;
	if (op.data_pa >> 34 & 1)
		facts.place = SPE_MODEL_DEVICE;
	spe_model_warm(plain, 0, &facts, &op);
}

static void maintain(const struct qemu_plugin_insn *insn)
{
	struct spe_model_sys sys = {
		.encoding = sysreg_encoding_of_word(insn->place->word),
		.value = insn->place->word % 32 == 31 ? 0 : xt,
	};
	struct spe_model_facts facts = {.place = SPE_MODEL_ZEROED, .size = LINE};
	struct spe_op op = {.data_va = sys.value & -(uint64_t)LINE};

	insn->maintenance(0, (void *)insn->place);
	sys.pa_valid = qemu_plugin_translate_vaddr(sys.value, &sys.pa);
	op.data_pa = sys.pa & -(uint64_t)LINE;
	if (!spe_model_sys(plain, 0, &sys) && sys.pa_valid && insn->place->word >> 5 == 0x6a85ba1)
		spe_model_warm(plain, 0, &facts, &op);
}

/* Execute a block, with what its instructions access. */
static void run(struct qemu_plugin_tb *tb, struct input *in)
{
	if (score.branch)
		tb->entry(0, &tb->block->at[0]);
	require(score.branch == 0);
	for (unsigned int i = 0; i < tb->block->count; i++) {
		struct qemu_plugin_insn *insn = &tb->insns[i];
		const struct spe_model_facts facts = {.fetch_pa = insn->place->pa};
		const unsigned int kind = (unsigned int)input_number(in, 1);
		const uint64_t va = input_number(in, 3) << 4 | (kind & 15);

		if (insn->line && score.line != insn->fetched)
			insn->line(0, (void *)insn->place);
		if (insn->line)
			(void)spe_model_fetch(plain, 0, insn->place->va, &facts);
		xt = va;
		if (insn->maintenance)
			maintain(insn);
		if (kind & 0x80)
			access_data(insn, kind == 0xff ? va << 15 : va, kind & 0x40,
				    kind >> 5 & 1 ? 4 : 2);
		if (insn->branch)
			score.branch = insn->branch;
	}
	if (input_number(in, 1) == 0)
		vcpu.switches++; /* an exception: addresses mean the same here */
}

/* Loads, a branch in the end, now and then DC, IC or DC ZVA. */
static void translate(struct qemu_plugin_tb *tb, struct input *in)
{
	static const uint32_t words[] = {0xf9400020, 0xd50b7e20, 0xd50b7420, 0xd508751f,
					 0xd50b7520, 0x54000040, 0xd65f03c0, 0x94000010};
	const uint32_t count = 1 + (uint32_t)input_number(in, 1) % PLACES;
	const uint64_t va = 0x400000 + input_number(in, 2) * 4;

	tb->block = calloc(1, sizeof(*tb->block) + count * sizeof(tb->block->at[0]));
	require(tb->block != NULL);
	tb->block->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const unsigned int word = (unsigned int)input_number(in, 1) % 64;

		tb->block->at[i] = (struct place){
			.watched = true,
			.block = tb->block,
			.va = va + 4 * (uint64_t)i,
			.word = words[i + 1 == count ? 5 + word % 3
				      : word < 5     ? word
						     : 0],
		};
		tb->insns[i] = (struct qemu_plugin_insn){.place = &tb->block->at[i]};
	}
	model_watch(tb, tb->block);
}

static void compare(void)
{
	static const uint16_t events[] = {
		PMU_L1D_CACHE_REFILL, PMU_L1I_CACHE_REFILL, PMU_L2D_CACHE, PMU_L2D_CACHE_REFILL,
		PMU_L1D_CACHE_WB,     PMU_L2D_CACHE_WB,	    PMU_LL_CACHE,  PMU_LL_CACHE_MISS};

	for (unsigned int n = 0; n < ARRAY_SIZE(events); n++) {
		uint64_t one = 0, other = 0;

		require(spe_model_count(model, 0, events[n], &one));
		require(spe_model_count(plain, 0, events[n], &other));
		if (one != other)
			fprintf(stderr, "event 0x%x: %llu and %llu\n", events[n],
				(unsigned long long)one, (unsigned long long)other);
		require(one == other);
	}
}

static void begin_anew(void)
{
	struct spe_model_config config;
	size_t size;

	memset(&plugin, 0, sizeof(plugin));
	memset(&vcpu, 0, sizeof(vcpu));
	score = (struct score){.line = NO_LINE};
	far = 0;
	plugin.vcpus = &vcpu;
	plugin.modelled = plugin.counting = true;
	vcpu.score = &score;
	require(model_begin(1) == NULL && model_watches());
	spe_model_config_defaults(&config, plugin.core);
	size = spe_model_size(&config, 1);
	require(spe_model_init(calloc(1, size), size, &config, 1, &plain) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, bytes + size};

	begin_anew();
	for (unsigned int n = 0; n < BLOCKS; n++)
		translate(&tbs[n], &in);
	while (input_left(&in) > 0)
		run(&tbs[input_number(&in, 1) % BLOCKS], &in);
	compare();
	for (unsigned int n = 0; n < BLOCKS; n++)
		free(tbs[n].block);
	free(model); /* where its memory begins */
	free(plain);
	return 0;
}

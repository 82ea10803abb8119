/* SPDX-License-Identifier: BSD-2-Clause */
/* See translate.h; count.c says what the callbacks do. */
#include "qemu/translate.h"
#include "qemu/operation.h"

#include "a64/a64.h"
#include "qemu/access.h"
#include "arm/registers.h"
#include "qemu/count.h"
#include "qemu/model.h"

#include <pthread.h>

/* All blocks with a translation; vCPUs translate at the same time. */
static struct block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static qemu_plugin_u64 entry(size_t offset)
{
	return (qemu_plugin_u64){plugin.scores, offset};
}

/* All words are 0 in AArch32 state, where they would mean something else. */
static uint32_t word_of(struct qemu_plugin_tb *tb, size_t i, bool aarch32)
{
	uint32_t word = 0;

	if (!aarch32)
		(void)qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i), &word, sizeof(word));
	return word;
}

/* Does the block need callbacks? Only then is memory kept for it. */
static bool is_wanted(struct qemu_plugin_tb *tb, size_t count, bool aarch32)
{
	for (size_t i = 0; i < count && !plugin.counting; i++)
		if (access_is_watched(word_of(tb, i, aarch32)))
			return true;
	return plugin.counting;
}

static struct block *make_block(struct qemu_plugin_tb *tb, size_t count, bool aarch32)
{
	struct block *block = g_malloc0(sizeof(*block) + count * sizeof(block->at[0]));

	block->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		block->at[i].block = block;
		block->at[i].va = qemu_plugin_insn_vaddr(insn);
		block->at[i].word = word_of(tb, i, aarch32);
		block->at[i].index = (uint32_t)i;
	}
	pthread_mutex_lock(&lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&lock);
	return block;
}

/* Choose the instructions that can call back when they are selected: in a long block, all. */
static void arm(struct block *block)
{
	const bool dense = block->count > plugin.spacing;
	struct written written = {.registers = 0};
	bool status = false;

	for (uint32_t i = 0; i < block->count; i++) {
		struct place *place = &block->at[i];
		const struct a64_insn *insn = a64_decode(place->word);

		place->conditional = insn && insn->when == A64_WHEN_HOLDS;
		place->vector = insn && a64_is_sve(insn);
		place->watched = operation_tells_accesses(place->word);
		place->exclusive = insn && insn->operation == A64_OP_STORE_EXCLUSIVE;
		place->moved = written.added[place->word >> 5 & 31];
		place->armed = dense || status || operation_is_late(place->word, &written);
		operation_written(place->word, &written);
		status = place->exclusive;
	}
}

static bool accesses_memory(uint32_t word)
{
	/* Arm ARM C4.1: loads and stores, and SVE */
	return (word >> 25 & 5) == 4 || (word >> 25 & 15) == 2;
}

static void count_off(struct qemu_plugin_tb *tb, struct block *block)
{
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, count_block, QEMU_PLUGIN_CB_RW_REGS_PC, QEMU_PLUGIN_COND_LE,
		entry(offsetof(struct score, left)), block->count, &block->at[0]);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							  entry(offsetof(struct score, left)),
							  -(uint64_t)block->count);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_STORE_U64,
							  entry(offsetof(struct score, block)),
							  (uintptr_t)block);
}

void translate_block(struct qemu_plugin_tb *tb, void *ctx)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	/* The vCPU that runs: QEMU's names of registers are the same for all. */
	const bool aarch32 = register_get(&plugin.vcpus[0].registers, QEMU_cpsr) & SPSR_ELx_nRW;
	struct block *block;

	(void)ctx;
	if (!is_wanted(tb, count, aarch32))
		return;
	block = make_block(tb, count, aarch32);
	if (plugin.counting) {
		arm(block);
		if (model_watches())
			model_watch(tb, block);
		count_off(tb, block);
	}
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct place *place = &block->at[i];

		if (plugin.counting && place->armed)
			qemu_plugin_register_vcpu_insn_exec_cond_cb(
				insn, count_target, QEMU_PLUGIN_CB_RW_REGS_PC, QEMU_PLUGIN_COND_EQ,
				entry(offsetof(struct score, target)), i, place);
		if (plugin.counting && count == 1 && place->watched && accesses_memory(place->word))
			qemu_plugin_register_vcpu_mem_cb(insn, count_lone_access,
							 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
							 place);
		access_watch(insn, place);
	}
}

void translate_flush(void *ctx)
{
	(void)ctx;
	while (blocks) {
		struct block *block = blocks;

		blocks = block->next;
		g_free(block);
	}
	for (unsigned int i = 0; i < plugin.count; i++)
		plugin.vcpus[i].score->block = plugin.vcpus[i].score->branch = 0;
}

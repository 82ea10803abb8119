/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: blocks of any words, with any registers, and what the plugin for QEMU makes of one
 * instruction that is sampled in them. A unit with check has to find no misuse in it.
 */
#include "input.h"

#include <string.h>

#include "a64/a64.h"
#include "qemu/buffer.h"
#include "qemu/level.h"
#include "qemu/line.h"
#include "qemu/model.h"
#include "qemu/operation.h"

struct plugin plugin;

/* The stand-in for QEMU: what each asks for is the next of the input. */
static struct input source;

uint64_t register_get(const struct registers *registers, enum register_id id)
{
	(void)registers, (void)id;
	return input_number(&source, 8);
}

uint64_t register_x(const struct registers *registers, unsigned int n)
{
	(void)registers;
	require(n < 32);
	return input_number(&source, 8);
}

uint64_t register_z(const struct registers *registers, unsigned int n, unsigned int index)
{
	(void)registers;
	require(n < 32 && index < 32);
	return input_number(&source, 8);
}

uint64_t register_p(const struct registers *registers, unsigned int n, unsigned int index)
{
	(void)registers;
	require(n < 16 && index < 4);
	return input_number(&source, 8);
}

const struct known *level_known(struct vcpu *v)
{
	v->known.cntfrq_el0 = input_number(&source, 4);
	v->known.cntvoff_el2 = input_number(&source, 8);
	v->known.epoch = input_number(&source, 1);
	return &v->known;
}

uint64_t line_clock(void)
{
	return input_number(&source, 8);
}

void model_finish(struct vcpu *v, bool unaccessed, struct spe_op *op)
{
	(void)v, (void)unaccessed, (void)op;
	require(false); /* without model=warm */
}

bool buffer_is_ram(uint64_t pa)
{
	return pa >> 30 & 1;
}

bool qemu_plugin_translate_vaddr(uint64_t va, uint64_t *pa)
{
	*pa = va & 0xffffffffffff;
	return input_number(&source, 1) & 1;
}

static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)ctx, (void)owning_el, (void)va, (void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void misused(void *ctx, enum spe_misuse what, const char *why)
{
	(void)ctx;
	fprintf(stderr, "%s: %s\n", spe_misuse_name(what), why);
	abort();
}

static void begin(struct vcpu *v)
{
	const struct spe_host host = {.write = write_record, .misuse = misused};

	memset(v, 0, sizeof(*v));
	v->registers.z[0] = (struct qemu_plugin_register *)v; /* there is SVE */
	spe_config_defaults(&plugin.config,
			    SPE_V1P0 + (enum spe_version)input_number(&source, 1) % 5);
	plugin.config.check = true;
	require(spe_init(&v->unit, sizeof(v->unit), &plugin.config, &host) == 0);
	v->controls.features = spe_config_features(&plugin.config);
	v->controls.el = 1;
	spe_update(&v->unit, &v->controls);
	spe_write(&v->unit, SYSREG_PMBPTR_EL1, 0x10000);
	spe_write(&v->unit, SYSREG_PMBLIMITR_EL1, 0x100001);
	spe_write(&v->unit, SYSREG_PMSIRR_EL1, 1 << 8);
	spe_write(&v->unit, SYSREG_PMSCR_EL1, 0x3b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct vcpu v;
	struct written written = {.registers = 0};
	struct outcome end = {.el = 1};
	struct place place = {.va = 0x1000};
	const struct a64_insn *insn;

	source = (struct input){bytes, bytes + size};
	begin(&v);
	while (input_left(&source) >= 5) {
		place.word = (uint32_t)input_number(&source, 4);
		place.moved = written.added[place.word >> 5 & 31];
		insn = a64_decode(place.word);
		place.vector = insn && a64_is_sve(insn);
		place.armed = operation_is_late(place.word, &written);
		operation_written(place.word, &written);
		if (input_number(&source, 1) & 3)
			continue;
		operation_plan(&v, &place, place.va, 1);
		require(spe_advance(&v.unit, spe_budget(&v.unit)) == SPE_SELECTED);
		v.plan.excepted = input_number(&source, 1) & 1;
		v.plan.aborted = v.plan.excepted && input_number(&source, 1) & 1;
		end.pc = input_number(&source, 1) & 1 ? place.va + 4 : input_number(&source, 8);
		operation_finish(&v, &end);
		spe_write(&v.unit, SYSREG_PMBPTR_EL1, 0x10000);
	}
	return 0;
}

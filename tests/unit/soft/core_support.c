/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine of RAM and one device for the tests of the interpreter.
 */
#include "../compare.h"
#include "core_support.h"
#include "base/state.h"
#include "soft/run/block.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"

#include <stdlib.h>
#include <string.h>

static enum engine_answer mmio_read(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
				    uint64_t *value)
{
	struct core_machine *m = ctx;

	(void)cpu;
	(void)size;
	m->device_reads++;
	*value = pa;
	return pa - DEVICE < 0x1000 ? ENGINE_OK : ENGINE_NONE;
}

static enum engine_answer mmio_write(void *ctx, unsigned int cpu, uint64_t pa, unsigned int size,
				     uint64_t value)
{
	struct core_machine *m = ctx;

	(void)size;
	(void)value;
	if (pa - DEVICE >= 0x1000)
		return ENGINE_NONE;
	m->device_writes++;
	m->ops_at_write = engine_soft.vcpu_ops(m->cpu[cpu]);
	engine_soft.vcpu_irq(m->cpu[cpu], true);
	return ENGINE_OK;
}

static enum engine_answer sysreg_read(void *ctx, unsigned int cpu, uint32_t encoding,
				      uint64_t *value)
{
	const struct core_machine *m = ctx;

	(void)cpu;
	if (encoding != SYSREG_ENCODING(3, 3, 14, 0, 2) || !m->cntvct)
		return ENGINE_NONE;
	*value = m->cntvct;
	return ENGINE_OK;
}

static enum engine_answer sysreg_write(void *ctx, unsigned int cpu, uint32_t encoding,
				       uint64_t value)
{
	(void)ctx;
	(void)cpu;
	(void)encoding;
	(void)value;
	return ENGINE_NONE;
}

/* Time goes by the operation, so that a record's timestamp says which operation it is of. */
static uint64_t counter(void *ctx, unsigned int cpu)
{
	const struct core_machine *m = ctx;

	return engine_soft.vcpu_ops(m->cpu[cpu]);
}

static void spe_irq(void *ctx, unsigned int cpu, bool level)
{
	struct core_machine *m = ctx;

	engine_soft.vcpu_irq(m->cpu[cpu], level);
}

static void host_pmu_irq(void *ctx, unsigned int cpu, bool level)
{
	struct core_machine *m = ctx;

	engine_soft.vcpu_fiq(m->cpu[cpu], level);
}

static void spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct core_machine *m = ctx;

	(void)cpu;
	if (m->record_bytes + size > m->record_room) {
		m->record_room = 2 * m->record_room + size;
		m->records = realloc(m->records, m->record_room);
		cr_assert_not_null(m->records);
	}
	memcpy(m->records + m->record_bytes, bytes, size);
	m->record_bytes += size;
}

/* A VM on m's memory, and its vCPUs. */
static void make_vm(struct core_machine *m)
{
	const struct core_options *options = &m->options;
	struct engine_tuning tuning = {0};
	struct spe_config spe;
	char why[160];

	if (options->model)
		tuning = *options->model;
	tuning.single_step = options->single_step;
	/* All of these tests once more, with code of the host's. */
	if (tuning.jit != SOFT_JIT_ON && getenv("VSPE_TEST_TRANSLATED") && SOFT_JIT) {
		tuning.jit = SOFT_JIT_ON;
		tuning.jit_at_once = true;
	}

	m->vm = engine_soft.create(
		&(struct engine_host){
			.ctx = m,
			.ram = {RAM_BASE, RAM_SIZE, m->ram},
			.rom = {ROM_BASE, options->rom ? ROM_SIZE : 0, m->ram - ROM_SIZE},
			.mmio_read = mmio_read,
			.mmio_write = mmio_write,
			.sysreg_read = sysreg_read,
			.sysreg_write = sysreg_write,
			.counter = counter,
			.spe_irq = spe_irq,
			.pmu_irq = host_pmu_irq,
			.spe_data = spe_data,
		},
		options->cpus);
	cr_assert_not_null(m->vm);
	spe_config_defaults(&spe, SPE_VERSION_DEFAULT);
	if (options->config)
		spe = *options->config;
	for (unsigned int n = 0; n < options->cpus; n++) {
		const struct engine_vcpu_config config = {
			.index = n,
			.midr = 0x410fd490,
			.levels = options->levels,
			.spe = options->spe ? &spe : NULL,
			.tuning = &tuning,
			.pmu = options->pmu,
		};

		m->cpu[n] = engine_soft.vcpu_create(m->vm, &config, why, sizeof(why));
		cr_assert_not_null(m->cpu[n], "%s", why);
		engine_soft.vcpu_reset(m->cpu[n], CODE, 0);
	}
}

const struct soft_op *core_operation(uint32_t word)
{
	static _Alignas(64) uint8_t memory[2048];
	struct soft_block *block = (struct soft_block *)memory;

	memset(memory, 0, sizeof(memory));
	block->va = CODE;
	soft_translate_block(block, (const uint8_t *)&word, 1, SOFT_ISA_ALL, false);
	return &block->ops[0];
}

uint64_t core_effort(void)
{
	const char *effort = getenv("VSPE_TEST_EFFORT");

	return effort ? strtoull(effort, NULL, 10) : 1;
}

struct core_machine *core_new(struct core_options options)
{
	struct core_machine *m = calloc(1, sizeof(*m));

	m->options = options;
	if (!options.cpus)
		m->options.cpus = 1;
	if (!options.levels.start)
		m->options.levels = (struct engine_levels){.start = 1};
	m->ram = aligned_alloc(4096, ROM_SIZE + RAM_SIZE);
	memset(m->ram, 0, ROM_SIZE + RAM_SIZE);
	m->ram += ROM_SIZE;
	make_vm(m);
	return m;
}

void core_renew(struct core_machine *m)
{
	struct engine_vm *old = m->vm;
	struct state saved[4], again, loaded;

	for (unsigned int n = 0; n < m->options.cpus; n++) {
		state_save(&saved[n], "vCPU");
		engine_soft.vcpu_state(m->cpu[n], &saved[n]);
		cr_assert(state_end(&saved[n]), "%s", saved[n].why);
	}
	make_vm(m);
	engine_soft.destroy(old);
	for (unsigned int n = 0; n < m->options.cpus; n++) {
		state_load(&loaded, "vCPU", saved[n].bytes, saved[n].at);
		engine_soft.vcpu_state(m->cpu[n], &loaded);
		cr_assert(state_end(&loaded), "%s", loaded.why);
		/* What was loaded is what would be saved. */
		state_save(&again, "vCPU");
		engine_soft.vcpu_state(m->cpu[n], &again);
		cr_assert_eq(again.at, saved[n].at);
		cr_assert_arr_eq(again.bytes, saved[n].bytes, again.at);
		state_free(&again);
		state_free(&saved[n]);
	}
}

void core_free(struct core_machine *m)
{
	engine_soft.destroy(m->vm);
	free(m->records);
	free(m->ram - ROM_SIZE);
	free(m);
}

void core_load(struct core_machine *m, uint64_t pa, const uint32_t *words, size_t count)
{
	memcpy(m->ram + (pa - RAM_BASE), words, count * sizeof(*words));
}

uint64_t core_get(const struct core_machine *m, unsigned int n)
{
	return engine_soft.vcpu_get(m->cpu[m->at], n);
}

void core_set(struct core_machine *m, unsigned int n, uint64_t value)
{
	engine_soft.vcpu_set(m->cpu[m->at], n, value);
}

enum engine_exit_reason core_run(struct core_machine *m, uint64_t max_ops)
{
	engine_soft.vcpu_run(m->cpu[m->at], max_ops, &m->exit);
	return m->exit.reason;
}

uint64_t core_read(const struct core_machine *m, uint64_t pa)
{
	uint64_t value;

	memcpy(&value, m->ram + (pa - RAM_BASE), sizeof(value));
	return value;
}

void core_write(struct core_machine *m, uint64_t pa, uint64_t value)
{
	memcpy(m->ram + (pa - RAM_BASE), &value, sizeof(value));
}

bool core_same(const struct core_machine *a, const struct core_machine *b)
{
	for (unsigned int n = 0; n <= PC; n++) {
		if (core_get(a, n) != core_get(b, n))
			return false;
	}
	return memcmp(a->ram, b->ram, RAM_SIZE) == 0;
}

void core_map(struct core_machine *m, uint64_t hole)
{
	const uint64_t page = 0x703; /* AF, inner shareable, attribute 0, EL1 only, a page */

	core_write(m, TABLES + 8, (TABLES + 0x1000) | 3); /* level 1: the second GB */
	core_write(m, TABLES + 0x1000, (TABLES + 0x2000) | 3);
	for (uint64_t n = 0; n < RAM_SIZE / 0x1000; n++) {
		const uint64_t pa = RAM_BASE + 0x1000 * n;

		core_write(m, TABLES + 0x2000 + 8 * n, pa == hole ? 0 : pa | page);
	}
	core_set(m, 1, TABLES);
	core_set(m, 2, UINT64_C(2) << 32 | 1 << 23 | 25); /* 40 bits PA, TTBR0 only, 39 bits VA */
	core_set(m, 3, 0xff);				  /* attribute 0: Normal, write-back */
	core_set(m, 4, 0x30d00801);			  /* SCTLR_EL1: RES1, M */
	core_set(m, 8, VECTORS);
}

void core_profile(struct core_machine *m, uint64_t interval)
{
	struct spe_unit *spe = engine_soft.vcpu_spe(m->cpu[m->at]);

	spe_write(spe, SYSREG_PMSIRR_EL1, interval);
	spe_write(spe, SYSREG_PMSICR_EL1, 0);
	spe_write(spe, SYSREG_PMSFCR_EL1, 0);
	spe_write(spe, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(spe, SYSREG_PMBLIMITR_EL1, (BUFFER + 0x40000) | 1);
	spe_write(spe, SYSREG_PMSCR_EL1, 0x33); /* E0SPE, E1SPE, PA, TS */
}

/* Bits [5:4] of a header are log2 of the payload's bytes. */
void core_each_packet(const struct core_machine *m, size_t n, size_t size,
		      void (*take)(void *record, uint8_t header, uint64_t payload), void *record)
{
	const uint8_t *p = m->records + n * size, *end = p + size;

	cr_assert_leq((n + 1) * size, m->record_bytes, "record %zu of %zu bytes", n,
		      m->record_bytes);
	while (p<end && * p> 1) {
		const uint8_t header = *p++;
		const unsigned int bytes = 1u << (header >> 4 & 3);
		uint64_t value = 0;

		cr_assert_leq(p + bytes, end);
		memcpy(&value, p, bytes);
		take(record, header, value);
		p += bytes;
	}
}

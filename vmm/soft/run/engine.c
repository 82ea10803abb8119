/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software engine: the interface of engine.h, and the accessor functions that sys.h declares
 * for the system side.
 */
#include "engine.h"
#include "a64/a64.h"
#include "arm/model_counts.h"
#include "base/memory.h"
#include "soft/run/block.h"
#include "soft/run/execute.h"
#include "soft/flags.h"
#include "soft/run/jit/jit.h"
#include "soft/mem/memory.h"
#include "soft/mem/profile.h"
#include "soft/model/model.h"
#include "soft/model/warm.h"
#include "soft/run/state.h"
#include "soft/run/stretch.h"
#include "soft/sampling/tell.h"
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/mem/tlb.h"
#include "soft/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The opaque types of engine.h. */
struct engine_vm {
	struct soft_vm soft;
};

struct engine_vcpu {
	struct soft_cpu cpu;
	struct engine_vcpu_config config;
	struct spe_unit spe;
	struct soft_pmu pmu;
};

_Static_assert(offsetof(struct engine_vcpu, cpu) == 0, "soft_vm.cpus has them");

static int probe_host(char *why, size_t size)
{
	const uint16_t little = 1;

	if (*(const uint8_t *)&little == 1)
		return 0;
	snprintf(why, size, "the software CPU needs a little-endian host");
	return -1;
}

#define HASH_SIZE (SOFT_BLOCK_HASH * sizeof(struct soft_block *))

/* Bytes for what is known of each page of memory. */
static size_t pages_size(const struct soft_vm *vm)
{
	const struct engine_ram *ram = &vm->host.ram;

	return ((ram->base + ram->size - vm->pages_base) >> SOFT_PAGE_SHIFT) * sizeof(*vm->pages);
}

static void destroy_vm(struct engine_vm *vm)
{
	if (!vm)
		return;
	for (unsigned int n = 0; n < vm->soft.count && vm->soft.cpus; n++)
		/* The first member of its struct. */
		memory_sparse_free(vm->soft.cpus[n], sizeof(struct engine_vcpu));
	free(vm->soft.cpus);
	memory_sparse_free(vm->soft.pages, pages_size(&vm->soft));
	memory_sparse_free(vm->soft.hash, HASH_SIZE);
	if (vm->soft.arena)
		(void)munmap(vm->soft.arena, SOFT_ARENA);
	soft_model_destroy(&vm->soft);
	soft_jit_destroy(&vm->soft);
	free(vm);
}

/* Most guests touch little of it. With malloc(), ASan would mark all of it. */
static uint8_t *map_arena(void)
{
	void *arena = mmap(NULL, SOFT_ARENA, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return arena == MAP_FAILED ? NULL : arena;
}

static struct engine_vm *create_vm(const struct engine_host *host, unsigned int cpus)
{
	struct engine_vm *vm = calloc(1, sizeof(*vm));

	if (!vm)
		return NULL;
	vm->soft.passing = &soft_passing;
	vm->soft.host = *host;
	vm->soft.host.ram.size &= SOFT_PAGE_MASK;
	vm->soft.count = cpus;
	vm->soft.cpus = calloc(cpus, sizeof(struct soft_cpu *));
	vm->soft.pages_base = host->rom.size ? host->rom.base : host->ram.base;
	vm->soft.pages = memory_sparse(pages_size(&vm->soft));
	vm->soft.hash = memory_sparse(HASH_SIZE);
	vm->soft.arena = map_arena();
	if (vm->soft.cpus && vm->soft.pages && vm->soft.hash && vm->soft.arena)
		return vm;
	destroy_vm(vm);
	return NULL;
}

static void unit_pmu_event(void *ctx, uint16_t event, uint64_t count)
{
	struct soft_cpu *cpu = ctx;
	const struct engine_host *host = &cpu->vm->host;

	soft_pmu_tell(cpu, event, count);
	if (host->pmu_event)
		host->pmu_event(host->ctx, cpu->index, event, count);
}

static void unit_serror(void *ctx)
{
	struct soft_cpu *cpu = ctx;

	cpu->sys.serror = true;
	cpu->attention |= SOFT_ATTENTION_IRQ;
}

static bool set_up_spe(struct engine_vcpu *vcpu, char *why, size_t size)
{
	struct spe_config config = *vcpu->config.spe;
	const struct spe_host host = {
		.ctx = &vcpu->cpu,
		.write = soft_profile_write,
		.write_untranslated = soft_profile_write_untranslated,
		.pmu_event =
			vcpu->cpu.vm->host.pmu_event || vcpu->config.pmu ? unit_pmu_event : NULL,
		.serror = unit_serror,
	};
	const char *field = "spe";
	const char *lack;
	int error;

	lack = soft_spe_lacks(&config, &field);
	if (lack) {
		snprintf(why, size, "%s: %s", field, lack);
		return false;
	}
	if (config.dpfzs && vcpu->config.pmu < PMU_V3P7) {
		snprintf(why, size, "dpfzs: needs a PMU, v3p7 or later");
		return false;
	}
	/* As the ID registers have it. */
	config.ecv = vcpu->config.levels.el2;
	config.sve = vcpu->cpu.sys.isa & SOFT_ISA(SVE);
	error = spe_init(&vcpu->spe, sizeof(vcpu->spe), &config, &host);
	if (error) {
		(void)spe_config_check(&config, &field);
		snprintf(why, size, "%s: %s", field, spe_strerror(error));
		return false;
	}
	vcpu->cpu.sys.spe = &vcpu->spe;
	vcpu->cpu.loop.exact = config.pbt || !config.arch_inst;
	soft_configure_samples(&vcpu->cpu, &config);
	return true;
}

static void set_up_pmu(struct engine_vcpu *vcpu)
{
	const struct engine_levels *levels = &vcpu->config.levels;

	vcpu->cpu.loop.pmu_stop = UINT64_MAX;
	if (!vcpu->config.pmu)
		return;
	vcpu->pmu.unit.config = (struct pmu_config){
		.version = vcpu->config.pmu,
		.el2 = levels->el2,
		.el3 = levels->el3,
		.sel2 = levels->sel2,
		.rme = levels->rme,
	};
	vcpu->pmu.unit.spe = vcpu->cpu.sys.spe ? spe_unit_config(&vcpu->spe) : NULL;
	pmu_config_of_engine(&vcpu->pmu.unit.config, soft_model_counts(&vcpu->cpu) != NULL);
	vcpu->cpu.sys.pmu = &vcpu->pmu;
}

/* All but what looks at the result. */
static void reset_state(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	struct soft_cpu *cpu = &vcpu->cpu;

	for (unsigned int n = 0; n < SOFT_X_COUNT; n++)
		cpu->x[n] = 0;
	memset(cpu->z[1], 0, sizeof(cpu->z) - sizeof(cpu->z[0]));
	memset(cpu->p, 0, sizeof(cpu->p));
	memset(cpu->upper, 0, sizeof(cpu->upper));
	cpu->x[0] = x0;
	cpu->pc = pc;
	cpu->slot = NULL;
	cpu->monitor.set = false;
	cpu->loop.event = cpu->loop.stepped = false;
	cpu->end.stuck = 0;
	cpu->end.storm = (struct soft_storm){0};
	soft_set_flags(cpu, 0);
	if (cpu->sys.spe)
		spe_reset(cpu->sys.spe);
	soft_sys_reset(&cpu->sys, &vcpu->config);
	if (cpu->sys.pmu)
		soft_pmu_reset(cpu);
	cpu->sys.rvbar = pc;
}

static void reset_done(struct soft_cpu *cpu)
{
	soft_timer_offsets(cpu);
	soft_tlb_flush(cpu);
	soft_context_changed(cpu);
}

static void vcpu_reset(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	reset_state(vcpu, pc, x0);
	soft_unknown_reset(&vcpu->cpu);
	reset_done(&vcpu->cpu);
}

/* Translation gains nothing if a machine model sees each operation. */
static bool translates(const struct engine_tuning *tuning)
{
	if (!tuning || tuning->single_step || tuning->model.mode == MODEL_FULL)
		return false;
	return tuning->jit == SOFT_JIT_ON ||
	       (tuning->jit == SOFT_JIT_AUTO && soft_code_memory_reserved());
}

/* All vCPUs use the first one's tuning. */
static bool set_up_jit(struct soft_vm *vm, const struct engine_tuning *tuning, char *why,
		       size_t size)
{
	int error;

	if (vm->jit || !translates(tuning))
		return true;
	error = soft_jit_create(vm, tuning->jit_at_once);
	if (error) {
		snprintf(why, size, "--jit on: no memory for code: %s", strerror(-error));
		return false;
	}
	vm->jit->told = tuning->jit == SOFT_JIT_ON;
	return true;
}

static struct engine_vcpu *
vcpu_create(struct engine_vm *vm, const struct engine_vcpu_config *config, char *why, size_t size)
{
	struct engine_vcpu *vcpu;

	if (config->index >= vm->soft.count || vm->soft.cpus[config->index]) {
		snprintf(why, size, "there is no free vCPU %u", config->index);
		return NULL;
	}
	vcpu = memory_sparse(sizeof(*vcpu));
	if (!vcpu) {
		snprintf(why, size, "no memory for vCPU %u", config->index);
		return NULL;
	}
	vcpu->config = *config;
	vcpu->cpu.vm = &vm->soft;
	vcpu->cpu.index = config->index;
	vcpu->cpu.loop.single_step = config->tuning && config->tuning->single_step;
	vcpu->cpu.sys.isa = vm->soft.isa = config->tuning ? config->tuning->isa : 0;
	if (config->spe && !set_up_spe(vcpu, why, size)) {
		memory_sparse_free(vcpu, sizeof(*vcpu));
		return NULL;
	}
	if (!soft_model_create(&vm->soft, config->tuning)) {
		snprintf(why, size, "--model: no memory for its caches");
		memory_sparse_free(vcpu, sizeof(*vcpu));
		return NULL;
	}
	vcpu->cpu.sys.sve_vl = vm->soft.sve_vl = config->tuning ? config->tuning->sve_vl : 0;
	if (!set_up_jit(&vm->soft, config->tuning, why, size)) {
		memory_sparse_free(vcpu, sizeof(*vcpu));
		return NULL;
	}
	vcpu->cpu.loop.exact |= vm->soft.model != NULL;
	set_up_pmu(vcpu);
	vcpu->cpu.sys.levels = config->levels;
	vcpu->cpu.sys.random = config->seed;
	if (config->tuning)
		vm->soft.unknown = config->tuning->unknown;
	soft_tlb_reset(&vcpu->cpu);
	soft_warm_begin(&vcpu->cpu);
	reset_state(vcpu, 0, 0); /* no start: nothing is drawn until there is one */
	reset_done(&vcpu->cpu);
	vcpu->config.spe = vcpu->cpu.sys.spe ? spe_unit_config(&vcpu->spe) : NULL;
	vm->soft.cpus[config->index] = &vcpu->cpu;
	return vcpu;
}

static void vcpu_run(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit)
{
	soft_run(&vcpu->cpu, max_ops, exit);
}

static uint64_t vcpu_ops(const struct engine_vcpu *vcpu)
{
	const struct soft_cpu *cpu = &vcpu->cpu;

	return cpu->ops + (cpu->run ? (uint64_t)(cpu->run - cpu->left) : 0);
}

static uint64_t vcpu_vectors(const struct engine_vcpu *vcpu)
{
	const struct soft_sys *sys = &vcpu->cpu.sys;

	return sys->pstate.el ? sys->vbar[sys->pstate.el] : 0;
}

static uint64_t vcpu_get(const struct engine_vcpu *vcpu, unsigned int n)
{
	return n < 31 ? vcpu->cpu.x[n] : vcpu->cpu.pc;
}

static void vcpu_set(struct engine_vcpu *vcpu, unsigned int n, uint64_t value)
{
	if (n < 31)
		vcpu->cpu.x[n] = value;
	else
		soft_set_pc(&vcpu->cpu, value);
}

static void update_attention(struct soft_cpu *cpu)
{
	if (soft_pending_interrupt(&cpu->sys) != SOFT_INTERRUPT_NONE)
		cpu->attention |= SOFT_ATTENTION_IRQ;
}

static void vcpu_irq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->cpu.sys.irq_level = level;
	update_attention(&vcpu->cpu);
}

static void vcpu_fiq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->cpu.sys.fiq_level = level;
	update_attention(&vcpu->cpu);
}

static void vcpu_virq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->cpu.sys.virq_level = level;
	update_attention(&vcpu->cpu);
}

static void vcpu_vfiq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->cpu.sys.vfiq_level = level;
	update_attention(&vcpu->cpu);
}

static void vcpu_request_exit(struct engine_vcpu *vcpu)
{
	vcpu->cpu.attention |= SOFT_ATTENTION_EXIT;
}

static void vcpu_describe(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	const struct soft_sys *sys = &vcpu->cpu.sys;
	const unsigned int el = sys->pstate.el > 1 ? sys->pstate.el : 1;

	snprintf(text, size,
		 "vCPU %u at PC 0x%" PRIx64 " EL%u, ESR_EL%u 0x%" PRIx64 ", FAR_EL%u 0x%" PRIx64
		 ", ELR_EL%u 0x%" PRIx64,
		 vcpu->cpu.index, vcpu->cpu.pc, sys->pstate.el, el, sys->esr[el], el, sys->far[el],
		 el, sys->elr[el]);
}

static bool vcpu_storm(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	return soft_describe_storm(&vcpu->cpu, text, size);
}

static void vcpu_state(struct engine_vcpu *vcpu, struct state *state)
{
	soft_cpu_state(&vcpu->cpu, state);
}

static struct spe_unit *vcpu_spe(struct engine_vcpu *vcpu)
{
	return vcpu->cpu.sys.spe;
}

/* An account's counts of the translator come after those of the model. */
enum { JIT_BLOCKS = MODEL_COUNTS, JIT_OPERATIONS, JIT_BYTES, JIT_NS, COUNTS };
_Static_assert(COUNTS <= ENGINE_COUNTS, "each has a place");

/* The places of an account's words. */
enum { MODEL_WORD, JIT_WORD };

static void account_jit(const struct soft_jit *jit, struct engine_account *account)
{
	if (!jit || !jit->told)
		return;
	account->counts[JIT_BLOCKS] = jit->blocks;
	account->counts[JIT_OPERATIONS] = jit->operations;
	account->counts[JIT_BYTES] = jit->bytes;
	account->counts[JIT_NS] = jit->nanoseconds;
	snprintf(account->words[JIT_WORD], sizeof(account->words[JIT_WORD]), "on");
}

static void tell_jit(const struct engine_account *account, const struct engine_listener *to)
{
	const uint64_t *counts = account->counts;
	char line[160];

	if (to->word)
		to->word(to->ctx, "jit", account->words[JIT_WORD]);
	if (to->count) {
		to->count(to->ctx, "translated_blocks", counts[JIT_BLOCKS]);
		to->count(to->ctx, "translated_operations", counts[JIT_OPERATIONS]);
		to->count(to->ctx, "code_bytes", counts[JIT_BYTES]);
		to->count(to->ctx, "translator_ns", counts[JIT_NS]);
	}
	if (!to->line)
		return;
	snprintf(line, sizeof(line),
		 "translated %" PRIu64 " operations of %" PRIu64 " blocks to %" PRIu64
		 " bytes in %" PRIu64 ".%03" PRIu64 " ms",
		 counts[JIT_OPERATIONS], counts[JIT_BLOCKS], counts[JIT_BYTES],
		 counts[JIT_NS] / 1000000, counts[JIT_NS] / 1000 % 1000);
	to->line(to->ctx, line);
}

/* The machine model's counts, all vCPUs together, followed by how many operations it was shown. */
static void account_vm(const struct engine_vm *vm, struct engine_account *account)
{
	const struct soft_model *model = vm->soft.model;

	account_jit(vm->soft.jit, account);
	if (!model)
		return;
	for (unsigned int n = 0; model->mode == MODEL_WARM && n < vm->soft.count; n++)
		model_counts_keep_misses(&model->machine->cores[n]);
	model_counts_add(model->machine, account->counts);
	(void)snprintf(account->words[MODEL_WORD], sizeof(account->words[MODEL_WORD]), "%s",
		       model_mode_word(model->mode));
}

static uint64_t line_moves(const struct engine_vm *vm)
{
	return vm->soft.model ? vm->soft.model->machine->moves : 0;
}

static void tell_account(const struct engine_account *account, const struct engine_listener *to)
{
	char line[MODEL_COUNTS_LINE];

	if (account->words[JIT_WORD][0])
		tell_jit(account, to);
	if (!account->words[MODEL_WORD][0])
		return;
	if (to->word)
		to->word(to->ctx, "model", account->words[MODEL_WORD]);
	if (to->count)
		model_counts_tell(account->counts, account->words[MODEL_WORD], to->ctx, to->count);
	if (!to->line)
		return;
	model_counts_line(account->counts, account->words[MODEL_WORD], line, sizeof(line));
	to->line(to->ctx, line);
}

const struct engine engine_soft = {
	.name = "soft",
	.options = soft_options,
	.tuning_size = sizeof(struct engine_tuning),
	.tuning_default = &soft_tuning_default,
	.reserve = soft_tuning_reserve,
	.endless = soft_tuning_endless,
	.tuning_core = soft_tuning_core,
	.tuning_state = soft_tuning_state,
	.tuning_adopt = soft_tuning_adopt,
	.tuning_models = soft_tuning_models,
	.line_moves = line_moves,
	.tuning_seed = soft_tuning_seed,
	.check = soft_check_wish,
	.own_midr = true,
	.probe = probe_host,
	.spe_lacks = soft_spe_lacks,
	.create = create_vm,
	.vcpu_create = vcpu_create,
	.vcpu_reset = vcpu_reset,
	.vcpu_run = vcpu_run,
	.vcpu_ops = vcpu_ops,
	.vcpu_vectors = vcpu_vectors,
	.vcpu_get = vcpu_get,
	.vcpu_set = vcpu_set,
	.vcpu_irq = vcpu_irq,
	.vcpu_fiq = vcpu_fiq,
	.vcpu_virq = vcpu_virq,
	.vcpu_vfiq = vcpu_vfiq,
	.vcpu_request_exit = vcpu_request_exit,
	.vcpu_describe = vcpu_describe,
	.vcpu_storm = vcpu_storm,
	.vcpu_state = vcpu_state,
	.vcpu_spe = vcpu_spe,
	.account = account_vm,
	.tell = tell_account,
	.account_saved = MODEL_COUNTS,
	.destroy = destroy_vm,
};

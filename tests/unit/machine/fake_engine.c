/* SPDX-License-Identifier: BSD-2-Clause */
/* An engine made for tests of the machine: see fake_engine.h. */
#include "fake_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int (*fake_guest)(struct engine_vcpu *vcpu);
struct engine_levels fake_levels[MACHINE_MAX_CPUS];
unsigned int fake_trace[TRACE_SIZE];
size_t fake_trace_count;

/* The types are those of struct engine. NOLINTBEGIN(readability-non-const-parameter) */
static int fake_probe(char *why, size_t size)
{
	(void)why;
	(void)size;
	return 0;
}

static struct engine_vm *fake_create(const struct engine_host *host, unsigned int cpus)
{
	struct engine_vm *vm = calloc(1, sizeof(*vm));

	(void)cpus;
	vm->host = *host;
	return vm;
}

static struct engine_vcpu *fake_vcpu_create(struct engine_vm *vm,
					    const struct engine_vcpu_config *config, char *why,
					    size_t size)
{
	struct engine_vcpu *vcpu = calloc(1, sizeof(*vcpu));

	(void)why;
	(void)size;
	vcpu->vm = vm;
	vcpu->index = config->index;
	fake_levels[config->index] = config->levels;
	if (config->spe)
		vcpu->spe = *config->spe;
	vm->vcpus[config->index] = vcpu;
	return vcpu;
}

/* NOLINTEND(readability-non-const-parameter) */

static void fake_reset(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	memset(vcpu->x, 0, sizeof(vcpu->x));
	vcpu->x[31] = pc;
	vcpu->x[0] = x0;
	vcpu->step = 0;
}

static void fake_run(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit)
{
	exit->reason = ENGINE_EXIT_BUDGET;
	vcpu->exit_requested = false;
	for (uint64_t i = 0; i < max_ops && !vcpu->exit_requested; i++) {
		int reason;

		if (fake_trace_count < TRACE_SIZE)
			fake_trace[fake_trace_count++] = vcpu->index;
		reason = fake_guest(vcpu);
		vcpu->ops++;
		vcpu->step++;
		if (reason != GO_ON) {
			exit->reason = (enum engine_exit_reason)reason;
			strcpy(exit->why, "why it was lost");
			return;
		}
	}
}

static uint64_t fake_ops(const struct engine_vcpu *vcpu)
{
	return vcpu->ops;
}

static uint64_t fake_get(const struct engine_vcpu *vcpu, unsigned int n)
{
	return vcpu->x[n];
}

static void fake_set(struct engine_vcpu *vcpu, unsigned int n, uint64_t value)
{
	vcpu->x[n] = value;
}

static void fake_irq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->irq = level;
}

static void fake_fiq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->fiq = level;
}

static void fake_virq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->virq = level;
}

static void fake_vfiq(struct engine_vcpu *vcpu, bool level)
{
	vcpu->vfiq = level;
}

static void fake_request_exit(struct engine_vcpu *vcpu)
{
	vcpu->exit_requested = true;
}

static void fake_describe(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	(void)snprintf(text, size, "PC 0x%llx", (unsigned long long)vcpu->x[31]);
}

static struct spe_unit *fake_spe(struct engine_vcpu *vcpu)
{
	return &vcpu->unit;
}

static void fake_destroy(struct engine_vm *vm)
{
	for (unsigned int i = 0; i < MACHINE_MAX_CPUS; i++)
		free(vm->vcpus[i]);
	free(vm);
}

static uint64_t fake_line_moves(const struct engine_vm *vm)
{
	return vm->line_moves;
}

const struct engine engine_fake = {
	.name = "fake",
	.probe = fake_probe,
	.create = fake_create,
	.vcpu_create = fake_vcpu_create,
	.vcpu_reset = fake_reset,
	.vcpu_run = fake_run,
	.vcpu_ops = fake_ops,
	.vcpu_get = fake_get,
	.vcpu_set = fake_set,
	.vcpu_irq = fake_irq,
	.vcpu_fiq = fake_fiq,
	.vcpu_virq = fake_virq,
	.vcpu_vfiq = fake_vfiq,
	.vcpu_request_exit = fake_request_exit,
	.vcpu_describe = fake_describe,
	.vcpu_spe = fake_spe,
	.line_moves = fake_line_moves,
	.destroy = fake_destroy,
};

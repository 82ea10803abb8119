/* SPDX-License-Identifier: BSD-2-Clause */
/* The KVM engine, with the interface of engine.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "model/machine.h"
#include "kvm/engine/engine_kvm.h"

static void close_vcpu(struct engine_vcpu *vcpu)
{
	if (!vcpu)
		return;
	vspe_kvm_vcpu_destroy(vcpu->spe);
	if (vcpu->run)
		(void)munmap(vcpu->run, vcpu->vm->run_size);
	if (vcpu->calls.fd >= 0)
		(void)close(vcpu->calls.fd);
	free(vcpu);
}

static void destroy_vm(struct engine_vm *vm)
{
	const int files[] = {vm ? vm->gic : -1, vm ? vm->fd : -1};

	if (!vm)
		return;
	for (unsigned int i = 0; i < vm->cpus; i++)
		close_vcpu(vm->vcpu[i]);
	vspe_kvm_destroy(vm->spe);
	kvm_model_destroy(vm->model);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] >= 0)
			(void)close(files[i]);
	free(vm->vcpu);
	free(vm);
}

static struct engine_vm *create_vm(const struct engine_host *host, unsigned int cpus)
{
	struct engine_vm *vm = calloc(1, sizeof(*vm));

	if (!vm)
		return NULL;
	vm->host = *host;
	vm->kvm = host->device;
	vm->fd = vm->gic = -1;
	vm->vcpu = calloc(cpus, sizeof(struct engine_vcpu *));
	if (!vm->vcpu) {
		free(vm);
		return NULL;
	}
	vm->cpus = cpus;
	return vm;
}

static void account_vm(const struct engine_vm *vm, struct engine_account *account)
{
	uint64_t sites[VSPE_KVM_SITE_KINDS];

	if (!vm->spe)
		return;
	vspe_kvm_sites(vm->spe, sites);
	for (unsigned int i = 0; i < VSPE_KVM_SITE_KINDS; i++)
		account->counts[i] += sites[i];
	(void)snprintf(account->words[KVM_ACCOUNT_TRAP], sizeof(account->words[0]), "%s",
		       vspe_kvm_trap_name(vm->spe));
	vspe_kvm_describe_counting(vm->spe, account->words[KVM_ACCOUNT_COUNTING],
				   sizeof(account->words[0]));
	if (!vm->model)
		return;
	kvm_model_account(vm->model, account->counts + VSPE_KVM_SITE_KINDS);
	(void)snprintf(account->words[KVM_ACCOUNT_MODEL], sizeof(account->words[0]), "%s",
		       model_mode_word(MODEL_FULL));
}

/* Why libvspe-kvm refuses the options, which the message names. */
static int refuse_spe(int error, const char *text, char *why, size_t size)
{
	const char *before = "", *behind = "";

	switch (-error) {
	case VSPE_KVM_EBREAKPOINTS: before = "--kvm-trap breakpoint: "; break;
	case VSPE_KVM_EEVENT:
		before = "--kvm-sampler perf: ";
		behind = " (--kvm-event)";
		break;
	case VSPE_KVM_ERESET: behind = ": say --cpus 1 or --no-spe"; break;
	case VSPE_KVM_ENATIVE: behind = ": say --no-spe"; break;
	default: break;
	}
	(void)snprintf(why, size, "%s%s%s", before, text, behind);
	return -1;
}

static void spe_irq(void *ctx, unsigned int cpu, bool level)
{
	const struct engine_vm *vm = ctx;

	vm->host.spe_irq(vm->host.ctx, cpu, level);
}

static void spe_data(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	const struct engine_vm *vm = ctx;

	vm->host.spe_data(vm->host.ctx, cpu, bytes, size);
}

static void unit_pmu_event(void *ctx, unsigned int cpu, uint16_t event, uint64_t count)
{
	const struct engine_vm *vm = ctx;

	vm->host.pmu_event(vm->host.ctx, cpu, event, count);
}

static int make_spe(struct engine_vm *vm, const struct engine_tuning *tuning, char *why,
		    size_t size)
{
	const struct vspe_kvm_region ram = {vm->host.ram.base, vm->host.ram.size,
					    vm->host.ram.host};
	const struct model_ram nodes = {.base = vm->host.ram.base, .nodes = vm->host.nodes};
	struct vspe_kvm_config config;
	char text[256];
	int error;

	(void)vspe_kvm_config_defaults(&config, sizeof(config));
	config.kvm = vm->kvm;
	config.vm = vm->fd;
	config.cpus = vm->cpus;
	config.regions = &ram;
	config.region_count = 1;
	config.trap = tuning->trap;
	config.sampler = tuning->sampler;
	config.event = tuning->event;
	config.multiplier = tuning->multiplier;
	config.margin = tuning->margin;
	config.signal = KVM_KICK;
	config.signal_is_set_up = true;
	config.ctx = vm;
	config.callbacks = (struct vspe_kvm_callbacks){
		.irq = spe_irq,
		.data = vm->host.spe_data ? spe_data : NULL,
		.site = tuning->list_sites && vm->host.note ? kvm_tell_site : NULL,
		.pmu_event = vm->host.pmu_event ? unit_pmu_event : NULL,
	};
	error = vspe_kvm_create(&vm->spe, &config, text, sizeof(text));
	if (error)
		return refuse_spe(error, text, why, size);
	if (tuning->model.mode == MODEL_OFF)
		return 0;
	vm->model = kvm_model_create(vm->spe, &tuning->machine, &nodes);
	if (vm->model)
		return 0;
	(void)snprintf(why, size, "no memory for the model of %u vCPUs", vm->cpus);
	return -1;
}

/* With the first vCPU: set up what all of them share. */
static int open_vm(struct engine_vm *vm, const struct engine_vcpu_config *config,
		   const struct engine_tuning *tuning, char *why, size_t size)
{
	const struct engine_ram *ram = &vm->host.ram;
	const struct kvm_userspace_memory_region region = {
		.guest_phys_addr = ram->base,
		.memory_size = ram->size,
		.userspace_addr = (uintptr_t)ram->host,
	};
	struct kvm_enable_cap nisv = {.cap = KVM_CAP_ARM_NISV_TO_USER};
	const int run_size = kvm_run_size(vm->kvm, why, size);

	if (run_size < 0)
		return -1;
	vm->run_size = (size_t)run_size;
	vm->pmu = config->pmu;
	/* Larger pages make the walks of stage 2 shorter; it works without them, too. */
	(void)madvise(ram->host, ram->size, MADV_HUGEPAGE);
	vm->fd = kvm_make_vm(vm->kvm, &region, why, size);
	if (vm->fd < 0)
		return -1;
	if (ioctl(vm->fd, KVM_ENABLE_CAP, &nisv) < 0) {
		(void)snprintf(why, size, "KVM_CAP_ARM_NISV_TO_USER: %s", strerror(errno));
		return -1;
	}
	return config->spe ? make_spe(vm, tuning, why, size) : 0;
}

static int open_vcpu(struct engine_vcpu *vcpu, const struct spe_config *spe, char *why, size_t size)
{
	struct engine_vm *vm = vcpu->vm;
	const uint32_t features = 1u << KVM_ARM_VCPU_PSCI_0_2 |
				  (vm->pmu != PMU_NONE ? 1u << KVM_ARM_VCPU_PMU_V3 : 0) |
				  (vcpu->index > 0 ? 1u << KVM_ARM_VCPU_POWER_OFF : 0);
	char text[256];
	int error;

	vcpu->calls.fd = kvm_make_vcpu(vm->fd, vcpu->index, features, why, size);
	if (vcpu->calls.fd < 0)
		return -1;
	vcpu->run = kvm_map_run(vcpu->calls.fd, vm->run_size, why, size);
	if (!vcpu->run || kvm_pmu_choose(vcpu->calls.fd, vm->pmu, why, size) < 0)
		return -1;
	if (!vm->spe)
		return 0;
	error = vspe_kvm_vcpu_create(&vcpu->spe, vm->spe, vcpu->index, vcpu->calls.fd, vcpu->run,
				     spe, text, sizeof(text));
	return error ? refuse_spe(error, text, why, size) : 0;
}

/* Patch what was loaded, once all vCPUs exist. */
static int patch_loaded(struct engine_vm *vm, bool modules, char *why, size_t size)
{
	const struct engine_range *const at[] = {&vm->host.image, &vm->host.initrd};
	const enum vspe_kvm_range_kind kinds[] = {VSPE_KVM_RANGE_CODE,
						  modules ? VSPE_KVM_RANGE_INITRD_SIGNED
							  : VSPE_KVM_RANGE_INITRD};
	struct vspe_kvm_range ranges[2];
	size_t count = 0;
	int error;

	for (unsigned int i = 0; i < 2; i++)
		if (at[i]->end > at[i]->start)
			ranges[count++] = (struct vspe_kvm_range){
				at[i]->start, at[i]->end - at[i]->start, kinds[i]};
	error = vspe_kvm_patch(vm->spe, ranges, count);
	if (!error)
		return 0;
	(void)snprintf(why, size, "what is loaded: %s", vspe_kvm_strerror(error));
	return -1;
}

/* The GIC, where the machine has put it. */
static int finish_vm(struct engine_vm *vm, const struct engine_tuning *tuning, char *why,
		     size_t size)
{
	const bool v2 = vm->host.gic == ENGINE_GIC_V2;
	const uint64_t at[2] = {vm->host.gic_distributor,
				v2 ? vm->host.gic_cpu_interfaces : vm->host.gic_redistributors};

	if (vm->spe && patch_loaded(vm, tuning->patch_modules, why, size) < 0)
		return -1;
	vm->gic = kvm_make_gic(vm->fd, v2 ? KVM_DEV_TYPE_ARM_VGIC_V2 : KVM_DEV_TYPE_ARM_VGIC_V3, at,
			       why, size);
	return vm->gic < 0 ? -1 : kvm_pmu_finish(vm, why, size);
}

static struct engine_vcpu *
vcpu_create(struct engine_vm *vm, const struct engine_vcpu_config *config, char *why, size_t size)
{
	const struct engine_tuning *tuning = config->tuning ? config->tuning : &kvm_tuning_default;
	const struct engine_levels *levels = &config->levels;
	struct engine_vcpu *vcpu;

	if (levels->start != 1 || levels->el3) {
		(void)snprintf(why, size, "KVM's guests start at EL1, in Non-secure state");
		return NULL;
	}
	if (config->index == 0 && open_vm(vm, config, tuning, why, size) < 0)
		return NULL;
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu) {
		(void)snprintf(why, size, "no memory for vCPU %u", config->index);
		return NULL;
	}
	vcpu->vm = vm;
	vcpu->index = config->index;
	vcpu->calls.fd = -1;
	if (open_vcpu(vcpu, config->spe, why, size) < 0) {
		close_vcpu(vcpu);
		return NULL;
	}
	vm->vcpu[config->index] = vcpu;
	if (config->index + 1 < vm->cpus)
		return vcpu;
	return finish_vm(vm, tuning, why, size) < 0 ? NULL : vcpu;
}

/* For the vCPU that starts: KVM resets those that PSCI starts. */
static void vcpu_reset(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	kvm_calls_set(&vcpu->calls, KVM_CORE(regs.pc), pc);
	kvm_calls_set(&vcpu->calls, KVM_X(0), x0);
}

static void vcpu_run(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit)
{
	(void)max_ops;
	kvm_vcpu_run(vcpu, exit);
}

static uint64_t vcpu_vectors(const struct engine_vcpu *vcpu)
{
	struct engine_vcpu *own = vcpu->vm->vcpu[vcpu->index];
	const uint64_t pstate = kvm_calls_get(&own->calls, KVM_CORE(regs.pstate));

	return arm_field(pstate, SPSR_ELx_EL) == 1
		       ? kvm_calls_get(&own->calls, KVM_SYSREG(VBAR_EL1))
		       : 0;
}

static uint64_t vcpu_ops(const struct engine_vcpu *vcpu)
{
	return vcpu->spe ? vspe_kvm_operations(vcpu->spe) : 0;
}

static uint64_t vcpu_skid(const struct engine_vcpu *vcpu)
{
	struct vspe_kvm_stats stats = {0};

	if (vcpu->spe)
		vspe_kvm_stats(vcpu->spe, &stats);
	return stats.skid;
}

static uint64_t vcpu_get(const struct engine_vcpu *vcpu, unsigned int n)
{
	struct engine_vcpu *own = vcpu->vm->vcpu[vcpu->index];

	return n < 31 ? kvm_calls_get(&own->calls, KVM_X(n))
		      : kvm_calls_get(&own->calls, KVM_CORE(regs.pc));
}

static void vcpu_set(struct engine_vcpu *vcpu, unsigned int n, uint64_t value)
{
	if (vcpu->spe)
		vspe_kvm_vcpu_changed(vcpu->spe);
	if (n < 31)
		kvm_calls_set(&vcpu->calls, KVM_X(n), value);
	else
		kvm_calls_set(&vcpu->calls, KVM_CORE(regs.pc), value);
}

static void irq_line(struct engine_vm *vm, unsigned int cpu, unsigned int intid, bool level)
{
	/* This may be any thread, but only its own may set the vCPU's error: keep it for later. */
	if (kvm_set_line(vm->fd, cpu, intid, level) < 0)
		atomic_store(&vm->line_error, errno);
}

static void vcpu_describe(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	struct engine_vcpu *own = vcpu->vm->vcpu[vcpu->index];
	const uint64_t pstate = kvm_calls_get(&own->calls, KVM_CORE(regs.pstate));

	(void)snprintf(text, size,
		       "vCPU %u at PC 0x%" PRIx64 " EL%" PRIu64 ", ESR_EL1 0x%" PRIx64
		       ", FAR_EL1 0x%" PRIx64 ", ELR_EL1 0x%" PRIx64,
		       vcpu->index, kvm_calls_get(&own->calls, KVM_CORE(regs.pc)),
		       (uint64_t)arm_field(pstate, SPSR_ELx_EL),
		       kvm_calls_get(&own->calls, KVM_SYSREG(ESR_EL1)),
		       kvm_calls_get(&own->calls, KVM_SYSREG(FAR_EL1)),
		       kvm_calls_get(&own->calls, KVM_CORE(elr_el1)));
}

static struct spe_unit *vcpu_spe(struct engine_vcpu *vcpu)
{
	return vcpu->spe ? vspe_kvm_unit(vcpu->spe) : NULL;
}

const struct engine engine_kvm = {
	.name = "kvm",
	.concurrent = true,
	.options = kvm_options,
	.tuning_size = sizeof(struct engine_tuning),
	.tuning_default = &kvm_tuning_default,
	.tuning_core = kvm_tuning_core,
	.tuning_models = kvm_tuning_models,
	.check = kvm_check_wish,
	.account = account_vm,
	.tell = kvm_tell,
	.open = kvm_open,
	.needs = SANDBOX_KVM | SANDBOX_THREADS,
	.probe = kvm_probe,
	.grant = kvm_grant,
	.create = create_vm,
	.vcpu_create = vcpu_create,
	.vcpu_reset = vcpu_reset,
	.vcpu_run = vcpu_run,
	.vcpu_ops = vcpu_ops,
	.vcpu_vectors = vcpu_vectors,
	.vcpu_skid = vcpu_skid,
	.vcpu_get = vcpu_get,
	.vcpu_set = vcpu_set,
	.irq_line = irq_line,
	.vcpu_request_exit = kvm_request_exit,
	.vcpu_look = kvm_look,
	.vcpu_describe = vcpu_describe,
	.vcpu_spe = vcpu_spe,
	.destroy = destroy_vm,
	.spe_lacks = vspe_kvm_lacks,
};

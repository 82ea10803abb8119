/* SPDX-License-Identifier: BSD-2-Clause */
/* The KVM engine as engine.h wants it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"
#include "kvm/count/skid.h"

#define ID(crm, op2) ARM64_SYS_REG(3, 0, 0, crm, op2)

/* ID_AA64MMFR3_EL1.{S1PIE,S1POE} */
#define INDIRECT ((uint64_t)ID_AA64MMFR3_EL1_S1PIE | ID_AA64MMFR3_EL1_S1POE)

static void close_vcpu(struct engine_vcpu *vcpu)
{
	if (!vcpu)
		return;
	kvm_counter_close(vcpu);
	kvm_answered_close(vcpu);
	if (vcpu->run)
		(void)munmap(vcpu->run, vcpu->vm->run_size);
	if (vcpu->fd >= 0)
		(void)close(vcpu->fd);
	free(vcpu);
}

static void destroy_vm(struct engine_vm *vm)
{
	const int files[] = {vm ? vm->gic : -1, vm ? vm->fd : -1};

	if (!vm)
		return;
	for (unsigned int i = 0; i < vm->cpus; i++)
		close_vcpu(vm->vcpu[i]);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] >= 0)
			(void)close(files[i]);
	kvm_model_destroy(vm);
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

/*
 * What is missing is of the engine, or of the PE of a guest. Nothing here may be advertised to a
 * guest that would then wait for it in vain.
 */
static const char *spe_lacks(const struct spe_config *config, const char **field)
{
	const struct {
		bool wanted;
		const char *field, *why;
	} rows[] = {
		{config->altclk, "altclk", "KVM tells of no second clock"},
		{config->dpfzs, "dpfzs", "SPE does not freeze the host's PMU"},
		{config->sme, "sme", "KVM gives a guest no FEAT_SME"},
		{config->sve, "sve", "the guest has no FEAT_SVE"},
		{config->tme, "tme", "the guest has no FEAT_TME"},
		{config->mte, "mte", "the guest has no FEAT_MTE2"},
		{config->gcs, "gcs", "the guest has no FEAT_GCS"},
		{config->ecv, "ecv", "the guest has no EL2"},
		{config->fault_lag, "fault_lag", "the KVM engine does not see PSB CSYNC"},
		{config->pbt, "pbt", "the KVM engine does not follow branches"},
		{config->exc, "exc", "the KVM engine takes no Profiling exception"},
		{!config->arch_inst, "arch_inst", "the KVM engine counts instructions"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].wanted) {
			*field = rows[i].field;
			return rows[i].why;
		}
	}
	return NULL;
}

static void unit_pmu_event(void *ctx, uint16_t event, uint64_t count)
{
	const struct engine_vcpu *vcpu = ctx;
	const struct engine_host *host = &vcpu->vm->host;

	host->pmu_event(host->ctx, vcpu->index, event, count);
}

static void unit_serror(void *ctx)
{
	struct engine_vcpu *vcpu = ctx;
	struct kvm_vcpu_events events = {.exception.serror_pending = 1};

	if (ioctl(vcpu->fd, KVM_SET_VCPU_EVENTS, &events) < 0)
		kvm_fail(vcpu, "KVM_SET_VCPU_EVENTS");
}

/*
 * KVM shows its guest a PE with EL2, if not much of it: what a hypervisor leaves there that gives
 * its guest all of SPE. MDCR_EL2.E2PB of 0b11: the buffer is EL1's; PMSCR_EL2.EnVM, PCT of 0b01
 * (physical) and PA.
 */
static void hand_down(struct engine_vcpu *vcpu)
{
	if (!(kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64PFR0_EL1)) & ID_AA64PFR0_EL1_EL2))
		return;
	vcpu->controls.features |= SYSREG_FEAT_EL2;
	vcpu->controls.mdcr_el2 = MDCR_EL2_E2PB;
	spe_write(vcpu->spe, SYSREG_PMSCR_EL2,
		  UINT64_C(1) << 11 | UINT64_C(1) << 6 | UINT64_C(1) << 4);
}

static int set_up_spe(struct engine_vcpu *vcpu, const struct spe_config *config, char *why,
		      size_t size)
{
	const struct spe_host host = {
		.ctx = vcpu,
		.write = kvm_spe_write,
		.write_untranslated = kvm_spe_write_untranslated,
		.pmu_event = vcpu->vm->host.pmu_event ? unit_pmu_event : NULL,
		.serror = unit_serror,
	};
	const char *field = "spe";
	const char *lack = spe_lacks(config, &field);
	int error = lack ? 0 : spe_init(&vcpu->unit, sizeof(vcpu->unit), config, &host);

	if (error)
		(void)spe_config_check(config, &field);
	if (lack || error) {
		(void)snprintf(why, size, "%s: %s", field, lack ? lack : spe_strerror(error));
		return -1;
	}
	vcpu->spe = &vcpu->unit;
	vcpu->controls = (struct sysreg_controls){
		.features = SYSREG_FEAT_SPE | spe_config_features(config), .el = 1};
	hand_down(vcpu);
	spe_update(vcpu->spe, &vcpu->controls);
	return 0;
}

/*
 * Permissions that PIR_EL1 and POR_EL1 give are not for the walks of vmm/arm. The guest has none:
 * a KVM that could give it them lets us say so (Linux 6.13).
 */
static void hide_indirection(struct engine_vcpu *vcpu)
{
	const uint64_t mmfr3 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR3_EL1));

	if (mmfr3 & INDIRECT)
		(void)kvm_try_set(vcpu, KVM_SYSREG(ID_AA64MMFR3_EL1), mmfr3 & ~INDIRECT);
}

static void know_pe(struct engine_vcpu *vcpu)
{
	const struct spe_config *config = vcpu->spe ? spe_unit_config(vcpu->spe) : NULL;
	const uint64_t mmfr0 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR0_EL1));
	const uint64_t mmfr1 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR1_EL1));

	hide_indirection(vcpu);
	vcpu->pa_bits = arm_pa_bits(mmfr0);
	vcpu->walk = arm_walk_features(mmfr0, mmfr1,
				       kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR2_EL1)));
	vcpu->has_pan = mmfr1 & ID_AA64MMFR1_EL1_PAN;
	vcpu->has_mte = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64PFR1_EL1)) & ID_AA64PFR1_EL1_MTE;
	for (unsigned int i = 0; i < KVM_ID_COUNT; i++)
		vcpu->id[i] = kvm_get_if_there(vcpu, ID(5, i));
	if (!config)
		return;
	vcpu->id[KVM_ID_AA64DFR0] = (vcpu->id[KVM_ID_AA64DFR0] & ~ID_AA64DFR0_EL1_PMSVer) |
				    spe_config_id_aa64dfr0(config);
	vcpu->id[KVM_ID_AA64DFR1] |= spe_config_id_aa64dfr1(config);
	vcpu->id[KVM_ID_AA64DFR2] |= spe_config_id_aa64dfr2(config);
}

/* How accesses are trapped, of what --kvm-trap asks for and the host has. */
static int choose_trap(struct engine_vm *vm, enum kvm_trap_method trap, char *why, size_t size)
{
	unsigned int breakpoints;

	vm->trap = trap;
	if (trap != KVM_TRAP_AUTO && trap != KVM_TRAP_BREAKPOINT)
		return 0;
	vm->breakpoints = kvm_vectors_can(vm, &breakpoints);
	if (vm->breakpoints || trap == KVM_TRAP_AUTO)
		return 0;
	(void)snprintf(why, size,
		       "--kvm-trap breakpoint: the host's KVM has %u hardware breakpoints for "
		       "guests, and 2 are needed",
		       breakpoints);
	return -1;
}

static const char *trap_name(const struct engine_vm *vm)
{
	if (vm->trap == KVM_TRAP_STEP)
		return "step";
	if (vm->trap == KVM_TRAP_BREAKPOINT)
		return "breakpoint";
	return vm->breakpoints ? "patch and breakpoint" : "patch";
}

static void account_vm(const struct engine_vm *vm, struct engine_account *account)
{
	char *trap = account->words[KVM_ACCOUNT_TRAP], *counting;

	for (unsigned int i = 0; i < KVM_SITE_KINDS; i++)
		account->counts[i] += atomic_load(&vm->sites[i]);
	(void)snprintf(trap, sizeof(account->words[0]), "%s", trap_name(vm));
	counting = account->words[KVM_ACCOUNT_COUNTING];
	kvm_describe_counting(vm, counting, sizeof(account->words[0]));
	if (!vm->model)
		return;
	kvm_model_account(vm->model, account->counts + KVM_SITE_KINDS);
	model_mode_word(MODEL_FULL, 0, account->words[KVM_ACCOUNT_MODEL],
			sizeof(account->words[0]));
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
	vm->pmu = config->pmu;
	if (config->index == 0 && kvm_vm_open(vm, why, size) < 0)
		return NULL;
	if (config->index == 0 && config->spe && tuning->sampler.perf &&
	    kvm_calibrate(vm, &tuning->sampler, &vm->costs, why, size) < 0)
		return NULL;
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu || kvm_model_create(vm, tuning) < 0) {
		free(vcpu);
		(void)snprintf(why, size, "no memory for vCPU %u", config->index);
		return NULL;
	}
	vm->list_sites = tuning->list_sites;
	vcpu->vm = vm;
	vcpu->index = config->index;
	vcpu->fd = vcpu->counter.fd = vcpu->counter.stats = -1;
	vcpu->sampler = tuning->sampler;
	if (kvm_vcpu_open(vcpu, why, size) < 0 || kvm_pmu_choose(vcpu, why, size) < 0 ||
	    (config->spe && choose_trap(vm, tuning->trap, why, size) < 0) ||
	    (config->spe && set_up_spe(vcpu, config->spe, why, size) < 0)) {
		close_vcpu(vcpu);
		return NULL;
	}
	if (vcpu->sampler.margin == KVM_MARGIN_MEASURED)
		vcpu->sampler.margin = kvm_skid_margin(vm->costs.skid);
	know_pe(vcpu);
	kvm_debug_init(vcpu);
	vcpu->vectors =
		(struct kvm_vectors){.scanned = KVM_UNARMED, .armed = KVM_UNARMED, .look = 1};
	if (vcpu->spe && !kvm_power_can(vcpu)) {
		(void)snprintf(why, size,
			       "the host's KVM has no DBGVCR32_EL2, by which CPU_ON is noticed: "
			       "say --cpus 1 or --no-spe");
		close_vcpu(vcpu);
		return NULL;
	}
	vcpu->step_always = vcpu->stepping = config->spe && tuning->trap == KVM_TRAP_STEP;
	vm->vcpu[config->index] = vcpu;
	if (config->index + 1 < vm->cpus)
		return vcpu;
	if (config->spe && tuning->trap != KVM_TRAP_STEP)
		kvm_patch_loaded(vm, tuning->patch_modules);
	return kvm_vm_finish(vm, why, size) < 0 || kvm_pmu_finish(vm, why, size) < 0 ? NULL : vcpu;
}

/* Of the vCPU that starts: KVM resets those that PSCI starts. */
static void vcpu_reset(struct engine_vcpu *vcpu, uint64_t pc, uint64_t x0)
{
	kvm_set(vcpu, KVM_CORE(regs.pc), pc);
	kvm_set_x(vcpu, 0, x0);
}

static void vcpu_run(struct engine_vcpu *vcpu, uint64_t max_ops, struct engine_exit *exit)
{
	(void)max_ops;
	kvm_vcpu_run(vcpu, exit);
}

static uint64_t vcpu_ops(const struct engine_vcpu *vcpu)
{
	return vcpu->ops;
}

static uint64_t vcpu_skid(const struct engine_vcpu *vcpu)
{
	return vcpu->skid;
}

static uint64_t vcpu_get(const struct engine_vcpu *vcpu, unsigned int n)
{
	struct engine_vcpu *own = vcpu->vm->vcpu[vcpu->index];

	return n < 31 ? kvm_x(own, n) : kvm_get(own, KVM_CORE(regs.pc));
}

static void vcpu_set(struct engine_vcpu *vcpu, unsigned int n, uint64_t value)
{
	kvm_forget(vcpu, false);
	if (n < 31)
		kvm_set_x(vcpu, n, value);
	else
		kvm_set(vcpu, KVM_CORE(regs.pc), value);
}

static void irq_line(struct engine_vm *vm, unsigned int cpu, unsigned int intid, bool level)
{
	const bool ppi = intid < 32;
	const struct kvm_irq_level line = {
		.irq = (uint32_t)(ppi ? KVM_ARM_IRQ_TYPE_PPI : KVM_ARM_IRQ_TYPE_SPI)
			       << KVM_ARM_IRQ_TYPE_SHIFT |
		       (ppi ? cpu & KVM_ARM_IRQ_VCPU_MASK : 0) << KVM_ARM_IRQ_VCPU_SHIFT | intid,
		.level = level,
	};

	/* From whatever thread: of the vCPU that line.irq names only the thread may say so. */
	if (ioctl(vm->fd, KVM_IRQ_LINE, &line) < 0)
		atomic_store(&vm->line_error, errno);
}

static void vcpu_describe(const struct engine_vcpu *vcpu, char *text, size_t size)
{
	struct engine_vcpu *own = vcpu->vm->vcpu[vcpu->index];
	const uint64_t pstate = kvm_get(own, KVM_CORE(regs.pstate));

	(void)snprintf(text, size,
		       "vCPU %u at PC 0x%" PRIx64 " EL%u, ESR_EL1 0x%" PRIx64 ", FAR_EL1 0x%" PRIx64
		       ", ELR_EL1 0x%" PRIx64,
		       vcpu->index, kvm_get(own, KVM_CORE(regs.pc)), PSTATE_EL(pstate),
		       kvm_get(own, KVM_SYSREG(ESR_EL1)), kvm_get(own, KVM_SYSREG(FAR_EL1)),
		       kvm_get(own, KVM_CORE(elr_el1)));
}

static struct spe_unit *vcpu_spe(struct engine_vcpu *vcpu)
{
	return vcpu->spe;
}

const struct engine engine_kvm = {
	.name = "kvm",
	.concurrent = true,
	.options = kvm_options,
	.tuning_size = sizeof(struct engine_tuning),
	.tuning_default = &kvm_tuning_default,
	.tuning_core = kvm_tuning_core,
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
	.vcpu_skid = vcpu_skid,
	.vcpu_get = vcpu_get,
	.vcpu_set = vcpu_set,
	.irq_line = irq_line,
	.vcpu_request_exit = kvm_request_exit,
	.vcpu_look = kvm_look,
	.vcpu_describe = vcpu_describe,
	.vcpu_spe = vcpu_spe,
	.destroy = destroy_vm,
	.spe_lacks = spe_lacks,
};

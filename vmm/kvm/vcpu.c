/* SPDX-License-Identifier: BSD-2-Clause */
/* The object of a vCPU: its unit, and the properties of its PE. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kvm/count/count.h"
#include "kvm/pe/pe.h"
#include "kvm/trap/trap.h"
#include "kvm/unit/unit.h"

/* ID_AA64DFR0_EL1 and the following ones. */
#define ID(n) ARM64_SYS_REG(3, 0, 0, 5, n)

/* ID_AA64MMFR3_EL1.{S1PIE,S1POE} */
#define INDIRECT ((uint64_t)ID_AA64MMFR3_EL1_S1PIE | ID_AA64MMFR3_EL1_S1POE)

/*
 * Missing features belong to the library, or to the PE of a guest. They must not be advertised to a
 * guest, which would then use them in vain.
 */
const char *vspe_kvm_lacks(const struct spe_config *config, const char **field)
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
		{config->fault_lag, "fault_lag", "libvspe-kvm does not see PSB CSYNC"},
		{config->pbt, "pbt", "libvspe-kvm does not follow branches"},
		{config->exc, "exc", "libvspe-kvm takes no Profiling exception"},
		{!config->arch_inst, "arch_inst", "libvspe-kvm counts instructions"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].wanted) {
			*field = rows[i].field;
			return rows[i].why;
		}
	}
	return NULL;
}

int vspe_kvm_native(int fd)
{
	const uint32_t encoding = sysreg_encoding(SYSREG_PMSCR_EL1);
	uint64_t dfr0, pmscr;

	if (!kvm_read_one(fd, ID(0), &dfr0) || !(dfr0 & ID_AA64DFR0_EL1_PMSVer))
		return 0;
	return kvm_read_one(
		fd, KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM64_SYSREG | (uint64_t)encoding,
		&pmscr);
}

static void unit_pmu_event(void *ctx, uint16_t event, uint64_t count)
{
	const struct vspe_kvm_vcpu *vcpu = ctx;
	const struct vspe_kvm *vm = vcpu->vm;

	vm->callbacks.pmu_event(vm->ctx, vcpu->index, event, count);
}

static void unit_serror(void *ctx)
{
	struct vspe_kvm_vcpu *vcpu = ctx;
	struct kvm_vcpu_events events = {.exception.serror_pending = 1};

	if (ioctl(vcpu->calls.fd, KVM_SET_VCPU_EVENTS, &events) < 0)
		kvm_calls_fail(&vcpu->calls, "KVM_SET_VCPU_EVENTS");
}

/*
 * KVM shows its guest a PE with EL2, though with little of it. Set its controls as a hypervisor
 * does that gives its guest all of SPE. MDCR_EL2.E2PB of 0b11: the buffer is EL1's; PMSCR_EL2.EnVM,
 * PCT of 0b01 (physical) and PA.
 */
static void hand_down(struct vspe_kvm_vcpu *vcpu)
{
	if (!(kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64PFR0_EL1)) & ID_AA64PFR0_EL1_EL2))
		return;
	vcpu->controls.features |= SYSREG_FEAT_EL2;
	vcpu->controls.mdcr_el2 = MDCR_EL2_E2PB;
	spe_write(vcpu->spe, SYSREG_PMSCR_EL2,
		  UINT64_C(1) << 11 | UINT64_C(1) << 6 | UINT64_C(1) << 4);
}

static int set_up_spe(struct vspe_kvm_vcpu *vcpu, const struct spe_config *config, char *why,
		      size_t size)
{
	const struct spe_host host = {
		.ctx = vcpu,
		.write = kvm_spe_write,
		.write_untranslated = kvm_spe_write_untranslated,
		.pmu_event = vcpu->vm->callbacks.pmu_event ? unit_pmu_event : NULL,
		.serror = unit_serror,
	};
	const char *field = "spe";
	const char *lack = vspe_kvm_lacks(config, &field);
	int error = lack ? 0 : spe_init(&vcpu->unit, sizeof(vcpu->unit), config, &host);

	if (error)
		(void)spe_config_check(config, &field);
	if (lack || error) {
		(void)snprintf(why, size, "%s: %s", field, lack ? lack : spe_strerror(error));
		return -VSPE_KVM_ESPE;
	}
	vcpu->spe = &vcpu->unit;
	vcpu->controls = (struct sysreg_controls){
		.features = SYSREG_FEAT_SPE | spe_config_features(config), .el = 1};
	hand_down(vcpu);
	spe_update(vcpu->spe, &vcpu->controls);
	return 0;
}

/*
 * The walks of vmm/arm do not know permissions by PIR_EL1 and POR_EL1. Hide these from the guest: a
 * KVM that has them allows that (Linux 6.13).
 */
static void hide_indirection(struct vspe_kvm_vcpu *vcpu)
{
	const uint64_t mmfr3 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR3_EL1));

	if (mmfr3 & INDIRECT)
		(void)kvm_try_set(vcpu, KVM_SYSREG(ID_AA64MMFR3_EL1), mmfr3 & ~INDIRECT);
}

static void know_pe(struct vspe_kvm_vcpu *vcpu)
{
	const struct spe_config *config = spe_unit_config(vcpu->spe);
	const uint64_t mmfr0 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR0_EL1));
	const uint64_t mmfr1 = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR1_EL1));

	hide_indirection(vcpu);
	vcpu->pa_bits = arm_pa_bits(mmfr0);
	vcpu->walk = arm_walk_features(mmfr0, mmfr1,
				       kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64MMFR2_EL1)));
	vcpu->has_pan = mmfr1 & ID_AA64MMFR1_EL1_PAN;
	vcpu->has_mte = kvm_get_if_there(vcpu, KVM_SYSREG(ID_AA64PFR1_EL1)) & ID_AA64PFR1_EL1_MTE;
	for (unsigned int i = 0; i < KVM_ID_COUNT; i++)
		vcpu->id[i] = kvm_get_if_there(vcpu, ID(i));
	vcpu->id[KVM_ID_AA64DFR0] = (vcpu->id[KVM_ID_AA64DFR0] & ~ID_AA64DFR0_EL1_PMSVer) |
				    spe_config_id_aa64dfr0(config);
	vcpu->id[KVM_ID_AA64DFR1] |= spe_config_id_aa64dfr1(config);
	vcpu->id[KVM_ID_AA64DFR2] |= spe_config_id_aa64dfr2(config);
}

static int refuse(int error, char *why, size_t size, const char *text)
{
	(void)snprintf(why, size, "%s", text);
	return -error;
}

/* The last checks and settings of a complete vCPU: an error, or 0. */
static int set_up(struct vspe_kvm_vcpu *vcpu, const struct spe_config *spe, char *why, size_t size)
{
	int error;

	if (vspe_kvm_native(vcpu->calls.fd))
		return refuse(VSPE_KVM_ENATIVE, why, size, vspe_kvm_strerror(VSPE_KVM_ENATIVE));
	error = set_up_spe(vcpu, spe, why, size);
	if (error)
		return error;
	know_pe(vcpu);
	kvm_debug_init(vcpu);
	if (!kvm_power_can(vcpu))
		return refuse(VSPE_KVM_ERESET, why, size,
			      "the host's KVM has no DBGVCR32_EL2, by which CPU_ON is noticed");
	if (!vcpu->calls.error)
		return 0;
	(void)snprintf(why, size, "%s: %s", vcpu->calls.failed, strerror(vcpu->calls.error));
	return -VSPE_KVM_ECALL;
}

int vspe_kvm_vcpu_create(struct vspe_kvm_vcpu **made, struct vspe_kvm *vm, unsigned int index,
			 int fd, struct kvm_run *run, const struct spe_config *spe, char *why,
			 size_t size)
{
	struct vspe_kvm_vcpu *vcpu;
	int error;

	*made = NULL;
	if (index >= vm->cpus || vm->vcpu[index])
		return refuse(VSPE_KVM_EVALUE, why, size, "index");
	vcpu = calloc(1, sizeof(*vcpu));
	if (!vcpu)
		return refuse(VSPE_KVM_EMEMORY, why, size, vspe_kvm_strerror(VSPE_KVM_EMEMORY));
	vcpu->vm = vm;
	vcpu->index = index;
	vcpu->calls.fd = fd;
	vcpu->run = run;
	vcpu->counter.fd = vcpu->counter.stats = -1;
	vcpu->sampler = vm->sampler;
	vcpu->vectors =
		(struct kvm_vectors){.scanned = KVM_UNARMED, .armed = KVM_UNARMED, .look = 1};
	vcpu->step_always = vcpu->stepping = vm->trap == VSPE_KVM_TRAP_STEP;
	error = set_up(vcpu, spe, why, size);
	if (error) {
		free(vcpu);
		return error;
	}
	vm->vcpu[index] = vcpu;
	*made = vcpu;
	return 0;
}

void vspe_kvm_vcpu_destroy(struct vspe_kvm_vcpu *vcpu)
{
	if (!vcpu)
		return;
	kvm_counter_close(vcpu);
	kvm_answered_close(vcpu);
	vcpu->vm->vcpu[vcpu->index] = NULL;
	free(vcpu);
}

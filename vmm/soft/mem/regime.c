/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translation regimes of a vCPU, made from its registers, with the tables in guest RAM;
 * and how their faults are reported (Arm ARM D8, D1.3).
 */
#include <string.h>

#include "arm/registers.h"
#include "soft/mem/regime.h"
#include "soft/mem/monitor.h"
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

/* The fields of VSTCR_EL2 that replace those of VTCR_EL2: T0SZ, SL0, SL2 and TG0. */
#define VSTCR_OWN (UINT64_C(0xc0ff) | VTCR_EL2_SL2)

static bool read_descriptor(void *ctx, uint64_t pa, uint64_t *descriptor)
{
	const struct engine_host *host = soft_host(ctx);
	const uint8_t *at = soft_within(&host->ram, pa, sizeof(*descriptor));

	if (!at)
		at = soft_within(&host->rom, pa, sizeof(*descriptor));
	if (!at)
		return false;
	memcpy(descriptor, at, sizeof(*descriptor));
	return true;
}

static void write_descriptor(void *ctx, uint64_t pa, uint64_t descriptor)
{
	struct soft_cpu *cpu = ctx;
	uint8_t *at = soft_within(&soft_host(cpu)->ram, pa, sizeof(descriptor));

	if (!at)
		return;
	soft_memory_written(cpu, pa, sizeof(descriptor));
	memcpy(at, &descriptor, sizeof(descriptor));
}

/* EL2's part of EL1&0, where EL2 is enabled. */
static void set_stage2(const struct soft_sys *sys, struct arm_regime *regime)
{
	arm_regime_under_el2(regime, sysreg_hcr(&sys->controls), sys->vtcr_el2, sys->vttbr_el2);
	if (regime->security != ARM_SECURE)
		return;
	regime->stage2[0].vttbr = sys->vsttbr_el2;
	regime->stage2[0].vtcr = (sys->vtcr_el2 & ~VSTCR_OWN) | (sys->vstcr_el2 & VSTCR_OWN);
}

/* Runs on every miss of the TLB: sets only what is used. */
static void make_regime(struct soft_cpu *cpu, enum arm_regime_kind kind, bool pan,
			struct arm_regime *regime)
{
	const struct soft_sys *sys = soft_sys(cpu);
	const unsigned int owner = arm_regime_owner(kind);

	regime->kind = kind;
	regime->sctlr = sys->sctlr[owner];
	regime->tcr = sys->tcr[owner];
	regime->ttbr0 = sys->ttbr0[owner];
	regime->ttbr1 = sys->ttbr1[owner];
	regime->mair = sys->mair[owner];
	regime->pa_bits = soft_pa_bits(sys->isa);
	regime->features = (struct arm_walk_features){
		.access_flag = true,
		.dirty = true,
		.hpds = true,
		.lva = sys->isa & SOFT_ISA(LVA),
		.lpa2_4k = sys->isa & SOFT_ISA(LPA2),
		.lpa2_16k = sys->isa & SOFT_ISA(LPA2),
		.ttst = sys->isa & SOFT_ISA(TTST),
		.e0pd = true,
		.bti = sys->isa & SOFT_ISA(BTI),
	};
	regime->security = arm_security_of(&sys->controls, kind);
	regime->pan = pan;
	regime->unaligned = false;
	regime->sif = sys->controls.scr_el3 & SCR_EL3_SIF;
	regime->keep = regime->off = regime->default_cacheable = false;
	regime->nv1 = regime->stage1_only = regime->nested = false;
	regime->ctx = cpu;
	regime->read = read_descriptor;
	regime->write = write_descriptor;
	if (kind == ARM_REGIME_EL10 && sysreg_hcr(&sys->controls))
		set_stage2(sys, regime);
}

struct arm_regime soft_regime_kind(struct soft_cpu *cpu, enum arm_regime_kind kind)
{
	struct arm_regime regime = {0};

	make_regime(cpu, kind, soft_sys(cpu)->pstate.pan, &regime);
	return regime;
}

struct soft_regime_key soft_regime_key_of(const struct soft_sys *sys, unsigned int el)
{
	const uint64_t hcr = sysreg_hcr(&sys->controls);
	struct soft_regime_key key = {
		.sctlr = sys->sctlr[el],
		.tcr = sys->tcr[el],
		.ttbr0 = sys->ttbr0[el],
		.ttbr1 = sys->ttbr1[el],
		.mair = sys->mair[el],
	};

	if (el == 3)
		return key;
	key.scr = sys->controls.scr_el3 & (SCR_EL3_NS | SCR_EL3_SIF | SCR_EL3_EEL2 | SCR_EL3_NSE);
	if (el == 2) {
		key.hcr = sys->controls.hcr_el2 & HCR_EL2_E2H;
		return key;
	}
	key.hcr = hcr & (HCR_EL2_VM | HCR_EL2_PTW | HCR_EL2_DC | HCR_EL2_TGE | HCR_EL2_CD |
			 HCR_EL2_ID | HCR_EL2_NV | HCR_EL2_NV1);
	if (key.hcr & (HCR_EL2_VM | HCR_EL2_DC)) {
		key.vtcr = sys->vtcr_el2;
		key.vttbr = sys->vttbr_el2;
		key.vstcr = sys->vstcr_el2;
		key.vsttbr = sys->vsttbr_el2;
	}
	return key;
}

struct arm_regime soft_regime_of(struct soft_cpu *cpu, unsigned int el)
{
	return soft_regime_kind(cpu, arm_regime_at(&soft_sys(cpu)->controls, el));
}

uint64_t soft_sctlr_at(const struct soft_sys *sys, unsigned int el)
{
	return sys->sctlr[el ? el : arm_regime_owner(arm_regime_at(&sys->controls, 0))];
}

bool soft_translate_as(struct soft_cpu *cpu, uint64_t va, const struct soft_access *access,
		       struct arm_translation *t)
{
	struct arm_regime regime;

	make_regime(cpu, arm_regime_at(&soft_sys(cpu)->controls, access->el), access->pan, &regime);
	regime.unaligned = access->unaligned;
	return arm_translate(&regime, va, access->kind, access->el, t);
}

void soft_regime_unmarked(struct arm_regime *regime)
{
	regime->features.access_flag = regime->features.dirty = false;
	for (unsigned int i = 0; i < 2; i++)
		regime->stage2[i].vtcr &= ~(uint64_t)(VTCR_EL2_HA | VTCR_EL2_HD);
}

bool soft_translate_unmarked(struct soft_cpu *cpu, uint64_t va, unsigned int el,
			     struct arm_translation *t)
{
	struct arm_regime regime = {0};

	make_regime(cpu, arm_regime_at(&soft_sys(cpu)->controls, el), false, &regime);
	soft_regime_unmarked(&regime);
	return arm_translate(&regime, va, ARM_WRITE, el, t);
}

bool soft_translate(struct soft_cpu *cpu, uint64_t va, enum arm_access access, unsigned int el,
		    struct arm_translation *t)
{
	const struct soft_access as = {access, el, soft_sys(cpu)->pstate.pan, false};

	return soft_translate_as(cpu, va, &as, t);
}

static bool reports_ipa(const struct arm_translation *t)
{
	return t->stage2 && !arm_fsc_on_walk(t->fsc) && t->fsc != ARM_FSC_ALIGNMENT;
}

/*
 * EL2 takes faults of stage 2; whether EL3 takes external aborts is decided when they are taken.
 * WnR is that of the instruction, even if its walk faulted; a walk that has to update an entry
 * writes, whatever the instruction does (Arm ARM, shared/functions, AArch64.FaultSyndrome).
 */
struct soft_exception soft_abort(const struct arm_translation *t, enum arm_ec ec, uint64_t va,
				 bool write)
{
	struct soft_exception abort = {
		.ec = (uint8_t)ec,
		.has_far = true,
		.has_ipa = reports_ipa(t),
		.iss = t->fsc,
		.far = va,
		.ipa = t->ipa,
		.ipa_ns = t->ipa_ns,
	};

	if (t->s1ptw)
		abort.iss |= ARM_ISS_S1PTW;
	if (ec == ARM_EC_DATA_ABORT && (write || (t->s1ptw && t->update)))
		abort.iss |= ARM_ISS_WNR;
	if (t->stage2)
		abort.target_el = 2;
	return abort;
}

bool soft_has_tables(const struct soft_sys *sys, unsigned int el)
{
	return soft_sctlr_at(sys, el) & SCTLR_ELx_M ||
	       (arm_regime_at(&sys->controls, el) == ARM_REGIME_EL10 &&
		sysreg_hcr(&sys->controls) & (HCR_EL2_VM | HCR_EL2_DC));
}

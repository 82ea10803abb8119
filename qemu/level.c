/* SPDX-License-Identifier: BSD-2-Clause */
/* See level.h. */
#include "qemu/level.h"

#include "arm/registers.h"

void level_begin(struct vcpu *v)
{
	const struct registers *r = &v->registers;
	struct sysreg_controls *c = &v->controls;

	c->features = spe_config_features(&plugin.config);
	if (r->at[QEMU_HCR_EL2]) {
		const unsigned int nv = (unsigned int)ARM_GET(
			ID_AA64MMFR2_EL1_NV, register_get(r, QEMU_ID_AA64MMFR2_EL1));

		c->features |= SYSREG_FEAT_EL2;
		c->features |= nv > 0 ? SYSREG_FEAT_NV : 0;
		c->features |= nv > 1 ? SYSREG_FEAT_NV2 : 0;
		if (ARM_GET(ID_AA64MMFR1_EL1_VH, register_get(r, QEMU_ID_AA64MMFR1_EL1)))
			c->features |= SYSREG_FEAT_VHE;
		if (r->at[QEMU_HDFGRTR_EL2])
			c->features |= SYSREG_FEAT_FGT;
	}
	if (r->at[QEMU_SCR_EL3])
		c->features |= SYSREG_FEAT_EL3 | SYSREG_FEAT_SEL2; /* without it EEL2 is 0 */
}

/* In AArch32 only "EL0 or not" matters: all other modes are EL1's. */
static uint8_t level_of(uint64_t pstate)
{
	if (pstate & SPSR_ELx_nRW)
		return (pstate & 0xf) != 0;
	return (uint8_t)ARM_GET(SPSR_ELx_EL, pstate);
}

uint8_t level_now(const struct vcpu *v)
{
	return level_of(register_get(&v->registers, QEMU_cpsr));
}

void level_update(struct vcpu *v)
{
	const struct registers *r = &v->registers;
	const uint64_t pstate = register_get(r, QEMU_cpsr);
	struct sysreg_controls *c = &v->controls;

	c->aarch32 = pstate & SPSR_ELx_nRW;
	c->el = level_of(pstate);
	if (c->features & SYSREG_FEAT_EL2) {
		c->hcr_el2 = register_get(r, QEMU_HCR_EL2);
		c->mdcr_el2 = register_get(r, QEMU_MDCR_EL2);
		c->hdfgrtr_el2 = register_get(r, QEMU_HDFGRTR_EL2);
		c->hdfgwtr_el2 = register_get(r, QEMU_HDFGWTR_EL2);
	}
	if (c->features & SYSREG_FEAT_EL3) {
		c->scr_el3 = register_get(r, QEMU_SCR_EL3);
		c->mdcr_el3 = register_get(r, QEMU_MDCR_EL3);
	}
	spe_update(&v->unit, c);
	v->illegal = pstate & SPSR_ELx_IL;
	v->stale = false;
}

void level_forget(struct vcpu *v)
{
	v->known.any = false;
}

const struct known *level_known(struct vcpu *v)
{
	const uint64_t invalidations = __atomic_load_n(&plugin.invalidations, __ATOMIC_ACQUIRE);
	const bool el1 = spe_owning_el(&v->unit) == 1;
	const struct registers *r = &v->registers;
	struct known *known = &v->known;

	if (known->any && known->el1 == el1 && known->invalidations == invalidations)
		return known;
	*known = (struct known){
		.any = true,
		.el1 = el1,
		.epoch = known->epoch + 1,
		.invalidations = invalidations,
		.sctlr = register_get(r, el1 ? QEMU_SCTLR_EL1 : QEMU_SCTLR_EL2),
		.ttbr0 = register_get(r, el1 ? QEMU_TTBR0_EL1 : QEMU_TTBR0_EL2),
		.ttbr1 = register_get(r, el1 ? QEMU_TTBR1_EL1 : QEMU_TTBR1_EL2),
		.contextidr_el1 = register_get(r, QEMU_CONTEXTIDR_EL1),
		.contextidr_el2 = register_get(r, QEMU_CONTEXTIDR_EL2),
		.cntvoff_el2 = register_get(r, QEMU_CNTVOFF_EL2),
		.cntfrq_el0 = register_get(r, QEMU_CNTFRQ_EL0),
	};
	return known;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register pages: which condition wins where several hold, and the registers whose rule is
 * their own. Each test says one sentence of the section.
 */
#include "common.h"

/* EL1 of Non-secure state with every trap of the register asserted. */
static struct sysreg_controls everything_traps(void)
{
	struct sysreg_controls c = open_controls(1);

	c.mdcr_el2 = MDCR2_TPMS | MDCR2_E2PB(0);
	c.mdcr_el3 = 0;
	c.hdfgrtr_el2 = c.hdfgwtr_el2 = ~HDFG_NPMSNEVFR;
	c.hdfgrtr2_el2 = c.hdfgwtr2_el2 = 0;
	c.hcr_el2 = HCR_NV | HCR_NV1 | HCR_NV2;
	return c;
}

static void halt(struct sysreg_controls *c, bool priority)
{
	c->halted = true;
	c->edscr_sdd = true;
	c->el3_trap_has_priority_sdd = priority;
}

static bool is_el1_register(enum sysreg_id reg)
{
	return reg < SYSREG_PMSCR_EL2;
}

/* FGT, then TPMS or E2PB, then EL3, then NV2, then the register: peel them off one by one. */
Test(order, el2_then_el3_then_memory_then_register)
{
	for (unsigned int n = 0; n < 2 * SYSREG_COUNT; n++) {
		const enum sysreg_id reg = (enum sysreg_id)(n / 2);
		const bool write = n & 1;
		struct sysreg_controls c = everything_traps();
		struct sysreg_route r;

		if (!is_el1_register(reg) || reg == SYSREG_PMBIDR_EL1 ||
		    (write && !sysreg_writable(reg)))
			continue;
		assert_route(&c, reg, write, trap(reg, write, 0, 2));
		c.features &= ~(SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2);
		assert_route(&c, reg, write, trap(reg, write, 0, 2));
		c.mdcr_el2 = MDCR2_E2PB(3);
		assert_route(&c, reg, write, trap(reg, write, 0, 3));
		c.mdcr_el3 = MDCR3_NSPB(3) | MDCR3_ENPMSN | MDCR3_ENPMS3 | MDCR3_ENPMS4;
		r = sysreg_route(&c, access_to(reg, write));
		if (reg == SYSREG_PMSFCR_EL1 || reg == SYSREG_PMSIDR_EL1 ||
		    reg == SYSREG_PMBMAR_EL1)
			cr_assert(same_route(r, direct(reg)), "%s", sysreg_name(reg));
		else
			cr_assert_eq(r.kind, SYSREG_NVMEM, "%s", sysreg_name(reg));
		c.hcr_el2 = 0;
		assert_route(&c, reg, write, direct(reg));
	}
}

/*
 * Debug state with EDSCR.SDD: where EL3 traps have priority, what would trap to EL3 is UNDEFINED
 * before any trap to EL2; elsewhere EL2's traps come first, and only then it is UNDEFINED.
 */
Test(order, sdd_in_debug_state)
{
	for (unsigned int n = 0; n < 2 * SYSREG_COUNT; n++) {
		const enum sysreg_id reg = (enum sysreg_id)(n / 2);
		const bool write = n & 1;
		struct sysreg_controls c = everything_traps();

		if (!is_el1_register(reg) || reg == SYSREG_PMBIDR_EL1 ||
		    (write && !sysreg_writable(reg)))
			continue;
		halt(&c, true);
		assert_route(&c, reg, write, undefined(reg));
		halt(&c, false);
		assert_route(&c, reg, write, trap(reg, write, 0, 2));
		c.features &= ~SYSREG_FEAT_EL2;
		assert_route(&c, reg, write, undefined(reg));
		/* SDD alone, or Debug state alone, changes nothing. */
		halt(&c, true);
		c.halted = false;
		assert_route(&c, reg, write, trap(reg, write, 0, 3));
		halt(&c, true);
		c.edscr_sdd = false;
		assert_route(&c, reg, write, trap(reg, write, 0, 3));
		/* Nor does either where EL3 does not trap. */
		c = open_controls(1);
		halt(&c, true);
		assert_route(&c, reg, write, direct(reg));
		/* Without EL3 there is no trap to it, and nothing to be UNDEFINED for. */
		c = everything_traps();
		halt(&c, true);
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, reg, write, trap(reg, write, 0, 2));
	}
}

/* PMBIDR_EL1: only HDFGRTR bit 63 traps; not E2PB, not TPMS, not NSPB, not SDD. */
Test(order, pmbidr_only_fine_grained)
{
	struct sysreg_controls c = everything_traps();

	halt(&c, true);
	assert_route(&c, SYSREG_PMBIDR_EL1, false, trap(SYSREG_PMBIDR_EL1, false, 0, 2));
	c.hdfgrtr_el2 &= ~BIT(63);
	assert_route(&c, SYSREG_PMBIDR_EL1, false, direct(SYSREG_PMBIDR_EL1));
	for (uint8_t el = 2; el < 4; el++) {
		c = everything_traps();
		c.el = el;
		assert_route(&c, SYSREG_PMBIDR_EL1, false, direct(SYSREG_PMBIDR_EL1));
	}
}

/* PMSNEVFR_EL1, PMSDSFR_EL1, PMBMAR_EL1: their own enable of EL3 traps with NSPB open, from EL1 and
 * EL2. */
Test(order, enables_of_el3)
{
	static const struct {
		enum sysreg_id reg;
		uint64_t enable;
	} rows[] = {{SYSREG_PMSNEVFR_EL1, MDCR3_ENPMSN},
		    {SYSREG_PMSDSFR_EL1, MDCR3_ENPMS3},
		    {SYSREG_PMBMAR_EL1, MDCR3_ENPMS4}};

	for (size_t i = 0; i < 3; i++)
		for (uint8_t el = 1; el < 3; el++) {
			const enum sysreg_id reg = rows[i].reg;
			struct sysreg_controls c = open_controls(el);

			c.mdcr_el3 &= ~rows[i].enable;
			assert_route(&c, reg, true, trap(reg, true, 0, 3));
			halt(&c, false);
			assert_route(&c, reg, true, undefined(reg));
			halt(&c, true);
			assert_route(&c, reg, true, undefined(reg));
			c.features &= ~SYSREG_FEAT_EL3;
			assert_route(&c, reg, true, direct(reg));
			c = open_controls(1);
			c.mdcr_el3 &= ~rows[i].enable;
			c.hcr_el2 = HCR_NV | HCR_NV2;
			assert_route(&c, reg, false, trap(reg, false, 0, 3));
			c.mdcr_el2 = MDCR2_TPMS;
			assert_route(&c, reg, false, trap(reg, false, 0, 2));
			/* With priority, UNDEFINED comes even before the fine-grained trap. */
			halt(&c, true);
			c.hdfgrtr_el2 = c.hdfgrtr2_el2 = 0;
			assert_route(&c, reg, false, undefined(reg));
		}
}

/* PMSCR_EL1 goes to memory with NV1 only; PMSCR_EL12 without NV1 only, and else traps to EL2. */
Test(order, pmscr_under_nested_virtualization)
{
	for (int n = 0; n < 8; n++) {
		const bool nv2 = n & 4, nv1 = n & 2, nv = n & 1;
		struct sysreg_controls c = open_controls(1);

		c.hcr_el2 = (nv2 ? HCR_NV2 : 0) | (nv1 ? HCR_NV1 : 0) | (nv ? HCR_NV : 0);
		assert_route(&c, SYSREG_PMSCR_EL1, true,
			     n == 7 ? nvmem(SYSREG_PMSCR_EL1, 0x828) : direct(SYSREG_PMSCR_EL1));
		assert_route(&c, SYSREG_PMSCR_EL12, true,
			     n == 5 ? nvmem(SYSREG_PMSCR_EL12, 0x828)
			     : nv   ? trap(SYSREG_PMSCR_EL12, true, 0, 2)
				    : undefined(SYSREG_PMSCR_EL12));
		assert_route(&c, SYSREG_PMBSR_EL12, false,
			     n == 5 ? nvmem(SYSREG_PMBSR_EL12, 0x820)
			     : nv   ? trap(SYSREG_PMBSR_EL12, false, 0, 2)
				    : undefined(SYSREG_PMBSR_EL12));
		assert_route(&c, SYSREG_PMSCR_EL2, false,
			     nv ? trap(SYSREG_PMSCR_EL2, false, 0, 2)
				: undefined(SYSREG_PMSCR_EL2));
		assert_route(&c, SYSREG_PMBSR_EL2, false,
			     nv ? trap(SYSREG_PMBSR_EL2, false, 0, 2)
				: undefined(SYSREG_PMBSR_EL2));
		assert_route(&c, SYSREG_PMBSR_EL3, false, undefined(SYSREG_PMBSR_EL3));
		/* Aliases and EL2's registers have no trap of EL1 accesses but this one. */
		c.mdcr_el2 = MDCR2_TPMS;
		c.mdcr_el3 = 0;
		assert_route(&c, SYSREG_PMSCR_EL2, false,
			     nv ? trap(SYSREG_PMSCR_EL2, false, 0, 2)
				: undefined(SYSREG_PMSCR_EL2));
	}
}

/* At EL2 with E2H, PMSCR_EL1 is PMSCR_EL2; not at EL3, not without VHE, not with EL2 disabled. */
Test(order, pmscr_el1_under_e2h)
{
	struct sysreg_controls c = open_controls(2);

	c.hcr_el2 = HCR_E2H;
	assert_route(&c, SYSREG_PMSCR_EL1, true, direct(SYSREG_PMSCR_EL2));
	assert_route(&c, SYSREG_PMSICR_EL1, true, direct(SYSREG_PMSICR_EL1));
	c.el = 3;
	assert_route(&c, SYSREG_PMSCR_EL1, true, direct(SYSREG_PMSCR_EL1));
	c.el = 2;
	c.features &= ~SYSREG_FEAT_VHE;
	assert_route(&c, SYSREG_PMSCR_EL1, true, direct(SYSREG_PMSCR_EL1));
	c.features |= SYSREG_FEAT_VHE;
	c.mdcr_el3 &= ~MDCR3_NSPB(1);
	assert_route(&c, SYSREG_PMSCR_EL1, true, trap(SYSREG_PMSCR_EL1, true, 0, 3));
}

/* The EL12 names: the EL1 register from EL2 and EL3 with E2H; else UNDEFINED before any trap. */
Test(order, aliases_of_el12)
{
	for (uint8_t el = 2; el < 4; el++)
		for (int e2h = 0; e2h < 2; e2h++) {
			struct sysreg_controls c = open_controls(el);

			c.hcr_el2 = e2h ? HCR_E2H : 0;
			assert_route(&c, SYSREG_PMSCR_EL12, false,
				     e2h ? direct(SYSREG_PMSCR_EL1) : undefined(SYSREG_PMSCR_EL12));
			assert_route(&c, SYSREG_PMBSR_EL12, true,
				     e2h ? direct(SYSREG_PMBSR_EL1) : undefined(SYSREG_PMBSR_EL12));
			c.mdcr_el3 = 0;
			if (el == 2)
				assert_route(&c, SYSREG_PMSCR_EL12, false,
					     e2h ? trap(SYSREG_PMSCR_EL12, false, 0, 3)
						 : undefined(SYSREG_PMSCR_EL12));
			/* E2H does nothing while EL2 is disabled. */
			c = open_controls(3);
			c.hcr_el2 = HCR_E2H;
			c.scr_el3 &= ~SCR_NS;
			assert_route(&c, SYSREG_PMSCR_EL12, false, undefined(SYSREG_PMSCR_EL12));
			c.scr_el3 |= SCR_EEL2;
			assert_route(&c, SYSREG_PMSCR_EL12, false, direct(SYSREG_PMSCR_EL1));
		}
}

/* PMBSR_EL2 from EL2: PMSEE 00 traps to EL3, any other value does not; without EL3 there is no
 * PMSEE. */
Test(order, pmbsr_el2_and_pmsee)
{
	for (int pmsee = 0; pmsee < 4; pmsee++) {
		struct sysreg_controls c = open_controls(2);

		c.mdcr_el3 = MDCR3_NSPB(3) | MDCR3_PMSEE(pmsee);
		assert_route(&c, SYSREG_PMBSR_EL2, false,
			     pmsee ? direct(SYSREG_PMBSR_EL2)
				   : trap(SYSREG_PMBSR_EL2, false, 0, 3));
		halt(&c, true);
		assert_route(&c, SYSREG_PMBSR_EL2, false,
			     pmsee ? direct(SYSREG_PMBSR_EL2) : undefined(SYSREG_PMBSR_EL2));
		c.features &= ~SYSREG_FEAT_EL3;
		assert_route(&c, SYSREG_PMBSR_EL2, false, direct(SYSREG_PMBSR_EL2));
		c = open_controls(3);
		c.mdcr_el3 = MDCR3_PMSEE(pmsee);
		assert_route(&c, SYSREG_PMBSR_EL2, false, direct(SYSREG_PMBSR_EL2));
		assert_route(&c, SYSREG_PMBSR_EL3, false, direct(SYSREG_PMBSR_EL3));
		c.el = 2;
		assert_route(&c, SYSREG_PMBSR_EL3, false, undefined(SYSREG_PMBSR_EL3));
	}
}

/*
 * Section 3.4, EL2: PMBSR_EL1 is PMBSR_EL2 with E2H and an effective PMSCR_EL2.EE that is not 00.
 * EE is 00 without FEAT_SPE_EXC and when PMSEE is 00.
 */
Test(order, pmbsr_el1_at_el2)
{
	for (int n = 0; n < 32; n++) {
		const bool e2h = n & 1, exc = n & 2, pmsee = n & 4;
		const int ee = n >> 3;
		struct sysreg_controls c = open_controls(2);

		c.hcr_el2 = e2h ? HCR_E2H : 0;
		c.features &= exc ? UINT32_MAX : ~SYSREG_FEAT_SPE_EXC;
		c.mdcr_el3 = MDCR3_NSPB(3) | MDCR3_PMSEE(pmsee);
		c.pmscr_el2 = PMSCR_EE(ee);
		assert_route(&c, SYSREG_PMBSR_EL1, false,
			     e2h && exc && pmsee && ee ? direct(SYSREG_PMBSR_EL2)
						       : direct(SYSREG_PMBSR_EL1));
		c.el = 3;
		assert_route(&c, SYSREG_PMBSR_EL1, false, direct(SYSREG_PMBSR_EL1));
	}
}

/* Section 3.4, EL1: NVx 1x1 and (EffEE2 == 00 or PMSCR_EL1.EE == 00 or NVx == 111). */
Test(order, pmbsr_el1_to_memory)
{
	for (int n = 0; n < 256; n++) {
		const bool nv = n & 1, nv1 = n & 2, exc = n & 4, pmsee = n & 8;
		const int ee1 = n >> 4 & 3, ee2 = n >> 6;
		struct sysreg_controls c = open_controls(1);
		const bool memory = nv && (!exc || !pmsee || !ee2 || !ee1 || nv1);

		c.hcr_el2 = HCR_NV2 | (nv ? HCR_NV : 0) | (nv1 ? HCR_NV1 : 0);
		c.features &= exc ? UINT32_MAX : ~SYSREG_FEAT_SPE_EXC;
		c.mdcr_el3 = MDCR3_NSPB(3) | MDCR3_PMSEE(pmsee);
		c.pmscr_el1 = PMSCR_EE(ee1);
		c.pmscr_el2 = PMSCR_EE(ee2);
		assert_route(&c, SYSREG_PMBSR_EL1, true,
			     memory ? nvmem(SYSREG_PMBSR_EL1, 0x820) : direct(SYSREG_PMBSR_EL1));
	}
}

/* Template A from Secure EL1: with EEL2 == 0 no trap to EL2 exists; with EEL2 == 1 all do. */
Test(order, secure_el2)
{
	struct sysreg_controls c = open_controls(1);

	c.scr_el3 &= ~SCR_NS;
	c.mdcr_el3 = MDCR3_NSPB(1);
	c.mdcr_el2 = MDCR2_TPMS;
	c.hdfgrtr_el2 = BIT(29);
	assert_route(&c, SYSREG_PMSICR_EL1, false, direct(SYSREG_PMSICR_EL1));
	c.scr_el3 |= SCR_EEL2;
	assert_route(&c, SYSREG_PMSICR_EL1, false, trap(SYSREG_PMSICR_EL1, false, 0, 2));
	c.features &= ~SYSREG_FEAT_SEL2;
	assert_route(&c, SYSREG_PMSICR_EL1, false, direct(SYSREG_PMSICR_EL1));
	c.features |= SYSREG_FEAT_SEL2;
	c.features &= ~SYSREG_FEAT_EL3;
	c.scr_el3 = 0; /* of an EL that is not there: ignored */
	assert_route(&c, SYSREG_PMSICR_EL1, false, trap(SYSREG_PMSICR_EL1, false, 0, 2));
}

/* *_EL12 are names that FEAT_VHE brings: without it not even a trap for nested virtualization. */
Test(order, el12_without_vhe)
{
	for (unsigned int n = 0; n < 16; n++) {
		const enum sysreg_id reg = n & 8 ? SYSREG_PMBSR_EL12 : SYSREG_PMSCR_EL12;
		struct sysreg_controls c = open_controls(n & 3);

		c.hcr_el2 = HCR_E2H | HCR_NV | HCR_NV2;
		c.features &= ~SYSREG_FEAT_VHE;
		cr_assert_eq(sysreg_route(&c, access_to(reg, n & 4)).kind, SYSREG_UNDEFINED,
			     "%s EL%u", sysreg_name(reg), n & 3);
	}
}

/*
 * EffectivePMSCR_EL2_EE() asks for the Security state itself: a PE that is in Secure state alone,
 * without EL3, looks at PMSCR_EL2.EE with FEAT_SEL2 only, and has 01 without.
 */
Test(order, ee_of_a_pe_in_secure_state_alone)
{
	struct sysreg_controls c = open_controls(2);

	c.hcr_el2 = HCR_E2H;
	c.pmscr_el2 = PMSCR_EE(0);
	c.features &= ~SYSREG_FEAT_EL3;
	assert_route(&c, SYSREG_PMBSR_EL1, false, direct(SYSREG_PMBSR_EL1));
	c.features |= SYSREG_FEAT_SECURE;
	assert_route(&c, SYSREG_PMBSR_EL1, false, direct(SYSREG_PMBSR_EL1));
	c.features &= ~SYSREG_FEAT_SEL2;
	assert_route(&c, SYSREG_PMBSR_EL1, false, direct(SYSREG_PMBSR_EL2));
	c.features &= ~SYSREG_FEAT_SECURE;
	assert_route(&c, SYSREG_PMBSR_EL1, false, direct(SYSREG_PMBSR_EL1));
}

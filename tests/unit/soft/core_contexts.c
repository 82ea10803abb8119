/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the machine model's TLBs learn of a vCPU: the Security state, VMID and ASID that each regime
 * translates in (Arm ARM D8.16), and the maintenance that it requests (D8.17).
 */
#include "../compare.h"
#include "core_regimes.h"

#include "model/core.h"
#include "soft/tuning.h"

static struct core_machine *modelled(uint64_t hcr, unsigned int cpus)
{
	static struct engine_tuning tuning = {.model.mode = MODEL_FULL};

	tuning.machine = model_default;
	return core_regimes_modelled(hcr, cpus, &tuning);
}

static struct model *model_of(const struct core_machine *m)
{
	return soft(m)->vm->model->machine;
}

static uint64_t context(const struct core_machine *m, enum arm_regime_kind regime)
{
	soft_tlb_registers_written(soft(m));
	return model_of(m)->cores[0].contexts[regime];
}

Test(core_contexts, of_registers)
{
	struct core_machine *m = modelled(HCR_E2H, 1);
	struct soft_sys *sys = &soft(m)->sys;

	sys->ttbr0[1] |= UINT64_C(0x1234) << 48;
	sys->ttbr1[1] |= UINT64_C(0x5678) << 48;
	sys->ttbr0[2] |= UINT64_C(0x9abc) << 48;
	sys->ttbr0[3] |= UINT64_C(0x4321) << 48;
	sys->vttbr_el2 |= UINT64_C(0xfedc) << 48;
	cr_expect_eq(context(m, ARM_REGIME_EL10), model_context(0x34, 0xdc, ARM_NON_SECURE));
	sys->vtcr_el2 |= BIT(19); /* VS */
	sys->tcr[1] |= BIT(36);	  /* AS */
	cr_expect_eq(context(m, ARM_REGIME_EL10), model_context(0x1234, 0xfedc, ARM_NON_SECURE));
	sys->tcr[1] |= BIT(22); /* A1 */
	cr_expect_eq(context(m, ARM_REGIME_EL10), model_context(0x5678, 0xfedc, ARM_NON_SECURE));
	cr_expect_eq(context(m, ARM_REGIME_EL20), model_context(0xbc, 0, ARM_NON_SECURE));
	cr_expect_eq(context(m, ARM_REGIME_EL2), model_context(0, 0, ARM_NON_SECURE));
	cr_expect_eq(context(m, ARM_REGIME_EL3), model_context(0, 0, ARM_SECURE));
	/* Without Secure EL2 there are no VMIDs in Secure state. */
	sys->controls.scr_el3 = 0;
	cr_expect_eq(context(m, ARM_REGIME_EL10), model_context(0x5678, 0, ARM_SECURE));
	core_free(m);
}

static void walk_page(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	(void)ctx, (void)va, (void)data;
	walk->shift = 12;
}

/* Did no TLB of a core have the page at DATA, for its EL1&0 regime? Now one has. */
static bool walks(struct model *model, unsigned int core)
{
	const struct model_facts facts = {.place = MODEL_RAM,
					  .size = 8,
					  .data_regime = ARM_REGIME_EL10,
					  .data_tables = true,
					  .walk = walk_page};
	struct spe_op op = {.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
			    .data_va = DATA,
			    .data_pa = DATA};

	model_core_execute(model, core, &facts, 0, &op);
	return op.events & SPE_EVENT_TLB_REFILL;
}

static void set_vmid(struct core_machine *m, unsigned int core, uint16_t vmid)
{
	model_core_context(model_of(m), core, ARM_REGIME_EL10,
			   model_context(0x34, vmid, ARM_NON_SECURE));
}

/* vCPU 0 invalidates in VMID 1; both vCPUs have the page in VMID 1 and in VMID 2. */
Test(core_contexts, maintenance)
{
	static const struct {
		const char *name;
		struct soft_tlbi tlbi;
		unsigned int lost; /* VMID 1 and 2 of vCPU 0, and of vCPU 1 */
	} rows[] = {
		{"of this VMID", {.all = true}, 0x1},
		{"... everywhere", {.all = true, .all_cpus = true}, 0x5},
		{"of all VMIDs", {.all = true, .all_cpus = true, .any_vmid = true}, 0xf},
		{"of stage 2", {.all = true, .all_cpus = true, .stage2_alone = true}, 0x0},
		{"of its ASID", {.by_asid = true, .asid = 0x34, .all_cpus = true}, 0x5},
		{"of another ASID", {.by_asid = true, .asid = 0x33, .all_cpus = true}, 0x0},
		{"of the page", {.by_va = true, .va = DATA}, 0x1},
		{"of another page", {.by_va = true, .va = DATA + 0x1000}, 0x0},
	};

	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		struct core_machine *m = modelled(HCR_VM, 2);
		struct soft_tlbi tlbi = rows[row].tlbi;

		soft(m)->sys.vttbr_el2 |= UINT64_C(1) << 48;
		tlbi.regimes = 1u << ARM_REGIME_EL10;
		for (unsigned int n = 0; n < 4; n++) {
			set_vmid(m, n / 2, (uint16_t)(1 + n % 2));
			cr_assert(walks(model_of(m), n / 2), "%u", n);
		}
		soft_tlb_invalidate(soft(m), &tlbi);
		for (unsigned int n = 0; n < 4; n++) {
			set_vmid(m, n / 2, (uint16_t)(1 + n % 2));
			cr_expect_eq(walks(model_of(m), n / 2), rows[row].lost >> n & 1,
				     "%s: vCPU %u, VMID %u", rows[row].name, n / 2, 1 + n % 2);
		}
		core_free(m);
	}
}

/* Register writes drop nothing; a reset does. */
Test(core_contexts, reset)
{
	struct core_machine *m = modelled(0, 1);

	cr_assert(walks(model_of(m), 0));
	soft(m)->sys.tcr[1] ^= BIT(37);
	soft(m)->sys.mair[1] ^= 1;
	soft_tlb_registers_written(soft(m));
	cr_expect_not(walks(model_of(m), 0));
	soft_tlb_flush(soft(m));
	cr_expect(walks(model_of(m), 0));
	core_free(m);
}

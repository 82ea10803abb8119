/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine under a guest that starts at EL2 or EL3: calls, the power switch, the timers of the
 * levels and the virtual CPU interface, as they reach the engine.
 */

#include "../compare.h"
#include "machine_fixture.h"

#define CNTVOFF	   SYSREG_ENCODING(3, 4, 14, 0, 3)
#define CNTHP_CTL  SYSREG_ENCODING(3, 4, 14, 2, 1)
#define CNTHP_CVAL SYSREG_ENCODING(3, 4, 14, 2, 2)
#define ICH_HCR	   SYSREG_ENCODING(3, 4, 12, 11, 0)
#define ICH_VMCR   SYSREG_ENCODING(3, 4, 12, 11, 7)
#define ICH_LR0	   SYSREG_ENCODING(3, 4, 12, 12, 0)
#define ICV_IAR1   (IAR1 | ENGINE_SYSREG_VIRTUAL)

TestSuite(machine_levels, .init = machine_fixture_begin, .fini = machine_fixture_end);

/* PSCI by SMC, and the level that every vCPU gets. */
static int psci_by_smc(struct engine_vcpu *vcpu)
{
	(void)psci(vcpu, vcpu->step == 0 ? 0xc4000003 : 0x84000008, 1, 0x40000000, 7);
	if (vcpu->index == 1)
		return GO_ON;
	return vcpu->step < 2 ? ENGINE_EXIT_SMC : GO_ON;
}

Test(machine_levels, smc_is_answered_as_hvc_is)
{
	struct machine_config c = config(2);

	c.choices.levels = (struct engine_levels){.start = 2, .el2 = true};
	fake_guest = psci_by_smc;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_eq(stats.vcpu[0].exits[ENGINE_EXIT_SMC], 2);
	cr_assert_eq(fake_levels[0].start, 2);
	cr_assert_eq(fake_levels[1].start, 2);
	machine_destroy(machine);
}

/* At EL3 every vCPU runs from the start; vCPU 1 powers off by the switch, which ends all. */
static int el3_switch(struct engine_vcpu *vcpu)
{
	if (vcpu->index == 0)
		return GO_ON;
	switch (vcpu->step) {
	case 0: write_mmio(vcpu, GPIO + 0x400, 1); return GO_ON;
	case 1: write_mmio(vcpu, GPIO + (1 << 2), 1); return GO_ON;
	default: cr_assert_fail("goes on behind the power off");
	}
	return GO_ON;
}

Test(machine_levels, a_guest_at_el3_powers_off_by_gpio)
{
	struct machine_config c = config(2);

	c.choices.levels = (struct engine_levels){.start = 3, .el2 = true, .el3 = true};
	fake_guest = el3_switch;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_eq(stats.vcpu[1].operations, 2);
	machine_destroy(machine);
}

static int el3_restart(struct engine_vcpu *vcpu)
{
	static unsigned int starts;

	if (vcpu->step == 0) {
		starts++;
		write_mmio(vcpu, GPIO + 0x400, 3);
	}
	if (vcpu->step == 1)
		write_mmio(vcpu, GPIO + (3 << 2), starts == 1 ? 2 : 1);
	cr_assert_lt(vcpu->step, 2);
	return GO_ON;
}

Test(machine_levels, a_guest_at_el3_restarts_by_gpio)
{
	struct machine_config c = config(1);

	c.choices.levels = (struct engine_levels){.start = 3, .el2 = true, .el3 = true};
	fake_guest = el3_restart;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_eq(stats.resets, 1);
	cr_assert_eq(stats.vcpu[0].operations, 4);
	machine_destroy(machine);
}

static int gpio_at_el1(struct engine_vcpu *vcpu)
{
	const struct engine_host *host = &vcpu->vm->host;

	cr_assert_eq(host->mmio_write(host->ctx, vcpu->index, GPIO + 0x400, 4, 1), ENGINE_NONE);
	return power_off(vcpu);
}

Test(machine_levels, there_is_no_gpio_where_psci_is)
{
	cr_assert_eq(run(1, gpio_at_el1), MACHINE_POWER_OFF);
	machine_destroy(machine);
}

static const struct engine_levels el2 = {.start = 2, .el2 = true};

/* The EL2 physical timer ends a WFI at its deadline, and so does the virtual one, by its offset. */
static int timers(struct engine_vcpu *vcpu)
{
	switch (vcpu->step) {
	case 0:
		open_gic(vcpu);
		write_sysreg(vcpu, CNTHP_CVAL, 3000);
		write_sysreg(vcpu, CNTHP_CTL, 1);
		return GO_ON;
	case 1: return ENGINE_EXIT_WFI;
	case 2:
		cr_assert_eq(read_sysreg(vcpu, CNTVCT), 3000);
		cr_assert_eq(read_sysreg(vcpu, IAR1), 26);
		write_sysreg(vcpu, CNTHP_CTL, 0);
		write_sysreg(vcpu, EOIR1, 26);
		write_sysreg(vcpu, CNTVOFF, 1000);
		write_sysreg(vcpu, CNTV_CVAL, 4000);
		write_sysreg(vcpu, CNTV_CTL, 1);
		return ENGINE_EXIT_WFI;
	default: cr_assert_eq(read_sysreg(vcpu, CNTVCT), 4000); return power_off(vcpu);
	}
}

Test(machine_levels, timers_of_el2_and_offsets_wake)
{
	struct machine_config c = config(1);

	c.choices.levels = el2;
	fake_guest = timers;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	cr_assert_eq(stats.vcpu[0].operations, 4);
	cr_assert_eq(stats.idle, 5000 - 3);
	machine_destroy(machine);
}

static int virtual_interrupts(struct engine_vcpu *vcpu)
{
	open_gic(vcpu);
	write_sysreg(vcpu, ICH_VMCR, UINT64_C(0xff) << 24 | 3);
	write_sysreg(vcpu, ICH_HCR, 1 | 1u << 3);
	cr_assert(vcpu->irq, "maintenance: nothing is pending");
	cr_assert_not(vcpu->virq);
	cr_assert_not(vcpu->vfiq);
	write_sysreg(vcpu, ICH_LR0, UINT64_C(1) << 62 | UINT64_C(1) << 60 | 40);
	cr_assert_not(vcpu->irq);
	cr_assert(vcpu->virq);
	cr_assert_not(vcpu->vfiq);
	cr_assert_eq(read_sysreg(vcpu, ICV_IAR1), 40);
	cr_assert_not(vcpu->virq);
	write_sysreg(vcpu, ICH_LR0, UINT64_C(1) << 62 | 41);
	write_sysreg(vcpu, SYSREG_ENCODING(3, 4, 12, 9, 0), 0);
	cr_assert(vcpu->vfiq);
	return power_off(vcpu);
}

Test(machine_levels, virtual_interrupts_reach_the_engine)
{
	struct machine_config c = config(1);

	c.choices.levels = el2;
	fake_guest = virtual_interrupts;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	machine_destroy(machine);
}

/* A power-down state loses the registers of EL2, but not the timers. */
static int power_down(struct engine_vcpu *vcpu)
{
	if (vcpu->x[31] == 0x40080000 && vcpu->step < 1000)
		return GO_ON;
	if (vcpu->x[31] == 0x40080000) {
		open_gic(vcpu);
		write_sysreg(vcpu, ICH_HCR, 1);
		write_sysreg(vcpu, CNTVOFF, 1000);
		write_sysreg(vcpu, CNTV_CVAL, 4000);
		write_sysreg(vcpu, CNTV_CTL, 1);
		(void)psci(vcpu, 0xc4000001, 1u << 16, 0x40090000, 77);
		return ENGINE_EXIT_SMC;
	}
	cr_assert_eq(read_sysreg(vcpu, CNTVCT), 5000, "no offset");
	cr_assert_eq(read_sysreg(vcpu, CNTV_CVAL), 4000);
	cr_assert_eq(read_sysreg(vcpu, ICH_HCR), 0);
	return power_off(vcpu);
}

Test(machine_levels, power_down_resets_the_registers_of_el2)
{
	struct machine_config c = config(1);

	c.choices.levels = el2;
	fake_guest = power_down;
	cr_assert_eq(run_config(&c), MACHINE_POWER_OFF, "%s", why);
	machine_destroy(machine);
}

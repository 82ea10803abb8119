/* SPDX-License-Identifier: BSD-2-Clause */
/* GICv3: what software sees of priorities, states, groups, SGIs, PPIs and SPIs (IHI 0069). */
#include <vspe/sysreg.h>

#include "../compare.h"
#include "arm/encoding.h"
#include "device/gic.h"
#include "device_fixture.h"

#define PMR	SYSREG_ENCODING(3, 0, 4, 6, 0)
#define IAR0	SYSREG_ENCODING(3, 0, 12, 8, 0)
#define EOIR0	SYSREG_ENCODING(3, 0, 12, 8, 1)
#define BPR0	SYSREG_ENCODING(3, 0, 12, 8, 3)
#define AP0R0	SYSREG_ENCODING(3, 0, 12, 8, 4)
#define AP1R0	SYSREG_ENCODING(3, 0, 12, 9, 0)
#define DIR	SYSREG_ENCODING(3, 0, 12, 11, 1)
#define RPR	SYSREG_ENCODING(3, 0, 12, 11, 3)
#define SGI1R	SYSREG_ENCODING(3, 0, 12, 11, 5)
#define SGI0R	SYSREG_ENCODING(3, 0, 12, 11, 7)
#define IAR1	SYSREG_ENCODING(3, 0, 12, 12, 0)
#define EOIR1	SYSREG_ENCODING(3, 0, 12, 12, 1)
#define HPPIR0	SYSREG_ENCODING(3, 0, 12, 8, 2)
#define HPPIR1	SYSREG_ENCODING(3, 0, 12, 12, 2)
#define BPR1	SYSREG_ENCODING(3, 0, 12, 12, 3)
#define CTLR	SYSREG_ENCODING(3, 0, 12, 12, 4)
#define SRE	SYSREG_ENCODING(3, 0, 12, 12, 5)
#define IGRPEN0 SYSREG_ENCODING(3, 0, 12, 12, 6)
#define IGRPEN1 SYSREG_ENCODING(3, 0, 12, 12, 7)

#define CTLR_EOIMODE 2
#define CTLR_CBPR    1

#define CPUS	       3
#define SGI_FRAME(cpu) ((cpu)*GIC_REDIST_STRIDE + 0x10000)
#define WAKER	       0x14

static struct gic *gic;

static void make_gic(unsigned int cpus)
{
	if (gic)
		device_free(&gic->device);
	gic = (struct gic *)make_device(&device_gic, cpus);
}

static uint64_t get(unsigned int cpu, uint32_t reg)
{
	uint64_t value = 0;

	cr_assert(gic_sysreg_read(&gic->device, cpu, reg, &value));
	return value;
}

static void set(unsigned int cpu, uint32_t reg, uint64_t value)
{
	cr_assert(gic_sysreg_write(&gic->device, cpu, reg, value));
}

static bool irq(unsigned int cpu)
{
	return gic->cpu[cpu].output[DEVICE_IRQ];
}

static bool fiq(unsigned int cpu)
{
	return gic->cpu[cpu].output[DEVICE_FIQ];
}

static void dist(uint64_t offset, uint32_t value)
{
	gic_dist_write(&gic->device, 0, offset, 4, value);
}

static uint32_t dist_get(uint64_t offset)
{
	return (uint32_t)gic_dist_read(&gic->device, 0, offset, 4);
}

/* Everything on: all interrupts Group 1 and enabled, priority 0xa0, edges as at reset. */
static void setup(void)
{
	make_gic(CPUS);
	dist(0x0, 3);
	for (unsigned int n = 1; n < GIC_INTIDS / 32; n++) {
		dist(0x80 + 4 * n, UINT32_MAX);
		dist(0x100 + 4 * n, UINT32_MAX);
	}
	for (unsigned int n = GIC_PRIVATE; n < GIC_INTIDS; n++)
		gic_dist_write(&gic->device, 0, 0x400 + n, 1, 0xa0);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		gic_redist_write(&gic->device, 0, cpu * GIC_REDIST_STRIDE + WAKER, 4, 0);
		gic_redist_write(&gic->device, 0, SGI_FRAME(cpu) + 0x80, 4, UINT32_MAX);
		gic_redist_write(&gic->device, 0, SGI_FRAME(cpu) + 0x100, 4, UINT32_MAX);
		for (unsigned int n = 0; n < GIC_PRIVATE; n += 4)
			gic_redist_write(&gic->device, 0, SGI_FRAME(cpu) + 0x400 + n, 4,
					 0xa0a0a0a0);
		set(cpu, PMR, 0xff);
		set(cpu, IGRPEN0, 1);
		set(cpu, IGRPEN1, 1);
	}
}

static void priority(unsigned int cpu, unsigned int intid, uint8_t value)
{
	if (intid < GIC_PRIVATE)
		gic_redist_write(&gic->device, 0, SGI_FRAME(cpu) + 0x400 + intid, 1, value);
	else
		gic_dist_write(&gic->device, 0, 0x400 + intid, 1, value);
}

TestSuite(gic, .init = setup);

Test(gic, identification_registers)
{
	cr_assert_eq(dist_get(0x4) & 0x1f, GIC_INTIDS / 32 - 1, "ITLinesNumber");
	cr_assert_eq(dist_get(0x4) >> 10 & 1, 0, "SecurityExtn");
	cr_assert_eq(dist_get(0xffe8) >> 4 & 15, 3, "ArchRev: GICv3");
	cr_assert_eq(gic_redist_read(&gic->device, 0, 0xffe8, 4) >> 4 & 15, 3);
	cr_assert_eq(gic_redist_read(&gic->device, 0, GIC_REDIST_STRIDE + 8, 8),
		     UINT64_C(1) << 32 | 1 << 8);
	cr_assert_eq(gic_redist_read(&gic->device, 0, 2 * GIC_REDIST_STRIDE + 8, 8),
		     UINT64_C(2) << 32 | 2 << 8 | 1 << 4, "Last");
	cr_assert_eq(gic_redist_read(&gic->device, 0, 2 * GIC_REDIST_STRIDE + 12, 4), 2,
		     "affinity");
}

Test(gic, distributor_has_one_security_state_and_affinity_routing)
{
	cr_assert_eq(dist_get(0), 0x53);
	dist(0, 0);
	cr_assert_eq(dist_get(0), 0x50, "DS and ARE are RAO/WI");
}

Test(gic, system_register_interface_is_always_on)
{
	set(0, SRE, 0);
	cr_assert_eq(get(0, SRE), 7);
}

Test(gic, write_only_and_read_only_registers_are_undefined_the_other_way)
{
	uint64_t value;
	static const uint32_t write_only[] = {EOIR0, EOIR1, DIR, SGI1R, SGI0R};
	static const uint32_t read_only[] = {IAR0, IAR1, HPPIR0, HPPIR1, RPR};

	for (size_t i = 0; i < 5; i++) {
		cr_assert_not(gic_sysreg_read(&gic->device, 0, write_only[i], &value));
		cr_assert_not(gic_sysreg_write(&gic->device, 0, read_only[i], 0));
	}
	cr_assert_not(gic_sysreg_read(&gic->device, 0, AP1R0 + 1, &value),
		      "5 bits of priority: only AP1R0");
}

Test(gic, private_banks_of_the_distributor_are_res0)
{
	dist(0x100, UINT32_MAX);
	cr_assert_eq(dist_get(0x100), 0);
	cr_assert_eq(dist_get(0x400), 0);
	cr_assert_eq(dist_get(0x800), 0, "ITARGETSR");
}

Test(gic, acknowledge_and_end_of_an_edge_interrupt)
{
	gic_set_line(&gic->device, 0, 20, false);
	gic_redist_write(&gic->device, 0, SGI_FRAME(0) + 0xc04, 4, 2u << 8); /* INTID 20 edge */
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert(irq(0));
	cr_assert_eq(get(0, HPPIR1), 20);
	cr_assert_eq(get(0, IAR1), 20);
	cr_assert_not(irq(0), "the line is still high, but there is no new edge");
	cr_assert_eq(get(0, RPR), 0xa0);
	cr_assert_eq(get(0, AP1R0), 1u << (0xa0 >> 3));
	cr_assert_eq(get(0, IAR1), GIC_SPURIOUS);
	set(0, EOIR1, 20);
	cr_assert_eq(get(0, RPR), 0xff);
	cr_assert_not(irq(0));
	gic_set_line(&gic->device, 0, 20, false);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert(irq(0), "a new edge");
}

Test(gic, edge_while_active_is_pending_after_the_end)
{
	gic_redist_write(&gic->device, 0, SGI_FRAME(0) + 0xc04, 4, 2u << 8);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	gic_set_line(&gic->device, 0, 20, false);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_not(irq(0), "active and pending is not signalled");
	set(0, EOIR1, 20);
	cr_assert(irq(0));
}

Test(gic, level_ppi_stays_pending_while_its_line_is_high)
{
	gic_set_line(&gic->device, 1, 21, true);
	cr_assert(irq(1));
	cr_assert_not(irq(0), "a PPI belongs to its vCPU");
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(1) + 0x200, 4), 1u << 21);
	gic_redist_write(&gic->device, 0, SGI_FRAME(1) + 0x280, 4, 1u << 21);
	cr_assert(irq(1), "ICPENDR does not clear what the line asserts");
	cr_assert_eq(get(1, IAR1), 21);
	set(1, EOIR1, 21);
	cr_assert(irq(1), "still high: pending again");
	cr_assert_eq(get(1, IAR1), 21);
	gic_set_line(&gic->device, 1, 21, false);
	set(1, EOIR1, 21);
	cr_assert_not(irq(1));
}

Test(gic, level_interrupt_withdrawn_before_the_acknowledge_is_spurious)
{
	gic_set_line(&gic->device, 0, 21, true);
	gic_set_line(&gic->device, 0, 21, false);
	cr_assert_not(irq(0));
	cr_assert_eq(get(0, IAR1), GIC_SPURIOUS);
}

Test(gic, software_pending_of_a_level_interrupt_ends_with_the_acknowledge)
{
	gic_redist_write(&gic->device, 0, SGI_FRAME(0) + 0x200, 4, 1u << 21);
	cr_assert_eq(get(0, IAR1), 21);
	set(0, EOIR1, 21);
	cr_assert_not(irq(0));
}

Test(gic, higher_priority_preempts_and_ends_in_reverse_order)
{
	priority(0, 20, 0x80);
	priority(0, 21, 0x40);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	cr_assert_not(irq(0));
	gic_set_line(&gic->device, 0, 21, true);
	cr_assert(irq(0));
	cr_assert_eq(get(0, IAR1), 21);
	cr_assert_eq(get(0, RPR), 0x40);
	gic_set_line(&gic->device, 0, 21, false);
	set(0, EOIR1, 21);
	cr_assert_eq(get(0, RPR), 0x80);
	gic_set_line(&gic->device, 0, 20, false);
	set(0, EOIR1, 20);
	cr_assert_eq(get(0, RPR), 0xff);
}

Test(gic, equal_priority_does_not_preempt_and_lowest_intid_is_first)
{
	gic_set_line(&gic->device, 0, 22, true);
	gic_set_line(&gic->device, 0, 21, true);
	cr_assert_eq(get(0, IAR1), 21);
	cr_assert_not(irq(0));
	cr_assert_eq(get(0, IAR1), GIC_SPURIOUS);
	cr_assert_eq(get(0, HPPIR1), 22);
}

Test(gic, binary_point_groups_priorities)
{
	/* BPR1 = 7 leaves one bit of group priority: 0x40 does not preempt 0x60, 0x00 nothing of
	 * 0x7f. */
	set(0, BPR1, 7);
	priority(0, 20, 0x60);
	priority(0, 21, 0x40);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	cr_assert_eq(get(0, RPR), 0, "the running priority is a group priority");
	gic_set_line(&gic->device, 0, 21, true);
	cr_assert_not(irq(0));
	set(0, BPR1, 4);
	cr_assert_not(irq(0), "0x40 is below what runs");
	priority(0, 21, 0x00);
	cr_assert_not(irq(0), "0x00 is what runs");
	set(0, BPR1, 0);
	cr_assert_eq(get(0, BPR1), 3, "the minimum: 5 bits of priority, and one for the group");
	set(0, BPR0, 0);
	cr_assert_eq(get(0, BPR0), 2);
}

Test(gic, the_running_priority_is_grouped_by_the_present_binary_point)
{
	priority(0, 20, 0x68);
	priority(0, 21, 0x60);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	gic_set_line(&gic->device, 0, 21, true);
	cr_assert(irq(0), "0x60 preempts 0x68");
	set(0, BPR1, 4);
	cr_assert_not(irq(0), "both are of group 0x60 now");
}

Test(gic, common_binary_point)
{
	set(0, BPR0, 4);
	set(0, CTLR, CTLR_CBPR);
	cr_assert_eq(get(0, BPR1), 5, "BPR0 plus one");
	set(0, BPR1, 7);
	cr_assert_eq(get(0, BPR1), 5, "writes are ignored");
	set(0, BPR0, 7);
	cr_assert_eq(get(0, BPR1), 7, "saturated");
	set(0, CTLR, 0);
	cr_assert_eq(get(0, BPR1), 3);
}

Test(gic, priority_mask)
{
	set(0, PMR, 0xa0);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_not(irq(0), "only priorities above the mask pass");
	cr_assert_eq(get(0, IAR1), GIC_SPURIOUS);
	cr_assert_eq(get(0, HPPIR1), 20, "HPPIR does not look at the mask");
	set(0, PMR, 0xa8);
	cr_assert(irq(0));
	set(0, PMR, 0xff);
	cr_assert_eq(get(0, PMR), 0xf8, "5 bits are implemented");
	priority(0, 20, 0xff);
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(0) + 0x400 + 20, 1), 0xf8);
	cr_assert_not(irq(0), "the lowest priority never passes");
}

Test(gic, eoi_mode_1_separates_priority_drop_and_deactivation)
{
	set(0, CTLR, CTLR_EOIMODE);
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	set(0, EOIR1, 20);
	cr_assert_eq(get(0, RPR), 0xff, "dropped");
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(0) + 0x300, 4), 1u << 20,
		     "still active");
	cr_assert_not(irq(0));
	set(0, DIR, 20);
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(0) + 0x300, 4), 0);
	cr_assert(irq(0), "its line is still high");
}

Test(gic, dir_is_ignored_in_eoi_mode_0)
{
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	set(0, DIR, 20);
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(0) + 0x300, 4), 1u << 20);
}

Test(gic, end_of_a_special_intid_does_nothing)
{
	gic_set_line(&gic->device, 0, 20, true);
	cr_assert_eq(get(0, IAR1), 20);
	set(0, EOIR1, GIC_SPURIOUS);
	set(0, EOIR1, 5000);
	cr_assert_eq(get(0, RPR), 0xa0);
}

Test(gic, sgi_to_a_list_to_all_others_and_to_self)
{
	set(0, SGI1R, 7u << 24 | 1u << 1 | 1u << 2);
	cr_assert_not(irq(0));
	cr_assert(irq(1));
	cr_assert(irq(2));
	cr_assert_eq(get(1, IAR1), 7);
	set(1, EOIR1, 7);
	cr_assert_not(irq(1), "an SGI is an edge");
	set(1, SGI1R, UINT64_C(1) << 40 | 3u << 24);
	cr_assert(irq(0));
	cr_assert_not(irq(1), "IRM: all but self");
	cr_assert_eq(get(2, IAR1), 3, "lowest INTID of equal priorities");
	set(0, IGRPEN1, 1);
	cr_assert_eq(get(0, IAR1), 3);
	set(0, EOIR1, 3);
	set(0, SGI1R, 1u << 24 | 1);
	cr_assert_eq(get(0, IAR1), 1, "to itself");
}

Test(gic, sgi_to_other_affinities_reaches_nobody)
{
	set(0, SGI1R, UINT64_C(1) << 16 | 1); /* Aff1 = 1 */
	set(0, SGI1R, UINT64_C(1) << 32 | 1); /* Aff2 = 1 */
	set(0, SGI1R, UINT64_C(1) << 48 | 1); /* Aff3 = 1 */
	set(0, SGI1R, UINT64_C(1) << 44 | 1); /* RS = 1: Aff0 = 16 */
	set(0, SGI1R, 1u << 15);	      /* vCPU 15 */
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		cr_assert_not(irq(cpu));
}

/* 16 vCPUs share Aff1: vCPU 35 is 2.3. */
Test(gic, affinities_beyond_16_vcpus)
{
	uint64_t typer;

	make_gic(40);
	set(0, SGI1R, UINT64_C(2) << 44 | 5u << 24 | 1u << 3);
	set(0, SGI1R, UINT64_C(2) << 16 | 6u << 24 | 1u << 3);
	for (unsigned int cpu = 0; cpu < 40; cpu++)
		cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(cpu) + 0x200, 4),
			     cpu == 35 ? 1u << 6 : 0, "vCPU %u", cpu);
	typer = gic_redist_read(&gic->device, 0, 35 * GIC_REDIST_STRIDE + 8, 8);
	cr_assert_eq(typer, UINT64_C(0x203) << 32 | 35 << 8);
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33, 8, 0x203);
	cr_assert_eq(gic_spi_target(gic, &gic->spi[1]), 35);
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33, 8, 35);
	cr_assert_eq(gic_spi_target(gic, &gic->spi[1]), -1, "no Aff0 of 35");
}

Test(gic, sgi_is_always_edge_triggered)
{
	gic_redist_write(&gic->device, 0, SGI_FRAME(0) + 0xc00, 4, 0);
	cr_assert_eq(gic_redist_read(&gic->device, 0, SGI_FRAME(0) + 0xc00, 4), 0xaaaaaaaa);
}

Test(gic, spi_level_and_edge)
{
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert(irq(0), "IROUTER resets to affinity 0");
	cr_assert_eq(dist_get(0x204), 2);
	gic_set_line(&gic->device, 0, 33, false);
	cr_assert_not(irq(0));
	dist(0xc08, 2u << 2); /* INTID 33 edge */
	gic_set_line(&gic->device, 0, 33, true);
	gic_set_line(&gic->device, 0, 33, false);
	cr_assert(irq(0), "the edge is remembered");
	dist(0x284, 2);
	cr_assert_not(irq(0), "and forgotten by ICPENDR");
}

Test(gic, spi_routing)
{
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33, 8, 2);
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert_not(irq(0));
	cr_assert(irq(2));
	cr_assert_eq(gic_dist_read(&gic->device, 0, 0x6000 + 8 * 33, 8), 2);
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33, 8, 0x100);
	cr_assert_not(irq(0), "nobody has Aff1 = 1");
	cr_assert_not(irq(1), "nobody has Aff1 = 1");
	cr_assert_not(irq(2), "nobody has Aff1 = 1");
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33 + 4, 4, 1);
	cr_assert_eq(gic_dist_read(&gic->device, 0, 0x6000 + 8 * 33, 8), UINT64_C(0x100000100),
		     "by halves");
	cr_assert_eq(gic_dist_read(&gic->device, 0, 0x6000 + 8 * 5, 8), 0, "no IROUTER below 32");
}

Test(gic, spi_to_any_participating_cpu)
{
	gic_dist_write(&gic->device, 0, 0x6000 + 8 * 33, 8, 1u << 31);
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert(irq(0));
	set(0, IGRPEN1, 0);
	cr_assert_not(irq(0));
	cr_assert(irq(1), "vCPU 0 takes no Group 1 any more");
	cr_assert_not(irq(2), "one of N");
}

Test(gic, spi_can_be_deactivated_by_another_cpu)
{
	set(1, CTLR, CTLR_EOIMODE);
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert_eq(get(0, IAR1), 33);
	set(1, DIR, 33);
	cr_assert_eq(dist_get(0x304), 0);
}

Test(gic, enables_at_every_step)
{
	gic_set_line(&gic->device, 0, 33, true);
	dist(0x184, 2);
	cr_assert_not(irq(0), "ICENABLER");
	dist(0x104, 2);
	cr_assert(irq(0));
	dist(0, 1);
	cr_assert_not(irq(0), "GICD_CTLR.EnableGrp1");
	dist(0, 3);
	set(0, IGRPEN1, 0);
	cr_assert_not(irq(0), "ICC_IGRPEN1_EL1");
	set(0, IGRPEN1, 1);
	cr_assert(irq(0));
	gic_redist_write(&gic->device, 0, WAKER, 4, 2);
	cr_assert_not(irq(0), "GICR_WAKER.ProcessorSleep");
	cr_assert_eq(gic_redist_read(&gic->device, 0, WAKER, 4), 6, "ChildrenAsleep follows");
}

/* At EL3 it is the guest that has to wake it, as IHI 0069 has it; below, firmware did. */
Test(gic, redistributors_are_awake_below_el3)
{
	const struct engine_levels levels = host_config.choices.levels;

	for (host_config.choices.levels.start = 1; host_config.choices.levels.start <= 3;
	     host_config.choices.levels.start++) {
		make_gic(CPUS);
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			cr_assert_eq(gic_redist_read(&gic->device, 0,
						     cpu * GIC_REDIST_STRIDE + WAKER, 4),
				     host_config.choices.levels.start == 3 ? 6 : 0, "EL%u",
				     host_config.choices.levels.start);
	}
	host_config.choices.levels = levels;
}

Test(gic, group_0_is_signalled_as_fiq)
{
	dist(0x84, ~2u); /* INTID 33 to Group 0 */
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert(fiq(0));
	cr_assert_not(irq(0));
	cr_assert_eq(get(0, IAR1), GIC_SPURIOUS, "not of Group 1");
	cr_assert_eq(get(0, HPPIR1), GIC_SPURIOUS);
	cr_assert_eq(get(0, HPPIR0), 33);
	cr_assert_eq(get(0, IAR0), 33);
	cr_assert_eq(get(0, AP0R0), 1u << (0xa0 >> 3));
	gic_set_line(&gic->device, 0, 33, false);
	set(0, EOIR1, 33);
	cr_assert_eq(get(0, RPR), 0xa0, "the wrong group's end is ignored");
	set(0, EOIR0, 33);
	cr_assert_eq(get(0, RPR), 0xff);
}

Test(gic, sgi0r_reaches_group_0_only)
{
	set(0, SGI0R, 4u << 24 | 2);
	cr_assert_not(irq(1), "SGI 4 is of Group 1");
	cr_assert_not(fiq(1), "SGI 4 is of Group 1");
	gic_redist_write(&gic->device, 0, SGI_FRAME(1) + 0x80, 4, ~(1u << 4));
	set(0, SGI0R, 4u << 24 | 2);
	cr_assert(fiq(1));
}

Test(gic, active_state_can_be_written)
{
	dist(0x304, 2);
	gic_set_line(&gic->device, 0, 33, true);
	cr_assert_not(irq(0), "active");
	dist(0x384, 2);
	cr_assert(irq(0));
}

Test(gic, accesses_of_unsupported_width_do_nothing)
{
	gic_dist_write(&gic->device, 0, 0x184, 8, UINT64_MAX);
	gic_dist_write(&gic->device, 0, 0x184, 1, 0xff);
	cr_assert_eq(dist_get(0x104), UINT32_MAX);
	cr_assert_eq(gic_dist_read(&gic->device, 0, 0x104, 2), 0);
}

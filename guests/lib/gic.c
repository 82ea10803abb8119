/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3, and what one Security state needs of GICv2: see gic.h. The registers of SGIs and PPIs have
 * the same offsets in GICv2's distributor and in the second frame of GICv3's redistributor.
 */
#include "arch.h"
#include "boot.h"
#include "console.h"
#include "gic.h"
#include "platform.h"

#define GICD_CTLR	  0x0000
#define GICD_CTLR_ENABLE0 (1u << 0)
#define GICD_CTLR_ENABLE1 (1u << 1) /* EnableGrp1NS, or EnableGrp1 with one Security state */
#define GICD_CTLR_ARE	  (1u << 4)
#define GICD_CTLR_ARE_NS  (1u << 5) /* seen from EL3 where there are two Security states */
#define GICD_CTLR_DS	  (1u << 6)
#define GICD_CTLR_RWP	  (1u << 31)
#define GICR_TYPER	  0x0008
#define GICR_TYPER_VLPIS  (1u << 1) /* a GICv4, with two frames more */
#define GICR_TYPER_LAST	  (1u << 4)
#define GICR_WAKER	  0x0014
#define GICR_WAKER_SLEEP  (1u << 1)
#define GICR_WAKER_ASLEEP (1u << 2)
#define GICR_SGI	  0x10000
#define GICR_STRIDE	  0x20000
#define GICR_STRIDE_V4	  0x40000

/* Of SGIs and PPIs: from private_frame(). */
#define PRIVATE_IGROUPR0   0x080
#define PRIVATE_ISENABLER0 0x100
#define PRIVATE_ICENABLER0 0x180
#define PRIVATE_ISPENDR0   0x200
#define PRIVATE_ISACTIVER0 0x300
#define PRIVATE_IPRIORITYR 0x400

/* GICv2 (Arm IHI 0048). Without two Security states all interrupts are in group 0, and IRQs. */
#define GICD_CTLR_V2_ENABLE 1u
#define GICD_SGIR	    0xf00
#define GICC_CTLR	    0x00
#define GICC_CTLR_ENABLE    1u
#define GICC_PMR	    0x04
#define GICC_IAR	    0x0c
#define GICC_EOIR	    0x10

#define ICC_PMR_EL1	S3_0_C4_C6_0
#define ICC_IAR0_EL1	S3_0_C12_C8_0
#define ICC_EOIR0_EL1	S3_0_C12_C8_1
#define ICC_SGI0R_EL1	S3_0_C12_C11_7
#define ICC_IGRPEN0_EL1 S3_0_C12_C12_6
#define ICC_IAR1_EL1	S3_0_C12_C12_0
#define ICC_EOIR1_EL1	S3_0_C12_C12_1
#define ICC_CTLR_EL1	S3_0_C12_C12_4
#define ICC_SRE_EL1	S3_0_C12_C12_5
#define ICC_IGRPEN1_EL1 S3_0_C12_C12_7
#define ICC_SGI1R_EL1	S3_0_C12_C11_5
#define ICC_ASGI1R_EL1	S3_0_C12_C11_6

static volatile uint8_t *distributor;
static struct {
	volatile uint8_t *frames; /* NULL: none, and no more */
	uint64_t size;
} regions[PLATFORM_REGIONS];		/* of redistributors */
static volatile uint8_t *cpu_interface; /* of a GICv2: this CPU's, at the same address for all */
static gic_handler *handlers[32];

static volatile uint32_t *reg32(volatile uint8_t *base, unsigned int offset)
{
	return (volatile uint32_t *)(base + offset);
}

/* This CPU's frame in a region: the one with our affinity. */
static volatile uint8_t *own_frame(volatile uint8_t *frames, uint64_t size, uint32_t affinity)
{
	uint64_t at = 0;

	while (at + GICR_STRIDE <= size) {
		volatile uint8_t *frame = frames + at;
		const uint32_t type = *reg32(frame, GICR_TYPER);

		if (*reg32(frame, GICR_TYPER + 4) == affinity)
			return frame;
		if (type & GICR_TYPER_LAST)
			break;
		at += type & GICR_TYPER_VLPIS ? GICR_STRIDE_V4 : GICR_STRIDE;
	}
	return NULL;
}

static volatile uint8_t *own_redistributor(void)
{
	uint64_t mpidr = read_sysreg(mpidr_el1);
	uint32_t affinity = (uint32_t)(field(mpidr, 39, 32) << 24 | field(mpidr, 23, 0));
	volatile uint8_t *frame = NULL;

	for (unsigned int i = 0; !frame && i < PLATFORM_REGIONS && regions[i].frames; i++)
		frame = own_frame(regions[i].frames, regions[i].size, affinity);
	return frame;
}

static volatile uint8_t *private_frame(void)
{
	volatile uint8_t *frame;

	if (cpu_interface)
		return distributor;
	frame = own_redistributor();
	return frame ? frame + GICR_SGI : NULL;
}

static void init_private(volatile uint8_t *frame)
{
	*reg32(frame, PRIVATE_ICENABLER0) = ~UINT32_C(0);
	for (unsigned int i = 0; i < 32; i += 4)
		*reg32(frame, PRIVATE_IPRIORITYR + i) = GIC_PRIORITY * 0x01010101u;
}

static bool init_cpu_v2(void)
{
	init_private(distributor);
	*reg32(cpu_interface, GICC_PMR) = 0xff;
	*reg32(cpu_interface, GICC_CTLR) = GICC_CTLR_ENABLE;
	dsb();
	return true;
}

bool gic_init_cpu(void)
{
	volatile uint8_t *frame = cpu_interface ? NULL : own_redistributor();

	if (cpu_interface)
		return init_cpu_v2();
	if (!frame)
		return false;
	*reg32(frame, GICR_WAKER) &= ~GICR_WAKER_SLEEP;
	while (*reg32(frame, GICR_WAKER) & GICR_WAKER_ASLEEP)
		;
	init_private(frame + GICR_SGI);
	*reg32(frame + GICR_SGI, PRIVATE_IGROUPR0) = ~UINT32_C(0);

	write_sysreg(ICC_SRE_EL1, read_sysreg(ICC_SRE_EL1) | 1);
	isb();
	write_sysreg(ICC_CTLR_EL1, 0); /* EOImode 0: EOIR deactivates too */
	write_sysreg(ICC_PMR_EL1, 0xff);
	write_sysreg(ICC_IGRPEN1_EL1, 1);
	isb();
	return true;
}

static bool init_v2(const struct platform_gic *gic)
{
	distributor = device_map(gic->base, gic->size);
	cpu_interface = device_map(gic->cpu_base, gic->cpu_size);
	*reg32(distributor, GICD_CTLR) = GICD_CTLR_V2_ENABLE;
	return gic_init_cpu();
}

/* No more frames than CPUs, each in the widest stride: QEMU declares room for 123. */
static void map_regions(const struct platform_gic *gic)
{
	const uint64_t most = (uint64_t)GICR_STRIDE_V4 * platform_cpus();

	for (unsigned int i = 0; i < gic->regions; i++) {
		const uint64_t size = gic->region[i].size;

		regions[i].size = size < most ? size : most;
		regions[i].frames = device_map(gic->region[i].base, regions[i].size);
	}
}

bool gic_init(void)
{
	struct platform_gic gic;

	if (!platform_gic(&gic))
		return false;
	if (gic.version == 2)
		return init_v2(&gic);
	map_regions(&gic);
	distributor = device_map(gic.base, gic.size);
	*reg32(distributor, GICD_CTLR) =
		GICD_CTLR_ARE | GICD_CTLR_ENABLE1 | (boot_info.el == 3 ? GICD_CTLR_ARE_NS : 0);
	while (*reg32(distributor, GICD_CTLR) & GICD_CTLR_RWP)
		;
	return gic_init_cpu();
}

volatile uint32_t *gic_private(void)
{
	return cpu_interface ? NULL : (volatile uint32_t *)private_frame();
}

void gic_forward(bool group0, bool group1)
{
	uint32_t ctlr = *reg32(distributor, GICD_CTLR) & ~(GICD_CTLR_ENABLE0 | GICD_CTLR_ENABLE1);

	if (cpu_interface)
		return;
	*reg32(distributor, GICD_CTLR) =
		ctlr | (group0 ? GICD_CTLR_ENABLE0 : 0) | (group1 ? GICD_CTLR_ENABLE1 : 0);
	while (*reg32(distributor, GICD_CTLR) & GICD_CTLR_RWP)
		;
}

void gic_enable(uint32_t intid, gic_handler *handler)
{
	volatile uint8_t *frame = private_frame();

	if (!frame || intid >= 32)
		panic("INTID %u is not of this CPU", intid);
	handlers[intid] = handler;
	dsb();
	*reg32(frame, handler ? PRIVATE_ISENABLER0 : PRIVATE_ICENABLER0) = UINT32_C(1) << intid;
	dsb();
}

void gic_set_priority(uint32_t intid, uint8_t priority)
{
	volatile uint8_t *frame = private_frame();

	if (!frame || intid >= 32)
		panic("INTID %u is not of this CPU", intid);
	frame[PRIVATE_IPRIORITYR + intid] = priority;
	dsb();
}

bool gic_pending(uint32_t intid)
{
	volatile uint8_t *frame = private_frame();

	dsb();
	return frame && intid < 32 && (*reg32(frame, PRIVATE_ISPENDR0) >> intid & 1);
}

bool gic_active(uint32_t intid)
{
	volatile uint8_t *frame = private_frame();

	dsb();
	return frame && intid < 32 && (*reg32(frame, PRIVATE_ISACTIVER0) >> intid & 1);
}

bool gic_set_group0(uint32_t intid, bool group0)
{
	volatile uint8_t *frame = private_frame();
	uint32_t bit = UINT32_C(1) << intid, groups, ctlr = *reg32(distributor, GICD_CTLR);

	if (!frame || intid >= 32 || cpu_interface)
		return false;
	*reg32(distributor, GICD_CTLR) =
		group0 ? ctlr | GICD_CTLR_ENABLE0 : ctlr & ~GICD_CTLR_ENABLE0;
	write_sysreg(ICC_IGRPEN0_EL1, group0);
	groups = *reg32(frame, PRIVATE_IGROUPR0);
	*reg32(frame, PRIVATE_IGROUPR0) = group0 ? groups & ~bit : groups | bit;
	dsb();
	isb();
	return !(*reg32(frame, PRIVATE_IGROUPR0) & bit) == group0;
}

bool gic_two_states(void)
{
	return !cpu_interface && !(*reg32(distributor, GICD_CTLR) & GICD_CTLR_DS);
}

/* ICC_SGInR_EL1 for the CPU of an MPIDR: its Aff0 is below 16, so no range selector is needed. */
static uint64_t sgi_value(uint32_t intid, uint64_t mpidr)
{
	return field(mpidr, 39, 32) << 48 | field(mpidr, 23, 16) << 32 | field(mpidr, 15, 8) << 16 |
	       (uint64_t)intid << 24 | UINT64_C(1) << field(mpidr, 3, 0);
}

void gic_send_sgi(uint32_t intid, uint64_t mpidr)
{
	uint64_t value = sgi_value(intid, mpidr);

	dsb();
	if (cpu_interface) {
		*reg32(distributor, GICD_SGIR) = UINT32_C(1) << (16 + field(mpidr, 2, 0)) | intid;
		return;
	}
	/* EL3 is Secure, and the interrupts belong to the other Security state. */
	if (boot_info.el == 3 && gic_two_states())
		write_sysreg(ICC_ASGI1R_EL1, value);
	else
		write_sysreg(ICC_SGI1R_EL1, value);
	isb();
}

void gic_send_sgi_group0(uint32_t intid, uint64_t mpidr)
{
	dsb();
	write_sysreg(ICC_SGI0R_EL1, sgi_value(intid, mpidr));
	isb();
}

uint32_t gic_take_group0(void)
{
	uint32_t intid = (uint32_t)read_sysreg(ICC_IAR0_EL1) & 0xffffff;

	if (intid < GIC_SPURIOUS)
		write_sysreg(ICC_EOIR0_EL1, intid);
	isb();
	return intid;
}

/* EOIR needs the value of IAR: for an SGI of a GICv2 it also names the CPU that sent it. */
static uint32_t acknowledge_irq(void)
{
	return cpu_interface ? *reg32(cpu_interface, GICC_IAR)
			     : (uint32_t)read_sysreg(ICC_IAR1_EL1);
}

static void end_interrupt(uint32_t acknowledged)
{
	if (cpu_interface)
		*reg32(cpu_interface, GICC_EOIR) = acknowledged;
	else
		write_sysreg(ICC_EOIR1_EL1, acknowledged);
	isb();
}

enum exc_return gic_dispatch(struct exc_frame *frame)
{
	uint32_t acknowledged = acknowledge_irq();
	uint32_t intid = acknowledged & (cpu_interface ? 0x3ffu : 0xffffffu);
	enum exc_return result = EXC_RETURN;

	if (intid >= GIC_SPURIOUS)
		return result;
	if (intid >= 32 || !handlers[intid])
		panic("interrupt %u, which nobody enabled", intid);
	result = handlers[intid](frame, intid);
	end_interrupt(acknowledged);
	return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GICv3: the memory-mapped registers of the distributor and of the redistributors (IHI 0069, 12.9
 * to 12.11). Both have the same banks with one bit, two bits or one byte for each interrupt. The
 * redistributor's SGI_base frame is the bank of INTIDs 0 to 31.
 */
#include <stddef.h>

#include "arm/affinity.h"
#include "device/gic.h"

#define GICD_CTLR    0x0000
#define GICD_TYPER   0x0004
#define GICD_IIDR    0x0008
#define GICD_IROUTER 0x6000
#define GICR_CTLR    0x0000
#define GICR_IIDR    0x0004
#define GICR_TYPER   0x0008
#define GICR_WAKER   0x0014
#define GIC_ID_REGS  0xffd0

#define GICD_CTLR_ARE	  (1u << 4)
#define GICD_CTLR_DS	  (1u << 6)
#define GICD_TYPER_IDBITS (9u << 19)  /* INTIDs of 10 bits */
#define GICD_TYPER_RSS	  (1u << 26)  /* SGIs to Aff0 up to 255 */
#define GIC_IIDR_VALUE	  0x5600043bu /* product 'V', JEP106 code of Arm: it has this layout */
#define GICR_WAKER_SLEEP  (1u << 1)
#define GICR_WAKER_ASLEEP (1u << 2)
#define GICR_TYPER_LAST	  (UINT64_C(1) << 4)

/* PIDR4 to PIDR7, PIDR0 to PIDR3, CIDR0 to CIDR3; PIDR2.ArchRev says GICv3. */
static const uint8_t gic_ids[12] = {0x44, 0x00, 0x00, 0x00, 0x92, 0xb4,
				    0x3b, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

/* The banks of registers that hold one field for each interrupt. */
enum gic_bank {
	GIC_IGROUPR,
	GIC_ISENABLER,
	GIC_ICENABLER,
	GIC_ISPENDR,
	GIC_ICPENDR,
	GIC_ISACTIVER,
	GIC_ICACTIVER,
	GIC_IPRIORITYR,
	GIC_ICFGR,
};

static const struct {
	uint16_t base, size; /* of the bank in a frame */
	uint8_t bits;	     /* an interrupt */
} gic_banks[] = {
	[GIC_IGROUPR] = {0x080, 0x80, 1},   [GIC_ISENABLER] = {0x100, 0x80, 1},
	[GIC_ICENABLER] = {0x180, 0x80, 1}, [GIC_ISPENDR] = {0x200, 0x80, 1},
	[GIC_ICPENDR] = {0x280, 0x80, 1},   [GIC_ISACTIVER] = {0x300, 0x80, 1},
	[GIC_ICACTIVER] = {0x380, 0x80, 1}, [GIC_IPRIORITYR] = {0x400, 0x400, 8},
	[GIC_ICFGR] = {0xc00, 0x100, 2},
};

#define GIC_BANKS (sizeof(gic_banks) / sizeof(gic_banks[0]))

static uint32_t gic_field_read(const struct gic_irq *irq, enum gic_bank bank)
{
	switch (bank) {
	case GIC_IGROUPR: return irq->group1;
	case GIC_ISENABLER:
	case GIC_ICENABLER: return irq->enabled;
	case GIC_ISPENDR:
	case GIC_ICPENDR: return gic_pending(irq);
	case GIC_ISACTIVER:
	case GIC_ICACTIVER: return irq->active;
	case GIC_IPRIORITYR: return irq->priority;
	case GIC_ICFGR: return irq->edge ? 2 : 0;
	}
	return 0;
}

static void gic_field_write(struct gic_irq *irq, unsigned int intid, enum gic_bank bank,
			    uint32_t value)
{
	bool one = value & 1;

	switch (bank) {
	case GIC_IGROUPR: irq->group1 = one; break;
	case GIC_ISENABLER: irq->enabled |= one; break;
	case GIC_ICENABLER: irq->enabled &= !one; break;
	case GIC_ISPENDR: irq->latch |= one; break;
	case GIC_ICPENDR: irq->latch &= !one; break;
	case GIC_ISACTIVER: irq->active |= one; break;
	case GIC_ICACTIVER: irq->active &= !one; break;
	case GIC_IPRIORITYR: irq->priority = value & GIC_PRIORITY_MASK; break;
	case GIC_ICFGR:
		if (intid >= 16) /* SGIs are always edge-triggered */
			irq->edge = value & 2;
		break;
	}
}

/*
 * An access to the banks. first and end are the INTIDs of the frame: with affinity routing, the
 * distributor's registers of INTIDs 0 to 31 are RES0. Returns true if offset is in a bank.
 */
static bool gic_bank_access(struct gic *gic, unsigned int cpu, unsigned int first, unsigned int end,
			    uint64_t offset, unsigned int bytes, bool write, uint64_t *value)
{
	for (unsigned int bank = 0; bank < GIC_BANKS; bank++) {
		unsigned int bits = gic_banks[bank].bits;
		unsigned int intid;

		if (offset < gic_banks[bank].base ||
		    offset - gic_banks[bank].base >= gic_banks[bank].size)
			continue;
		/* All are accessible as words; priorities also as bytes. */
		if (bytes != 4 && !(bytes == 1 && bits == 8))
			return true;
		intid = (unsigned int)(offset - gic_banks[bank].base) * 8 / bits;
		for (unsigned int i = 0; i < bytes * 8 / bits; i++, intid++) {
			struct gic_irq *irq;

			if (intid < first || intid >= end)
				continue;
			irq = gic_irq(gic, cpu, intid);
			if (write)
				gic_field_write(irq, intid, (enum gic_bank)bank,
						(uint32_t)(*value >> (i * bits)));
			else
				*value |= (uint64_t)gic_field_read(irq, (enum gic_bank)bank)
					  << (i * bits);
		}
		if (write)
			gic_update(gic);
		return true;
	}
	return false;
}

static uint64_t gic_id_read(uint64_t offset)
{
	return (offset & 3) == 0 ? gic_ids[(offset - GIC_ID_REGS) / 4] : 0;
}

/* GICD_IROUTER<n>, of 64 bits, also accessible by halves. NULL for anything else. */
static struct gic_irq *gic_router(struct gic *gic, uint64_t offset, unsigned int bytes)
{
	uint64_t intid = (offset - GICD_IROUTER) / 8;

	if (offset < GICD_IROUTER || bytes < 4 || intid < GIC_PRIVATE || intid >= GIC_INTIDS)
		return NULL;
	return &gic->spi[intid - GIC_PRIVATE];
}

uint64_t gic_dist_read(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes)
{
	struct gic *gic = (struct gic *)device;
	const struct gic_irq *routed = gic_router(gic, offset, bytes);
	uint64_t value = 0;

	if (routed)
		return routed->router >> ((offset & 4) * 8);
	if (gic_bank_access(gic, cpu, GIC_PRIVATE, GIC_INTIDS, offset, bytes, false, &value))
		return value;
	if (bytes != 4)
		return 0;
	if (offset >= GIC_ID_REGS)
		return gic_id_read(offset);
	switch (offset) {
	case GICD_CTLR:
		return GICD_CTLR_DS | GICD_CTLR_ARE | gic->enable[GIC_GROUP0] |
		       (uint32_t)gic->enable[GIC_GROUP1] << 1;
	case GICD_TYPER: return GICD_TYPER_RSS | GICD_TYPER_IDBITS | (GIC_INTIDS / 32 - 1);
	case GICD_IIDR: return GIC_IIDR_VALUE;
	default: return 0;
	}
}

void gic_dist_write(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		    uint64_t value)
{
	struct gic *gic = (struct gic *)device;
	struct gic_irq *routed = gic_router(gic, offset, bytes);

	if (routed) {
		uint64_t mask = (bytes == 8 ? UINT64_MAX : UINT64_C(0xffffffff))
				<< ((offset & 4) * 8);

		routed->router = ((routed->router & ~mask) | (value << ((offset & 4) * 8) & mask)) &
				 GIC_ROUTER_VALID;
		gic_update(gic);
		return;
	}
	if (gic_bank_access(gic, cpu, GIC_PRIVATE, GIC_INTIDS, offset, bytes, true, &value))
		return;
	if (offset == GICD_CTLR && bytes == 4) {
		gic->enable[GIC_GROUP0] = value & 1;
		gic->enable[GIC_GROUP1] = value & 2;
		gic_update(gic);
	}
}

static uint64_t gicr_typer(const struct gic *gic, unsigned int cpu)
{
	/* Affinity_Value [63:32], Processor_Number [23:8]. */
	return arm_affinity(cpu) << 32 | (uint64_t)cpu << 8 |
	       (cpu == gic->cpus - 1 ? GICR_TYPER_LAST : 0);
}

uint64_t gic_redist_read(struct device *device, unsigned int cpu, uint64_t offset,
			 unsigned int bytes)
{
	struct gic *gic = (struct gic *)device;
	unsigned int owner = (unsigned int)(offset / GIC_REDIST_STRIDE);
	uint64_t value = 0;

	(void)cpu;
	offset %= GIC_REDIST_STRIDE;
	if (offset >= GIC_DIST_SIZE) {
		gic_bank_access(gic, owner, 0, GIC_PRIVATE, offset - GIC_DIST_SIZE, bytes, false,
				&value);
		return value;
	}
	if (offset == GICR_TYPER && bytes == 8)
		return gicr_typer(gic, owner);
	if (bytes != 4)
		return 0;
	if (offset >= GIC_ID_REGS)
		return gic_id_read(offset);
	switch (offset) {
	case GICR_IIDR: return GIC_IIDR_VALUE;
	case GICR_TYPER: return gicr_typer(gic, owner);
	case GICR_TYPER + 4: return gicr_typer(gic, owner) >> 32;
	case GICR_WAKER: return gic->cpu[owner].asleep ? GICR_WAKER_SLEEP | GICR_WAKER_ASLEEP : 0;
	default: return 0;
	}
}

void gic_redist_write(struct device *device, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value)
{
	struct gic *gic = (struct gic *)device;
	unsigned int owner = (unsigned int)(offset / GIC_REDIST_STRIDE);

	(void)cpu;
	offset %= GIC_REDIST_STRIDE;
	if (offset >= GIC_DIST_SIZE) {
		gic_bank_access(gic, owner, 0, GIC_PRIVATE, offset - GIC_DIST_SIZE, bytes, true,
				&value);
	} else if (offset == GICR_WAKER && bytes == 4) {
		gic->cpu[owner].asleep = value & GICR_WAKER_SLEEP;
		gic_update(gic);
	}
}

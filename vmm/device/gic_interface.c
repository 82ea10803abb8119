/* SPDX-License-Identifier: BSD-2-Clause */
/* GICv3: the priorities of a CPU interface and their registers: see gic_interface.h. */
#include <string.h>

#include "device/gic_interface.h"

void gic_interface_reset(struct gic_interface *iface)
{
	memset(iface, 0, sizeof(*iface));
	iface->bpr[GIC_GROUP0] = gic_binary_point(GIC_GROUP0, 0);
	iface->bpr[GIC_GROUP1] = gic_binary_point(GIC_GROUP1, 0);
}

/*
 * Binary point n of Group 0 leaves bits [7:n+1]. That of Group 1 leaves [7:n], as it is a
 * Non-secure one. ICC_CTLR_EL1.CBPR makes both use ICC_BPR0_EL1.
 */
static uint8_t gic_group_mask(const struct gic_interface *iface, enum gic_group group)
{
	unsigned int shift = group == GIC_GROUP0 || iface->cbpr ? iface->bpr[GIC_GROUP0] + 1u
								: iface->bpr[GIC_GROUP1];

	return (uint8_t)(0xffu << shift);
}

uint8_t gic_group_priority(const struct gic_interface *iface, enum gic_group group,
			   uint8_t priority)
{
	return priority & gic_group_mask(iface, group);
}

uint8_t gic_running_priority(const struct gic_interface *iface)
{
	uint32_t active = iface->active[GIC_GROUP0] | iface->active[GIC_GROUP1];

	return active ? (uint8_t)((unsigned int)__builtin_ctz(active) << (8 - GIC_PRIORITY_BITS))
		      : GIC_PRIORITY_IDLE;
}

bool gic_preempts(const struct gic_interface *iface, enum gic_group group, uint8_t priority)
{
	uint8_t running = gic_running_priority(iface);

	if (!iface->enable[group] || priority >= iface->pmr)
		return false;
	return running == GIC_PRIORITY_IDLE || gic_group_priority(iface, group, priority) <
						       gic_group_priority(iface, group, running);
}

void gic_raise_priority(struct gic_interface *iface, enum gic_group group, uint8_t priority)
{
	iface->active[group] |= UINT32_C(1) << (gic_group_priority(iface, group, priority) >>
						(8 - GIC_PRIORITY_BITS));
}

uint8_t gic_drop_priority(struct gic_interface *iface, enum gic_group group)
{
	uint32_t mine = iface->active[group];
	uint32_t other = iface->active[group == GIC_GROUP0 ? GIC_GROUP1 : GIC_GROUP0];
	uint8_t running = gic_running_priority(iface);

	if (!mine || (other && __builtin_ctz(other) < __builtin_ctz(mine)))
		return GIC_PRIORITY_IDLE;
	iface->active[group] = mine & (mine - 1);
	return running;
}

uint8_t gic_binary_point(enum gic_group group, uint64_t value)
{
	uint8_t minimum = 7 - GIC_PRIORITY_BITS + (group == GIC_GROUP1);

	return (value & 7) < minimum ? minimum : (uint8_t)(value & 7);
}

static uint8_t gic_bpr1(const struct gic_interface *iface)
{
	if (!iface->cbpr)
		return iface->bpr[GIC_GROUP1];
	return iface->bpr[GIC_GROUP0] < 7 ? iface->bpr[GIC_GROUP0] + 1 : 7;
}

bool gic_interface_read(const struct gic_interface *iface, uint32_t encoding, uint64_t *value)
{
	switch (encoding) {
	case ICC_PMR: *value = iface->pmr; break;
	case ICC_BPR0: *value = iface->bpr[GIC_GROUP0]; break;
	case ICC_BPR1: *value = gic_bpr1(iface); break;
	case ICC_AP0R0: *value = iface->active[GIC_GROUP0]; break;
	case ICC_AP1R0: *value = iface->active[GIC_GROUP1]; break;
	case ICC_RPR: *value = gic_running_priority(iface); break;
	case ICC_CTLR:
		*value = ICC_CTLR_EL1_RSS | ICC_CTLR_PRIBITS |
			 (iface->cbpr ? ICC_CTLR_EL1_CBPR : 0) |
			 (iface->eoimode ? ICC_CTLR_EL1_EOImode : 0);
		break;
	case ICC_IGRPEN0: *value = iface->enable[GIC_GROUP0]; break;
	case ICC_IGRPEN1: *value = iface->enable[GIC_GROUP1]; break;
	default: return false;
	}
	return true;
}

bool gic_interface_write(struct gic_interface *iface, uint32_t encoding, uint64_t value)
{
	switch (encoding) {
	case ICC_PMR: iface->pmr = value & GIC_PRIORITY_MASK; break;
	case ICC_BPR0: iface->bpr[GIC_GROUP0] = gic_binary_point(GIC_GROUP0, value); break;
	case ICC_BPR1:
		if (!iface->cbpr)
			iface->bpr[GIC_GROUP1] = gic_binary_point(GIC_GROUP1, value);
		break;
	case ICC_AP0R0: iface->active[GIC_GROUP0] = (uint32_t)value; break;
	case ICC_AP1R0: iface->active[GIC_GROUP1] = (uint32_t)value; break;
	case ICC_CTLR:
		iface->cbpr = value & ICC_CTLR_EL1_CBPR;
		iface->eoimode = value & ICC_CTLR_EL1_EOImode;
		break;
	case ICC_IGRPEN0: iface->enable[GIC_GROUP0] = value & 1; break;
	case ICC_IGRPEN1: iface->enable[GIC_GROUP1] = value & 1; break;
	default: return false;
	}
	return true;
}

void gic_interface_state(struct gic_interface *iface, struct state *state)
{
	STATE_FIELD(state, iface->cbpr);
	STATE_FIELD(state, iface->eoimode);
	STATE_ARRAY(state, iface->enable);
	STATE_FIELD(state, iface->pmr);
	STATE_ARRAY(state, iface->bpr);
	STATE_ARRAY(state, iface->active);
	if (iface->pmr & ~GIC_PRIORITY_MASK)
		state_refuse(state, "PMR of 0x%x", iface->pmr);
	for (unsigned int group = 0; group < GIC_GROUPS; group++)
		if (iface->bpr[group] != gic_binary_point((enum gic_group)group, iface->bpr[group]))
			state_refuse(state, "BPR%u of %u", group, iface->bpr[group]);
}

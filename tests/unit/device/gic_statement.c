/* SPDX-License-Identifier: BSD-2-Clause */
/* A second model of a GICv3's CPU interfaces: see gic_statement.h. */
#include "gic_statement.h"

#define LEVELS	  32 /* of priority, each 8 of them */
#define LPIS_FROM 8192

static bool special(unsigned int intid)
{
	return intid >= 1020 && intid < 1024;
}

/*
 * The group priority of a priority (4.8.2). The binary point gives the number of lowest bits that
 * are subpriority. Group 1's is one more than Group 0's for the same split.
 */
static unsigned int group_priority(const struct stated *s, unsigned int group,
				   unsigned int priority)
{
	const unsigned int subpriority =
		group == 1 && !s->iface.cbpr ? s->iface.bpr[1] : s->iface.bpr[0] + 1;

	return priority / (1u << subpriority) * (1u << subpriority);
}

/*
 * The highest priority pending interrupt (4.7.2, 4.8.4): inactive, forwarded, and of a group that
 * the CPU interface enables. Of equal ones, that with the lowest INTID, or the first list register.
 */
static const struct stated_irq *highest(const struct stated *s)
{
	const struct stated_irq *found = 0;

	for (unsigned int priority = 0; priority < 0x100 && !found; priority++)
		for (unsigned int i = 0; i < s->irqs; i++) {
			const struct stated_irq *irq = &s->irq[i];

			if (irq->priority != priority || !irq->pending || irq->active ||
			    !irq->forwarded || !s->iface.enable[irq->group])
				continue;
			if (!found || (!s->virt && irq->intid < found->intid))
				found = irq;
		}
	return found;
}

/* The highest active level of a group, or LEVELS. */
static unsigned int top(uint32_t active)
{
	for (unsigned int level = 0; level < LEVELS; level++)
		if (active & UINT32_C(1) << level)
			return level;
	return LEVELS;
}

unsigned int stated_running(const struct stated *s)
{
	const unsigned int a = top(s->iface.active[0]), b = top(s->iface.active[1]);
	const unsigned int level = a < b ? a : b;

	return level == LEVELS ? STATED_IDLE : level * 8;
}

/* 4.8.6: higher than the mask, and of a higher group priority than the running one. */
static const struct stated_irq *signalled(const struct stated *s)
{
	const struct stated_irq *irq = highest(s);
	const unsigned int running = stated_running(s);

	if (!irq || !s->on || irq->priority >= s->iface.pmr)
		return 0;
	if (running != STATED_IDLE &&
	    group_priority(s, irq->group, irq->priority) >= group_priority(s, irq->group, running))
		return 0;
	return irq;
}

unsigned int stated_signal(const struct stated *s)
{
	const struct stated_irq *irq = signalled(s);

	return irq ? 1 + irq->group : 0;
}

unsigned int stated_pending(const struct stated *s, unsigned int group)
{
	const struct stated_irq *irq = highest(s);

	return irq && irq->group == group ? irq->intid : STATED_NONE;
}

unsigned int stated_binary_point(const struct stated *s, unsigned int group)
{
	if (group == 0 || !s->iface.cbpr)
		return s->iface.bpr[group];
	return s->iface.bpr[0] == 7 ? 7 : s->iface.bpr[0] + 1;
}

/* With 5 bits that preempt, Group 0 has at least 3 bits of subpriority. */
void stated_set_binary_point(struct stated *s, unsigned int group, unsigned int value)
{
	const unsigned int least = group ? 3 : 2;

	if (group == 1 && s->iface.cbpr)
		return;
	value %= 8;
	s->iface.bpr[group] = value > least ? value : least;
}

unsigned int stated_acknowledge(struct stated *s, unsigned int group)
{
	struct stated_irq *irq = (struct stated_irq *)signalled(s);

	if (!irq || irq->group != group)
		return STATED_NONE;
	irq->pending = false;
	if (special(irq->intid)) /* of a list register alone: it is invalid now */
		return irq->intid;
	irq->active = true;
	s->iface.active[group] |= UINT32_C(1) << group_priority(s, group, irq->priority) / 8;
	return irq->intid;
}

static struct stated_irq *find(struct stated *s, unsigned int intid, bool only_active)
{
	for (unsigned int i = 0; i < s->irqs; i++)
		if (s->irq[i].intid == intid && (s->irq[i].active || !only_active))
			return &s->irq[i];
	return 0;
}

static void make_inactive(struct stated *s, struct stated_irq *irq)
{
	irq->active = false;
	if (irq->hardware)
		s->deactivated = irq->physical;
}

/*
 * A drop is of the running priority, which must be of the group that the register names. What does
 * not fit is UNPREDICTABLE, and ignored entirely (MACHINE-22).
 */
static bool drop(struct stated *s, unsigned int group, unsigned int *dropped)
{
	const unsigned int mine = top(s->iface.active[group]), other = top(s->iface.active[!group]);

	if (mine == LEVELS || other < mine)
		return false;
	*dropped = mine * 8;
	s->iface.active[group] -= UINT32_C(1) << mine;
	return true;
}

void stated_end(struct stated *s, unsigned int group, unsigned int intid)
{
	struct stated_irq *irq = find(s, intid, s->virt);
	const bool lpi = intid >= LPIS_FROM;
	unsigned int dropped;

	if (special(intid))
		return;
	if (!s->virt) {
		if (irq && irq->group == group && drop(s, group, &dropped) && !s->iface.eoimode)
			make_inactive(s, irq);
		return;
	}
	if (!drop(s, group, &dropped) || (s->iface.eoimode && !lpi))
		return;
	if (!irq) {
		if (!lpi)
			s->ends = (s->ends + 1) % 32;
		return;
	}
	if (irq->group == group && group_priority(s, group, irq->priority) == dropped)
		make_inactive(s, irq);
}

void stated_deactivate(struct stated *s, unsigned int intid)
{
	struct stated_irq *irq = find(s, intid, s->virt);

	if (!s->iface.eoimode || special(intid) || intid >= LPIS_FROM)
		return;
	if (irq)
		make_inactive(s, irq);
	else if (s->virt)
		s->ends = (s->ends + 1) % 32;
}

unsigned int stated_eisr(const struct stated *s)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < s->irqs; i++)
		if (!s->irq[i].pending && !s->irq[i].active && !s->irq[i].hardware &&
		    s->irq[i].tells)
			bits |= 1u << i;
	return bits;
}

unsigned int stated_elrsr(const struct stated *s)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < s->irqs; i++)
		if (!s->irq[i].pending && !s->irq[i].active)
			bits |= 1u << i;
	return bits & ~stated_eisr(s);
}

unsigned int stated_misr(const struct stated *s, unsigned int hcr)
{
	unsigned int valid = 0, waiting = 0, bits;

	for (unsigned int i = 0; i < s->irqs; i++) {
		valid += s->irq[i].pending || s->irq[i].active;
		waiting += s->irq[i].pending && !s->irq[i].active;
	}
	/* In the order of ICH_HCR_EL2's enables, from UIE on: U, LRENP, NP and the groups. */
	bits = (valid < 2) << 1 | (s->ends != 0) << 2 | (waiting == 0) << 3 |
	       s->iface.enable[0] << 4 | !s->iface.enable[0] << 5 | s->iface.enable[1] << 6 |
	       !s->iface.enable[1] << 7;
	return (bits & hcr & 0xfe) | (stated_eisr(s) != 0);
}

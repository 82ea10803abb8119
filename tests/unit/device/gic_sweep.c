/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GIC against the second statement of its CPU interfaces, gic_statement.h: every combination of
 * a few interrupts' states, groups and priorities with enables, masks, binary points and active
 * priorities. What a case asks of the GIC goes through its system registers.
 */
#include <stdio.h>
#include <string.h>

#include "../compare.h"
#include "engine.h"
#include "device/gic.h"
#include "device_fixture.h"
#include "gic_statement.h"

static struct gic *gic;
static uint32_t view; /* ored to encodings: the physical interface's or the virtual one's */
static unsigned long cases;

static void setup(void)
{
	gic = (struct gic *)make_device(&device_gic, 1);
	gic->cpu[0].asleep = false;
	view = 0;
	cases = 0;
}

TestSuite(gic_sweep, .init = setup);

static uint64_t get(uint32_t reg)
{
	uint64_t value = 0;

	cr_assert(gic_sysreg_read(&gic->device, 0, reg | view, &value), "%x", reg);
	return value;
}

static void set(uint32_t reg, uint64_t value)
{
	cr_assert(gic_sysreg_write(&gic->device, 0, reg | view, value), "%x", reg);
}

/* A split of priorities; a state of active priorities. */
static const struct {
	unsigned int bpr[2];
	bool cbpr;
} splits[] = {{{2, 3}, false}, {{5, 3}, false}, {{2, 6}, false},
	      {{5, 3}, true},  {{7, 7}, true},	{{7, 7}, false}};

static const uint32_t running[][2] = {
	{0, 0}, {1u << 8, 0}, {0, 1u << 8}, {1u << 9, 1u << 31}, {0, 1u << 0}, {1u << 31, 1u << 9}};
static const unsigned int priorities[] = {0x00, 0x40, 0x48, 0xf8};
static const unsigned int masks[] = {0x00, 0x48, 0xf8};

/* The n-th state of an interrupt or list register: how many there are. */
#define STATES (5 * 2 * ARRAY_SIZE(priorities))

static void state_irq(struct stated_irq *irq, unsigned int n)
{
	static const struct {
		bool pending, active, forwarded;
	} states[5] = {{false, false, true},
		       {true, false, false},
		       {true, false, true},
		       {false, true, true},
		       {true, true, true}};
	const unsigned int state = n % 5;

	irq->pending = states[state].pending;
	irq->active = states[state].active;
	irq->forwarded = states[state].forwarded;
	irq->group = n / 5 % 2;
	irq->priority = priorities[n / 10];
}

/* Make the GIC what the statement says. */
static void put_interface(struct gic_interface *to, const struct stated_interface *from)
{
	to->pmr = (uint8_t)from->pmr;
	to->cbpr = from->cbpr;
	to->eoimode = from->eoimode;
	for (unsigned int group = 0; group < 2; group++) {
		to->bpr[group] = (uint8_t)from->bpr[group];
		to->enable[group] = from->enable[group];
		to->active[group] = from->active[group];
	}
}

/* By turns an interrupt that is not forwarded is disabled, or its group is. */
static void put_physical(const struct stated *s)
{
	const unsigned int turn = cases & 1;

	gic->enable[0] = gic->enable[1] = true;
	for (unsigned int i = 0; i < s->irqs; i++) {
		const struct stated_irq *from = &s->irq[i];
		struct gic_irq *irq = gic_irq(gic, 0, from->intid);
		bool alone = true;

		for (unsigned int other = 0; other < s->irqs; other++)
			alone &= s->irq[other].group != from->group || !s->irq[other].forwarded;
		irq->enabled = from->forwarded || (turn && alone);
		if (!from->forwarded && turn && alone)
			gic->enable[from->group] = false;
		irq->latch = from->pending;
		irq->active = from->active;
		irq->edge = true;
		irq->group1 = from->group;
		irq->priority = (uint8_t)from->priority;
	}
	put_interface(&gic->cpu[0].iface, &s->iface);
}

static uint64_t list_register(const struct stated_irq *irq)
{
	return (uint64_t)irq->pending << 62 | (uint64_t)irq->active << 63 |
	       (uint64_t)irq->hardware << 61 | (uint64_t)irq->group << 60 |
	       (uint64_t)irq->priority << 48 |
	       (uint64_t)(irq->hardware ? irq->physical : (unsigned int)irq->tells << 9) << 32 |
	       irq->intid;
}

static void put_virtual(const struct stated *s, unsigned int hcr)
{
	struct gic_virtual *virt = &gic->cpu[0].virt;

	for (unsigned int i = 0; i < s->irqs; i++)
		virt->lr[i] = list_register(&s->irq[i]);
	virt->hcr = hcr | s->on | s->ends << 27;
	put_interface(&virt->iface, &s->iface);
	for (unsigned int i = 0; i < GIC_PRIVATE; i++)
		gic->cpu[0].irq[i].active = true;
}

static void put(const struct stated *s)
{
	cases++;
	if (s->virt)
		put_virtual(s, 0);
	else
		put_physical(s);
	gic_update(gic);
}

/* Where a case went wrong. */
static const char *described(const struct stated *s)
{
	static char text[512];
	size_t at = 0;

	at += (size_t)snprintf(
		text, sizeof(text),
		"PMR 0x%x, BPR %u %u, CBPR %d, EOImode %d, IGRPEN %d %d, AP 0x%x 0x%x",
		s->iface.pmr, s->iface.bpr[0], s->iface.bpr[1], s->iface.cbpr, s->iface.eoimode,
		s->iface.enable[0], s->iface.enable[1], s->iface.active[0], s->iface.active[1]);
	for (unsigned int i = 0; i < s->irqs; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "; %u: Group %u, 0x%x%s%s%s", s->irq[i].intid,
			s->irq[i].group, s->irq[i].priority, s->irq[i].pending ? " pending" : "",
			s->irq[i].active ? " active" : "", s->irq[i].forwarded ? "" : " disabled");
	return text;
}

static void same_interface(const struct stated *before, const struct stated *s, const char *what)
{
	cr_assert_eq(get(ICC_AP0R0), s->iface.active[0], "%s: AP0R0 0x%llx, not 0x%x (%s)", what,
		     (unsigned long long)get(ICC_AP0R0), s->iface.active[0], described(before));
	cr_assert_eq(get(ICC_AP1R0), s->iface.active[1], "%s: AP1R0 0x%llx, not 0x%x (%s)", what,
		     (unsigned long long)get(ICC_AP1R0), s->iface.active[1], described(before));
}

static void same_interrupts(const struct stated *before, const struct stated *s, const char *what)
{
	for (unsigned int i = 0; i < s->irqs; i++) {
		const struct gic_irq *irq = s->virt ? NULL : gic_irq(gic, 0, s->irq[i].intid);

		if (s->virt)
			cr_assert_eq(gic->cpu[0].virt.lr[i], list_register(&s->irq[i]),
				     "%s: ICH_LR%u_EL2 0x%llx, not 0x%llx (%s)", what, i,
				     (unsigned long long)gic->cpu[0].virt.lr[i],
				     (unsigned long long)list_register(&s->irq[i]),
				     described(before));
		else {
			cr_assert_eq(irq->latch, s->irq[i].pending,
				     "%s: INTID %u pending %d, active %d (%s)", what,
				     s->irq[i].intid, irq->latch, irq->active, described(before));
			cr_assert_eq(irq->active, s->irq[i].active,
				     "%s: INTID %u pending %d, active %d (%s)", what,
				     s->irq[i].intid, irq->latch, irq->active, described(before));
		}
	}
}

/* The outputs and all that can be read without an effect. */
static void same_view(const struct stated *before, const struct stated *s, const char *what)
{
	const bool *output = gic->cpu[0].output;
	const unsigned int fiq = s->virt ? output[DEVICE_VFIQ] : output[DEVICE_FIQ],
			   irq = s->virt ? output[DEVICE_VIRQ] : output[DEVICE_IRQ];

	cr_assert_eq(fiq | irq << 1, stated_signal(s), "%s: FIQ %u, IRQ %u (%s)", what, fiq, irq,
		     described(before));
	for (unsigned int group = 0; group < 2; group++) {
		const uint64_t hppir = get(group ? ICC_HPPIR1 : ICC_HPPIR0);

		cr_assert_eq(hppir, stated_pending(s, group), "%s: HPPIR%u %llu, not %u (%s)", what,
			     group, (unsigned long long)hppir, stated_pending(s, group),
			     described(before));
	}
	cr_assert_eq(get(ICC_RPR), stated_running(s), "%s: RPR 0x%llx (%s)", what,
		     (unsigned long long)get(ICC_RPR), described(before));
}

static void try_acknowledge(const struct stated *s, unsigned int group)
{
	struct stated after = *s;
	const char *what = group ? "IAR1" : "IAR0";
	const unsigned int want = stated_acknowledge(&after, group);
	uint64_t got;

	put(s);
	got = get(group ? ICC_IAR1 : ICC_IAR0);
	cr_assert_eq(got, want, "%s: %llu, not %u (%s)", what, (unsigned long long)got, want,
		     described(s));
	/* If it was none, nothing has changed. */
	if (want == STATED_NONE)
		return;
	same_interface(s, &after, what);
	same_interrupts(s, &after, what);
	same_view(s, &after, what);
}

/* One state of two interrupts, with everything of the interface. */
static void sweep_interface(struct stated *s)
{
	for (unsigned int n = 0;
	     n < 4 * ARRAY_SIZE(masks) * ARRAY_SIZE(splits) * ARRAY_SIZE(running); n++) {
		const unsigned int split = n / 4 / ARRAY_SIZE(masks) % ARRAY_SIZE(splits),
				   run = n / 4 / ARRAY_SIZE(masks) / ARRAY_SIZE(splits);

		s->iface.enable[0] = n & 1;
		s->iface.enable[1] = n >> 1 & 1;
		s->iface.pmr = masks[n / 4 % ARRAY_SIZE(masks)];
		s->iface.cbpr = splits[split].cbpr;
		memcpy(s->iface.bpr, splits[split].bpr, sizeof(s->iface.bpr));
		memcpy(s->iface.active, running[run], sizeof(s->iface.active));
		put(s);
		same_view(s, s, "at first");
		try_acknowledge(s, 0);
		try_acknowledge(s, 1);
	}
}

static void sweep_interrupts(bool virt, unsigned int one, unsigned int other)
{
	struct stated s = {.virt = virt, .on = true, .irqs = 2, .deactivated = STATED_NONE};

	s.irq[0].intid = one;
	s.irq[1].intid = other;
	for (unsigned int i = 0; i < STATES; i++)
		for (unsigned int j = 0; j < STATES; j++) {
			state_irq(&s.irq[0], i);
			state_irq(&s.irq[1], j);
			/* All that list registers have is forwarded. */
			if (virt && (!s.irq[0].forwarded || !s.irq[1].forwarded))
				continue;
			sweep_interface(&s);
		}
	cr_log_info("%lu cases", cases);
}

/* HPPIR, IAR, RPR and what is signalled. */
Test(gic_sweep, what_the_physical_interface_takes, .timeout = 600)
{
	sweep_interrupts(false, 9, 40);
}

Test(gic_sweep, what_the_virtual_interface_takes, .timeout = 600)
{
	view = ENGINE_SYSREG_VIRTUAL;
	sweep_interrupts(true, 40, 9);
}

/* INTIDs of list registers that are special, and that LPIs have. */
Test(gic_sweep, what_the_virtual_interface_takes_of_odd_numbers, .timeout = 600)
{
	view = ENGINE_SYSREG_VIRTUAL;
	sweep_interrupts(true, 1021, 8192);
}

/* Off, a virtual interface signals and acknowledges nothing, but tells. */
Test(gic_sweep, a_virtual_interface_that_is_off)
{
	struct stated s = {.virt = true, .irqs = 2, .deactivated = STATED_NONE};

	view = ENGINE_SYSREG_VIRTUAL;
	s.irq[0].intid = 40;
	s.irq[1].intid = 41;
	for (unsigned int i = 0; i < STATES; i++) {
		state_irq(&s.irq[0], i);
		state_irq(&s.irq[1], STATES - 1 - i);
		if (s.irq[0].forwarded && s.irq[1].forwarded)
			sweep_interface(&s);
	}
}

/* Ends: EOIR0, EOIR1 and DIR. */
static void try_end(const struct stated *s, unsigned int which, unsigned int intid)
{
	static const char *const names[3] = {"EOIR0", "EOIR1", "DIR"};
	static const uint32_t registers[3] = {ICC_EOIR0, ICC_EOIR1, ICC_DIR};
	struct stated after = *s;

	put(s);
	set(registers[which], intid);
	if (which == 2)
		stated_deactivate(&after, intid);
	else
		stated_end(&after, which, intid);
	same_interface(s, &after, names[which]);
	same_interrupts(s, &after, names[which]);
	same_view(s, &after, names[which]);
	if (!s->virt)
		return;
	cr_assert_eq(gic->cpu[0].virt.hcr >> 27, after.ends, "%s of %u: EOIcount %u, not %u (%s)",
		     names[which], intid, gic->cpu[0].virt.hcr >> 27, after.ends, described(s));
	for (unsigned int n = 0; n < GIC_PRIVATE; n++)
		cr_assert_eq(gic->cpu[0].irq[n].active, n != after.deactivated,
			     "%s of %u: INTID %u (%s)", names[which], intid, n, described(s));
}

static void sweep_ends(struct stated *s, const unsigned int *intids, size_t count)
{
	static const uint32_t levels[] = {0,	   1u << 8, 1u << 9, 1u << 8 | 1u << 9,
					  1u << 0, 1u << 31};

	for (unsigned int n = 0;
	     n < ARRAY_SIZE(levels) * ARRAY_SIZE(levels) * ARRAY_SIZE(splits) * 2; n++) {
		const unsigned int split = n / 2 % ARRAY_SIZE(splits),
				   run = n / 2 / ARRAY_SIZE(splits);

		s->iface.eoimode = n & 1;
		s->iface.cbpr = splits[split].cbpr;
		memcpy(s->iface.bpr, splits[split].bpr, sizeof(s->iface.bpr));
		s->iface.active[0] = levels[run % ARRAY_SIZE(levels)];
		s->iface.active[1] = levels[run / ARRAY_SIZE(levels)];
		/* The same level in both groups cannot be, and does not say which one runs. */
		if (s->iface.active[0] & s->iface.active[1])
			continue;
		for (unsigned int which = 0; which < 3; which++)
			for (size_t i = 0; i < count; i++)
				try_end(s, which, intids[i]);
	}
}

Test(gic_sweep, ends_of_physical_interrupts, .timeout = 600)
{
	static const unsigned int intids[] = {9, 10, 40, 96, 1019, 1020, 1023, 8192, 0xffffff};
	struct stated s = {.on = true, .irqs = 2, .deactivated = STATED_NONE};

	s.iface.pmr = 0xf8;
	s.iface.enable[0] = s.iface.enable[1] = true;
	s.irq[0].intid = 9;
	s.irq[1].intid = 40;
	/* Not 10, which is not stated: nothing is known of it but that it is inactive. */
	for (unsigned int i = 0; i < STATES; i++) {
		state_irq(&s.irq[0], i);
		state_irq(&s.irq[1], (i + 13) % STATES);
		for (size_t n = 0; n < ARRAY_SIZE(intids); n++)
			if (intids[n] != 10)
				sweep_ends(&s, &intids[n], 1);
	}
}

Test(gic_sweep, ends_of_virtual_interrupts, .timeout = 600)
{
	static const unsigned int intids[] = {9, 40, 41, 1019, 1020, 1023, 8192, 8193};
	struct stated s = {.virt = true, .on = true, .irqs = 3, .deactivated = STATED_NONE};

	view = ENGINE_SYSREG_VIRTUAL;
	s.iface.pmr = 0xf8;
	s.iface.enable[0] = s.iface.enable[1] = true;
	s.irq[0].intid = 9;
	s.irq[1].intid = 40;
	s.irq[2].intid = 8192;
	for (unsigned int i = 0; i < STATES; i++) {
		state_irq(&s.irq[0], i);
		state_irq(&s.irq[1], (i + 13) % STATES);
		state_irq(&s.irq[2], (i + 26) % STATES);
		s.irq[1].hardware = i & 1;
		s.irq[1].physical = 27;
		s.irq[0].tells = i >> 1 & 1;
		s.ends = i & 4 ? 31 : 0;
		if (s.irq[0].forwarded && s.irq[1].forwarded && s.irq[2].forwarded)
			sweep_ends(&s, intids, ARRAY_SIZE(intids));
	}
}

/* Every write to the binary points, with and without a common one. */
Test(gic_sweep, binary_points)
{
	for (unsigned int n = 0; n < 2 * 2 * 2 * 8 * 8 * 16; n++) {
		const unsigned int group = n >> 1 & 1, value = n >> 9;
		struct stated s = {.virt = n >> 2 & 1, .on = true, .deactivated = STATED_NONE};

		view = s.virt ? ENGINE_SYSREG_VIRTUAL : 0;
		s.iface.cbpr = n & 1;
		stated_set_binary_point(&s, 0, n >> 3 & 7);
		s.iface.cbpr = false;
		stated_set_binary_point(&s, 1, n >> 6 & 7);
		s.iface.cbpr = n & 1;
		put(&s);
		set(group ? ICC_BPR1 : ICC_BPR0, value);
		stated_set_binary_point(&s, group, value);
		for (unsigned int i = 0; i < 2; i++)
			cr_assert_eq(get(i ? ICC_BPR1 : ICC_BPR0), stated_binary_point(&s, i),
				     "BPR%u after %u to BPR%u (%s)", i, value, group,
				     described(&s));
		s.iface.cbpr = false;
		set(ICC_CTLR, 0);
		cr_assert_eq(get(ICC_BPR1), stated_binary_point(&s, 1), "%s", described(&s));
	}
}

/* What list registers and the groups say of themselves. */
Test(gic_sweep, maintenance)
{
	struct gic_virtual *virt = &gic->cpu[0].virt;

	view = ENGINE_SYSREG_VIRTUAL;
	for (unsigned int n = 0; n < 16 * 16 * 16; n++) {
		struct stated s = {.virt = true, .irqs = GIC_LIST_REGISTERS};

		for (unsigned int i = 0; i < 3; i++) {
			const unsigned int bits = n >> 4 * i & 15;

			s.irq[i].intid = 40 + i;
			s.irq[i].pending = bits & 1;
			s.irq[i].active = bits >> 1 & 1;
			s.irq[i].hardware = bits >> 2 & 1;
			s.irq[i].tells = bits >> 3 && !s.irq[i].hardware;
			s.irq[i].physical = 27;
		}
		for (unsigned int k = 0; k < 8; k++) {
			const unsigned int hcr = n * 37 % 256 & ~1u;

			s.on = k & 1;
			s.iface.enable[0] = k >> 1 & 1;
			s.iface.enable[1] = k >> 2 & 1;
			s.ends = n % 3;
			put_virtual(&s, hcr);
			gic_update(gic);
			view = 0;
			cr_assert_eq(get(SYSREG_ENCODING(3, 4, 12, 11, 3)), stated_eisr(&s));
			cr_assert_eq(get(SYSREG_ENCODING(3, 4, 12, 11, 5)), stated_elrsr(&s));
			cr_assert_eq(get(SYSREG_ENCODING(3, 4, 12, 11, 2)), stated_misr(&s, hcr),
				     "ICH_HCR_EL2 0x%x: 0x%llx, not 0x%x", virt->hcr,
				     (unsigned long long)get(SYSREG_ENCODING(3, 4, 12, 11, 2)),
				     stated_misr(&s, hcr));
			cr_assert_eq(gic_pending(&gic->cpu[0].irq[GIC_MAINTENANCE_INTID]),
				     s.on && stated_misr(&s, hcr) != 0);
		}
	}
}

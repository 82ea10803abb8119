/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: where physical interrupts go while a lower level runs, and virtual ones by HCR_EL2 (Arm
 * ARM D1.3.6, D24.2 HCR_EL2).
 */
#include "arch.h"
#include "boot.h"
#include "gic.h"
#include "levels.h"

#define ICC_IAR1_EL1  A64_SYSREG(3, 0, 12, 12, 0)
#define ICC_EOIR1_EL1 A64_SYSREG(3, 0, 12, 12, 1)

#define ISR_F (UINT64_C(1) << 6)
#define ISR_I (UINT64_C(1) << 7)
#define ISR_A (UINT64_C(1) << 8)

/* With IMO nothing at EL1 or EL0 masks it. */
void physical_irq_to_el2(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int masked = 0; masked < 2; masked++) {
			sgi_send();
			lower_init(&c, el, 0);
			if (!masked)
				c.spsr &= ~SPSR_I;
			CHECK(!lower_insn(&c, A64_NOP) && c.exit.kind == LOWER_IRQ &&
				      c.exit.elr == lower_code_page(),
			      "EL%u, PSTATE.I %u: kind %u ESR 0x%lx ELR 0x%lx", el, masked,
			      (unsigned int)c.exit.kind, c.exit.esr, c.exit.elr);
			CHECK(sgi_count == 0, "taken at EL2 where it is masked");
			sgi_take();
			CHECK(sgi_count == 1, "taken %u times", sgi_count);
			CHECK(completes(A64_NOP, "afterwards"), "still there");
		}
}

/* Without IMO it is EL1's. */
void physical_irq_to_el1(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		enum exc_vector vector = el ? VEC_SPX_IRQ : VEC_EL0_IRQ;

		sgi_send();
		lower_init(&c, el, 0);
		c.hcr_el2 &= ~HCR_IMO;
		completes(A64_NOP, "PSTATE.I is 1");
		if (el == 1)
			CHECK(lower_read(REG_ISR_EL1) == ISR_I, "ISR_EL1 0x%lx", c.x[5]);
		c.spsr &= ~SPSR_I;
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == (int)vector &&
			      c.elr_el1 == lower_code_page(),
		      "EL%u: vector %d, ESR 0x%lx, ELR_EL1 0x%lx", el, lower_vector(&c, NULL),
		      c.exit.esr, c.elr_el1);
		/* EL1 has the physical CPU interface. */
		c.spsr = SPSR_DAIF | SPSR_EL1H;
		CHECK(lower_read(ICC_IAR1_EL1) == SGI, "ICC_IAR1_EL1 gave %lu", c.x[5]);
		lower_write(ICC_EOIR1_EL1, SGI);
		CHECK(!gic_pending(SGI) && !gic_active(SGI), "SGI still pending or active");
		gic_enable(SGI, NULL);
	}
}

/* With TGE it is EL2's, whatever IMO says. */
void physical_irq_with_tge(void)
{
	sgi_send();
	lower_init(&c, 0, 0);
	c.hcr_el2 = HCR_RW | HCR_TGE;
	CHECK(!lower_insn(&c, A64_NOP) && c.exit.kind == LOWER_IRQ, "kind %u ESR 0x%lx",
	      (unsigned int)c.exit.kind, c.exit.esr);
	sgi_take();
	CHECK(sgi_count == 1, "taken %u times", sgi_count);
}

struct virtual_interrupt {
	const char *name;
	uint64_t bit, enable, mask, isr;
	unsigned int vector; /* of the four of a group */
};

static const struct virtual_interrupt virtuals[] = {
	{"VI", HCR_VI, HCR_IMO, SPSR_I, ISR_I, 1},
	{"VF", HCR_VF, HCR_FMO, SPSR_F, ISR_F, 2},
	{"VSE", HCR_VSE, HCR_AMO, SPSR_A, ISR_A, 3},
};

static void take_virtual(const struct virtual_interrupt *v, unsigned int el)
{
	enum exc_vector vector = (enum exc_vector)((el ? VEC_SPX_SYNC : VEC_EL0_SYNC) + v->vector);

	lower_init(&c, el, 0);
	c.hcr_el2 = HCR_RW | v->enable | v->bit; /* each has a separate enable */
	completes(A64_NOP, v->name);		 /* masked */
	if (el == 1)
		CHECK(lower_read(REG_ISR_EL1) == v->isr, "%s: ISR_EL1 0x%lx", v->name, c.x[5]);
	c.spsr &= ~v->mask;
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == (int)vector &&
		      c.elr_el1 == lower_code_page() && SPSR_EL(c.spsr_el1) == el,
	      "%s at EL%u: vector %d, ESR 0x%lx, ELR_EL1 0x%lx", v->name, el,
	      lower_vector(&c, NULL), c.exit.esr, c.elr_el1);
}

void virtual_irq_fiq(void)
{
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int el = 0; el < 2; el++) {
			const struct virtual_interrupt *v = &virtuals[i];

			take_virtual(v, el);
			CHECK(c.hcr_el2 & v->bit, "%s cleared itself", v->name);
		}
}

void virtual_serror(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		take_virtual(&virtuals[2], el);
		CHECK(field(c.esr_el1, 31, 26) == EC_SERROR, "EL%u: ESR_EL1 0x%lx", el, c.esr_el1);
		CHECK(!(c.hcr_el2 & HCR_VSE), "EL%u: HCR_EL2.VSE is still 1", el);
	}
}

/* Not without IMO, FMO or AMO, nor with TGE. */
void virtual_disabled(void)
{
	for (unsigned int i = 0; i < 3; i++) {
		const struct virtual_interrupt *v = &virtuals[i];

		lower_init(&c, 1, 0);
		c.spsr &= ~v->mask;
		c.hcr_el2 = (c.hcr_el2 & ~v->enable) | v->bit;
		completes(A64_NOP, v->name);
		CHECK(lower_read(REG_ISR_EL1) == 0, "%s: ISR_EL1 0x%lx", v->name, c.x[5]);
		lower_init(&c, 0, 0);
		c.spsr &= ~v->mask;
		c.hcr_el2 |= HCR_TGE | v->bit;
		completes(A64_NOP, "with HCR_EL2.TGE");
	}
}

/* EL2 itself does not take them. */
void virtual_not_at_el2(void)
{
	uint64_t hcr = read_sysreg(hcr_el2);

	write_sysreg(hcr_el2, hcr | HCR_VI | HCR_VF | HCR_VSE);
	isb();
	__asm__ volatile("msr daifclr, #7\n\tisb\n\tnop\n\tmsr daifset, #0xf" ::: "memory");
	CHECK(read_sysreg(hcr_el2) & HCR_VSE, "HCR_EL2.VSE was taken at EL2");
	write_sysreg(hcr_el2, hcr);
	isb();
}

/* A physical interrupt and a virtual one: EL2 is first, EL1's is there when it runs again. */
void physical_before_virtual(void)
{
	sgi_send();
	lower_init(&c, 1, 0);
	c.hcr_el2 |= HCR_VI;
	c.spsr &= ~SPSR_I;
	CHECK(!lower_insn(&c, A64_NOP) && c.exit.kind == LOWER_IRQ && lower_vector(&c, NULL) < 0,
	      "kind %u ESR 0x%lx", (unsigned int)c.exit.kind, c.exit.esr);
	sgi_take();
	CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == VEC_SPX_IRQ, "vector %d",
	      lower_vector(&c, NULL));
}

const char *needs_group0(void)
{
	bool ours;

	if (needs_el2())
		return needs_el2();
	ours = gic_set_group0(SGI, true);
	gic_set_group0(SGI, false);
	return ours ? NULL : "group 0 is for Secure state";
}

static void end_fiq(void)
{
	uint32_t intid = gic_take_group0();

	CHECK(intid == SGI, "ICC_IAR0_EL1 gave %u", intid);
	gic_enable(SGI, NULL);
	gic_set_group0(SGI, false);
}

/* Group 0 is FIQs, which have their own routing and mask. */
void physical_fiq(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		enum exc_vector vector = el ? VEC_SPX_FIQ : VEC_EL0_FIQ;

		sgi_send_group0();
		lower_init(&c, el, 0);
		c.hcr_el2 &= ~HCR_IMO;
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) < 0 &&
			      c.exit.kind == LOWER_FIQ && c.exit.elr == lower_code_page(),
		      "EL%u, FMO: kind %u ESR 0x%lx", el, (unsigned int)c.exit.kind, c.exit.esr);
		lower_init(&c, el, 0);
		c.hcr_el2 &= ~HCR_FMO;
		c.spsr &= ~SPSR_I;
		completes(A64_NOP, "PSTATE.F is 1");
		if (el == 1)
			CHECK(lower_read(REG_ISR_EL1) == ISR_F, "ISR_EL1 0x%lx", c.x[5]);
		c.spsr &= ~SPSR_F;
		CHECK(!lower_insn(&c, A64_NOP) && lower_vector(&c, NULL) == (int)vector,
		      "EL%u: vector %d", el, lower_vector(&c, NULL));
		end_fiq();
	}
}

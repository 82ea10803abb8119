/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of the guests levels and levels3: see levels.h.
 */
#include "boot.h"
#include "deadline.h"
#include "gic.h"
#include "levels.h"

struct lower_context c;

static const char *const kinds[] = {"synchronous", "IRQ", "FIQ", "SError"};

static void say_exit(const char *what)
{
	unsigned int el = 0;
	int vector = lower_vector(&c, &el);

	if (vector >= 0)
		tap_fail("%s: vector %d of EL%u, ESR_EL%u 0x%lx ELR 0x%lx FAR 0x%lx", what, vector,
			 el, el, el == 1 ? c.esr_el1 : c.esr_el2, el == 1 ? c.elr_el1 : c.elr_el2,
			 el == 1 ? c.far_el1 : c.far_el2);
	else
		tap_fail("%s: %s exception, ESR 0x%lx ELR 0x%lx FAR 0x%lx SPSR 0x%lx", what,
			 kinds[c.exit.kind], c.exit.esr, c.exit.elr, c.exit.far, c.exit.spsr);
}

bool completes(uint32_t word, const char *what)
{
	if (lower_insn(&c, word))
		return true;
	say_exit(what);
	return false;
}

/*
 * WFI and WFE may complete at any time. A trap is owed only where they would wait for ever (D1.6),
 * which the test's deadline shows.
 */
static bool may_complete(uint32_t word)
{
	return word == A64_WFI || word == A64_WFE;
}

bool not_taken(uint32_t word, const char *what)
{
	return may_complete(word) || tap_fail("%s: not taken", what);
}

bool taken(uint32_t word, uint64_t esr, unsigned int after, const char *what)
{
	uint64_t spsr = c.spsr;

	if (lower_insn(&c, word))
		return not_taken(word, what);
	if (c.exit.kind != LOWER_SYNC || c.exit.esr != esr ||
	    c.exit.elr != lower_code_page() + after || SPSR_EL(c.exit.spsr) != SPSR_EL(spsr)) {
		say_exit(what);
		return tap_fail("%s: not ESR 0x%lx ELR 0x%lx", what, esr,
				lower_code_page() + after);
	}
	return true;
}

bool reflected(uint32_t word, enum exc_vector vector, uint64_t esr, unsigned int after,
	       const char *what)
{
	uint64_t spsr = c.spsr;
	unsigned int el;

	if (lower_insn(&c, word))
		return not_taken(word, what);
	if (lower_vector(&c, &el) != (int)vector || el != 1 || c.esr_el1 != esr ||
	    c.elr_el1 != lower_code_page() + after || c.spsr_el1 != spsr) {
		say_exit(what);
		c.spsr = spsr;
		return tap_fail("%s: not vector %u, ESR_EL1 0x%lx ELR_EL1 0x%lx SPSR_EL1 0x%lx",
				what, (unsigned int)vector, esr, lower_code_page() + after, spsr);
	}
	c.spsr = spsr;
	return true;
}

bool secure_el2(void)
{
	static enum { UNKNOWN, SECURE, OTHER } state;

	if (state == UNKNOWN) {
		expect_begin();
		(void)read_sysreg(VSTTBR_EL2);
		state = expect_end().count == 0 ? SECURE : OTHER;
	}
	return state == SECURE;
}

uint64_t lower_read(uint32_t sysreg)
{
	c.x[5] = UINT64_C(0xdeadbeefdeadbeef);
	completes(A64_MRS(sysreg, 5), "MRS");
	return c.x[5];
}

bool lower_write(uint32_t sysreg, uint64_t value)
{
	c.x[5] = value;
	return completes(A64_MSR(sysreg, 5), "MSR");
}

uint64_t sysreg_iss(uint32_t word)
{
	return lower_sysreg_iss(word, word & 31, word >> 21 & 1);
}

volatile unsigned int sgi_count;

static enum exc_return count_irq(struct exc_frame *frame, uint32_t intid)
{
	(void)frame;
	sgi_count += intid == SGI;
	return EXC_RETURN;
}

void sgi_send(void)
{
	sgi_count = 0;
	gic_enable(SGI, count_irq);
	gic_send_sgi(SGI, read_sysreg(mpidr_el1));
	(void)comes(gic_pending(SGI));
}

bool sgi_send_group0(void)
{
	bool can;

	gic_enable(SGI, count_irq);
	can = gic_set_group0(SGI, true);
	gic_send_sgi_group0(SGI, read_sysreg(mpidr_el1));
	(void)comes(gic_pending(SGI));
	return can;
}

void sgi_take(void)
{
	irq_enable();
	(void)comes(sgi_count != 0);
	irq_disable();
	gic_enable(SGI, NULL);
}

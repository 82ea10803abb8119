/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's debug exceptions, and vspe's breakpoints among the guest's: see selfhosted.h. */
#include "kvm/trap/selfhosted.h"
#include "a64/a64.h"
#include "arm/registers.h"

/* D2.4, if the source of the exception is enabled. */
static bool is_unmasked(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	if (oslsr & OSLSR_EL1_OSLK)
		return false;
	/* From EL0 to EL1 nothing masks them. */
	return !(pstate & SPSR_ELx_EL) || (mdscr & MDSCR_EL1_KDE && !(pstate & SPSR_ELx_D));
}

bool kvm_debug_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	return mdscr & MDSCR_EL1_MDE && is_unmasked(mdscr, oslsr, pstate);
}

bool kvm_step_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	return mdscr & MDSCR_EL1_SS && is_unmasked(mdscr, oslsr, pstate);
}

bool kvm_is_eret(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && insn->target == A64_TARGET_ERET;
}

bool kvm_is_load_exclusive(uint32_t word)
{
	const struct a64_insn *insn = a64_decode(word);

	return insn && insn->operation == A64_OP_LOAD_EXCLUSIVE;
}

unsigned int kvm_debug_place(uint64_t *value, uint64_t *control, unsigned int slots,
			     const uint64_t *at, unsigned int count, uint64_t bcr)
{
	unsigned int free = 0, next = 0, taken;

	for (unsigned int n = 0; n < slots; n++)
		free += !(control[n] & DBGBCR_EL1_E);
	taken = count > free ? count - free : 0;
	for (unsigned int n = 0, take = taken; n < slots && next < count; n++) {
		if (control[n] & DBGBCR_EL1_E) {
			if (take == 0)
				continue;
			take--;
		}
		value[n] = at[next++];
		control[n] = bcr;
	}
	return taken;
}

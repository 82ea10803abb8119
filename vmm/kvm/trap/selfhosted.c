/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's own debug exceptions, and our breakpoints among its own: see selfhosted.h. */
#include "kvm/trap/selfhosted.h"
#include "a64/a64.h"

#define MDSCR_SS   UINT64_C(1)
#define MDSCR_KDE  (UINT64_C(1) << 13)
#define MDSCR_MDE  (UINT64_C(1) << 15)
#define OSLSR_OSLK (UINT64_C(1) << 1)
#define PSTATE_D   (UINT64_C(1) << 9)

/* Of FEAT_PAuth, which the table does not have. */
#define ERETAA 0xd69f0bffu
#define ERETAB 0xd69f0fffu

/* D2.4, where what generates the exception is enabled. */
static bool is_unmasked(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	if (oslsr & OSLSR_OSLK)
		return false;
	/* From EL0 to EL1 nothing masks them. */
	return (pstate >> 2 & 3) == 0 || (mdscr & MDSCR_KDE && !(pstate & PSTATE_D));
}

bool kvm_debug_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	return mdscr & MDSCR_MDE && is_unmasked(mdscr, oslsr, pstate);
}

bool kvm_step_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	return mdscr & MDSCR_SS && is_unmasked(mdscr, oslsr, pstate);
}

bool kvm_is_eret(uint32_t word)
{
	return word == A64_WORD_ERET || word == ERETAA || word == ERETAB;
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
		free += !(control[n] & KVM_DEBUG_E);
	taken = count > free ? count - free : 0;
	for (unsigned int n = 0, take = taken; n < slots && next < count; n++) {
		if (control[n] & KVM_DEBUG_E) {
			if (take == 0)
				continue;
			take--;
		}
		value[n] = at[next++];
		control[n] = bcr;
	}
	return taken;
}

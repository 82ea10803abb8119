/* SPDX-License-Identifier: BSD-2-Clause */
/* When the guest's own debug exceptions are enabled: see selfhosted.h. */
#include "kvm/selfhosted.h"

#define MDSCR_KDE  (UINT64_C(1) << 13)
#define MDSCR_MDE  (UINT64_C(1) << 15)
#define OSLSR_OSLK (UINT64_C(1) << 1)
#define PSTATE_D   (UINT64_C(1) << 9)

bool kvm_debug_enabled(uint64_t mdscr, uint64_t oslsr, uint64_t pstate)
{
	if (!(mdscr & MDSCR_MDE) || oslsr & OSLSR_OSLK)
		return false;
	/* From EL0 to EL1 nothing masks them. */
	return (pstate >> 2 & 3) == 0 || (mdscr & MDSCR_KDE && !(pstate & PSTATE_D));
}

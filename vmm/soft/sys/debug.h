/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints and watchpoints for self-hosted debug (Arm ARM D2.8 to D2.10). The interpreter uses
 * them only while soft_debug_active(), and then executes one operation at a time.
 */
#ifndef VSPE_SOFT_DEBUG_H
#define VSPE_SOFT_DEBUG_H

#include "soft/sys/sys.h"

#define SOFT_MDSCR_MDE (UINT64_C(1) << 15)

/* Can any breakpoint or watchpoint be enabled? Cheap, and usually false. */
static inline bool soft_debug_monitored(const struct soft_sys *sys)
{
	return sys->mdscr_el1 & SOFT_MDSCR_MDE;
}

/*
 * Are Breakpoint and Watchpoint exceptions generated here (MDSCR_EL1.{MDE,KDE}, PSTATE.D, the OS
 * Lock), and is one of the registers set to match at this Exception level?
 */
bool soft_debug_active(const struct soft_sys *sys);

/* Does a breakpoint match the instruction at pc? Only while soft_debug_active(). */
bool soft_breakpoint_matches(const struct soft_sys *sys, uint64_t pc);

/* A data access. */
struct soft_watched {
	uint64_t va;
	unsigned int size; /* bytes, at least 1 */
	unsigned int el;   /* whose access it is: 0 for LDTR and STTR */
	bool read, write;  /* one or both */
};

/*
 * Does a watchpoint match the access? Then *exception is the Watchpoint exception, with the lowest
 * watched address. Only while soft_debug_active().
 */
bool soft_watchpoint_matches(const struct soft_sys *sys, const struct soft_watched *access,
			     struct soft_exception *exception);

#endif

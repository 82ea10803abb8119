/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the code says of its own state, wherever it is cheap to say: with -DVSPE_INVARIANTS=ON
 * (preset storm) a condition that does not hold ends the process, with the two numbers that tell
 * why. Without, it is compiled and never evaluated. Nothing that a guest, a user or a file does may
 * break one: what is not trusted is refused by other means.
 *
 * For the whole tree, freestanding parts included: who links them may say what is done about it,
 * as vmm/base/invariant.c does; without that it is a trap.
 */
#ifndef VSPE_SYSREG_INVARIANT_H
#define VSPE_SYSREG_INVARIANT_H

#include <stdint.h>

#ifdef VSPE_INVARIANTS

#define INVARIANTS 1 /* for what is more than a condition: if (!INVARIANTS) return; */

__attribute__((weak, noreturn, cold)) void
vspe_invariant_broken(const char *file, int line, const char *condition, uint64_t a, uint64_t b);

/* condition holds; a and b are what it is about. */
#define INVARIANT(condition, a, b)                                                    \
	do {                                                                          \
		if (__builtin_expect(!(condition), 0)) {                              \
			if (vspe_invariant_broken)                                    \
				vspe_invariant_broken(__FILE__, __LINE__, #condition, \
						      (uint64_t)(a), (uint64_t)(b));  \
			__builtin_trap();                                             \
		}                                                                     \
	} while (0)

#else

#define INVARIANTS 0

#define INVARIANT(condition, a, b) \
	((void)sizeof(!(condition)), (void)sizeof((uint64_t)(a)), (void)sizeof((uint64_t)(b)))

#endif

#endif

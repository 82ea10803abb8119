/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assertions: what the code guarantees about its internal state, whatever a guest, a user, a file
 * or an embedder does. Input is never asserted: other means refuse it.
 *
 * A build with -DVSPE_ASSERT=ON evaluates them, and ends the process if one is false. Any other
 * build compiles them, so that they cannot rot, but never evaluates them.
 *
 * For the whole tree, freestanding parts included. The program chooses what happens on a failure:
 * vspe_assertion_failed() if it links one, such as vmm/base/assertion.c, otherwise a trap.
 */
#ifndef VSPE_SYSREG_ASSERTION_H
#define VSPE_SYSREG_ASSERTION_H

#include <stdint.h>

#ifndef VSPE_ASSERT
#define VSPE_ASSERT 0 /* a constant, for a loop of assertions: if (!VSPE_ASSERT) return; */
#endif

/* condition: its text; a and b: the values that it is about. */
__attribute__((weak, noreturn, cold)) void
vspe_assertion_failed(const char *file, int line, const char *condition, uint64_t a, uint64_t b);

/* condition is true. */
#define vspe_assert(condition) VSPE_ASSERT_SAYING(condition, #condition, 0, 0)

/* condition is true; if it is not, the values of a and b tell why. */
#define vspe_assert_of(condition, a, b) VSPE_ASSERT_SAYING(condition, #condition, a, b)

#if VSPE_ASSERT

#define VSPE_ASSERT_SAYING(condition, text, a, b)                                              \
	do {                                                                                   \
		if (__builtin_expect(!(condition), 0)) {                                       \
			if (vspe_assertion_failed)                                             \
				vspe_assertion_failed(__FILE__, __LINE__, text, (uint64_t)(a), \
						      (uint64_t)(b));                          \
			__builtin_trap();                                                      \
		}                                                                              \
	} while (0)

#else

#define VSPE_ASSERT_SAYING(condition, text, a, b) \
	((void)(0 && (condition)), (void)(0 ? (uint64_t)(a) : (uint64_t)(b)))

#endif

#endif

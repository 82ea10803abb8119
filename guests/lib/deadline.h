/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A time limit for each test: a machine that loses an interrupt, or never ends a WFI, fails the
 * test that shows it, and the next one runs.
 *
 * The limit is the boot argument deadline=SECONDS, or DEADLINE_SECONDS, by the system counter. A
 * test that polls waits by wait_while(), which looks at the counter. One that does not is
 * interrupted by a timer of main's own level: the physical timer of EL1, CNTHP of EL2, CNTPS of
 * EL3. A test that uses that timer itself calls deadline_release_timer(), and then has only
 * wait_while() and the exits of lower levels.
 */
#ifndef GUEST_DEADLINE_H
#define GUEST_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#define DEADLINE_SECONDS 20

enum deadline_end {
	DEADLINE_RETURNED,
	DEADLINE_OVER,	   /* its time was over first */
	DEADLINE_GIVEN_UP, /* deadline_give_up() */
};

/*
 * Run a test. If it does not return by itself profiling is off then, and main's level as it was at
 * the start.
 */
enum deadline_end deadline_run(void (*test)(void));
/* What it has. */
unsigned int deadline_seconds(void);
/* From here on the timer of main's level is the test's: off, and with no handler. */
void deadline_release_timer(void);
/*
 * For a loop that waits: does not return if the time is over. Another CPU than the one that runs
 * the tests goes off then.
 */
void deadline_check(void);

/*
 * Does the condition come true, while a few seconds pass? For what is owed in finite time, by a
 * machine whose host may be busy.
 */
#define comes(condition)                                                   \
	({                                                                 \
		const uint64_t since_ = deadline_now();                    \
		bool true_;                                                \
		while (!(true_ = (condition)) && deadline_is_soon(since_)) \
			;                                                  \
		true_;                                                     \
	})
uint64_t deadline_now(void);
bool deadline_is_soon(uint64_t since);

/* The running test ends here. Returns only if this CPU runs none. */
void deadline_give_up(void);

/* For deadline_run.c: the ticks that the test has from now on, and its end. */
uint64_t deadline_begin(void);
void deadline_end(void);
/* deadline_enter.S: have deadline_run() return that, whatever has the stack by now. */
void deadline_leave(enum deadline_end how) __attribute__((noreturn));

#define wait_while(condition)             \
	do {                              \
		while (condition)         \
			deadline_check(); \
	} while (0)

#endif

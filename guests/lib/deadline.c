/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time limits of tests, as waits see them: see deadline.h. deadline_run.c runs a test with one.
 */
#include "arch.h"
#include "boot.h"
#include "deadline.h"
#include "platform.h"
#include "psci.h"

#define SOON_SECONDS 4 /* many of them fit into one test */

/* Used where the machine does not say its frequency. */
#define USUAL_HZ 1000000000u

/* Of the running test. */
static struct {
	bool runs;
	uint64_t mpidr, until;
} test_now;

/* EL2's view has no offset, which tests write; EL1 may have no access to the physical count. */
uint64_t deadline_now(void)
{
	isb();
	return boot_info.el == 1 ? read_sysreg(cntvct_el0) : read_sysreg(cntpct_el0);
}

static uint64_t frequency(void)
{
	const uint64_t hz = read_sysreg(cntfrq_el0);

	return hz ? hz : USUAL_HZ;
}

bool deadline_is_soon(uint64_t since)
{
	return deadline_now() - since < SOON_SECONDS * frequency();
}

unsigned int deadline_seconds(void)
{
	return (unsigned int)bootarg("deadline", DEADLINE_SECONDS);
}

uint64_t deadline_begin(void)
{
	const uint64_t ticks = deadline_seconds() * frequency();

	test_now.mpidr = read_sysreg(mpidr_el1);
	test_now.until = deadline_now() + ticks;
	test_now.runs = true;
	return ticks;
}

void deadline_end(void)
{
	test_now.runs = false;
}

void deadline_check(void)
{
	__asm__ volatile("yield" ::: "memory");
	if (!test_now.runs || deadline_now() < test_now.until)
		return;
	if (read_sysreg(mpidr_el1) != test_now.mpidr)
		psci_cpu_off();
	deadline_leave(DEADLINE_OVER);
}

void deadline_give_up(void)
{
	if (test_now.runs && read_sysreg(mpidr_el1) == test_now.mpidr)
		deadline_leave(DEADLINE_GIVEN_UP);
}

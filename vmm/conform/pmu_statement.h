/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of an access to a register of the PMU, stated a second time (the Arm ARM, the
 * "Accessing" sections of the register pages, and D13.11), without a look at pmu/route.c.
 */
#ifndef VSPE_CONFORM_PMU_STATEMENT_H
#define VSPE_CONFORM_PMU_STATEMENT_H

#include "../../pmu/route.h"
#include "conform/statement.h"

/* How many event counters the PE of the statement has. */
#define PMU_STATED_COUNTERS 6

/* Like statement(). reg of SYSREG_DIRECT is a number of subject.h. */
struct outcome pmu_statement(struct world *w, enum pmu_register reg, bool write);
/* Does it have the accessor? */
bool pmu_statement_has(enum pmu_register reg, bool write);
uint32_t pmu_statement_encoding(enum pmu_register reg);
/* GetNumEventCountersAccessible(). If MDCR_EL2.HPMN exceeds the number of counters: that number. */
unsigned int pmu_stated_accessible(struct world *w);
/* ELIsInHost(EL0) */
bool pmu_stated_host(struct world *w);

#endif

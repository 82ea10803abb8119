/* SPDX-License-Identifier: BSD-2-Clause */
/* What decided about an access, in words: for explain.c. */
#ifndef VSPE_SOFT_EXPLAIN_WHY_H
#define VSPE_SOFT_EXPLAIN_WHY_H

#include "soft/explain.h"
#include "soft/sys/sys_private.h"

/* The name of a bit of a control register, or NULL. */
const char *soft_explain_bit(const char *reg, unsigned int bit);

void soft_why_sys(const struct soft_sys *sys, const struct sys_rule *rule, bool write,
		  const struct sysreg_route *route, char *text, size_t size);
void soft_why_pmu(const struct soft_explain *e, enum pmu_register reg, bool write,
		  const struct sysreg_route *route, char *text, size_t size);

#endif

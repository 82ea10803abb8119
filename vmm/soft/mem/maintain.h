/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maintenance of caches and TLBs, and address translation.
 */
#ifndef VSPE_SOFT_MAINTAIN_H
#define VSPE_SOFT_MAINTAIN_H

#include "soft/sys/sys_private.h"

/* Execute a SYS instruction with this value of Xt. false: *exception is to be taken instead. */
bool soft_maintain(struct soft_cpu *cpu, const struct sys_operation *operation, uint64_t value,
		   struct soft_exception *exception);

#endif

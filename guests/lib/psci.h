/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PSCI (Arm DEN0022) by the conduit that the device tree names.
 */
#ifndef GUEST_PSCI_H
#define GUEST_PSCI_H

#include <stdbool.h>
#include <stdint.h>

#define PSCI_SUCCESS 0

/*
 * False if the device tree has no PSCI node or an unknown method; at EL3, no gpio-poweroff on a
 * PL061. There only psci_system_off() works.
 */
bool psci_init(void);
/* Major in [31:16], minor in [15:0]. */
uint32_t psci_version(void);
/* Start CPU number cpu (1 to MAX_CPUS - 1), whose MPIDR is mpidr, in entry(cpu). */
int64_t psci_cpu_on(uint64_t mpidr, unsigned int cpu, void (*entry)(unsigned int cpu));
/* 0 on, 1 off, 2 on its way, negative: error. */
int64_t psci_affinity_info(uint64_t mpidr);
/* Returns an error only. */
int64_t psci_system_reset(void);
void psci_cpu_off(void) __attribute__((noreturn));
void psci_system_off(void) __attribute__((noreturn));

#endif

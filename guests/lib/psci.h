/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PSCI (Arm DEN0022) by the conduit that the firmware names.
 */
#ifndef GUEST_PSCI_H
#define GUEST_PSCI_H

#include <stdbool.h>
#include <stdint.h>

#define PSCI_SUCCESS		0
#define PSCI_NOT_SUPPORTED	(-1)
#define PSCI_INVALID_PARAMETERS (-2)

/*
 * By method, "hvc" or "smc"; false if it is neither, or NULL. CPUs that are turned on start at
 * secondary_start, an address in the image.
 */
bool psci_init(const char *method, const void *secondary_start);
/* Are there more calls than psci_system_off()? */
bool psci_there(void);
/*
 * The same where EL3 is the guest's, and only psci_system_off() works: where the PL061 of
 * gpio-poweroff is, false if there is none; and its mapped registers.
 */
bool psci_find_gpio(uint64_t *base, uint64_t *size);
void psci_init_gpio(volatile void *registers);
/* A call by the SMC calling convention: X0 to X3, function and arguments before, results after. */
void psci_call(uint64_t x[4]);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exclusive monitors of vCPUs other than the one that runs (Arm ARM B2.12). vCPUs take turns. While
 * one runs, the pages of the others' monitors are watched like pages with decoded code, so that
 * stores on the fast path pay nothing.
 */
#ifndef VSPE_SOFT_MONITOR_H
#define VSPE_SOFT_MONITOR_H

#include "soft/cpu.h"

/* Bytes of an exclusives reservation granule: CTR_EL0.ERG. */
#define SOFT_GRANULE (UINT64_C(4) << SOFT_MONITOR_LOG)

/*
 * Do stores to this page of RAM take the slow path, for code in it or for another vCPU's monitor?
 */
bool soft_page_watched(const struct soft_cpu *cpu, uint64_t pa);

/* This vCPU stores size bytes at pa, which is RAM: drops code, and monitors of others. */
void soft_memory_written(struct soft_cpu *cpu, uint64_t pa, uint64_t size);

/* The monitors alone. */
void soft_monitors_written(const struct soft_cpu *cpu, uint64_t pa, uint64_t size);

/* A device was written to, which may write to memory: clear all monitors. */
void soft_monitors_clear(struct soft_vm *vm);

#endif

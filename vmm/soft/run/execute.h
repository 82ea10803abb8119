/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run loop: stretches of operations in the fast loop, and what happens between them.
 */
#ifndef VSPE_SOFT_EXECUTE_H
#define VSPE_SOFT_EXECUTE_H

#include "soft/run/ops.h"

/* engine.vcpu_run. */
void soft_run(struct soft_cpu *cpu, uint64_t max_ops, struct engine_exit *exit);

/* Take the synchronous exception in cpu->fault, of the operation or fetch at PC. */
void soft_take_fault(struct soft_cpu *cpu);

/*
 * Execute op at PC, which the fast loop cannot execute (SOFT_system), or not yet
 * (soft_cpu.repeats). Returns whether there was no exception.
 */
bool soft_execute_system(struct soft_cpu *cpu, const struct soft_op *op);
/* The instruction at pc generated the exception that was just taken: was it UNDEFINED? */
void soft_note_undefined(struct soft_cpu *cpu, uint64_t pc, uint32_t word);
/* struct engine.vcpu_storm */
bool soft_describe_storm(const struct soft_cpu *cpu, char *text, size_t size);

#endif

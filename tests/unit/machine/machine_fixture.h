/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tests of the whole machine share: a machine on the fake engine with a console in memory, and
 * what its guests do.
 */
#ifndef VSPE_TESTS_MACHINE_FIXTURE_H
#define VSPE_TESTS_MACHINE_FIXTURE_H

#include <vspe/sysreg.h>

#include "fake_engine.h"

#define CNTVCT	  SYSREG_ENCODING(3, 3, 14, 0, 2)
#define CNTV_CTL  SYSREG_ENCODING(3, 3, 14, 3, 1)
#define CNTV_CVAL SYSREG_ENCODING(3, 3, 14, 3, 2)
#define PMR	  SYSREG_ENCODING(3, 0, 4, 6, 0)
#define IGRPEN1	  SYSREG_ENCODING(3, 0, 12, 12, 7)
#define IAR1	  SYSREG_ENCODING(3, 0, 12, 12, 0)
#define EOIR1	  SYSREG_ENCODING(3, 0, 12, 12, 1)
#define UART	  UINT64_C(0x09000000)
#define GPIO	  UINT64_C(0x090b0000)

/* The console: what was put, and input that comes when the machine waits for it. */
extern char output[256];
extern size_t output_count;
extern const char *input;
extern unsigned int waits; /* that got input */
extern uint64_t waited_ms; /* that the machine asked for, in all */

/* The machine that ran last, and how it went. */
extern struct machine *machine;
extern struct machine_stats stats;
extern char why[256];

/* Before and after each test. */
void machine_fixture_begin(void);
void machine_fixture_end(void);

/* A machine of 16 MiB whose guest starts at EL1. */
struct machine_config config(unsigned int cpus);
/* Make the machine and run it to its end; machine_destroy() is the test's. */
enum machine_end run_config(const struct machine_config *c);
enum machine_end run(unsigned int cpus, int (*code)(struct engine_vcpu *));

/* What a guest does in an operation. The first two return its exit reason: an HVC. */
int psci(struct engine_vcpu *vcpu, uint64_t function, uint64_t a, uint64_t b, uint64_t c);
int power_off(struct engine_vcpu *vcpu);
void write_sysreg(struct engine_vcpu *vcpu, uint32_t reg, uint64_t value);
uint64_t read_sysreg(struct engine_vcpu *vcpu, uint32_t reg);
void write_mmio(struct engine_vcpu *vcpu, uint64_t pa, uint64_t value);
/* Let this vCPU take all its private interrupts as Group 1. */
void open_gic(struct engine_vcpu *vcpu);

#endif

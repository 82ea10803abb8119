/* SPDX-License-Identifier: BSD-2-Clause */
/* What start.S and monitor.c share. */
#ifndef MONITOR_H
#define MONITOR_H

/* Memory: the guest's are 2 MiB at the same address in its stage 2. */
#define MONITOR_BASE 0x40200000
#define GUEST_BASE   0x41000000
#define GUEST_SIZE   0x00200000

/* Offsets of struct guest. */
#define GUEST_PC  248
#define GUEST_ESR 264

#ifndef __ASSEMBLER__
#include <stdint.h>

/* The guest's registers while it does not run. Those of EL1 stay in the machine. */
struct guest {
	uint64_t x[31];
	uint64_t pc, pstate;
	uint64_t esr; /* why it stopped: ESR_EL2 */
};

/* Run the guest up to its next exception to EL2. */
void guest_run(struct guest *guest);
/* start.S calls these: the monitor, and an exception of the monitor's own. */
void monitor_main(void);
void monitor_panic(uint64_t esr, uint64_t elr, uint64_t far);

extern const char guest_image[], guest_image_end[];
extern uint64_t stage2_root[];
#endif
#endif

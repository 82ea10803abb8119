/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small hypervisor at EL2 for guests (VMs) at EL1 that profile themselves, in turns. Each has its
 * own memory at the same window of addresses, its own stage 2 and VMID, and its own SPE context.
 */
#ifndef SWITCH_H
#define SWITCH_H

/* HVC with which a VM offers its place. */
#define SWITCH_YIELD 1

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot.h"
#include "lower.h"
#include "record.h"
#include "spe.h"

#define VM_COUNT 2

/* The window: a page of data, the profiling buffer, and where a VM gathers its records. */
#define BUFFER_PAGES 8
#define LOG_PAGES    24
#define WINDOW_PAGES (1 + BUFFER_PAGES + LOG_PAGES)

/* The window has the same layout in each VM, and different contents. */
struct window {
	union {
		uint64_t words[PAGE_SIZE / 8]; /* of the work */
		uint8_t page[PAGE_SIZE];
	} data;
	uint8_t buffer[BUFFER_PAGES * PAGE_SIZE];
	uint8_t log[LOG_PAGES * PAGE_SIZE];
};

_Static_assert(sizeof(struct window) == WINDOW_PAGES * PAGE_SIZE, "the window has no holes");

/* What a VM does: laps of its work, profiled as it likes. */
struct vm_program {
	const char *name;
	uintptr_t work, work_end; /* in assembler: work(laps, words) is a checksum */
	uint64_t laps;
	bool profile, interrupts;
	uint64_t buffer_size;
	uint64_t pmscr, pmsirr, pmsicr, pmsfcr, pmsevfr, pmslatfr;
};

/*
 * The SPE context of a VM: every register that EL1 can write, in the order of restoring. PMSICR_EL1
 * must come after PMSIRR_EL1, and PMBLIMITR_EL1, with E, last. SWITCH(name, register, condition).
 */
#define SPE_CONTEXT(SWITCH)                                       \
	SWITCH(pmsirr, PMSIRR_EL1, true)                          \
	SWITCH(pmsicr, PMSICR_EL1, true)                          \
	SWITCH(pmsfcr, PMSFCR_EL1, true)                          \
	SWITCH(pmsevfr, PMSEVFR_EL1, true)                        \
	SWITCH(pmsnevfr, PMSNEVFR_EL1, spe_caps.fne)              \
	SWITCH(pmslatfr, PMSLATFR_EL1, true)                      \
	SWITCH(pmsdsfr, PMSDSFR_EL1, spe_caps.pmsidr &PMSIDR_FDS) \
	SWITCH(pmbmar, PMBMAR_EL1, spe_caps.nvm)                  \
	SWITCH(pmbptr, PMBPTR_EL1, true)                          \
	SWITCH(pmbsr, PMBSR_EL1, true)                            \
	SWITCH(pmblimitr, PMBLIMITR_EL1, true)

struct spe_context {
	uint64_t pmscr;
#define SWITCH(name, reg, condition) uint64_t name;
	SPE_CONTEXT(SWITCH)
#undef SWITCH
};

struct vm {
	const struct vm_program *program;
	struct lower_context cpu;
	struct spe_context spe;
	uint64_t vttbr;
	uint64_t pa;	   /* of the window's memory, which is contiguous */
	bool irq_injected; /* the VM handles the buffer interrupt: masked at EL2 */
	uint64_t vmcr, list_register, active; /* of its virtual CPU interface */
	bool done;
	uint64_t turns, interrupts;
};

/* When a VM's turn ends. */
enum turns {
	TURNS_NEVER, /* with its work */
	TURNS_YIELD, /* at each HVC #SWITCH_YIELD */
	TURNS_TIMER, /* after a time, wherever it is */
};

struct schedule {
	enum turns turns;
	uint64_t slice;	    /* TURNS_TIMER: ticks of CNTPCT_EL0 */
	bool forget_pmsicr; /* the deliberate error, which must show */
};

/* Memory and tables for all VMs, once. */
void vm_init_all(struct vm *vms);
/* Back at the start of a program. */
void vm_reset(struct vm *vm, const struct vm_program *program);
/* Run count VMs in turns until all are done; vms[0] begins. False if one went wrong. */
bool vm_run(struct vm *vms, unsigned int count, const struct schedule *schedule);
/* The checksum of a VM that is done. */
uint64_t vm_result(const struct vm *vm);
/* Copy size bytes at an offset of a VM's struct window. */
void vm_copy(const struct vm *vm, size_t offset, void *to, size_t size);
/* Is the PA in the memory of this VM's window? */
bool vm_owns(const struct vm *vm, uint64_t pa);
/* How much of its log a VM has filled. */
uint64_t vm_log_used(const struct vm *vm);

/* vectors.S, switch_code.S */
extern char vectors_el1[];
extern char switch_memory[], switch_memory_end[], switch_branches[], switch_branches_end[];
#endif
#endif

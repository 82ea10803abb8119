/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine of RAM and one device for the tests of the interpreter.
 */
#ifndef TESTS_SOFT_CORE_SUPPORT_H
#define TESTS_SOFT_CORE_SUPPORT_H

#include "../../array.h"
#include "core_programs.h"
#include "engine.h"
#include "soft/run/ops.h"

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE UINT64_C(0x100000)
#define ROM_SIZE UINT64_C(0x10000)
#define ROM_BASE (RAM_BASE - ROM_SIZE)
#define CODE	 (RAM_BASE + 0x1000)
#define VECTORS	 (RAM_BASE + 0x10000)
#define DATA	 (RAM_BASE + 0x80000)
#define TABLES	 (RAM_BASE + 0xf0000)
#define BUFFER	 (RAM_BASE + 0xa0000)
#define DEVICE \
	UINT64_C(0x09000000) /* one page that reads as its address and raises IRQ when written */

#define VECTOR_SYNC UINT64_C(0x200) /* from EL1 with SP_EL1 */
#define VECTOR_IRQ  UINT64_C(0x280)

#define PC 31 /* for vcpu_get and vcpu_set */

struct core_options {
	unsigned int cpus; /* 0: one */
	bool single_step, spe;
	bool rom; /* there is memory in front of RAM that cannot be written */
	const struct engine_tuning *model; /* the part for the model; NULL: none */
	const struct spe_config *config;   /* NULL: the default */
	enum pmu_version pmu;		   /* its interrupt is FIQ */
	struct engine_levels levels;	   /* start of 0: only EL1 */
};

struct core_machine {
	struct core_options options;
	struct engine_vm *vm;
	struct engine_vcpu *cpu[4];
	unsigned int at;  /* the vCPU that the functions below are about */
	uint8_t *ram;	  /* the ROM_SIZE bytes before it are ROM */
	uint8_t *records; /* what was written to the profiling buffer */
	size_t record_bytes, record_room;
	unsigned int device_writes, device_reads;
	uint64_t ops_at_write; /* vcpu_ops in the last mmio_write */
	uint64_t cntvct;       /* CNTVCT_EL0; 0: it cannot be read */
	struct engine_exit exit;
};

/* The operation of a word here, with all features: until the next call. */
const struct soft_op *core_operation(uint32_t word);

/* How many times more than usual a test of random programs does: VSPE_TEST_EFFORT, or 1. */
uint64_t core_effort(void);

struct core_machine *core_new(struct core_options options);
void core_free(struct core_machine *m);
/* Save the vCPUs, and continue with new ones that load the state. */
void core_renew(struct core_machine *m);
/* Copy words (of machine code, not bytes) to pa. */
void core_load(struct core_machine *m, uint64_t pa, const uint32_t *words, size_t count);
#define CORE_LOAD(m, pa, words) core_load(m, pa, words, ARRAY_SIZE(words))
uint64_t core_get(const struct core_machine *m, unsigned int n);
void core_set(struct core_machine *m, unsigned int n, uint64_t value);
/* Run the vCPU for at most max_ops and return why it stopped. */
enum engine_exit_reason core_run(struct core_machine *m, uint64_t max_ops);
uint64_t core_read(const struct core_machine *m, uint64_t pa);
void core_write(struct core_machine *m, uint64_t pa, uint64_t value);
/* Registers 0 to 30 and PC equal? RAM equal? */
bool core_same(const struct core_machine *a, const struct core_machine *b);
/*
 * Page tables that map RAM to itself by pages of 4 KB, except for the page at hole. Sets the
 * registers that program_mmu_on needs, with the vectors at VECTORS.
 */
void core_map(struct core_machine *m, uint64_t hole);
/* Profile EL1 at this interval (a multiple of 256) into a buffer that is never full. */
void core_profile(struct core_machine *m, uint64_t interval);

/* Calls take(record, header, payload) for each packet of the n-th record of size bytes. */
void core_each_packet(const struct core_machine *m, size_t n, size_t size,
		      void (*take)(void *record, uint8_t header, uint64_t payload), void *record);

#endif

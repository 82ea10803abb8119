/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the vCPUs of a virtual machine share: memory, decoded code, the translator and the machine
 * model.
 */
#ifndef VSPE_SOFT_VM_H
#define VSPE_SOFT_VM_H

#include "arm/model_mode.h"
#include "engine.h"
#include "soft/op.h"
#include "soft/sys/unknown.h"

struct model;
struct soft_jit;
struct soft_needs;
struct soft_observer;

struct soft_model {
	enum model_mode mode;
	bool begins;	       /* what is restored has no state of it */
	struct model *machine; /* in memory, which is malloc'ed */
	void *memory;
	uint8_t *filters; /* with MODEL_WARM: of L1D and L1I of each vCPU, a byte a line of RAM */
	struct soft_needs *needs;	 /* what operations need, as they were last asked for */
	struct soft_observer *observers; /* of each vCPU: soft_observer() */
};

/*
 * What the fast loop needs from the run loop, which is above it, if an operation is selected, a
 * block must be found, or an operation executes without those around it: run/stretch.h.
 */
struct soft_passing {
	int64_t (*selection)(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);
	int64_t (*stop)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	const struct soft_op *(*link)(struct soft_cpu *cpu, int64_t budget);
	soft_handler *(*alone)(const struct soft_op *op);
};

/* What they return if the fast loop must be left. */
#define SOFT_PASS_NOT INT64_MIN

struct soft_vm {
	const struct soft_passing *passing;
	struct engine_host host;
	struct soft_cpu **cpus;
	unsigned int count;
	struct soft_code_page
		*pages; /* one per page of guest physical memory from pages_base to RAM's end */
	uint64_t pages_base;
	struct soft_block **hash;
	uint8_t *arena;
	uint64_t arena_used;
	struct soft_block *dropped; /* soft_code_written() */
	bool drop_all;		    /* drop every block before the next lookup */
	bool monitored;		    /* another vCPU than the one that runs has a monitor */
	uint64_t isa;		    /* optional instructions: sys/isa.h */
	uint16_t sve_vl;	    /* soft_sys.sve_vl */
	bool counted;		    /* blocks have tallies: run/counted.h */
	struct soft_model *model;   /* NULL: arm/model.h */
	struct soft_jit *jit;	    /* NULL: all is interpreted */
	struct soft_unknown unknown;
};

static inline uint8_t *soft_within(const struct engine_ram *ram, uint64_t pa, uint64_t size)
{
	const uint64_t offset = pa - ram->base;

	return offset < ram->size && size <= ram->size - offset ? ram->host + offset : NULL;
}

/* Host address of RAM at physical address pa, or NULL; all size bytes from it on are RAM. */
static inline uint8_t *soft_ram(const struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	return soft_within(&vm->host.ram, pa, size);
}

/* The same for readable memory: RAM or ROM. */
static inline const uint8_t *soft_memory(const struct soft_vm *vm, uint64_t pa, uint64_t size)
{
	const uint8_t *host = soft_ram(vm, pa, size);

	return host ? host : soft_within(&vm->host.rom, pa, size);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SPE for an unmodified QEMU: what the files of the plugin share. docs/qemu.md says what it does,
 * and docs/decisions/qemu.md why.
 *
 * Files call those below them: plugin -> translate -> access -> {count, exception} -> {operation,
 * watch, level, line} -> {buffer, model} -> {records, registers}; and plugin -> vmstate -> {image,
 * watch, line}.
 */
#ifndef VSPE_QEMU_PLUGIN_H
#define VSPE_QEMU_PLUGIN_H

#include <vspe/a64.h>

#include "qemu/api.h"
#include "qemu/registers.h"

#define NO_TARGET UINT64_MAX
#define NO_LINE	  UINT64_MAX
#define NO_PA	  UINT64_MAX

/* Read and written by translated code, for each vCPU. */
struct score {
	/* A block with at least so many instructions calls back before it counts itself. */
	uint64_t left;
	/* The index in the block of an instruction that calls back, or NO_TARGET. */
	uint64_t target;
	uint64_t block; /* struct block *, entered last; 0: what was left of it does not count */
	/* With a model: the line of the last instruction, its physical address >> 6, or NO_LINE. */
	uint64_t line;
	uint64_t branch; /* struct place * of a branch that has not arrived yet, or 0 */
};

struct block;

/* An instruction of a block. */
struct place {
	struct block *block;
	uint64_t va; /* where it was when it was translated: see place_pc() */
	uint32_t word;
	uint32_t index;
	bool armed;	  /* must it call back, as its inputs are not known at the block's start? */
	bool conditional; /* does its outcome depend on PSTATE.{N,Z,C,V}? */
	bool exclusive;	  /* is it a store-exclusive? */
	bool vector;	  /* is it of SVE? */
	bool watched;	  /* may its accesses call back? See operation_tells_accesses() */
	int64_t moved;	  /* what its base register has gained since the block's start */
	/* With a model: */
	uint64_t pa;	    /* its physical address, or NO_PA */
	enum a64_flow flow; /* the branch that it is */
};

/* A translation block of QEMU, for as long as its translation may be executed. */
struct block {
	struct block *next;
	uint32_t count;
	struct place at[];
};

/*
 * The operation that will be selected: the ahead-th that is counted from now on. The unit learns of
 * it once it has executed.
 */
struct plan {
	bool any;
	bool excepted;	/* it has taken an exception */
	bool aborted;	/* ... a data abort */
	bool exclusive; /* a store-exclusive */
	bool trusted;	/* whether a branch is taken was known when it was planned */
	bool data_pa_valid;
	uint64_t ahead;
	uint64_t data_pa;
	uint32_t word;
	uint16_t size; /* bytes of its data access */
	bool vector;   /* an SVE instruction */
	struct spe_op op;
	bool timed_any; /* the model has seen it: */
	struct spe_op timed;
};

/*
 * Registers that change only by an MSR, which is watched, so that they need not be read for each
 * sample: QEMU is slow to read a register.
 */
struct known {
	bool any;
	bool el1;		      /* it is EL1 that owns the buffer */
	uint64_t epoch;		      /* how often it was read */
	uint64_t invalidations;	      /* plugin.invalidations, then */
	uint64_t sctlr, ttbr0, ttbr1; /* of the owning level */
	uint64_t contextidr_el1, contextidr_el2, cntvoff_el2, cntfrq_el0;
};

/* Where a page is, as a TLB has it. */
struct translation {
	bool any;
	uint8_t el;
	uint64_t epoch;
	uint64_t va, pa; /* of its first byte */
};

#define TRANSLATIONS 16u

/* With a model: a line whose next access changes nothing in it. */
struct seen {
	uint64_t line;	/* virtual address >> 6 */
	uint64_t epoch; /* it is valid in: see model.c */
	uint32_t set;	/* of L1D */
	bool stored;	/* ... not even a store changes anything */
};

/* By bits [11:6] of addresses, which virtual and physical ones share. */
#define SEEN	  64u
#define SEEN_WAYS 4u

/* With a model: the last instruction line of a set of L1I. */
struct fetched {
	uint64_t line; /* physical address >> 6 */
	uint64_t epoch;
};

struct vcpu {
	unsigned int index;
	struct registers registers;
	struct spe_unit unit;
	struct sysreg_controls controls;
	struct score *score;
	uint64_t base; /* score->left when the unit last learned what had been counted */
	bool stale;    /* the Exception level or the controls may have changed */
	bool illegal;  /* PSTATE.IL */
	bool line;     /* the level of PMBIRQ that the GIC knows */
	struct plan plan;
	uint64_t chosen; /* generates the numbers that choose an element of a gather */
	struct seen seen[SEEN][SEEN_WAYS];
	struct fetched fetched[SEEN];
	uint64_t switches; /* addresses may have changed their meaning so many times */
	struct known known;
	struct translation buffer; /* of a page of it */
	struct translation data[TRANSLATIONS];
	bool profiles;	/* PMBLIMITR_EL1.E; atomic */
	uint64_t quiet; /* instructions counted since plugin.activity was seen to change */
	uint64_t activity;
	uint64_t trapped; /* accesses that should have gone to a hypervisor */
	uint64_t missed;  /* selections of operations that were over */
	/* Collisions of the unit that did not happen in this QEMU: they came with its state. */
	uint64_t foreign_collisions;
};

/* Everything that exists once; options.c has what can be chosen. */
struct plugin {
	qemu_plugin_id_t id;
	struct qemu_plugin_scoreboard *scores;
	struct vcpu *vcpus;
	unsigned int count; /* of vcpus */
	struct spe_config config;
	uint64_t ram_start, ram_end;
	uint64_t invalidations; /* TLBIs of all vCPUs; atomic */
	bool stats;
	bool modelled;		     /* model=warm */
	const struct spe_core *core; /* whose model it is, or NULL */
	uint32_t midr;		     /* of the core whose records they are, or 0 */
	const char *perf_data;
	/*
	 * Are operations counted? Not before a guest enables a profiling buffer: then everything is
	 * translated anew, and again when no guest has had one for long.
	 */
	bool counting;
	bool resetting;	   /* a change of that is under way; atomic */
	uint64_t activity; /* how often a profiling buffer was enabled; atomic */
	/* Blocks with more instructions than this could have two selected operations. */
	uint64_t spacing;
	void (*callbacks)(void); /* tell QEMU of all callbacks, of which it has none */
};

extern struct plugin plugin;

#endif

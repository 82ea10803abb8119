/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two sides of the comparison: qemu-aarch64, and the software CPU in each of its ways to run.
 */
#ifndef VSPE_TESTS_DIFF_SIDES_H
#define VSPE_TESTS_DIFF_SIDES_H

#include "a64/a64.h"
#include "case.h"
#include <stdbool.h>
#include <stdlib.h>
#include "oracle.h"

/* Is text a number that is not negative? Of an option. */
static inline bool diff_number(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 0);
	return end != text && !*end && *text != '-';
}

/*
 * Run count (at most CASE_BATCH) cases with the program runner under the command qemu, on one of
 * its CPUs. Returns 0; or -1 and a line on stderr.
 */
int qemu_run(const char *qemu, enum case_cpu cpu, const char *runner,
	     const struct case_input *inputs, unsigned int count, struct case_output *outputs);

/* Ways to run the software CPU; all must give the same results. */
enum soft_way {
	SOFT_WAY_STEP,	  /* single steps; counts the executed instructions by row */
	SOFT_WAY_FREE,	  /* without interruption */
	SOFT_WAY_SLICES,  /* leave vcpu_run after every few operations, an odd number each time */
	SOFT_WAY_PROFILE, /* with SPE enabled, samples at odd distances */
	SOFT_WAY_PROFILE_STEP, /* the same in single steps: the same samples */
	/* As FREE, SLICES and PROFILE, all of it translated where there is a translator. */
	SOFT_WAY_TRANSLATED,
	SOFT_WAY_TRANSLATED_SLICES,
	SOFT_WAY_TRANSLATED_PROFILE,
	SOFT_WAYS,
};

const char *soft_side_way_name(enum soft_way way);

struct soft_side;

/* NULL and a line on stderr when the engine cannot be set up. */
struct soft_side *soft_side_open(enum soft_way way);
void soft_side_close(struct soft_side *side);

#define ROW_UNDEFINED A64_COUNT /* counts the words that are no row */
#define ROWS	      (A64_COUNT + 1)

/*
 * Run a case at slot index of a batch. executed has a counter for each row and may be NULL; only
 * SOFT_WAY_STEP counts. Returns the operations executed at EL0, up to and including the one that
 * ended the case.
 */
uint64_t soft_side_run(struct soft_side *side, unsigned int index, const struct case_input *input,
		       struct case_output *output, uint64_t executed[ROWS]);

/*
 * A case instruction by instruction, on a side of SOFT_WAY_STEP: put it at slot index, up to its
 * first instruction; execute one, false: it did not go on to another, for an exception. In between,
 * the registers, and memory at CASE_SCRATCH and of the slot.
 */
bool soft_side_enter(struct soft_side *side, unsigned int index, const struct case_input *input);
bool soft_side_step(struct soft_side *side);
void soft_side_state(const struct soft_side *side, struct oracle_state *state);
void soft_side_memory(struct soft_side *side, unsigned int index, uint8_t scratch[CASE_BYTES],
		      uint8_t code[CASE_SLOT]);

/* Sample records written since soft_side_open(), and a hash of their bytes. */
uint64_t soft_side_records(struct soft_side *side);
uint64_t soft_side_digest(const struct soft_side *side);

#endif

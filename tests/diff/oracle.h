/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs the instructions of the software CPU once more, in this process: a library of another
 * project reached by a few functions of C++. It works in memory at the addresses of the case.
 */
#ifndef VSPE_TESTS_DIFF_ORACLE_H
#define VSPE_TESTS_DIFF_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What EL0 sees of the registers, before or after an instruction */
struct oracle_state {
	uint64_t x[31];
	uint64_t sp, pc;
	uint64_t nzcv; /* bits [31:28] */
	uint64_t fpcr, fpsr;
	uint64_t v[32][2];
};

enum oracle_answer {
	ORACLE_DONE,
	ORACLE_ABSENT, /* it says that it does not have the instruction */
	ORACLE_BROKEN, /* it made the process receive a signal */
};

struct oracle {
	const char *name;
	uint64_t fpcr;	   /* the bits of FPCR that it has */
	uint64_t fpsr;	   /* ... and of FPSR */
	unsigned int rows; /* of the A64 table that it has, at least */
	bool (*open)(void);
	/* A case begins: no exclusive monitor is set, and the code is new. */
	void (*begin)(void);
	/* Execute the instruction at state->pc. */
	enum oracle_answer (*step)(struct oracle_state *state);
};

extern const struct oracle oracle;

/* How it differs from the Arm ARM. */
enum oracle_fault {
	ORACLE_LACKS, /* the instruction, without saying so: nothing is compared */
	ORACLE_ERRS,  /* with some words or values */
	ORACLE_MAY,   /* do what it does: the Arm ARM leaves the choice */
	ORACLE_FLAGS, /* ... in FPSR alone; all else must be equal */
	/* ... in FPSR.IXC alone, of a result that FPCR.FZ flushes; of any row, id shows it often */
	ORACLE_FLUSHES,
	ORACLE_KEEPS, /* ... bytes of Vd as they were which are to be 0, alone */
	ORACLE_NANS,  /* ... in which NaN an element of 32 bits of Vd becomes, alone */
};

#define ORACLE_ANY UINT32_MAX /* row */

/*
 * Instructions of row id, of which it is known that the oracle differs: those whose word has value
 * under mask and, with overlap, whose Rd is Rn or Rm too. reason says in what, and by which text.
 */
struct oracle_known {
	uint32_t id; /* enum a64_id */
	uint32_t mask, value;
	bool overlap;
	enum oracle_fault fault;
	const char *reason;
};

extern const struct oracle_known oracle_known[];
extern const unsigned int oracle_known_count;

#ifdef __cplusplus
}
#endif

#endif

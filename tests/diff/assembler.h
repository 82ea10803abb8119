/* SPDX-License-Identifier: BSD-2-Clause */
/* An assembler of the translator, and GNU objdump: what it wrote has to be read as it was meant. */
#ifndef VSPE_TESTS_DIFF_ASSEMBLER_H
#define VSPE_TESTS_DIFF_ASSEMBLER_H

#include "soft/run/jit/code.h"

struct assembler {
	const char *there;   /* a command that succeeds where there is such an objdump */
	const char *missing; /* what is said otherwise */
	const char *objdump; /* the command, up to the file's name */
	const char *comment; /* what begins one in what it prints */
	unsigned int forms;
	void (*write)(struct jit_code *code); /* and expect */
};

/* The next instruction's text, with single blanks. */
void expect(const char *text);

/* What the test exits with: 0 agreed, 1 differed, 2 not tried, 77 no objdump. */
int compare_with_objdump(const struct assembler *assembler);

#endif

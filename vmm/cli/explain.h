/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe explain: what its two halves share, the command line and the output. */
#ifndef VSPE_CLI_EXPLAIN_H
#define VSPE_CLI_EXPLAIN_H

#include <stdio.h>
#include <vspe/sysreg.h>

#include "soft/explain.h"

/* The Security state of the PE below EL3; EL3 is in it too, or in Root state with FEAT_RME. */
enum explain_state { EXPLAIN_NON_SECURE, EXPLAIN_SECURE, EXPLAIN_REALM };

struct explain_request {
	struct sysreg_controls controls;
	struct sysreg_access access; /* reg is SYSREG_COUNT if the register is none of SPE's */
	unsigned int other;	     /* ... in which case it is this one of soft_explain_name() */
	struct soft_explain pe;	     /* what decides, in addition to controls */
	bool json;
};

/*
 * An access to a register, with control registers and features, by name. Allocates nothing, and
 * writes an error to messages in one line. CLI_GO_ON (cli/options.h), or the exit code.
 */
int explain_parse(int argc, char **argv, struct explain_request *request, FILE *messages);

/*
 * The route and the conditions on the way. For a register that is not SPE's, only the deciding one.
 */
void explain_print(const struct explain_request *request, FILE *out);

/* The name of the PE's state by its controls; static storage. */
const char *explain_state_name(const struct sysreg_controls *controls);

/* What --list prints. */
void explain_list(FILE *out);

#endif

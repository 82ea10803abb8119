/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a point with another's code in a separate process, so that the report continues if it
 * crashes.
 */
#ifndef VSPE_CONFORM_WORKER_H
#define VSPE_CONFORM_WORKER_H

#include "conform/suite.h"

/* Like point->run(). A process that ends by itself, or by a signal, is a failure. */
void worker_run(const struct suite_point *point, atomic_ullong *done, struct suite_result *result,
		FILE *details);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A point of somebody else's code, in a process of its own, so that the report goes on. */
#ifndef VSPE_CONFORM_WORKER_H
#define VSPE_CONFORM_WORKER_H

#include "conform/suite.h"

/* As point->run() does. A process that ends by itself, or by a signal, is a failure. */
void worker_run(const struct suite_point *point, atomic_ullong *done, struct suite_result *result,
		FILE *details);

#endif

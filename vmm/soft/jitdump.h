/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generated code for perf on the host: a file jit-PID.dump in the current folder, from which perf
 * inject --jit makes symbols (Linux, tools/perf/Documentation/jitdump-specification.txt, version
 * 1). perf's simpler /tmp/perf-PID.map works only for anonymous memory, which the code is not in.
 */
#ifndef VSPE_SOFT_JITDUMP_H
#define VSPE_SOFT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Begin the file of this process, if there is none, before a sandbox forbids it. 0, or a negative
 * error number, such as -EEXIST. Once is enough.
 */
int soft_jitdump_open(void);
/* Has it begun? */
bool soft_jitdump_is_open(void);

/*
 * size bytes of code, at code, are the block of guest instructions at va. Does nothing without a
 * file.
 */
void soft_jitdump_add(const void *code, size_t size, uint64_t va);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ and Rust as in their sources. */
#ifndef VSPE_TRACE_DEMANGLE_H
#define VSPE_TRACE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Turn a linker's name into the source's, without parameters, as perf shows it: _ZN4llvm3runEv is
 * "llvm::run". The text is cut off if out, of size bytes, is full. False if it is not such a name;
 * out is then of no use. The name is not trusted: one whose text would be over 16 KiB is refused.
 */
bool demangle(const char *name, char *out, size_t size);

#endif

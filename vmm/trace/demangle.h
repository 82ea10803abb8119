/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ and Rust as their sources have them. */
#ifndef VSPE_TRACE_DEMANGLE_H
#define VSPE_TRACE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What a linker's name stands for, without parameters as perf shows it: _ZN4llvm3runEv is
 * "llvm::run". Cut off where out, of size bytes, is full. false: it is no such name, and out holds
 * nothing of use. The name may be anybody's: one whose text would be over 16 KiB is none.
 */
bool demangle(const char *name, char *out, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generated code for a debugger of vspe itself, by GDB's JIT interface: the debugger finds
 * __jit_debug_descriptor, and stops where it changes (GDB's manual, "JIT Compilation Interface").
 * It learns names, but not how to unwind.
 */
#ifndef VSPE_SOFT_JITGDB_H
#define VSPE_SOFT_JITGDB_H

#include <stddef.h>
#include <stdint.h>

/* Begin to register code: before this call the functions below do nothing. */
void soft_jitgdb_begin(void);

/* size bytes of code, at code, are the block of guest instructions at va. */
void soft_jitgdb_add(const void *code, size_t size, uint64_t va);

/* Unregister all code. */
void soft_jitgdb_drop(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that generated code is written to at one address and executed at another. No address is
 * both writable and executable.
 */
#ifndef VSPE_SOFT_CODE_MEMORY_H
#define VSPE_SOFT_CODE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "soft/jit.h"

/* Is there a translator in this build, for this host? */
#if (defined(__x86_64__) || defined(__AARCH64EL__)) && defined(__LP64__) && SOFT_TAIL_CALLS
#define SOFT_JIT 1
#else
#define SOFT_JIT 0
#endif

/* The host, as ELF files name it. */
#ifdef __aarch64__
#define SOFT_JIT_MACHINE EM_AARCH64
#else
#define SOFT_JIT_MACHINE EM_X86_64
#endif

/* Two views of SOFT_JIT_CODE bytes, whose size cannot change. */
struct soft_code_memory {
	uint8_t *writable, *executable; /* NULL: there is none */
	bool taken;
};

/*
 * Reserve memory for the process's first machine with a translator, and for its successors: a
 * sandbox forbids to get it later. 0, or a negative error number: -ENOSYS without a translator.
 */
int soft_code_memory_reserve(void);

/* Is there such, that no machine has? */
bool soft_code_memory_reserved(void);

/* The reserved memory, or else new memory, to be given back. NULL: errno says why. */
struct soft_code_memory *soft_code_memory_take(void);
void soft_code_memory_give_back(struct soft_code_memory *memory);

#endif

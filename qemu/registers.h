/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a vCPU of QEMU's. */
#ifndef VSPE_QEMU_REGISTERS_H
#define VSPE_QEMU_REGISTERS_H

#include "qemu/api.h"

enum register_id {
#define REGISTER(name) QEMU_##name,
#include "qemu/registers.def"
#undef REGISTER
	QEMU_REGISTERS
};

struct registers {
	struct qemu_plugin_register *x[32];	    /* X0 to X30, and the current stack pointer */
	struct qemu_plugin_register *z[32], *p[16]; /* NULL without SVE */
	struct qemu_plugin_register *at[QEMU_REGISTERS];
};

/* Find them in the callback for a new vCPU, as QEMU requires. false: not even the PC exists. */
bool registers_find(struct registers *registers);

/* 0 for a register that the vCPU does not have. */
uint64_t register_get(const struct registers *registers, enum register_id id);

uint64_t register_x(const struct registers *registers, unsigned int n);
/* Their bits 64 * index and up; 0 without SVE. */
uint64_t register_z(const struct registers *registers, unsigned int n, unsigned int index);
uint64_t register_p(const struct registers *registers, unsigned int n, unsigned int index);

void register_set_x(const struct registers *registers, unsigned int n, uint64_t value);

/*
 * Returns an empty array, for this thread until the next call of any function here, which uses it.
 */
GByteArray *registers_scratch(void);

#endif

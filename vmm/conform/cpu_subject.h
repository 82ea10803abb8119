/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software CPU as a subject: where an access to a system register, or a SYS instruction, that
 * is neither SPE's nor the PMU's ends. Whoever has such a CPU fills it in.
 */
#ifndef VSPE_CONFORM_CPU_SUBJECT_H
#define VSPE_CONFORM_CPU_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "conform/statement.h"

struct cpu_answer {
	struct outcome outcome; /* name: of the register reached, or NULL if it is none */
	uint32_t iss;		/* SYSREG_TRAP */
};

struct cpu_subject {
	/* Does it have that encoding at all, as sysreg_encode() makes it? */
	bool (*has)(uint32_t encoding);
	/* Its registers by number, with the encoding, or NULL if there are no more. */
	const char *(*name)(unsigned int reg, uint32_t *encoding);
	/* A PE whose registers are 0, without optional features; NULL: no memory. */
	void *(*create)(void);
	void (*destroy)(void *pe);
	/* The place of a control register in it, or NULL if no access depends on it. */
	uint64_t *(*control)(void *pe, const char *reg);
	/* Give it a feature, without FEAT_, or a level ("EL2"). */
	void (*set_feature)(void *pe, const char *name, bool on);
	/* Leave in its control registers what a guest could have written there. */
	void (*settle)(void *pe);
	/* Ask. name of the answer has size bytes for the register's name. */
	struct cpu_answer (*route)(void *pe, uint8_t el, uint32_t encoding, bool write, uint8_t rt,
				   char *name, size_t size);
};

#endif

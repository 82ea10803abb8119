/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that QEMU's program exports for its modules, by name, and that its interface for
 * plugins lacks (docs/decisions/qemu.md, QEMU-2).
 */
#ifndef VSPE_QEMU_EXPORTED_H
#define VSPE_QEMU_EXPORTED_H

#include <stddef.h>

struct exported {
	const char *name;
	void *at; /* where its address goes: a pointer of its type */
};

/* Find all. Returns NULL, or the name of the first that QEMU does not export. */
const char *exported_find(const struct exported *rows, size_t count);

#endif

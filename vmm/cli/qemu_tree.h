/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's own device tree of a machine, with SPE in it. */
#ifndef VSPE_CLI_QEMU_TREE_H
#define VSPE_CLI_QEMU_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/qemu_command.h"

/* Guest physical addresses of RAM, the end excluded. */
struct qemu_ram {
	uint64_t start, end;
};

/*
 * Add SPE to a tree of *size bytes in memory that has room for more; *size is what it has then, and
 * *ram what it says of RAM. 0, or -1 and a line in why: the tree is none, or of a machine that
 * cannot have SPE.
 */
int qemu_tree_edit(void *tree, size_t *size, size_t room, struct qemu_ram *ram, char *why,
		   size_t why_size);

/*
 * Ask QEMU for the tree of the machine that a command makes, by another start of it that has
 * nothing but the machine, and put it with SPE into the file at path; or, where path is empty, into
 * one that a program started by this process finds at path, and which ends with both. 0, or -1 and
 * a line.
 */
int qemu_tree_make(const struct qemu_command *command, char *path, size_t size,
		   struct qemu_ram *ram, char *why, size_t why_size);

#endif

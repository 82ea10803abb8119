/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's device tree of a machine, with SPE added. */
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
 * Add SPE to a tree of *size bytes in memory that has room for more. *size becomes its new size,
 * and *ram the RAM that it describes. 0, or -1 and a line in why: it is not a tree, or the machine
 * cannot have SPE.
 */
int qemu_tree_edit(void *tree, size_t *size, size_t room, struct qemu_ram *ram, char *why,
		   size_t why_size);

/*
 * Start QEMU with nothing but the machine of a command, to get its tree, add SPE, and write it to
 * the file at path. If path is empty, make an unnamed file, and set path so that programs started
 * by this process find it; it ends with both. 0, or -1 and a line.
 */
int qemu_tree_make(const struct qemu_command *command, char *path, size_t size,
		   struct qemu_ram *ram, char *why, size_t why_size);

#endif

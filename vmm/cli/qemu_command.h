/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU command, word by word. */
#ifndef VSPE_CLI_QEMU_COMMAND_H
#define VSPE_CLI_QEMU_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zeros is empty. words ends with NULL; the command owns everything in it. */
struct qemu_command {
	char **words;
	size_t count;
	bool failed; /* no memory for a word: the command stays as it was */
};

/*
 * Add a copy of one word, or of two; or take over a word from malloc(), where NULL means failure.
 */
void qemu_command_add(struct qemu_command *command, const char *word);
void qemu_command_add_two(struct qemu_command *command, const char *name, const char *value);
void qemu_command_take(struct qemu_command *command, char *word);

/*
 * Make the command that creates the machine of another and nothing else: what the device tree
 * depends on, without what others listen to or hold open, such as character devices, monitors,
 * networks and disks.
 */
void qemu_command_machine(struct qemu_command *machine, const struct qemu_command *command);

/* Print one line for a shell. */
void qemu_command_print(const struct qemu_command *command, FILE *out);

void qemu_command_free(struct qemu_command *command);

#define QEMU_PROGRAM "qemu-system-aarch64"
/* How to install it, for messages. */
#define QEMU_INSTALL                                             \
	"on Debian 13, with trixie-backports in apt's sources: " \
	"sudo apt install -t trixie-backports qemu-system-arm"

enum qemu_release {
	QEMU_IS_NONE, /* no QEMU, or it cannot be run */
	QEMU_IS_OLD,  /* its plugins cannot do what SPE needs */
	QEMU_IS_NEW,
};

/*
 * Ask a program for its version. line gets it, as "11.1.0 (Debian ...)", except for QEMU_IS_NONE.
 */
enum qemu_release qemu_command_release(const char *program, char *line, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A command of QEMU's, word by word. */
#ifndef VSPE_CLI_QEMU_COMMAND_H
#define VSPE_CLI_QEMU_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of zeros it is empty. words ends with NULL and is the command's, with all in it. */
struct qemu_command {
	char **words;
	size_t count;
	bool failed; /* no memory for a word: there is no more of it than was there before */
};

/* Add a copy of a word, or of two; or take a word that was made by malloc(), NULL: it failed. */
void qemu_command_add(struct qemu_command *command, const char *word);
void qemu_command_add_two(struct qemu_command *command, const char *name, const char *value);
void qemu_command_take(struct qemu_command *command, char *word);

/*
 * The command that makes the machine of another and nothing else: what the device tree depends on,
 * without what somebody else listens to or holds open, such as character devices, monitors,
 * networks and disks.
 */
void qemu_command_machine(struct qemu_command *machine, const struct qemu_command *command);

/* One line, as a shell reads it. */
void qemu_command_print(const struct qemu_command *command, FILE *out);

void qemu_command_free(struct qemu_command *command);

#define QEMU_PROGRAM "qemu-system-aarch64"
/* How it is had, for messages. */
#define QEMU_INSTALL \
	"sudo apt install -t trixie-backports qemu-system-arm (of Debian 13's backports)"

enum qemu_release {
	QEMU_IS_NONE, /* no QEMU, or it cannot be run */
	QEMU_IS_OLD,  /* its plugins cannot do what SPE needs */
	QEMU_IS_NEW,
};

/* Ask a program for its version, which goes to line, as "11.1.0 (Debian ...)", but of NONE. */
enum qemu_release qemu_command_release(const char *program, char *line, size_t size);

#endif

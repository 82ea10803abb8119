/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of guests (tests/guest/guests.list, whose head says what the columns are): what to start
 * where, with which arguments, and what its TAP has to have.
 */
#ifndef VSPE_CONFORM_GUEST_LIST_H
#define VSPE_CONFORM_GUEST_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct guest_row {
	char *name;
	char *on;    /* "vspe", or the name of another program */
	char *image; /* file name in the folder of guests: NAME.Image or NAME.elf */
	unsigned int plan, skips;
	unsigned int seconds;
	char **arguments; /* count of them, unquoted */
	size_t argument_count;
	unsigned int line;
};

struct guest_list {
	const char *path; /* as it was given */
	struct guest_row *rows;
	size_t count;
};

/*
 * Read a list. False if it cannot be read or a row is wrong: then one line in why, with file and
 * line, and nothing is left to free. path must outlive the list.
 */
bool guest_list_read(struct guest_list *list, const char *path, char *why, size_t size);
void guest_list_free(struct guest_list *list);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of guests (tests/guest/guests.list, whose head describes the columns): what to start
 * where, with which arguments, and what its TAP must have.
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
	const char *path; /* as the user gave it */
	struct guest_row *rows;
	size_t count;
};

/*
 * Read a list. False if it cannot be read or a row is wrong. In that case why has one line with
 * file and line, and there is nothing to free. path must outlive the list.
 */
bool guest_list_read(struct guest_list *list, const char *path, char *why, size_t size);
void guest_list_free(struct guest_list *list);

#endif

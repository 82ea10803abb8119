/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where machines are known to differ from the architecture (tests/guest/known.def, whose head
 * describes the columns). A guest states the architecture's rule, whatever the machine's makers
 * think. A test that fails as this list says is an XFAIL, and one that passes nevertheless an
 * XPASS.
 */
#ifndef VSPE_CONFORM_KNOWN_H
#define VSPE_CONFORM_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

struct known_row {
	char *machine, *versions, *test, *instead, *source;
	unsigned int line;
};

struct known_list {
	struct known_row *rows;
	size_t count;
};

/* A machine: name_length characters of name, and its version, numbers with dots. */
struct known_machine {
	const char *name;
	size_t name_length;
	const char *version; /* ends before what follows the numbers */
};

#define KNOWN_MACHINES_MOST 8

/*
 * Read a list. False if it cannot be read or a row is wrong. In that case why has one line with
 * file and line, and there is nothing to free.
 */
bool known_list_read(struct known_list *list, const char *path, char *why, size_t size);
void known_list_free(struct known_list *list);

/* Parse "NAME,VERSION", which must outlive the machine. False for any other text. */
bool known_machine_parse(struct known_machine *machine, const char *text);

/* Is a version one of versions: "7.2", which includes 7.2.1, "7.2-10.0", "-10", "8-" or "-"? */
bool known_version_in(const char *version, const char *versions);

/* The first row about this test on one of these machines, or NULL. */
const struct known_row *known_find(const struct known_list *list,
				   const struct known_machine *machines, size_t count,
				   const char *test);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of lines share: lines.c opens files and answers, lines_unit.c reads a unit. */
#ifndef VSPE_TRACE_LINES_PARTS_H
#define VSPE_TRACE_LINES_PARTS_H

#include "trace/lines.h"
#include "trace/names.h"

#include <elfutils/libdw.h>

/* Code of a function, or of an inlined call. Addresses are the file's own. */
struct lines_code {
	uint64_t low, high;
	uint32_t parent; /* the number of the enclosing one, plus 1; or 0 */
	uint32_t function;
	uint32_t call_file, call_line; /* of the inlined call */
	bool inlined;
};

/* A variable that has an address, and its type. */
struct lines_variable {
	uint64_t address; /* the file's own */
	Dwarf_Die type;
};

struct lines_unit {
	Dwarf_Die die;
	uint64_t bytes; /* of the unit: each of its entries has at least one */
	bool read;
	struct lines_code *code; /* by low, the outer before the inner */
	size_t count, room;
	struct lines_variable *variables;
	size_t variable_count, variable_room;
};

/* Read the code and variables of a unit, at most *most in total, and subtract them from *most. */
void lines_unit_read(struct lines_unit *unit, struct names *names, size_t *most);
/* The innermost code at an address, or NULL. */
const struct lines_code *lines_unit_find(const struct lines_unit *unit, uint64_t address);
/* The path of a file that a unit names, or LINES_NONE. */
uint32_t lines_path(struct lines_unit *unit, const char *path, struct names *names);
/* Is a DWARF entry a variable with an address? If so, fill in variable. */
bool lines_variable_read(Dwarf_Die *die, struct lines_variable *variable);
/* "[2].next": the field at an offset. False: not a field, or not known. */
bool lines_variable_field(const struct lines_variable *variable, uint64_t offset, char *text,
			  size_t size);
/* The name from the linker or the source, as it is shown. */
uint32_t lines_function_name(Dwarf_Die *die, struct names *names);

#endif

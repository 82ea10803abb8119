/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of lines share: lines.c opens and asks, lines_unit.c reads a unit. */
#ifndef VSPE_TRACE_LINES_PARTS_H
#define VSPE_TRACE_LINES_PARTS_H

#include "trace/lines.h"
#include "trace/names.h"

#include <elfutils/libdw.h>

/* Code of a function, or of a call that was inlined. Addresses are the file's own. */
struct lines_code {
	uint64_t low, high;
	uint32_t parent; /* the one it lies in: its number and 1, or 0 */
	uint32_t function;
	uint32_t call_file, call_line; /* of what was inlined */
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

/* Read what code and variables a unit has; at most *most of both, which becomes less. */
void lines_unit_read(struct lines_unit *unit, struct names *names, size_t *most);
/* The innermost of them at an address, or NULL. */
const struct lines_code *lines_unit_find(const struct lines_unit *unit, uint64_t address);
/* The path of a file that a unit names, or LINES_NONE. */
uint32_t lines_path(struct lines_unit *unit, const char *path, struct names *names);
/* Is an entry of DWARF a variable that has an address? Then it is filled in. */
bool lines_variable_read(Dwarf_Die *die, struct lines_variable *variable);
/* "[2].next": what is offset bytes in it. false: no field of it, or nothing is known of that. */
bool lines_variable_field(const struct lines_variable *variable, uint64_t offset, char *text,
			  size_t size);
/* What a linker or the source calls it, as it is shown. */
uint32_t lines_function_name(Dwarf_Die *die, struct names *names);

#endif

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

struct lines_unit {
	Dwarf_Die die;
	uint64_t bytes; /* of the unit: each of its entries has at least one */
	bool read;
	struct lines_code *code; /* by low, the outer before the inner */
	size_t count, room;
};

/* Read what code a unit has; at most *most pieces, which becomes less. */
void lines_unit_read(struct lines_unit *unit, struct names *names, size_t *most);
/* The innermost of them at an address, or NULL. */
const struct lines_code *lines_unit_find(const struct lines_unit *unit, uint64_t address);
/* The path of a file that a unit names, or LINES_NONE. */
uint32_t lines_path(struct lines_unit *unit, const char *path, struct names *names);
/* What a linker or the source calls it, as it is shown. */
uint32_t lines_function_name(Dwarf_Die *die, struct names *names);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What code a unit of DWARF has: see lines_parts.h. */
#include "trace/lines_parts.h"

#include "base/memory.h"
#include "base/search.h"
#include "trace/demangle.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH	   256u	 /* of nested entries; deeper ones are skipped */
#define NAME_BYTES 1024u /* bytes */

static uint32_t number_of(struct names *names, const char *text)
{
	return text ? names_number(names, text, NAME_BYTES) : LINES_NONE;
}

uint32_t lines_function_name(Dwarf_Die *die, struct names *names)
{
	char text[NAME_BYTES];
	Dwarf_Attribute attribute;
	const char *linkage = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		linkage = dwarf_formstring(&attribute);
	if (linkage && demangle(linkage, text, sizeof(text)))
		return number_of(names, text);
	if (dwarf_attr_integrate(die, DW_AT_name, &attribute))
		return number_of(names, dwarf_formstring(&attribute));
	return number_of(names, linkage);
}

/* Relative paths are relative to where the compiler ran. */
uint32_t lines_path(struct lines_unit *unit, const char *path, struct names *names)
{
	char text[PATH_MAX];
	Dwarf_Attribute attribute;
	const char *folder = NULL;

	if (!path)
		return LINES_NONE;
	if (*path != '/' && dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
		folder = dwarf_formstring(&attribute);
	(void)snprintf(text, sizeof(text), "%s%s%s", folder ? folder : "", folder ? "/" : "", path);
	return names_number(names, text, sizeof(text) - 1);
}

static uint32_t number_at(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Of the calls of one unit. */
static uint32_t call_file(struct lines_unit *unit, Dwarf_Die *die, struct names *names)
{
	const uint32_t number = number_at(die, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(&unit->die, &files, &count) || number >= count)
		return LINES_NONE;
	return lines_path(unit, dwarf_filesrc(files, number, NULL, NULL), names);
}

static void keep(struct lines_unit *unit, struct lines_code code)
{
	if (unit->count == unit->room) {
		unit->room = unit->room ? 2 * unit->room : 64;
		unit->code = memory_need(realloc(unit->code, unit->room * sizeof(*unit->code)));
	}
	unit->code[unit->count++] = code;
}

/* Take the pieces of code of an entry. */
static void take(struct lines_unit *unit, Dwarf_Die *die, struct names *names, size_t *most)
{
	const int tag = dwarf_tag(die);
	struct lines_code code = {.inlined = tag == DW_TAG_inlined_subroutine,
				  .function = LINES_NONE,
				  .call_file = LINES_NONE};
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	bool named = false;

	if (tag != DW_TAG_subprogram && !code.inlined)
		return;
	while (*most && (next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (!named) {
			code.function = lines_function_name(die, names);
			if (code.inlined) {
				code.call_file = call_file(unit, die, names);
				code.call_line = number_at(die, DW_AT_call_line);
			}
			named = true;
		}
		code.low = low;
		code.high = high;
		keep(unit, code);
		(*most)--;
	}
}

static void take_variable(struct lines_unit *unit, Dwarf_Die *die, size_t *most)
{
	struct lines_variable variable;

	if (!*most || !lines_variable_read(die, &variable))
		return;
	(*most)--;
	if (unit->variable_count == unit->variable_room) {
		unit->variable_room = unit->variable_room ? 2 * unit->variable_room : 16;
		unit->variables = memory_need(
			realloc(unit->variables, unit->variable_room * sizeof(*unit->variables)));
	}
	unit->variables[unit->variable_count++] = variable;
}

static int compare(const void *one, const void *other)
{
	const struct lines_code *a = one, *b = other;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return (int)a->parent - (int)b->parent; /* how deep it is */
}

/* Sort the outer before the inner, and link each to its outer one. */
static void nest(struct lines_unit *unit)
{
	uint32_t outer = 0;

	if (unit->count)
		qsort(unit->code, unit->count, sizeof(*unit->code), compare);
	for (size_t i = 0; i < unit->count; i++) {
		struct lines_code *code = &unit->code[i];

		while (outer && unit->code[outer - 1].high <= code->low)
			outer = unit->code[outer - 1].parent;
		code->parent = outer;
		outer = (uint32_t)i + 1;
	}
}

/*
 * Visit all entries, the inner after the outer. The bytes of the unit limit their number, because
 * their references may form cycles.
 */
void lines_unit_read(struct lines_unit *unit, struct names *names, size_t *most)
{
	Dwarf_Die path[DEPTH], next;
	unsigned int depth = 0;
	uint64_t left = unit->bytes;

	unit->read = true;
	if (dwarf_child(&unit->die, &path[0]))
		return;
	while (left--) {
		const size_t before = unit->count;

		take(unit, &path[depth], names, most);
		take_variable(unit, &path[depth], most);
		for (size_t i = before; i < unit->count; i++)
			unit->code[i].parent = depth;
		if (depth + 1 < DEPTH && dwarf_child(&path[depth], &next) == 0) {
			path[++depth] = next;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &next) != 0) {
			if (!depth) {
				nest(unit);
				return;
			}
			depth--;
		}
		path[depth] = next;
	}
	nest(unit);
}

const struct lines_code *lines_unit_find(const struct lines_unit *unit, uint64_t address)
{
	size_t number = search_begun(unit->code, unit->count, sizeof(*unit->code), address);

	while (number && unit->code[number - 1].high <= address)
		number = unit->code[number - 1].parent;
	return number ? &unit->code[number - 1] : NULL;
}

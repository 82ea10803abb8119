/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The field of a variable that has a data address: see lines.h. Types of a damaged file may form
 * cycles, so each walk through them has a limit here. libdw's own functions for this have none.
 */
#include "trace/lines_parts.h"

#include "base/memory.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPES	16u   /* that are nested */
#define MEMBERS 4096u /* of a structure; later ones have no name */
#define RANKS	8u    /* of an array */

/* The end of a text, and the room after it. */
struct path {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct path *path, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(path->text + path->used, path->size - path->used, format, args);
	va_end(args);
	if (length > 0)
		path->used += (size_t)length < path->size - path->used
				      ? (size_t)length
				      : path->size - path->used - 1;
}

/* Strip names and qualifiers from a type. False if the type is not known. */
static bool peel(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(of, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, type))
		return false;
	for (unsigned int i = 0; i < TYPES; i++) {
		Dwarf_Die next;

		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type: break;
		default: return true;
		}
		if (!dwarf_attr(type, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, &next))
			return false;
		*type = next;
	}
	return false;
}

static bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &word))
		return false;
	*value = word;
	return true;
}

/* The number of elements of each rank of an array, the outermost first. 0: not known. */
static unsigned int ranks_of(Dwarf_Die *array, uint64_t ranks[RANKS])
{
	unsigned int count = 0;
	Dwarf_Die child;
	uint64_t number;

	if (dwarf_child(array, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (number_of(&child, DW_AT_count, &number))
			ranks[count++] = number;
		else if (number_of(&child, DW_AT_upper_bound, &number) && number < INT64_MAX)
			ranks[count++] = number + 1;
		else
			return 0;
	} while (count < RANKS && dwarf_siblingof(&child, &child) == 0);
	return count;
}

/* Bytes; 0: not known. */
static uint64_t size_of(Dwarf_Die *type, unsigned int depth)
{
	uint64_t size, ranks[RANKS];
	Dwarf_Die element;
	unsigned int count;

	if (number_of(type, DW_AT_byte_size, &size))
		return size;
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return 8; /* clang does not say it */
	case DW_TAG_array_type: break;
	default: return 0;
	}
	if (depth == TYPES || !peel(type, &element))
		return 0;
	size = size_of(&element, depth + 1);
	count = ranks_of(type, ranks);
	for (unsigned int i = 0; i < count; i++)
		if (__builtin_mul_overflow(size, ranks[i], &size))
			return 0;
	return count ? size : 0;
}

/* "[2][0]"; *offset becomes the offset in the element. */
static bool enter_array(Dwarf_Die *array, uint64_t *offset, Dwarf_Die *element, struct path *path)
{
	uint64_t ranks[RANKS], size, index[RANKS], number;
	const unsigned int count = ranks_of(array, ranks);

	if (!count || !peel(array, element))
		return false;
	size = size_of(element, 0);
	if (!size)
		return false;
	number = *offset / size;
	for (unsigned int i = count; i-- > 0;) {
		if (!ranks[i])
			return false;
		index[i] = number % ranks[i];
		number /= ranks[i];
	}
	if (number)
		return false;
	for (unsigned int i = 0; i < count; i++)
		put(path, "[%" PRIu64 "]", index[i]);
	*offset %= size;
	return true;
}

/* ".next"; unnamed members are skipped. A union counts as its first member. */
static bool enter_structure(Dwarf_Die *structure, uint64_t *offset, Dwarf_Die *type,
			    struct path *path)
{
	Dwarf_Die child;

	if (dwarf_child(structure, &child))
		return false;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		const int tag = dwarf_tag(&child);
		uint64_t at = 0;
		Dwarf_Attribute attribute;
		const char *name;

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && peel(&child, type) &&
		    !dwarf_attr(&child, DW_AT_external, &attribute)) {
			(void)number_of(&child, DW_AT_data_member_location, &at);
			if (*offset >= at && *offset - at < size_of(type, 0)) {
				name = dwarf_attr(&child, DW_AT_name, &attribute)
					       ? dwarf_formstring(&attribute)
					       : NULL;
				if (name)
					put(path, ".%s", name);
				*offset -= at;
				return true;
			}
		}
		if (dwarf_siblingof(&child, &child))
			return false;
	}
	return false;
}

bool lines_variable_field(const struct lines_variable *variable, uint64_t offset, char *text,
			  size_t size)
{
	struct path path = {text, size, 0};
	Dwarf_Die type = variable->type, inner;
	bool named = false;

	*text = '\0';
	for (unsigned int depth = 0; depth < TYPES; depth++) {
		switch (dwarf_tag(&type)) {
		case DW_TAG_array_type:
			if (!enter_array(&type, &offset, &inner, &path))
				return false;
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (!enter_structure(&type, &offset, &inner, &path))
				return false;
			break;
		default:
			if (offset)
				put(&path, "+0x%" PRIx64, offset);
			return named;
		}
		named = true;
		type = inner;
	}
	return false;
}

/* A variable with an address. */
bool lines_variable_read(Dwarf_Die *die, struct lines_variable *variable)
{
	Dwarf_Attribute attribute, address;
	Dwarf_Die origin = *die;
	Dwarf_Op *operations;
	size_t count;

	if (dwarf_tag(die) != DW_TAG_variable || !dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operations, &count) || count != 1)
		return false;
	if (operations[0].atom == DW_OP_addr)
		variable->address = operations[0].number;
	else if (dwarf_getlocation_attr(&attribute, operations, &address) ||
		 dwarf_formaddr(&address, &variable->address))
		return false;
	if (dwarf_attr(die, DW_AT_specification, &attribute) &&
	    !dwarf_formref_die(&attribute, &origin))
		return false;
	return peel(&origin, &variable->type);
}

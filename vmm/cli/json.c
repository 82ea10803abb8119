/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON for all subcommands: see json.h. */
#include "cli/json.h"

#include <errno.h>

#include "base/memory.h"

void json_add(json_object *object, const char *key, json_object *value)
{
	if (!object || !value || json_object_object_add(object, key, value))
		memory_out();
}

void json_append(json_object *array, json_object *value)
{
	if (!array || !value || json_object_array_add(array, value))
		memory_out();
}

void json_print(FILE *out, json_object *object, int flags)
{
	const char *text;

	/* json-c does not report that a text is incomplete because memory ran out. */
	errno = 0;
	text = json_object_to_json_string_ext(object, flags);
	if (!text || errno == ENOMEM)
		memory_out();
	else
		fprintf(out, "%s\n", text);
	json_object_put(object);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* json-c, whose calls answer NULL, or leave a part out, when there is no memory: here that is the
 * end. */
#ifndef VSPE_CLI_JSON_H
#define VSPE_CLI_JSON_H

#include <json-c/json.h>
#include <stdio.h>

/* Members, which become the object's. */
void json_add(json_object *object, const char *key, json_object *value);
void json_append(json_object *array, json_object *value);

/* Print an object, with flags of json-c, and a newline, and free it. */
void json_print(FILE *out, json_object *object, int flags);

#endif

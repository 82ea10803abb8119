/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wraps the calls of json-c that return NULL or leave a part out when memory runs out. Here that
 * ends the program.
 */
#ifndef VSPE_CLI_JSON_H
#define VSPE_CLI_JSON_H

#include <json-c/json.h>
#include <stdio.h>

/* Add members; the object then owns them. */
void json_add(json_object *object, const char *key, json_object *value);
void json_append(json_object *array, json_object *value);

/* Print an object with json-c's flags and a newline, and free it. */
void json_print(FILE *out, json_object *object, int flags);

#endif

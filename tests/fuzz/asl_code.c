/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: programs of the pseudocode, of any bytes. What is accepted is linked and
 * started, and its function Test() is called.
 */
#include "conform/asl_code.h"

#include <stdlib.h>
#include <string.h>

static bool echo(void *ctx, struct asl_code *code, const struct asl_value *arguments,
		 unsigned int count, struct asl_value *result)
{
	(void)ctx;
	(void)code;
	if (count)
		*result = arguments[0];
	return count > 0;
}

static bool defined(void *ctx, const char *text, struct asl_value *value)
{
	(void)ctx;
	(void)value;
	return *text != 'x';
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct asl_hook hooks[] = {{"Echo", echo}};
	static const char *const words[] = {"FEAT_", NULL};
	const struct asl_host host = {
		.hooks = hooks, .hook_count = 1, .words = words, .defined = defined};
	struct asl_code *code = asl_code_new(&host);
	struct asl_error error;
	struct asl_value result;
	int test;

	asl_code_limit(code, 20000);
	if (!asl_code_read(code, "fuzz", (const char *)bytes, size, false, &error)) {
		if (!error.text[0])
			abort(); /* unread without a word */
	} else if (asl_code_link(code, &error)) {
		test = asl_code_function(code, "Test");
		if (asl_code_start(code) && test >= 0)
			asl_code_call(code, test, NULL, 0, &result);
		if (strlen(asl_code_error(code)) > 255)
			abort();
	}
	asl_code_free(code);
	return 0;
}

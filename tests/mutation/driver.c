/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conformance suite for the mutation check: the points whose name has argv[1] in it, one after
 * the other, up to the first that fails. Exit code 1 then, with its name; 2 if there is no such
 * point. The subject is the library that it is linked with.
 */
#include "conform/suite.h"

#include <string.h>

int main(int argc, char **argv)
{
	const struct suite_subject library = {.is = &subject_libvspe};
	struct suite suite;

	suite_build(&suite, &library, NULL, false);
	suite_match(&suite, argc > 1 ? argv[1] : "");
	if (suite.count == 0)
		return 2;
	for (size_t i = 0; i < suite.count; i++) {
		struct suite_point *p = &suite.points[i];

		/* Half a minute for each mutation: the full run has this one. */
		if (strstr(p->name, "billion"))
			continue;
		p->run(p, &suite.done, &p->result, stderr);
		if (p->result.status == SUITE_PASSED)
			continue;
		printf("%s %s\n", p->group, p->name);
		return 1;
	}
	return 0;
}

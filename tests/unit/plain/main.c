/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests of a program that uses criterion/criterion.h of this folder.
 *
 * Usage: PROGRAM [TEXT...]. With TEXTs, only tests whose SUITE/NAME has one of them.
 */
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED 77

static struct plain_test *first, **last = &first;

void plain_add(struct plain_test *test)
{
	*last = test;
	last = &test->next;
}

_Noreturn void plain_skip(void)
{
	exit(SKIPPED);
}

_Noreturn void plain_fail(void)
{
	exit(1);
}

static int is_wanted(const struct plain_test *test, int argc, char **argv)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s/%s", test->suite, test->name);
	for (int n = 1; n < argc; n++)
		if (strstr(name, argv[n]))
			return 1;
	return argc == 1;
}

/* In a separate process, as Criterion does it: 0, SKIPPED, or another number. */
static int run(const struct plain_test *test)
{
	pid_t child;
	int status;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		test->run();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	unsigned int count = 0, failed = 0;

	for (const struct plain_test *test = first; test; test = test->next) {
		const time_t begin = time(NULL);
		int result;

		if (!is_wanted(test, argc, argv))
			continue;
		(void)printf("%s/%s", test->suite, test->name);
		result = run(test);
		count += result == 0;
		failed += result != 0 && result != SKIPPED;
		(void)printf(": %s, %d s\n",
			     result == 0	 ? "passed"
			     : result == SKIPPED ? "skipped"
						 : "FAILED",
			     (int)(time(NULL) - begin));
	}
	(void)printf("%u tests passed, %u failed\n", count, failed);
	return count == 0 || failed != 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Criterion, or as much of its language as these tests use: Criterion cannot start under
 * ThreadSanitizer, as both need the same memory. Each test runs in a separate process.
 */
#ifndef VSPE_TESTS_THREADS_HARNESS_H
#define VSPE_TESTS_THREADS_HARNESS_H

#ifndef __SANITIZE_THREAD__
#define HARNESS_SUITE(before, after) \
	TestSuite(threads, .init = before, .fini = after, .timeout = 60)
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HARNESS_TESTS 64

static struct harness_test {
	const char *name;
	void (*run)(void);
} harness_tests[HARNESS_TESTS];
static unsigned int harness_count;

#define Test(suite, name_)                                                                    \
	static void name_##_test(void);                                                       \
	__attribute__((constructor)) static void name_##_register(void)                       \
	{                                                                                     \
		harness_tests[harness_count++] = (struct harness_test){#name_, name_##_test}; \
	}                                                                                     \
	static void name_##_test(void)

#define cr_assert(condition, ...)                                                     \
	do {                                                                          \
		if (!(condition)) {                                                   \
			fprintf(stderr, "%s:%d: %s", __FILE__, __LINE__, #condition); \
			fprintf(stderr, " " __VA_ARGS__);                             \
			fprintf(stderr, "\n");                                        \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

static int harness_main(void (*before)(void), void (*after)(void))
{
	int failures = 0;

	for (unsigned int i = 0; i < harness_count; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			alarm(60);
			before();
			harness_tests[i].run();
			after();
			exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(stderr, "%s: status 0x%x\n", harness_tests[i].name,
				(unsigned int)status);
			failures++;
		}
	}
	printf("%u tests, %d failures\n", harness_count, failures);
	return failures != 0;
}

#define HARNESS_SUITE(before, after)                \
	int main(void)                              \
	{                                           \
		return harness_main(before, after); \
	}                                           \
	struct harness_end
#endif

#include "../compare.h"

#endif

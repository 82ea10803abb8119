/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of vspe bench through libvspe.so, as an embedder that links with it calls it: through
 * an address that the dynamic linker found. vspe has the library linked in, so it loads this one
 * only to measure it.
 */
#include <stdio.h>

#include "cli/bench.h"
#include "cli/cli.h"

#ifdef VSPE_SHARED_LIBRARY
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#define CALL(function) (b->library.function)
#include "cli/bench_loops.h"

const bench_loop bench_shared_loops[BENCH_LOOPS] = BENCH_LOOP_TABLE;

static bool find_calls(void *handle, struct bench_library *library)
{
#define FIND(function)                                                               \
	library->function = (__typeof__(library->function))dlsym(handle, #function); \
	if (!library->function)                                                      \
		return false;
	BENCH_FUNCTIONS(FIND)
#undef FIND
	return true;
}

bool bench_load(struct bench_library *library, char *why, size_t size)
{
	char path[PATH_MAX + sizeof(VSPE_SHARED_LIBRARY)];
	const bool beside = cli_find_library(path, sizeof(path)) == 0;
	void *handle = dlopen(beside ? path : VSPE_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle || !find_calls(handle, library)) {
		const char *error = dlerror();

		snprintf(why, size, "%s", error ? error : "not all functions are in it");
		return false;
	}
	return true;
}
#else
const bench_loop bench_shared_loops[BENCH_LOOPS];

bool bench_load(struct bench_library *library, char *why, size_t size)
{
	(void)library;
	snprintf(why, size, "this vspe is linked statically, and loads no library");
	return false;
}
#endif

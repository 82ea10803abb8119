/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels: EL2 and what it does to the levels below, without SPE. The same image has to pass on any
 * machine with EL2; what is missing there is skipped with its reason.
 */
#include "boot.h"
#include "levels.h"

const char *needs_pmu(void);
const char *needs_fp(void);
const char *needs_vhe(void);
const char *needs_ecv(void);
const char *needs_evt(void);
const char *needs_lor(void);
const char *needs_nv(void);
const char *needs_group0(void);
const char *needs_hafdbs(void);
const char *needs_two_cpus(void);

static const struct test tests[] = {
#define LEVELS_TEST(function, skip, name) {name, function, skip},
#include "levels.def"
#undef LEVELS_TEST
};

void guest_main(void)
{
	tap_run("levels", tests, sizeof(tests) / sizeof(tests[0]));
}

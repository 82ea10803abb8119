/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels3: EL3 and what it does to the levels below, without SPE. See levels.
 */
#include "boot.h"
#include "levels3.h"

static const struct test tests[] = {
#define LEVELS_TEST(function, skip, name) {name, function, skip},
#include "levels3.def"
#undef LEVELS_TEST
};

void guest_main(void)
{
	tap_run("levels3", tests, sizeof(tests) / sizeof(tests[0]));
}

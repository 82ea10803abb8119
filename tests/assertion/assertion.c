/* SPDX-License-Identifier: BSD-2-Clause */
/* Two assertions, of which the second is false: assertion.py. */
#include <stdio.h>

#include "base/assertion.h"

int main(void)
{
	volatile unsigned int evaluated = 0;
	volatile int two = 2, three = 3;

	vspe_assert(++evaluated == 1);
	printf("%u evaluated\n", evaluated);
	fflush(stdout);
	vspe_assert_of(two == three, two, three);
	return 0;
}

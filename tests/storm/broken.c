// SPDX-License-Identifier: BSD-2-Clause
/* A program with an invariant that holds and one that does not: tests/storm/storm.sh. */
#include "base/invariant.h"

int main(void)
{
	volatile int two = 2, three = 3;

	INVARIANT(two < three, two, three);
	INVARIANT(two == three, two, three);
	return 0;
}

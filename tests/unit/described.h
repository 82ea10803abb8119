/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a function that describes a part for saving and loading describes all of it. */
#ifndef VSPE_TESTS_DESCRIBED_H
#define VSPE_TESTS_DESCRIBED_H

#include <string.h>

#include "compare.h"
#include "base/state.h"

/*
 * How many of the bytes first to end - 1 of an object the image depends on: each is changed alone.
 * That is all but padding and pointers; a field that was forgotten makes it less.
 */
static inline size_t described(void *object, size_t first, size_t end,
			       void (*describe)(void *object, struct state *))
{
	struct state before, after;
	size_t count = 0;

	state_save(&before, "test");
	describe(object, &before);
	cr_assert(state_end(&before), "%s", before.why);
	for (size_t i = first; i < end; i++) {
		uint8_t *at = (uint8_t *)object + i;

		*at ^= 1;
		state_save(&after, "test");
		describe(object, &after);
		count += after.at != before.at || memcmp(after.bytes, before.bytes, after.at) != 0;
		state_free(&after);
		*at ^= 1;
	}
	state_free(&before);
	return count;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the console of a guest as vspe run --tap reads it, with any bytes. Lines count the same
 * with and without carriage returns, and a guest passes that did what it had planned.
 */
#include "input.h"

#include <string.h>

#include "base/tap.h"

static void read_console(struct tap *tap, const uint8_t *bytes, size_t size, bool returns)
{
	tap_init(tap);
	for (size_t i = 0; i < size; i++) {
		if (returns && bytes[i] == '\n')
			tap_byte(tap, '\r');
		tap_byte(tap, bytes[i]);
	}
	tap_end(tap);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct tap tap, other;
	struct tap_point point;
	char why[256] = "", line[TAP_LINE];

	read_console(&tap, bytes, size, false);
	read_console(&other, bytes, size, true);
	require(tap.passed == other.passed && tap.failed == other.failed &&
		tap.plan == other.plan && tap.skipped <= tap.passed + tap.failed);
	if (tap_passed(&tap, why, sizeof(why)))
		require(tap.planned && !tap.bailed && tap.plan == tap.passed && !tap.failed);
	else
		require(why[0] && !strchr(why, '\n'));

	if (size >= sizeof(line))
		size = sizeof(line) - 1;
	memcpy(line, bytes, size);
	line[size] = '\0';
	if (tap_parse_point(line, &point)) {
		require(point.description >= line &&
			point.description + point.description_length <= line + strlen(line));
		require(point.reason && strlen(point.reason) <= size);
	}
	return 0;
}

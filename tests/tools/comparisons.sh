#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/comparisons.sh COMPARISONS: tools/comparisons finds what it is for in a made-up tree, and nothing else.
set -u
comparisons=$1
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

mkdir -p "$work/tree/tests/unit/spe"
# file TEXT: of the only file of the tree.
file() { printf '%s\n' "$1" >"$work/tree/tests/unit/spe/a.c"; }
judge() { "$comparisons" "$work/tree"; }
# wrong WHAT TEXT: a tree of TEXT is wrong, and WHAT is said of its second line.
wrong() {
	file "
$2"
	check "wrong: $2" exits 1 judge
	check "... and it is said where" has err "tests/unit/spe/a.c:2: $1"
}

file '#include "../compare.h"
	/* cr_assert(a == b) */
	cr_assert(holds(a == b && c, "=="), "a && b");
	cr_assert(line() || is_set[a == b]);
	cr_assert(!strchr(text, c) || (uint64_t)flags & (1 << n));
	cr_assert_eq(a > 0, b == c);
	cr_assert_arr_eq(a, b, strcmp(c, d) == 0);
	cr_assert_not_null(strchr(a, 0)), cr_expect_eq(pair->first, strlen(a)), cr_expect_null(a);'
check "a tree without a flaw is right" exits 0 judge
check "... and it says how many there are" has out '0 comparisons without values in 1 files'
wrong 'Criterion without' '#include <criterion/criterion.h>'
wrong 'cr_assert() of ==' 'cr_assert(a == b);'
wrong 'cr_expect() of <' 'cr_expect(f(a, b) < (c), "%u", n);'
wrong 'cr_assert() of >=' 'cr_assert(a || (b >= c));'
wrong 'cr_assert() of &&' 'cr_assert(is_one(a) && is_two(b));'
wrong 'cr_assert_not() of !=' 'cr_assert_not(a != b);'
wrong 'cr_assert() of strcmp()' 'cr_assert(!strcmp(a, b));'
wrong 'cr_expect() of strstr()' 'cr_expect(
		strstr(a, b), "%s", a);'
wrong 'cr_assert_eq() of memcmp()' 'cr_assert_eq(memcmp(a, b, 3), 0);'
wrong 'cr_assert_null() of strstr()' 'cr_assert_null(strstr(a, b));'
rm "$work/tree/tests/unit/spe/a.c"
check "a tree without a test is wrong" exits 1 judge
exit $failed

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# storm.sh BUILD: tools/storm does what it says. A seed is the same guest each time; some seeds pass; what once failed passes
# (plans/*.json); and a failure is found and shrunk.
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
storm=$here/../../tools/storm
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

ok() { # STATUS WHAT [FILE]
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		[ -z "${3:-}" ] || sed 's/^/# /' "$3"
		failed=1
	fi
}

for n in 1 2; do
	PYTHONHASHSEED=$n "$storm" --seed 7 --guest "$work/guest$n" || failed=1
done
cmp -s "$work/guest1" "$work/guest2"
ok $? "a seed is the same guest each time"

"$storm" --build "$build" --found "$work/found" --seconds 8 --jobs 2 --shrink 5 >"$work/log" 2>&1
ok $? "some seeds: $(sed -n 's/ in .*//p' "$work/log" | head -n 1)" "$work/log"

for plan in "$here"/plans/*.json; do
	"$storm" --build "$build" --found "$work/found" --plan "$plan" --shrink 0 >"$work/log" 2>&1
	ok $? "what was found: $(basename "$plan" .json)" "$work/log"
done

# A guest with steps of both kinds is said to print a byte more in one of the ways.
STORM_BROKEN="table psci" "$storm" --build "$build" --found "$work/found" --seed 104 --shrink 25 >"$work/log" 2>&1
[ $? -eq 1 ] && grep -q '^FOUND by seed' "$work/log"
ok $? "an error is found" "$work/log"
grep -q 'shrunk to 2 steps (\(table, psci\|psci, table\)), 0 switches, 0 events' "$work/log"
ok $? "... and shrunk to what it needs" "$work/log"
exit $failed

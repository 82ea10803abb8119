#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# deadline.sh VSPE GUESTS: a test of a guest that waits for what the machine never does is "not ok", and the next one
# runs and is judged, at each Exception level. The guest deadline has such tests. Time is short here: a second has 10
# million operations.
set -u
vspe=$1
guest=$2/deadline.Image
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
	echo "not ok - $*"
	cat "$work/out" "$work/err"
	failures=$((failures + 1))
}

for el in 1 2 3; do
	status=0
	timeout 60 "$vspe" run --tap --timeout 30 --el $el --cntfrq 10000000 -p deadline=1 "$guest" \
		>"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq 1 ] || fail "EL$el: exit code $status, not 1"
	tr -d '\r' <"$work/out" >"$work/lines"
	never=$(grep -c '^not ok [0-9]* - deadline: never: ' "$work/lines")
	next=$(grep -c '^ok [0-9]* - deadline: next: ' "$work/lines")
	# One of the 8 needs EL0, or a level below; one has an exception in place of a time that is over.
	[ "$never" -eq 7 ] && [ "$next" -eq 8 ] || fail "EL$el: $never tests were ended, and $next next ones passed"
	[ "$(grep -c '^# failed: no end after 1 s' "$work/lines")" -eq 6 ] || fail "EL$el: not each says that its time is over"
	grep -q '^# failed: exception at vector ' "$work/lines" || fail "EL$el: the exception is not said"
done
[ "$failures" -eq 0 ] && echo "ok: a test that does not end fails alone, at EL1, EL2 and EL3"
exit $((failures != 0))

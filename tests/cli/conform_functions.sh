#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_functions.sh VSPE [planted]: vspe conform --asl-functions, on a unit in vspe's own words. With
# "planted", each error of functions/planted.list must be found in it.
set -u
vspe=$1
here=$(dirname "$0")/functions
matcher=-F
. "$(dirname "$0")/common.sh"

lacks() { ! grep -q -- "$2" "$work/$1"; }

if [ "${2-}" = planted ]; then
	grep -v '^#' "$here/planted.list" >"$work/list"
	while IFS= read -r error; do
		sed "s@$error@" "$here/unit.asl" >"$work/planted.asl"
		check "$error: is in the text" sh -c '! cmp -s "$1" "$2"' sh "$here/unit.asl" "$work/planted.asl"
		check "... and found" exits 1 "$vspe" conform --asl-functions "$work/planted.asl" --operations 60000
	done <"$work/list"
	exit $failed
fi

# --- the unit does what the chapters say, and so does the text
check "a unit in ASL1" exits 0 "$vspe" conform --asl-functions "$here/unit.asl" --operations 4000
check "... in each version" has out 'ok 6 - functions v1p5: '
check "... with records" grep -q '^ok 3 - functions v1p2: .* [1-9][0-9]* records' "$work/out"
for difference in tail both previous loss full; do
	check "... without the difference $difference" lacks out "known difference \"$difference\""
done
check "... and what the text leaves open" has out 'SPE 16bit counters                     config.count_size is 16'
check "counters in ASL0" exits 0 "$vspe" conform --asl-functions "$here/counters.asl" --operations 4000
check "... without samples" has out ', 0 samples, 0 records'

# --- an error in the text: the shortest script, and what differs at its end
sed 's/0xffff else 0xfff/0xffff else 0xffe/' "$here/unit.asl" >"$work/planted.asl"
check "an error is found" exits 1 "$vspe" conform --asl-functions "$work/planted.asl" --only v1p4 --operations 60000
check "... with a short script" grep -q 'seed 0x[0-9a-f]*: a script of [1-6] actions, the shortest of' "$work/out"
check "... whose last sample is shown" has out '  sample: '
check "... and what differs" grep -q 'byte [0-9]* of the record: 0xff in the unit, 0xfe in the text' "$work/out"

# --- an error in the unit's configuration of the text: a name without a value, an error while it runs
sed 's/SPE 16bit counters/SPE 17bit counters/' "$here/unit.asl" >"$work/unknown.asl"
check "what is bound to nothing is a failure" exits 1 "$vspe" conform --asl-functions "$work/unknown.asl" --only v1p1
check "... with its line" grep -q 'unknown.asl:[0-9]*: nothing says what is IMPLEMENTATION DEFINED as "SPE 17bit counters"' "$work/out"

# --- what cannot be read is refused
check "a missing file" exits 2 "$vspe" conform --asl-functions "$work/none.asl"
check "... in one line" one_line "--asl-functions $work/none.asl: No such file"
echo 'integer F( return 1;' >"$work/cut.asl"
check "a text that cannot be read" exits 2 "$vspe" conform --asl-functions "$work/cut.asl"
check "... in one line" one_line 'cut.asl:1: '
echo 'constant integer ONE = 1;' >"$work/empty.asl"
check "a text without the functions" exits 2 "$vspe" conform --asl-functions "$work/empty.asl"
check "... in one line" one_line 'neither SPEStartSample() nor SPEToCollectSample()'
check "--operations alone" exits 2 "$vspe" conform --operations 5
check "--operations 0" exits 2 "$vspe" conform --asl-functions "$here/unit.asl" --operations 0
check "... in one line" one_line "'0': not a number from 1"
exit $failed

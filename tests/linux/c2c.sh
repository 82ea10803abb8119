#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/c2c.sh VSPE SHARED: perf c2c of Debian 12, in its kernel on two vCPUs, names the line that the two threads
# of SHARED (shared.S) share, and names none where each has a separate line. vspe report agrees, with as many loads.
# perf also names a lock and what it protects, and what a producer and a consumer share.
set -u
vspe=$1
program=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
"$guest" image >"$work/out" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }

check "perf c2c records and reports" exits 0 "$guest" run --vspe "$vspe" --cpus 2 --cpu neoverse-n1 --model warm --timeout 300 \
	--add "$program:/root/shared" --add "$(dirname "$0")/c2c_guest.sh" --get "/tmp/together:$work/together" \
	--get "/tmp/apart:$work/apart" --get "/tmp/jitter:$work/jitter" -- bash /root/c2c_guest.sh
cp "$work/out" "$work/perf"
check "it names the line of two threads" has perf '^together [1-9][0-9]+ peer loads$'
check "... and none where they are apart" has perf '^apart $'
check "... and with jitter that of a loop which divides the interval" has perf '^jitter [1-9][0-9]* peer loads$'
for way in lock pass; do
	check "$way: perf names the line of the gate" has perf "^$way 0x412200 [1-9][0-9]* peer loads\$"
	check "$way: ... and that of the cells" has perf "^$way [1-9][0-9]* peer loads\$"
done
mkdir -p "$work/root/root" && cp "$program" "$work/root/root/shared"
for profile in together jitter; do
	check "$profile: vspe report" exits 0 "$vspe" report --symfs "$work/root" --by sharing "$work/$profile"
	loads=$(sed -n "s/^$profile \([0-9]*\) .*/\1/p" "$work/perf")
	check "$profile: has the line, its variable, its threads, what they write, and as many loads" has out \
		"PA +shared +cells\+0x0 +false +[0-9]+ +[0-9.]+ +[1-9][0-9]* +$loads +shared [0-9]+ reads \+0x00 writes \+0x00; shared [0-9]+ reads \+0x08 writes \+0x08"
done
check "apart: vspe report" exits 0 "$vspe" report --symfs "$work/root" --by sharing "$work/apart"
check "apart: the cells are not shared" test "$(grep -c cells "$work/out")" = 0
exit "$failed"

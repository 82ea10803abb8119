#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/counts.sh VSPE PROGRAM: the perf of Debian 12 counts the program PROGRAM (work.S) with a machine model. A
# boot with the model takes minutes, so the machine is saved at its prompt and continues with it. The kernel has not
# found the model's events then, so perf gets their numbers.
set -u
vspe=$1
program=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
"$top/tools/linux-guest" image --add "$program:/root/work" --output "$work/initrd" >"$work/files" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
{ read -r kernel; read -r initrd; } <"$work/files"

# The guest waits at its prompt until it is saved; nobody types.
mkfifo "$work/terminal"
"$vspe" run --timeout 900 --mem 640 --pmu v3p8 --kernel "$kernel" --initrd "$initrd" --params "console=ttyAMA0 quiet panic=-1" \
	--save "$work/image" <"$work/terminal" >"$work/console" 2>"$work/err" &
pid=$!
exec 9>"$work/terminal"
until grep -q 'vspe:~# $' "$work/console" || ! kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
kill -USR1 "$pid"
wait "$pid"
check "the guest is saved at its prompt" test $? -eq 4

counted=(cycles instructions branches r21 r10 r4 r3)
events=$(printf '%s:u,' "${counted[@]}")
echo "perf stat -x, -e ${events%,} /root/work; poweroff -f" >"$work/commands"
timeout 900 "$vspe" run --restore "$work/image" --model full --stats --timeout 850 <"$work/commands" >"$work/out" 2>"$work/err"
check "it goes on with a model" test $? -eq 0
sed -i 's/\r//g' "$work/out"
count() { sed -n "s/^\([0-9]*\),,$1:u,.*/\1/p" "$work/out"; }
engine() { sed -n "s/^vspe: model full: .* $1 \([0-9]*\).*/\1/p" "$work/err"; }
for event in "${counted[@]}"; do echo "# $event: $(count "$event")"; done
between() { [ -n "$2" ] && [ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "# $2 is not from $1 to $3"; return 1; }; }

# A million times a load, a store, a branch that is taken except the last time, and two others; seven more around them.
check "instructions" test "$(count instructions)" = 5000006
check "branches that are taken" between 999999 "$(count branches)" 1000000
check "branches" between 1000000 "$(count r21)" 1000001
check "some of which are mispredicted" between 1 "$(count r10)" 1000
check "accesses of L1D" between 2000000 "$(count r4)" 2000100
check "which hardly ever miss" between 0 "$(count r3)" 100
check "a load, a store and what depends on them take longer than a cycle each" between 5500000 "$(count cycles)" 20000000
for row in "r10 BR_MIS_PRED" "r4 L1D_CACHE" "r3 L1D_CACHE_REFILL" "cycles CPU_CYCLES"; do
	read -r event name <<<"$row"
	check "the engine has counted no less: $name" between "$(count "$event")" "$(engine "$name")" 1000000000
done
exit "$failed"

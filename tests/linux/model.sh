#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/model.sh VSPE MODEL: the arm64 Linux kernel that VSPE_LINUX_IMAGE names, or else Debian's, boots without a machine
# model, is saved, and goes on with one, whose events perf_event_open counts in the program MODEL (model.c). Its counters, the records of
# arm_spe_0 and what the engine has counted since say the same. A boot with --model full would take two minutes.
set -u
vspe=$1
model=$2
image=${VSPE_LINUX_IMAGE:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
	{ echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
. "$(dirname "$0")/initrd.sh"
spe_initrd "$model" "$image" "$work" >"$work/initrd"
[ -s "$work/arm_spe_pmu.ko" ] || { echo "SKIP: no arm_spe_pmu.ko beside $image: VSPE_LINUX_SPE_MODULE can name it"; exit 77; }

guest=(--mem 64 --pmu v3p8 --spe v1p2 --initrd "$work/initrd" "$image"
	--params "console=ttyAMA0 quiet panic=-1 cryptomgr.notests")
timeout 200 "$vspe" run --timeout 180 "${guest[@]}" </dev/null >"$work/whole" 2>"$work/err"
ready=$(sed -n 's/^# ready: \([0-9]*\).*/\1/p' "$work/whole")
check "the guest is ready" test -n "$ready"
[ -n "$ready" ] || exit 1
timeout 200 "$vspe" run --timeout 180 --save "$work/image" --save-at $((ready + 100000)) "${guest[@]}" </dev/null >"$work/first" 2>&1
check "it is saved" test $? -eq 4
check "and has counted nothing yet" exits 1 grep -F 'L1D_CACHE' "$work/first"
check "it goes on with a model" exits 0 timeout 200 "$vspe" run --timeout 180 --restore "$work/image" --model full --stats --tap \
	--perf-data "$work/data"
grep '^#' "$work/out"
grep -o 'model full.*' "$work/err"
"$vspe" decode "$work/data" >"$work/records"

# What guest and engine counted of an event, and how many records have it.
guest() { sed -n "s/^# $1: \([0-9]*\).*/\1/p" "$work/out"; }
engine() { sed -n "s/^vspe: model full: .* $1 \([0-9]*\).*/\1/p" "$work/err"; }
records() { grep -cE "EV .*$1" "$work/records"; }
# near A B PERCENT: does A differ from B by at most so much of B? between LEAST VALUE MOST.
near() { between $(($2 * (100 - $3) / 100)) "$1" $(($2 * (100 + $3) / 100)); }
between() { [ -n "$2" ] && [ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "# $2 is not from $1 to $3"; return 1; }; }

turns=$(guest turns)
operations=$((turns * 19 / 2)) # a turn has nine or ten
all=$(records RETIRED)
echo "# records: $all, with L1D-ACCESS $(records L1D-ACCESS), L1D-REFILL $(records L1D-REFILL), MISPRED $(records MISPRED)"
check "a record each 1025 operations" near "$all" $((operations / 1025)) 1
check "a turn has one access of L1D" near "$(guest L1D_CACHE:u)" "$turns" 1
check "... which nearly always misses" between $((turns * 9 / 10)) "$(guest L1D_CACHE_REFILL:u)" "$turns"
check "... and a branch that is mispredicted each other time" near "$(guest BR_MIS_PRED:u)" $((turns / 2)) 5
# The kernel is in the engine's count, while it opens events and prints, and in the guest's while they count.
check "the engine has counted what perf has: L1D_CACHE" between "$(guest L1D_CACHE)" "$(engine L1D_CACHE)" $(($(guest L1D_CACHE) + 300000))
for event in L1D_CACHE_REFILL BR_MIS_PRED; do
	check "... $event" between "$(guest $event)" "$(engine $event)" $(($(guest $event) + 40000))
done
# Of some thousand records, so many more or less are chance.
check "the records say so: L1D_CACHE" near $(($(records L1D-ACCESS) * operations / all)) "$(guest L1D_CACHE:u)" 8
check "... L1D_CACHE_REFILL" near $(($(records L1D-REFILL) * operations / all)) "$(guest L1D_CACHE_REFILL:u)" 8
check "... BR_MIS_PRED" near $(($(records MISPRED) * operations / all)) "$(guest BR_MIS_PRED:u)" 12
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/state/points.sh POINTS SEED [BUILD]: machines that are saved and restored at so many random points or a few more,
# over the runs of all guests of tests/guest/guests.list, half of them at a time: console, records and counts afterwards
# are those of the run never interrupted, and so is each image. BUILD is build/release.
set -eu
cd "$(dirname "$0")/../.."
points=$1 seed=$2 build=${3:-build/release}
list=tests/guest/guests.list
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rows REMAINDER: the names of every second row that runs on vspe.
rows() { awk -v remainder="$1" '$1 ~ /^[a-z]/ && $2 == "vspe" && rows++ % 2 == remainder { print $1 }' "$list"; }
count=$({ rows 0; rows 1; } | wc -l)
each=$(((points + count - 1) / count))
for half in 0 1; do
	# shellcheck disable=SC2046
	timeout 1200 "$build/tests/state/state_points" -i -s "$list" "$build/guests" "$each" "$seed" $(rows $half) >"$work/$half" 2>&1 &
	eval "pid$half=$!"
done
status=0
wait "$pid0" || status=1
wait "$pid1" || status=1
cat "$work/0" "$work/1"
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/state/points.sh POINTS SEED [BUILD [EVERY]]: machines that are saved and restored at so many random points or a few more,
# over the runs of all guests of tests/guest/guests.list, half of them at a time: console, records and counts afterwards
# are those of the run never interrupted, and so is each image. BUILD is build/release. EVERY: of so many guests one.
set -eu
cd "$(dirname "$0")/../.."
points=$1 seed=$2 build=${3:-build/release} every=${4:-1}
list=tests/guest/guests.list
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rows HALF: the names of one half of the rows that run on vspe, 1 or 2, or of a part of it.
rows() { "$build/vspe" conform --guests "$list" --list --shard "$1/$((2 * every))" | cut -d ' ' -f 2; }
count=$({ rows 1; rows 2; } | wc -l)
each=$(((points + count - 1) / count))
for half in 1 2; do
	# shellcheck disable=SC2046
	timeout 1200 "$build/tests/state/state_points" -i -m -s "$list" "$build/guests" "$each" "$seed" $(rows $half) >"$work/$half" 2>&1 &
	eval "pid$half=$!"
done
status=0
wait "$pid1" || status=1
wait "$pid2" || status=1
cat "$work/1" "$work/2"
exit "$status"

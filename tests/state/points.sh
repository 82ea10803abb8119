#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/state/points.sh POINTS SEED [BUILD]: machines that are saved and restored at so many random points or a few more,
# over the runs of all guests of tests/guest/guests.list: console, records and counts afterwards are those of the run
# never interrupted, and so is each image. BUILD is build/release.
set -eu
cd "$(dirname "$0")/../.."
points=$1 seed=$2 build=${3:-build/release}
list=tests/guest/guests.list
rows=$(awk '$1 ~ /^[a-z]/ && $2 == "vspe"' "$list" | wc -l)
exec timeout 1200 "$build/tests/state/state_points" -i -s "$list" "$build/guests" $(((points + rows - 1) / rows)) "$seed"

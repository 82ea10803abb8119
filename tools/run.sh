#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing, build vspe, and let a guest profile itself: its hot spots are shown.
set -eu
cd "$(dirname "$0")/.."

tools/install build
echo "Building vspe ..."
mkdir -p build
{ cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } \
	>build/run.log 2>&1 || { tail -n 40 build/run.log >&2; exit 1; }

guest=build/release/guests/hotspot
data=build/hotspot.perf.data
echo "Running $guest.Image: it profiles itself with SPE ..."
status=0
build/release/vspe run --kernel $guest.Image --seed 1 --tap --timeout 120 --stats \
	--perf-data $data --symbols $guest.elf >build/hotspot.log || status=$?
grep -E '^(ok|not ok|Bail out)' build/hotspot.log || true
echo
# The guest's own tables: what it found in its profiling buffer.
awk '/^# hot spots/ { table = 1 } /^(ok|not ok)/ && table { table = 0; print "" }
	table && !/elsewhere/ { sub(/^# /, ""); print }' build/hotspot.log
[ "$status" -eq 0 ] || { echo "tools/run.sh: the guest failed; see build/hotspot.log" >&2; exit "$status"; }
echo "The guest's console: build/hotspot.log"
echo "The sample records:  $data; to look at them (linux-perf):"
echo "  perf report --stdio --itrace=i1i --sort symbol --vmlinux $guest.elf -i $data"
echo "  perf script --itrace=i1i -i $data"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/fuzz/run.sh [SECONDS [RUNS]]: build every fuzz target and run each from its committed corpus, so
# long, or so many inputs from a fixed seed, whatever ends first.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
limit=${2:+-seed=1 -runs=$2}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >/dev/null
found=0
for target in build/fuzz/tests/fuzz/fuzz_*; do
	[ -x "$target" ] || continue
	found=$((found + 1))
	name=$(basename "$target")
	work=$(mktemp -d)
	corpus=tests/fuzz/corpus/${name#fuzz_}
	[ -d "$corpus" ] || corpus=
	echo "$name: $seconds s"
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="build/$name-" $limit "$work" $corpus >"build/$name.log" 2>&1 ||
		{ tail -n 40 "build/$name.log"; rm -rf "$work"; exit 1; }
	grep -E 'number_of_executed_units|peak_rss' "build/$name.log"
	rm -rf "$work"
done
[ "$found" -gt 0 ] || { echo "no fuzz target was built" >&2; exit 1; }

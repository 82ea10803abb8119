#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/perf_c2c.sh VSPE GUESTS: two cores that write different words of one line are in perf c2c report and in
# vspe report, with the same numbers. So are mispredicted branches, in perf script.
set -eu
vspe=$1 guests=$2
here=$(dirname "$0")
# shellcheck source=tests/guest/perf_common.sh
. "$here/perf_common.sh"

# A core whose data sources perf knows: for others perf cannot say that a line was a peer's.
timeout 300 "$vspe" run --cpu neoverse-n1 --model full -c 2 -p 'micro-ops=1 large=67108864' -k "$guests/chase.Image" --tap \
	--timeout 280 --symbols "$guests/chase.elf" --perf-data "$work/data" >"$work/log" || { cat "$work/log"; fail "the guest"; }
"$vspe" report --json --limit 100000 --symbols "$guests/chase.elf" "$work/data" >"$work/json"
run_perf "$work/c2c" c2c report -i "$work/data" -d peer --stdio --vmlinux "$guests/chase.elf"
run_perf "$work/branches" script -i "$work/data" --itrace=b -F ip,event
python3 -B "$here/perf_c2c.py" "$work/c2c" "$work/branches" "$work/json" || { cat "$work/c2c"; fail "perf and vspe report differ"; }

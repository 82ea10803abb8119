#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/pmu_events.sh VSPE GUESTS: the PMU events of SPE that --stats counts are what the records of
# the hotspot guest say: loads, stores and branches by the operation types, everything else by the
# numbers that have to be equal. Before its profiles it samples 24 operations, none of them a branch,
# and filters them all out: those are fed.
set -eu
vspe=$1 guests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAIL: $*"
	cat "$work/stats"
	exit 1
}

run() {
	timeout 120 "$vspe" run -k "$guests/hotspot.Image" --timeout 100 --stats "$@" \
		>/dev/null 2>"$work/stats" || fail "hotspot $*"
}

# count NAME: what --stats says of it; nothing if it does not.
count() {
	tr ' ' '\n' <"$work/stats" | awk -v name="$1" 'wanted { print; exit } $0 == name { wanted = 1 }'
}

# is NAME NUMBER
is() {
	[ "$(count "$1")" = "$2" ] || fail "$1 is '$(count "$1")', not '$2'"
}

run --spe v1p5,no-pbt --perf-data "$work/data"
"$vspe" decode "$work/data" >"$work/packets"
records=$(grep -c '^record' "$work/packets")
is SAMPLE_FILTRATE "$records"
is SAMPLE_FEED $((records + 24))
is SAMPLE_FEED_LD "$(grep -c ':  49 00  *LD GP-REG$' "$work/packets")"
is SAMPLE_FEED_ST "$(grep -c ':  49 01  *ST GP-REG$' "$work/packets")"
# Whose source is selected: PMSDSFR_EL1 selects none.
is SAMPLE_FEED_DS 0
is SAMPLE_FEED_BR "$(grep -c ':  4a [0-9a-f]* *B' "$work/packets")"
# Types, events and latency: the guest asks for loads in that loop alone, which has none.
is SAMPLE_FEED_OP 0
is SAMPLE_FEED_EVENT $((records + 24))
is SAMPLE_FEED_LAT $((records + 24))
is SAMPLE_FEED_FP 0
is SAMPLE_FEED_SIMD 0
is SAMPLE_COLLISION 0
is SAMPLE_BUFFER_FULL "$(count buffer_interrupts)"
[ "$(count SAMPLE_BUFFER_FULL)" -gt 0 ] || fail "the buffer was never full"

# What a version does not have is not shown.
run --spe v1p2
is SAMPLE_FEED_LAT $((records + 24))
for name in SAMPLE_FEED_DS SAMPLE_FEED_FP SAMPLE_FEED_SIMD SAMPLE_BUFFER_FULL; do
	is "$name" ""
done
run --spe v1p1
is SAMPLE_FEED_BR ""
echo "PASS: $records records"

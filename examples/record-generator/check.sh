#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/record-generator/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe, make the records of
# v1p2 and of v1p5 with all options, and compare them with what is in the files expected.*; perf has to find the same.
set -eu
. "$(dirname "$0")/../common.sh"
needs cmake cmake
needs perf linux-perf

library_of "$prefix"
build cmake -S "$here" -B "$work/build"
build cmake --build "$work/build"

# packets FILE: what vspe decode or perf report -D lists, a packet a line: bytes and words.
packets() { sed -n -E 's/^\.? +[0-9a-f]{8}: +(([0-9a-f]{2} )+) */\1/p' "$1" | sed -E '/PAD$/d; s/ +$//; s/ nse=1$//'; }

# check NAME VERSION [OPTION]
check() {
	name=$1 version=$2
	shift 2
	"$work/build/record-generator" "$@" "$version" "$work/raw" >"$work/list" || fail "record-generator $*"
	words_of "$work/raw" >"$work/words"
	diff "$here/expected.$name" "$work/words" || fail "$name: other records than expected.$name has"
	# Every record is there, and in its place.
	cut -c 3-16 "$work/list" >"$work/wanted"
	sed -E 's/.*PC 0x([0-9a-f]+) .*/\1/' "$work/words" | cmp - "$work/wanted" || fail "$name: other PCs than it said"

	"$vspe" decode --perf-data "$work/perf.data" "$work/raw" || fail "vspe decode"
	run_perf "$work/dump" report -D -i "$work/perf.data"
	! grep -q 'Bad packet' "$work/dump" || fail "$name: perf report -D has bad packets"
	"$vspe" decode "$work/raw" >"$work/decode"
	packets "$work/dump" >"$work/perf.packets"
	packets "$work/decode" >"$work/vspe.packets"
	run_perf "$work/script" script -i "$work/perf.data" --itrace=i1i -F ip
	[ "$(wc -l <"$work/script")" -eq "$(wc -l <"$work/list")" ] || fail "$name: perf script has not all records"
	echo "$name: $(wc -l <"$work/list") records, $(wc -l <"$work/perf.packets") packets"
}

# perf 6.1 knows all packets of v1p2 (but for NSE), and prints them in the same words; later ones have the same bytes.
check v1p2 v1p2
case $(perf --version) in
"perf version 6.1."*) diff "$work/perf.packets" "$work/vspe.packets" || fail "v1p2: perf reads them differently" ;;
esac
check all v1p5 --all
bytes() { sed -E 's/ {2,}.*//; s/(([0-9a-f]{2} )+).*/\1/' "$1"; }
bytes "$work/perf.packets" >"$work/perf.bytes"
bytes "$work/vspe.packets" >"$work/vspe.bytes"
cmp "$work/perf.bytes" "$work/vspe.bytes" || fail "v1p5: perf finds other packets"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/perf_packets.sh PERF_WRAP VSPE: perf report -D and vspe decode print every packet form
# alike, except for what perf_packets.py declares.
set -eu
wrap=$1 vspe=$2
here=$(dirname "$0")
# shellcheck source=tests/guest/perf_common.sh
. "$here/perf_common.sh"
command -v python3 >/dev/null || {
	echo "SKIP: there is no python3 here"
	exit 77
}
export PYTHONDONTWRITEBYTECODE=1

case $(perf --version) in
"perf version 6.1."*) ;;
*)
	echo "SKIP: the exceptions are those of perf 6.1, and this is $(perf --version)"
	exit 77
	;;
esac
python3 "$here/perf_packets_forms.py" "$work/raw"
"$wrap" "$work/raw" "$work/data"
# Not run_perf: it may complain of indexes that it does not know.
timeout 120 perf report -D -i "$work/data" >"$work/perf" 2>"$work/stderr" || {
	cat "$work/stderr"
	fail "perf report -D ended with an error"
}
! grep -q 'Bad packet' "$work/perf" || fail "perf report -D has bad packets"
"$vspe" decode "$work/data" >"$work/vspe"
python3 "$here/perf_packets.py" "$work/perf" "$work/vspe"
"$vspe" decode "$work/raw" >"$work/vspe.raw"
cmp "$work/vspe" "$work/vspe.raw" || fail "the raw records and perf.data differ"

# An undeclared difference, a missing packet, and an exception that does not occur are found.
sed 's/ LAT 4095 TOT/ LAT 4094 TOT/' "$work/perf" >"$work/changed"
! python3 "$here/perf_packets.py" "$work/changed" "$work/vspe" 2>/dev/null ||
	fail "a difference passed for none"
grep -v ' CONTEXT 0x1234 el1' "$work/perf" >"$work/changed"
! python3 "$here/perf_packets.py" "$work/changed" "$work/vspe" 2>/dev/null ||
	fail "a missing packet passed for none"
sed 's/ SME-OTHER .*/ OTHER INSN-OTHER/' "$work/vspe" >"$work/changed"
! python3 "$here/perf_packets.py" "$work/perf" "$work/changed" 2>"$work/said" ||
	fail "an exception that does not occur passed for one"
grep -q 'does not occur: Operation type 48, SME' "$work/said" || fail "$(cat "$work/said")"

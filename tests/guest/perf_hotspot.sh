#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/perf_hotspot.sh VSPE GUESTS: the whole way. The hotspot guest profiles itself. The stock
# perf reads the perf.data, and its results are compared with what the guest logs: the number of
# records, the share and the addresses of each function, the data addresses. Each run writes the same
# file; another seed writes another one.
set -eu
vspe=$1 guests=$2
here=$(dirname "$0")
# shellcheck source=tests/guest/perf_common.sh
. "$here/perf_common.sh"
command -v python3 >/dev/null || {
	echo "SKIP: there is no python3 here"
	exit 77
}

# run_guest SEED NAME
run_guest() {
	timeout 120 "$vspe" run -k "$guests/hotspot.Image" --seed "$1" --tap --timeout 100 \
		--symbols "$guests/hotspot.elf" --perf-data "$work/$2" >"$work/$2.log" ||
		{ cat "$work/$2.log"; fail "hotspot with seed $1"; }
}

run_guest 1 data
run_perf "$work/script" script -i "$work/data" --itrace=i1i --vmlinux "$guests/hotspot.elf" -F ip,sym
run_perf "$work/dump" report -D -i "$work/data"
! grep -q 'Bad packet' "$work/dump" || fail "perf report -D has bad packets"
packets_of_perf "$work/dump" >"$work/packets"
python3 "$here/perf_hotspot.py" "$work/data.log" "$work/script" "$work/packets" ||
	fail "perf and the guest disagree"

"$vspe" decode "$work/data" >"$work/decode"
packets_of_vspe "$work/decode" >"$work/vspe.packets"
for side in packets vspe.packets; do
	sed -E 's/^([0-9]+(( [0-9a-f]{2})+)) .*/\1/' "$work/$side" >"$work/$side.bytes"
done
cmp "$work/packets.bytes" "$work/vspe.packets.bytes" || fail "perf and vspe decode see other packets"

# perf's view of the file itself, the same on every machine: the command without the file's name.
run_perf "$work/header" report --header-only -i "$work/data"
for line in '# hostname : vspe' '# os release : vspe' '# perf version : vspe' '# arch : aarch64' '# nrcpus online : 1' \
	'# cpuid : 0x00000000000f0560' \
	"# cmdline : vspe run -k $guests/hotspot.Image --seed 1 --tap --timeout 100 --symbols $guests/hotspot.elf"; do
	grep -q "^$line *$" "$work/header" || { cat "$work/header"; fail "perf report --header-only has no '$line'"; }
done
# Arm's spe_parser needs these five features, in a table after the events, in the order of their bits.
python3 - "$work/data" <<'PYTHON' || fail "spe_parser finds no HOSTNAME, OSRELEASE, VERSION, ARCH or CMDLINE"
import struct, sys
data = open(sys.argv[1], "rb").read()
offset, size = struct.unpack_from("<QQ", data, 40)
bits, = struct.unpack_from("<Q", data, 72)
table, texts = offset + size, {}
for bit in range(64):
    if bits >> bit & 1:
        texts[bit] = struct.unpack_from("<QQ", data, table)
        table += 16
for bit, words in {3: 0, 4: 0, 5: 0, 6: 0, 11: 4}.items():
    at, length = texts[bit]
    count = struct.unpack_from("<I", data, at)[0] if words else 1
    for _ in range(count):
        room, = struct.unpack_from("<I", data, at + words)
        text = data[at + words + 4:at + words + 4 + room]
        assert text.rstrip(b"\0").decode() and text.endswith(b"\0"), (bit, text)
        at += 4 + room
PYTHON

run_guest 1 again
cmp "$work/data" "$work/again" || fail "two runs of one command made different files"
cmp "$work/data.log" "$work/again.log" || fail "two runs of one command had different output"
run_guest 2 other
! cmp -s "$work/data" "$work/other" || fail "another seed made the same file, with RND=1"
echo "PASS"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/report/perf.sh VSPE GUESTS: vspe report and perf script count the same in the file of a guest: samples by function and
# by address. And what report says of the functions is what the guest planted, within two points.
set -eu
vspe=$1 guests=$2
# shellcheck source=tests/guest/perf_common.sh
. "$(dirname "$0")/../guest/perf_common.sh"

timeout 120 "$vspe" run -k "$guests/hotspot.Image" --seed 1 --tap --timeout 100 --symbols "$guests/hotspot.elf" \
	--perf-data "$work/data" >"$work/log" || fail "the guest"
run_perf "$work/script" script -i "$work/data" --itrace=i1i --vmlinux "$guests/hotspot.elf" -F ip,sym
awk '{ print $2 }' "$work/script" | sort | uniq -c | awk '{ print $2, $1 }' >"$work/perf.functions"
awk '{ print "0x" $1 }' "$work/script" | sort | uniq -c | awk '{ print $2, $1 }' | sort >"$work/perf.addresses"

"$vspe" report --json --limit 100000 --symbols "$guests/hotspot.elf" "$work/data" >"$work/json"
python3 - "$work/json" "$work" <<'PYTHON' || fail "report"
import json, sys
report = json.load(open(sys.argv[1]))
for name, key in ("functions", "function"), ("addresses", "address"):
    with open(f"{sys.argv[2]}/vspe.{name}", "w") as out:
        out.writelines(sorted(f"{row[key]} {row['samples']}\n" for row in report[name]["rows"]))
shares = {row["function"]: row["share"] for row in report["functions"]["rows"]}
for name, share in {"sixty": 30, "thirty": 15, "ten": 5}.items():
    for prefix in "user_", "kernel_":
        if abs(shares[prefix + name] - share) > 2:
            sys.exit(f"{prefix}{name}: {shares[prefix + name]} per cent and not {share}")
PYTHON
for what in functions addresses; do
	sort "$work/perf.$what" >"$work/perf.sorted"
	[ -s "$work/perf.sorted" ] || fail "perf has no $what"
	diff "$work/perf.sorted" "$work/vspe.$what" || fail "perf has other $what"
done

# The build id of the guest's file is there, of any size that the linker gives one, and is no part of the rest.
objcopy=$(command -v aarch64-linux-gnu-objcopy || command -v objcopy) || { echo "SKIP: there is no objcopy here"; exit 77; }
for id in 00112233445566778899aabbccddeeff01234567 00112233445566778899aabbccddeeff 0123456789abcdef; do
	python3 -c 'import struct, sys
id = bytes.fromhex(sys.argv[1])
sys.stdout.buffer.write(struct.pack("<III4s", 4, len(id), 3, b"GNU") + id)' "$id" >"$work/note"
	"$objcopy" --add-section .note.gnu.build-id="$work/note" "$guests/hotspot.elf" "$work/hotspot.elf"
	timeout 120 "$vspe" run -k "$guests/hotspot.Image" --seed 1 --tap --timeout 100 --symbols "$work/hotspot.elf" \
		--perf-data "$work/identified" >"$work/log" || fail "the guest"
	printf "$id %s\n" "[kernel.kallsyms]" "$work/hotspot.elf" | sort >"$work/expected"
	run_perf "$work/ids" buildid-list -i "$work/identified"
	tr -s " " <"$work/ids" | sort | diff "$work/expected" - || fail "perf has other build ids"
	run_perf "$work/named" script -i "$work/identified" --itrace=i1i --vmlinux "$work/hotspot.elf" -F ip,sym
	diff "$work/script" "$work/named" || fail "perf has other names with a build id"
	"$vspe" report --folded "$work/identified" | sed 's/^EL[0-9];//' | sort >"$work/folded"
	diff "$work/vspe.functions" "$work/folded" || fail "report without --symbols"
done

# A file that is another one by now, or has no build id, names nothing.
cp "$guests/hotspot.elf" "$work/hotspot.elf"
"$vspe" report --folded "$work/identified" >"$work/folded"
! grep -q sixty "$work/folded" || fail "report takes names from a file without a build id"
python3 -c 'import sys
note = bytearray(open(sys.argv[1], "rb").read())
note[-1] ^= 1
open(sys.argv[1], "wb").write(note)' "$work/note"
"$objcopy" --add-section .note.gnu.build-id="$work/note" "$guests/hotspot.elf" "$work/hotspot.elf"
"$vspe" report --folded "$work/identified" >"$work/folded"
! grep -q sixty "$work/folded" || fail "report takes names from another file"

# The same names from a list, and of a program that runs elsewhere than it says.
nm=$(command -v aarch64-linux-gnu-nm || command -v nm) || { echo "SKIP: there is no nm here"; exit 77; }
"$nm" "$guests/hotspot.elf" >"$work/System.map"
first=$(awk '$2 ~ /[tT]/ { print $1 }' "$work/System.map" | sort | head -n 1)
for options in "--symbols $work/System.map" "--symbols $work/System.map@0x$first"; do
	# shellcheck disable=SC2086
	"$vspe" report --folded $options "$work/data" | sed 's/^EL[0-9];//' | sort >"$work/folded"
	diff "$work/vspe.functions" "$work/folded" || fail "report with $options"
done
echo "PASS: $(wc -l <"$work/script") samples"

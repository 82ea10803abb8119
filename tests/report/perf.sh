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

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bench.sh VSPE: tools/linux-guest bench runs each program, and vspe bench --linux says how long it took, and that SPE changed
# no result. How long is not judged.
set -u
cd "$(dirname "$0")/../.." || exit 1
vspe=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

tools/linux-guest bench --vspe "$vspe" --quick --no-qemu --json >"$work/json" 2>"$work/err" || {
	cat "$work/err"
	echo "not ok - the programs are measured"
	exit 1
}
python3 -B - "$work/json" <<-'PY' || exit 1
	import json, sys
	rows = json.load(open(sys.argv[1]))["linux"]
	names = [row["name"] for row in rows]
	right = names == ["boot", "gzip", "sha256sum", "python3", "sqlite3", "cc1"] and all(
	    row["operations"] > 0 and row["cpu_seconds"]["median"] > 0 and row["spe_over_off"]["median"] > 0 for row in rows)
	print("ok" if right else f"not ok: {rows}", "- the programs are measured")
	sys.exit(not right)
PY

# A guest that says what nobody expects, or too little, is refused.
printf '#!/bin/sh\n' >"$work/none"
"$vspe" bench --linux "$work/none,$work/none" --quick --no-qemu >"$work/out" 2>"$work/err"
if [ $? -eq 3 ] && [ ! -s "$work/out" ] && grep -q 'the guest ended after 0 of its programs' "$work/err"; then
	echo "ok - a guest without marks is told"
else
	cat "$work/err"
	echo "not ok - a guest without marks is told"
	exit 1
fi

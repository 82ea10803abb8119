#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/jitdump.sh VSPE GUESTS: --jitdump. The file has what was translated, and perf on the host names it.
set -u
vspe=$(realpath "$1")
guests=$(realpath "$2")
matcher=-E
. "$(dirname "$0")/common.sh"
kernel=$guests/bench/tree.elf
if ! "$vspe" run --jit on "$kernel" --params "spe=0 iterations=1" >/dev/null 2>"$work/err" </dev/null; then
	echo "SKIP: $(tail -n 1 "$work/err")"
	exit 77
fi
mkdir "$work/here"
cd "$work/here" || exit 1
run() { "$vspe" run --jitdump "$kernel" --params "spe=0 iterations=20000" "$@"; }
check "a run with --jitdump" exits 0 run
set -- jit-*.dump
check "there is one file" [ $# -eq 1 ]
check "it is one of perf's" [ "$(head -c 4 "$1")" = DTiJ ]
check "it names addresses of the guest" grep -aq 'guest:0xffff80000000' "$1"
check "what is there is not written over" [ "$(bash -c 'touch jit-$$.dump; exec "$@"' - "$vspe" run --jitdump "$kernel" 2>&1)" = \
	"vspe run: --jitdump: jit-PID.dump in this folder: File exists" ]
rm -f jit-*.dump
if ! perf record -k mono -q -e cpu-clock -o data "$vspe" run --jitdump "$kernel" --params spe=0 >"$work/out" 2>"$work/err" </dev/null; then
	echo "ok - perf names translated code # SKIP $(tail -n 1 "$work/err")"
	exit "$failed"
fi
check "perf takes it" exits 0 perf inject --jit -i data -o named
perf report -i named --stdio >"$work/out" 2>/dev/null
check "perf names translated code" has out '\[\.\] guest:0xffff80000000'
exit "$failed"

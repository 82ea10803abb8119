#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/ends.sh VSPE: how vspe linux ends where something is in the way: a guest that panics, a reader that goes, a
# signal, a file that may not be written. No folder of a run is left behind.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
linux_image

mkdir "$work/tmp"
boot() { TMPDIR="$work/tmp" "$vspe" linux --cache "$top/build/linux-guest" --timeout 300 --quiet "$@"; }
check "too little memory" exits 125 boot --mem 256 -- true
check "... is said, and which option gives more" has err 'without a status; .*: --mem;'
check "files that need more memory have it" exits 0 boot --package gcc --package python3 -- gcc --version
check "... and run" has out '^gcc '
boot --get /root/numbers:"$work/numbers" -- sh -c 'seq 50000 | tee /root/numbers' 2>"$work/err" | head -n 1 >"$work/out"
check "a reader that goes after a line has it" has out '^1$'
check "... and nothing is said of it" test ! -s "$work/err"
check "... nor is the file that was wanted lost" sh -c 'seq 50000 | cmp - "$0"' "$work/numbers"
check "a file that may not be written" exits 2 boot --get /proc/version:"$work/none/version" -- true
check "... is named, before a guest runs" has err "none/version: may not be written"
check "... nor the console's" exits 2 boot --console "$work/none/log" -- true
check "... with its option" has err "--console: .*none/log: may not be written"
check "... nor an action's" exits 2 "$vspe" linux image --output "$work/none/initrd"
check "... with its option" has err "--output: .*none/initrd: may not be written"
TMPDIR="$work/tmp" "$vspe" linux --cache "$top/build/linux-guest" --quiet -- sh -c 'echo runs; while :; do :; done' >"$work/out" 2>&1 &
for _ in $(seq 600); do grep -q runs "$work/out" && break; sleep 0.1; done
kill $!
wait $!
check "SIGTERM ends it" test $? -eq 143
check "no folder is left behind" test -z "$(ls "$work/tmp")"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/jitgdb.sh VSPE GUESTS: --jit-gdb. gdb, debugging vspe, has names for translated code.
set -u
vspe=$1
guests=$2
matcher=-E
. "$(dirname "$0")/common.sh"
kernel=$guests/bench/tree.elf
if ! "$vspe" run --jit on "$kernel" --params "spe=0 iterations=1" >/dev/null 2>"$work/err" </dev/null; then
	echo "SKIP: $(tail -n 1 "$work/err")"
	exit 77
fi
check "a run with --jit-gdb" exits 0 "$vspe" run --jit-gdb "$kernel" --params "spe=0 iterations=20000"
# gdb has names after 15 calls, some of which remove blocks. At the end vspe has no block left, and gdb no name.
debug() {
	timeout 120 gdb -batch -nx -ex 'set breakpoint pending on' -ex 'set confirm off' "$@" --args "$vspe" run --no-sandbox --jit-gdb "$kernel" \
		--params "spe=0 iterations=20000" </dev/null
}
check "gdb has names" exits 0 debug -ex 'break __jit_debug_register_code' -ex 'ignore 1 15' -ex run -ex 'info functions guest:'
check "... of addresses of the guest" has out '0x[0-9a-f]{16}  guest:0x402[0-9a-f]{5}$'
check "... of many blocks" [ "$(grep -c '  guest:0x' "$work/out")" -ge 5 ]
check "gdb goes on to the end" exits 0 debug -ex 'break _exit' -ex run -ex 'info functions guest:'
check "... where there are none" [ "$(grep -c '  guest:0x' "$work/out")" = 0 ]
exit "$failed"

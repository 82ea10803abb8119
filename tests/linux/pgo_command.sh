#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/pgo_command.sh VSPE: vspe linux pgo, of a program whose frequent way is out of line: the new one has fewer taken branches, and
# ends as the old one does. What is no program for the guest is refused before anything runs.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
linux_image
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "SKIP: there is no aarch64-linux-gnu-gcc here"; exit 77; }
ls /usr/lib/llvm-*/bin/llvm-bolt >/dev/null 2>&1 || { echo "SKIP: there is no BOLT here (tools/install bolt)"; exit 77; }
cd "$work" || exit 1
aarch64-linux-gnu-gcc -O2 -ffreestanding -nostdlib -static -no-pie -fno-pic -fno-stack-protector -mgeneral-regs-only \
	-fno-asynchronous-unwind-tables -Wl,--emit-relocs -Wl,--build-id=none -o program "$top/tests/linux/pgo_program.c" || exit 1

check "vspe linux pgo" exits 0 "$vspe" linux pgo --quiet --timeout 300 --output better ./program
check "... writes a program" [ -x better ]
row() { awk -v name="$1" 'index($0, name) == 1 { print $(NF - 3), $(NF - 2) }' "$work/out"; }
for name in instructions "modelled cycles" branches "branches taken"; do
	read -r old new <<<"$(row "$name")"
	echo "# $name: ${old:-none}, then ${new:-none}"
	check "... counts $name" [ "${old:-0}" -gt 1000 ]
done
check "... with fewer taken branches" [ "${new:-0}" -lt "${old:-0}" ]
check "... and says so" has out '^written: better$'
printf 'text\n' >text
check "a file of words" exits 125 "$vspe" linux pgo ./text
check "... is named" has err '\./text: not a (program|64-bit)'
check "this machine's own program" exits 125 "$vspe" linux pgo "$vspe"
check "... is none of AArch64's" has err 'not a 64-bit little-endian program for AArch64'
check "no program" exits 125 "$vspe" linux pgo
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/kvm/library.sh: library.c with libvspe-kvm of build/arm64, on Debian's kernel in QEMU, which counts instructions. Exit
# code 77 if something that this needs cannot be had.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "SKIP: $*"; exit 77; }
build=$top/build/arm64
[ -e "$build/vmm/kvm/libvspe-kvm.a" ] || skip "there is no $build/vmm/kvm/libvspe-kvm.a: tools/build-arm64.sh"
command -v qemu-system-aarch64 >/dev/null || skip "qemu-system-aarch64 is not installed (Debian: qemu-system-arm)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
image=${VSPE_LINUX_IMAGE:-}
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") || skip "$(tail -n 1 "$work/err")"

cc() { aarch64-linux-gnu-gcc -O2 -static -Wall -Wextra -Werror "$@" || exit 1; }
cc -nostdlib -Wl,-N,-Ttext=0x41000000,--build-id=none,--no-warn-rwx-segments -o "$work/guest.elf" "$top/examples/guest/guest.S"
aarch64-linux-gnu-objcopy -O binary "$work/guest.elf" "$work/guest.bin"
cc -std=gnu11 -I"$top/vmm/kvm/include" -I"$top/spe/include" -I"$top/pmu/include" -I"$top/sysreg/include" -I"$build/sysreg/tables" -I"$top/a64/include" \
	-o "$work/library" "$top/tests/kvm/library.c" "$build/vmm/kvm/libvspe-kvm.a" "$build/spe/libvspe.a"
. "$top/tests/linux/initrd.sh"
program_init >"$work/init.c"
cc -o "$work/init" "$work/init.c"
program_initrd "$work/init" "$work/library" "$work/guest.bin" >"$work/initrd"
(ulimit -t 300 && exec timeout 1200 qemu-system-aarch64 -machine virt,virtualization=on,gic-version=3 -cpu neoverse-n1 -m 512 \
	-accel tcg,thread=single -icount shift=1,sleep=off -nic none -display none -monitor none -serial stdio -no-reboot \
	-kernel "$image" -initrd "$work/initrd" -append "console=ttyAMA0 quiet loglevel=1 panic=-1") </dev/null 2>&1 |
	tr -d '\r' | head -c 1000000 >"$work/console"
cat "$work/console"
grep -q '^1\.\.[1-9]' "$work/console" && ! grep -q '^not ok' "$work/console"

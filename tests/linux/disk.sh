#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/disk.sh VSPE: Debian's own drivers of virtio find the disks, the entropy device and the console. The file system
# that the guest makes is one for the host's debugfs, too; a snapshot and a read-only disk stay as they are; and two runs are one.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
PATH=$PATH:/usr/sbin:/sbin
"$guest" image >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }

seq 1 100000 | head -c 524288 >"$work/full"
for run in 1 2; do
	truncate -s 0 "$work/disk" && truncate -s 8M "$work/disk"
	cp "$work/full" "$work/snapshot"
	cp "$work/full" "$work/ro"
	check "run $run" exits 0 "$guest" run --vspe "$vspe" --no-spe --timeout 600 --seed 5 --rng --disk "$work/disk,serial=first" \
		--disk "$work/snapshot,snapshot,serial=second" --disk "$work/ro,ro,serial=third" \
		--add "$(dirname "$0")/disk_guest.sh" -- bash /root/disk_guest.sh
	cp "$work/out" "$work/out$run"
	cp "$work/disk" "$work/disk$run"
done
sum=$(sha256sum <"$work/full")
check "serial numbers" has out '^firstsecondthird$'
check "only the third is read-only" [ "$(grep -c '^[01]$' "$work/out"):$(grep -c '^1$' "$work/out")" = 3:1 ]
check "a file system is written" has out '^written$'
check "... and the host reads the file" \
	[ "$(debugfs -R 'cat numbers' "$work/disk" 2>"$work/err" | sha256sum)" = "$(seq 1 200000 | sha256sum)" ]
check "both others are read" [ "$(grep -c "^$sum" "$work/out")" = 2 ]
check "what is written to a snapshot is read from it" [ "$(grep -c '^[0-9a-f]\{64\} ' "$work/out")" = 3 ]
check "... and not in its file" cmp "$work/full" "$work/snapshot"
check "nothing is written to a read-only disk" has out '^not written$'
check "... nor in its file" cmp "$work/full" "$work/ro"
check "there are random numbers" has out '^( [0-9a-f]{2}){16}$'
check "the second run says the same" cmp "$work/out1" "$work/out2"
check "... and writes the same" cmp "$work/disk1" "$work/disk2"

# By firmware's ACPI tables it finds the same.
if root=$("$top/tools/debian-arm64.sh" "$top/build/debian" qemu-efi-aarch64 2>"$work/err"); then
	check "a disk by ACPI" exits 0 "$guest" run --vspe "$vspe" --no-spe --timeout 600 --bios "$root/usr/share/qemu-efi-aarch64/QEMU_EFI.fd" \
		--disk "$work/full,ro" -- sh -c 'test ! -e /proc/device-tree && sha256sum </dev/vda'
	check "... is read" has out "^$sum"
else
	echo "# no EDK2: $(tail -n 1 "$work/err")"
fi

# A shell on hvc0, which reads a file: what is typed before the driver is there waits for it. Linux throws away what comes while
# it sets up hvc0: spaces.
printf '%64s\n%64s\ntty; echo a$((1 + 1))b; exit\n' '' '' >"$work/typed"
# FILE COMMAND...: with that as its input.
with_input() { file=$1 && shift && "$@" <"$file"; }
check "a shell on the virtio console" exits 0 with_input "$work/typed" "$vspe" run --mem 1024 --no-spe --timeout 600 --seed 5 --console virtio --stats=json \
	-k "$(sed -n 1p "$work/image")" -i "$(sed -n 2p "$work/image")" -p "console=ttyAMA0 console=hvc0 quiet panic=-1"
check "... is at hvc0" has out '^/dev/hvc0'
check "... reads what is typed" has out '^a2b'
check "... all of it" has err '"device":"console","requests":[0-9]*,"bytes_read":159,'
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/boots.sh VSPE GUESTS NAME...: guests start from Debian's EDK2, GRUB and U-Boot, on vspe and on QEMU, and from
# loaders that do not know them: with ACPI tables, or with a device tree, at EL1 and at EL2. However a guest starts, it
# prints the same as when vspe starts it. It gets its boot arguments, which change the checksum of bench/alu.
set -u
vspe=$1
guests=$2
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "SKIP: $1"; exit 77; }
command -v mcopy >/dev/null || skip "there is no mcopy (Debian: mtools)"
root=$("$top/tools/debian-arm64.sh" "$top/build/debian" u-boot-qemu qemu-efi-aarch64 grub-efi-arm64-bin 2>"$work/err") ||
	skip "$(tail -n 1 "$work/err")"
efi=$root/usr/share/qemu-efi-aarch64/QEMU_EFI.fd
uboot=$root/usr/lib/u-boot/qemu_arm64/u-boot.bin
grub=$root/usr/lib/grub/arm64-efi/monolithic/gcdaa64.efi
arguments="iterations=2 spe=256"
failures=0
count=0

# The output of a guest's tests, and the benchmark's result without time and samples. Firmware draws before it.
said() { tr -d '\r' <"$1" | sed 's/.*\(TAP version\)/\1/; s/ ticks=.*//' | grep -aE '^(not )?ok |^1\.\.|^Bail out|^bench: end'; }

# check NAME GUEST: $work/console has what the guest prints when vspe starts it.
check() {
	count=$((count + 1))
	said "$work/console" >"$work/said"
	if [ "$status" = 0 ] && [ -s "$work/$2.said" ] && cmp -s "$work/$2.said" "$work/said"; then
		echo "ok $count - $1"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $count - $1: exit code $status"
	diff "$work/$2.said" "$work/said" | head -n 20
	tail -n 10 "$work/console" "$work/err"
}

# run COMMAND...: puts its output into $work/console; its standard input is that of this function.
run() {
	status=0
	timeout 200 "$@" >"$work/console" 2>"$work/err" || status=$?
}
with_vspe() { run "$vspe" run -m 512 --timeout 180 "$@"; }
with_qemu() { run qemu-system-aarch64 -machine virt,gic-version=3 -cpu max -m 512 -nic none -display none -serial stdio "$@"; }

# usual NAME ARGUMENT...: vspe starts it, with a device tree, at EL1.
usual() {
	with_vspe -k "$guests/$1.Image" "${@:2}" </dev/null
	said "$work/console" >"$work/$(basename "$1").said"
	[ "$status" = 0 ] && [ -s "$work/$(basename "$1").said" ] || { echo "not ok - $1 alone: exit code $status"; failures=$((failures + 1)); }
}
for guest in platform hotspot registers; do
	usual "$guest"
done
usual smp -c 4
usual bench/alu
cp "$work/alu.said" "$work/alu-plain"
usual bench/alu -p "$arguments"
if cmp -s "$work/alu-plain" "$work/alu.said"; then
	echo "not ok - boot arguments change nothing"
	failures=$((failures + 1))
fi

# EDK2 starts what the command line names, ...
for el in 1 2; do
	for guest in "$@"; do
		with_vspe --bios "$efi" --el "$el" -k "$guests/$guest.Image" </dev/null
		check "EDK2 -kernel, ACPI, EL$el: $guest" "$guest"
		with_vspe --bios "$efi" --el "$el" --no-acpi -k "$guests/$guest.Image" </dev/null
		check "EDK2 -kernel, device tree, EL$el: $guest" "$guest"
	done
done
with_vspe --bios "$efi" -c 4 -k "$guests/smp.Image" </dev/null
check "EDK2 -kernel, ACPI: smp" smp
for how in "" --no-acpi; do
	with_vspe --bios "$efi" $how -k "$guests/bench/alu.Image" -p "$arguments" </dev/null
	check "EDK2 -kernel, arguments $how" alu
done

# disk NAME FILE...: a FAT file system with FILE, which firmware looks for, and what FILE boots.
disk() {
	local disk=$work/$1 name
	truncate -s 64M "$disk"
	mformat -i "$disk" ::
	mmd -i "$disk" ::EFI ::EFI/BOOT ::boot ::boot/grub
	mcopy -i "$disk" "$2" ::EFI/BOOT/BOOTAA64.EFI
	for name in platform hotspot registers bench/alu; do
		mcopy -i "$disk" "$guests/$name.Image" ::"$(basename "$name")"
	done
}

# ... or what is on a disk, ...
for guest in "$@"; do
	disk "efi-$guest" "$guests/$guest.Image"
	with_vspe --bios "$efi" --disk "$work/efi-$guest,ro" </dev/null
	check "EDK2 from a disk, ACPI: $guest" "$guest"
done
disk efi-tree "$guests/platform.Image"
with_vspe --bios "$efi" --no-acpi --el 2 --disk "$work/efi-tree,ro" </dev/null
check "EDK2 from a disk, device tree, EL2: platform" platform

# ... or typed into its shell, which has arguments.
type_shell() { for _ in 1 2 3 4; do printf '%64s\r' ''; done; printf '%s\r' "$@"; }
type_shell FS0: "$(printf '%64s' '')" "alu.efi $arguments" >"$work/typed"
disk shell /dev/null
mcopy -i "$work/shell" "$guests/bench/alu.Image" ::alu.efi
with_vspe --bios "$efi" --disk "$work/shell,ro" <"$work/typed"
check "EDK2's shell, arguments" alu

# GRUB loads it as a kernel, or as an EFI program.
disk grub "$grub"
# from_grub NAME GUEST COMMAND OPTION...
from_grub() {
	printf 'search --file --set=root /platform\n%s\nboot\n' "$3" >"$work/grub.cfg"
	mcopy -o -i "$work/grub" "$work/grub.cfg" ::boot/grub/grub.cfg
	with_vspe --bios "$efi" --disk "$work/grub,ro" "${@:4}" </dev/null
	check "GRUB, $1: $2" "$2"
}
for how in linux chainloader; do
	for guest in "$@"; do
		from_grub "$how, ACPI" "$guest" "$how /$guest"
	done
	from_grub "$how, device tree, EL2" hotspot "$how /hotspot" --no-acpi --el 2
	from_grub "$how, arguments" alu "$how /alu $arguments"
done

# U-Boot, as the guest of vspe and in flash. The guest starts at EL1 or EL2.
# from_uboot NAME GUEST COMMAND OPTION...
from_uboot() {
	printf '\n\nvirtio scan\nload virtio 0 0x44000000 %s\nsetenv bootargs %s\n%s\n' "$2" "$arguments" "$3" >"$work/typed"
	with_vspe --disk "$work/grub,ro" "${@:4}" <"$work/typed"
	check "U-Boot, $1: $2" "$2"
}
for el in 1 2; do
	for guest in "$@" alu; do
		from_uboot "booti, EL$el" "$guest" 'booti 0x44000000 - $fdtcontroladdr' --el "$el" "$uboot"
		from_uboot "bootefi, EL$el" "$guest" 'bootefi 0x44000000 $fdtcontroladdr' --el "$el" "$uboot"
	done
	from_uboot "in flash, booti, EL$el" platform 'booti 0x44000000 - $fdtcontroladdr' --el "$el" --bios "$uboot"
	from_uboot "in flash, bootefi, EL$el" platform 'bootefi 0x44000000 $fdtcontroladdr' --el "$el" --bios "$uboot"
done

# Too many arguments are refused while firmware is still there, and its shell continues.
type_shell FS0: "$(printf '%64s' '')" "alu.efi $(printf '%01030d' 0)" "reset -s" >"$work/typed"
with_vspe --bios "$efi" --disk "$work/shell,ro" <"$work/typed"
count=$((count + 1))
if [ "$status" = 0 ] && grep -aq "guest: more than 1023 characters of arguments" "$work/console" && ! grep -aq "TAP version" "$work/console"; then
	echo "ok $count - too many arguments"
else
	failures=$((failures + 1))
	echo "not ok $count - too many arguments: exit code $status"
	tail -n 10 "$work/console" "$work/err"
fi

if command -v qemu-system-aarch64 >/dev/null; then
	image=$guests/platform.Image
	# QEMU's firmware offers less than vspe's: here the guest's output with QEMU's own loader is right.
	with_qemu -kernel "$image" </dev/null
	said "$work/console" >"$work/platform.said"
	grep -q "^not ok" "$work/platform.said" && status="$status; not ok"
	check "QEMU -kernel" platform
	with_qemu -kernel "$guests/platform.elf" </dev/null
	check "QEMU -kernel, ELF" platform
	with_qemu -kernel "$guests/bench/alu.Image" -append "iterations=2" -bios "$efi" </dev/null
	check "QEMU -bios -kernel, ACPI, arguments" alu
	with_qemu -kernel "$image" -bios "$efi" </dev/null
	check "QEMU -bios -kernel, ACPI" platform
	with_qemu -kernel "$image" -bios "$efi" -machine acpi=off </dev/null
	check "QEMU -bios -kernel, device tree" platform
	with_qemu -kernel "$image" -bios "$efi" -machine virtualization=on </dev/null
	check "QEMU -bios -kernel, ACPI, EL2" platform
	with_qemu -kernel "$image" -bios "$efi" -machine gic-version=2 </dev/null
	check "QEMU -bios -kernel, ACPI, GICv2" platform
	# As a plain binary, at two multiples of 2 MiB.
	for address in 0x40200000 0x4a600000; do
		with_qemu -device "loader,file=$image,addr=$address,cpu-num=0,force-raw=on" </dev/null
		check "QEMU, a plain loader to $address" platform
	done
else
	echo "# no qemu-system-aarch64 (Debian: qemu-system-arm)"
fi
echo "1..$count"
[ "$failures" -eq 0 ]

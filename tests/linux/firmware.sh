#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/firmware.sh VSPE INIT SPE [all|SEED]: Debian's U-Boot as the guest, and as firmware in flash. It offers
# what a user of QEMU's "virt" board expects: a shell with the device tree of the machine. It boots Debian's kernel,
# GRUB by its EFI, and Xen with that kernel as dom0; INIT judges the kernel in both. What it boots is in the initrd, one
# image after the other. Debian's EDK2 in flash boots that kernel from a disk, or by fw_cfg, with ACPI tables or the
# device tree; SPE judges the kernel's SPE driver there. all: each with one vCPU and with two, at EL1 and at EL2. SEED:
# all of that on a machine that draws what the architecture leaves open, by vspe run --unknown SEED.
set -u
shopt -s lastpipe # what stands behind a pipe counts its failures here
vspe=$1
init=$2
spe=$3
all=${4:-}
unknown=()
[ -z "$all" ] || [ "$all" = all ] || unknown=(--unknown "$all")
image=${VSPE_LINUX_IMAGE:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$top/build/debian
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "SKIP: $1"; exit 77; }
command -v mcopy >/dev/null || skip "there is no mcopy (Debian: mtools)"
command -v fdtget >/dev/null || skip "there is no fdtget (Debian: device-tree-compiler)"
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$folder" 2>"$work/err") || skip "$(tail -n 1 "$work/err")"
root=$("$top/tools/debian-arm64.sh" "$folder" u-boot-qemu qemu-efi-aarch64 xen-hypervisor-4.17-arm64 grub-efi-arm64-bin 2>"$work/err") ||
	skip "$(tail -n 1 "$work/err")"
uboot=$root/usr/lib/u-boot/qemu_arm64/u-boot.bin
failures=0

. "$(dirname "$0")/initrd.sh"
. "$(dirname "$0")/../cli/flat.sh"
{
	cpio_folder dev
	cpio_folder proc
	cpio_folder sys
	cpio_program init "$init"
	cpio_end
} >"$work/disk"
case $(head -c 2 "$image" | od -An -tx1) in
*"1f 8b"*) gzip -dc "$image" >"$work/kernel" ;;
*) cp "$image" "$work/kernel" ;;
esac
cp "$root/boot/xen-4.17-arm64" "$work/xen"
cp "$root/usr/lib/grub/arm64-efi/monolithic/gcdaa64.efi" "$work/grub"

# detour FILE AT ISLAND NEXT WORD...: puts a branch at AT to ISLAND, which gets these instructions and a branch to
# NEXT.
detour() {
	local file=$1 at=$2 island=$3 next=$4
	local back=$((island + 4 * ($# - 4)))

	words "$(branch "$at" "$island")" | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
	words "${@:5}" "$(branch "$back" "$next")" | dd of="$file" bs=1 seek="$island" conv=notrunc status=none
}
branch() { printf '%08x' $((0x14000000 | (($2 - $1) / 4 & 0x3ffffff))); }

# Firmware gets what docs/unknown.md says it relies on, so that the seed can try all else.
if [ ${#unknown[@]} -gt 0 ]; then
	# U-Boot's first instruction is a branch. MRS X9, CurrentEL; TBNZ X9, #3, 1f; MRS X9, SCTLR_EL1; AND X9, X9, #~WXN;
	# AND X9, X9, #~A; MSR SCTLR_EL1, X9; B 2f; 1: the same of SCTLR_EL2; 2: ISB
	cp "$uboot" "$work/uboot"
	uboot=$work/uboot
	truncate -s %16 "$uboot"
	detour "$uboot" 0 "$(stat -c %s "$uboot")" $(((0x$(od -An -tx4 -N 4 "$uboot" | tr -d ' ') & 0x3ffffff) * 4)) \
		d5384249 371800c9 d5381009 926cf929 927ef929 d5181009 14000005 d53c1009 926cf929 927ef929 d51c1009 d5033fdf

	# Xen's cpu_init ends with MSR SCTLR_EL2, X0; ISB; MSR SPSel, #1; RET. booti does not look at the PE header.
	# MSR HCR_EL2, XZR; MSR ICH_LR<n>_EL2, XZR, of which there are 4; ISB
	end='\x00\x10\x1c\xd5\K\xdf\x3f\x03\xd5\xbf\x41\x00\xd5\xc0\x03\x5f\xd6'
	at=$(LC_ALL=C grep -obUaP "$end" "$work/xen" | cut -d : -f 1)
	detour "$work/xen" "$at" "$(od -An -tu4 -j 60 -N 4 "$work/xen" | tr -d ' ')" $((at + 4)) \
		d51c111f d51ccc1f d51ccc3f d51ccc5f d51ccc7f d5033fdf
fi

# Each image begins at a multiple of 4 MiB: U-Boot moves an image that does not. U-Boot itself takes the last
# 32.
declare -A offset
for name in xen kernel disk grub; do
	offset[$name]=$(($(stat -c %s "$work/initrd" 2>/dev/null || echo 0)))
	cat "$work/$name" >>"$work/initrd"
	truncate -s %4M "$work/initrd"
done
truncate -s +32M "$work/initrd"

# The machine says where it puts an initrd of that size.
"$vspe" run -m 1024 --initrd "$work/initrd" --dump-dtb "$work/dtb" --timeout 1 "$uboot" </dev/null >/dev/null 2>&1
start=$((0x$(fdtget -t x "$work/dtb" /chosen linux,initrd-start | cut -d ' ' -f 2)))
at() { printf '0x%x' $((start + ${offset[$1]})); }
size_of() { printf '0x%x' "$(stat -c %s "$work/$1")"; }

# boot NAME LINE... -- OPTION...: stops U-Boot and types standard input. The lines must be on the console, from the
# first character on, and the machine must be powered off.
boot() {
	local name=$1 status=0 line
	local lines=()
	shift
	while [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	shift
	{ printf '\n\n' && cat; } >"$work/in"
	timeout 400 "$vspe" run -m 1024 --timeout 300 "${unknown[@]}" "$@" <"$work/in" >"$work/console" 2>"$work/err" || status=$?
	# GRUB draws; this looks for text.
	sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' "$work/console" | tr -d '\r' >"$work/out"
	! grep -q '^not ok' "$work/out" || status="$status; not ok"
	for line in "${lines[@]}"; do
		grep -q "^$line" "$work/out" || { status="$status; no line \"$line\""; }
	done
	if [ "$status" = 0 ]; then
		echo "ok - $name"
		return
	fi
	failures=$((failures + 1))
	echo "not ok - $name: exit code $status"
	tail -n 40 "$work/out" "$work/err"
}

shell() {
	cat <<-'LINES'
		version
		fdt addr $fdtcontroladdr
		fdt get value method /psci method
		echo the method is $method
		poweroff
	LINES
}
guest=(--initrd "$work/initrd" "$uboot")
judged=("1\.\.3" "ok 1 - " "ok 2 - " "ok 3 - there is no KVM at EL1")
for el in 1 ${all:+2}; do
	method=$([ "$el" -eq 1 ] && echo hvc || echo smc)
	shell | boot "U-Boot at EL$el" "U-Boot 20" "DRAM:  1 GiB" "the method is $method" -- --el "$el" "${guest[@]}"
done
[ -z "$all" ] || shell | boot "U-Boot, two vCPUs" "the method is hvc" -- -c 2 "${guest[@]}"

# It finds the disk by the device tree, and reads a file system that the host has made.
mkdir "$work/files"
echo "what is on the disk" >"$work/files/hello.txt"
truncate -s 8M "$work/ext2"
PATH=$PATH:/sbin mke2fs -q -F -t ext2 -d "$work/files" "$work/ext2"
printf 'virtio scan\nls virtio 0\nload virtio 0 0x44000000 hello.txt\npoweroff\n' |
	boot "U-Boot reads a disk" " *20 hello.txt" "20 bytes read" -- --disk "$work/ext2,ro" "${guest[@]}"

# In flash it keeps its environment there across a reset of the machine. It drops input while it saves or starts.
{
	echo 'setenv kept in flash; saveenv; reset'
	for _ in 1 2 3 4 5 6; do printf '%64s\necho it is $kept\n' ''; done
	echo poweroff
} |
	boot "U-Boot in flash" "Loading Environment from Flash... OK" "it is in flash" -- --bios "$uboot"

# A saved machine includes its flash: the shell's environment is still in it after the reset.
{
	printf '\n\nsetenv kept in flash; saveenv; echo saved\n'
	for _ in 1 2 3 4 5 6; do printf '%64s\n' ''; done
} >"$work/before"
rm -f "$work/out"
"$vspe" run --bios "$uboot" --save-at 500000000 --save "$work/saved" --timeout 300 "${unknown[@]}" <"$work/before" \
	>"$work/console" 2>"$work/err"
if [ $? -eq 4 ] && grep -q '^saved' "$work/console"; then
	{
		echo reset
		for _ in 1 2 3 4 5 6; do printf '%64s\necho it is $kept\n' ''; done
		echo poweroff
	} >"$work/in"
	timeout 400 "$vspe" run --restore "$work/saved" --timeout 300 <"$work/in" >"$work/console" 2>"$work/err"
	tr -d '\r' <"$work/console" >"$work/out"
fi
if grep -q "^it is in flash" "$work/out" && grep -q "Loading Environment from Flash... OK" "$work/out"; then
	echo "ok - saved flash"
else
	failures=$((failures + 1))
	echo "not ok - saved flash"
	tail -n 40 "$work/console" "$work/err"
fi

# EDK2 finds GRUB on the disk, and GRUB the kernel, which is an EFI program.
cat >"$work/grub.cfg" <<-'LINES'
	search --file --set=root /kernel
	linux /kernel console=ttyAMA0 quiet panic=-1
	initrd /disk
	boot
LINES
truncate -s 64M "$work/fat"
mformat -i "$work/fat" ::
mmd -i "$work/fat" ::EFI ::EFI/BOOT ::boot ::boot/grub
mcopy -i "$work/fat" "$work/grub" ::EFI/BOOT/BOOTAA64.EFI
mcopy -i "$work/fat" "$work/grub.cfg" ::boot/grub/grub.cfg
mcopy -i "$work/fat" "$work/kernel" "$work/disk" ::
efi=$root/usr/share/qemu-efi-aarch64/QEMU_EFI.fd
{
	for _ in 1 2 3 4; do printf '%64s\r' ''; done
	printf 'ver\rreset -s\r'
} |
	boot "EDK2's shell" "UEFI Interactive Shell" "Shell> ver" -- --bios "$efi"
for cpus in ${all:+1} 2; do
	boot "EDK2 in flash boots GRUB and Linux, $cpus vCPUs" "UEFI firmware" "${judged[@]}" -- --disk "$work/fat,ro" -c "$cpus" \
		--bios "$efi" </dev/null
done

# ... or it starts the kernel that the command line names. The driver finds SPE in the MADT, or in the device tree.
spe_initrd "$spe" "$image" "$work" >"$work/initrd-spe"
if [ -s "$work/arm_spe_pmu.ko" ]; then
	# started NAME EL [OPTION...]
	started() {
		local name=$1 el=$2
		shift 2
		boot "EDK2 starts Linux, $name" "ok 1 - the kernel's driver has registered arm_spe_0" "ok 32 - " -- --bios "$efi" -k "$work/kernel" \
			-i "$work/initrd-spe" -p "console=ttyAMA0 quiet panic=-1 -- el$el" --el "$el" "$@" </dev/null
	}
	started "ACPI, two vCPUs" 1 -c 2
	started "ACPI, EL2, SPE v1p2, a PMU" 2 --spe v1p2 --pmu v3p7
	[ -z "$all" ] || started "the device tree" 1 --no-acpi
fi

# The kernel does not complain of the tables, which have as many PEs as the machine.
acpi() {
	local lines=()
	while [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	shift
	boot "ACPI: $*" "${lines[@]}" -- --bios "$efi" -k "$work/kernel" -i "$work/disk" -p "console=ttyAMA0 panic=-1" "$@" </dev/null
}
acpi ".*ACPI: SPCR: console: pl011,mmio32,0x9000000" ".*ACPI: Using GIC for interrupt routing" ".*psci: PSCIv1.1 detected in firmware" \
	".*smp: Brought up 1 node, 3 CPUs" -- -c 3
if grep -qiE 'ACPI (BIOS )?(Error|Warning|Exception)|cache hierarchy|Oops|WARNING' "$work/out"; then
	failures=$((failures + 1))
	echo "not ok - the kernel complains about the tables"
	grep -iE 'ACPI (BIOS )?(Error|Warning|Exception)|cache hierarchy|Oops|WARNING' "$work/out"
fi

# A file keeps the firmware's variables from one run to the next.
truncate -s 64M "$work/vars"
variables() {
	local name=$1 line=$2
	shift 2
	{
		for _ in 1 2 3 4; do printf '%64s\r' ''; done
		printf '%s\r' "$@" "reset -s"
	} | boot "$name" "$line" -- --bios "$efi" --bios-vars "$work/vars"
}
variables "EDK2 keeps a variable" "Shell> set kept yes" "set kept yes"
variables "... in the file" " *kept = yes" "set"

# The rest of U-Boot's input: where the device tree is, which it moves to get room in it.
tree() {
	cat <<-'LINES'
		fdt addr $fdtcontroladdr
		fdt move $fdtcontroladdr 0x50000000 0x10000
	LINES
}
{
	tree
	echo 'setenv bootargs console=ttyAMA0 quiet panic=-1'
	echo "booti $(at kernel) $(at disk):$(size_of disk) 0x50000000"
} | boot "U-Boot boots Linux" "Starting kernel" "${judged[@]}" -- --tap "${guest[@]}"

# Where U-Boot's EFI does not allocate. It takes the start of the next line for the terminal's answer.
{
	echo "cp.b $(at grub) 0x44000000 $(size_of grub)"
	echo "bootefi 0x44000000:$(size_of grub) \$fdtcontroladdr"
	printf '%64s\n' ''
	echo 'echo platform $grub_platform'
	echo halt
} |
	boot "U-Boot starts GRUB" "platform efi" -- "${guest[@]}"

xen() {
	tree
	cat <<-LINES
		fdt set /chosen \\#address-cells <2>
		fdt set /chosen \\#size-cells <2>
		fdt set /chosen xen,xen-bootargs "console=dtuart dtuart=/pl011@9000000 dom0_mem=256M noreboot"
		fdt set /chosen xen,dom0-bootargs "console=hvc0 quiet panic=-1"
		fdt rm /chosen linux,initrd-start
		fdt rm /chosen linux,initrd-end
		fdt mknod /chosen module@0
		fdt set /chosen/module@0 compatible "multiboot,kernel" "multiboot,module"
		fdt set /chosen/module@0 reg <0 $(at kernel) 0 $(size_of kernel)>
		fdt mknod /chosen module@1
		fdt set /chosen/module@1 compatible "multiboot,ramdisk" "multiboot,module"
		fdt set /chosen/module@1 reg <0 $(at disk) 0 $(size_of disk)>
		booti $(at xen) - 0x50000000
	LINES
}
for cpus in ${all:+1} 2; do
	xen | boot "Xen with a Linux dom0, $cpus vCPUs" "(XEN) Brought up $cpus CPUs" "(XEN) \*\*\* LOADING DOMAIN 0" "${judged[@]}" \
		"(XEN) Hardware Dom0 halted" -- --el 2 --tap -c "$cpus" "${guest[@]}"
done
[ "$failures" -eq 0 ]

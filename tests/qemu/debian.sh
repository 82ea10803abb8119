#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/debian.sh DEBIAN VSPE PLUGIN GUESTS WORK: in the Debian 13 of that folder, with the QEMU of its backports, the guests of
# qemu-plugin.list pass, and Debian's kernel and perf have the records that the program WORK (tests/linux/work.S) is known to make.
set -u
debian=$1 vspe=$2 plugin=$3 guests=$4 program=$5
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
matcher=-E
. "$top/tests/cli/common.sh"

name=qemu
. "$here/inside.sh"

inside qemu-system-aarch64 --version | head -n 1
version=$(inside qemu-system-aarch64 --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
cp "$vspe" "$home/vspe"
cp "$plugin" "$home/qemu/"
cp -r "$guests" "$home/guests"

same() { # IMAGE OPTION...: that of vspe run and of vspe qemu
	image=$1
	shift
	"$vspe" run --seed 12345 --perf-data "$work/soft" "$@" "$guests/$image.Image" </dev/null >/dev/null 2>&1
	inside /root/qemu/vspe qemu --seed 12345 --stats --perf-data /root/qemu/data "$@" -nographic -kernel "/root/qemu/guests/$image.Image" \
		>/dev/null 2>"$work/err"
	records "$work/soft" >"$work/soft.txt"
	records "$home/data" >"$work/qemu.txt"
	[ -s "$work/qemu.txt" ] && cmp "$work/soft.txt" "$work/qemu.txt"
}

command="chroot $debian env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin /root/qemu/vspe qemu --seed 12345 %* -nographic -kernel /root/qemu/guests/%n"
check "the guests of qemu-plugin.list pass" exits 0 "$vspe" conform --guests "$guests/qemu-plugin.list" --jobs 1 --junit "$work/junit" --machine "qemu,$version" --machine "qemu-plugin,$version" --command "$command"
grep -E '^ok|^# [0-9]+ guests: ' "$work/out"
check "... all of them" test "$(grep -c '^ok' "$work/out")" = "$(grep -c '^[a-z]' "$guests/qemu-plugin.list")"
check "... with their times" has junit '<testsuite name="hotspot".* time="'

while read -r row; do
	# shellcheck disable=SC2086
	check "$row: the records are those of the soft engine" same $row
	check "$row: every selected operation was sampled" has err '^vspe: CPU 0: .*, missed 0, not trapped 0$'
done <<-END
	buffer
	interval
	interval --spe v1p4
	hotspot
	hotspot --spe v1p0,countsize=16
	hotspot --spe no-ernd
	hostile
END

# A pointer chase finds the same levels as on the software CPU.
chases() { "$@" </dev/null 2>/dev/null | tr -d '\r' | grep '^# log: chase ' >"$work/chases"; }
check "--model warm: a pointer chase" chases inside /root/qemu/vspe qemu --model warm -m 1G -nographic -kernel /root/qemu/guests/chase.Image
mv "$work/chases" "$work/qemu.chases"
check "... and on the software CPU" chases "$vspe" run --model warm -m 1024 "$guests/chase.Image"
check "... the same sources and latencies" cmp "$work/chases" "$work/qemu.chases"
check "... of four levels" test "$(grep -oE '0x[08be] in (4|11|40|200) cycles' "$work/chases" | sort -u | wc -l)" = 4

# Linux on two CPUs, from EDK2 too, and perf. What is known of WORK is in tests/linux/perf.sh.
: >"$work/wanted"
echo "bash /root/perf_guest.sh; dmesg | grep arm_spe; sed 's/^/warning: /' /tmp/warnings" >"$work/command"
"$top/tools/linux-guest" image --release 13 --output "$home/initrd" --add "$program:/root/work" --add "$top/tests/linux/perf_guest.sh" \
	--add "$work/command:/linux-guest/command" --add "$work/wanted:/linux-guest/wanted" >"$work/image" 2>"$work/err" ||
	{ echo "SKIP: no kernel of Debian: $(tail -n 1 "$work/err")"; exit 77; }
cp "$(head -n 1 "$work/image")" "$home/Image"
root=$("$top/tools/debian-arm64.sh" "$top/build/debian" qemu-efi-aarch64 2>"$work/err") ||
	{ echo "SKIP: no firmware of Debian: $(tail -n 1 "$work/err")"; exit 77; }
cp "$root/usr/share/qemu-efi-aarch64/QEMU_EFI.fd" "$home/firmware"
for row in "v1p1" "v1p2 -bios /root/qemu/firmware -machine virt,acpi=off"; do
	read -r version machine <<<"$row"
	# shellcheck disable=SC2086
	check "$version: Debian's kernel and perf" exits 0 inside /root/qemu/vspe qemu --spe "$version" --stats -nographic -m 1G -smp 2 $machine \
		-kernel /root/qemu/Image -initrd /root/qemu/initrd -append "console=ttyAMA0"
	tr -d '\r' <"$work/out" >"$work/plain" && cp "$work/plain" "$work/out"
	[ -z "$machine" ] || check "$version: by firmware" has out 'efi: EFI v2\.'
	check "$version: the driver" has out 'arm_spe_pmu spe-pmu: probed SPEv1\.'
	check "$version: each 4097th operation" has out '^all 1220$'
	check "$version: the loads among them" has out '^loads 244$'
	check "$version: the branches among them" has out '^branches 244$'
	check "$version: of a thread" has out '^per-thread 122[0-4]$'
	check "$version: an interval of 1 is PMSIDR_EL1's, 256" has out '^interval-1 1945[5-9]$'
	check "$version: snapshots" has out '^snapshot 2[4-9][0-9]{2}$'
	check "$version: the report has the function" has out '100\.00%.*work_loop'
	check "$version: no warning of SPE" exits 1 grep -iE '^warning:.*(oops|bug|spe)' "$work/plain"
done
exit "$failed"

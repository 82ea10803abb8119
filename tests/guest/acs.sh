#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# acs.sh VSPE FOLDER: Arm's compliance suites for systems, VBSA and BSA, started by Debian's EDK2 from a disk. FOLDER is
# prebuilt_images of https://github.com/ARM-software/sysarch-acs; the newest of each suite is run. No rule may fail but those named here,
# which want what the machine does not have. Exit code: 77 if there is no EDK2 or no mtools, 2 if there is no folder.
set -u
[ $# -eq 2 ] && [ -d "$2" ] || { echo "acs.sh: VSPE and prebuilt_images of sysarch-acs are needed" >&2; exit 2; }
vspe=$(realpath "$1")
folder=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "SKIP: $*"; exit 77; }
command -v mcopy >/dev/null || skip "there is no mcopy (Debian: mtools)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$("$top/tools/debian-arm64.sh" "$top/build/debian" qemu-efi-aarch64 2>"$work/err") || skip "$(tail -n 1 "$work/err")"
efi=$root/usr/share/qemu-efi-aarch64/QEMU_EFI.fd
failures=0

# suite NAME FILE "RULE..." OPTION...: what fails is a part of the rules.
suite() {
	local name=$1 file known=" $3 " rule rules total
	file=$(find "$folder/$name" -name "$2" 2>/dev/null | sort -V | tail -n 1)
	[ -n "$file" ] || { echo "ok - $name # SKIP there is no $2 in $folder/$name"; return; }
	shift 3
	truncate -s 0 "$work/disk" && truncate -s 64M "$work/disk"
	printf 'FS0:\r\nsuite.efi\r\nreset -s\r\n' >"$work/startup.nsh"
	mformat -i "$work/disk" -F :: && mcopy -i "$work/disk" "$work/startup.nsh" :: && mcopy -i "$work/disk" "$file" ::suite.efi || exit 1
	# A key, so that the shell does not count its five seconds.
	printf '          ' | timeout 1000 "$vspe" run -m 1024 -c 2 --isa all --pmu v3p5 --spe v1p2 --timeout 900 "$@" --bios "$efi" \
		--disk "$work/disk,snapshot" 2>"$work/err" | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' >"$work/out"
	total=$(sed -n 's/ *Total Rules Run *: *//p' "$work/out")
	# The rule is the last one that was named before it is said to have failed.
	rules=$(awk '/^ *[A-Z][A-Z0-9_]*[0-9] : / { rule = $1 } /Result:  FAILED/ { print rule }' "$work/out")
	for rule in $rules; do
		[ "${known/ $rule /}" = "$known" ] || continue
		echo "not ok - $name: $rule: $(grep -A 4 "^ *$rule : " "$work/out" | tr -s '\n ' ' ')"
		failures=$((failures + 1))
	done
	if [ "${total:-0}" -eq 0 ]; then
		echo "not ok - $name has no end: $(tail -n 1 "$work/err") $(tail -n 3 "$work/out" | tr -s '\n ' ' ')"
		failures=$((failures + 1))
	else
		echo "ok - ${file#"$folder"/}: $total rules," "$(sed -n 's/ *Passed *: *\([0-9]*\)/\1 passed/p' "$work/out")," \
			"$(echo "$rules" | grep -c .) failed:" $rules
	fi
}

suite VBSA Vbsa.efi ""
# EL3 and Secure state are firmware's (--el 3), and there is no SMMU.
suite BSA Bsa-acpi.efi "B_PE_23 B_PE_24 B_GIC_04 B_SMMU_18" --el 2
exit $((failures != 0))

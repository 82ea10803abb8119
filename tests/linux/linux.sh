#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/linux.sh VSPE INIT SPE: boot the arm64 Linux kernel that VSPE_LINUX_IMAGE names (an Image, plain or gzip;
# tools/debian-kernel.sh gets Debian's) at EL1 and at EL2, with KVM in each of its modes, and let INIT judge it.
# SPE judges what the kernel's SPE driver makes of the machine.
set -u
vspe=$1
init=$2
spe=$3
image=${VSPE_LINUX_IMAGE:-}
[ -n "$image" ] || { echo "SKIP: VSPE_LINUX_IMAGE names no kernel"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

. "$(dirname "$0")/initrd.sh"
{
	cpio_folder dev
	cpio_program init "$init"
	cpio_end
} >"$work/initrd"
spe_initrd "$spe" "$image" "$work" >"$work/initrd-spe"

# boot NAME EL ARGUMENTS [OPTION...]: the kernel's arguments, and more of vspe run.
boot() {
	local name=$1 el=$2 arguments=$3 status=0
	shift 3
	timeout 90 "$vspe" run --el "$el" --mem 512 --initrd "${initrd:-$work/initrd}" --tap --timeout 60 \
		--params "console=ttyAMA0 quiet panic=-1 $arguments -- el$el" "$@" "$image" \
		</dev/null >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" -eq 0 ]; then
		echo "ok - $name"
	else
		failures=$((failures + 1))
		echo "not ok - $name: exit code $status"
		tail -n 30 "$work/out" "$work/err"
	fi
}

boot "EL1" 1 ""
boot "EL1, two vCPUs" 1 "" --cpus 2
boot "EL2, KVM with VHE" 2 ""
boot "EL2, KVM with VHE, four vCPUs" 2 "" --cpus 4
boot "EL2, KVM without VHE" 2 "kvm-arm.mode=nvhe"
boot "EL2, protected KVM" 2 "kvm-arm.mode=protected"
boot "EL2, no SPE" 2 "" --no-spe
boot "EL2, SPE v1p5" 2 "" --spe v1p5
boot "Secure EL1" 1 "" --secure
boot "Realm EL1" 1 "" --realm

initrd=$work/initrd-spe
boot "the SPE driver" 1 ""
boot "the SPE driver, two vCPUs" 1 "" --cpus 2
boot "the SPE driver at EL2, with VHE" 2 ""
boot "the SPE driver at EL2, without VHE" 2 "kvm-arm.mode=nvhe"
boot "the SPE driver, SPE v1p5" 1 "" --spe v1p5
boot "the SPE driver in Secure state" 1 "" --secure
[ "$failures" -eq 0 ]

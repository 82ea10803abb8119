#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/linux.sh VSPE INIT: boot the arm64 Linux kernel that VSPE_LINUX_IMAGE names (an Image, plain or gzip;
# tools/debian-kernel.sh gets Debian's) at EL1 and at EL2, with KVM in each of its modes
# and its driver of SPE, and let INIT judge it.
set -u
vspe=$1
init=$2
image=${VSPE_LINUX_IMAGE:-}
[ -n "$image" ] || { echo "SKIP: VSPE_LINUX_IMAGE names no kernel"; exit 77; }
# Where Debian has the module of that kernel.
version=${image##*/vmlinuz-}
module=${image%/boot/*}/lib/modules/$version/kernel/drivers/perf/arm_spe_pmu.ko
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# entry NAME MODE [FILE]: a member of a cpio archive of the format newc, each part padded to 4 bytes.
entry() {
	local size=0
	[ $# -lt 3 ] || size=$(stat -L -c %s "$3")
	printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\0' \
		$((++inode)) "$2" 0 0 1 0 "$size" 0 0 0 0 $((${#1} + 1)) 0 "$1"
	head -c $((-(110 + ${#1} + 1) & 3)) /dev/zero
	[ $# -lt 3 ] || cat "$3"
	head -c $((-size & 3)) /dev/zero
}
inode=0
{
	entry dev $((8#040755))
	entry init $((8#100755)) "$init"
	[ ! -f "$module" ] || entry spe.ko $((8#100644)) "$module"
	entry 'TRAILER!!!' 0
} >"$work/initrd"

# boot NAME WORDS ARGUMENTS [OPTION...]: what the init is to expect, the kernel's arguments, and options of vspe run.
# The driver of SPE wants the kernel mapped while user code runs: kpti=off.
boot() {
	local name=$1 words=$2 arguments=$3 status=0
	shift 3
	[ -f "$module" ] || words=${words/spe/}
	timeout 90 "$vspe" run --mem 512 --initrd "$work/initrd" --tap --timeout 60 \
		--params "console=ttyAMA0 quiet panic=-1 kpti=off $arguments -- $words" "$@" "$image" \
		</dev/null >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" -eq 0 ]; then
		echo "ok - $name: $(grep -c '^ok' "$work/out") points"
	else
		failures=$((failures + 1))
		echo "not ok - $name: exit code $status"
		tail -n 30 "$work/out" "$work/err"
	fi
}

[ -f "$module" ] || echo "# no $module: SPE's driver is not tried"
boot "EL1" "spe" ""
boot "EL1, two vCPUs" "spe" "" --cpus 2
boot "EL2, KVM with VHE" "el2 spe" "" --el 2
boot "EL2, KVM with VHE, four vCPUs" "el2 spe" "" --el 2 --cpus 4
boot "EL2, KVM without VHE" "el2 spe" "kvm-arm.mode=nvhe" --el 2
boot "EL2, protected KVM" "el2 spe" "kvm-arm.mode=protected" --el 2
boot "EL2, no SPE" "el2" "" --el 2 --no-spe
boot "EL2, SPE v1p0" "el2 spe" "" --el 2 --spe v1p0
boot "EL2, SPE v1p5" "el2 spe" "" --el 2 --spe v1p5
boot "Secure EL1" "" "" --secure
boot "Realm EL1" "" "" --realm
[ "$failures" -eq 0 ]

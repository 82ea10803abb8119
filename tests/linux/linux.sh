#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/linux.sh VSPE INIT SPE PMU: boot the arm64 Linux kernel that VSPE_LINUX_IMAGE names (an Image, plain or gzip), or
# else Debian's, at EL1 and at EL2, with KVM in each of its modes, and let INIT judge it.
# SPE judges what the kernel's SPE driver makes of the machine, and PMU what perf counts and samples.
set -u
vspe=$1
init=$2
spe=$3
pmu=$4
image=${VSPE_LINUX_IMAGE:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
	{ echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
failures=0

. "$(dirname "$0")/initrd.sh"
{
	cpio_folder dev
	cpio_program init "$init"
	cpio_end
} >"$work/initrd"
spe_initrd "$spe" "$image" "$work" >"$work/initrd-spe"
spe_initrd "$pmu" "$image" "$work" >"$work/initrd-pmu"

# boot NAME EL ARGUMENTS [OPTION...]: the kernel's arguments, and more of vspe run.
boot() {
	local name=$1 el=$2 arguments=$3 status=0
	shift 3
	timeout 90 "$vspe" run --el "$el" --mem 512 --initrd "${initrd:-$work/initrd}" --tap --timeout 60 \
		--params "console=ttyAMA0 quiet panic=-1 $arguments -- el$el ${words:-}" "$@" "$image" \
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

# counted NAME EL [OPTION...]: PMU judges. Last of all it counts instructions while SPE samples as many: those have to be
# those that the engine itself has counted, but for some system calls.
counted() {
	local name=$1 el=$2 instructions population
	shift 2
	initrd=$work/initrd-pmu words=cycles boot "$name" "$el" "" --stats "$@"
	instructions=$(sed -n 's/^# instructions:u beside arm_spe_0: \([0-9]*\).*/\1/p' "$work/out")
	if [ -z "$instructions" ]; then
		[[ " $* " == *" --no-spe "* ]] || [ ! -s "$work/arm_spe_pmu.ko" ] ||
			{ failures=$((failures + 1)); echo "not ok - $name: there is no arm_spe_0 beside it"; }
		return
	fi
	population=$(sed -n 's/.* SAMPLE_POP \([1-9][0-9]*\) .*/\1/p' "$work/err")
	if [ $((population - instructions)) -lt 0 ] || [ $((population - instructions)) -gt 1000 ]; then
		failures=$((failures + 1))
		echo "not ok - $name: $instructions instructions, and the engine has counted $population"
	fi
}
counted "the PMU, v3p1" 1 --pmu v3p1
counted "the PMU, v3p4, without SPE" 1 --pmu v3p4 --no-spe
counted "the PMU, v3p5, two vCPUs" 1 --pmu v3p5 --cpus 2
counted "the PMU, v3p8" 1 --pmu v3p8
# v3p7, since Linux 6.1 sets up EL2 as if there were no PMU from v3p8 on: docs/pmu.md.
counted "the PMU, v3p7, at EL2, with VHE" 2 --pmu v3p7

if [ ! -s "$work/arm_spe_pmu.ko" ]; then
	echo "# no arm_spe_pmu.ko beside $image: VSPE_LINUX_SPE_MODULE can name it; the SPE driver is not tested"
	[ "$failures" -eq 0 ]
	exit
fi
initrd=$work/initrd-spe
boot "the SPE driver" 1 ""
boot "the SPE driver, two vCPUs" 1 "" --cpus 2
boot "the SPE driver at EL2, with VHE" 2 ""
boot "the SPE driver at EL2, without VHE" 2 "kvm-arm.mode=nvhe"
boot "the SPE driver at EL2, protected KVM" 2 "kvm-arm.mode=protected"
boot "the SPE driver, SPE v1p0" 1 "" --spe v1p0
boot "the SPE driver, SPE v1p5" 1 "" --spe v1p5
boot "the SPE driver in Secure state" 1 "" --secure
[ "$failures" -eq 0 ]

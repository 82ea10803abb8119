#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/unknown.sh VSPE INIT SPE PMU FIRST COUNT: Debian's arm64 kernel, or the one that VSPE_LINUX_IMAGE names,
# on machines that draw what the architecture leaves open, by COUNT seeds from FIRST on: vspe run --unknown SEED
# (docs/unknown.md). Each boots three times, at EL1, at EL2, or there with KVM without VHE, on one vCPU or two. INIT
# judges the kernel and KVM, on any PE that is permitted; SPE what its driver makes of SPE, and PMU what perf counts,
# which they know of one PE alone.
set -u
vspe=$1
init=$2
spe=$3
pmu=$4
first=$5
count=$6
image=${VSPE_LINUX_IMAGE:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
	{ echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
failures=0
runs=0

. "$(dirname "$0")/initrd.sh"
{
	cpio_folder dev
	cpio_program init "$init"
	cpio_end
} >"$work/init"
spe_initrd "$spe" "$image" "$work" >"$work/spe"
spe_initrd "$pmu" "$image" "$work" >"$work/pmu"

# boot INITRD SEED WORDS [OPTION...]
boot() {
	local name=$1 seed=$2 words=$3 status=0 el=1 arguments=
	shift 3
	case $((seed % 3)) in
	1) el=2 ;;
	2) el=2 arguments=kvm-arm.mode=nvhe ;;
	esac
	runs=$((runs + 1))
	timeout 200 "$vspe" run --el $el --cpus $((1 + seed % 2)) --mem 512 --initrd "$work/$name" --tap --timeout 120 \
		--unknown "$seed" --params "console=ttyAMA0 quiet panic=-1 $arguments -- el$el $words" "$@" "$image" \
		</dev/null >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -ne 0 ] || return
	failures=$((failures + 1))
	echo "not ok - $name, seed $seed, EL$el $arguments $*: exit code $status"
	grep -a -m 20 '^not ok' "$work/out"
	tail -n 5 "$work/out" "$work/err"
}

for ((seed = first; seed < first + count; seed++)); do
	boot init "$seed" "" --spe any --pmu any
	[ ! -s "$work/arm_spe_pmu.ko" ] || boot spe "$seed" ""
	boot pmu "$seed" cycles --pmu v3p5
done
echo "$runs boots, $failures failures"
[ "$failures" -eq 0 ] && [ "$runs" -gt 0 ]

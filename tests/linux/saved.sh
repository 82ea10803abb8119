#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/saved.sh VSPE SPE: the arm64 Linux kernel that VSPE_LINUX_IMAGE names, or else Debian's, saved in the middle of
# its boot and again while its SPE driver is profiling, and restored each time: what it prints, records and counts is
# that of a boot never interrupted.
set -u
vspe=$1
spe=$2
image=${VSPE_LINUX_IMAGE:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-F
. "$top/tests/cli/common.sh"
[ -n "$image" ] || image=$("$top/tools/debian-kernel.sh" "$top/build/debian" 2>"$work/err") ||
	{ echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
. "$(dirname "$0")/initrd.sh"
spe_initrd "$spe" "$image" "$work" >"$work/initrd"
[ -s "$work/arm_spe_pmu.ko" ] || { echo "SKIP: no arm_spe_pmu.ko beside $image: VSPE_LINUX_SPE_MODULE can name it"; exit 77; }

# records FILE: its packets, without where they are.
records() { "$vspe" decode "$1" | sed -n 's/^ *[0-9a-f]*: *//p'; }
# boot NAME [OPTION...]: what it prints and records is in NAME.
boot() {
	local name=$1
	shift
	timeout 200 "$vspe" run --timeout 180 --stats=json --perf-data "$work/$name.data" "$@" </dev/null >"$work/$name.out" \
		2>"$work/$name.err"
}
guest=(--mem 256 --cpus 2 --initrd "$work/initrd" --params "console=ttyAMA0 panic=-1 -- el1" "$image")

boot whole --tap "${guest[@]}"
check "a boot" test $? -eq 0
operations=$(sed -n 's/.*"engine":"soft","operations":\([0-9]*\),.*/\1/p' "$work/whole.err")
boot first --save "$work/image" --save-at $((operations / 3)) "${guest[@]}"
check "saved in the middle of the boot" test $? -eq 4
echo "# the image has $(stat -c %s "$work/image") bytes, at operation $((operations / 3)) of $operations"
# The driver is tested at the end of it all; where that begins is the kernel's affair.
for part in 20 30 40 60 80 120; do
	boot second --restore "$work/image" --save "$work/later" --save-at $((operations - operations / part))
	saved=$?
	[ "$(records "$work/second.data" | wc -l)" -eq 0 ] || break
done
echo "# saved again at operation $((operations - operations / part))"
check "restored, and saved while the driver is tested" test "$saved" -eq 4
boot third --tap --restore "$work/later"
check "restored again: TAP is judged as a whole" test $? -eq 0
cat "$work/first.out" "$work/second.out" "$work/third.out" >"$work/parts.out"
check "the console is the same" cmp "$work/parts.out" "$work/whole.out"
check "the counts are the same" cmp "$work/third.err" "$work/whole.err"
for part in first second third; do
	records "$work/$part.data"
done >"$work/parts"
records "$work/whole.data" >"$work/all"
check "the records are the same" cmp "$work/parts" "$work/all"
check "there are records before the last save" test "$(records "$work/second.data" | wc -l)" -gt 0
check "... and behind it" test "$(records "$work/third.data" | wc -l)" -gt 0
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/run_guest.sh vspe|qemu|qemu-el3 PROGRAM IMAGE PLAN SKIPS SECONDS [ARGUMENT...]
#
# Run a guest and judge its TAP by what the list says: the plan, every test in order, none failed, and just
# so many skipped. vspe has to judge the same by itself. QEMU starts a kernel below EL3 always, so for EL3
# the image is put into RAM, with the PC at its first instruction; QEMU's device tree is then at the start
# of RAM, where the guests look if X0 is 0. Exits with 77 if the program is not installed.
set -eu
on=$1 program=$2 image=$3 plan=$4 skips=$5 seconds=$6
shift 6
command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
case $on in
vspe)
	timeout $((seconds + 10)) "$program" run --kernel "$image" --tap --timeout "$seconds" "$@" \
		</dev/null >"$output" || status=$? ;;
qemu)
	timeout "$seconds" "$program" -machine virt,gic-version=3 -cpu max -m 256 -nic none \
		-display none -serial stdio -kernel "$image" "$@" </dev/null >"$output" || status=$? ;;
qemu-el3)
	timeout "$seconds" "$program" -machine virt,gic-version=3,secure=on,virtualization=on -cpu max \
		-m 256 -nic none -display none -serial stdio \
		-device "loader,file=$image,addr=0x40200000,cpu-num=0,force-raw=on" "$@" \
		</dev/null >"$output" || status=$? ;;
*)
	echo "FAIL: $on is no machine"
	exit 1 ;;
esac
head -n 400 "$output"
[ "$status" -eq 0 ] || { echo "FAIL: exit status $status"; exit 1; }
awk -v plan="$plan" -v skips="$skips" -f "$(dirname "$0")/tap.awk" "$output"
echo PASS

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/el2.sh DEBIAN VSPE PLUGIN GUESTS RAISE: in the QEMU of Debian 13's backports, with RAISE (raise.c) in front of it, by which a
# plugin raises exceptions, the guests of qemu-plugin-el2.list and -el3.list pass, and what is trapped is counted and sampled as it is by
# the software CPU.
set -u
debian=$1 vspe=$2 plugin=$3 guests=$4 raise=$5
here=$(dirname "$(realpath "$0")")
matcher=-E
name=el2
. "$here/../cli/common.sh"
. "$here/inside.sh"

cp "$vspe" "$home/vspe"
cp "$plugin" "$home/qemu/"
cp "$raise" "$home/raise.so"
cp -r "$guests" "$home/guests"

start="env LD_PRELOAD=/root/el2/raise.so /root/el2/vspe qemu --seed 12345"
machine=virt,gic-version=3,virtualization=on

pass() { # LIST MACHINE HOW...: what starts the image
	list=$1 on=$2
	shift 2
	check "the guests of $list pass" exits 0 "$vspe" conform --guests "$guests/$list" --jobs 1 --command \
		"chroot $debian env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin $start %* -machine $on -nographic $*"
	grep '^ok' "$work/out"
	check "... all of them" test "$(grep -c '^ok' "$work/out")" = "$(grep -c '^[a-z]' "$guests/$list")"
}

pass qemu-plugin-el2.list "$machine" -kernel /root/el2/guests/%n
pass qemu-plugin-el3.list "$machine,secure=on" -device loader,file=/root/el2/guests/%n,addr=0x40200000,cpu-num=0,force-raw=on

same() { # IMAGE OPTION...: the records are those of vspe run
	image=$1
	shift
	"$vspe" run --el 2 --seed 12345 --perf-data "$work/soft" "$@" "$image" </dev/null >/dev/null 2>&1
	cp "$image" "$home/image"
	# shellcheck disable=SC2086 # words
	inside $start --stats --perf-data /root/el2/data "$@" -machine "$machine" -nographic -kernel /root/el2/image >/dev/null 2>"$work/err"
	records "$work/soft" >"$work/soft.txt"
	records "$home/data" >"$work/qemu.txt"
	[ -s "$work/qemu.txt" ] && cmp "$work/soft.txt" "$work/qemu.txt"
}

gcc=aarch64-linux-gnu-gcc
[ "$(uname -m)" != aarch64 ] || gcc=gcc
$gcc -nostdlib -static -Wl,-Ttext=0 -Wl,--build-id=none -o "$work/trapped.elf" "$here/trapped.S" &&
	${gcc%gcc}objcopy -O binary "$work/trapped.elf" "$work/trapped" || exit 1
for version in v1p0 v1p2 v1p4; do
	check "$version: samples of what is trapped are those of the soft engine" same "$work/trapped" --spe "$version"
	check "$version: ... many of them" test "$(grep -c EXCEPTION-GEN "$work/qemu.txt")" -gt 100
	check "$version: ... and each operation was counted" has err '^vspe: CPU 0: population 140002, .*, missed 0, not trapped 0$'
done
check "hotspot, from EL2 on: the records are those of the soft engine" same "$guests/hotspot.Image"
exit "$failed"

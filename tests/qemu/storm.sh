#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/storm.sh DEBIAN VSPE PLUGIN GUESTS [FIRST [COUNT [LIBASAN]]]: storms of storm.py, COUNT of them from FIRST
# on, most of them on two vCPUs, in the QEMU of Debian 13's backports. They may end QEMU only by powering off, a reset,
# or a timeout. A plugin with AddressSanitizer needs LIBASAN, its library, which has that of UndefinedBehaviorSanitizer
# in the same folder. With check=on the plugin never misuses libvspe.
set -u
debian=$1 vspe=$2 plugin=$3 guests=$4 first=${5:-1} count=${6:-40} libasan=${7:-}
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
matcher=-E
name=storm
. "$top/tests/cli/common.sh"
. "$here/inside.sh"

cp "$vspe" "$home/vspe"
cp "$plugin" "$home/qemu/libvspe-qemu.so"
preload=
if [ -n "$libasan" ]; then
	cp -L "$libasan" "$home/libasan.so"
	cp -L "$(dirname "$libasan")/libubsan.so" "$home/libubsan.so.1"
	preload="LD_PRELOAD=/root/storm/libasan.so LD_LIBRARY_PATH=/root/storm UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:exitcode=99"
fi
cp "$guests/registers.Image" "$home/registers"
versions=(v1p0 v1p1 v1p2 v1p3 v1p4 v1p5)

# storm SEED: puts QEMU's output into $work/said and returns its exit code. 124: it ran until the timeout.
storm() {
	local el=1 machine threads="-smp 2 -accel tcg,thread=multi"
	python3 -B "$here/storm.py" "$1" "$home/image" || return 1
	[ $(($1 % 3)) -ne 2 ] || el=2
	[ $(($1 % 4)) -ne 3 ] || threads="-smp 1 -accel tcg,thread=single"
	machine=virt,gic-version=3$([ "$el" = 1 ] || echo ,virtualization=on)
	# shellcheck disable=SC2086 # words
	timeout --kill-after=5 8 chroot "$debian" env -i HOME=/root PATH=/usr/bin $preload qemu-system-aarch64 -machine "$machine" -cpu max $threads -m 256 \
		-display none -monitor none -serial none -no-reboot \
		-plugin "/root/storm/qemu/libvspe-qemu.so,spe=${versions[$(($1 % 6))]},seed=$1,stats=on,check=on,ram=0x40000000-0x50000000" \
		-kernel /root/storm/image </dev/null >"$work/said" 2>&1
}

ended=0 late=0 records=0
for ((seed = first; seed < first + count; seed++)); do
	storm "$seed"
	code=$?
	case $code in
	0) ended=$((ended + 1)) ;;
	124) late=$((late + 1)) ;;
	*)
		echo "not ok - seed $seed: exit code $code"
		tail -n 30 "$work/said"
		failed=1
		;;
	esac
	if grep -q 'misuse\.[a-z]* [1-9]' "$work/said"; then
		echo "not ok - seed $seed: $(grep -o 'misuse\.[a-z]* [1-9][0-9]*' "$work/said" | tr '\n' ' ')"
		failed=1
	fi
	records=$((records + $(sed -n 's/.* records \([0-9]*\),.*/\1/p' "$work/said" | paste -sd+ | sed 's/^$/0/' | bc)))
done
echo "# $ended powered off, $late were still there after their time, $records records"
check "no storm ends QEMU" [ $failed -eq 0 ]
check "they were profiled" [ "$records" -gt "$count" ]
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/bench_images.sh VSPE GUESTS: every benchmark kernel computes the same with and without
# sampling, and on QEMU where that is installed; and with spe=256 there are samples.
set -eu
vspe=$1 guests=$2
iterations=3

fail() { echo "FAIL: $*"; exit 1; }

# checksum OUTPUT
checksum() { echo "$1" | sed -n 's/^bench: end checksum=\(0x[0-9a-f]*\) ticks=[0-9]*.*/\1/p'; }

for kernel in alu tree memcpy bytecode crc_sha float simd sve; do
	isa='' cpu=cortex-a57
	[ $kernel != sve ] || { isa='--isa +fp16,+fcma,+sve'; cpu=a64fx; }
	image=$guests/bench/$kernel.Image
	off=$(timeout 60 "$vspe" run $isa -k "$image" -p "iterations=$iterations" --timeout 50 </dev/null)
	first=$(checksum "$off")
	[ -n "$first" ] || fail "$kernel: no result: $off"
	on=$(timeout 60 "$vspe" run $isa -k "$image" -p "iterations=$iterations spe=256" --timeout 50 </dev/null)
	[ "$(checksum "$on")" = "$first" ] || fail "$kernel: with spe=256: $on"
	echo "$on" | grep -q '^bench: [0-9]* records' || fail "$kernel: spe=256 says nothing of records"
	none=$(timeout 60 "$vspe" run $isa -k "$image" -p "iterations=$iterations spe=256" --no-spe \
		--timeout 50 </dev/null)
	[ "$(checksum "$none")" = "$first" ] || fail "$kernel: without SPE: $none"
	echo "$none" | grep -q '^bench: no profiling: ' || fail "$kernel: does not miss SPE"
	if command -v qemu-system-aarch64 >/dev/null; then
		qemu=$(timeout 60 qemu-system-aarch64 -machine virt,gic-version=3 -cpu $cpu -m 256 \
			-nic none -display none -serial stdio -kernel "$image" \
			-append "iterations=$iterations" </dev/null | tr -d '\r')
		[ "$(checksum "$qemu")" = "$first" ] || fail "$kernel: on QEMU: $qemu"
	fi
	echo "$kernel $first"
done
echo PASS

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/same_output.sh VSPE GUESTS: a guest prints the same in every run, checksums of its samples included, and
# the same if every operation is executed singly, and if nothing is translated. For abort this proves that a data abort
# in the middle of a block of code leaves the operation count exact.
set -eu
vspe=$1 guests=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME GUEST ARGUMENT...
run() {
	name=$1 guest=$2
	shift 2
	timeout 250 "$vspe" run -k "$guests/$guest.Image" --timeout 240 --perf-data "$work/$name.data" "$@" \
		</dev/null >"$work/$name.out" || { echo "FAIL: $guest $*: exit status $?"; exit 1; }
	# Without the command, which is in the file, too.
	"$vspe" decode "$work/$name.data" >"$work/$name.records"
}

# same GUEST ARGUMENT...
same() {
	guest=$1
	run first "$@"
	run again "$@"
	run single "$@" --single-step
	run interpreted "$@" --jit off
	cmp "$work/first.data" "$work/again.data" || { echo "FAIL: $guest: the file of the same command"; exit 1; }
	for other in again single interpreted; do
		for kind in out records; do
			cmp "$work/first.$kind" "$work/$other.$kind" || {
				diff "$work/first.out" "$work/$other.out" | head -n 20
				echo "FAIL: $guest: $other run"
				exit 1
			}
		done
	done
}

for name in abort hotspot interval buffer; do
	same "$name"
done
# The unit must see some operations singly.
for name in abort hotspot buffer; do
	same "$name" --spe v1p5
done
same switch --el 2
same trap-and-emulate --el 2
same interval --spe no-archinst
same abort --spe v1p5,no-archinst
# The machine model sees what is translated, executed in groups, or singly.
same hotspot --model warm
same abort --model warm
# Hot loops that select each operation often enough for it to get separate code.
same bench/alu --params 'spe=256 iterations=9000'
same bench/tree --params 'spe=256 iterations=600'
same bench/memcpy --params 'spe=512 iterations=3' --spe v1p2
same bench/bytecode --params 'spe=256 iterations=1000' --spe v1p5
same bench/crc_sha --params 'spe=256 iterations=2'
same bench/float --params 'spe=256 iterations=500'
same bench/sve --isa +fp16,+fcma,+sve --params 'spe=256 iterations=20'
same bench/simd --params 'spe=256 iterations=50'
# Prove that the comparison can fail: hotspot has random intervals, which another seed changes.
run first hotspot
run seed hotspot --seed 99
if cmp -s "$work/first.records" "$work/seed.records"; then
	echo "FAIL: another seed made the same samples"
	exit 1
fi
echo PASS

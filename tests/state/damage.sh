#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/state/damage.sh VSPE DAMAGE GUESTS COUNT SEED: COUNT damaged images of machines that were saved in the middle of
# different guests.
set -eu
vspe=$1 damage=$2 guests=$3 count=$4 seed=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# image NAME OPERATIONS GUEST OPTION...
image() {
	name=$1 at=$2 guest=$3 status=0
	shift 3
	"$vspe" run -m 16 --save "$work/$name" --save-at "$at" "$@" "$guests/$guest.Image" </dev/null >"$work/out" 2>"$work/err" ||
		status=$?
	[ "$status" -eq 4 ] || { cat "$work/err"; echo "FAIL: $guest: exit status $status"; exit 1; }
}

image el1 300000 hotspot
image other 200000 hotspot --spe v1p5
image smp 30000 smp -c 4
image el2 60000 switch --el 2 --spe v1p5
image el3 60000 el3 --el 3
printf '%s\n' 'l1i.size 4K' 'l1d.size 4K' 'l2.size 8K' 'llc.size 64K' 'branch.targets 16' 'branch.directions 16' \
	'l2tlb.entries 16' >"$work/small"
image model 30000 smp -c 2 --model "full,$work/small"
timeout 600 "$damage" "$count" "$seed" "$work/el1" "$work/other" "$work/smp" "$work/el2" "$work/el3" "$work/model"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The guest virtio with a disk in each of its modes: who writes to the image, and two runs are alike.
set -eu
vspe=$1
image=$2/virtio.Image
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -c 65536 /dev/zero >"$folder/empty"
for mode in '' ,ro ,snapshot; do
	cp "$folder/empty" "$folder/disk"
	for run in 1 2; do
		"$vspe" run --tap --timeout 60 --rng --stats=json --disk "$folder/disk$mode" "$image" >"$folder/out$run" 2>"$folder/stats$run"
		if [ -z "$mode" ] && cmp -s "$folder/empty" "$folder/disk"; then
			echo "--disk disk: nothing was written to it" >&2
			exit 1
		fi
		if [ -n "$mode" ] && ! cmp "$folder/empty" "$folder/disk"; then
			echo "--disk disk$mode: its file was written to" >&2
			exit 1
		fi
		[ -n "$mode" ] || cp "$folder/empty" "$folder/disk"
	done
	cmp "$folder/out1" "$folder/out2"
	cmp "$folder/stats1" "$folder/stats2"
done

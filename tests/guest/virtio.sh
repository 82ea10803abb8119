#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The guest virtio with a disk in each of its modes: who writes to the image, two runs are alike, and so is one that is
# saved and restored between its requests. Then its console, with input.
set -eu
vspe=$1
image=$2/virtio.Image
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -c 65536 /dev/zero >"$folder/empty"
for mode in '' ,ro ,snapshot; do
	cp "$folder/empty" "$folder/disk"
	for run in 1 2; do
		"$vspe" run --tap --timeout 60 --rng --console virtio --stats=json --disk "$folder/disk$mode" "$image" >"$folder/out$run" 2>"$folder/stats$run"
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
	operations=$(sed -n 's/.*"engine":"soft","operations":\([0-9]*\),.*/\1/p' "$folder/stats1")
	[ -n "$mode" ] || "$vspe" run --rng --console virtio --disk "$folder/disk" "$image" >"$folder/out2"
	cp "$folder/disk" "$folder/written"
	for part in 4 6 8; do
		cp "$folder/empty" "$folder/disk"
		status=0
		"$vspe" run --tap --rng --console virtio --disk "$folder/disk$mode" --save "$folder/saved" --save-at $((operations * part / 10)) \
			"$image" >"$folder/out2" 2>"$folder/stats2" || status=$?
		[ "$status" -eq 4 ] || { cat "$folder/stats2" >&2; exit 1; }
		"$vspe" run --tap --rng --console virtio --stats=json --disk "$folder/disk$mode" --restore "$folder/saved" >>"$folder/out2" 2>"$folder/stats2"
		cmp "$folder/out1" "$folder/out2"
		cmp "$folder/stats1" "$folder/stats2"
		cmp "$folder/written" "$folder/disk"
	done
	cp "$folder/empty" "$folder/disk"
	grep -q '"bytes_read":[1-9].*"broken":4' "$folder/stats1" || { cat "$folder/stats1" >&2; exit 1; }
done

# Input that is there before the driver is waits for it.
printf 'by virtio' >"$folder/input"
"$vspe" run --tap --timeout 60 --console virtio -p input=1 --stats=json "$image" <"$folder/input" >"$folder/out" 2>"$folder/stats"
if ! grep -q '^# by virtio' "$folder/out" || ! grep -q '^ok 7 - virtio: a console writes and reads' "$folder/out" ||
	! grep -q '"device":"console","requests":3,"bytes_read":9,"bytes_written":12,' "$folder/stats"; then
	cat "$folder/out" "$folder/stats" >&2
	exit 1
fi

# QEMU's disk, which we did not write: the guest asks for no more than virtio does.
command -v qemu-system-aarch64 >"$folder/qemu" || exit 0
for mode in '' ,readonly=on ,snapshot=on; do
	timeout 240 qemu-system-aarch64 -M virt,gic-version=3 -cpu max -m 256 -nographic -net none -global virtio-mmio.force-legacy=false \
		-drive "if=none,id=disk,format=raw,file=$folder/disk$mode" -device virtio-blk-device,drive=disk -kernel "$image" \
		</dev/null >"$folder/out" 2>"$folder/err" || { cat "$folder/out" "$folder/err"; exit 1; }
	if grep '^not ok\|^# .* failed' "$folder/out" || ! grep -q '^ok 7 ' "$folder/out"; then
		cat "$folder/out" "$folder/err" >&2
		exit 1
	fi
done

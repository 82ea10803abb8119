#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/board.sh VSPE GUESTS: the serial way to a board, as docs/conformance.md has it. The board is vspe with Debian's U-Boot in
# flash, whose serial line is a terminal; power-cycle turns it on. The document's script is used but for TFTP, in whose place there is a
# disk that has TFTP's folder.
set -u
vspe=$(realpath "$1")
guests=$(realpath "$2")
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
skip() { echo "SKIP: $1"; exit 77; }
command -v mcopy >/dev/null || skip "there is no mcopy (Debian: mtools)"
root=$("$top/tools/debian-arm64.sh" "$top/build/debian" u-boot-qemu 2>"$work/err") || skip "$(tail -n 1 "$work/err")"
mkdir "$work/tftp" "$work/bin"
mkfifo "$work/button"

# The line is there all the time, and the board at its other end now and then.
cat >"$work/board.py" <<'PYTHON'
import os, pty, subprocess, sys, tty
vspe, uboot, work = sys.argv[1:]
master, slave = pty.openpty()
tty.setraw(slave)
os.symlink(os.ttyname(slave), work + "/line.new")
os.rename(work + "/line.new", work + "/line")
board = None
while True:
    with open(work + "/button") as button:
        pressed = button.read()
    if board:
        board.kill()
        board.wait()
    if "off" in pressed:
        break
    subprocess.run(["truncate", "-s", "32M", work + "/disk"], check=True)
    subprocess.run(["mformat", "-i", work + "/disk", "::"], check=True)
    subprocess.run(["mcopy", "-o", "-i", work + "/disk", work + "/tftp/guest.Image", "::"], check=True)
    board = subprocess.Popen(
        [vspe, "run", "--bios", uboot, "--disk", work + "/disk,ro", "--realtime", "--timeout", "300"], stdin=master, stdout=master
    )
PYTHON
python3 -B "$work/board.py" "$vspe" "$root/usr/lib/u-boot/qemu_arm64/u-boot.bin" "$work" &
board=$!
trap 'echo off >"$work/button"; wait "$board"; rm -rf "$work"' EXIT
printf '#!/bin/sh\necho on >%s/button\n' "$work" >"$work/bin/power-cycle"
sed -n '/^<!-- load-board.sh -->$/,/^```$/ { /^<!--/d; /^```/d; p }' "$top/docs/conformance.md" |
	sed "s|/dev/ttyUSB0|$work/line|; s|/srv/tftp|$work/tftp|; s|dhcp; tftpboot \$kernel_addr_r|virtio scan; load virtio 0 \$kernel_addr_r|" >"$work/load-board.sh"
grep -q "load virtio 0" "$work/load-board.sh" || { echo "not ok - docs/conformance.md has no load-board.sh"; exit 1; }
chmod +x "$work/bin/power-cycle" "$work/load-board.sh"
while [ ! -e "$work/line" ]; do sleep 0.1; done

# The rows that vspe has, on a board.
awk '$2 == "vspe" && $1 ~ /^(platform|hotspot|registers)$/ { print $1, "command", $3, $4, $5, 250 }' "$top/tests/guest/guests.list" >"$work/board.list"
PATH=$work/bin:$PATH timeout 900 "$vspe" conform --guests "$work/board.list" --guest-dir "$guests" --command "$work/load-board.sh %k %a" \
	--console "$work/line,115200" >"$work/out" 2>&1
status=$?
cat "$work/out"
[ "$status" = 0 ] && grep -q "3 guests: 3 passed, 0 failed" "$work/out"

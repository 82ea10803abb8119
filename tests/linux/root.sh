#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/root.sh VSPE: tools/linux-guest run --root gives the machine to the first process of a disk, with the command as a
# service of systemd's in /run. Here that process is a script, which does what the service says.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
PATH=$PATH:/usr/sbin:/sbin
root=$("$top/tools/debian-arm64.sh" "$top/build/debian" busybox-static 2>"$work/err") || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
"$guest" image >"$work/image" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }

lacks() { ! grep -q "$matcher" -- "$2" "$work/$1"; }

mkdir -p "$work/tree"/{bin,sbin,dev,proc,sys,run,tmp,root,etc}
cp "$root/bin/busybox" "$work/tree/bin"
printf '#!/bin/busybox sh\nexec /bin/busybox sh "$@"\n' >"$work/tree/bin/bash"
cat >"$work/tree/sbin/init" <<-'SCRIPT'
	#!/bin/busybox sh
	/bin/busybox --install -s /bin
	export PATH=/bin
	cd /root
	service=/run/systemd/system/multi-user.target.wants/linux-guest.service
	[ "$(readlink /run/systemd/system/serial-getty@ttyAMA0.service)" = /dev/null ] &&
		$(sed -n 's/^ExecStart=//p' "$service")
	poweroff -f
SCRIPT
chmod +x "$work/tree/bin/bash" "$work/tree/sbin/init"
echo "on the disk" >"$work/tree/etc/name"
truncate -s 16M "$work/disk"
mke2fs -q -F -t ext4 -d "$work/tree" "$work/disk"
cp "$work/disk" "$work/before"
echo "added" >"$work/file"

check "a command on a disk" exits 7 "$guest" run --vspe "$vspe" --no-spe --timeout 600 --root "$work/disk,snapshot" \
	--add "$work/file:/root/file" --get "/root/made:$work/got" -- sh -c 'cat /etc/name file; echo made >made; echo $$; exit 7'
check "... has its files" has out '^on the disk$'
check "... and those that are added" has out '^added$'
check "... is not the first process" lacks out '^1$'
check "... gives back what is asked for" [ "$(cat "$work/got")" = made ]
check "a snapshot is not written to" cmp "$work/disk" "$work/before"
printf 'no file system' >"$work/disk"
truncate -s 1M "$work/disk"
check "a disk without a file system" exits 125 "$guest" run --vspe "$vspe" --no-spe --timeout 600 --root "$work/disk" -- true
check "... is told" has err 'no root'
exit "$failed"

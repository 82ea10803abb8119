#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest, for share.sh: share_guest.sh WHAT TAG, where WHAT is write or read.
set -u
what=$1
mkdir -p /mnt
mount -t 9p -o trans=virtio,version=9p2000.L "$2" /mnt && echo mounted
cd /mnt || exit 1
sha256sum <numbers
if [ "$what" = read ]; then
	for change in 'echo x >new' 'echo x >numbers' 'mkdir folder' 'rm numbers' 'mv numbers other' 'chmod 600 numbers' 'ln -s x link'; do
		bash -c "$change" 2>/dev/null || echo refused
	done
	ls many | wc -l
	exit
fi
(cd many && cat $(LC_ALL=C ls) | sha256sum)
[ "$(ls -U many | grep -v '^\.')" = "$(LC_ALL=C ls many)" ] && echo "$(ls many | wc -l) sorted"
cat short/inner
cat out 2>/dev/null || echo "nothing outside"
mkdir made
seq 1 200000 >before
mv before made/copy
chmod 6640 made/copy
ln made/copy made/second
ln -s /anywhere made/link
printf 0123456789 >made/cut
truncate -s 4 made/cut
mknod made/null c 1 3 2>/dev/null || echo "no device"
rm -r deep
sync
[ "$(sha256sum <made/copy)" = "$(seq 1 200000 | sha256sum)" ] || echo "not what was written"

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest, for disk.sh: a file system on the first disk, and what the two others let happen.
set -u
cat /sys/block/vd[abc]/serial
echo
cat /sys/block/vd[abc]/ro
mkdir -p /mnt
mke2fs -F /dev/vda >/tmp/log 2>&1 || cat /tmp/log
mount -t ext4 /dev/vda /mnt && seq 1 200000 >/mnt/numbers && umount /mnt && echo "written"
sha256sum </dev/vdb
dd if=/dev/urandom of=/dev/vdb bs=64k count=4 conv=fsync 2>/tmp/log && dd if=/dev/vdb bs=64k count=4 2>/tmp/log | sha256sum
dd if=/dev/zero of=/dev/vdc bs=4k count=1 2>/tmp/log || echo "not written"
sha256sum </dev/vdc
head -c 16 /dev/hwrng | od -An -tx1
exit 0

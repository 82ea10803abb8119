#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bare-debian.sh FOLDER [COMMAND...]: prove the README's commands on a bare Debian 12.
#
# Makes a minimal Debian 12 in FOLDER (once: debootstrap.sh), puts a fresh clone of this repository into it, and runs
# tools/run.sh twice and tools/test.sh there (or COMMAND). Needs root.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 FOLDER [COMMAND...]" >&2; exit 2; }
root=$1
shift
repository=$(cd "$(dirname "$0")/../.." && pwd)

"$repository/tests/install/debootstrap.sh" "$root"
rm -rf "$root/root/vspe"
git clone -q "$repository" "$root/root/vspe"

mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
trap 'umount "$root/proc" "$root/dev/pts" "$root/dev"' EXIT
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /root/vspe && $1"; }
if [ $# -gt 0 ]; then
	inside "$*"
else
	inside tools/run.sh
	inside tools/run.sh
	inside tools/test.sh
fi

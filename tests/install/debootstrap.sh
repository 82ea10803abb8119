#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debootstrap.sh FOLDER [SUITE]: make a minimal Debian in FOLDER, if it is not there: Debian 12 (bookworm), or that
# SUITE. Exit code 77, with the reason, if that is impossible: it needs root, debootstrap and a network.
set -eu
root=$1
suite=${2:-bookworm}
mkdir -p "$root"
if command -v flock >/dev/null; then
	exec 9>"$root.lock"
	flock 9
fi
[ ! -e "$root/made" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	echo "SKIP: a bare Debian wants root and debootstrap"
	exit 77
fi
if ! debootstrap --variant=minbase "$suite" "$root" http://deb.debian.org/debian >"$root.log" 2>&1; then
	rm -rf "$root"
	echo "SKIP: a bare Debian ($suite) cannot be made: $(tail -n 1 "$root.log")"
	exit 77
fi
# The other system's apt needs the settings of this one's.
cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
: >"$root/made"

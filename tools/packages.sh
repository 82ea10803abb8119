#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh [--source|--arm64] [FOLDER]: make the Debian source package (.dsc and .tar.xz) and the binary packages of
# it, as debian/control lists them, and print their paths. They go to FOLDER, build/packages if it is not given. With
# --source the source package only; with --arm64 the binary packages for arm64, cross-compiled on whatever this machine
# is, to build/packages-arm64.
set -eu
cd "$(dirname "$0")/.."
arm64= wanted=-F
case ${1:-} in
--arm64) arm64=-arm64 && shift ;;
--source) wanted="-S -d" && shift ;;
-*) echo "usage: tools/packages.sh [--source|--arm64] [FOLDER]" >&2 && exit 2 ;;
esac
folder=${1:-build/packages$arm64}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tools/install build package >"$folder/log"
version=$(dpkg-parsechangelog -S Version)
work=$PWD/build/package$arm64
tree=$work/vspe-$version
rm -rf "$work" "$folder"/vspe_* "$folder"/*.deb
tools/copy-tree "$tree"
# The same sources make the same bytes, whenever that is.
find "$tree" -exec touch -h -d "@$(dpkg-parsechangelog -S Timestamp)" {} +

if [ -n "$arm64" ]; then
	tools/build-arm64.sh --libraries || exit
	mkdir -p "$tree/build"
	ln -s "$PWD/build/debian-arm64" "$tree/build/debian-arm64"
	# What the build depends on is another list than that of a native build: tools/deps.
	wanted="-B -aarm64 -Pcross,nocheck -d"
fi
(cd "$tree" && DEB_BUILD_OPTIONS="noautodbgsym terse ${DEB_BUILD_OPTIONS:-parallel=$(nproc)}" \
	dpkg-buildpackage -us -uc $wanted) >>"$folder/log" 2>&1 || { tail -n 40 "$folder/log" >&2; exit 1; }
for file in "$work"/*.deb "$work"/*.dsc "$work"/*.tar.xz; do
	[ ! -e "$file" ] || mv "$file" "$folder"
done
rm -rf "$tree"
find "$folder" -maxdepth 1 \( -name '*.deb' -o -name 'vspe_*' \) | sort

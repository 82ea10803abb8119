#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh [--arm64] [FOLDER]: make the Debian packages libvspe0, libvspe-dev, libvspe-qemu, vspe, vspe-records and python3-vspe, on
# arm64 also libvspe-kvm0 and libvspe-kvm-dev, and print their paths. They go to FOLDER, build/packages if it is not given. With --arm64 those of
# the libraries for arm64, on whatever this machine is; to build/packages-arm64.
set -eu
cd "$(dirname "$0")/.."
preset=package
if [ "${1:-}" = --arm64 ]; then
	preset=package-arm64
	shift
fi
folder=${1:-build/packages${preset#package}}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tools/install build package
set -- -B "$folder"
if [ $preset = package-arm64 ]; then
	tools/install arm64
	tools/build-arm64.sh >"$folder/log" || exit
	# Nothing on this machine says on what of arm64's they depend: it is libc6.
	set -- "$@" -G DEB -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64 -D "CPACK_COMPONENTS_ALL=libvspe0;libvspe-dev;libvspe-kvm0;libvspe-kvm-dev" \
		-D CPACK_DEBIAN_LIBVSPE0_PACKAGE_SHLIBDEPS=OFF -D "CPACK_DEBIAN_LIBVSPE0_PACKAGE_DEPENDS=libc6 (>= 2.34)"
fi
# The files are as old as the sources.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) && export SOURCE_DATE_EPOCH || unset SOURCE_DATE_EPOCH
rm -f "$folder"/*.deb
{ cmake --preset $preset && cmake --build --preset $preset && (cd build/$preset && cpack "$@"); } \
	>"$folder/log" 2>&1 || { tail -n 40 "$folder/log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages"
ls "$folder"/*.deb

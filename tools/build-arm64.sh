#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/build-arm64.sh [PRESET]: build a static arm64 vspe, whatever this system is, and print its path: build/arm64/vspe.
# tests/kvm runs it. The libraries are Debian's, fetched into build/debian-arm64 the first time. PRESET is arm64, or
# arm64-tsan, which has ThreadSanitizer and is not static; or --libraries, which fetches those and builds nothing. Exit
# code: 1 if it does not build, 77 if what it needs cannot be had.
set -eu
preset=${1:-arm64}
cd "$(dirname "$0")/.."
mkdir -p build

# Tests that need it may start at once.
if command -v flock >/dev/null; then
	exec 8>build/arm64.lock
	flock 8
fi
{ tools/install build arm64 &&
	tools/debian-arm64.sh build/debian-arm64 libfdt-dev libelf-dev libdw-dev libiberty-dev libcapstone-dev liblzma-dev \
		libbz2-dev zlib1g-dev libzstd-dev libjson-c-dev libexpat1-dev \
		libseccomp-dev; } >/dev/null ||
	exit 77
[ "$preset" != --libraries ] || exit 0
{ cmake --preset "$preset" && cmake --build --preset "$preset"; } \
	>"build/$preset.log" 2>&1 || { tail -n 40 "build/$preset.log" >&2; exit 1; }
echo "$PWD/build/$preset/vspe"

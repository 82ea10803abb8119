#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Build a static arm64 vspe, whatever this system is, and print its path: build/arm64/vspe. tests/kvm runs it. The
# libraries are Debian's, fetched into build/debian-arm64 the first time.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build

# Tests that need it may start at once.
if command -v flock >/dev/null; then
	exec 8>build/arm64.lock
	flock 8
fi
tools/install build arm64
tools/debian-arm64.sh build/debian-arm64 libfdt-dev libelf-dev zlib1g-dev libjson-c-dev libexpat1-dev >/dev/null
{ cmake --preset arm64 && cmake --build --preset arm64; } \
	>build/arm64.log 2>&1 || { tail -n 40 build/arm64.log >&2; exit 1; }
echo "$PWD/build/arm64/vspe"

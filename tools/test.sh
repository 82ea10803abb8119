#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing, build vspe, and pass its tests.
set -eu
cd "$(dirname "$0")/.."

tools/install build test examples
echo "Building vspe ..."
mkdir -p build
{ cmake --preset release -DBUILD_TESTING=ON && cmake --build --preset release; } \
	>build/release.log 2>&1 || { tail -n 40 build/release.log >&2; exit 1; }
exec ctest --preset release -j "$(nproc)" --output-junit "$PWD/build/release.xml"

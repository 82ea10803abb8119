#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing, build vspe, and let a guest profile itself: its hot spots are shown.
set -eu
cd "$(dirname "$0")/.."

tools/install build
echo "Building vspe ..."
mkdir -p build
{ cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } \
	>build/run.log 2>&1 || { tail -n 40 build/run.log >&2; exit 1; }
exec tools/hotspots build/release

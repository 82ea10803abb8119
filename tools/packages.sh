#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh [FOLDER]: make the Debian packages libvspe0, libvspe-dev, libvspe-qemu, vspe and vspe-records, and print their paths. They go to
# FOLDER, build/packages if it is not given.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/packages}

tools/install build package
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# The files are as old as the sources.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) && export SOURCE_DATE_EPOCH || unset SOURCE_DATE_EPOCH
rm -f "$folder"/*.deb
{ cmake --preset package && cmake --build --preset package && cpack --preset package -B "$folder"; } \
	>"$folder/log" 2>&1 || { tail -n 40 "$folder/log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages"
ls "$folder"/*.deb

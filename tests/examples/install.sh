#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/examples/install.sh BUILD FOLDER: install BUILD, if it is not empty, into FOLDER/native, and libvspe for aarch64
# into FOLDER/aarch64, for the checks of the examples.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 folder=$2
quietly() { "$@" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; echo "FAIL: $*"; exit 1; }; }

rm -rf "$folder/native" "$folder/aarch64"
mkdir -p "$folder"
[ -z "$build" ] || quietly cmake --install "$build" --prefix "$folder/native"
cd "$top"
quietly cmake --preset freestanding -B "$folder/build"
quietly cmake --build "$folder/build"
quietly cmake --install "$folder/build" --prefix "$folder/aarch64"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/counters/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe, and run it: it compares its
# counters with its records itself.
set -eu
. "$(dirname "$0")/../common.sh"
needs cmake cmake

library_of "$prefix"
build cmake -S "$here" -B "$work/build"
build cmake --build "$work/build"
"$work/build/counters" >"$work/out" || fail "counters: $(cat "$work/out")"
cat "$work/out"

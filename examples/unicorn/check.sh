#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/unicorn/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe, run it, check its records.
set -eu
. "$(dirname "$0")/../common.sh"
needs make make
needs pkg-config pkg-config
needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
needs perf linux-perf
pkg-config --exists unicorn || skip "there is no unicorn here (Debian: libunicorn-dev)"

library_of "$prefix"
build make -C "$here"
timeout 20 "$here/vmm" "$here/guest.bin" "$work/raw" >"$work/log" || fail "vmm"
[ "$(cat "$work/log")" = "guest: PMSVer 3, 1 UNDEFINED, 1 interrupts" ] || fail "$(cat "$work/log")"
check_guest "$work/raw"

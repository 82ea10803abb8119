#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# examples/kvm-loop/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe-kvm for aarch64, run it on an
# arm64 host, which is this machine, or Debian's kernel in QEMU on others; check its records.
set -eu
. "$(dirname "$0")/../common.sh"
needs make make
needs pkg-config pkg-config
needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
needs perf linux-perf

library_of "$aarch64_prefix"
pkg-config --exists vspe-kvm || skip "there is no libvspe-kvm in $aarch64_prefix (for arm64: tools/packages.sh --arm64)"
build make -C "$here"

on_kvm "$work/console" "$here/kvm-loop" "$here/guest.bin"
printf '%s\n' "guest: PMSVer 3, 1 UNDEFINED, 1 interrupts" "kvm-loop: 15 accesses patched, 18020 operations" >"$work/lines"
grep '^guest\|^kvm-loop' "$work/console" | diff "$work/lines" - || { tail -n 20 "$work/console"; fail "its console"; }
records_of "$work/console" >"$work/raw"
check_guest "$work/raw"

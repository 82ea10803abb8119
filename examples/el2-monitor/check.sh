#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/el2-monitor/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed libvspe for aarch64, boot it with
# the installed vspe, where SPE's registers are trapped, and with QEMU, which has no SPE; check the records of both.
set -eu
. "$(dirname "$0")/../common.sh"
needs make make
needs pkg-config pkg-config
needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
needs perf linux-perf

library_of "$aarch64_prefix"
build make -C "$here"

# check NAME WAY ACCESSES
check() {
	cat >"$work/lines" <<-END
		monitor: $2
		guest: PMSVer 3, 1 UNDEFINED, 1 interrupts
		monitor: $3 accesses, 18003 steps
	END
	tr -d '\r' <"$work/$1" | grep '^monitor\|^guest' | diff "$work/lines" - || fail "$1: its console"
	records_of "$work/$1" >"$work/raw"
	check_guest "$work/raw"
	words_of "$work/raw" | sed 's/ | TS .*//' >"$work/$1.words"
}

timeout 20 "$vspe" run --el 2 --timeout 15 "$here/monitor.elf" >"$work/vspe" || fail "vspe run"
# v1p2 has no PMSDSFR_EL1: with SPE that one is UNDEFINED before it could be trapped.
check vspe "SPE's registers are trapped by MDCR_EL2" 14

command -v qemu-system-aarch64 >/dev/null || skip "vspe is right; there is no QEMU here (Debian: qemu-system-arm)"
timeout 20 qemu-system-aarch64 -machine virt,virtualization=on,gic-version=3 -cpu cortex-a57 -display none \
	-serial stdio -monitor none -nic none -kernel "$here/monitor.elf" </dev/null >"$work/qemu" || fail "QEMU"
check qemu "no SPE here, so that HVC stands for accesses to its registers" 15
cmp "$work/vspe.words" "$work/qemu.words" || fail "the records differ in more than time"

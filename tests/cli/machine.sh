#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/machine.sh VSPE GUESTS: an engine refuses options that it does not have by name. A guest that does its
# worst ends as documented: with exit code 3 if it can never continue, 124 if the time runs out.
set -u
vspe=$1
guests=$2
matcher=-F
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/flat.sh"
guest=$guests/platform.Image

# refused CODE PATTERN ARGUMENT...: one line, with the pattern in it.
refused() {
	local code=$1 pattern=$2
	shift 2
	exits "$code" timeout 60 "$vspe" run "$@" "$guest" && has err "$pattern" && [ "$(wc -l <"$work/err")" -eq 1 ]
}

check "the software CPU has a GICv3" exits 0 "$vspe" run --irqchip gicv3 "$guest"
if [ "$(uname -m)" != aarch64 ]; then
	check "KVM is for arm64 hosts" refused 3 "KVM runs arm64 guests on arm64 hosts only; this vspe is for $(uname -m)" \
		--engine kvm
fi

# The device tree of a GICv2, which needs no engine.
tree() {
	exits 0 "$vspe" run --engine kvm --irqchip gicv2 -c 3 --dump-dtb "$work/tree" || return
	dtc -q -I dtb -O dts "$work/tree" >"$work/dts" 2>"$work/warnings" && [ ! -s "$work/warnings" ] &&
		has dts 'compatible = "arm,cortex-a15-gic";' && has dts 'reg = <0x00 0x8000000 0x00 0x1000 0x00 0x8010000 0x00 0x2000>;' &&
		has dts 'interrupts = <0x01 0x05 0x704>;'
}
if command -v dtc >/dev/null; then
	check "a GICv2 is in the device tree" tree
fi

# ends CODE PATTERN N: hostile with end=N.
ends() { exits "$1" timeout 60 "$vspe" run --timeout 1 --params "end=$3" "$guests/hostile.Image" && has err "$2"; }
check "vectors that are not mapped" ends 3 "generates an exception itself" 1
check "vectors in a device" ends 3 "generates an exception itself" 2
check "vectors under the buffer" ends 3 "generates an exception itself" 3
check "a guest that spins" ends 124 "timed out after 1 s" 4
check "an interrupt storm" ends 124 "timed out after 1 s" 5
check "the last vCPU goes off" ends 3 "every vCPU is off" 6
check "nothing wakes the last vCPU" ends 3 "every vCPU waits" 7
check "resets without end" ends 124 "timed out after 1 s" 8

# A guest that dies of its first exception, and one that takes exceptions for ever: vspe reports the
# first.
flat "$work/guest" d503201f 00000000 # NOP; UDF: there are no vectors
dies() { exits 3 timeout 60 "$vspe" run "$work/guest" && has err "$1"; }
check "the first exception is told" dies "UNDEFINED instruction at PC 0x40080004 EL1 (ESR_EL1 0x2000000, FAR_EL1 0x0), and the"
check "... and the second" dies "and the exception vector at 0x200 generates an exception itself (ESR_EL1 0x86000010, FAR_EL1 0x200)"
# storm WORD: VBAR_EL1 0x40080800, where an UNDEFINED instruction follows a NOP, as in the guest.
storm() {
	{ words d2a80103 f2810003 d518c003 "$1"; head -c 4096 /dev/zero; } | head -c $((0xa00)) >"$work/guest"
	words d503201f "$1" >>"$work/guest"
	head -c 64 /dev/zero >>"$work/guest"
	exits 124 timeout 60 "$vspe" run --timeout 1 "$work/guest" && [ "$(wc -l <"$work/err")" -eq 1 ] &&
		grep -qE "timed out after 1 s: vCPU 0 has taken [0-9]+ UNDEFINED exceptions in a row, the first for $2$" "$work/err" ||
		{ cat "$work/err"; return 1; }
}
check "half precision" storm 1ee02820 "0x1ee02820 at PC 0x4008000c EL1, which needs FEAT_FP16"
check "SVE" storm 04e0e3e0 "0x04e0e3e0 at PC 0x4008000c EL1, which needs FEAT_SVE"
check "a PMU" storm d53b9c00 "0xd53b9c00 at PC 0x4008000c EL1, which needs FEAT_PMUv3"
check "pointer authentication" storm dac10020 "0xdac10020 at PC 0x4008000c EL1, which needs FEAT_PAuth"
check "what nobody knows" storm 00000001 "0x00000001 at PC 0x4008000c EL1"
exit "$failed"

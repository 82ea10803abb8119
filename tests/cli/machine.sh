#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/machine.sh VSPE GUESTS: options that an engine does not have are refused by name, and a guest that does its
# worst ends as the page says: exit code 3 when it can never go on, 124 when it is the clock that ends it.
set -u
vspe=$1
guests=$2
matcher=-F
. "$(dirname "$0")/common.sh"
guest=$guests/platform.Image

# refused CODE PATTERN ARGUMENT...: one line, with the pattern in it.
refused() {
	local code=$1 pattern=$2
	shift 2
	exits "$code" timeout 60 "$vspe" run "$@" "$guest" && has err "$pattern" && [ "$(wc -l <"$work/err")" -eq 1 ]
}

check "an irqchip that is none" refused 2 "--irqchip gicv4: neither gicv2 nor gicv3" --irqchip gicv4
check "the software CPU has no GICv2" refused 2 "--irqchip gicv2: the software CPU has a GICv3" --irqchip gicv2
check "the software CPU has a GICv3" exits 0 "$vspe" run --irqchip gicv3 "$guest"
check "a GICv2 has 8 CPU interfaces" refused 2 "--irqchip gicv2: a GICv2 has 8 CPU interfaces at most" \
	--engine kvm --irqchip gicv2 -c 9
for options in "--el 2" "--el 3" "--secure" "--realm" "--el 2 --secure" "--el 2 --realm"; do
	# shellcheck disable=SC2086
	check "KVM has no $options" refused 2 "KVM's guests start at EL1 in Non-secure state" --engine kvm $options
done
check "KVM has no --single-step" refused 2 "--single-step with --engine kvm: say --kvm-trap step" --engine kvm --single-step
check "only KVM traps" refused 2 "--kvm-trap with --engine soft" --kvm-trap step
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
exit "$failed"

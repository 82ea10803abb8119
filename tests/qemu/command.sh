#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/command.sh VSPE: vspe qemu up to QEMU, of which there is a stand-in: what it asks, what it starts, what it refuses.
set -u
vspe=$1
matcher=-F
. "$(dirname "$0")/../cli/common.sh"
cd "$work" || exit 1

# fake VERSION TREE: a QEMU of that version that dumps this tree, and prints what it is started with.
fake() {
	cat >fake <<-END
		#!/bin/sh
		[ "\$1" != --version ] || { echo "QEMU emulator version $1 (Debian)"; exit; }
		for word; do
			case \$word in
			dumpdtb=*) [ -s $work/$2 ] && cp $work/$2 "\${word#dumpdtb=}" && exit; echo "no such machine" >&2; exit 1 ;;
			/proc/self/fd/*) cp "\$word" $work/given ;;
			esac
		done
		printf '%s\n' "\$@"
		exit 7
	END
	chmod +x fake
}
tree() { # FILE LINE...
	out=$1
	shift
	printf '%s\n' '/dts-v1/; / { #address-cells = <2>; #size-cells = <2>;' "$@" '};' | dtc -q -I dts -O dtb -o "$out"
}
command -v dtc >/dev/null || { echo "SKIP: no dtc"; exit 77; }
ram='memory@40000000 { device_type = "memory"; reg = <0 0x40000000 0 0x20000000>; };'
more='memory@80000000 { device_type = "memory"; reg = <0 0x80000000 1 0>; };'
gic='intc { compatible = "arm,gic-v3"; };'
tree good "$gic" "$ram"
tree numa "$gic" "$ram" "$more"
tree gicv2 'intc { compatible = "arm,cortex-a15-gic"; };' 'timer { interrupts = <1 13 0x304 1 14 0x304>; };' "$ram"
tree nogic "$ram"
tree noram "$gic"
tree there "$gic" "$ram" 'pmu { compatible = "arm,statistical-profiling-extension-v1"; };'
head -c 100 good >cut
: >empty
touch plugin,so

start() { "$vspe" qemu --qemu ./fake --plugin ./plugin,so "$@"; }
refused() { # NAME TEXT COMMAND...
	name=$1 text=$2
	shift 2
	check "$name is refused" exits 2 "$@"
	check "... in one line" one_line "$text"
}
words() { paste -s -d ' ' "$work/out"; }

fake 11.1.0 good
check "QEMU's exit code is vspe's" exits 7 start --spe v1p4,no-lds,eft,fpf,maxsize=128 --seed 5 --stats -kernel K -smp 2
check "the plugin's words" has out './plugin,,so,spe=v1p4,lds=off,eft=on,fpf=on,maxsize=128,seed=5,stats=on,ram=0x40000000-0x60000000'
check "a machine and a CPU, if none are given" test "$(words | cut -d ' ' -f 1-8)" = "-machine virt,gic-version=3 -cpu max -kernel K -smp 2"
check "the device tree has SPE" test "$(fdtget given /spe-pmu compatible) $(fdtget given /spe-pmu interrupts)" = \
	"arm,statistical-profiling-extension-v1 1 5 4"
exits 7 start -- -M sbsa-ref -cpu neoverse-n1
check "... and not, if they are" test "$(words | cut -d ' ' -f 1-4)" = "-M sbsa-ref -cpu neoverse-n1"
fake 12.0.1 numa
exits 7 start --perf-data a,b -kernel K
check "RAM of two nodes" has out 'perf-data=a,,b,ram=0x40000000-0x180000000'
fake 11.2.50 gicv2
exits 7 start -kernel K
check "a GICv2's mask of CPUs" test "$(fdtget given /spe-pmu interrupts)" = "1 5 772"
exits 7 start -bios F
check "firmware without the device tree is told of" one_line "acpi=off"
exits 7 start -bios F -machine virt,acpi=off
check "... and not, if it has it" test ! -s err
check "--dry-run starts nothing" exits 0 start -n -kernel 'a b'
check "... and prints the command" has out "./fake -machine virt,gic-version=3 -cpu max -kernel 'a b' -plugin ./plugin,,so"
for name in nogic:"no GIC" noram:"no RAM" there:"an SPE already" cut:"not one" empty:"no such machine"; do
	fake 11.1.0 "${name%%:*}"
	refused "a tree: ${name%%:*}" "${name#*:}" start -kernel K
done
fake 10.0.2 good
refused "an older QEMU" "11.1 or later is needed" start -kernel K
refused "what is no QEMU" "is no QEMU" "$vspe" qemu --qemu true --plugin plugin,so -kernel K
refused "what is not there" "there is no not-there" "$vspe" qemu --qemu not-there -kernel K
fake 11.1.0 good
refused "no plugin" "cannot be read" "$vspe" qemu --qemu ./fake --plugin not-there -kernel K
refused "an unknown option" "unknown" "$vspe" qemu --unknown
exit "$failed"

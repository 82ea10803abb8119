#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/command.sh VSPE: vspe qemu with a fake QEMU: what it queries, what it starts, what it refuses.
set -u
vspe=$(realpath "$1")
matcher=-F
. "$(dirname "$0")/../cli/common.sh"
cd "$work" || exit 1

# fake VERSION TREE: a QEMU of that version that dumps this tree, and prints its command line.
fake() {
	cat >fake <<-END
		#!/bin/sh
		[ "\$1" != --version ] || { echo "QEMU emulator version $1 (Debian)"; exit; }
		for word; do
			case \$word in
			dumpdtb=*) printf '%s\n' "\$@" >$work/asked; [ -s $work/$2 ] && cp $work/$2 "\${word#dumpdtb=}" && exit; echo "no such machine" >&2; exit 1 ;;
			/proc/self/fd/* | vspe.dtb) cp "\$word" $work/given ;;
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
check "a machine and a CPU, if none are given" test "$(words | cut -d ' ' -f 1-8)" = "-machine virt,gic-version=3 -cpu max,pauth-impdef=on -kernel K -smp 2"
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
rm -f given
check "--dry-run starts nothing" exits 0 start -n -kernel "a b's"
check "... and prints the command" has out "./fake -machine virt,gic-version=3 -cpu max,pauth-impdef=on -kernel 'a b'\\''s' -dtb vspe.dtb -plugin ./plugin,,so,ram="
cp out pasted
check "... for a shell, which has QEMU's exit code" exits 7 env PATH="$(dirname "$vspe"):$PATH" sh ./pasted
check "... and starts QEMU with SPE" test "$(words | cut -d ' ' -f 5-7) $(fdtget given /spe-pmu compatible)" = "-kernel a b's arm,statistical-profiling-extension-v1"
check "--dump-dtb writes the tree" exits 0 start --dump-dtb tree -kernel K
check "... and starts nothing" test ! -s out
check "... with SPE" fdtget tree /spe-pmu compatible
check "... and --dry-run has it" exits 0 start -n --dump-dtb tree -kernel K
check "... in one line" test "$(wc -l <out) $(grep -c -e '-dtb tree ' out)" = "1 1"

# Only the machine itself is given when QEMU writes the tree.
exits 7 start -M virt -cpu max -m 1G -smp 2 -object memory-backend-ram,id=r,size=1G -object rng-random,id=x -chardev socket,id=c,port=1,server=on \
	-serial tcp::1,server=on -serial chardev:c -qmp unix:q,server=on -monitor stdio -netdev user,id=n -device virtio-net-pci,netdev=n \
	-drive file=d,if=virtio -device arm-smmuv3,primary-bus=pcie.0 -kernel K -append -m -initrd I -nographic -bios F 2>/dev/null
check "QEMU is asked without what others listen to" test "$(paste -s -d ' ' asked)" = "-M virt -cpu max -m 1G -smp 2 -object memory-backend-ram,id=r,size=1G \
-serial null -serial null -device arm-smmuv3,primary-bus=pcie.0 -kernel K -bios F -nodefaults -display none -machine $(grep dumpdtb asked)"
check "... and is started with all of it" test "$(grep -c -e server=on -e '^d$' -e netdev=n out)" = 4

# Options in any order.
exits 7 start -kernel K --stats -smp 2 --spe v1p4 --perf-data=p -nographic
check "options after QEMU's" has out './plugin,,so,spe=v1p4,stats=on,perf-data=p,ram='
check "... are not QEMU's" test "$(words | cut -d ' ' -f 5-9)" = "-kernel K -smp 2 -nographic"
exits 7 start -kernel K -append --stats --stats
check "a value of -append is the guest's" test "$(words | cut -d ' ' -f 7-8)" = "-append --stats"
exits 7 start --spe v1p4 -- -kernel K --stats
check "after -- all is QEMU's" test "$(words | cut -d ' ' -f 7)" = --stats

# The core of the records.
exits 7 start -kernel K --cpu neoverse-v1
check "--cpu names a core" has out 'plugin,,so,core=neoverse-v1,ram='
exits 7 start -kernel K --model warm
check "--model" has out 'plugin,,so,model=warm,ram='
refused "another model" "the mode is none of off and warm" start --model full -kernel K
exits 7 start -cpu neoverse-n1,pmu=off -kernel K
check "QEMU's -cpu does, too" has out 'plugin,,so,core=neoverse-n1,ram='
exits 7 start -cpu neoverse-n1 -kernel K --cpu generic
check "... unless --cpu names another" has out 'plugin,,so,ram='
refused "a core that nobody knows" "did you mean neoverse-n1?" start --cpu neovers-n1 -kernel K
check "--cpu help lists them" exits 0 start --cpu help

# What keeps Linux from SPE.
exits 7 start -cpu neoverse-n1 -kernel K -append console=ttyAMA0
check "KPTI is foreseen" one_line "add kpti=off to -append"
for row in "-cpu neoverse-n1 -append kpti=off" "-cpu neoverse-n1 -append nokaslr" "-cpu neoverse-n2 -append a" "-cpu max,sve=off -append a" \
	"-cpu neoverse-n1" "-append a"; do
	# shellcheck disable=SC2086
	exits 7 start -kernel K $row
	check "... and nothing is said of $row" test ! -s err
done
exits 7 start -machine virt,secure=on -kernel K
check "a secure machine without firmware is told of" one_line "MDCR_EL3.NSPB"
exits 7 start -machine virt,secure=on,acpi=off -bios F
check "... and one with firmware is not" test ! -s err
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

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_cpu.sh VSPE: vspe conform --asl on pages of our own of registers and instructions that the software
# CPU's sys_route() decides.
set -u
vspe=$1
here=$(dirname "$0")
pages=$here/cpu_pages
matcher=-F
. "$here/common.sh"

lacks() { ! grep -q -- "$2" "$work/$1"; }

check "no difference, and nothing skipped" exits 0 "$vspe" conform --strict --asl "$pages"
check "each accessor, from each level" grep -q '^# the software CPU: 28 accessors, 112 points; [1-9][0-9]* accesses$' "$work/out"
check "of an array each register that the CPU has" has out 'MSR ICH_LR15_EL2, <Xt> EL3'
check "... by both parts of its encoding" lacks out 'ICH_LR16_EL2'
check "... and none that it lacks" lacks out 'DBGBVR6_EL1'
check "what the CPU lacks is listed" has out '#   MRS <Xt>, INVENTED_EL1; '
check "... and counted" has out '# not in this machine: 1 accessors of the pages:'

check "... and which of its registers no page is of" grep -q '^#   .*TTBR0_EL1; ' "$work/out"
check "... without those that one is of" lacks out '^#   .*[ ;]FPSR; '

# --- planted errors: one of each kind, with what is expected, what the CPU does, and in which state
planted() { # NAME SED FILE EXPECTED
	sed "$2" "$pages/$3" >"$work/changed.${3##*.}"
	check "$1: the page was changed" sh -c '! cmp -s "$1" "$2"' sh "$pages/$3" "$work/changed.${3##*.}"
	check "... which is a difference" exits 1 "$vspe" conform --asl "$work/changed.${3##*.}"
	check "... from what the page says" grep -q "^#   *expected: $4" "$work/out"
	check "... of the software CPU" grep -q '^#   *software CPU: ' "$work/out"
	check "... in a state" grep -q '^#   *state: EL[0-3] ' "$work/out"
}
planted "an offset" 's/NVMem\[0x090\]/NVMem[0x098]/' web.txt 'memory, VNCR_EL2.BADDR + 0x098'
planted "the step of an array" 's/(8 \* m)/(16 * m)/' array.xml 'memory, VNCR_EL2.BADDR + 0x410'
planted "an exception class" 's/(EL1, 0x07)/(EL1, 0x18)/' web.txt 'exception to EL1, EC 0x18'
planted "a level" 's/(EL3, 0x07)/(EL2, 0x07)/' web.txt 'exception to EL2, EC 0x07'
planted "a register" 's/= ICV_PMR_EL1()/= ICC_PMR_EL1()/' present.xml 'access to ICC_PMR_EL1'
planted "a feature" 's/!IsFeatureImplemented(FEAT_TLBIOS)/!IsFeatureImplemented(FEAT_TLBIRANGE)/' web.txt UNDEFINED
planted "a condition of two bits" "s/\\[IRQ,FIQ\\] == '11'/[IRQ,FIQ] == '01'/" present.xml 'exception to EL3, EC 0x18'
planted "a condition left out" "s/ || HCR_EL2.TTLBOS == '1'//" web.txt 'access to it'
planted "how many there are" 's/m >= NUM_BREAKPOINTS/m >= NUM_WATCHPOINTS/' web.txt UNDEFINED

# --- every condition, flipped; FEAT_NotThere is in no machine, and none is halted
check "every condition that is flipped is noticed" exits 0 python3 -B "$here/conform_mutate.py" "$vspe" "$pages" 500 1 \
	'NotThere|Halt'
check "... of all of them" grep -qE '^([0-9]+) of \1 conditions flipped: [1-9][0-9]* noticed, [0-9]+ that .*, 0 others$' "$work/out"

# --- what is not varied is named
sed "s/HCR_EL2.TTLB == '1'/HCR_EL2.NewBit == '1'/" "$pages/web.txt" >"$work/unknown.txt"
check "a field that is not varied is a skip" exits 0 "$vspe" conform --asl "$work/unknown.txt"
check "... with its name" grep -q '^ok .*TLBI VMALLE1OS EL1.*SKIP asks HCR_EL2.NewBit' "$work/out"
check "... from those levels alone that ask it" grep -q '^ok .*TLBI VMALLE1OS EL2: [0-9]* contexts$' "$work/out"
check "--strict makes it a failure" exits 1 "$vspe" conform --strict --asl "$work/unknown.txt"
sed "s/ HFGITR_EL2.DCZVA == '1')))* then/ then/" "$pages/web.txt" >"$work/broken.txt"
check "what cannot be read is a skip" exits 0 "$vspe" conform --asl "$work/broken.txt"
check "... with its line" grep -q 'broken.txt:[0-9]*: at ' "$work/out"

# --- a page may ask for a feature without the one that it needs
cat >"$work/exc.txt" <<-'PAGE'
	MRS <Xt>, PMBSR_EL3
	0b11 0b110 0b1001 0b1010 0b011

	if !IsFeatureImplemented(FEAT_SPE_EXC) then UNDEFINED; elsif PSTATE.EL == EL3 then X[t, 64] = PMBSR_EL3; else UNDEFINED;
PAGE
check "a page that asks for FEAT_SPE_EXC alone" exits 0 "$vspe" conform --asl "$work/exc.txt" --only PMBSR_EL3
check "... is compared where FEAT_SPE is, too" grep -q '^ok .*PMBSR_EL3 read EL3: [1-9]' "$work/out"


exit $failed

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# unknown.sh VSPE GUESTS: the same seed draws the same whatever executes it, another seed something else; the words that are said repeat the
# PE; a saved machine keeps its seed; what makes no sense is refused; and a guest that relies on a register being 0 is found.
set -u
vspe=$1
guests=$2
. "$(dirname "$0")/../cli/flat.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
	echo "not ok - $*"
	failures=$((failures + 1))
}

# run FILE ARGUMENT...: standard output to FILE, standard error to FILE.err.
run() {
	local file=$work/$1
	shift
	timeout 300 "$vspe" run --timeout 120 "$@" >"$file" 2>"$file.err" </dev/null
}

# A guest that relies on PMSCR_EL1.{E1SPE,E0SPE} being 0: with anything else it hangs.
flat "$work/relies" d5389901 92400421 b5000001 d2b08000 f2800100 d4000002 14000000 # MRS X1, PMSCR_EL1; AND X1, X1, #3; CBNZ X1, .; X0 = SYSTEM_OFF; HVC #0; B .

one=$guests/smp.Image
for way in "" "--single-step" "--jit off"; do
	# shellcheck disable=SC2086 # words
	run "way$way" --unknown 7 --cpus 4 --save-at 900000 --save "$work/saved$way" $way "$one"
	cmp -s "$work/saved" "$work/saved$way" || fail "another state: ${way:-as it is}"
done
run other --unknown 8 --cpus 4 --save-at 900000 --save "$work/saved-other" "$one"
cmp -s "$work/saved" "$work/saved-other" && fail "seeds 7 and 8 give the same machine"

run restored --restore "$work/saved" --tap || fail "the saved machine does not go on: $(cat "$work/restored.err")"
run refused --restore "$work/saved" --unknown 8
grep -q -- '--unknown 8: .*7' "$work/refused.err" || fail "another seed than the saved one: $(cat "$work/refused.err")"
run word --unknown seven "$one"
grep -q -- '--unknown seven: not a number' "$work/word.err" || fail "no number: $(cat "$work/word.err")"
run kvm --engine kvm --unknown 7 "$one"
grep -q -- '--unknown: only with --engine soft' "$work/kvm.err" || fail "with KVM: $(cat "$work/kvm.err")"

# The words that are said are the PE.
for seed in 1 2 3 4 5 6; do
	run out --seed $seed --spe any --pmu any --save-at 1 --save "$work/any" "$guests/registers.Image"
	words=$(sed -n 's/^vspe run: --seed [0-9]*: --spe \([^ ]*\) --pmu \(.*\)$/--spe \1 --pmu \2/p' "$work/out.err")
	[ -n "$words" ] || { fail "seed $seed: nothing said: $(cat "$work/out.err")"; continue; }
	# shellcheck disable=SC2086 # words
	run out2 --seed $seed $words --save-at 1 --save "$work/same" "$guests/registers.Image"
	cmp -s "$work/any" "$work/same" || fail "seed $seed: another machine by hand: $words"
done

# What relies on PMSCR_EL1 being 0 is found by some seed, and passes without.
run out3 --timeout 5 --kernel "$work/relies" || fail "without --unknown it fails: $(cat "$work/out3.err")"
found=0
for seed in 1 2 3 4 5 6 7 8; do
	run out3 --unknown $seed --timeout 2 --kernel "$work/relies" || found=$((found + 1))
done
[ "$found" -gt 0 ] || fail "no seed of 8 finds what relies on PMSCR_EL1"

# Its third breakpoint or a later one is on after the reset, and matches each instruction.
run out4 --unknown 2200 --el 2 --cpu neoverse-n1 --tap "$guests/faults.Image" || fail "a breakpoint is left on: $(cat "$work/out4.err")"

[ "$failures" -eq 0 ] && echo "ok: $found of 8 seeds find what relies on PMSCR_EL1"
exit $((failures != 0))

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/subject/check.sh PREFIX [AARCH64_PREFIX]: build it with the installed header; vspe conform has to find the
# planted error, in writes from EL1 and nowhere else, and nothing without it.
set -eu
. "$(dirname "$0")/../common.sh"
needs make make
needs pkg-config pkg-config

library_of "$prefix"
build make -C "$here"

# conform LIB.so CODE: the exit code is that.
conform() {
	code=0
	"$vspe" conform --subject "$here/$1" >"$work/out" 2>"$work/err" || code=$?
	[ "$code" = "$2" ] || { cat "$work/err"; grep -A5 '^not ok' "$work/out"; fail "$1: exit code $code"; }
	! grep -q . "$work/err" || fail "$1: $(cat "$work/err")"
}

conform corrected.so 0
grep -q ': 48 passed, 0 failed, 424 skipped$' "$work/out" || fail "$(tail -n 1 "$work/out")"
conform router.so 1
sed -n 's/^not ok [0-9]* - \(.*\): .*/\1/p' "$work/out" >"$work/found"
for register in PMSICR PMSIRR PMSFCR PMSEVFR PMSLATFR; do
	echo "exhaustive ${register}_EL1 write EL1"
done >"$work/wanted"
diff "$work/wanted" "$work/found" || fail "other points fail than those of the planted error"
# The line below a difference shows the bit that was looked at, and the next one repeats it.
grep -q '^#     explained: vspe explain PMSICR_EL1 write .* --set HDFGRTR_EL2.PMSICR_EL1=1$' "$work/out" ||
	fail "the difference does not show the trap of reads"
sed -n "s/^#     reproduce: vspe //p" "$work/out" | head -n 1 >"$work/again"
! eval "'$vspe' $(cat "$work/again")" >"$work/once" || fail "$(cat "$work/again") finds nothing"
grep -q '^not ok 1 - exhaustive PMSICR_EL1 write EL1: ' "$work/once" || fail "$(cat "$work/once")"
echo "the planted error is found, in $(wc -l <"$work/found") points"

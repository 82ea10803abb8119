#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_arm.sh VSPE FOLDER: vspe conform on Arm's own pages in FOLDER. vspe may not distribute them. Exit
# code: 0 if it passes on each, 1 if not, 2 if there is no page. At the end, 500 conditions of the software CPU's
# registers are flipped; those that no difference shows are listed, for a person to say why.
set -u
[ $# -eq 2 ] || { echo "conform_arm.sh: VSPE and a FOLDER with Arm's register pages are needed" >&2; exit 2; }
vspe=$1
pages=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A folder may have other files than pages.
found=0
for page in "$pages"/*.xml "$pages"/*.txt; do
	grep -qsE 'M(RS|SR) .*PM[SB]' "$page" || continue
	"$vspe" conform --list --asl "$page" >"$work/list" 2>&1 || continue
	found=$((found + 1))
	if ! "$vspe" conform --strict --asl "$page" >"$work/out"; then
		cat "$work/out"
		exit 1
	fi
	grep -E '^#   (PM|all)|cases in' "$work/out"
	# A changed condition is a difference, wherever it is.
	sed 's/TPMS == .1./TPMS == '"'0'/" "$page" >"$work/changed.${page##*.}"
	cmp -s "$page" "$work/changed.${page##*.}" && continue
	if "$vspe" conform --asl "$work/changed.${page##*.}" >"$work/out"; then
		echo "a changed condition of $page was not noticed"
		exit 1
	fi
	grep -A4 -m1 '^not ok' "$work/out"
done
echo "$found pages"

# The software CPU: all pages at once.
"$vspe" conform --asl "$pages" >"$work/out" || { grep -A4 '^not ok' "$work/out"; exit 1; }
sed -n '/^# the software CPU/,/^# beside/p' "$work/out" | grep -v '^# beside'
# What this machine lacks, what ends in no other way, and values instead of accesses: such a flip makes no difference.
equal='EL3SDD|Halt|ENABLE|FnXS|EXLOCK|IDTE3|FGWTE3|SRMASK|FEAT_(XS|GCS|IDST|D128|PFAR|AA)|AA32EL2|HCR_EL2.FB|ECV_POFF'
python3 -B "$(dirname "$0")/conform_mutate.py" "$vspe" "$pages" 500 2024 "$equal"
[ "$found" -gt 0 ] && exit 0
echo "conform_arm.sh: no page of a register of SPE in $pages" >&2
exit 2

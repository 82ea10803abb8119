#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_arm.sh VSPE: vspe conform on Arm's own pages, which are not ours to bring along: in the folder
# VSPE_ARM_PAGES names. Skipped (77) where there is none.
set -u
vspe=$1
pages=${VSPE_ARM_PAGES-}
if [ -z "$pages" ] || [ ! -d "$pages" ]; then
	echo "SKIP: VSPE_ARM_PAGES names no folder with Arm's register pages"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A folder may hold other files than pages.
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
	# A condition changed is a difference, wherever it is.
	sed 's/TPMS == .1./TPMS == '"'0'/" "$page" >"$work/changed.${page##*.}"
	cmp -s "$page" "$work/changed.${page##*.}" && continue
	if "$vspe" conform --asl "$work/changed.${page##*.}" >"$work/out"; then
		echo "a changed condition of $page was not noticed"
		exit 1
	fi
	grep -A4 -m1 '^not ok' "$work/out"
done
echo "$found pages"
[ "$found" -gt 0 ] && exit 0
echo "SKIP: no page of a register of SPE in $pages"
exit 77

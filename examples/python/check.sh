#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/python/check.sh PREFIX [AARCH64_PREFIX]: run it on the profile of a guest, with the package vspe for Python
# that is installed there.
set -eu
. "$(dirname "$0")/../common.sh"
packages=
for candidate in "$prefix"/lib/python3*/*-packages; do
	[ ! -e "$candidate/vspe/__init__.py" ] || packages=$candidate
done
[ -n "$packages" ] || skip "there is no package vspe for Python here (Debian: python3-vspe)"
PATH=/usr/bin:$PATH
python3 -c "import numpy" 2>/dev/null || skip "there is no NumPy here (Debian: python3-numpy)"
[ "$prefix" = /usr ] || export PYTHONPATH="$packages"
export PYTHONDONTWRITEBYTECODE=1

guests=$prefix/share/vspe/guests
build "$vspe" run -k "$guests/chase.Image" --seed 1 --model full --timeout 100 --perf-data "$work/perf.data"
python3 -W error "$here/latency.py" "$work/perf.data" "$guests/chase.elf" >"$work/out" || fail "latency.py"
# As many loads in the histogram, and by function, as vspe decode has.
wanted=$("$vspe" decode "$work/perf.data" | grep -c '  LD ') || fail "vspe decode lists no loads"
grep -q ", $wanted loads; all is there" "$work/out" || { cat "$work/out"; fail "not $wanted loads"; }
awk -v wanted="$wanted" '/^[0-9]+ to / { for (i = 4; i <= NF; i++) sum += $i }
	/^chase_/ { by += $2 } END { exit sum != wanted || by != wanted }' "$work/out" ||
	{ cat "$work/out"; fail "not all loads are in the tables"; }
echo "$wanted loads by level and function"

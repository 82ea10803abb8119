#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# libvspe for aarch64, -Os, without a libc, is small, needs nothing but memcpy and memset, holds no writable data, has no
# symbol but those of its export list, and its functions take a known amount of stack: a table.
# freestanding.sh BUILD [PREFIX-OF-BINUTILS]
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$1
prefix=${2:-aarch64-linux-gnu-}
text_max=81920	# code and constants, bytes, of what is in every program
table_max=163840	# ... of a64, which is linked if it is used: its rows grow with the architecture
model_max=28672	# ... of the machine model, likewise
stack_max=4096	# of a call, bytes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "freestanding: $*" >&2; exit 1; }

"${prefix}ld" -r --whole-archive "$build/spe/libvspe.a" -o "$work/linked"
undefined=$("${prefix}nm" -u "$work/linked" | awk '{ print $2 }' | grep -vx -e memcpy -e memset || true)
[ -z "$undefined" ] || fail "libvspe calls out:" $undefined

sed -n 's/^\t\([a-z0-9_]*\);$/\1/p' "$top/spe/libvspe.map" >"$work/exports"
"${prefix}nm" -g --defined-only "$work/linked" | awk '{ print $3 }' | sort >"$work/symbols"
diff "$work/exports" "$work/symbols" >&2 || fail "these symbols (>) are not those of spe/libvspe.map (<)"

"${prefix}readelf" -SW "$work/linked" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
	awk '$7 ~ /W/ && $5 !~ /^0*$/ { print $1 }' >"$work/writable"
[ ! -s "$work/writable" ] || fail "writable data:" $(cat "$work/writable")

check_size() { # OBJECT MAX
	"${prefix}size" -A "$build/spe/$1" | awk '$1 ~ /^\.text/ { text += $2 } $1 ~ /^\.rodata/ { constants += $2 }
		END { print text + 0, constants + 0 }' >"$work/sizes"
	read -r text constants <"$work/sizes"
	[ "$text" -gt 0 ] || fail "$1: no text"
	[ $((text + constants)) -le "$2" ] || fail "$1: $text bytes of code and $constants of constants: more than $2"
	echo "$1: $text bytes of code, $constants of constants, no writable data, calls only memcpy and memset"
}
check_size libvspe.o $text_max
check_size libvspe-a64.o $table_max
check_size libvspe-model.o $model_max
echo

python3 "$top/tests/stack.py" "$top/spe/libvspe.map" $stack_max \
	"$build"/sysreg/CMakeFiles/sysreg.dir/*.ci "$build"/spe/CMakeFiles/spe.dir/*.ci \
	"$build"/pmu/CMakeFiles/pmu_objects.dir/*.ci \
	"$build"/model/CMakeFiles/model_objects.dir/*.ci \
	"$build"/a64/CMakeFiles/a64_objects.dir/*.ci "$build"/a64/CMakeFiles/a64_objects.dir/tables/a64/*.ci

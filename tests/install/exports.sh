#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# exports.sh LIBVSPE.SO LIBVSPE.A: the functions that the public headers declare, libvspe.map lists, libvspe(3) shows and
# both libraries define are the same ones, and all that the libraries define.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
shared=$1 archive=$2
matcher=-F
. "$top/tests/cli/common.sh"

same() { # FILE: as the headers
	diff -u "$work/headers" "$1" >"$work/diff" && return
	sed 's/^/# /' "$work/diff"
	return 1
}

# A declaration is what is left of an include file without comments and directives that begins with a type and a name.
cat "$top"/sysreg/include/vspe/*.h "$top"/spe/include/vspe/*.h "$top"/a64/include/vspe/*.h |
	gcc -fpreprocessed -dD -E -P -x c - | tr '\n' ' ' | tr ';{}' '\n' |
	sed -n 's/^.*\b\(\(sysreg\|spe\|a64\|vspe\)_[a-z0-9_]*\)(\([^()]\|([^()]*)\)*) *$/\1/p' | grep -v '[[:space:]]' | sort -u >"$work/headers"
check "the headers declare functions" test "$(wc -l <"$work/headers")" -ge 30

sed -n 's/^\t\([a-z0-9_]*\);$/\1/p' "$top/spe/libvspe.map" >"$work/map"
check "libvspe.map lists them, in order" same "$work/map"

nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -v -e '^__asan' -e '^__odr_asan' |
	sort >"$work/shared"
check "libvspe.so defines them and nothing else" same "$work/shared"

nm -D --defined-only "$shared" | awk '$2 != "A" && $3 ~ /^(v?spe|sysreg|a64)_/ && $3 !~ /@@VSPE_[0-9.]+$/' >"$work/bare"
check "each has a version" test ! -s "$work/bare"

nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v -e '^__asan' -e '^__odr_asan' | sort >"$work/archive"
check "libvspe.a defines them and nothing else" same "$work/archive"

sed -n 's/^\.F[no] \([a-z0-9_]*\).*/\1/p' "$top/docs/libvspe.3" | grep -v -x main |
	sort -u | grep -v '^_*$' >"$work/page"
check "libvspe(3) shows them" same "$work/page"

readelf -d "$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' >"$work/soname"
check "the SONAME is libvspe.so.0" has soname libvspe.so.0
exit $failed

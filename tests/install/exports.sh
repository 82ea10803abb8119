#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# exports.sh NAME NAME.SO NAME.A: the functions that the public headers of a library declare, its list of exports has, its page
# of section 3 shows and both of its files define are the same ones, and all that the files define. NAME is libvspe or
# libvspe-kvm, which is for arm64, whatever this machine is.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
library=$1 shared=$2 archive=$3 nm=nm
case $library in
libvspe)
	map=$top/spe/libvspe.map prefixes='sysreg\|spe\|pmu\|a64\|vspe' least=30
	set -- "$top"/sysreg/include/vspe/*.h "$top"/spe/include/vspe/*.h "$top"/pmu/include/vspe/*.h "$top"/a64/include/vspe/*.h \
		"$top"/model/include/vspe/*.h
	;;
libvspe-kvm)
	map=$top/vmm/kvm/libvspe-kvm.map prefixes=vspe_kvm least=15
	[ "$(uname -m)" = aarch64 ] || nm=aarch64-linux-gnu-nm
	set -- "$top"/vmm/kvm/include/vspe/*.h
	;;
esac
if ! command -v $nm >/dev/null || [ ! -e "$shared" ]; then
	echo "SKIP: there is no $nm (Debian: binutils-aarch64-linux-gnu), or no $shared"
	exit 77
fi
matcher=-F
. "$top/tests/cli/common.sh"

same() { # FILE: as the headers
	diff -u "$work/headers" "$1" >"$work/diff" && return
	sed 's/^/# /' "$work/diff"
	return 1
}

# A declaration is what is left of an include file without comments and directives that begins with a type and a name.
cat "$@" | gcc -fpreprocessed -dD -E -P -x c - | tr '\n' ' ' | tr ';{}' '\n' |
	sed -n 's/^.*\b\(\('"$prefixes"'\)_[a-z0-9_]*\)(\([^()]\|([^()]*)\)*) *$/\1/p' | grep -v '[[:space:]]' | sort -u >"$work/headers"
check "the headers declare functions" test "$(wc -l <"$work/headers")" -ge $least

sed -n 's/^\t\([a-z0-9_]*\);$/\1/p' "$map" >"$work/map"
check "$library.map lists them, in order" same "$work/map"

$nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -v -e '^__asan' -e '^__odr_asan' |
	sort >"$work/shared"
check "$library.so defines them and nothing else" same "$work/shared"

$nm -D --defined-only "$shared" | awk '$2 != "A" && $3 ~ /^(v?spe|sysreg|pmu|a64)_/ && $3 !~ /@@VSPE(_KVM)?_[0-9.]+$/' >"$work/bare"
check "each has a version" test ! -s "$work/bare"

$nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v -e '^__asan' -e '^__odr_asan' | sort >"$work/archive"
check "$library.a defines them and nothing else" same "$work/archive"

sed -n 's/^\.F[no] \([a-z0-9_]*\).*/\1/p' "$top/docs/$library.3" | grep -v -x main |
	sort -u | grep -v '^_*$' >"$work/page"
check "$library(3) shows them" same "$work/page"

readelf -d "$shared" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p' >"$work/soname"
check "the SONAME is $library.so.0" has soname "$library.so.0"

# vspe's engine is a user as others are.
objects=$(dirname "$shared")/CMakeFiles/kvm.dir
if [ "$library" = libvspe-kvm ] && [ -d "$objects/engine" ]; then
	$nm -u "$objects"/engine/*.o | awk 'NF == 2 { print $2 }' | sort -u >"$work/wanted"
	$nm -g --defined-only "$objects"/*.o "$objects"/pe/*.o "$objects"/count/*.o "$objects"/trap/*.o \
		"$objects"/step/*.o "$objects"/unit/*.o | awk 'NF == 3 { print $3 }' |
		sort -u >"$work/inside"
	check "the engine uses functions of the library" grep -q '^vspe_kvm_before_run$' "$work/wanted"
	check "... and public ones alone" test -z "$(comm -12 "$work/wanted" "$work/inside" | grep -v '^vspe_kvm_')"
fi
exit $failed

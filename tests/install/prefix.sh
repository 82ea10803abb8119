#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# prefix.sh BUILD: cmake --install of BUILD with DESTDIR, moved elsewhere, is used as an embedder uses it, by embed.sh; and
# vspe finds its guests there.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
matcher=-F
. "$top/tests/cli/common.sh"

check "cmake --install with DESTDIR" exits 0 env DESTDIR="$work/stage" cmake --install "$build"
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$build/CMakeCache.txt")
(cd "$work/stage" && find . -type f -o -type l) | grep -v "^\.$prefix/" >"$work/outside"
check "nothing is installed outside the prefix" test ! -s "$work/outside"
check "the prefix moves" mv "$work/stage$prefix" "$work/moved"
check "no installed text names the prefix" \
	test -z "$(grep -r -l "$prefix" "$work/moved/$libdir/pkgconfig" "$work/moved/$libdir/cmake")"

export PKG_CONFIG_PATH="$work/moved/$libdir/pkgconfig" CMAKE_PREFIX_PATH="$work/moved" \
	LD_LIBRARY_PATH="$work/moved/$libdir"
"$top/tests/install/embed.sh" || failed=1
"$top/tests/rust/installed.sh" "$work/moved" || failed=1

for page in vspe.1 vspe-run.1 libvspe.3 vspe-conformance.7; do
	check "there is $page" test -s "$work/moved/share/man/man${page##*.}/$page"
done
check "vspe runs" exits 0 "$work/moved/bin/vspe" --version
check "it is this version" has out "vspe "
check "vspe conform --guests" exits 0 "$work/moved/bin/vspe" conform --guests --only registers_v1p4
check "the guest has passed" has out " passed, 0 failed"
check "vspe bench finds its guests" exits 0 "$work/moved/bin/vspe" bench --quick --no-qemu --no-calls --kernel alu
check "vspe bench finds libvspe.so" exits 0 "$work/moved/bin/vspe" bench --no-kernels --rounds 1 --json
check "and calls it" has out '"nanoseconds_shared"'
exit $failed

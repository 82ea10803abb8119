#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh: use the library that is installed where the environment says (PKG_CONFIG_PATH, CMAKE_PREFIX_PATH,
# LD_LIBRARY_PATH; or in the system) as an embedder would: from C and C++, by pkg-config and by CMake, shared and static.
# Then what docs/embedding.md says is done: embedding.sh.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-F
. "$top/tests/cli/common.sh"
here=$top/tests/install

strict="-Wall -Wextra -Wshadow -Wconversion -pedantic -Werror"
flags=$(pkg-config --cflags --libs vspe) || flags=-none-from-pkg-config
answer="PMSIRR_EL1: trap to EL2, ISS 0x"

check "pkg-config has a version" exits 0 pkg-config --atleast-version=0.9 vspe
# Names of a struct and of a function may be the same in C++, which -Wshadow would tell of.
for language in c99 c11 c++11 c++20; do
	case $language in
	c++*) compile="g++ -x c++ $strict -Wno-shadow" ;;
	*) compile="gcc -x c $strict" ;;
	esac
	check "$language compiles both headers" exits 0 $compile -std=$language "$here/embed.c" -o "$work/$language" $flags
	check "$language: the program runs" exits 0 "$work/$language"
	check "$language: its answer is right" has out "$answer"
done
for header in sysreg spe spe_config pmu a64 model decode subject; do
	echo "#include <vspe/$header.h>" >"$work/alone.c"
	check "<vspe/$header.h> stands alone" exits 0 gcc $strict -std=c99 -fsyntax-only "$work/alone.c" $(pkg-config --cflags vspe)
done

# The example of libvspe(3), as it is in the page.
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{/^\./d;s/\\e/\\/g;p}' "$top/docs/libvspe.3" | sed -n '/^#include/,$p' >"$work/page.c"
check "the example of libvspe(3) compiles" exits 0 gcc $strict "$work/page.c" -o "$work/page" $flags
check "and runs" exits 0 "$work/page"
check "and answers" has out "$answer"

mkdir "$work/project"
cp "$here/embed.c" "$work/project"
cat >"$work/project/CMakeLists.txt" <<-'END'
	cmake_minimum_required(VERSION 3.13)
	project(embedder C)
	find_package(vspe 0.9 REQUIRED)
	add_executable(shared embed.c)
	target_link_libraries(shared vspe::vspe)
	add_executable(static embed.c)
	target_link_libraries(static vspe::vspe_static)
END
check "find_package(vspe)" exits 0 cmake -S "$work/project" -B "$work/project/build"
check "what it finds links" exits 0 cmake --build "$work/project/build"
for kind in shared static; do
	check "CMake, $kind: the program runs" exits 0 "$work/project/build/$kind"
	check "CMake, $kind: its answer is right" has out "$answer"
done
readelf -d "$work/project/build/shared" "$work/c11" | grep -c 'NEEDED.*\[libvspe\.so\.0\]' >"$work/needed"
check "the shared ones want libvspe.so.0" has needed 2
readelf -d "$work/project/build/static" >"$work/needed"
check "the static one wants no libvspe" eval "! grep -q libvspe '$work/needed'"
sed -i 's/vspe 0\.9 REQUIRED/vspe 99 REQUIRED/' "$work/project/CMakeLists.txt"
check "CMake refuses a version that is not there" exits 1 cmake -S "$work/project" -B "$work/project/other"

"$top/tests/install/embedding.sh" || failed=1
exit $failed

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# builds.sh [--all] [COMPILER[:TYPE]...]: vspe builds as any project of C does, without a warning, and works: first by the two
# commands `cmake -S . -B build` and `cmake --build build`, then with each compiler that is here, of those that Debian 12 and 13
# have or of those given. Generators and build types go round from one compiler to the next, so that each is had, but where a
# TYPE is given; --all: each compiler with every generator and every build type (an hour). Ends with "N built, N failed, N
# compilers not here".
#
# With --in FOLDER before, all that is done in the Debian that tests/install/debootstrap.sh made there, with its compilers.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
compilers="gcc-12 gcc-13 gcc-14 gcc-15 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19"
types="Release none Debug MinSizeRel RelWithDebInfo"
generators="Ninja,Unix Makefiles,Ninja Multi-Config"

all= root= inside=
while :; do
	case ${1:-} in
	--all) all=--all ;;
	--in) root=$2 && shift ;;
	--inside) inside=1 ;;
	*) break ;;
	esac
	shift
done

if [ "$root" ]; then
	"$top/tools/copy-tree" "$root/root/source" || exit 1
	mount -t proc proc "$root/proc"
	trap 'umount "$root/proc"' EXIT
	chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		sh /root/source/tests/install/builds.sh --inside $all "$@"
	exit
fi
if [ "$inside" ]; then
	apt-get update >/dev/null 2>&1
	there=make
	for compiler in ${*:-$compilers}; do
		compiler=${compiler%:*}
		! apt-cache show "$compiler" >/dev/null 2>&1 || there="$there $compiler"
	done
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $there >/root/apt.log 2>&1 &&
		"$top/tools/install" build || { tail -n 5 /root/apt.log; exit 1; }
elif [ $# -eq 0 ] && [ "$(id -u)" -eq 0 ]; then
	"$top/tools/install" compilers >/dev/null || echo "# not all compilers of tools/deps can be had"
fi
compilers=${*:-$compilers}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=0 failed=0 missing=0

# try NAME COMMAND...: a build, whose log may say nothing of warnings.
try() {
	name=$1
	shift
	if ! "$@" >"$work/log" 2>&1; then
		problem="it fails"
	elif grep -E -q -i '(^|[^-])warning' "$work/log"; then
		problem="it warns"
	else
		built=$((built + 1))
		echo "ok - $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok - $name: $problem"
	grep -E -i -A 4 'error|warning' "$work/log" | head -n 30
	tail -n 5 "$work/log"
}

# What the two commands make, all of it.
two_commands() (
	"$top/tools/copy-tree" "$work/tree" && cd "$work/tree" || return 1
	cmake -S . -B build && cmake --build build -j "$(nproc)" && build/vspe conform --only PMBPTR_EL1 || return 1
	! grep -r -q -e -Werror build --include=flags.make || { echo "error: -Werror is not for others"; return 1; }
	# What is up to date is not built again.
	cmake --build build >again 2>&1 && ! grep -e Building -e Linking again
)


# build COMPILER GENERATOR TYPE: the library in each of its forms, and vspe.
build() {
	rm -rf "$work/build"
	chosen=$3
	[ "$chosen" != none ] || chosen=
	set -- -G "$2" -S "$top" -B "$work/build" -DCMAKE_C_COMPILER="$1" -DBUILD_TESTING=OFF
	case $2 in
	*Multi-Config) set -- "$@" "-DCMAKE_CONFIGURATION_TYPES=${chosen:-Debug;Release}" ;;
	*) set -- "$@" -DCMAKE_BUILD_TYPE="$chosen" ;;
	esac
	cmake "$@" || return 1
	# Of a generator for several, none is two at once.
	for config in ${chosen:-Debug Release}; do
		cmake --build "$work/build" -j "$(nproc)" --config "$config" --target vspe vspe_shared || return 1
	done
	set -- "$work"/build/vspe "$work"/build/*/vspe
	for program in "$@"; do
		[ ! -f "$program" ] || "$program" conform --only PMBPTR_EL1 || return 1
	done
}

# each COMPILER GENERATOR TYPE
each() { try "$1, $2, $3" build "$@"; }

try "the two commands of any project, $(cc --version | head -n 1)" two_commands
rm -rf "$work/tree"
n=0
for compiler in $compilers; do
	only=
	case $compiler in *:*) only=${compiler#*:} compiler=${compiler%:*} ;; esac
	if ! command -v "$compiler" >/dev/null; then
		missing=$((missing + 1))
		continue
	fi
	m=0
	for type in $types; do
		generator=$(echo "$generators" | cut -d , -f $(((n + m) % 3 + 1)))
		if [ "$all" ]; then
			for g in 1 2 3; do
				each "$compiler" "$(echo "$generators" | cut -d , -f $g)" "$type"
			done
		elif [ "$only" ]; then
			[ "$only" != "$type" ] || each "$compiler" "$generator" "$type"
		elif [ $m -eq $((n % 5)) ]; then
			each "$compiler" "$generator" "$type"
		fi
		m=$((m + 1))
	done
	n=$((n + 1))
done
echo "$built built, $failed failed, $missing compilers not here"
[ $failed -eq 0 ]

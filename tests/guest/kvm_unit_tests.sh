#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/guest/kvm_unit_tests.sh [OPTION...] VSPE TREE: build kvm-unit-tests' arm64 tests from the source tree TREE, in a
# folder of our own, and boot them as guests of the software CPU. What is run, and how, is what the tree's own
# arm/unittests.cfg says. A line of TAP for each test.
#
#   --groups "NAME..."  the groups of unittests.cfg (pmu selftest gic psci cache debug)
#   --pmu "VERSION..."  those of group pmu are run with each of these (v3p1 v3p4 v3p5 v3p7 v3p8)
#   --build FOLDER      build there, and leave it
#   --show              print what the tests print
#   -- ARGUMENT...      more for vspe run, before VSPE: -- --model full --
#
# A test is right if it ends with success, reports no failure, and skips nothing but what "may_skip" names. Exit code: 0 if
# all are, 1 if not, 77 if there is no compiler, 2 for wrong use.
set -u
usage() { echo "kvm_unit_tests.sh: $*" >&2; exit 2; }
skip() { echo "SKIP: $*"; exit 77; }

groups="pmu selftest gic psci cache debug" versions="v3p1 v3p4 v3p5 v3p7 v3p8" build='' show='' more=()
while [ $# -gt 0 ]; do
	case $1 in
	--) shift
		while [ $# -gt 0 ] && [ "$1" != -- ]; do
			more+=("$1")
			shift
		done ;;
	--show) show=1 ;;
	--groups|--pmu|--build) [ $# -ge 2 ] || usage "$1: a value is missing"
		case $1 in
		--groups) groups=$2 ;;
		--pmu) versions=$2 ;;
		--build) build=$2 ;;
		esac
		shift ;;
	-*) usage "$1: no such option" ;;
	*) break ;;
	esac
	shift
done
[ $# -eq 2 ] || usage "VSPE and TREE are needed"
vspe=$(realpath "$1")
tree=$(realpath "$2")
[ -r "$tree/arm/unittests.cfg" ] || usage "$tree: has no arm/unittests.cfg"
command -v aarch64-linux-gnu-gcc >/dev/null || skip "aarch64-linux-gnu-gcc is not installed (Debian: gcc-aarch64-linux-gnu)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${build:-$work/build}
mkdir -p "$build"
{ cd "$build" && "$tree/configure" --arch=arm64 --cross-prefix=aarch64-linux-gnu- && timeout 600 make -j2; } \
	>"$work/log" 2>&1 || { tail -n 20 "$work/log"; echo "not ok - $tree is built"; exit 1; }

# What one may skip, and still be right, beginnings of its reasons: by a test's name, and --pmu or -.
may_skip() {
	case $1,$2 in
	pmu-*,v3p1|pmu-*,v3p4) echo "Skip test as 64 overflows need FEAT_PMUv3p5" ;;
	psci,*) echo "Skipping unsafe cpu-on test." ;; # unless ERRATA_6c7a5dce22b3 is set, for old kernels of hosts
	esac
}

total=0 failures=0
# run_test NAME VERSION FILE CPUS TEXT [OPTION...]: VERSION: of the PMU, or -.
run_test() {
	local name=$1 version=$2 file=$3 cpus=$4 text=$5 status=0 problem='' allowed skipped=0 line
	shift 5
	[ "$version" = - ] || set -- --pmu "$version" "$@"
	# STALL_FRONTEND and STALL_BACKEND, which it asks for, are the machine model's.
	[ "$name" != pmu-event-introspection ] || set -- --model full "$@"
	timeout 150 "$vspe" run --timeout 120 --cpus "$cpus" --params "$text" "$@" "${more[@]}" "$build/arm/$file" \
		</dev/null 2>&1 | head -c 1000000 >"$work/out"
	status=${PIPESTATUS[0]}
	[ -z "$show" ] || sed 's/^/# /' "$work/out"
	allowed=$(may_skip "$name" "$version")
	while read -r line; do
		skipped=$((skipped + 1))
		[[ -n $allowed && $line = *": $allowed"* ]] || problem="skips what it may not: $line"
	done < <(grep '^SKIP' "$work/out")
	grep -q '^PASS' "$work/out" || problem=${problem:-nothing passes}
	grep -q '^FAIL\|^ABORT' "$work/out" && problem="it reports failures"
	grep -q '^EXIT: STATUS=1$' "$work/out" || problem=${problem:-it does not end with success}
	[ "$status" -eq 0 ] || problem="exit code $status of vspe"
	total=$((total + 1))
	name="$name${version:+ $version}"
	if [ -z "$problem" ]; then
		echo "ok $total - ${name% -}: $(grep -c '^PASS' "$work/out") pass, $skipped skipped"
	else
		failures=$((failures + 1))
		echo "not ok $total - ${name% -}: $problem"
		grep -v '^INFO' "$work/out" | tail -n 12 | sed 's/^/# /'
	fi
}

# A section of unittests.cfg has been read: run it, if it is for us.
declare -A field
run_section() {
	local name=$1 group version smp wanted=
	[ -n "$name" ] || return
	for group in ${field[groups]:-}; do
		[[ " $groups " != *" $group "* ]] || wanted=$group
	done
	# Migration is for two of QEMU's; a GICv2 the software CPU has not, nor an ITS.
	[[ -z $wanted || " ${field[groups]} " = *" migration "* || ${field[arch]:-arm64} != arm64 ]] && return
	[[ ${field[qemu_params]:-} = *gic-version=2* || ${field[groups]} = its ]] && return
	# An expression of bash, of a tree whose programs are run anyway.
	smp=$(MAX_SMP=4 bash -c "echo ${field[smp]:-1}")
	local options=()
	[[ ${field[qemu_params]:-} =~ ^-m\ ([0-9]+)$ ]] && options=(--mem "${BASH_REMATCH[1]}")
	if [ "$wanted" = pmu ]; then
		for version in $versions; do
			run_test "$name" "$version" "${field[file]}" "$smp" "${field[test_args]:-}" "${options[@]}"
		done
	else
		run_test "$name" - "${field[file]}" "$smp" "${field[test_args]:-}" "${options[@]}"
	fi
}

section=
while IFS= read -r line; do
	case $line in
	'['*']') run_section "$section"
		section=${line#[}
		section=${section%]}
		field=() ;;
	[a-z]*' = '*) value=${line#* = }
		value=${value#[\'\"]}
		field[${line%% = *}]=${value%[\'\"]} ;;
	esac
done <"$tree/arm/unittests.cfg"
run_section "$section"
echo "1..$total"
[ "$total" -gt 0 ] || usage "--groups $groups: no test of $tree/arm/unittests.cfg is in them"
[ "$failures" -eq 0 ]

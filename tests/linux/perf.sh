#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/perf.sh VSPE WORK [RELEASE...]: the perf of Debian 12, of 13 and of its backports, in their kernels, profiles the program WORK (work.S) by SPE. The records
# are as many as the operations of it say, and those that perf has are those that vspe wrote, to the byte.
set -u
vspe=$1
program=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
guest=$top/tools/linux-guest
shift 2
[ $# -gt 0 ] || set -- 12 13 13-backports
for release in "$@"; do
	"$guest" image --release "$release" >"$work/out" 2>"$work/err" || { echo "SKIP: $(tail -n 1 "$work/err")"; exit 77; }
done

# packets FILE: all of its records' packets, without where they are. The driver's padding is none of a record.
packets() { "$vspe" decode "$1" | sed -n 's/^ *[0-9a-f]*: *//p' | grep -v PAD; }

# uneven FILE LEAST MOST: how often the records of FILE are not a multiple of 9985 ns apart, from LEAST to MOST times.
uneven() {
	local count
	count=$(sed -n 's/^ .* TS //p' "$1" | awk 'NR > 1 && ($1 - last) % 9985 { n++ } { last = $1 } END { print n + 0 }')
	echo "# $count uneven intervals"
	[ "$count" -ge "$2" ] && [ "$count" -le "$3" ]
}

# Debian 13's kernel has addresses of 52 bits where the CPU has them: its own data lies at fff0... then.
# 5,000,007 operations at EL0, of which each 4097th is sampled, and a fifth of those is of each kind.
for row in "12 v1p1 none" "13 v1p5 all" "13-backports v1p5 none --model warm"; do
	read -r release version isa more <<<"$row"
	[[ " $* " == *" $release "* ]] || continue
	# shellcheck disable=SC2086 # options are words
	check "Debian $release, $version: perf records" exits 0 "$guest" run --release "$release" --vspe "$vspe" --spe "$version" --isa "$isa" $more --timeout 600 \
		--add "$program:/root/work" --add "$(dirname "$0")/perf_guest.sh" --perf-data "$work/outside" \
		--get "/tmp/all:$work/all" --get "/tmp/loads:$work/loads" --get "/tmp/branches:$work/branches" \
		--get "/tmp/propeller-1:$work/propeller-1" --get "/tmp/propeller-0:$work/propeller-0" \
		--get "/tmp/propeller-1.txt:$work/propeller-1.txt" \
		--get "/tmp/warnings:$work/warnings" -- bash /root/perf_guest.sh
	check "$version: each 4097th operation" has out '^all 1220$'
	check "$version: the loads among them" has out '^loads 244$'
	check "$version: the branches among them" has out '^branches 244$'
	# As many and few more: the profile begins and ends elsewhere, or the kernel is in it.
	check "$version: of a thread" has out '^per-thread 122[0-4]$'
	check "$version: of all, the kernel's too" has out '^system-wide 1[2-9][0-9]{2}$'
	check "$version: an interval of 1 is PMSIDR_EL1's, 256" has out '^interval-1 1945[5-9]$'
	check "$version: AWS's command samples branches" has out '^aws [1-9][0-9]{3}$'
	check "$version: snapshots" has out '^snapshot 2[4-9][0-9]{2}$'
	check "$version: the report has the function" has out '100\.00%.*work_loop'
	for name in all loads branches; do packets "$work/$name"; done >"$work/inside.txt"
	packets "$work/outside" >"$work/outside.txt"
	check "$version: perf has records" test -s "$work/inside.txt"
	# What was profiled later is in no file that came out.
	head -n "$(wc -l <"$work/inside.txt")" "$work/outside.txt" >"$work/first.txt"
	check "$version: they are those that vspe wrote" cmp "$work/inside.txt" "$work/first.txt"
	for jitter in 0 1; do "$vspe" decode "$work/propeller-$jitter" >"$work/propeller-$jitter.records"; done
	check "$version: Propeller's command records" test "$(grep -c '^record' "$work/propeller-1.records")" -ge 80
	check "$version: ... branches alone" \
		test "$(grep -c '^record' "$work/propeller-1.records")" = "$(grep -c '  B ' "$work/propeller-1.records")"
	# The driver rounds 10007 down to a multiple of 256, and the machine counts one more (UNIT-4): a nanosecond an operation,
	# those of another process in between, too.
	check "$version: ... at even intervals without jitter" uneven "$work/propeller-0.records" 0 9
	check "$version: ... and at other ones with it" uneven "$work/propeller-1.records" 70 1000
	if [ "$release" = 13-backports ]; then
		check "$release: all but loads" has out '^no-loads 976$'
		check "$release: all that access no L1D" has out '^no-L1D-access 732$'
		check "$release: all but loads from L1D" has out '^other-sources 97[6-9]$'
		check "$release: no floating point" has out '^FP 0$'
		check "$release: no SIMD" has out '^SIMD 0$'
		check "$release: those of 26 cycles, two operations of five, with a machine model" has out '^slow 4(8[89]|9[0-9])$'
		check "$release: discard mode writes none" has out '^discarded 0$'
		check "$release: a branch before that of a sample" has out '^branches-before 24[34]$'
		check "$release: perf mem has levels of memory" has out '^memory [1-9][0-9]*$'
		check "$release: perf c2c has loads" has out '^c2c-loads [1-9][0-9]*$'
		# perf has those without a target, too.
		grep -v /0x0/ "$work/propeller-1.txt" >"$work/wanted"
		check "$release: vspe report --brstack of them" exits 0 "$vspe" report --brstack "$work/propeller-1"
		check "$release: ... is what perf script prints" cmp "$work/out" "$work/wanted"
	fi
	mkdir -p "$work/root/root" && cp "$program" "$work/root/root/work"
	check "$version: vspe report reads it" exits 0 "$vspe" report --symfs "$work/root" --by function "$work/all"
	check "$version: ... and names the function" has out '^work_loop +work +0x[0-9a-f]+ +0 +1220 +100\.00'
	check "$version: ... reads it by process" exits 0 "$vspe" report --by process "$work/all"
	check "$version: ... and names that" has out '^work +[0-9]+ +1220 +100\.00'
	check "$version: the kernel does not complain" exits 1 grep -iE 'warning|oops|bug|spe' "$work/warnings"
done
exit "$failed"

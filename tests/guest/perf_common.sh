# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the tests with the stock perf share. Sourced after "set -eu"; sets $work, removed at the end.

if ! perf --version >/dev/null 2>&1; then
	echo "SKIP: there is no perf here (Debian: linux-perf)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No settings, symbol cache or pager of whoever runs the test.
export HOME="$work" PERF_CONFIG=/dev/null PERF_PAGER=cat LC_ALL=C

fail() {
	echo "FAIL: $*"
	exit 1
}

# run_perf OUT ARGUMENT...: runs perf with its output in OUT; it must have nothing to complain of but
# what its 6.1 does not know: it has no unwinder for arm64, and ignores previous branch targets; or
# misses: Context packets, and for c2c which memory each node has.
run_perf() {
	out=$1
	shift
	timeout 120 perf "$@" >"$out" 2>"$work/stderr" || {
		cat "$work/stderr"
		fail "perf $* ended with an error"
	}
	grep -v -e '^unwind: target platform=arm64 is not supported' \
		-e 'unsupported address packet index: 0x4' \
		-e '^Warning:$' -e '^Arm SPE CONTEXT packets not found' -e '^Matching of TIDs to SPE events' \
		-e '^No memory nodes, is CONFIG_MEMORY_HOTPLUG enabled' -e '^WARNING: failed to find node$' \
		-e '^$' "$work/stderr" >"$work/complaints" || return 0
	cat "$work/complaints"
	fail "perf $* complained"
}

# packets_of_perf FILE: the packets of a perf report -D listing, "CPU BYTES... WORDS", in the order of
# each CPU, but for padding.
packets_of_perf() {
	awk '
	/PERF_RECORD_AUXTRACE size:/ {
		for (i = 1; i < NF; i++)
			if ($i == "cpu:") cpu = $(i + 1)
	}
	# Packets have offsets of eight digits, the bytes of events those of four.
	$1 == "." && length($2) == 9 && $2 ~ /^[0-9a-f]+:$/ {
		if ($NF == "PAD") next
		line = cpu
		for (i = 3; i <= NF; i++) line = line " " $i
		print line
	}' "$1" | sort -s -k1,1n
}

# packets_of_vspe FILE: the same of a vspe decode listing.
packets_of_vspe() {
	awk '
	$1 == "record" { cpu = $4; next }
	$NF != "PAD" {
		line = cpu
		for (i = 2; i <= NF; i++) line = line " " $i
		print line
	}' "$1" | sort -s -k1,1n
}

#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/run.sh VSPE GUESTS: what vspe run makes of its command line. Wrong input gets exactly one
# line on standard error, which has the offending word, and exit code 2; the ends of a guest get theirs.
set -u
vspe=$1
guests=$2
. "$(dirname "$0")/flat.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# expect CODE PATTERN COMMAND...: the exit code, and one line of standard error with the pattern in it.
expect() {
	local code=$1 pattern=$2 got lines
	shift 2
	checks=$((checks + 1))
	timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" -eq "$code" ] || fail "exit $got, not $code: ${*:2}: $(head -c 300 "$work/err")"
	[ -n "$pattern" ] || return 0
	lines=$(wc -l <"$work/err")
	[ "$lines" -eq 1 ] || fail "$lines lines on standard error: ${*:2}"
	grep -qF -- "$pattern" "$work/err" || fail "no '$pattern' in: $(head -c 300 "$work/err")"
}

# mov w0, #0x84000000 (upper half); movk w0, #8; hvc #0
flat "$work/off" 52b08000 72800100 d4000002
# the same with smc #0
flat "$work/off-smc" 52b08000 72800100 d4000003
# mov x1, #0x090b0000; mov w2, #1; str w2, [x1, #0x400]; str w2, [x1, #4]; b .
flat "$work/off-gpio" d2a12161 52800022 b9040022 b9000422 14000000
# movk w0, #9 instead: SYSTEM_RESET
flat "$work/reset" 52b08000 72800120 d4000002
# A word of memory is 0 at first: set it, and SYSTEM_RESET2 by type 0; then say c, or w if it has been kept, and off.
flat "$work/warm" d2a84001 b9400022 52824683 6b03005f 540000c0 b9000023 52b08000 72800240 aa1f03e1 d4000002 \
	d2a12001 52800ee2 54000040 52800c62 b9000022 52b08000 72800100 d4000002
# b .
flat "$work/forever" 14000000
# wfi; b .-4
flat "$work/waits" d503207f 17ffffff
# mov x1, #1; br x1: into nothing, with no vectors either
flat "$work/nothing" d2800021 d61f0020
# mov w2, #'\n'; mov x1, #0x09000000; str w2, [x1]; b .-4: newlines for ever
flat "$work/chatter" 52800142 d2a12001 b9000022 17ffffff

# A guest that prints a line and powers off: mov x1, #0x09000000; then a mov and a str each byte.
prints() {
	local file=$1 text=$2 words=(d2a12001) byte
	for byte in $(printf '%s\n' "$text" | od -An -v -tu1); do
		words+=("$(printf '%08x' $((0x52800002 | byte << 5)))" b9000022)
	done
	flat "$file" "${words[@]}" 52b08000 72800100 d4000002
}

# --- usage
expect 2 "" "$vspe"
expect 0 "" "$vspe" --help
expect 0 "" "$vspe" --version
grep -qE '^vspe [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "--version: $(cat "$work/out")"
expect 0 "" "$vspe" run --help
grep -q Examples "$work/out" || fail "no examples in vspe run --help"
[ "$(wc -l <"$work/out")" -lt 40 ] || fail "vspe run --help is no page: $(wc -l <"$work/out") lines"
grep -q -e '--help all' "$work/out" || fail "vspe run --help does not say how to get the rest"
expect 0 "" "$vspe" run --help all
[ "$(grep -c '^[A-Z][A-Za-z ]*:$' "$work/out")" -ge 13 ] || fail "vspe run --help all has not all groups"
expect 2 "no guest" "$vspe" run
expect 2 "" "$vspe" run --no-such-option "$work/off"
expect 2 "second guest" "$vspe" run "$work/off" "$work/off"
# Numbers in every form, all of them 2 MiB.
for mem in 2 02 0x2 0b10 2e0; do
	expect 0 "" "$vspe" run --mem "$mem" "$work/off"
done
expect 2 "$work/none: No such file" "$vspe" run --mem 1G --cpus 0x2 --timeout 1e3 "$work/none"
expect 0 "" "$vspe" run --spe help

# --- input
expect 2 "not for AArch64" "$vspe" run --kernel "$(dirname "$0")/../fuzz/corpus/loader/elf-x86"
expect 2 "truncated ELF" "$vspe" run "$(dirname "$0")/../fuzz/corpus/loader/elf-truncated"
expect 2 "truncated gzip" "$vspe" run "$(dirname "$0")/../fuzz/corpus/loader/gz-truncated"
head -c 40 "$guests/platform.Image" >"$work/short.Image"
expect 2 "truncated: 40 bytes" "$vspe" run "$work/short.Image"
expect 2 "$work/none: No such file" "$vspe" run --initrd "$work/none" "$work/off"
truncate -s 5M "$work/initrd"
expect 2 "$work/initrd: initrd does not fit" "$vspe" run --mem 5 --initrd "$work/initrd" "$work/off"
expect 2 "$work/initrd: more than the 2 MiB" "$vspe" run --mem 2 "$work/initrd"
head -c 1048576 /dev/zero | tr '\0' '\37' >"$work/flat1m"
expect 2 "does not fit" "$vspe" run --mem 1 "$work/flat1m"
expect 2 "--params: 70000 bytes" "$vspe" run --params "$(head -c 70000 /dev/zero | tr '\0' x)" "$work/off"
expect 2 "--dump-dtb /nonexistent/x" "$vspe" run --dump-dtb /nonexistent/x "$work/off"
expect 2 "--perf-data /nonexistent/x" "$vspe" run --perf-data /nonexistent/x "$work/off"

# --- ends of a guest
expect 0 "" "$vspe" run "$work/off"
[ ! -s "$work/err" ] || fail "a power off says: $(cat "$work/err")"
expect 0 "" "$vspe" run --single-step -m 2 -c 3 "$work/off"
for options in "" "--secure" "--realm"; do
	# shellcheck disable=SC2086
	expect 0 "" "$vspe" run $options "$work/off"
	# shellcheck disable=SC2086
	expect 0 "" "$vspe" run --el 2 $options "$work/off-smc"
	# shellcheck disable=SC2086
	expect 3 "at PC 0x200 EL2, ESR_EL2" "$vspe" run --el 2 $options "$work/nothing"
done
expect 0 "" "$vspe" run --secure "$work/off-smc"
expect 3 "EL1, ESR_EL1" "$vspe" run "$work/off-smc"
expect 3 "EL3, ESR_EL3" "$vspe" run --el 3 "$work/off-smc"
expect 0 "" "$vspe" run --el 3 "$work/off-gpio"
expect 0 "" "$vspe" run --el 3 -c 3 "$work/off-gpio"
expect 3 "vCPU 0" "$vspe" run --el 2 "$work/off-gpio"
gzip -c "$work/off" >"$work/off.gz"
expect 0 "" "$vspe" run "$work/off.gz"
expect 0 "" "$vspe" run --mem 6 --initrd "$work/initrd" "$work/off"
expect 3 "vCPU 0" "$vspe" run "$work/nothing"
expect 3 "every vCPU waits" "$vspe" run "$work/waits"
expect 124 "timed out after 1 s" "$vspe" run --timeout 1 "$work/forever"
expect 124 "timed out after 1 s" "$vspe" run --timeout 1 "$work/reset"
expect 0 "" "$vspe" run --timeout 10 "$work/warm"
[ "$(cat "$work/out")" = w ] || fail "a warm reset has not kept memory: $(head -c 100 "$work/out")"
expect 124 "timed out after 1 s" "$vspe" run --timeout 1 --tap "$work/forever"
expect 1 "tap: no plan" "$vspe" run --tap "$work/off"
prints "$work/tap" $'1..2\nok 1\nnot ok 2 - b'
expect 1 "tap: 1 of 2 tests failed" "$vspe" run --tap "$work/tap"
[ "$(cat "$work/out")" = $'1..2\nok 1\nnot ok 2 - b' ] || fail "--tap does not pass the output on"
expect 0 "" "$vspe" run "$work/tap"
prints "$work/tap" $'1..3\nok 1\nok 2 # SKIP no SPE'
expect 1 "tap: 3 tests planned, 2 ran" "$vspe" run --tap "$work/tap"
prints "$work/tap" $'Bail out! no memory'
expect 1 "bailed out" "$vspe" run --tap "$work/tap"
prints "$work/tap" $'1..0 # SKIP no SPE'
expect 0 "" "$vspe" run --tap "$work/tap"

# A reader that leaves ends the machine too.
"$vspe" run "$work/chatter" </dev/null 2>"$work/err" | head -c 10 >/dev/null
got=${PIPESTATUS[0]}
checks=$((checks + 1))
[ "$got" -eq 5 ] || fail "exit $got with a closed standard output, not 5"
grep -q "standard output: Broken pipe" "$work/err" || fail "closed standard output: $(cat "$work/err")"

# --tap passes the output on as it is.
expect 0 "" "$vspe" run --tap "$guests/platform.Image"
cmp -s <("$vspe" run "$guests/platform.Image" </dev/null) "$work/out" || fail "--tap changes the output"

# --- statistics
"$vspe" run --stats=json "$guests/platform.Image" </dev/null 2>"$work/one" >/dev/null
"$vspe" run --stats=json "$guests/platform.Image" </dev/null 2>"$work/two" >/dev/null
checks=$((checks + 1))
cmp -s "$work/one" "$work/two" || fail "--stats=json differs between two runs"
grep -q '"operations":' "$work/one" || fail "--stats=json: $(head -c 300 "$work/one")"
grep -q '"machine":{"engine":"soft","cpus":"1","mem":"256",' "$work/one" || fail "--stats=json: $(cat "$work/one")"
# A second is as many operations as --cntfrq says.
"$vspe" run --cntfrq 4000000000 --stats=json "$guests/platform.Image" </dev/null 2>"$work/one" >/dev/null
python3 - "$work/one" <<-'PYTHON' || fail "--cntfrq: $(head -c 300 "$work/one")"
	import json, sys
	stats = json.load(open(sys.argv[1]))
	assert stats["operations"] >= 4 and stats["virtual_ns"] == stats["operations"] // 4
PYTHON
expect 2 "vspe run: --cntfrq 999999: not from 1000000 to 4294967295" "$vspe" run --cntfrq 999999 "$work/off"
expect 2 "vspe run: --cntfrq: not with --engine kvm, whose counter is the host's" "$vspe" run --engine kvm --cntfrq 2000000 "$work/off"
expect 0 "" "$vspe" run --stats "$guests/platform.Image"
grep -q 'vCPU 0: operations' "$work/err" || fail "--stats: $(head -c 300 "$work/err")"

# --- the device tree
expect 0 "" "$vspe" run --dump-dtb "$work/tree" -c 2 -p 'a "b"'
if command -v dtc >/dev/null; then
	dtc -q -I dtb -O dts "$work/tree" >"$work/dts" 2>"$work/err" || fail "dtc: $(cat "$work/err")"
	[ ! -s "$work/err" ] || fail "dtc warns: $(cat "$work/err")"
	grep -qF 'bootargs = "a \"b\"";' "$work/dts" || fail "bootargs are not in the tree"
	grep -qF 'arm,statistical-profiling-extension-v1' "$work/dts" || fail "no SPE in the tree"
fi
# What the Exception levels bring, with a guest or without.
tree_of() {
	expect 0 "" "$vspe" run --dump-dtb "$work/tree" "$@"
	dtc -q -I dtb -O dts "$work/tree" >"$work/dts" 2>"$work/err" || fail "dtc $*: $(cat "$work/err")"
	[ ! -s "$work/err" ] || fail "dtc warns of $*: $(cat "$work/err")"
}
if command -v dtc >/dev/null; then
	for options in "" "--el 1" "--secure" "--realm"; do
		# shellcheck disable=SC2086
		tree_of $options
		grep -qF 'method = "hvc";' "$work/dts" || fail "PSCI is not by HVC with '$options'"
		! grep -q gpio "$work/dts" || fail "a GPIO with '$options'"
	done
	for options in "" "--secure" "--realm"; do
		# shellcheck disable=SC2086
		tree_of --el 2 $options
		grep -qF 'method = "smc";' "$work/dts" || fail "PSCI is not by SMC with --el 2 $options"
	done
	tree_of --el 3 -c 2
	! grep -q psci "$work/dts" || fail "PSCI with --el 3"
	grep -qF 'compatible = "gpio-poweroff";' "$work/dts" || fail "no gpio-poweroff with --el 3"
fi

expect 0 "" "$vspe" run --dump-dtb "$work/tree" --spe off
! grep -q statistical-profiling "$work/tree" || fail "SPE in the tree with --spe off"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]

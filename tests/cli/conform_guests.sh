#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_guests.sh VSPE GUESTS LIST: vspe conform --guests as a user calls it. GUESTS is the
# folder of the images, LIST the project's own list.
# shellcheck disable=SC2016,SC2317 # commands for check and sh -c
set -u
vspe=$1 guests=$2 list=$3
matcher=-E
. "$(dirname "$0")/common.sh"

lacks() { ! grep -qE -- "$2" "$work/$1"; }
lines() { [ "$(grep -cE -- "$2" "$work/$1")" = "$3" ] || { echo "# not $3 in $1: $2"; return 1; }; }

# run OPTION...: with the images of the build
run() { "$vspe" conform --guests "$@"; }

# --- the project's own list
rows=$(grep -cE '^[a-z][^[:space:]]*[[:space:]]+vspe[[:space:]]' "$list")
others=$(($(grep -c '^[a-z]' "$list") - rows))
check "the list is found beside the program" exits 0 "$vspe" conform --guests --list
check "... with all its rows for vspe" lines out '^guest ' "$rows"
cp "$work/out" "$work/all"
check "some guests pass" exits 0 "$vspe" conform --guests --only platform --junit "$work/junit.xml"
check "... and it says so" has out '^# [0-9]+ guests: [0-9]+ passed, 0 failed, 0 skipped; '
check "... with one plan that is kept" sh -c \
	'[ "$(sed -n "s/^1\.\.//p" "$1")" = "$(grep -cE "^(not )?ok " "$1")" ]' sh "$work/out"
check "... counts what is for others" has out "^# not run here: $others rows? of the list"
check "... gives reasons of skips" has out '^#  +[0-9]+  one CPU$'
check "... and has no line that is not TAP" lacks out '^[^ #0-9onT]'
if command -v python3 >/dev/null; then
	check "JUnit agrees with TAP" python3 - "$work/junit.xml" "$work/out" <<-'PY'
		import re, sys, xml.etree.ElementTree as tree
		suites = tree.parse(sys.argv[1]).getroot().findall("testsuite")
		lines = open(sys.argv[2]).read().splitlines()
		names = [m[1] for m in (re.match(r"ok \d+ - (\w+)", l) for l in lines) if m]
		assert [s.get("name") for s in suites] == names, names
		tests = [l for l in lines if re.match(r"    ok \d", l)]
		assert sum(int(s.get("tests")) for s in suites) == len(tests) + len(names)
		assert all(int(s.get("tests")) == len(s.findall("testcase")) for s in suites)
		skipped = sum(" # SKIP " in l for l in tests)
		assert sum(int(s.get("skipped")) for s in suites) == skipped > 0
		assert sum(len(s.findall("testcase/skipped")) for s in suites) == skipped
	PY
fi

# --- shards and jobs
for i in 1 2 3 4 5; do "$vspe" conform --guests --list --shard $i/5; done | sort >"$work/shards"
check "five shards together are the list" sh -c 'sort "$1" | cmp - "$2"' sh "$work/all" "$work/shards"
run --only platform -j 1 >"$work/one" 2>"$work/err"
run --only platform -j 3 >"$work/three" 2>"$work/err"
check "the number of jobs does not show" cmp "$work/one" "$work/three"

# --- lists of our own, with the images of the build
mine() { printf '%s\n' "$@" >"$work/mine.list"; run "$work/mine.list" --guest-dir "$guests"; }
check "a list of one's own" exits 0 mine '# a comment' '' 'one vspe platform 13 1 60' \
	'two vspe platform.elf 13 0 60 -c 2 --params "a  b"'
check "... has its rows" lines out '^ok ' 2
check "the list follows = too" exits 0 "$vspe" conform "--guests=$work/mine.list" --guest-dir "$guests"
check "a guest that skips everything is skipped" exits 0 mine 'smp_one vspe smp 2 2 60'
check "... with its reason" has out '^ok 1 - smp_one # SKIP one CPU$'
check "a skip too many is a failure" exits 1 mine 'bad vspe platform 13 0 60' 'good vspe platform 13 1 60'
check "... and is said" has out '^not ok 1 - bad: 1 tests skipped, the list says at most 0$'
check "a skip less is none" exits 0 mine 'good vspe platform 13 2 60'
check "a skip too many is a failure" exits 1 mine 'bad vspe platform 13 0 60' 'good vspe platform 13 1 60'
check "... of that guest alone" has out '^ok 2 - good: '
check "... and counted" has out '^# 2 guests: 1 passed, 1 failed, 0 skipped; 26 tests: 24 passed, 0 failed, 2 skipped$'
check "a plan that is not the list's is a failure" exits 1 mine 'bad vspe platform 11 1 60'
check "... and is said" has out '^not ok 1 - bad: plan of 13 tests, the list says 11$'
check "an option that vspe run refuses is a failure" exits 1 mine 'bad vspe platform 13 1 60 --frobnicate'
check "... with what it says" has out '^not ok 1 - bad: exit code 2: vspe run: '
check "... and the command" has out '^#   reproduce: vspe run --tap --engine soft --timeout 60 --kernel .*/platform.Image --frobnicate$'

# --- a failed test: what the guest printed, and the command that repeats it
mkdir "$work/guests"
cat >"$work/failing.s" <<-'S'
	adr x1, text
	mov x2, #0x09000000
1:	ldrb w0, [x1], #1
	cbz w0, 2f
	str w0, [x2]
	b 1b
2:	movz x0, #8
	movk x0, #0x8400, lsl 16
	hvc #0
text:	.asciz "1..3\nok 1 - first\n# of second: <why> & how\nnot ok 2 - second\nok 3 - third # SKIP \"none\"\n"
S
assemble() { # NAME: of NAME.s, a flat binary
	for prefix in aarch64-linux-gnu- ''; do
		"${prefix}as" -march=armv8-a "$work/$1.s" -o "$work/$1.o" 2>/dev/null &&
			"${prefix}objcopy" -O binary "$work/$1.o" "$work/guests/$1.Image" && return
	done
	return 1
}
own() { printf '%s\n' "$@" >"$work/mine.list"; "$vspe" conform --guests "$work/mine.list" \
	--guest-dir "$work/guests" --junit "$work/junit.xml"; }
check "assemble" assemble failing
check "a failed test is a failure" exits 1 own "failing vspe failing 3 1 60 -m 64 --params 'it''s'"
check "... and is said" has out '^not ok 1 - failing: tap: 1 of 3 tests failed$'
check "... with what the guest printed" has out '^    # of second: <why> & how$'
check "... and its line" has out '^    not ok 2 - second$'
command=$(sed -n 's/^#   reproduce: vspe //p' "$work/out")
check "... and the command does the same" sh -c \
	'eval "timeout 60 \"$1\" $2" </dev/null >"$3" 2>&1; [ $? = 1 ] && grep -q "^not ok 2 - second" "$3"' sh \
	"$vspe" "$command" "$work/again"
if command -v python3 >/dev/null; then
	check "... and JUnit has it" python3 - "$work/junit.xml" <<-'PY'
		import sys, xml.etree.ElementTree as tree
		suite, = tree.parse(sys.argv[1]).getroot().findall("testsuite")
		assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "2", "1")
		first, second, third, end = suite.findall("testcase")
		assert first.find("failure") is None and first.find("skipped") is None
		assert "# of second: <why> & how" in second.find("failure").text
		assert third.find("skipped").get("message") == '"none"'
		assert end.find("failure").get("message") == "tap: 1 of 3 tests failed"
		assert "reproduce: vspe run" in end.find("failure").text
	PY
fi
sed 's/\.asciz .*/.asciz "hello\\n1..1\\nok 1 - first\\n"\n.space 64/' "$work/failing.s" >"$work/noisy.s"
check "assemble" assemble noisy
check "what is no TAP is ignored" exits 0 own 'noisy vspe noisy 1 0 60'
check "... and with --strict a failure" exits 1 "$vspe" conform --guests "$work/mine.list" --guest-dir "$work/guests" \
	--strict
check "... and is said" has out '^not ok 1 - noisy: this is no TAP: hello$'

# --- rows for QEMU, without one: a program that does nothing stands in
printf '#!/bin/sh\nprintf "1..1\\r\\nok 1 - %%s\\r\\n" "$*"\n' >"$work/qemu"
chmod +x "$work/qemu"
qemu() { printf '%s\n' "$@" >"$work/mine.list"; "$vspe" conform --guests "$work/mine.list" --guest-dir "$guests" \
	--qemu="$work/qemu" --strict; }
check "rows for QEMU" exits 0 qemu 'one qemu platform 1 0 60 -smp 2' 'two qemu-el3 platform 1 0 60' 'three vspe platform 10 1 60'
check "... are started by it" has out '^    ok 1 - -machine virt,gic-version=3 .* -kernel .*/platform.Image -smp 2$'
check "... at EL3 too" has out '^    ok 1 - .*virtualization=on .* -device loader,file=.*/platform.Image,addr=0x40200000'
check "... alone" has out '^# not run here: 1 row of the list'
check "an image that is not for QEMU is refused" exits 2 qemu 'one qemu platform 1 0 60' 'two vspe smp 2 2 60'
check "... by name" has err 'mine.list:2: smp.Image has no row for QEMU$'
check "--list has the rows" exits 0 "$vspe" conform --guests "$work/mine.list" --guest-dir "$guests" --list
check "... whole" has out '^guest two vspe smp.Image 2 2 60$'

# --- rows for a command of the user's
printf '#!/bin/sh\necho 1..1\necho "ok 1 - $#: $*"\n' >"$work/a machine"
chmod +x "$work/a machine"
command() { # ARGUMENTS-OF-THE-COMMAND ROW...
	rest=$1
	shift
	printf '%s\n' "$@" >"$work/mine.list"
	"$vspe" conform --guests "$work/mine.list" --guest-dir "$guests" --junit "$work/junit" --command "'$work/a machine' $rest"
}
check "rows for a command" exits 0 command '-k %k -a "%a" 50%% %x' 'one command platform 1 0 60 a "b c"' 'two vspe platform 10 1 60'
check "... are started by it" has out "^    ok 1 - 6: -k $guests/platform.Image -a a b c 50% %x\$"
check "... alone" has out '^# not run here: 1 row of the list'
check "... and how long is in the JUnit file" has junit '<testsuite name="one" .* time="[0-9]*[.][0-9]*">$'
check "the arguments, a word each" exits 0 command '%n %*' 'one command platform 1 0 60 a "b c"'
check "... and the file's name" has out '^    ok 1 - 3: platform.Image a b c$'
check "a command that fails has to be repeatable" exits 1 command '%k' 'one command platform 2 0 60'
check "... as a shell takes it" has out "reproduce: '$work/a machine' $guests/platform.Image\$"
check "arguments without a place are refused" exits 2 command '%k' 'one command platform 1 0 60 a'
check "... by name" has err 'mine.list:1: one has arguments, and the command no %a or %[*]$'
printf 'b .\n.space 64\n' >"$work/endless.s"
check "assemble" assemble endless
check "a guest that does not end is a failure" exits 1 own 'endless vspe endless 1 0 1'
check "... and is said" has out '^not ok 1 - endless: exit code 124: '

# --- wrong input: exit code 2, one line that names it
refused() { # NAME PATTERN COMMAND...
	name=$1 pattern=$2
	shift 2
	check "$name is refused" exits 2 "$@"
	check "... by name" has err "$pattern"
	check "... in one line" [ "$(wc -l <"$work/err")" = 1 ]
	check "... before anything runs" [ ! -s "$work/out" ]
}
row() { # NAME PATTERN ROW
	printf '# first line\n%s\n' "$3" >"$work/mine.list"
	refused "$1" "$work/mine.list:2: $2" "$vspe" conform --guests "$work/mine.list" --guest-dir "$guests"
}
refused "a missing list" "$work/none.list: No such file" "$vspe" conform --guests "$work/none.list"
refused "a list that is a folder" "$work: Is a directory" "$vspe" conform --guests "$work"
refused "a missing folder" "$work/none/guests.list: No such file" "$vspe" conform --guests --guest-dir "$work/none"
row "a row cut off" "no skips" 'one vspe platform 10'
row "a plan that is no number" "plan 'ten'" 'one vspe platform ten 1 60'
row "a negative number" "skips '-1'" 'one vspe platform 10 -1 60'
row "more skips than tests" "11 skips of a plan of 10" 'one vspe platform 10 11 60'
row "no time" "seconds '0'" 'one vspe platform 10 1 0'
row "a name that is none" "name 'One/2'" 'One/2 vspe platform 10 1 60'
row "a quote that is open" "a quote is not closed" "one vspe platform 10 1 60 -p 'a"
row "an image that is not there" ".*/frobnicate.Image: No such file" 'one vspe frobnicate 10 1 60'
printf 'one vspe platform 10 1 60\none vspe platform 10 1 60\n' >"$work/mine.list"
refused "a name twice" "mine.list:2: name 'one' is already that of line 1" "$vspe" conform --guests "$work/mine.list"
printf '# nothing\n' >"$work/mine.list"
refused "an empty list" "$work/mine.list.: no guest for vspe" "$vspe" conform --guests "$work/mine.list"
refused "an engine that there is not" "'frobnicate': no such engine; there are: soft, kvm" run --engine frobnicate
refused "--only of no guest" "'frobnicate': no guest" run --only frobnicate
refused "a second list" "'$list'" run "$list" "$list"
refused "--asl with it" "not together with --guests" run --asl "$(dirname "$0")/pages"
refused "--engine with --qemu" "not together with --qemu" run --qemu --engine soft
refused "--qemu without it" "only with --guests" "$vspe" conform --qemu
refused "--command with --qemu" "not together with --qemu" run --qemu --command 'true %k'
refused "--command without it" "only with --guests" "$vspe" conform --command 'true %k'
refused "a command without the guest" "no %k or %n" run --command true
refused "a quote without an end" "a quote is not closed" run --command "true '%k"
refused "a command that is not there" "no such program" run --command 'no-such-machine %k'
refused "a QEMU that is not there" "'no-such-qemu': no such program" run --qemu=no-such-qemu
refused "--guest-dir without it" "only with --guests" "$vspe" conform --guest-dir "$guests"
refused "--engine without it" "only with --guests" "$vspe" conform --engine soft
check "a JUnit file that cannot be written is an error" exits 2 run --only smp_one --junit "$work/no/such.xml"
check "--help has an example" sh -c '"$1" conform --help | grep -q "^  vspe conform --guests"' sh "$vspe"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform.sh VSPE [whole]: vspe conform as a user calls it, on pages of our own. Without "whole" only
# what takes a moment.
set -u
vspe=$1
whole=${2-}
pages=$(dirname "$0")/pages
matcher=-F
. "$(dirname "$0")/common.sh"

lacks() { ! grep -q -- "$2" "$work/$1"; }

# --- pages of both dialects, in XML and text, by file and by folder
for page in present.xml until-2024.xml web.txt; do
	check "$page: no difference" exits 0 "$vspe" conform --strict --asl "$pages/$page"
	check "$page: nothing skipped" lacks out '# SKIP'
done
check "a folder is all its pages" exits 0 "$vspe" conform --asl "$pages"
check "... with each accessor" has out 'pages: 3 files, 9 accessors of registers of SPE and the PMU, 1 of others'
check "... and says what no page was there for" has out 'reads and writes of PMSIRR_EL1'
check "... and how many combinations there were" grep -q '^#   PMSCR_EL1  *[0-9][0-9]*$' "$work/out"

# --- one condition changed: reported with the case, and the case can be shown alone
sed "s/MDCR_EL2().TPMS == '1' \&amp;\&amp; EL2/MDCR_EL2().TPMS == '0' \&amp;\&amp; EL2/" "$pages/present.xml" >"$work/changed.xml"
check "the page was changed" sh -c '! cmp -s "$1" "$2"' sh "$pages/present.xml" "$work/changed.xml"
check "a changed condition is a difference" exits 1 "$vspe" conform --asl "$work/changed.xml" --junit "$work/junit.xml"
check "... of the point it is in" grep -q "^not ok .*changed.xml:[0-9]* PMSCR_EL1 read EL1" "$work/out"
cp "$work/out" "$work/report"
# Every difference: the command shows what the suite says that the library answers.
grep -A4 '^not ok' "$work/report" | sed -n 's/^#   *library: *//p' >"$work/answers"
sed -n 's/^#   *reproduce: vspe //p' "$work/report" >"$work/commands"
check "... with a command for each" sh -c 'n=$(wc -l <"$1"); [ "$n" -gt 0 ] && [ "$n" = "$(wc -l <"$2")" ]' sh \
	"$work/answers" "$work/commands"
same=0
while read -r command && read -r answer <&3; do
	# shellcheck disable=SC2086
	"$vspe" $command >"$work/shown" || same=1
	case $answer in
	UNDEFINED) text='the instruction is UNDEFINED' ;;
	'access to '*) text="of ${answer#access to }" ;;
	*) text=$answer ;;
	esac
	grep -q "^Outcome: .*$text" "$work/shown" || { echo "# $command: $answer"; tail -n 1 "$work/shown"; same=1; }
done <"$work/commands" 3<"$work/answers"
check "... which shows that answer" [ "$same" = 0 ]
check "... and the JUnit file says so" grep -q '<failure message=.* combinations' "$work/junit.xml"

# --- of the PMU, in the folder above: its pages ask for more, and take longer
pmu=$(dirname "$0")/pmu_page.txt
check "pmu_page.txt: no difference" exits 0 "$vspe" conform --strict --asl "$pmu"
check "... with each accessor" has out 'pages: 1 file, 3 accessors of registers of SPE and the PMU'
check "... and an accessor for all event counters is that of each" grep -q '^ok .* PMEVTYPER30_EL0 write EL0: ' "$work/out"
sed "s/MDCR_EL3().TPM == '1'/MDCR_EL3().TPM == '0'/" "$pmu" >"$work/pmu.txt"
check "a changed condition of the PMU is a difference" exits 1 "$vspe" conform --asl "$work/pmu.txt" --only PMZR
check "... with what is expected" grep -q '^#   *expected: ' "$work/out"
check "... and the state, for which there is no command" grep -q '^#   *state: EL[012].* PMUv3p9' "$work/out"
sed "s/ZeroPMUCounters(/ZeroPMUCounter(/; s/Unpredictable_PMU/Unpredictable_/; s/m >= GetNumEventCountersAccessible/HCR_EL2().TGE >= Get/" "$pmu" >"$work/pmu.txt"
check "what is not known of the PMU's pages is skipped" exits 0 "$vspe" conform --asl "$work/pmu.txt" --only ':'
for word in ZeroPMUCounter Unpredictable_EVENTCOUNTER '>='; do
	check "... by name: $word" grep -q "pmu.txt:[0-9]*: at \"\($word\)\"" "$work/out"
done

# --- what cannot be read is named by file and line, and counted
sed "0,/NVMem(0x828);/s//Unknown(1);/" "$pages/present.xml" >"$work/unread.xml"
line=$(grep -n 'Unknown(1)' "$work/unread.xml" | cut -d: -f1)
check "an accessor that cannot be read is skipped" exits 0 "$vspe" conform --asl "$work/unread.xml"
check "... with its file and line" has out "$work/unread.xml:$line: at \"Unknown\""
check "... and counted" has out '# could not be read: 1;'
check "... as a skip" has out '# SKIP cannot be read'
check "--strict makes it a failure" exits 1 "$vspe" conform --strict --asl "$work/unread.xml"
head -c 1500 "$pages/present.xml" >"$work/cut.xml"
check "a page cut off is a problem" exits 0 "$vspe" conform --asl "$work/cut.xml"
check "... with its line" grep -q 'cut.xml:[0-9]*: XML:' "$work/out"

# --- what a page lacks is a skip, and with --strict a failure: an accessor left out, or under another name
lacking() { # NAME LINE PAGE
	check "$1 is noted" exits 0 "$vspe" conform --asl "$3"
	check "... by name" has out "$2"
	check "... as a skip" has out '# SKIP cannot be read'
	check "... with --strict a failure" exits 1 "$vspe" conform --strict --asl "$3"
}
sed '/MSRregister PMBPTR_EL1/,/<\/access_mechanism>/d' "$pages/until-2024.xml" >"$work/lacks.xml"
lacking "an accessor that the page lacks" 'lacks.xml:1: no accessor MSR PMBPTR_EL1, <Xt>' "$work/lacks.xml"
sed '/<access_mechanism /,/<\/access_mechanism>/d' "$pages/until-2024.xml" >"$work/none.xml"
lacking "a page without any" 'none.xml:1: no accessor MRS <Xt>, PMBPTR_EL1' "$work/none.xml"
rm "$work/none.xml"
sed 's/<Xt>, PMSFCR_EL1$/<Xt>, PMSFCR_EL9/' "$pages/web.txt" >"$work/renamed.txt"
lacking "an accessor under another name, in text" 'renamed.txt:1: no accessor MRS <Xt>, PMSFCR_EL1' "$work/renamed.txt"
check "... with its encoding" has out 'an accessor with the encoding of PMSFCR_EL1 has another name'
sed 's/&gt;, PMBPTR_EL1</\&gt;, PMBPTR_EL0</' "$pages/until-2024.xml" >"$work/renamed.xml"
lacking "... and in XML" 'renamed.xml:1: no accessor MRS <Xt>, PMBPTR_EL1' "$work/renamed.xml"
check "... with its encoding" has out 'an accessor with the encoding of PMBPTR_EL1 has another name'
sed 's/&gt;, PMBPTR_EL1</\&gt;, PMNEW_EL1</; 0,/n="op2" v="0b001"/s//n="op2" v="0b110"/' "$pages/until-2024.xml" >"$work/new.xml"
lacking "a register of SPE's that the library has not" \
	'an accessor among the encodings of SPE is of no register that is known' "$work/new.xml"

# --- what no text asks for is varied all the same, and the summary says so
check "AArch32 state and features that are not asked for" exits 0 "$vspe" conform --asl "$pages"
check "... are varied" grep -qE '^# beside what each text asks for: .*AArch32 state, [1-9][0-9]* accesses' "$work/out"

# --- JUnit is well-formed, and agrees with TAP
if command -v python3 >/dev/null; then
	exits 0 "$vspe" conform --asl "$pages" --junit "$work/junit.xml"
	check "JUnit agrees with TAP" python3 - "$work/junit.xml" "$work/out" <<-'PY'
		import re, sys, xml.etree.ElementTree as tree
		suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
		points = [l for l in open(sys.argv[2]) if re.match(r"(not )?ok \d", l)]
		assert int(suite.get("tests")) == len(points) == len(suite.findall("testcase"))
		assert int(suite.get("failures")) == sum(l.startswith("not") for l in points) == 0
	PY
fi

# --- shards are disjoint, and together the list
"$vspe" conform --list >"$work/list"
for i in 1 2 3 4 5 6 7; do "$vspe" conform --list --shard $i/7; done | sort >"$work/shards"
check "seven shards together are the list" sh -c 'sort "$1" | cmp - "$2"' sh "$work/list" "$work/shards"
check "no point is in the list twice" sh -c '[ -z "$(sort "$1" | uniq -d)" ]' sh "$work/list"
sum=0
for i in 1 2 3; do
	exits 0 "$vspe" conform --asl "$pages" --shard $i/3 || failed=1
	sum=$((sum + $(sed -n 's/^# \([0-9]*\) cases in .*/\1/p' "$work/out")))
done
exits 0 "$vspe" conform --asl "$pages" || failed=1
check "three shards have the cases of the whole" \
	[ "$sum" = "$(sed -n 's/^# \([0-9]*\) cases in .*/\1/p' "$work/out")" ]

# --- threads change nothing
"$vspe" conform --asl "$pages" --jobs 1 >"$work/one"
"$vspe" conform --asl "$pages" --jobs 3 >"$work/three"
check "the number of threads does not show" cmp "$work/one" "$work/three"

# --- wrong input: exit code 2, one line that names it
for shard in 0/3 4/3 1/0 1 x/3 1/3x -1/3; do
	check "--shard $shard is refused" exits 2 "$vspe" conform --shard "$shard"
	check "... by name" has err "$shard"
done
check "a missing page is refused" exits 2 "$vspe" conform --asl "$work/none.xml"
check "... by name" has err "$work/none.xml"
: >"$work/empty.txt"
check "a page without accessors is refused" exits 2 "$vspe" conform --asl "$work/empty.txt"
check "--jobs 0 is refused" exits 2 "$vspe" conform --jobs 0
check "an unknown option is refused" exits 2 "$vspe" conform --frobnicate
check "a page without --asl is refused" exits 2 "$vspe" conform "$pages/present.xml"
check "--only of no point is refused" exits 2 "$vspe" conform --only frobnicate
check "a JUnit file that cannot be written is an error" exits 2 \
	"$vspe" conform --only 'PMBIDR_EL1 read EL0' --junit "$work/no/such/folder.xml"
check "--help has examples" sh -c '"$1" conform --help | grep -q "^  vspe conform --asl"' sh "$vspe"

if [ "$whole" = whole ]; then
	check "the whole suite passes" exits 0 "$vspe" conform --junit "$work/junit.xml"
	check "... with nothing skipped" has out ' 0 failed, 0 skipped'
	check "... and the combinations of each register" \
		[ "$(grep -cE '^#   PM[A-Z0-9_]+ +[0-9]+$' "$work/out")" = 42 ]
else
	check "some points of each kind pass" exits 0 "$vspe" conform --only 'PMBSR_EL2'
	check "... of the PMU" exits 0 "$vspe" conform --only 'PMUACR_EL1'
	check "... models too" exits 0 "$vspe" conform --only 'model interval: RND'
	check "... of the PMU's counters" exits 0 "$vspe" conform --only 'model counters: FEAT_PMUv3p9'
fi
exit $failed

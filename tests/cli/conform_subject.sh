#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/cli/conform_subject.sh VSPE CC LIBVSPE.so: vspe conform --subject, with shared objects that are made here:
# libvspe as another project's, one that differs from libvspe wherever it may, and some that behave badly. LIBVSPE.so is
# libvspe with that interface.
set -u
vspe=$1 compiler=$2 libvspe=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-F
. "$(dirname "$0")/common.sh"

make_subject() { # NAME [OPTION...]: $work/NAME.so of tests/cli/subject.c
	name=$1
	shift
	$compiler -std=c11 -Wall -Wextra -Werror -O1 -shared -fPIC -I"$top/vmm/conform/include" "$@" -o "$work/$name.so" \
		"$top/tests/cli/subject.c" -ldl
}

# --- the header compiles alone in C and C++
for language in c99 c11 c++11 c++20; do
	case $language in
	c++*) program="${CXX:-g++} -x c++" ;;
	*) program="$compiler -x c" ;;
	esac
	echo '#include <vspe/subject.h>' >"$work/alone.c"
	# shellcheck disable=SC2086
	check "$language compiles <vspe/subject.h>" exits 0 $program -std=$language -Wall -Wextra -Wconversion -pedantic -Werror \
		-fsyntax-only -I"$top/vmm/conform/include" "$work/alone.c"
done

# --- libvspe as another project's: the points and the questions are the same
few='PMBSR_EL2'
for only in "$few" PMUACR_EL1 model AArch32 order encoding; do
	check "libvspe as a subject passes: $only" exits 0 "$vspe" conform --subject "$libvspe" --only "$only"
	grep -v '^# ' "$work/out" >"$work/theirs"
	check "... and as the library" exits 0 "$vspe" conform --only "$only"
	grep -v '^# ' "$work/out" >"$work/ours"
	check "... in the same points with the same cases" cmp "$work/ours" "$work/theirs"
done
"$vspe" conform --list >"$work/list"
check "the list is the same" sh -c '"$1" conform --subject "$2" --list | cmp - "$3"' sh "$vspe" "$libvspe" "$work/list"
check "a shard of it" exits 0 "$vspe" conform --subject "$libvspe" --shard 3/200 --jobs 1 --junit "$work/junit.xml"
check "... and its JUnit" grep -q 'tests="[23]" failures="0"' "$work/junit.xml"
check "with pages, in the sandbox" exits 0 "$vspe" conform --subject "$libvspe" --asl "$top/tests/cli/pages/web.txt" \
	--junit "$work/junit.xml"
check "... nothing is skipped" sh -c '! grep -q "# SKIP" "$1"' sh "$work/out"

# --- one that differs wherever the interface allows it: any order of packets, larger records, different numbers, one
# version, a buffer that rewinds; no budget, no interrupt
check "another one is made" make_subject other -DOTHER "-DLIBVSPE=\"$libvspe\""
check "a subject that is otherwise passes" exits 0 "$vspe" conform --subject "$work/other.so" --only model
check "... with what it has not skipped" has out 'SKIP the subject reloads COUNT at the other end of the tail'
check "... its numbers followed" grep -q '^ok .*RND 1 with ERnd, reload before the tail, random scripts: 24000 cases' "$work/out"
check "... by its name" has out "# subject: $work/other.so: otherwise"

# --- each error is a difference, and the other points still run
for error in ORDER COUNT FILTER POINTER IRQ RANDOM; do
	case $error in
	ORDER) point='record: ' ;;
	COUNT) point='interval: RND 0' ;;
	FILTER) point='filter: ' ;;
	POINTER | IRQ) point='buffer: ' ;;
	RANDOM) point='random: bytes' ;;
	esac
	check "$error is made" make_subject "$error" "-D$error" "-DLIBVSPE=\"$libvspe\""
	check "an error in $point is found" exits 1 "$vspe" conform --subject "$work/$error.so" --only "$point"
	check "... with the command that repeats it" has out "reproduce: vspe conform --subject '$work/$error.so' --only 'model $point"
done

# --- missing parts are skipped, with the reason
check "one of nothing is made" make_subject nothing -DNOTHING
check "nothing to test is no failure" exits 0 "$vspe" conform --subject "$work/nothing.so"
check "... all is skipped" has out ' 0 passed, 0 failed, 472 skipped'
check "... and says why" has out 'SKIP the subject has no unit_create'
check "... of accesses" has out 'SKIP the subject has no spe_access'
check "... and of the PMU's" has out 'SKIP the subject has no pmu_access'

# --- one that crashes, exits, or answers nonsense only fails its own points
for bad in CRASH EXIT ABORT NONSENSE SILENT NOISE; do
	check "$bad is made" make_subject "$bad" "-D$bad"
	check "$bad is a failure" exits 1 "$vspe" conform --subject "$work/$bad.so" --only 'PMSICR_EL1' --jobs 2
	check "... and the report is whole" [ "$(grep -cE '^(not )?ok ' "$work/out")" = 10 ]
	check "... in TAP alone" sh -c '! grep -vE "^(TAP|1\.\.|ok|not ok|#)" "$1"' sh "$work/out"
done
"$vspe" conform --subject "$work/CRASH.so" --only 'PMSICR_EL1 read EL1' >"$work/out"
check "a crash has its signal" has out '#   the subject was ended by signal 11 (SIGSEGV)'
check "... and the point" has out "--only 'exhaustive PMSICR_EL1 read EL1'"
"$vspe" conform --subject "$work/EXIT.so" --only 'PMSICR_EL1 read EL1' >"$work/out"
check "an exit has its code" has out '#   the subject ended the process, with exit code 0'
"$vspe" conform --subject "$work/NONSENSE.so" --only 'PMSICR_EL1 read EL1' >"$work/out"
check "nonsense is shown" has out 'subject:  no outcome: kind 4294967295'
"$vspe" conform --subject "$work/SILENT.so" --only 'PMSICR_EL1 read EL1' >"$work/out"
check "no answer too" has out 'subject:  no outcome: kind 0'

# --- a file that is not a subject is refused in one line
refused() { # NAME TEXT
	check "$1 is refused" exits 2 "$vspe" conform --subject "$work/$1"
	check "... in a line" [ "$(wc -l <"$work/err")" = 1 ]
	check "... that says why" has err "vspe conform: --subject $work/$1: $2"
}
echo 'int nothing;' >"$work/empty.c"
$compiler -shared -fPIC -o "$work/empty.so" "$work/empty.c"
refused empty.so 'no symbol vspe_subject in it: see <vspe/subject.h>'
make_subject version -DVERSION=2 || failed=1
refused version.so 'vspe_subject.version is 2, and this vspe has 1'
make_subject size -DSIZE=8 || failed=1
refused size.so 'vspe_subject.size is 8, and has to be sizeof(struct vspe_subject)'
echo 'not a library' >"$work/text.so"
refused text.so 'file too short'
check "a size of a later header is taken" make_subject later -DNOTHING -DSIZE=4096
check "... as what there is" exits 0 "$vspe" conform --subject "$work/later.so" --only PMBIDR_EL1
check "a name is a file here" sh -c 'cd "$1" && "$2" conform --subject nothing.so --only PMBIDR_EL1 >out' sh "$work" \
	"$(cd "$(dirname "$vspe")" && pwd)/${vspe##*/}"
exit $failed

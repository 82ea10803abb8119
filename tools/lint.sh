#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-format, clang-tidy, cppcheck and tools/comments over everything that git tracks, the graph of calls between the
# object files of build/release, and of build/arm64 if that is there, and tools/writers.
set -eu
cd "$(dirname "$0")/.."
database=build/clang
[ -f $database/compile_commands.json ] || cmake --preset clang >/dev/null
# Headers that the build generates.
ninja -C $database $(ninja -C $database -t targets all | sed -n 's/\.made: .*/.made/p' | grep '^vmm/.*[.]h[.]made$') >/dev/null

git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
echo "clang-format: clean"

tools/comments
echo "comments: clean"

# Only what the host compiles: guests, and vmm/kvm elsewhere than on arm64, are not in the database.
git ls-files 'sysreg/*.c' 'spe/*.c' 'pmu/*.c' 'a64/*.c' 'model/*.c' 'vmm/*.c' 'qemu/*.c' |
	while read -r file; do ! grep -q "/$file\"" "$database/compile_commands.json" || echo "$file"; done |
	xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p $database 2>/dev/null
# The examples are separate projects: each is checked with the flags of its build.
tidy_example() { # FILE OPTION...
	file=$1
	shift
	clang-tidy --quiet "examples/$file" -- -Isysreg/include -I$database/sysreg/tables -Ispe/include -Ipmu/include -Ia64/include -Imodel/include -Iexamples/guest "$@" 2>/dev/null
}
tidy_example record-generator/generator.c -std=c11
tidy_example counters/counters.c -std=c11
tidy_example embed/vmm.c -std=c11
tidy_example embed/decode.c -std=c11
tidy_example unicorn/vmm.c -std=c11
tidy_example el2-monitor/monitor.c -std=gnu11 --target=aarch64-linux-gnu -ffreestanding
tidy_example kvm-loop/kvm-loop.c -Ivmm/kvm/include -std=gnu11 --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include
echo "clang-tidy: clean"

check_with_cppcheck() { # WORD...
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=missingInclude --suppress=shiftTooManyBitsSigned:vmm/soft/fp/lanes.def \
		-I sysreg/include -I $database/sysreg/tables -I spe/include -I pmu/include -I a64/include -I model/include -I $database/a64/tables -I . -I vmm -I vmm/kvm/include -I examples/guest "$@"
}
# The handlers of the fast loop are macros of macros: a single configuration of them takes as long as all other
# files.
handlers=vmm/soft/run/ops.c
check_with_cppcheck -DSOFT_TAIL_CALLS=1 $handlers &
first=$!
check_with_cppcheck -j "$(nproc)" -i $handlers sysreg spe pmu a64 model vmm qemu examples || { wait $first; exit 1; }
wait $first
echo "cppcheck: clean"

[ -d build/arm64/vmm ] && arm64=build/arm64 || arm64=
tools/call-graph build/release $arm64
echo "call-graph: no circle, no wrong arrow"

tools/writers

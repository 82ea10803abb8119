#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/call_graph.sh CALL_GRAPH CC: tools/call-graph on a made-up tree: a circle and a wrong arrow are found, and
# nothing where there is none.
# shellcheck disable=SC2016 # commands for sh -c
set -u
graph=$1 cc=$2
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

# file NAME TEXT: a source file of the tree, and its object file in the build.
file() {
	object=$work/build/$(dirname "$1")/CMakeFiles/it.dir/$(basename "$1").o
	mkdir -p "$work/tree/$(dirname "$1")" "$(dirname "$object")"
	printf '%s\n' "$2" >"$work/tree/$1"
	"$cc" -I"$work/tree" -I"$work/tree/vmm" -c "$work/tree/$1" -o "$object"
}
draw() { "$graph" --source "$work/tree" "$@" "$work/build"; }

check "no object file is wrong use" exits 2 draw

file spe/low.c 'int low(void) { return 0; }'
file spe/high.c 'int low(void); int high(void) { return low(); }'
file vmm/soft/soft.c 'int high(void); static int soft_own; int soft(void) { return high() + soft_own; }'
check "a tree without circles is right" exits 0 draw
check "... and its folders are named" has out 'vmm/soft: 1 files, calls spe'
check "... its files too" exits 0 draw --files
check "... with whom they call" has out 'spe/high.c: spe/low.c'
check "... and it can be drawn" exits 0 draw --dot
check "... with its arrows" has out '"spe/high.c" -> "spe/low.c";'

file spe/low.c 'int high(void); int low(void) { return high(); }'
check "a circle is wrong" exits 1 draw
check "... and it is said which" has err 'circle of 2 files: spe/high.c spe/low.c'
file spe/low.c 'int (*high_address)(void); int high(void); int low(void) { high_address = high; return 0; }'
check "the address of a function is a call" exits 1 draw
file spe/low.c 'int low(void) { return 0; }'

file vmm/kvm/kvm.c 'int soft(void); int kvm(void) { return soft(); }'
check "an arrow that the design has not is wrong" exits 1 draw
check "... and it is said which" has err 'wrong arrow: vmm/kvm/kvm.c calls vmm/soft/soft.c'
echo '/* nothing */' >"$work/tree/vmm/soft/soft.h"
file vmm/kvm/kvm.c '#include "soft/soft.h"'
check "... of an #include too" exits 1 draw
check "... and it is said which" has err 'wrong arrow: vmm/kvm/kvm.c includes vmm/soft/soft.h'
rm "$work/tree/vmm/kvm/kvm.c"
check "an object file without its source is none" exits 0 draw
exit $failed

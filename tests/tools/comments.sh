#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/comments.sh COMMENTS: tools/comments finds what it is for in a made-up tree, and nothing else.
set -u
comments=$1
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

mkdir -p "$work/tree/spe"
# file TEXT: of the only file of the tree.
file() { printf '%s\n' "$1" >"$work/tree/spe/a.c"; }
lint() { "$comments" "$work/tree"; }

file '/*
 * Two lines, of spe/a.c,
 *	and a table; not of spe/NAME.c, spe/*.c or tools/perf/x.c.
 */
int a; /* of one
	* line more */
char b[] = "/* no comment of spe/b.c";
#include "spe/b.c"'
check "a tree without a flaw is right" exits 0 lint
file '/*
 * one
 *two
 */'
check "a lost space is wrong" exits 1 lint
check "... and it is said where" has err 'spe/a.c:3: no space after the * of a comment'
file 'int a;
/* One.
 */'
check "*/ alone is wrong" exits 1 lint
check "... and it is said where" has err 'spe/a.c:3: */ alone'
file '// See spe/b.c.'
check "a path of no file is wrong" exits 1 lint
check "... and it is said where" has err 'spe/a.c:1: spe/b.c: the tree has no such file'
file '/* See other.c. */'
check "a name of no file is wrong" exits 1 lint
check "... and it is said where" has err 'spe/a.c:1: other.c: the tree has no such file'
exit $failed

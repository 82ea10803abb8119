#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/compare_builds.sh COMPARE BUILD: tools/compare-builds finds a build the same as itself, and says so when an
# output has changed, which is made up by saying that one has to.
set -u
compare=$1 build=$2
matcher=-E
. "$(dirname "$0")/../cli/common.sh"

run() { "$compare" "$build" "$build" --only '^platform(_smp)?$' --kind guest --kind dtb --kind save --kind restore \
	--kind decode "$@"; }
check "a build is the same as itself" exits 0 run
check "... in as many files" has out '^[67][0-9] compared, 0 differences$'
check "a change is a difference" exits 1 run --changed 'ok 1 =ok 1: '
check "... which is named" has out '^different: guest platform_smp: output$'
check "... and counted" has out '^[67][0-9] compared, [1-9] differences$'
check "a folder that is no build is wrong use" exits 2 "$compare" "$work" "$build"
exit $failed

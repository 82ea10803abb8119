#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh [LIBVSPE.SO]: write the binary interface of libvspe.so, as it is now, to tests/abi, for tests/abi/abi.sh to compare
# with. Run it when the interface was meant to change: after a function was added (to spe/libvspe.map too, in the version of
# the coming release), or anything in the public headers was changed, which before 1.0 a new minor version may do, and
# later a new number after .so. The library is that of build/release if it is not given.
set -eu
cd "$(dirname "$0")/.."
library=${1:-build/release/spe/libvspe.so}
machine=$(uname -m)

# Nothing that says where or how it was built; the lines are then the same wherever this is run.
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-parameter-names --no-write-default-sizes --no-elf-needed \
	--exported-interfaces-only --type-id-style hash "$library" |
	sed "s|path='$PWD/|path='|" >"tests/abi/libvspe-$machine.abi"
echo "tests/abi/libvspe-$machine.abi"

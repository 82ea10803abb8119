#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh LIBVSPE.SO: its binary interface is the committed one: exported functions and their versions, every type that they
# take and give, with sizes and offsets, the members' names, and enumerators. tools/abi.sh writes it anew.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
library=$1
want=$top/tests/abi/libvspe-$(uname -m).abi
if [ ! -f "$want" ]; then
	echo "no interface is committed for $(uname -m)"
	exit 77
fi
if ! readelf -S "$library" | grep -q '\.debug_info'; then
	echo "$library has no debugging information to read types from"
	exit 1
fi
if abidiff --harmless "$want" "$library"; then
	echo "ok - the interface is the committed one"
	exit 0
fi
echo "not ok - the interface is not the committed one; if that is meant, run tools/abi.sh"
exit 1

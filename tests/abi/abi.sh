#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh LIBRARY.SO: its binary interface is the committed one: exported functions and their versions, every type that they
# take and give, with sizes and offsets, the members' names, and enumerators. tools/abi.sh writes it anew.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
library=$1
if [ ! -f "$library" ]; then
	echo "SKIP: there is no $library"
	exit 77
fi
machine=$(readelf -h "$library" | sed -n 's/^ *Machine: *//p')
case $machine in
*X86-64*) machine=x86_64 ;;
AArch64) machine=aarch64 ;;
esac
name=${library##*/}
want=$top/tests/abi/${name%.so*}-$machine.abi
if [ ! -f "$want" ]; then
	echo "SKIP: no interface is committed for $machine"
	exit 77
fi
if ! readelf -S "$library" | grep -q '\.debug_info'; then
	echo "$library has no debugging information to read types from"
	exit 1
fi
# As tools/abi.sh writes it.
set --
[ "${name%%.*}" != libvspe-kvm ] ||
	set -- --suppressions "$top/tests/abi/libvspe-kvm.suppressions"
if abidiff "$@" --harmless "$want" "$library"; then
	echo "ok - the interface is the committed one"
	exit 0
fi
echo "not ok - the interface is not the committed one; if that is meant, run tools/abi.sh"
exit 1

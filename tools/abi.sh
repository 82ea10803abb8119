#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh [LIBRARY.SO...]: write the binary interfaces of libvspe.so, and of libvspe-kvm.so for arm64, as they are now, to
# tests/abi, for tests/abi/abi.sh to compare with. Run it when the interface was meant to change: after a function was added (to
# spe/libvspe.map or vmm/kvm/libvspe-kvm.map too, in the version of the coming release), or anything in the public headers was
# changed, which before 1.0 a new minor version may do, and later a new number after .so. Without an argument they are those of
# build/release, and of build/arm64 if that is there.
set -eu
cd "$(dirname "$0")/.."
kvm=build/arm64/vmm/kvm/libvspe-kvm.so
[ $# -gt 0 ] || set -- build/release/spe/libvspe.so $([ ! -f $kvm ] || echo $kvm)

for library in "$@"; do
	case $(readelf -h "$library" | sed -n 's/^ *Machine: *//p') in
	*X86-64*) machine=x86_64 ;;
	AArch64) machine=aarch64 ;;
	*) machine=$(uname -m) ;;
	esac
	name=${library##*/}
	out=tests/abi/${name%.so*}-$machine.abi
	# What the objects of libvspe-kvm are inside is none of their users' business.
	private=
	[ "${name%%.*}" != libvspe-kvm ] || private="--suppressions tests/abi/libvspe-kvm.suppressions"
	# Nothing that says where or how it was built; the lines are then the same wherever this is run.
	abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-parameter-names --no-write-default-sizes --no-elf-needed \
		$private --exported-interfaces-only --type-id-style hash "$library" | sed "s|path='$PWD/|path='|" >"$out"
	echo "$out"
done

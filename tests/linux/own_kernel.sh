#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/linux/own_kernel.sh VSPE: vspe linux boots a kernel that the user brings: as a file with a folder of modules, and as a package. Both
# are Debian's here, put together anew. What has no kernel or no modules is refused.
set -u
vspe=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-E
. "$top/tests/cli/common.sh"
linux_image
image=$(sed -n 1p "$work/image")
modules=${image%/*}

tree=$work/tree
mkdir -p "$tree/DEBIAN" "$tree/boot" "$tree/lib/modules/own/kernel"
printf 'Package: linux-image-own\nVersion: 1\nArchitecture: arm64\nMaintainer: none <none@vspe.invalid>\nDescription: a kernel\n' >"$tree/DEBIAN/control"
cp "$modules"/*.ko "$tree/lib/modules/own/kernel"
dpkg-deb --root-owner-group -b "$tree" "$work/empty.deb" >/dev/null
cp "$image" "$tree/boot/vmlinuz-own"
for module in "$tree"/lib/modules/own/kernel/*.ko; do xz "$module"; done
dpkg-deb --root-owner-group -b "$tree" "$work/own.deb" >/dev/null

boot() { "$vspe" linux --cache "$cache" --timeout 300 --quiet "$@" -- sh -c 'perf list 2>/dev/null | grep -c arm_spe_0'; }
cache=$top/build/linux-guest
check "an Image and its modules" exits 0 boot --kernel "$image" --modules "$modules"
check "... has the SPE driver" has out '^1$'
check "an Image alone, whose driver is a module" exits 1 boot --kernel "$image"
check "... has none" has out '^0$'
check "a package" exits 0 boot --kernel-deb "$work/own.deb"
check "... has the SPE driver" has out '^1$'
check "a package without a kernel" exits 125 boot --kernel-deb "$work/empty.deb"
check "... is named" has err "$work/empty.deb: has no kernel"
check "a folder without modules" exits 125 boot --kernel "$image" --modules "$tree/boot"
check "... is named" has err "$tree/boot: none of the guest's drivers"
check "a file that is no kernel" exits 125 boot --kernel "$work/own.deb"
check "... is named" has err "$work/own.deb: not an arm64 Image"
exit "$failed"

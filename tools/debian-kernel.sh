#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/debian-kernel.sh FOLDER: get Debian's arm64 kernel for virtual machines into FOLDER and print the path of its
# Image, for tests/linux, tests/kvm and vspe run. Its modules are in FOLDER/root/lib/modules. debian-arm64.sh fetches it:
# nothing of this system changes. Exit code 2 for wrong use, 1 when it cannot be had.
set -eu
[ $# -eq 1 ] || { echo "usage: tools/debian-kernel.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)

# Two at once would read what apt is about to write.
if command -v flock >/dev/null; then
	mkdir -p "$1"
	exec 7>"$1/kernel.lock"
	flock 7
fi
# What FOLDER has is named in FOLDER/kernel, once it is whole.
[ ! -s "$1/kernel" ] || { cat "$1/kernel"; exit 0; }
# The package that follows the newest kernel names it.
root=$("$here/debian-arm64.sh" "$1" linux-image-cloud-arm64)
folder=${root%/root}
package=$(APT_CONFIG="$folder/apt.conf" apt-cache depends linux-image-cloud-arm64 |
	sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
[ -n "$package" ] || { echo "debian-kernel.sh: linux-image-cloud-arm64: it depends on no kernel" >&2; exit 1; }
"$here/debian-arm64.sh" "$1" "$package" >/dev/null
image=$root/boot/vmlinuz-${package#linux-image-}
[ -r "$image" ] || { echo "debian-kernel.sh: $package: has no $image" >&2; exit 1; }
echo "$image" >"$folder/kernel.new"
mv "$folder/kernel.new" "$folder/kernel"
cat "$folder/kernel"

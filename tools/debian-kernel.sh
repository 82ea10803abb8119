#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/debian-kernel.sh FOLDER: get Debian's arm64 kernel for virtual machines into FOLDER and print the path of its
# Image, for tests/linux and for vspe run. apt keeps its lists for that architecture in FOLDER too: nothing of
# this system changes. Exit code 2 for wrong use, 1 when it cannot be had.
set -eu
[ $# -eq 1 ] || { echo "usage: tools/debian-kernel.sh FOLDER" >&2; exit 2; }
mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
folder=$(cd "$1" && pwd)
: >"$folder/status"
cat >"$folder/apt.conf" <<-CONF
	Dir::State "$folder/state";
	Dir::State::status "$folder/status";
	Dir::Cache "$folder/cache";
	APT::Architecture "arm64";
	APT::Architectures { "arm64"; };
	Acquire::Languages "none";
	APT::Sandbox::User "";
CONF
export APT_CONFIG="$folder/apt.conf"
fail() { echo "debian-kernel.sh: $*" >&2; exit 1; }

apt-get -qq update >&2 || fail "apt cannot read its sources"
# The package that follows the newest kernel names it.
package=$(apt-cache depends linux-image-cloud-arm64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
[ -n "$package" ] || fail "linux-image-cloud-arm64: apt has no such package"
(cd "$folder" && apt-get -qq download "$package" >&2) || fail "$package: cannot be downloaded"
for deb in "$folder/$package"_*_arm64.deb; do
	dpkg-deb -x "$deb" "$folder/root" || fail "$deb: cannot be unpacked"
done
image=$(ls "$folder"/root/boot/vmlinuz-* 2>/dev/null | tail -n 1)
[ -n "$image" ] || fail "$package: has no Image"
echo "$image"

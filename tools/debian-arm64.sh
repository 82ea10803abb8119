#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/debian-arm64.sh FOLDER PACKAGE...: get packages of Debian's arm64 into FOLDER, unpack them into FOLDER/root and
# print that path, on a system of any architecture. apt keeps its state for arm64 in FOLDER: this system does not
# change, and you need not be root. What FOLDER has is not fetched again. Dependencies are not followed. Exit code 2 for
# wrong use, 1 when something is not available.
set -eu
[ $# -ge 2 ] || { echo "usage: tools/debian-arm64.sh FOLDER PACKAGE..." >&2; exit 2; }
fail() { echo "debian-arm64.sh: $*" >&2; exit 1; }
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "this system has no apt"
mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial" "$1/debs" "$1/root"
folder=$(cd "$1" && pwd)
shift

# Two runs at once would fetch into the same files.
if command -v flock >/dev/null; then
	exec 9>"$folder/lock"
	flock 9
fi
missing=
for package in "$@"; do
	[ -e "$folder/debs/$package.done" ] || missing="$missing $package"
done
[ -n "$missing" ] || { echo "$folder/root"; exit 0; }

: >"$folder/status"
cat >"$folder/apt.conf" <<-CONF
	Dir::State "$folder/state";
	Dir::State::status "$folder/status";
	Dir::Cache "$folder/cache";
	Dir::Log "$folder";
	APT::Architecture "arm64";
	APT::Architectures { "arm64"; };
	Acquire::Languages "none";
	APT::Sandbox::User "";
CONF
export APT_CONFIG="$folder/apt.conf"
log=$folder/log

# apt's reason is the first of its error lines; apt-get update only warns when nothing can be reached.
reason() { sed -n 's/^E: *//p; s/^W: *//p' "$log" | head -n 1; }
update() { apt-get -qq -o APT::Update::Error-Mode=any update >"$log" 2>&1 || fail "apt: $(reason)"; }
download() { (cd "$folder/debs" && apt-get -qq download $missing) >"$log" 2>&1; }

# Lists of a few hours ago are good enough, unless they name what the mirror has replaced since.
fresh=$(find "$folder/state/lists" -maxdepth 1 -type f -name '*_Packages*' -mmin -600 | head -n 1)
[ -n "$fresh" ] || update
if ! download; then
	[ -z "$fresh" ] || { update && download; } || fail "apt: $(reason)"
	[ -n "$fresh" ] || fail "apt: $(reason)"
fi
for package in $missing; do
	deb=$(ls "$folder/debs/$package"_*.deb | tail -n 1)
	dpkg-deb -x "$deb" "$folder/root" || fail "$deb: cannot be unpacked"
	rm -f "$folder/debs/$package"_*.deb
	: >"$folder/debs/$package.done"
done
echo "$folder/root"

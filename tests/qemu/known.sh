#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu/known.sh VSPE GUESTS [DEBIAN SUITE]: QEMU without the plugin, of this system or, in the Debian of that folder, of that suite,
# fails no test of the guests that is no known defect, and mends none; a device tree that does not say QEMU changes nothing.
set -u
vspe=$1 guests=$(realpath "$2") debian=${3-} suite=${4-}
here=$(dirname "$(realpath "$0")")
matcher=-E
. "$here/../cli/common.sh"

inside() { "$@"; }
if [ -n "$debian" ]; then
	[ "$(id -u)" -eq 0 ] || { echo "SKIP: another Debian needs root"; exit 77; }
	inside() { chroot "$debian" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null; }
	[ "$suite" != trixie-backports ] ||
		echo "deb http://deb.debian.org/debian $suite main" >"$debian/etc/apt/sources.list.d/backports.list"
	{
		inside apt-get update && inside env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends -t "$suite" qemu-system-arm
	} >"$work/apt" 2>&1 || { echo "SKIP: no QEMU of Debian's $suite: $(tail -n 1 "$work/apt")"; exit 77; }
	rm -rf "$debian$guests"
	mkdir -p "$debian$guests"
	cp "$guests"/*.Image "$debian$guests/"
fi
command -v qemu-system-aarch64 >/dev/null || [ -n "$debian" ] || { echo "SKIP: no qemu-system-aarch64"; exit 77; }
inside qemu-system-aarch64 --version | head -n 1

start="qemu-system-aarch64"
[ -z "$debian" ] || start="chroot $debian env -i PATH=/usr/bin:/bin qemu-system-aarch64"
cat >"$work/qemu" <<END
#!/bin/sh
exec $start "\$@"
END
# The same machine with a device tree in which nothing says QEMU. It is dumped for each command line anew.
cat >"$work/nobody" <<END
#!/bin/sh
[ "\$1" != --version ] || exec $start "\$@"
tree=\$(mktemp "$debian/tmp/XXXXXX")
trap 'rm -f "\$tree" "\$tree.packed"' EXIT
$start "\$@" -machine "dumpdtb=\${tree#"$debian"}" >/dev/null 2>&1 </dev/null
dtc -q -I dtb -O dtb "\$tree" >"\$tree.packed" # it is as large as QEMU's own buffer
LC_ALL=C sed 's/qemu/xemu/g' "\$tree.packed" >"\$tree"
$start "\$@" -dtb "\${tree#"$debian"}"
END
chmod +x "$work/qemu" "$work/nobody"

verdicts() { grep -E '^ *(not )?ok ' "$1"; }

check "no new failure" exits 0 "$vspe" conform --guests --guest-dir "$guests" --strict "--qemu=$work/qemu"
cp "$work/out" "$work/all"
tail -n 1 "$work/all" # tools/conformance-matrix reads it
check "known defects are said" grep -q '^# known defects (XFAIL)' "$work/all"
check "none is mended" sh -c "! grep -q XPASS: '$work/all' && ! grep -q '^# mended' '$work/all'"
check "qemu_levels" exits 0 "$vspe" conform --guests --guest-dir "$guests" --only qemu_levels "--qemu=$work/qemu"
cp "$work/out" "$work/named"
check "qemu_levels, where nothing says QEMU" exits 0 "$vspe" conform --guests --guest-dir "$guests" --only qemu_levels "--qemu=$work/nobody"
check "... with the same verdicts" cmp <(verdicts "$work/named") <(verdicts "$work/out")
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages.sh [FOLDER]: make the Debian packages, let lintian judge them, unpack them, and use what they hold: embed.sh.
#
# With FOLDER also in a bare Debian 12, made there by debootstrap.sh once: apt-get installs the packages with what they depend on, and the same is done with nothing of this system in reach. That needs root and a
# network. packages.sh ends with 0 when all that was tried is well, and says what it skipped.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
bare=${1:-}
matcher=-F
. "$top/tests/cli/common.sh"

judge() { # packages, of the source too: nothing to say, and no override that nothing needs
	timeout 300 lintian --no-cfg --profile debian --display-info --pedantic --fail-on error,warning,info,pedantic \
		"$@" >"$work/lintian" 2>&1 &&
		! grep -q -e unused-override -e mismatched-override "$work/lintian" && return
	sed 's/^/# /' "$work/lintian"
	return 1
}
field() { dpkg-deb -f "$1" "$2" >"$work/field" && grep -q -x -e "$3" "$work/field" || { cat "$work/field"; return 1; }; }

"$top/tools/packages.sh" "$work/packages" >"$work/list" 2>"$work/err" ||
	{ cat "$work/err"; echo "not ok - the packages are made"; exit 1; }
"$top/tools/install" package || exit 1
cat "$work/list"
set -- "$work"/packages/*.deb
check "there are seven packages" test $# -eq 7
check "lintian accepts them" judge "$@" "$work"/packages/*.dsc
for package in "$@"; do
	check "${package##*/} unpacks" dpkg-deb -x "$package" "$work/root"
done
version=$(dpkg-deb -f "$work"/packages/vspe_*.deb Version)
check "libvspe-dev wants this libvspe0" field "$work"/packages/libvspe-dev_*.deb Depends "libvspe0 (= $version)"
check "vspe wants the libraries it calls" field "$work"/packages/vspe_*.deb Depends '.*libc6 (.*libfdt1 (.*'
check "vspe-records is for all machines" field "$work"/packages/vspe-records_*.deb Architecture all
check "libvspe-qemu wants no libvspe, and its host's glib" field "$work"/packages/libvspe-qemu_*.deb Depends 'libc6 (.*), libglib2.0-0 (.*)'
check "and is all of the plugin" sh -c 'dpkg-deb -c "$1" | grep -q "/vspe/libvspe-qemu.so$" && ! dpkg-deb -c "$2" | grep -q libvspe-qemu' \
	sh "$work"/packages/libvspe-qemu_*.deb "$work"/packages/vspe_*.deb
check "vspe suggests it" field "$work"/packages/vspe_*.deb Suggests '.*, libvspe-qemu, .*'
check "vspe-doc: no link leads out of it" exits 0 python3 -B "$top/tests/docs/english.py" --links "$work/root/usr/share/doc/vspe-doc"
check "vspe linux: its program is there" exits 0 "$work/root/usr/bin/vspe" linux --help
check "... and knows its vspe" exits 2 env -u VSPE_PROGRAM "$work/root/usr/bin/vspe" linux --cpus
check "libvspe0 goes beside others" field "$work"/packages/libvspe0_*.deb Multi-Arch same

check "python3-vspe wants its Python, NumPy and the libraries it calls" field "$work"/packages/python3-vspe_*.deb Depends \
	'python3 (>= 3.11), python3-numpy, python3:any, libc6 (.*), libdw1 (.*), libelf1 (.*), liblzma5 (.*), libzstd1 (.*), zlib1g (.*)'
check "it is for the architecture of its Python" sh -c '! dpkg-deb -I "$1" | grep -q Multi-Arch' sh "$work"/packages/python3-vspe_*.deb

# What dpkg-shlibdeps makes of a program that calls the library, by the symbols file.
libdir=$(cd "$work/root" && dirname usr/lib/*/libvspe.so)
mkdir -p "$work/debian"
printf 'Source: embedder\n\nPackage: embedder\nArchitecture: any\n' >"$work/debian/control"
dpkg-deb -e "$work"/packages/libvspe0_*.deb "$work/root/DEBIAN"
gcc -I "$work/root/usr/include" "$top/tests/install/embed.c" -L "$work/root/$libdir" -lvspe -o "$work/embedder"
check "dpkg-shlibdeps reads the symbols file" exits 0 env -C "$work" dpkg-shlibdeps -O -S"$work/root" \
	-l"$work/root/$libdir" --ignore-missing-info embedder
check "and finds libvspe0" has out "libvspe0 (>= 0.9"

echo "# what is unpacked in $work/root"
PKG_CONFIG_PATH="$work/root/$libdir/pkgconfig" CMAKE_PREFIX_PATH="$work/root/usr" \
	LD_LIBRARY_PATH="$work/root/$libdir" "$top/tests/install/embed.sh" || failed=1
PKG_CONFIG_PATH="$work/root/$libdir/pkgconfig" LD_LIBRARY_PATH="$work/root/$libdir" \
	"$top/tests/rust/installed.sh" "$work/root/usr" || failed=1
check "vspe qemu finds the plugin" exits 2 "$work/root/usr/bin/vspe" qemu --qemu /bin/true -kernel none
check "and misses QEMU alone" has err "vspe qemu: --qemu: /bin/true "
rm "$work/root/$libdir/vspe/libvspe-qemu.so"
check "without the package" exits 2 "$work/root/usr/bin/vspe" qemu --qemu /bin/true -kernel none
check "vspe qemu names it" has err "it comes with the package libvspe-qemu"
check "vspe conform --guests" exits 0 "$work/root/usr/bin/vspe" conform --guests --only registers
check "... --qemu, with the defects that are known" exits 0 "$work/root/usr/bin/vspe" conform --guests --qemu --only gic
check "... with a list that came along" exits 0 "$work/root/usr/bin/vspe" conform --guests kvmtool.list --command 'true %k %a' --list
records=$work/root/usr/share/vspe/records
check "vspe-records: vspe decode reads them as they say" exits 0 python3 -B "$top/tests/records/check.py" "$records" "$work/root/usr/bin/vspe"
check "vspe-records: spe_packets.py makes the same of them" sh -c '"$0/spe_packets.py" "$0/neoverse-n1.spe" | cmp - "$0/neoverse-n1.json"' "$records"
check "python3-vspe: docs/python.md and the example do what they say" exits 0 env PYTHONPATH="$work/root/usr/lib/python3/dist-packages" \
	/usr/bin/python3 -B "$top/tests/numpy/docs.py" "$top" "$work/root/usr/bin/vspe" "$work/root/usr/share/vspe/guests"
for page in "$work"/root/usr/share/man/man*/*.gz; do
	check "${page##*/} is a page" sh -c 'gzip -dc "$1" | mandoc -T ascii >/dev/null' sh "$page"
done

if [ -z "$bare" ]; then
	echo "ok - in a bare Debian 12 # SKIP no folder for one is given"
	exit $failed
fi
# COMMAND...: as root of the bare Debian, with nothing of this environment; its /proc goes with the command.
inside() {
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"' "$bare" "$@"
}
install_quietly() {
	inside apt-get install -y --no-install-recommends "$@" >"$work/apt" 2>&1 || { tail -n 20 "$work/apt"; return 1; }
}
if ! "$top/tests/install/debootstrap.sh" "$bare" >"$work/why"; then
	echo "ok - in a bare Debian 12 # $(tail -n 1 "$work/why")"
	exit $failed
fi
check "bare: apt-get update" exits 0 inside apt-get update
[ $failed -eq 0 ] || exit 1
rm -rf "$bare/root/packages" "$bare/root/source"
mkdir -p "$bare/root/packages" "$bare/root/source/tests/cli"
cp "$work"/packages/*.deb "$bare/root/packages"
# Of the sources only the tests, pages and examples: what an embedder would write.
cp -r "$top/docs" "$bare/root/source"
cp -r "$top/tests/install" "$bare/root/source/tests"
cp "$top/tests/cli/common.sh" "$bare/root/source/tests/cli"
cp -r "$top/examples" "$bare/root/source"
# Those for arm64 want a libvspe for aarch64, and a kernel for their host, which stays for the next time.
mkdir -p "$bare/root/source/tools" "$bare/root/source/tests/linux" "$bare/root/source/build" "$bare/root/debian"
cp "$top/tools/debian-arm64.sh" "$top/tools/debian-kernel.sh" "$bare/root/source/tools"
cp "$top/tests/linux/initrd.sh" "$bare/root/source/tests/linux"
ln -s /root/debian "$bare/root/source/build/debian"
"$top/tests/examples/install.sh" "" "$work/library" || exit 1
cmake --install "$top/build/arm64" --prefix "$work/library/aarch64" --component libvspe-kvm-dev >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
rm -rf "$bare/root/aarch64"
cp -r "$work/library/aarch64" "$bare/root/aarch64"

inside apt-get purge -y python3-vspe vspe libvspe-dev libvspe0 >/dev/null 2>&1
inside sh /root/source/tests/install/embedding.sh --install /root/packages || failed=1
inside apt-get purge -y vspe libvspe-dev libvspe0 >/dev/null 2>&1
for package in libvspe0 libvspe-dev vspe; do
	check "bare: apt-get install $package" install_quietly /root/packages/$(cd "$work/packages" && ls ${package}_*.deb)
done
check "bare: apt-get install python3-vspe" install_quietly /root/packages/$(cd "$work/packages" && ls python3-vspe_*.deb)
check "bare: it decodes" exits 0 inside python3 -c 'import vspe; p = vspe.decode(bytes.fromhex("980c0001")); print(p.records["total_latency"].tolist())'
check "bare: what is there" has out "[12]"
check "bare: vspe --version" exits 0 inside vspe --version
check "bare: it is this version" has out "vspe $version"
check "bare: the programs that build others" install_quietly gcc g++ libc6-dev make cmake pkg-config mandoc
check "bare: man finds the pages" exits 0 inside sh -c 'for page in vspe vspe-run libvspe vspe-conformance; do
	mandoc -T ascii /usr/share/man/man?/$page.*.gz >/dev/null || exit 1; done'
check "bare: what the examples want" install_quietly $(awk '$1 == "examples" { print $2 }' "$top/tools/deps")
inside sh /root/source/tests/install/embed.sh || failed=1
inside sh /root/source/examples/check.sh /usr /root/aarch64 || failed=1
check "bare: apt-get purge python3-vspe" exits 0 inside apt-get purge -y python3-vspe
check "bare: nothing is left of it" exits 1 inside test -e /usr/lib/python3/dist-packages/vspe
check "bare: vspe conform --guests" exits 0 inside vspe conform --guests --shard 1/8
tail -n 1 "$work/out"
exit $failed

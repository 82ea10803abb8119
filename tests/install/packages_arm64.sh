#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packages_arm64.sh: the packages for arm64, made on any machine, hold what each is for; their vspe runs, by qemu-user.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
matcher=-F
. "$top/tests/cli/common.sh"

"$top/tools/packages.sh" --arm64 "$work/packages" >"$work/list" 2>"$work/err"
case $? in
0) ;;
77) echo "SKIP: $(tail -n 1 "$work/err")"; exit 77 ;;
*) cat "$work/err"; echo "not ok - packages.sh --arm64"; exit 1 ;;
esac
check "there are five" test "$(wc -l <"$work/list")" -eq 5
libdir=./usr/lib/aarch64-linux-gnu
holds() { # PACKAGE FILE...
	package=$(echo "$work/packages/$1"_*_arm64.deb)
	shift
	dpkg-deb -c "$package" | awk '{ print $6 }' >"$work/files"
	for file in "$@"; do
		grep -q -x -F "$file" "$work/files" || { echo "# no $file"; return 1; }
	done
}
field() { dpkg-deb -f "$work/packages/$1"_*_arm64.deb "$2"; }
check "libvspe0" holds libvspe0 $libdir/libvspe.so.0
check "libvspe-dev" holds libvspe-dev $libdir/libvspe.a $libdir/pkgconfig/vspe.pc ./usr/include/vspe/spe.h
check "libvspe-kvm0" holds libvspe-kvm0 $libdir/libvspe-kvm.so.0
check "libvspe-kvm-dev" holds libvspe-kvm-dev $libdir/libvspe-kvm.a $libdir/libvspe-kvm.so $libdir/pkgconfig/vspe-kvm.pc \
	$libdir/cmake/vspe-kvm/vspe-kvm-config.cmake ./usr/include/vspe/kvm.h ./usr/share/man/man3/libvspe-kvm.3.gz \
	./usr/share/doc/vspe/libvspe-kvm.md ./usr/share/vspe/rust/vspe-kvm-sys/build.rs
for package in libvspe0 libvspe-dev libvspe-kvm0 libvspe-kvm-dev; do
	check "$package is for several architectures at once" test "$(field $package Multi-Arch)" = same
done
check "libvspe-kvm0 wants libvspe0" test "$(field libvspe-kvm0 Depends | grep -c 'libvspe0 (>= ')" = 1
for package in libvspe0 libvspe-kvm0; do
	check "$package wants the libc that it is linked with" sh -c 'echo "$0" | grep -q "libc6 (>= 2\.[0-9]*)"' "$(field $package Depends)"
done

check "vspe" holds vspe ./usr/bin/vspe ./usr/share/vspe/guests/guests.list ./usr/share/man/man1/vspe-run.1.gz \
	./usr/share/vspe/linux/linux-guest
check "vspe wants no library" test -z "$(field vspe Depends)"
dpkg-deb -x "$work"/packages/vspe_*_arm64.deb "$work/root"
run() { qemu-aarch64 "$work/root/usr/bin/vspe" "$@"; }
check "vspe --version" exits 0 run --version
check "is this one" has out "vspe $(dpkg-parsechangelog -l "$top/debian/changelog" -S Version)"
check "vspe conform" exits 0 run conform --sandbox off --only PMBPTR_EL1
exit $failed

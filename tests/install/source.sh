#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# source.sh FOLDER: in the bare Debian of debootstrap.sh, with nothing of this system in reach: the source package builds
# with what it says it depends on; built again in another folder, time zone, language, umask and number of jobs it gives
# the same bytes; lintian has nothing to say; and debian/tests pass with the packages installed. As root, some 15 minutes.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
bare=$1
matcher=-F
. "$top/tests/cli/common.sh"

inside() { # COMMAND...: as root of the bare Debian
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"' "$bare" "$@"
}
[ -e "$bare/made" ] || { echo "SKIP: $bare is not there: tests/install/debootstrap.sh"; exit 77; }
"$top/tools/packages.sh" --source "$work/source" >"$work/list" || { echo "not ok - tools/packages.sh --source"; exit 1; }
rm -rf "$bare/root/first" "$bare/root/second"
mkdir -p "$bare/root/first" "$bare/root/second/further"
cp "$work"/source/vspe_* "$bare/root/first"

# debootstrap.sh has given it settings of this system's apt, which packages may bring too.
echo 'Dpkg::Options { "--force-confold"; };' >"$bare/etc/apt/apt.conf.d/00source"
check "apt-get update" exits 0 inside apt-get update
check "the packages that build packages" exits 0 inside apt-get install -y --no-install-recommends dpkg-dev lintian autopkgtest
check "apt-get build-dep" exits 0 inside sh -c 'apt-get build-dep -y --no-install-recommends /root/first/vspe_*.dsc'
check "dpkg-source, dpkg-buildpackage" exits 0 inside sh -c 'cd /root/first && dpkg-source -x vspe_*.dsc tree &&
	cd tree && DEB_BUILD_OPTIONS="parallel=$(nproc) terse" dpkg-buildpackage -us -uc -b'
check "another build" exits 0 inside sh -c 'umask 077 && cd /root/second/further && dpkg-source -x ../../first/vspe_*.dsc tree &&
	cd tree && TZ=UTC+12 LC_ALL=C DEB_BUILD_OPTIONS="parallel=1 terse nocheck" dpkg-buildpackage -us -uc -b'
for package in "$bare"/root/first/*.deb; do
	check "${package##*/} is the same" cmp "$package" "$bare/root/second/further/${package##*/}"
done
check "lintian" exits 0 inside sh -c 'lintian --no-cfg --profile debian --display-info --pedantic --allow-root \
	--fail-on error,warning,info,pedantic /root/first/vspe_*.changes'
check "debian/tests" exits 0 inside sh -c 'autopkgtest --apt-upgrade /root/first/*.deb /root/first/vspe_*.dsc -- null'
grep -a -E '^[a-z]+ +(PASS|FAIL|SKIP)' "$work/out" "$work/err" | sed 's/^[^:]*:/# /'
exit $failed
